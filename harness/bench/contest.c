// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "graph.h"
#include "progress.h"

enum { MOST_STARTS = 256, HOST_STARTS = 20 };
#define COMPARED_BYTES ((size_t)64 << 20)

// A side's work as a graph of `starts` starts, which a sample launches `launches` times.
struct runner {
    const struct bench_side *side;
    struct CUgraphExec_st *graph;
    int starts, launches, set;
};

// `ms` of one start; what NVML said while the sample ran.
struct sample {
    double ms, mhz, watts;
};

bool contest_wanted(const struct bench *bench, const char *name)
{
    return bench->filter == NULL || strstr(name, bench->filter) != NULL;
}

// --- A sample --------------------------------------------------------------------------------------------------------

// Asks NVML for clock and power until event 1 has happened, and takes their means.
static int watch(struct bench *bench, struct sample *sample)
{
    double mhz = 0, watts = 0;
    int count = 0, error;
    do {
        mhz += nvml_sm_mhz(&bench->gpu.nvml);
        watts += nvml_watts(&bench->gpu.nvml);
        count++;
        error = (int)bench->graphs->cuEventQuery(bench->event[1]);
    } while (error == CUDA_ERROR_NOT_READY);
    sample->mhz = mhz / count;
    sample->watts = watts / count;
    return error;
}

static int take(struct bench *bench, const struct contest *contest, const struct runner *runner, int launches,
                struct sample *sample)
{
    const struct cuda_driver *call = &bench->gpu.driver;
    float elapsed = 0;
    int error = (int)call->cuEventRecord(bench->event[0], bench->gpu.stream);
    for (int i = 0; i < launches && error == CUDA_SUCCESS; i++)
        error = (int)bench->graphs->cuGraphLaunch(runner->graph, bench->gpu.stream);
    if (error == CUDA_SUCCESS) error = (int)call->cuEventRecord(bench->event[1], bench->gpu.stream);
    if (error == CUDA_SUCCESS) error = watch(bench, sample);
    if (error == CUDA_SUCCESS) error = (int)call->cuEventElapsedTime_v2(&elapsed, bench->event[0], bench->event[1]);
    sample->ms = (double)elapsed / launches / runner->starts - contest->before_ms;
    return error;
}

// --- Both sides get ready --------------------------------------------------------------------------------------------

// What a start costs the host, in microseconds: calls one after the other, nothing captured. `ms`: what it takes.
static int time_host(struct bench *bench, const struct contest *contest, const struct bench_side *side, double ms,
                     double *us)
{
    int error = (int)bench->graphs->cuStreamSynchronize(bench->gpu.stream), starts = ms > 1 ? 3 : HOST_STARTS;
    double start = seconds_now();
    for (int i = 0; i < starts && error == CUDA_SUCCESS; i++)
        error = side->start(bench, contest->context, i % contest->sets);
    *us = 1e6 * (seconds_now() - start) / starts;
    return error != CUDA_SUCCESS ? error : (int)bench->graphs->cuStreamSynchronize(bench->gpu.stream);
}

// Both graphs have as many starts as the slower side needs for a sample, but no more than MOST_STARTS; whole rounds of
// the input sets where that many fit.
static int get_ready(struct bench *bench, const struct contest *contest, struct runner runner[2], struct score *score)
{
    double ms, most = 0;
    int error = (int)bench->gpu.driver.cuCtxSynchronize();
    for (int s = 0; s < 2 && error == CUDA_SUCCESS; s++) {
        runner[s] = (struct runner){.side = s == 0 ? &contest->ours : &contest->theirs};
        error = graph_time(bench, contest, runner[s].side, 1e9, &ms);
        if (ms > most) most = ms;
        if (error == CUDA_SUCCESS) error = time_host(bench, contest, runner[s].side, ms, &score->host_us[s]);
    }
    int starts = most * (double)MOST_STARTS <= bench->sample_ms ? MOST_STARTS : (int)(bench->sample_ms / most) + 1;
    if (starts > contest->sets) starts -= starts % contest->sets;
    for (int s = 0; s < 2 && error == CUDA_SUCCESS; s++) {
        struct sample warm_up;
        runner[s].starts = starts;
        runner[s].launches = most * starts >= bench->sample_ms ? 1 : (int)(bench->sample_ms / (most * starts)) + 1;
        error = graph_capture(bench, contest, runner[s].side, starts, &runner[s].set, &runner[s].graph);
        if (error == CUDA_SUCCESS) error = take(bench, contest, &runner[s], 1, &warm_up);
    }
    return error;
}

// --- The measurement -------------------------------------------------------------------------------------------------

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

void score_rounds(double work, int rounds, double ms[2][BENCH_MAX_ROUNDS], struct score *score)
{
    double ratio[BENCH_MAX_ROUNDS];
    for (int round = 0; round < rounds; round++) ratio[round] = ms[1][round] / ms[0][round];
    for (int s = 0; s < 2; s++) score->rate[s] = 1e3 * work / bench_median(ms[s], rounds);
    score->ratio = bench_median(ratio, rounds);
    score->ratio_least = ratio[0];
    score->ratio_greatest = ratio[rounds - 1];
}

static int run_rounds(struct bench *bench, const struct contest *contest, const struct runner runner[2],
                      struct score *score)
{
    double ms[2][BENCH_MAX_ROUNDS], mhz[2][BENCH_MAX_ROUNDS], watts[2][BENCH_MAX_ROUNDS];
    for (int turn = 0; turn < 2 * bench->rounds; turn++) {
        struct sample sample;
        const int round = turn / 2, s = (round + turn) % 2; // who comes first changes from round to round
        const int error = take(bench, contest, &runner[s], runner[s].launches, &sample);
        if (error != CUDA_SUCCESS) return error;
        ms[s][round] = sample.ms, mhz[s][round] = sample.mhz, watts[s][round] = sample.watts;
    }
    score_rounds(contest->work, bench->rounds, ms, score);
    for (int s = 0; s < 2; s++) {
        score->mhz[s] = bench_median(mhz[s], bench->rounds);
        score->watts[s] = bench_median(watts[s], bench->rounds);
    }
    return CUDA_SUCCESS;
}

// One after the other, without a pause; power from the energy that the board counts.
static int run_long(struct bench *bench, const struct contest *contest, const struct runner runner[2],
                    struct score *score)
{
    int error = CUDA_SUCCESS;
    for (int s = 0; s < 2 && bench->long_ms > 0 && error == CUDA_SUCCESS; s++) {
        struct sample sample;
        double graph_ms = 1e3 * contest->work / score->rate[s] * runner[s].starts;
        double joules = nvml_joules(&bench->gpu.nvml), start = seconds_now();
        error = take(bench, contest, &runner[s], (int)(bench->long_ms / graph_ms) + 1, &sample);
        score->long_rate[s] = 1e3 * contest->work / sample.ms;
        score->long_mhz[s] = sample.mhz;
        score->long_watts[s] = (nvml_joules(&bench->gpu.nvml) - joules) / (seconds_now() - start);
    }
    if (score->long_rate[1] > 0) score->long_ratio = score->long_rate[0] / score->long_rate[1];
    return error;
}

int contest_measure(struct bench *bench, const struct contest *contest, struct score *score)
{
    struct runner runner[2] = {{0}, {0}};
    *score = (struct score){0};
    int error = get_ready(bench, contest, runner, score);
    if (error == CUDA_SUCCESS) error = run_rounds(bench, contest, runner, score);
    if (error == CUDA_SUCCESS) error = run_long(bench, contest, runner, score);
    for (int s = 0; s < 2; s++) graph_free(bench, runner[s].graph);
    return error;
}

// --- What is said ----------------------------------------------------------------------------------------------------

static void print(const struct contest *contest, const struct score *o)
{
    printf("%-40s %s %.4g %s/s, %s %.4g %s/s: %.3fx (%.3f to %.3f)", contest->name, contest->ours.name, o->rate[0],
           contest->unit, contest->theirs.name, o->rate[1], contest->unit, o->ratio, o->ratio_least, o->ratio_greatest);
    if (contest->bar > 0) printf(", bar %.2fx %s", contest->bar, o->ratio >= contest->bar ? "reached" : "not reached");
    if (o->first_ratio > 0) printf(", first choices %.3fx", o->first_ratio);
    if (o->mhz[0] > 0)
        printf(", SM %.0f and %.0f MHz, %.0f and %.0f W", o->mhz[0], o->mhz[1], o->watts[0], o->watts[1]);
    if (o->host_us[0] > 0) printf(", host %.1f and %.1f us", o->host_us[0], o->host_us[1]);
    if (o->long_ratio > 0)
        printf("; long %.3fx, SM %.0f and %.0f MHz, %.0f and %.0f W", o->long_ratio, o->long_mhz[0], o->long_mhz[1],
               o->long_watts[0], o->long_watts[1]);
    printf("\n");
    fflush(stdout);
}

void contest_report(struct bench *bench, const struct contest *contest, const struct score *o)
{
    bench->contests++;
    if (bench->report == NULL) {
        print(contest, o);
        return;
    }
    json_array_append_new(
        bench->report,
        json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f,"
                  " s:f, s:f, s:f, s:f, s:i}",
                  "contest", contest->name, "ours", contest->ours.name, "theirs", contest->theirs.name, "unit",
                  contest->unit, "our_rate", o->rate[0], "their_rate", o->rate[1], "ratio", o->ratio, "ratio_least",
                  o->ratio_least, "ratio_greatest", o->ratio_greatest, "bar", contest->bar, "our_sm_mhz", o->mhz[0],
                  "their_sm_mhz", o->mhz[1], "our_watts", o->watts[0], "their_watts", o->watts[1], "our_host_us",
                  o->host_us[0], "their_host_us", o->host_us[1], "long_ratio", o->long_ratio, "our_long_rate",
                  o->long_rate[0], "their_long_rate", o->long_rate[1], "our_long_sm_mhz", o->long_mhz[0],
                  "their_long_sm_mhz", o->long_mhz[1], "our_long_watts", o->long_watts[0], "their_long_watts",
                  o->long_watts[1], "first_ratio", o->first_ratio, "rounds", bench->rounds));
}

// --- Do both sides leave the same? -----------------------------------------------------------------------------------

static int leave(struct bench *bench, const struct contest *contest, const struct bench_side *side, uint8_t *bytes,
                 size_t count)
{
    int error = (int)bench->gpu.driver.cuMemsetD8Async(contest->result, 0, contest->result_bytes, bench->gpu.stream);
    if (error == CUDA_SUCCESS) error = side->start(bench, contest->context, 0);
    if (error == CUDA_SUCCESS) error = (int)bench->gpu.driver.cuCtxSynchronize();
    return error != CUDA_SUCCESS ? error : (int)bench->gpu.driver.cuMemcpyDtoH_v2(bytes, contest->result, count);
}

// The first COMPARED_BYTES of the result.
static int compare(struct bench *bench, const struct contest *contest)
{
    size_t count = contest->result_bytes < COMPARED_BYTES ? contest->result_bytes : COMPARED_BYTES, at = 0;
    uint8_t *bytes[2] = {malloc(count + 1), malloc(count + 1)};
    int error = bytes[0] == NULL || bytes[1] == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
    if (error == CUDA_SUCCESS) error = leave(bench, contest, &contest->ours, bytes[0], count);
    if (error == CUDA_SUCCESS) error = leave(bench, contest, &contest->theirs, bytes[1], count);
    while (error == CUDA_SUCCESS && at < count && bytes[0][at] == bytes[1][at]) at++;
    if (error == CUDA_SUCCESS && at < count) {
        fprintf(stderr, "%s: at byte %zu of the result %s has 0x%02x, %s 0x%02x\n", contest->name, at,
                contest->ours.name, bytes[0][at], contest->theirs.name, bytes[1][at]);
        error = BENCH_DIFFERS;
    }
    free(bytes[0]);
    free(bytes[1]);
    return error;
}

int contest_run(struct bench *bench, const struct contest *contest)
{
    struct score score;
    int error = contest->result != 0 ? compare(bench, contest) : CUDA_SUCCESS;
    if (error == CUDA_SUCCESS) error = contest_measure(bench, contest, &score);
    if (error == CUDA_SUCCESS) contest_report(bench, contest, &score);
    return error;
}

// --- Several opponents -----------------------------------------------------------------------------------------------

enum { NAME_BYTES = 120 };

static bool name_against(const struct bench *bench, const char *what, const struct bench_side *opponent, char *name)
{
    snprintf(name, NAME_BYTES, "%s, against %s", what, opponent->name);
    return contest_wanted(bench, name);
}

bool contest_wanted_against(const struct bench *bench, const char *what, const struct bench_side *opponents, int count)
{
    char name[NAME_BYTES];
    for (int i = 0; i < count; i++)
        if (name_against(bench, what, &opponents[i], name)) return true;
    return false;
}

int contest_run_against(struct bench *bench, const struct contest *contest, const char *what,
                        const struct bench_side *opponents, int count)
{
    char name[NAME_BYTES];
    struct contest one = *contest;
    int error = CUDA_SUCCESS;
    one.name = name;
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++) {
        one.theirs = opponents[i];
        if (name_against(bench, what, &opponents[i], name)) error = contest_run(bench, &one);
    }
    return error;
}
