// SPDX-License-Identifier: MIT
// One run of a program under `tmaref exec`, with a schedule, and how it ended.
#ifndef TMAREF_EXPLORE_RUN_H
#define TMAREF_EXPLORE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXPLORE_REPORT_BYTES = 4096, EXPLORE_LINE_BYTES = 512 };

// In the order of the words of --schedule.
enum explore_schedule {
    EXPLORE_DEFAULT,
    EXPLORE_LATE,
    EXPLORE_EARLY,
    EXPLORE_SHUFFLED,
    EXPLORE_PCT,
    EXPLORE_DELAY,
    EXPLORE_SCHEDULES
};
extern const char *const explore_schedule_name[EXPLORE_SCHEDULES + 1]; // NULL ends them

// What a run needs. delays: a file, of EXPLORE_DELAY; write_delays, write_sync: NULL, or a file. steps: 0, those of
// exec. is_fixed: memory is at the same addresses in each such run.
struct explore_how {
    enum explore_schedule schedule;
    uint64_t seed, depth, steps;
    bool is_fixed;
    const char *delays, *write_delays, *write_sync;
};

// How it ended.
//   status     the program's; 128 + N: signal N killed it
//   has_report exec reported a failure of a kernel, or a finding of what was asked for; first: its first line
//   is_cut     it ran longer than it may, and was killed
//   is_unstarted  exec could not start it: `report` says why
//   output     a digest of standard output
struct explore_end {
    int status;
    bool has_report, is_cut, is_unstarted;
    uint64_t output;
    char first[EXPLORE_LINE_BYTES], report[EXPLORE_REPORT_BYTES];
};

//   program   ends with NULL
//   checks    "--check", "--sanitize", or NULL
//   seconds   a run may last
struct explore_program {
    char **program;
    const char *checks;
    double seconds;
};

// Runs it. 0 if it could not be started, with `why`; then no other run can be.
struct text;
int explore_run(const struct explore_program *program, const struct explore_how *how, struct explore_end *end,
                struct text *why);

// Makes a file in TMPDIR, or /tmp, whose name begins so, and opens it; -1: it cannot. The path is written to `path`.
int explore_scratch(const char *name, char *path, size_t bytes);

// A signal has asked the search to end.
int explore_is_stopped(void);

// The command line that repeats the run, for a shell. Returns `text`.
enum { EXPLORE_COMMAND_BYTES = 4096 };
const char *explore_command(const struct explore_program *program, const struct explore_how *how,
                            char text[EXPLORE_COMMAND_BYTES]);

#endif
