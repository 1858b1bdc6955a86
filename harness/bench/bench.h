// SPDX-License-Identifier: MIT
// Two kernels side by side on one GPU in one run: alternating samples, the ratio of their speeds, its median and
// spread. A subject (gemm, copy, ...) is a row of subjects[] and makes its contests; `tmaref bench` runs them.
#ifndef TMAREF_BENCH_H
#define TMAREF_BENCH_H

#include <jansson.h>

#include "gpu.h"

struct CUevent_st;
struct graph_driver;

enum { BENCH_MAX_ROUNDS = 99, BENCH_MAX_SUBJECTS = 16, BENCH_MAX_SHAPES = 32 };

struct bench {
    struct gpu gpu;
    struct graph_driver *graphs;         // calls of the driver; see graph.h
    int rounds;                          // samples of each side, odd
    double sample_ms;                    // a sample repeats its work until it takes this long
    double long_ms;                      // a long run of each side, after the samples; 0: none
    uint32_t shape[BENCH_MAX_SHAPES][3]; // gemm: m, n, k of the shapes asked for, instead of the listed ones
    int shapes;
    int random_shapes;      // gemm: so many random shapes instead of the listed ones; 0: those
    uint64_t seed;          // of them
    int is_behind;          // gemm: a kernel of another kind runs before each start
    int is_warm;            // gemm: operands stay in the L2 cache where they fit
    const char *candidates; // gemm: a file for the times of all that could be chosen; NULL: none
    const char *filter;     // only contests whose name contains it; NULL: all
    const char *triton;     // the folder that triton_gemm.py wrote; NULL: no Triton
    json_t *report;         // an array that contests add to; NULL: lines on stdout instead
    int contests;           // that were run
    struct CUevent_st *event[2];
};

// One side starts its work once on bench->gpu.stream, on input set `set`, and does not wait. Returns 0 or the CUDA
// error. It may be captured into a graph.
struct bench_side {
    const char *name;
    int (*start)(struct bench *bench, void *context, int set);
};

// `work`: units of `unit` (GB, TFLOP) that one start does. `sets`: input sets to rotate over, together larger than the
// L2 cache. `bar`: the ratio wanted; 0 where the contest is only reported. `result`: device memory of result_bytes in
// which both sides, from zeros, must leave the same on set 0; 0 where that is not asked. `before`: what is started
// before each start in a graph, which takes before_ms by itself; these are not counted. NULL: nothing.
struct contest {
    const char *name, *unit;
    struct bench_side ours, theirs;
    void *context;
    int sets;
    int (*before)(struct bench *bench);
    double before_ms, work, bar;
    unsigned long long result;
    size_t result_bytes;
};

// What a contest found: by side (ours, theirs). ratio: above 1, ours is faster. host_us: what a start costs the host
// where there is no graph. mhz, watts: 0 where NVML does not tell. long_ratio: 0 without long runs. first_ratio: of
// what each side's rule puts first, where the contest is between the best of several; else 0.
struct score {
    double ratio, ratio_least, ratio_greatest, first_ratio;
    double rate[2], mhz[2], watts[2], host_us[2];
    double long_ratio, long_rate[2], long_mhz[2], long_watts[2];
};

// Whether the filter lets a contest of this name run: ask before its buffers are made.
bool contest_wanted(const struct bench *bench, const char *name);

// Sorts the values and returns the one in the middle.
double bench_median(double *values, int count);

// What `rounds` samples of each side, in milliseconds, say: rates and ratios. Sorts the values.
void score_rounds(double work, int rounds, double ms[2][BENCH_MAX_ROUNDS], struct score *score);

// Runs `rounds` samples of each side in turn, after a warm-up: a sample is a graph of as many starts as take sample_ms.
// Then a long run of each. Returns 0 or the CUDA error.
int contest_measure(struct bench *bench, const struct contest *contest, struct score *score);

// Says it on a line, or in the report.
void contest_report(struct bench *bench, const struct contest *contest, const struct score *score);

// Both, and compares the results. Returns 0, the CUDA error, or BENCH_DIFFERS with a sentence on stderr.
enum { BENCH_DIFFERS = -2 };
int contest_run(struct bench *bench, const struct contest *contest);

// The same against each opponent that the filter lets run, as "WHAT, against OPPONENT"; and whether there is one.
int contest_run_against(struct bench *bench, const struct contest *contest, const char *what,
                        const struct bench_side *opponents, int count);
bool contest_wanted_against(const struct bench *bench, const char *what, const struct bench_side *opponents, int count);

// A subject's own contests. Returns 0, or the CUDA error that ended it, or -1 with a sentence in `why`. `is_cpu`: it
// needs no GPU.
struct bench_subject {
    const char *name, *summary;
    int (*run)(struct bench *bench, struct text *why);
    bool is_cpu;
};

// All subjects; a row without a name ends them.
extern const struct bench_subject bench_subjects[];

int bench_cluster(struct bench *bench, struct text *why);
int bench_copy(struct bench *bench, struct text *why);
int bench_gemm(struct bench *bench, struct text *why);
int bench_latency(struct bench *bench, struct text *why);
int bench_model(struct bench *bench, struct text *why);
int bench_transpose(struct bench *bench, struct text *why);

#endif
