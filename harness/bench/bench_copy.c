// SPDX-License-Identifier: MIT
// Copies of device memory, and the gain of multicast loads.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "copy_launch.h"
#include "data.h"
#include "prefetch_case.h"

// Rates count each byte twice: read and written.
#define COPY_BYTES   ((size_t)1 << 30)
#define STREAM_BYTES ((size_t)32 << 20) // stays in the L2 cache: what is measured is the way from there
enum { STREAM_REPEATS = 4 };

// `side`: a copy of each, ours and theirs; or a stream.
typedef int copy_start(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t size_bytes);
struct copy_contest {
    struct data_sets sets;
    copy_start *side[2];
    struct copy_stream stream[2];
};

static int start_prefetch(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t size_bytes)
{
    return prefetch_start_fast(gpu, to, from, size_bytes);
}

static int start_memcpy(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t size_bytes)
{
    return (int)gpu->driver.cuMemcpyDtoDAsync_v2(to, from, size_bytes, gpu->stream);
}

static int start_copy(struct bench *bench, const struct copy_contest *of, int side, int set)
{
    return of->side[side](&bench->gpu, of->sets.to[set], of->sets.from[set], COPY_BYTES);
}

static int start_ours(struct bench *bench, void *context, int set)
{
    return start_copy(bench, context, 0, set);
}

static int start_theirs(struct bench *bench, void *context, int set)
{
    return start_copy(bench, context, 1, set);
}

// Runs the contest if it is wanted; the first one that is makes the buffers.
static int run_one(struct bench *bench, struct copy_contest *of, const struct contest *contest)
{
    if (!contest_wanted(bench, contest->name)) return CUDA_SUCCESS;
    return data_sets_new(&bench->gpu, COPY_BYTES, &of->sets) ? contest_run(bench, contest) : CUDA_ERROR_OUT_OF_MEMORY;
}

static int run_copies(struct bench *bench, struct copy_contest *of)
{
    static const struct {
        const char *name, *ours, *theirs;
        copy_start *side[2];
        double bar;
    } rows[] = {
        {"copy 1 GiB, bulk, against memcpy", "copy_bytes", "cuMemcpyDtoD", {copy_start_bytes, start_memcpy}, 0.97},
        {"copy 1 GiB, bulk, against vectors", "copy_bytes", "copy_vector", {copy_start_bytes, copy_start_vector}, 0.97},
        {"copy 1 GiB, tiles, against memcpy", "copy_tiles", "cuMemcpyDtoD", {copy_start_tiles, start_memcpy}, 0.97},
        {"copy 1 GiB, tiles, against vectors",
         "copy_tiles",
         "copy_vector",
         {copy_start_tiles, copy_start_vector},
         0.97},
        {"copy 1 GiB, ring, against memcpy", "copy_ring", "cuMemcpyDtoD", {copy_start_ring, start_memcpy}, 0},
        {"prefetch 1 GiB, against memcpy", "prefetch", "cuMemcpyDtoD", {start_prefetch, start_memcpy}, 0.95},
        {"prefetch 1 GiB, against vectors", "prefetch", "copy_vector", {start_prefetch, copy_start_vector}, 0.95},
    };
    int error = CUDA_SUCCESS;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && error == CUDA_SUCCESS; i++) {
        const struct contest contest = {.name = rows[i].name,
                                        .unit = "TB",
                                        .ours = {rows[i].ours, start_ours},
                                        .theirs = {rows[i].theirs, start_theirs},
                                        .context = of,
                                        .sets = DATA_SETS,
                                        .work = 2e-12 * (double)COPY_BYTES,
                                        .bar = rows[i].bar};
        memcpy(of->side, rows[i].side, sizeof of->side);
        error = run_one(bench, of, &contest);
    }
    return error;
}

static int start_stream(struct bench *bench, const struct copy_contest *of, int side)
{
    struct copy_stream stream = of->stream[side];
    stream.from = of->sets.from[0];
    return copy_start_stream(&bench->gpu, &stream);
}

static int start_multicast(struct bench *bench, void *context, int set)
{
    (void)set;
    return start_stream(bench, context, 0);
}

static int start_separate(struct bench *bench, void *context, int set)
{
    (void)set;
    return start_stream(bench, context, 1);
}

// Multicast loads against loads of the same tiles by each CTA for itself: at the same time, and some tiles apart.
static int run_streams(struct bench *bench, struct copy_contest *of)
{
    static const uint32_t sizes[] = {2, 4, 8, 16}, staggers[] = {0, 8};
    int error = CUDA_SUCCESS;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t j = 0; j < sizeof staggers / sizeof staggers[0] && error == CUDA_SUCCESS; j++) {
            char name[80];
            struct contest contest = {.name = name,
                                      .unit = "TB",
                                      .ours = {"multicast", start_multicast},
                                      .theirs = {"separate loads", start_separate},
                                      .context = of,
                                      .sets = 1};
            snprintf(name, sizeof name, "multicast to %u CTAs%s", sizes[i],
                     staggers[j] ? ", separate loads apart" : "");
            of->stream[0] = (struct copy_stream){0, STREAM_BYTES, sizes[i], 1, 0, STREAM_REPEATS};
            of->stream[1] = (struct copy_stream){0, STREAM_BYTES, sizes[i], 0, staggers[j], STREAM_REPEATS};
            contest.work = 1e-12 * (double)copy_stream_bytes(&of->stream[0]);
            error = run_one(bench, of, &contest);
        }
    return error;
}

int bench_copy(struct bench *bench, struct text *why)
{
    struct copy_contest of = {.sets = {{0}, {0}}};
    (void)why;
    int error = run_copies(bench, &of);
    if (error == CUDA_SUCCESS) error = run_streams(bench, &of);
    data_sets_free(&bench->gpu, &of.sets);
    return error;
}
