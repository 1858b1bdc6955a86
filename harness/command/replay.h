// SPDX-License-Identifier: MIT
// Recorded traces against an executor: what `tmaref replay` does, and `tmaref diff trace ...`.
#ifndef TMAREF_REPLAY_H
#define TMAREF_REPLAY_H

#include "shards.h"
#include "trace_batch.h"

enum { REPLAY_MAX_PATHS = 256, REPLAY_PRINTED = 5 };

// `path`: files, or folders with all traces in them; `printed`: at most so many mismatches of each trace are told;
// `choice`: which of their cases run; `shard`: of these, one part of several; `jobs`: on how many processors the model
// does (0: all that there are).
struct replay_options {
    const struct executor *executor;
    int json, jobs, paths;
    uint64_t printed;
    struct trace_choice choice;
    struct shard shard;
    const char *path[REPLAY_MAX_PATHS];
};

// Compares, prints the table (or JSON) to stdout and mismatches to stderr; returns the exit status. `command` names
// the command in complaints.
int replay_run(const char *command, const struct replay_options *options);

#endif
