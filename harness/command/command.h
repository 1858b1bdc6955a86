// SPDX-License-Identifier: MIT
// The subcommands of `tmaref`: one file each in this folder, one row each in commands.def. A command parses its own
// arguments with argp, prints what it found to stdout, complaints to stderr, and returns the exit status.
#ifndef TMAREF_COMMAND_H
#define TMAREF_COMMAND_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#include "exit_status.h"
#include "files.h"
#include "parse_number.h"

struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv); // argv[0] is "tmaref NAME"
};

#define COMMAND(name, summary) int command_##name(int argc, char **argv);
#include "commands.def"
#undef COMMAND
int command_run_kernel(int argc, char **argv); // argv[0] is the kernel's name

// Prints "tmaref NAME: message" and returns EXIT_USAGE, for `return command_usage(...)`.
int command_usage(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
