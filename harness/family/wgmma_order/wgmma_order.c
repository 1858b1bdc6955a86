// SPDX-License-Identifier: MIT
// Family "wgmma_order": four wgmma-groups in flight and shared memory that is overwritten after a wait, or one with a
// fence, commit or wait left out. The result is D of all groups; where no wait covers what is overwritten, it may vary.
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "field.h"
#include "gpu.h"
#include "wgmma_order_case.h"
#include "wgmma_order_model.h"

static const char *const kind_names[] = {"overwrite", "omit", NULL};
static const char *const target_names[] = {
#define NAME(id, name) name,
    WGMMA_ORDER_TARGETS(NAME)
#undef NAME
        NULL};
static const char *const omission_names[] = {
#define NAME(id, name, fence, commit, wait) name,
    WGMMA_ORDER_OMISSIONS(NAME)
#undef NAME
        NULL};

// --- JSON ------------------------------------------------------------------------------------------------------------

static void order_generate(struct random *random, void *test_case)
{
    struct wgmma_order_case *c = test_case;
    *c = (struct wgmma_order_case){.kind = random_chance(random, 20) ? WGMMA_ORDER_OMIT : WGMMA_ORDER_OVERWRITE};
    c->seed = (uint32_t)random_u64(random);
    if (c->kind == WGMMA_ORDER_OMIT) {
        c->omission = (uint32_t)random_below(random, WGMMA_ORDER_OMISSION_COUNT);
        return;
    }
    c->newest = (uint32_t)random_below(random, WGMMA_ORDER_GROUPS);
    c->victim = (uint32_t)random_below(random, WGMMA_ORDER_GROUPS);
    c->target = (uint32_t)random_below(random, WGMMA_ORDER_TARGET_COUNT);
    c->load = (uint32_t)random_below(random, 2);
}

// --- The model -------------------------------------------------------------------------------------------------------

static size_t order_result_bytes(const void *test_case)
{
    (void)test_case;
    return WGMMA_ORDER_OUTPUT_WORDS * 4;
}

static void order_run_model(const void *test_case, struct result *result)
{
    const struct wgmma_order_case *c = test_case;
    static uint32_t d[WGMMA_ORDER_OUTPUT_WORDS];
    wgmma_order_compute(c->kind, c->seed, d);
    memcpy(result_window(result, "d", 0, sizeof d), d, sizeof d);
}

static int order_varies(const void *test_case)
{
    return wgmma_order_open_warps(test_case) != 0;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

#define KERNEL(id, name, fence, commit, wait) "wgmma_order_omit_" #id,
static const char *const kernels[] = {"wgmma_order_0_0",  "wgmma_order_1_0",  "wgmma_order_2_0",
                                      "wgmma_order_3_0",  "wgmma_order_0_64", "wgmma_order_1_64",
                                      "wgmma_order_2_64", "wgmma_order_3_64", WGMMA_ORDER_OMISSIONS(KERNEL)};
#undef KERNEL
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static uint32_t kernel_of(const struct wgmma_order_case *c)
{
    return c->kind == WGMMA_ORDER_OMIT ? 2 * WGMMA_ORDER_GROUPS + c->omission
                                       : c->load * WGMMA_ORDER_GROUPS + c->newest;
}

static struct wgmma_order_job job_of(const struct wgmma_order_case *c, int index)
{
    return (struct wgmma_order_job){.output = (uint64_t)index * WGMMA_ORDER_OUTPUT_WORDS,
                                    .kind = c->kind,
                                    .newest = c->newest,
                                    .victim = c->victim,
                                    .target = c->target,
                                    .omission = c->omission,
                                    .load = c->load,
                                    .seed = c->seed};
}

// The jobs of one kernel lie side by side.
static int launch(struct gpu *gpu, uint32_t kernel, unsigned long long jobs, int count, unsigned long long output)
{
    unsigned most = 8 * (unsigned)gpu->processors; // as many fit side by side
    void *arguments[] = {&jobs, &count, &output};
    struct gpu_launch launch = {.module = "wgmma_order",
                                .kernel = kernels[kernel],
                                .grid = (unsigned)count < most ? (unsigned)count : most,
                                .block = WGMMA_ORDER_THREADS,
                                .shared_bytes = WGMMA_ORDER_SHARED_BYTES,
                                .arguments = arguments};
    return count == 0 ? CUDA_SUCCESS : gpu_launch(gpu, &launch);
}

static int run_jobs(struct gpu *gpu, const struct wgmma_order_case *cases, int count, struct wgmma_order_job *jobs,
                    uint8_t *output)
{
    size_t jobs_bytes = (size_t)count * sizeof *jobs, output_bytes = (size_t)count * WGMMA_ORDER_OUTPUT_WORDS * 4;
    unsigned long long device_jobs = gpu_buffer(gpu, 0, jobs_bytes);
    unsigned long long device_output = gpu_buffer(gpu, 1, output_bytes);
    int first[KERNELS + 1] = {0}, done = 0;
    if (device_jobs == 0 || device_output == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    for (uint32_t kernel = 0; kernel < KERNELS; kernel++) {
        for (int i = 0; i < count; i++)
            if (kernel_of(&cases[i]) == kernel) jobs[done++] = job_of(&cases[i], i);
        first[kernel + 1] = done;
    }
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(device_jobs, jobs, jobs_bytes);
    for (uint32_t i = 0; i < KERNELS && error == CUDA_SUCCESS; i++)
        error = launch(gpu, i, device_jobs + (size_t)first[i] * sizeof *jobs, first[i + 1] - first[i], device_output);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuMemcpyDtoH_v2(output, device_output, output_bytes);
    return error;
}

static int order_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    struct wgmma_order_job *jobs = calloc((size_t)count, sizeof *jobs);
    if (jobs == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < count; i++) result_window(&results[i], "d", 0, WGMMA_ORDER_OUTPUT_WORDS * 4);
    int error = run_jobs(gpu, cases, count, jobs, results[0].first_bytes);
    free(jobs);
    return error;
}

static int is_omission(const void *test_case)
{
    const struct wgmma_order_case *c = test_case;
    return c->kind == WGMMA_ORDER_OMIT;
}

static int is_overwrite(const void *test_case)
{
    const struct wgmma_order_case *c = test_case;
    return c->kind != WGMMA_ORDER_OMIT;
}

#define CASE struct wgmma_order_case
static const struct field field[] = {
    FIELD_ONE_OF("kind", kind, kind_names, "what is tried"),
    FIELD_ONE_OF("omission", omission, omission_names, "what is left out", .is_there = is_omission,
                 .where = "the kind omit"),
    FIELD_NUMBER("newest", newest, 0, WGMMA_ORDER_GROUPS - 1, "groups that wait_group leaves", .is_there = is_overwrite,
                 .where = "the other kinds"),
    FIELD_NUMBER("victim", victim, 0, WGMMA_ORDER_GROUPS - 1, "the group whose operands are overwritten",
                 .is_there = is_overwrite, .where = "the other kinds"),
    FIELD_ONE_OF("target", target, target_names, "which operand", .is_there = is_overwrite, .where = "the other kinds"),
    FIELD_NUMBER("load", load, 0, 1, "1: by a bulk copy", .is_there = is_overwrite, .where = "the other kinds"),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE

static const struct fields fields = {
    .name = "wgmma_order case", .field = field, .bytes = sizeof(struct wgmma_order_case)};

const struct family family_wgmma_order = {
    .name = "wgmma_order",
    .summary = "wgmma.fence, commit_group, wait_group: operands overwritten after a wait, instructions left out; D",
    .case_bytes = sizeof(struct wgmma_order_case),
    .cost = 50,
    .generate = order_generate,
    .fields = &fields,
    .result_bytes = order_result_bytes,
    .run_model = order_run_model,
    .run_gpu = order_run_gpu,
    .kernels = "wgmma_order",
    .describe = wgmma_order_describe,
    .restore = wgmma_order_restore,
    .varies = order_varies,
    .is_legal = wgmma_order_is_legal,
    .explain = wgmma_order_explain,
    .rule = RULE_WGMMA_WAIT,
};
