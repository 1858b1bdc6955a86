// SPDX-License-Identifier: MIT
// Work that was captured into a CUDA graph: its starts cost the host nothing while they run.
#ifndef TMAREF_BENCH_GRAPH_H
#define TMAREF_BENCH_GRAPH_H

#include "bench.h"

struct graph_driver {
#define TIMED(name, ...) name##_fn name;
#include "made_calls.def"
};

// Finds the driver's calls and makes the stream on which the bench works. Returns 0 with a sentence in `why` if a call
// is missing or fails.
int graph_open(struct bench *bench, struct text *why);

// Captures `starts` starts of a side, from input set *set on, which goes on. Returns 0 or the CUDA error.
int graph_capture(struct bench *bench, const struct contest *contest, const struct bench_side *side, int starts,
                  int *set, struct CUgraphExec_st **graph);
void graph_free(struct bench *bench, struct CUgraphExec_st *graph);

// How long one start takes (milliseconds), measured in a hurry: for choosing among many. Captures some starts and takes
// the shortest of two launches after one to warm up, or that one alone if it took more than `give_up_ms` a start.
// Returns 0 or the CUDA error.
int graph_time(struct bench *bench, const struct contest *contest, const struct bench_side *side, double give_up_ms,
               double *ms);

#endif
