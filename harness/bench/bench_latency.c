// SPDX-License-Identifier: MIT
// How long a single copy, load or barrier takes, in clocks of the SM, on a GPU that does nothing else. No contest:
// there is nobody to be faster than.
#include <stdio.h>

#include "bench.h"
#include "latency_job.h"
#include "tensormap.h"

// Where the words and bytes come from. FRESH: memory that nobody has read since it was written, too long ago for L2.
enum source { ANYWHERE, L2, FRESH };
#define BUFFER_BYTES ((uint64_t)1 << 30)
enum { APART_BYTES = 4096 }; // from one fresh place to the next, at least

// `sizes`: bytes of a copy from the first to the last by factors of 4, or 0; `cluster` and `threads` of the launch.
static const struct measurement {
    enum latency_kind kind;
    enum source source;
    uint32_t first_bytes, last_bytes, cluster, threads;
} measurements[] = {
    {LATENCY_CLOCK, ANYWHERE, 0, 0, 1, 32},
    {LATENCY_SHARED_WORD, ANYWHERE, 0, 0, 1, 32},
    {LATENCY_REMOTE_WORD, ANYWHERE, 0, 0, 2, 32},
    {LATENCY_GLOBAL_WORD, L2, 0, 0, 1, 32},
    {LATENCY_GLOBAL_WORD, FRESH, 0, 0, 1, 32},
    {LATENCY_COPY_16, L2, 16, 16, 1, 32},
    {LATENCY_COPY_16, FRESH, 16, 16, 1, 32},
    {LATENCY_BULK_LOAD, L2, 128, 131072, 1, 32},
    {LATENCY_BULK_LOAD, FRESH, 128, 131072, 1, 32},
    {LATENCY_TENSOR_LOAD, L2, 128, 32768, 1, 32},
    {LATENCY_TENSOR_LOAD, FRESH, 128, 32768, 1, 32},
    {LATENCY_BULK_STORE_READ, L2, 128, 131072, 1, 32},
    {LATENCY_BULK_STORE, L2, 128, 131072, 1, 32},
    {LATENCY_BULK_REMOTE, ANYWHERE, 128, 32768, 2, 32},
    {LATENCY_SYNCTHREADS, ANYWHERE, 0, 0, 1, 128},
    {LATENCY_SYNCTHREADS, ANYWHERE, 0, 0, 1, 1024},
    {LATENCY_CLUSTER_SYNC, ANYWHERE, 0, 0, 1, 128},
    {LATENCY_CLUSTER_SYNC, ANYWHERE, 0, 0, 2, 128},
    {LATENCY_CLUSTER_SYNC, ANYWHERE, 0, 0, 4, 128},
    {LATENCY_CLUSTER_SYNC, ANYWHERE, 0, 0, 8, 128},
    {LATENCY_CLUSTER_SYNC, ANYWHERE, 0, 0, 16, 128},
    {LATENCY_CLUSTER_SYNC, ANYWHERE, 0, 0, 2, 1024},
    {LATENCY_CLUSTER_SYNC, ANYWHERE, 0, 0, 16, 1024},
    {LATENCY_CLUSTER_SYNC_RELAXED, ANYWHERE, 0, 0, 2, 128},
    {LATENCY_CLUSTER_SYNC_RELAXED, ANYWHERE, 0, 0, 16, 128},
};
enum { MEASUREMENTS = sizeof measurements / sizeof measurements[0] };

// The buffers, and how much of the source has been read.
struct latency_state {
    unsigned long long from, to, clocks;
    uint64_t used_bytes;
};

static const char *text_of(enum latency_kind kind)
{
    static const char *const texts[] = {
#define TEXT(name, text) text,
        LATENCY_KINDS(TEXT)
#undef TEXT
    };
    return texts[kind];
}

// Clocks of one round, of which the first is not counted: the median, the least and the greatest.
static void report(struct bench *bench, const struct measurement *m, uint32_t size_bytes, const uint64_t *clocks)
{
    static const char *const sources[] = {"", ", in L2", ", in memory"};
    bool is_mean = (m->kind >= LATENCY_SHARED_WORD && m->kind <= LATENCY_GLOBAL_WORD) || m->kind == LATENCY_SYNCTHREADS;
    double unit = is_mean ? LATENCY_WORDS : m->kind == LATENCY_BULK_REMOTE ? 2 : 1;
    enum { COUNTED = LATENCY_ROUNDS - 1 };
    char name[100];
    double each[COUNTED];
    for (int i = 0; i < COUNTED; i++) each[i] = (double)clocks[i + 1] / unit;
    const double median = bench_median(each, COUNTED), least = each[0], greatest = each[COUNTED - 1];
    snprintf(name, sizeof name, "%s%s", text_of(m->kind), sources[m->source]);
    bench->contests++;
    if (bench->report == NULL) {
        printf("%-58s %6u bytes, %2u CTAs, %4u threads: %7.1f clocks (%.1f to %.1f)\n", name, size_bytes, m->cluster,
               m->threads, median, least, greatest);
        fflush(stdout);
        return;
    }
    json_array_append_new(bench->report,
                          json_pack("{s:s, s:i, s:i, s:i, s:f, s:f, s:f}", "latency", name, "bytes", (int)size_bytes,
                                    "cluster", (int)m->cluster, "threads", (int)m->threads, "clocks", median,
                                    "clocks_least", least, "clocks_greatest", greatest));
}

// All of the source as rows of 128 bytes, a box of `size_bytes` of them.
static enum rule make_map(const struct latency_state *state, uint64_t from, uint32_t size_bytes,
                          struct tensormap_image *map)
{
    const uint64_t dim[] = {LATENCY_ROW_BYTES, (state->from + BUFFER_BYTES - from) / LATENCY_ROW_BYTES};
    const uint64_t stride[] = {LATENCY_ROW_BYTES};
    const uint32_t box[] = {LATENCY_ROW_BYTES, size_bytes / LATENCY_ROW_BYTES}, estride[] = {1, 1};
    return tensormap_encode_tiled(map, DTYPE_UINT8, 2, from, dim, stride, box, estride, INTERLEAVE_NONE, SWIZZLE_128B,
                                  L2_PROMOTION_NONE, OOB_FILL_ZERO, NULL);
}

static int launch(struct bench *bench, struct latency_state *state, const struct measurement *m, uint32_t size_bytes,
                  uint64_t clocks[LATENCY_ROUNDS])
{
    struct tensormap_image map = {{0}};
    uint32_t round_bytes = size_bytes < APART_BYTES ? APART_BYTES : size_bytes;
    if (m->kind == LATENCY_GLOBAL_WORD) round_bytes = LATENCY_WORDS * APART_BYTES;
    struct latency_job job = {.from = state->from + state->used_bytes,
                              .to = state->to,
                              .clocks = state->clocks,
                              .kind = m->kind,
                              .size_bytes = size_bytes,
                              .stride_bytes = m->source == FRESH ? round_bytes : 0};
    void *arguments[] = {&map, &job};
    const struct gpu_launch launch = {.module = "latency",
                                      .kernel = "latency",
                                      .grid = m->cluster,
                                      .block = m->threads,
                                      .cluster = m->cluster,
                                      .shared_bytes = LATENCY_SHARED_BYTES,
                                      .arguments = arguments};
    if (m->source != ANYWHERE) state->used_bytes += (uint64_t)round_bytes * LATENCY_ROUNDS;
    if (m->kind == LATENCY_TENSOR_LOAD && make_map(state, job.from, size_bytes, &map) != RULE_OK)
        return CUDA_ERROR_INVALID_VALUE;
    int error = gpu_launch(&bench->gpu, &launch);
    if (error != CUDA_SUCCESS) return error;
    return (int)bench->gpu.driver.cuMemcpyDtoH_v2(clocks, state->clocks, LATENCY_ROUNDS * sizeof *clocks);
}

// All sizes of a measurement.
static int measure(struct bench *bench, struct latency_state *state, const struct measurement *m)
{
    int error = CUDA_SUCCESS;
    for (uint32_t size_bytes = m->first_bytes; error == CUDA_SUCCESS; size_bytes *= 4) {
        uint64_t clocks[LATENCY_ROUNDS];
        if (size_bytes > m->last_bytes) size_bytes = m->last_bytes;
        error = launch(bench, state, m, size_bytes, clocks);
        if (error == CUDA_SUCCESS) report(bench, m, size_bytes, clocks);
        if (size_bytes == m->last_bytes) break;
    }
    return error;
}

int bench_latency(struct bench *bench, struct text *why)
{
    const struct cuda_driver *call = &bench->gpu.driver;
    struct latency_state state = {0};
    (void)why;
    int error = (int)call->cuMemAlloc_v2(&state.from, BUFFER_BYTES);
    if (error == CUDA_SUCCESS) error = (int)call->cuMemAlloc_v2(&state.to, LATENCY_MOST_BYTES);
    if (error == CUDA_SUCCESS) error = (int)call->cuMemAlloc_v2(&state.clocks, LATENCY_ROUNDS * sizeof(uint64_t));
    if (error == CUDA_SUCCESS) error = (int)call->cuMemsetD8Async(state.from, 0, BUFFER_BYTES, NULL);
    for (int i = 0; i < MEASUREMENTS && error == CUDA_SUCCESS; i++)
        if (contest_wanted(bench, text_of(measurements[i].kind))) error = measure(bench, &state, &measurements[i]);
    const unsigned long long buffers[] = {state.from, state.to, state.clocks};
    for (int i = 0; i < 3; i++)
        if (buffers[i] != 0) call->cuMemFree_v2(buffers[i]);
    return error;
}
