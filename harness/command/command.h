// SPDX-License-Identifier: MIT
// The subcommands of `tmaref`: one file each in this folder, one row each in main.c. A command parses its own
// arguments with argp, prints what it found to stdout, complaints to stderr, and returns the exit status.
#ifndef TMAREF_COMMAND_H
#define TMAREF_COMMAND_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#include "files.h"
#include "parse_number.h"

// Exit status of every command: all agree / a mismatch or a refusal / usage or environment error.
enum { EXIT_AGREE = 0, EXIT_MISMATCH = 1, EXIT_USAGE = 2 };

struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv); // argv[0] is "tmaref NAME"
};

int command_bench(int argc, char **argv);
int command_coverage(int argc, char **argv);
int command_list(int argc, char **argv);
int command_run(int argc, char **argv);
int command_run_kernel(int argc, char **argv); // argv[0] is the kernel's name
int command_diff(int argc, char **argv);
int command_record(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_encode(int argc, char **argv);
int command_decode(int argc, char **argv);
int command_swizzle(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_diagnose(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_ptx(int argc, char **argv);
int command_mbarrier(int argc, char **argv);
int command_exec(int argc, char **argv);
int command_watch(int argc, char **argv);

// Prints "tmaref NAME: message" and returns EXIT_USAGE, for `return command_usage(...)`.
int command_usage(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
