// SPDX-License-Identifier: MIT
#ifndef TMAREF_EXEC_NEEDS_H
#define TMAREF_EXEC_NEEDS_H

// Says on standard error which libraries of CUDA a program is linked with that are not in tmaref's folder, and what to
// do. Nothing if there are none, or the program is no ELF file.
void exec_tell_needs(const char *program, const char *folder);

#endif
