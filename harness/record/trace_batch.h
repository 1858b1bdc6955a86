// SPDX-License-Identifier: MIT
// The cases of a trace run again, in batches, each beside what was recorded of it: what replay, record --from, coverage
// and the tests of the evidence do.
#ifndef TMAREF_TRACE_BATCH_H
#define TMAREF_TRACE_BATCH_H

#include "executor.h"
#include "trace.h"

// Which cases run, and under which schedules of the executor sim.
//   sample     at most so many cases of a trace, evenly spread; 0: all
//   part       of the trace, `parts` equal ones in the order of the file; 0 parts: all of it
//   schedules  the cases of a batch are shared out to so many pairs of a schedule and a seed (schedules.h), one run for
//              each pair at least; 0: all under the schedule that is set
//   pairs      each case runs under so many pairs, from `first_pair` on; 0: the same
//   skip       NULL, or a byte for each case of the trace: not 0 leaves it out
struct trace_choice {
    uint64_t sample, part, parts, schedules, first_pair, pairs;
    const uint8_t *skip;
};

// One batch: entry[i] is what was recorded of case i, line[i] where it stands in the file at `path`.
struct trace_batch {
    const char *path;
    const struct executor *executor;
    struct batch batch;
    struct trace_entry entry[BATCH_CASES];
    uint64_t line[BATCH_CASES];
};

// What is run of a trace: all of it, or a choice. `visit` sees the cases in the order of the file. Those recorded as
// fatal run apart: together or each alone (executor.h); one that differs from its recording when told of together runs
// again alone.
struct trace_run {
    const struct executor *executor;
    bool together;
    struct trace_choice choice;
    int (*visit)(const struct trace_batch *cases, int i, void *context);
    void *context;
};

// Returns 0 with `why`, which names the path, if the trace is damaged, the executor cannot run, or a visit returned 0.
// `header` is filled in either case, if it can be read.
bool trace_run(const char *path, const struct trace_run *run, struct trace_header *header, struct text *why);

// Does the result of case `i` rest on more than `executor` has under the schedule that is set (struct family, ground)?
// Then trace_batch_agrees() compares its status, and of its windows those that do not rest on that.
bool trace_batch_is_open(const struct trace_batch *cases, int i);

// Compares case `i` with its recording: 1 if it agrees; else tells `out` where the two differ, why that may be, and the
// case, unless `out` is NULL.
int trace_batch_agrees(const struct trace_batch *cases, int i, FILE *out);

#endif
