// SPDX-License-Identifier: MIT
// What the commands that run somebody's program share: start it, wait.
#ifndef TMAREF_COMMON_PROGRAM_H
#define TMAREF_COMMON_PROGRAM_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "beside.h"

// What a command's line takes as its argument (command_option.h), where its struct begins with a char **: the program
// and all that follows, which is the program's; NULL ends them.
void take_program(void *line, char *argument, struct argp_state *state);

// Starts a program; `prepare` is called in the new process before it begins. Returns its process, or -1 with errno.
pid_t program_start(char **program, void (*prepare)(const void *context), const void *context);

// Says why a program did not start (an errno), and what was meant: a source, a script, a file of this folder. Returns
// the exit status.
int program_not_started(const char *command, const char *program, int error);

// Does the loader take this path in LD_PRELOAD?
bool program_can_preload(const char *library);

// For `prepare`: preloads a library into the program, before those that the user preloads. Returns 0, or -1 with errno.
int program_preload(const char *library);

// Waits for it, leaving it to decide what signals mean. Returns its exit status, 128 + N if signal N killed it.
int program_wait(pid_t child);

#endif
