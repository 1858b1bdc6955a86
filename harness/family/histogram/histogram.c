// SPDX-License-Identifier: MIT
// Family "histogram": bins over the shared memory of a cluster, by reductions through shared::cluster; the same in
// global memory; and the same without the last barrier. kernels/histogram.cu has the kernels.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "cuda_abi.h"
#include "family.h"
#include "field.h"
#include "gpu_jobs.h"
#include "histogram_case.h"
#include "rules/cluster.h"

static const struct {
    const char *name, *function;
} variants[HISTOGRAM_VARIANT_COUNT] = {
#define ROW(id, name, function) {name, function},
    HISTOGRAM_VARIANTS(ROW)
#undef ROW
};

#define NAME(id, name, ...) name,
static const char *const variant_names[] = {HISTOGRAM_VARIANTS(NAME) NULL};
static const char *const values_names[] = {HISTOGRAM_VALUES(NAME) NULL};
#undef NAME

// --- What model and GPU share ----------------------------------------------------------------------------------------

static const char *illegal(const void *test_case)
{
    const struct histogram_case *c = test_case;
    if ((c->variant == HISTOGRAM_GLOBAL) != (c->cluster == 0)) return "cluster is 1 to 16, and not there for global";
    if (histogram_grid(c) > HISTOGRAM_MAX_GRID) return "the grid has at most 512 CTAs";
    if (c->cluster > 0 && histogram_job_of(c).cta_bins > HISTOGRAM_MAX_CTA_BINS)
        return "a CTA has at most 58112 bins, a multiple of 4";
    return c->variant != HISTOGRAM_MISSING || (c->count <= 1 << 14 && c->nbins <= 1 << 14)
               ? NULL
               : "count and nbins of missing are at most 16384";
}

struct histogram_job histogram_job_of(const struct histogram_case *c)
{
    struct histogram_job job = {.input = 4 * c->skew,
                                .count = c->count,
                                .bins = 4 * c->bins_skew,
                                .nbins = c->nbins,
                                .late = c->late,
                                .linger = c->linger};
    histogram_divide(&job, c->cluster > 0 ? c->cluster : 1);
    return job;
}

int32_t histogram_value(const struct histogram_case *c, uint32_t i)
{
    uint64_t word = random_mix((uint64_t)c->seed << 32 | (c->values == HISTOGRAM_SAME ? 0 : i));
    uint64_t below = (word >> 32) * c->nbins >> 32;
    if (c->values == HISTOGRAM_ANY) return (int32_t)(uint32_t)word;
    if (c->values != HISTOGRAM_AROUND) return (int32_t)below;
    return (int32_t)((word >> 32) * (c->nbins + 16) >> 32) - 8;
}

uint32_t histogram_before(const struct histogram_case *c, int64_t i)
{
    return (uint32_t)random_mix(~((uint64_t)c->seed << 32) + (uint64_t)i);
}

static uint32_t bins_bytes(const struct histogram_case *c)
{
    return (c->nbins + 2 * HISTOGRAM_GUARD_WORDS + c->bins_skew) * 4;
}

static uint32_t shared_bytes(const struct histogram_case *c)
{
    return c->cluster > 0 ? histogram_grid(c) * histogram_job_of(c).cta_bins * 4 : 0;
}

static uint32_t ctas_bytes(const struct histogram_case *c)
{
    return c->cluster > 0 ? histogram_grid(c) * (uint32_t)sizeof(struct histogram_cta) : 0;
}

// Adds the windows of a result: "bins" with HISTOGRAM_GUARD_WORDS on both sides; of each CTA of a cluster, "shared",
// its bins when no more are counted, and "ctas", a struct histogram_cta; and what they hold before.
static void histogram_windows(const void *test_case, struct result *result)
{
    const struct histogram_case *c = test_case;
    result_window(result, "bins", 0, bins_bytes(c));
    if (c->cluster > 0) result_window(result, "shared", HISTOGRAM_SHARED_START, shared_bytes(c));
    if (c->cluster > 0) result_window(result, "ctas", 0, ctas_bytes(c));
}

static void histogram_fill(const void *test_case, const struct result *result)
{
    const struct histogram_case *c = test_case;
    for (uint32_t at = 0; at < bins_bytes(c); at += 4)
        put_u32(result->window[0].bytes + at,
                histogram_before(c, (int64_t)(at / 4) - HISTOGRAM_GUARD_WORDS - c->bins_skew));
    for (int i = 1; i < result->windows; i++) memset(result->window[i].bytes, 0xff, result->window[i].size_bytes);
}

// --- The GPU: a launch for each case ---------------------------------------------------------------------------------

enum { INPUT_BUFFER = 2 };

struct gpu_launch histogram_launch(enum histogram_variant variant, uint32_t cluster, uint32_t clusters,
                                   uint32_t threads, struct histogram_job *job, void **arguments)
{
    histogram_divide(job, cluster > 0 ? cluster : 1);
    arguments[0] = job;
    return (struct gpu_launch){.module = "histogram",
                               .kernel = variants[variant].function,
                               .grid = clusters * (cluster > 0 ? cluster : 1),
                               .block = threads,
                               .cluster = cluster,
                               .shared_bytes = cluster > 0 ? job->cta_bins * 4 : 0,
                               .arguments = arguments};
}

// The values of a case lie where those of the one before it did: copies to the device wait for the kernels before.
static int put_values(struct gpu *gpu, const struct histogram_case *c, unsigned long long *input)
{
    size_t size_bytes = ((size_t)c->skew + c->count + 1) * 4;
    int32_t *values = calloc(1, size_bytes);
    *input = gpu_buffer(gpu, INPUT_BUFFER, size_bytes);
    if (values == NULL || *input == 0) {
        free(values);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < c->count; i++) values[c->skew + i] = histogram_value(c, i);
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(*input, values, size_bytes);
    free(values);
    return error;
}

static int start_case(struct gpu *gpu, const void *test_case, struct result *result, uint64_t shift)
{
    const struct histogram_case *c = test_case;
    struct histogram_job job = histogram_job_of(c);
    uint64_t at = shift + (uint64_t)(uintptr_t)result->window[0].bytes;
    unsigned long long input;
    void *arguments[1];
    int error = put_values(gpu, c, &input);
    if (error != CUDA_SUCCESS) return error;
    job.input += input;
    job.bins += at + 4 * HISTOGRAM_GUARD_WORDS;
    job.shared = c->cluster > 0 ? at + bins_bytes(c) : 0;
    job.ctas = c->cluster > 0 ? at + bins_bytes(c) + shared_bytes(c) : 0;
    struct gpu_launch launch =
        histogram_launch((enum histogram_variant)c->variant, c->cluster, c->clusters, c->threads, &job, arguments);
    return gpu_start(gpu, &launch);
}

static int is_missing(const void *test_case)
{
    return ((const struct histogram_case *)test_case)->variant == HISTOGRAM_MISSING;
}

// --- Random cases: every size of cluster, bins that the cluster does not divide, fewer bins than CTAs, values outside
// the range, arrays that begin and end anywhere, from none to some thousand values; now and then as many bins as fit.
// The race of a missing barrier is small enough for the time that the kernel leaves to each part of it.

static void draw_cluster(struct random *random, void *test_case)
{
    struct histogram_case *c = test_case;
    c->cluster = c->variant == HISTOGRAM_GLOBAL ? 0 : (uint32_t)random_range(random, 1, CLUSTER_MAX);
}

static void draw_nbins(struct random *random, void *test_case)
{
    struct histogram_case *c = test_case;
    const uint32_t ctas = c->cluster > 0 ? c->cluster : 1, most = HISTOGRAM_MAX_CTA_BINS * (ctas < 4 ? ctas : 4);
    c->nbins = (uint32_t)DRAW(random, {10, BETWEEN(1, 20)}, {20, BETWEEN(4 * ctas, 400 * ctas), .unit = 4 * ctas},
                              {68, BETWEEN(1, 3000)}, {2, BETWEEN(most, most / 2)});
    if (is_missing(c)) c->nbins = (uint32_t)random_range(random, 1, 3000);
}

static void draw_count(struct random *random, void *test_case)
{
    struct histogram_case *c = test_case;
    c->count = (uint32_t)DRAW(random, {5, BETWEEN(0, 7)}, {40, BETWEEN(0, 999)}, {52, BETWEEN(0, 7999)},
                              {3, BETWEEN(0, 59999)});
    if (is_missing(c)) c->count = (uint32_t)random_below(random, 4000);
}

static void draw_late(struct random *random, void *test_case)
{
    struct histogram_case *c = test_case;
    c->late = (uint32_t)random_below(random, c->cluster + 1);
}

static const int32_t whole_threads[] = {32, 64, 128, 256, 512, 1024};

#define CASE struct histogram_case
static const struct field field[] = {
    FIELD_ONE_OF("variant", variant, variant_names, "the kernel",
                 DRAWN({20, JUST(HISTOGRAM_GLOBAL)}, {36, JUST(HISTOGRAM_SYNC)}, {19, JUST(HISTOGRAM_SPLIT)},
                       {18, JUST(HISTOGRAM_OWN)}, {7, JUST(HISTOGRAM_MISSING)})),
    FIELD_NUMBER("cluster", cluster, 0, CLUSTER_MAX, "CTAs of a cluster; 0: the launch has none",
                 .missing = FIELD_LEFT_OUT, .draw = draw_cluster),
    FIELD_NUMBER("clusters", clusters, 1, HISTOGRAM_MAX_GRID, "clusters of the grid", DRAWN({1, BETWEEN(1, 4)})),
    FIELD_NUMBER("threads", threads, 1, HISTOGRAM_MAX_THREADS, "threads of a CTA",
                 DRAWN({70, ONE_OF(whole_threads)}, {30, BETWEEN(1, HISTOGRAM_MAX_THREADS)})),
    FIELD_NUMBER("nbins", nbins, 1, HISTOGRAM_MAX_BINS, "bins", .draw = draw_nbins),
    FIELD_NUMBER("count", count, 0, HISTOGRAM_MAX_COUNT, "values", .draw = draw_count),
    FIELD_ONE_OF("values", values, values_names, "how the values lie to the bins"),
    FIELD_NUMBER("skew", skew, 0, HISTOGRAM_VECTOR - 1, "words of the values past 16-byte alignment",
                 .missing = FIELD_LEFT_OUT),
    FIELD_NUMBER("binsSkew", bins_skew, 0, HISTOGRAM_VECTOR - 1, "words of the bins past 16-byte alignment",
                 .missing = FIELD_LEFT_OUT, DRAWN({75, JUST(0)}, {25, BETWEEN(0, HISTOGRAM_VECTOR - 1)})),
    FIELD_NUMBER("late", late, 0, CLUSTER_MAX, "the rank that comes late", .is_there = is_missing,
                 .where = "the variant missing", .draw = draw_late),
    FIELD_NUMBER("linger", linger, 0, 1, "1: CTAs wait before they end", .missing = FIELD_LEFT_OUT,
                 .is_there = is_missing, .where = "the variant missing"),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE

// --- In words --------------------------------------------------------------------------------------------------------

enum rule histogram_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    static const char *const members[] = {"%cluster_ctarank", "%cluster_nctarank", "%clusterid", "mapa"};
    const struct histogram_case *c = test_case;
    const struct difference_units words = difference_units(difference, 4);
    const uint32_t want = (uint32_t)words.expected, got = (uint32_t)words.found, word = difference->at / 4;
    const int window = difference->window;
    const uint32_t cta_bins = histogram_job_of(c).cta_bins, before = HISTOGRAM_GUARD_WORDS + c->bins_skew;
    if (window == 0 && (word < before || word >= before + c->nbins))
        fprintf(out, "    word %d beside the bins: ", (int)word - (int)before);
    else if (window == 0)
        fprintf(out, "    bin %u, in CTA %u of a cluster: ", word - before, (word - before) / cta_bins);
    else if (window == 1)
        fprintf(out, "    shared memory of CTA %u of the grid, bin %u of its own: ", word / cta_bins, word % cta_bins);
    else
        fprintf(out, "    %s of CTA %u: ", members[word % 4], word / 4);
    fprintf(out, "%u expected, %u found (%+d)\n", want, got, (int32_t)(got - want));
    if (window != 2) return RULE_CLUSTER_ACCESS;
    return word % 4 == 3 ? RULE_CLUSTER_MAPA : RULE_CLUSTER_RANK;
}

const struct family family_histogram = {
    FAMILY_CASES("histogram", struct histogram_case, field, .illegal = illegal),
    .summary = "a histogram over the shared memory of a cluster, in global memory, and without its last barrier",
    .cost = 15,
    .windows = histogram_windows,
    .fill = histogram_fill,
    .run_model = histogram_model,
    .start = start_case,
    .kernels = "histogram",
    .explain = histogram_explain,
};
