// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { MOST_REPEATS = 1000 };

struct samples {
    double ms[BENCH_MAX_ROUNDS];  // of one start
    double mhz[BENCH_MAX_ROUNDS]; // the SM clock while it ran; 0: unknown
};

int contest_wanted(const struct bench *bench, const char *name)
{
    return bench->filter == NULL || strstr(name, bench->filter) != NULL;
}

// `repeats` starts between two events; *set goes on from start to start.
static int sample(struct bench *bench, const struct contest *contest, const struct bench_side *side, int repeats,
                  int *set, double *ms, double *mhz)
{
    const struct cuda_driver *call = &bench->gpu.driver;
    float elapsed = 0;
    int error = (int)call->cuEventRecord(bench->event[0], NULL);
    for (int i = 0; i < repeats && error == CUDA_SUCCESS; i++) {
        error = side->start(bench, contest->context, *set);
        *set = (*set + 1) % contest->sets;
    }
    if (error == CUDA_SUCCESS) error = (int)call->cuEventRecord(bench->event[1], NULL);
    if (mhz != NULL) *mhz = nvml_sm_mhz(&bench->gpu.nvml);
    if (error == CUDA_SUCCESS) error = (int)call->cuCtxSynchronize();
    if (error == CUDA_SUCCESS) error = (int)call->cuEventElapsedTime_v2(&elapsed, bench->event[0], bench->event[1]);
    *ms = (double)elapsed / repeats;
    return error;
}

// How often the slower side's work has to be repeated to make a sample.
static int find_repeats(struct bench *bench, const struct contest *contest, int *repeats)
{
    double ms, most = 0;
    int set = 0, error = CUDA_SUCCESS;
    for (int pass = 0; pass < 2; pass++) // the first one warms up
        for (int s = 0; s < 2 && error == CUDA_SUCCESS; s++) {
            error = sample(bench, contest, s == 0 ? &contest->ours : &contest->theirs, 3, &set, &ms, NULL);
            if (pass == 1 && ms > most) most = ms;
        }
    *repeats = most * MOST_REPEATS <= bench->sample_ms ? MOST_REPEATS : (int)(bench->sample_ms / most) + 1;
    return error;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts the values and returns the one in the middle.
static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

static void report(struct bench *bench, const struct contest *contest, const struct samples samples[2],
                   const double *ratio)
{
    int last = bench->rounds - 1, middle = bench->rounds / 2;
    double rate[2], mhz[2];
    for (int s = 0; s < 2; s++) {
        struct samples sorted = samples[s];
        rate[s] = 1e3 * contest->work / median(sorted.ms, bench->rounds);
        mhz[s] = median(sorted.mhz, bench->rounds);
    }
    bench->contests++;
    if (bench->report == NULL) {
        printf("%-40s %s %.4g %s/s, %s %.4g %s/s: %.3fx (%.3f to %.3f)", contest->name, contest->ours.name, rate[0],
               contest->unit, contest->theirs.name, rate[1], contest->unit, ratio[middle], ratio[0], ratio[last]);
        if (contest->bar > 0)
            printf(", bar %.2fx %s", contest->bar, ratio[middle] >= contest->bar ? "reached" : "not reached");
        if (mhz[0] > 0) printf(", SM %.0f and %.0f MHz", mhz[0], mhz[1]);
        printf("\n");
        fflush(stdout);
        return;
    }
    json_array_append_new(bench->report,
                          json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:i}", "contest",
                                    contest->name, "ours", contest->ours.name, "theirs", contest->theirs.name, "unit",
                                    contest->unit, "our_rate", rate[0], "their_rate", rate[1], "ratio", ratio[middle],
                                    "ratio_least", ratio[0], "ratio_greatest", ratio[last], "bar", contest->bar,
                                    "our_sm_mhz", mhz[0], "their_sm_mhz", mhz[1], "rounds", bench->rounds));
}

int contest_run(struct bench *bench, const struct contest *contest)
{
    struct samples samples[2];
    double ratio[BENCH_MAX_ROUNDS];
    const struct bench_side *sides[2] = {&contest->ours, &contest->theirs};
    int repeats = 1, set[2] = {0, 0}, error = find_repeats(bench, contest, &repeats);
    for (int round = 0; round < bench->rounds && error == CUDA_SUCCESS; round++) {
        for (int turn = 0; turn < 2 && error == CUDA_SUCCESS; turn++) {
            int s = (round + turn) % 2; // who comes first changes from round to round
            error = sample(bench, contest, sides[s], repeats, &set[s], &samples[s].ms[round], &samples[s].mhz[round]);
        }
        ratio[round] = samples[1].ms[round] / samples[0].ms[round];
    }
    if (error != CUDA_SUCCESS) return error;
    qsort(ratio, (size_t)bench->rounds, sizeof *ratio, ascending);
    report(bench, contest, samples, ratio);
    return CUDA_SUCCESS;
}
