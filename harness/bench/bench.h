// SPDX-License-Identifier: MIT
// Two kernels side by side on one GPU in one run: alternating samples, the ratio of their speeds, its median and
// spread. A subject (gemm, copy, ...) is a row of subjects[] and makes its contests; `tmaref bench` runs them.
#ifndef TMAREF_BENCH_H
#define TMAREF_BENCH_H

#include <jansson.h>

#include "gpu.h"

struct CUevent_st;

struct bench {
    struct gpu gpu;
    int rounds;         // samples of each side, odd
    double sample_ms;   // a sample repeats its work until it takes this long
    const char *filter; // only contests whose name contains it; NULL: all
    const char *triton; // the folder that triton_gemm.py wrote; NULL: no Triton
    json_t *report;     // an array that contests add to; NULL: lines on stdout instead
    int contests;       // that were run
    struct CUevent_st *event[2];
};

// One side starts its work once, on input set `set`, and does not wait. Returns 0 or the CUDA error.
struct bench_side {
    const char *name;
    int (*start)(struct bench *bench, void *context, int set);
};

// `work`: units of `unit` (GB, TFLOP) that one start does. `sets`: input sets to rotate over, together larger than the
// L2 cache. `bar`: the ratio wanted; 0 where the contest is only reported.
struct contest {
    const char *name, *unit;
    struct bench_side ours, theirs;
    void *context;
    int sets;
    double work, bar;
};

enum { BENCH_MAX_ROUNDS = 99, BENCH_MAX_SUBJECTS = 16 };

// Whether the filter lets a contest of this name run: ask before its buffers are made.
int contest_wanted(const struct bench *bench, const char *name);

// Runs `rounds` samples of each side in turn, after a warm-up, and reports the median ratio of their speeds (above 1:
// ours is faster), its least and greatest value, both rates and the SM clocks. Returns 0 or the CUDA error.
int contest_run(struct bench *bench, const struct contest *contest);

// A subject's own contests. Returns 0, or the CUDA error that ended it, or -1 with a sentence in `why`.
struct bench_subject {
    const char *name, *summary;
    int (*run)(struct bench *bench, struct text *why);
};

// All subjects; a row without a name ends them.
extern const struct bench_subject bench_subjects[];

#endif
