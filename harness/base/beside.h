// SPDX-License-Identifier: MIT
// What lies beside the command, in the build tree or where it is installed.
#ifndef TMAREF_BESIDE_H
#define TMAREF_BESIDE_H

#include <stddef.h>

// The path of `name` beside the command in the build tree, or in the folders for libraries and data of an installed
// one. Returns 0, or -1 if it is nowhere.
int program_part(const char *name, char *path, size_t path_bytes);

// The folder of traces, where none is named: `traces` here, else the one that was installed. NULL if there is neither.
const char *program_traces(char *path, size_t path_bytes);

#endif
