// SPDX-License-Identifier: MIT
// Files that options of exec name and the program reads, or writes beside its own.
#ifndef TMAREF_EXEC_INPUTS_H
#define TMAREF_EXEC_INPUTS_H

// Checks what the variables of --schedule, --delays and --write-delays say, and gives the program the whole paths. The
// file that is written is there, and empty, before it starts. Returns an exit status.
int exec_delays(const char *schedule, const char *from, const char *to);

// Can the file of suppressions be read? The program is given its whole path, too. Returns an exit status.
int exec_suppressions(void);

#endif
