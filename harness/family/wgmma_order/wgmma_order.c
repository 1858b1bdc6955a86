// SPDX-License-Identifier: MIT
// Family "wgmma_order": four wgmma-groups in flight and shared memory that is overwritten after a wait, or one with a
// fence, commit or wait left out. The result is D of all groups; where no wait covers what is overwritten, it may vary.
#include <string.h>

#include "descriptor.h"
#include "family.h"
#include "field.h"
#include "gpu_jobs.h"
#include "memory.h"
#include "wgmma.h"
#include "wgmma_order_case.h"

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

// --- The model -------------------------------------------------------------------------------------------------------

// D as a machine leaves it that does one instruction after the other.

// D = A * B + D of one group.
static void multiply(const struct memory *shared, uint32_t group, uint32_t *d)
{
    static const struct wgmma instruction = {.types = WGMMA_F32_F16_F16, .n = 8};
    const struct wgmma_descriptor a = {.start_bytes = WGMMA_ORDER_SHARED_START + group * WGMMA_ORDER_A_BYTES,
                                       .leading_bytes = WGMMA_ORDER_CORE_BYTES,
                                       .stride_bytes = 2 * WGMMA_ORDER_CORE_BYTES};
    struct wgmma_descriptor b = a;
    b.start_bytes = WGMMA_ORDER_B_START + group * WGMMA_ORDER_B_BYTES;
    const struct wgmma_operands operands = {
        .descriptor = {wgmma_descriptor_pack(&a), wgmma_descriptor_pack(&b)}, .shared = shared, .scale_d = 1};
    wgmma_execute(&instruction, &operands, d, NULL);
}

static float small_of(uint32_t seed, uint32_t index)
{
    return (float)(seed >> 8 * index & 7);
}

// What a program without mistakes leaves: the assembler puts in what is left out.
static void omit(uint32_t seed, const struct memory *shared, uint32_t *d)
{
    float value[WGMMA_ORDER_REGISTERS];
    for (uint32_t i = 0; i < WGMMA_ORDER_REGISTERS * WGMMA_ORDER_THREADS; i++) {
        value[0] = small_of(seed, i / WGMMA_ORDER_THREADS);
        memcpy(&d[i], value, sizeof *d);
    }
    multiply(shared, 0, d);
    for (uint32_t i = 0; i < WGMMA_ORDER_REGISTERS * WGMMA_ORDER_THREADS; i++) {
        memcpy(value, &d[i], sizeof *d);
        value[0] += 1;
        memcpy(&d[i], value, sizeof *d);
    }
    multiply(shared, 0, d);
    multiply(shared, 1, d);
}

static void compute(uint32_t kind, uint32_t seed, uint32_t *d)
{
    uint8_t bytes[WGMMA_ORDER_SHARED_BYTES];
    const struct memory shared = {bytes, WGMMA_ORDER_SHARED_START, sizeof bytes};
    for (uint32_t at = 0; at < sizeof bytes; at += 8)
        put_u64(bytes + at, wgmma_order_word(seed, WGMMA_ORDER_SHARED_START + at, 0));
    memset(d, 0, WGMMA_ORDER_OUTPUT_WORDS * sizeof *d);
    if (kind == WGMMA_ORDER_OMIT) omit(seed, &shared, d);
    for (uint32_t group = 0; kind == WGMMA_ORDER_OVERWRITE && group < WGMMA_ORDER_GROUPS; group++)
        multiply(&shared, group, d + group * WGMMA_ORDER_REGISTERS * WGMMA_ORDER_THREADS);
}

static void order_windows(const void *test_case, struct result *result)
{
    (void)test_case;
    result_window(result, "d", 0, WGMMA_ORDER_OUTPUT_WORDS * 4);
}

static enum rule order_run_model(const void *test_case, struct result *result)
{
    const struct wgmma_order_case *c = test_case;
    uint32_t d[WGMMA_ORDER_OUTPUT_WORDS];
    compute(c->kind, c->seed, d);
    memcpy(result->window[0].bytes, d, sizeof d);
    return RULE_OK;
}

static int order_varies(const void *test_case)
{
    return wgmma_order_open_warps(test_case) != 0;
}

// The assembler puts in what is left out.
static enum family_ground order_ground(const void *test_case)
{
    const struct wgmma_order_case *c = test_case;
    return c->kind == WGMMA_ORDER_OMIT && c->omission != WGMMA_ORDER_OMIT_NOTHING ? GROUND_H200 : GROUND_PTX;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

#define KERNEL(id, name, fence, commit, wait) "wgmma_order_omit_" #id,
static const char *const kernels[] = {"wgmma_order_0_0",  "wgmma_order_1_0",  "wgmma_order_2_0",
                                      "wgmma_order_3_0",  "wgmma_order_0_64", "wgmma_order_1_64",
                                      "wgmma_order_2_64", "wgmma_order_3_64", WGMMA_ORDER_OMISSIONS(KERNEL)};
#undef KERNEL
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static uint32_t kernel_of(const void *test_case)
{
    const struct wgmma_order_case *c = test_case;
    return c->kind == WGMMA_ORDER_OMIT ? 2 * WGMMA_ORDER_GROUPS + c->omission
                                       : c->load * WGMMA_ORDER_GROUPS + c->newest;
}

static int make_job(const struct gpu_place *place, void *to)
{
    const struct wgmma_order_case *c = place->test_case;
    *(struct wgmma_order_job *)to = (struct wgmma_order_job){.output = place->offset / 4,
                                                             .kind = c->kind,
                                                             .newest = c->newest,
                                                             .victim = c->victim,
                                                             .target = c->target,
                                                             .omission = c->omission,
                                                             .load = c->load,
                                                             .seed = c->seed};
    return CUDA_SUCCESS;
}

static int shape(struct gpu *gpu, uint32_t group, struct gpu_launch *launch, struct gpu_arguments *arguments)
{
    (void)gpu, (void)arguments;
    launch->kernel = kernels[group];
    return CUDA_SUCCESS;
}

static const struct gpu_jobs jobs = {.module = "wgmma_order",
                                     .case_bytes = sizeof(struct wgmma_order_case),
                                     .job_bytes = sizeof(struct wgmma_order_job),
                                     .block = WGMMA_ORDER_THREADS,
                                     .shared_bytes = WGMMA_ORDER_SHARED_BYTES,
                                     .per_processor = 8,
                                     .make = make_job,
                                     .groups = KERNELS,
                                     .group = kernel_of,
                                     .shape = shape};

static int kind_of(const void *test_case)
{
    return 1 << ((const struct wgmma_order_case *)test_case)->kind;
}

#define CASE      struct wgmma_order_case
#define OVERWRITE .is_there = kind_of, .only = 1 << WGMMA_ORDER_OVERWRITE, .where = "the other kinds"
static const struct field field[] = {
    FIELD_ONE_OF("kind", kind, kind_names, "what is tried",
                 DRAWN({80, JUST(WGMMA_ORDER_OVERWRITE)}, {20, JUST(WGMMA_ORDER_OMIT)})),
    FIELD_ONE_OF("omission", omission, omission_names, "what is left out", .is_there = kind_of,
                 .only = 1 << WGMMA_ORDER_OMIT, .where = "the kind omit"),
    FIELD_NUMBER("newest", newest, 0, WGMMA_ORDER_GROUPS - 1, "groups that wait_group leaves", OVERWRITE),
    FIELD_NUMBER("victim", victim, 0, WGMMA_ORDER_GROUPS - 1, "the group whose operands are overwritten", OVERWRITE),
    FIELD_ONE_OF("target", target, target_names, "which operand", OVERWRITE),
    FIELD_NUMBER("load", load, 0, 1, "1: by a bulk copy", OVERWRITE),
    FIELD_SEED,
    FIELD_END,
};
#undef OVERWRITE
#undef CASE

const struct family family_wgmma_order = {
    FAMILY_CASES("wgmma_order", struct wgmma_order_case, field),
    .summary = "wgmma.fence, commit_group, wait_group: operands overwritten after a wait, instructions left out; D",
    .cost = 50,
    .windows = order_windows,
    .run_model = order_run_model,
    .jobs = &jobs,
    .kernels = "wgmma_order",
    .describe = wgmma_order_describe,
    .restore = wgmma_order_restore,
    .varies = order_varies,
    .is_legal = wgmma_order_is_legal,
    .ground = order_ground,
    .explain = wgmma_order_explain,
};
