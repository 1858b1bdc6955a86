// SPDX-License-Identifier: MIT
// Transposed matrices against plain copies of as many bytes and against a transposition through shared memory without
// TMA, the best of its tiles; and tiles turned without bank conflicts against tiles turned as one would write it first.
#include <stdio.h>

#include "bench.h"
#include "data.h"
#include "graph.h"
#include "opponents.h"
#include "transpose_launch.h"

// Rates count each byte twice: read and written.
#define MATRIX_BYTES ((uint64_t)1 << 30)
enum { ROUNDS = 100 };

struct transpose_contest {
    struct data_sets sets;
    struct transpose_case fast;
    uint32_t element_bytes, side; // side: of their tiles
};

static int start_transpose(struct bench *bench, void *context, int set)
{
    const struct transpose_contest *of = context;
    return transpose_launch(&bench->gpu, &of->fast, of->sets.from[set], of->sets.to[set], 0);
}

static int start_memcpy(struct bench *bench, void *context, int set)
{
    const struct transpose_contest *of = context;
    return (int)bench->gpu.driver.cuMemcpyDtoDAsync_v2(of->sets.to[set], of->sets.from[set], MATRIX_BYTES,
                                                       bench->gpu.stream);
}

static int start_shared(struct bench *bench, void *context, int set)
{
    const struct transpose_contest *of = context;
    const struct opponent_transposition job = {of->sets.from[set], of->sets.to[set], of->fast.rows, of->fast.columns};
    return opponent_transpose(&bench->gpu, of->element_bytes, of->side, &job);
}

static int start_best_turn(struct bench *bench, void *context, int set)
{
    const struct transpose_contest *of = context;
    return transpose_start_turning(&bench->gpu, of->element_bytes, SWIZZLE_128B, transpose_best_walk(of->element_bytes),
                                   ROUNDS, of->sets.to[set]);
}

static int start_plain_turn(struct bench *bench, void *context, int set)
{
    const struct transpose_contest *of = context;
    return transpose_start_turning(&bench->gpu, of->element_bytes, SWIZZLE_NONE, TRANSPOSE_ROWS, ROUNDS,
                                   of->sets.to[set]);
}

// The tile with which their transposition is fastest.
static int choose_side(struct bench *bench, struct transpose_contest *of, const struct contest *contest)
{
    double least = 1e9, ms;
    uint32_t best = 0;
    int error = CUDA_SUCCESS;
    for (int i = 0; (of->side = opponent_side(of->element_bytes, i)) != 0 && error == CUDA_SUCCESS; i++) {
        error = graph_time(bench, contest, &contest->theirs, 1e9, &ms);
        if (ms >= least) continue;
        least = ms;
        best = of->side;
    }
    of->side = best;
    return error;
}

// Runs the contest if it is wanted; the first one that is makes the buffers.
static int run_one(struct bench *bench, struct transpose_contest *of, const struct contest *contest)
{
    if (!contest_wanted(bench, contest->name)) return CUDA_SUCCESS;
    if (!data_sets_new(&bench->gpu, MATRIX_BYTES, &of->sets)) return CUDA_ERROR_OUT_OF_MEMORY;
    if (contest->theirs.start != start_shared) return contest_run(bench, contest);
    struct contest compared = *contest;
    compared.result = of->sets.to[0];
    compared.result_bytes = MATRIX_BYTES;
    int error = choose_side(bench, of, contest);
    return error == CUDA_SUCCESS ? contest_run(bench, &compared) : error;
}

static int run_size(struct bench *bench, struct transpose_contest *of, uint32_t element_bytes)
{
    const uint32_t columns = element_bytes == 16 ? 8192 : element_bytes == 1 ? 32768 : 16384;
    const uint32_t rows = (uint32_t)(MATRIX_BYTES / element_bytes / columns);
    char name[80];
    struct contest contest = {.name = name, .context = of, .sets = DATA_SETS};
    of->element_bytes = element_bytes;
    of->fast = transpose_fast_case(&bench->gpu, element_bytes, rows, columns);
    snprintf(name, sizeof name, "transpose 1 GiB, %u-byte elements, against memcpy", element_bytes);
    contest.unit = "TB";
    contest.work = 2e-12 * (double)MATRIX_BYTES;
    contest.ours = (struct bench_side){"transpose", start_transpose};
    contest.theirs = (struct bench_side){"cuMemcpyDtoD", start_memcpy};
    int error = run_one(bench, of, &contest);
    snprintf(name, sizeof name, "transpose 1 GiB, %u-byte elements, against shared memory", element_bytes);
    contest.theirs = (struct bench_side){"shared memory, no TMA", start_shared};
    contest.bar = 1;
    if (error == CUDA_SUCCESS) error = run_one(bench, of, &contest);
    contest.bar = 0;
    snprintf(name, sizeof name, "turn tiles, %u-byte elements, no conflicts against rows", element_bytes);
    contest.work = 2e-12 * (int)ROUNDS * bench->gpu.processors * (int)TRANSPOSE_TIMED_CTAS *
                   (double)TRANSPOSE_TILE_BYTES(element_bytes);
    contest.ours = (struct bench_side){"swizzle and walk", start_best_turn};
    contest.theirs = (struct bench_side){"rows, no swizzle", start_plain_turn};
    return error == CUDA_SUCCESS ? run_one(bench, of, &contest) : error;
}

int bench_transpose(struct bench *bench, struct text *why)
{
    struct transpose_contest of = {.sets = {{0}, {0}}};
    int error = CUDA_SUCCESS;
    (void)why;
    for (uint32_t bytes = 1; bytes <= 16 && error == CUDA_SUCCESS; bytes *= 2) error = run_size(bench, &of, bytes);
    data_sets_free(&bench->gpu, &of.sets);
    return error;
}
