// SPDX-License-Identifier: MIT
// Copies of device memory, and the gain of multicast loads.
#include <stdio.h>

#include "copy_launch.h"
#include "data.h"
#include "prefetch_case.h"
#include "subjects.h"

// Rates count each byte twice: read and written.
#define COPY_BYTES   ((size_t)1 << 30)
#define STREAM_BYTES ((size_t)32 << 20) // stays in the L2 cache: what is measured is the way from there
enum { COPY_SETS = 2, STREAM_REPEATS = 4 };

struct copy_contest {
    unsigned long long from[COPY_SETS], to[COPY_SETS];
    struct copy_stream stream[2]; // ours, theirs
};

static int start_bytes(struct bench *bench, void *context, int set)
{
    const struct copy_contest *of = context;
    return copy_start_bytes(&bench->gpu, of->to[set], of->from[set], COPY_BYTES);
}

static int start_tiles(struct bench *bench, void *context, int set)
{
    const struct copy_contest *of = context;
    return copy_start_tiles(&bench->gpu, of->to[set], of->from[set], COPY_BYTES);
}

static int start_ring(struct bench *bench, void *context, int set)
{
    const struct copy_contest *of = context;
    return copy_start_ring(&bench->gpu, of->to[set], of->from[set], COPY_BYTES);
}

static int start_vector(struct bench *bench, void *context, int set)
{
    const struct copy_contest *of = context;
    return copy_start_vector(&bench->gpu, of->to[set], of->from[set], COPY_BYTES);
}

static int start_prefetch(struct bench *bench, void *context, int set)
{
    const struct copy_contest *of = context;
    return prefetch_start_fast(&bench->gpu, of->to[set], of->from[set], COPY_BYTES);
}

static int start_memcpy(struct bench *bench, void *context, int set)
{
    const struct copy_contest *of = context;
    return (int)bench->gpu.driver.cuMemcpyDtoDAsync_v2(of->to[set], of->from[set], COPY_BYTES, bench->gpu.stream);
}

// Runs the contest if it is wanted; the first one that is makes the buffers.
static int run_one(struct bench *bench, struct copy_contest *of, const struct contest *contest)
{
    if (!contest_wanted(bench, contest->name)) return CUDA_SUCCESS;
    for (int i = 0; i < COPY_SETS && of->to[COPY_SETS - 1] == 0; i++) {
        of->from[i] = data_new(&bench->gpu, DATA_BYTES, COPY_BYTES, (uint64_t)i);
        of->to[i] = data_new(&bench->gpu, DATA_BYTES, COPY_BYTES, 100 + (uint64_t)i);
        if (of->from[i] == 0 || of->to[i] == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return contest_run(bench, contest);
}

static int run_copies(struct bench *bench, struct copy_contest *of)
{
    static const struct {
        const char *name;
        struct bench_side ours, theirs;
        double bar;
    } rows[] = {
        {"copy 1 GiB, bulk, against memcpy", {"copy_bytes", start_bytes}, {"cuMemcpyDtoD", start_memcpy}, 0.97},
        {"copy 1 GiB, bulk, against vectors", {"copy_bytes", start_bytes}, {"copy_vector", start_vector}, 0.97},
        {"copy 1 GiB, tiles, against memcpy", {"copy_tiles", start_tiles}, {"cuMemcpyDtoD", start_memcpy}, 0.97},
        {"copy 1 GiB, tiles, against vectors", {"copy_tiles", start_tiles}, {"copy_vector", start_vector}, 0.97},
        {"copy 1 GiB, ring, against memcpy", {"copy_ring", start_ring}, {"cuMemcpyDtoD", start_memcpy}, 0},
        {"prefetch 1 GiB, against memcpy", {"prefetch", start_prefetch}, {"cuMemcpyDtoD", start_memcpy}, 0.95},
        {"prefetch 1 GiB, against vectors", {"prefetch", start_prefetch}, {"copy_vector", start_vector}, 0.95},
    };
    int error = CUDA_SUCCESS;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && error == CUDA_SUCCESS; i++) {
        struct contest contest = {.name = rows[i].name,
                                  .unit = "TB",
                                  .ours = rows[i].ours,
                                  .theirs = rows[i].theirs,
                                  .context = of,
                                  .sets = COPY_SETS,
                                  .work = 2e-12 * (double)COPY_BYTES,
                                  .bar = rows[i].bar};
        error = run_one(bench, of, &contest);
    }
    return error;
}

static int start_stream(struct bench *bench, const struct copy_contest *of, int side)
{
    struct copy_stream stream = of->stream[side];
    stream.from = of->from[0];
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
    struct copy_contest of = {.from = {0}};
    (void)why;
    int error = run_copies(bench, &of);
    if (error == CUDA_SUCCESS) error = run_streams(bench, &of);
    for (int i = 0; i < COPY_SETS; i++) {
        data_free(&bench->gpu, of.from[i]);
        data_free(&bench->gpu, of.to[i]);
    }
    return error;
}
