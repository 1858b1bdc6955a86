// SPDX-License-Identifier: MIT
// What distributed shared memory gains, and where it loses: histograms against global atomics, against shared memory
// without clusters and against CUB; attention whose states are merged in a cluster against a second kernel, launched
// behind the first or while it runs, and against a merge by the last CTA of a row.
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "data.h"
#include "histogram_case.h"
#include "opponents.h"
#include "random.h"
#include "softmax_case.h"

enum {
    HISTOGRAM_COUNT = 1 << 26, // four times the L2 cache
    GLOBAL_CTAS_PER_SM = 2,
    MOST_SETS = 64,
};
#define KEYS_BYTES ((size_t)256 << 20) // of all input sets together, the same of values

// --- Histograms ------------------------------------------------------------------------------------------------------

struct histogram_contest {
    struct histogram_job job;
    uint32_t cluster, clusters;
    enum histogram_variant variant;
    struct cub cub;
};

static int start_histogram(struct bench *bench, void *context, int set)
{
    const struct histogram_contest *of = context;
    struct histogram_job job = of->job;
    void *arguments[1];
    (void)set;
    struct gpu_launch launch =
        histogram_launch(of->variant, of->cluster, of->clusters, HISTOGRAM_MAX_THREADS, &job, arguments);
    return gpu_start(&bench->gpu, &launch);
}

static int start_global(struct bench *bench, void *context, int set)
{
    struct histogram_contest global = *(const struct histogram_contest *)context;
    global.variant = HISTOGRAM_GLOBAL;
    global.cluster = 0;
    global.clusters = GLOBAL_CTAS_PER_SM * (uint32_t)bench->gpu.processors;
    return start_histogram(bench, &global, set);
}

static int start_parts(struct bench *bench, void *context, int set)
{
    const struct histogram_contest *of = context;
    (void)set;
    return opponent_histogram(&bench->gpu, &of->job);
}

static int start_cub(struct bench *bench, void *context, int set)
{
    const struct histogram_contest *of = context;
    (void)set;
    return cub_histogram(&bench->gpu, &of->cub, &of->job);
}

// Values of which each bin gets as many.
static int fill_values(struct bench *bench, const struct histogram_job *job)
{
    int32_t *values = malloc(HISTOGRAM_COUNT * sizeof *values);
    struct random random = random_for(1, job->nbins);
    if (values == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < HISTOGRAM_COUNT; i++) values[i] = (int32_t)((random_u64(&random) >> 32) * job->nbins >> 32);
    int error = (int)bench->gpu.driver.cuMemcpyHtoD_v2(job->input, values, HISTOGRAM_COUNT * sizeof *values);
    free(values);
    return error;
}

// CUB comes last: it may not be there.
static const struct bench_side histogram_opponents[] = {
    {"global atomics", start_global}, {"shared memory, no cluster", start_parts}, {"CUB", start_cub}};
enum { HISTOGRAM_OPPONENTS = sizeof histogram_opponents / sizeof histogram_opponents[0] };

// Against each opponent, with the same bar.
static int run_histogram(struct bench *bench, struct histogram_contest *of, const char *what)
{
    void *arguments[1];
    struct histogram_job job = of->job;
    struct gpu_launch launch = histogram_launch(of->variant, of->cluster, 1, HISTOGRAM_MAX_THREADS, &job, arguments);
    of->clusters = (uint32_t)gpu_clusters(&bench->gpu, &launch);
    if (of->clusters == 0) return CUDA_ERROR_NOT_FOUND;
    const struct contest contest = {.unit = "G",
                                    .ours = {"cluster", start_histogram},
                                    .context = of,
                                    .sets = 1,
                                    .work = 1e-9 * (double)HISTOGRAM_COUNT,
                                    .bar = 1,
                                    .result = of->job.bins,
                                    .result_bytes = (size_t)of->job.nbins * 4};
    int error = fill_values(bench, &of->job);
    bool has_cub = cub_open(&of->cub, &bench->gpu, 4, &of->job);
    if (!has_cub) fprintf(stderr, "bench: there is no libtmaref_cub.so beside the kernels: no contest with CUB\n");
    if (error != CUDA_SUCCESS) return error;
    return contest_run_against(bench, &contest, what, histogram_opponents, HISTOGRAM_OPPONENTS - !has_cub);
}

static const struct {
    uint32_t bits, cluster;
    enum histogram_variant variant;
} histograms[] = {
    {15, 1, HISTOGRAM_SYNC}, {16, 2, HISTOGRAM_SYNC}, {16, 2, HISTOGRAM_SPLIT},
    {17, 3, HISTOGRAM_SYNC}, {17, 8, HISTOGRAM_SYNC}, {18, 5, HISTOGRAM_SYNC},
    {16, 2, HISTOGRAM_OWN},  {17, 3, HISTOGRAM_OWN},  {18, 5, HISTOGRAM_OWN},
};

static int run_histograms(struct bench *bench)
{
    static const char *const ways[HISTOGRAM_VARIANT_COUNT] = {
        [HISTOGRAM_SYNC] = "remote", [HISTOGRAM_SPLIT] = "remote, split barrier", [HISTOGRAM_OWN] = "own bins"};
    struct histogram_contest of = {.job = {.count = HISTOGRAM_COUNT}};
    int error = CUDA_SUCCESS;
    for (size_t i = 0; i < sizeof histograms / sizeof histograms[0] && error == CUDA_SUCCESS; i++) {
        char name[80];
        snprintf(name, sizeof name, "histogram 2^%u, cluster %u, %s", histograms[i].bits, histograms[i].cluster,
                 ways[histograms[i].variant]);
        if (!contest_wanted_against(bench, name, histogram_opponents, HISTOGRAM_OPPONENTS)) continue;
        of.job.nbins = UINT32_C(1) << histograms[i].bits;
        of.job.input = gpu_buffer(&bench->gpu, 0, (size_t)HISTOGRAM_COUNT * 4);
        of.job.bins = gpu_buffer(&bench->gpu, 1, (size_t)4 << 18);
        of.cluster = histograms[i].cluster;
        of.variant = histograms[i].variant;
        if (of.job.input == 0 || of.job.bins == 0) return CUDA_ERROR_OUT_OF_MEMORY;
        error = run_histogram(bench, &of, name);
    }
    return error;
}

// --- Attention -------------------------------------------------------------------------------------------------------

struct softmax_contest {
    struct softmax_job job; // the addresses are those of set 0
    uint64_t set_bytes;
    uint32_t rows, threads;
    enum softmax_variant variant;
    unsigned long long counters; // of the rows, zeros between launches
};

static struct softmax_job job_of(const struct softmax_contest *of, int set)
{
    struct softmax_job job = of->job;
    job.keys += (uint64_t)set * of->set_bytes;
    job.values += (uint64_t)set * of->set_bytes;
    return job;
}

static int start_softmax(struct bench *bench, const struct softmax_contest *of, enum softmax_variant variant, int set)
{
    struct softmax_job job = job_of(of, set);
    struct gpu_launch launch[2];
    void *arguments[1];
    int error = CUDA_SUCCESS;
    if (variant != SOFTMAX_GLOBAL) job.states = 0;
    int launches = softmax_launches(variant, of->rows, SOFTMAX_MAX_DIMS, of->threads, &job, arguments, launch);
    for (int i = 0; i < launches && error == CUDA_SUCCESS; i++) error = gpu_start(&bench->gpu, &launch[i]);
    return error;
}

static int start_cluster(struct bench *bench, void *context, int set)
{
    const struct softmax_contest *of = context;
    return start_softmax(bench, of, of->variant, set);
}

static int start_two_kernels(struct bench *bench, void *context, int set)
{
    return start_softmax(bench, context, SOFTMAX_GLOBAL, set);
}

// Counters of the rows lie behind the states.
static int start_one_kernel(struct bench *bench, void *context, int set)
{
    const struct softmax_contest *of = context;
    struct softmax_job job = job_of(of, set);
    job.slots = of->counters;
    return opponent_last_merges(&bench->gpu, of->rows, of->threads, &job);
}

static int start_early(struct bench *bench, void *context, int set)
{
    const struct softmax_contest *of = context;
    struct softmax_job job = job_of(of, set);
    return opponent_early_merge(&bench->gpu, of->rows, of->threads, &job);
}

static int run_softmax(struct bench *bench, struct softmax_contest *of, const char *what)
{
    static const struct bench_side opponents[] = {{"two kernels", start_two_kernels},
                                                  {"two kernels, programmatic launch", start_early},
                                                  {"the last CTA merges", start_one_kernel}};
    of->set_bytes = (uint64_t)of->rows * of->job.count * SOFTMAX_MAX_DIMS * 2;
    const uint64_t sets = KEYS_BYTES / of->set_bytes;
    const struct contest contest = {.unit = "TB",
                                    .ours = {"cluster", start_cluster},
                                    .context = of,
                                    .sets = sets < MOST_SETS ? (int)sets : MOST_SETS,
                                    .work = 2e-12 * (double)of->set_bytes,
                                    .bar = 1,
                                    .result = of->job.out,
                                    .result_bytes = (size_t)of->rows * SOFTMAX_MAX_DIMS * 4};
    return contest_run_against(bench, &contest, what, opponents, sizeof opponents / sizeof opponents[0]);
}

static int run_attention(struct bench *bench, struct softmax_contest *of)
{
    static const uint32_t rows[][4] = {{1, 2048, 16, 256}, {8, 2048, 8, 256},  {8, 8192, 8, 512},
                                       {8, 32768, 8, 512}, {32, 8192, 4, 256}, {32, 8192, 8, 256}};
    int error = CUDA_SUCCESS;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int v = SOFTMAX_PULL; v <= SOFTMAX_PUSH && error == CUDA_SUCCESS; v++) {
            char name[80];
            snprintf(name, sizeof name, "attention %u x %u keys, %u CTAs, %s", rows[i][0], rows[i][1], rows[i][2],
                     v == SOFTMAX_PULL ? "pull" : "push");
            of->rows = rows[i][0], of->job.count = rows[i][1], of->job.parts = rows[i][2], of->threads = rows[i][3];
            of->variant = (enum softmax_variant)v;
            of->job.scale = softmax_scale(SOFTMAX_MAX_DIMS);
            if (of->job.keys == 0) of->job.keys = data_new(&bench->gpu, DATA_BF16, KEYS_BYTES, 1);
            if (of->job.values == 0) of->job.values = data_new(&bench->gpu, DATA_BF16, KEYS_BYTES, 2);
            if (of->job.query == 0) of->job.query = data_new(&bench->gpu, DATA_BF16, (size_t)1 << 16, 3);
            of->job.out = gpu_buffer(&bench->gpu, 2, (size_t)1 << 20);
            of->job.states = gpu_buffer(&bench->gpu, 3, (size_t)2 << 20);
            of->counters = of->job.states + ((size_t)1 << 20);
            if (of->job.keys == 0 || of->job.values == 0 || of->job.query == 0 || of->job.out == 0 ||
                of->job.states == 0)
                return CUDA_ERROR_OUT_OF_MEMORY;
            error = (int)bench->gpu.driver.cuMemsetD8Async(of->counters, 0, (size_t)1 << 20, bench->gpu.stream);
            if (error == CUDA_SUCCESS) error = run_softmax(bench, of, name);
        }
    return error;
}

int bench_cluster(struct bench *bench, struct text *why)
{
    struct softmax_contest of = {.job = {.keys = 0}};
    (void)why;
    int error = run_histograms(bench);
    if (error == CUDA_SUCCESS) error = run_attention(bench, &of);
    data_free(&bench->gpu, of.job.keys);
    data_free(&bench->gpu, of.job.values);
    data_free(&bench->gpu, of.job.query);
    return error;
}
