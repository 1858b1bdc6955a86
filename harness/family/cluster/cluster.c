// SPDX-License-Identifier: MIT
// The family "cluster": launches with and without clusters, and programs that the CTAs of one cluster run on each
// other's shared memory. The two kinds of case are in cluster_launch.c and cluster_program.c.
#include <string.h>

#include "arena.h"
#include "cluster_case.h"
#include "cuda_abi.h"
#include "field.h"

// --- The fields ------------------------------------------------------------------------------------------------------

static const struct cluster_step *step_of(const void *step)
{
    return step;
}

static int is_ring(const void *step)
{
    return step_of(step)->opcode < CLUSTER_OP_MULTICAST;
}

static int has_target(const void *step)
{
    return !is_ring(step) || (step_of(step)->target & CLUSTER_RING) == 0;
}

static int has_function(const void *step)
{
    return cluster_is(step_of(step)->opcode, CLUSTER_WITH_FUNCTION);
}

static const char *step_illegal(const void *test_case, uint32_t i)
{
    const struct cluster_program_case *c = &((const struct cluster_case *)test_case)->program;
    const char *illegal = cluster_step_illegal(c->step, (int)i, c->count, c->ctas);
    if (illegal == NULL && c->step[i].opcode == CLUSTER_OP_MULTICAST &&
        c->step[i].operand > ARENA_BYTES - CLUSTER_DATA_BYTES)
        return "operand is an offset in the arena, below 2^25 - 128";
    return illegal;
}

#define CASE struct cluster_step
#define LEFT_OUT(json_key, member, most_number, ...)                                                                   \
    FIELD_NUMBER(json_key, member, 0, most_number, __VA_ARGS__, .missing = FIELD_LEFT_OUT)
static const struct field step_field[] = {
    FIELD_NAMED("op", opcode, cluster_opcode_name, CLUSTER_OPS - 1, "the operation"),
    FIELD_NUMBER("issuers", issuers, 0, UINT32_MAX, "a bit for each CTA that does it", .missing = FIELD_SUPPLIED),
    FIELD_NUMBER("ring", target, 0, CLUSTER_CTAS - 1, "each issuer's target is so many ranks further on",
                 .is_there = is_ring, .flag = CLUSTER_RING, .where = "operations but multicast and what follows it"),
    LEFT_OUT("target", target, UINT32_MAX, "rank of the target; of multicast a bit for each", .is_there = has_target,
             .where = "steps without `ring`"),
    FIELD_NAMED("function", function, cluster_function_name, ATOMIC_FUNCTION_COUNT - 1, "what red or atom does",
                .is_there = has_function, .where = "red, atom and red.async"),
    LEFT_OUT("size", size_bytes, UINT32_MAX, "bytes"),
    LEFT_OUT("offset", offset_bytes, UINT32_MAX, "bytes from the start of the target's data"),
    LEFT_OUT("barrier", barrier, UINT32_MAX, "which barrier of the target"),
    LEFT_OUT("skew", skew_bytes, UINT32_MAX, "bytes added to the barrier's address"),
    LEFT_OUT("operand", operand, UINT64_MAX, "value, count or bytes; of multicast where the source is in the arena"),
    LEFT_OUT("compare", compare, UINT64_MAX, "what cas compares with"),
    FIELD_NAMED("meeting", meeting, cluster_meeting_name, CLUSTER_MEETING_COUNT - 1, "how the CTAs meet afterwards",
                .missing = FIELD_LEFT_OUT),
    FIELD_END,
};
#undef LEFT_OUT
#undef CASE

static const struct fields step_fields = {.name = "a step", .field = step_field, .bytes = sizeof(struct cluster_step)};

static int is_program(const void *test_case)
{
    return (int)((const struct cluster_case *)test_case)->is_program;
}

static int is_launch(const void *test_case)
{
    return !is_program(test_case);
}

static void finish(void *test_case)
{
    struct cluster_launch_case *c = &((struct cluster_case *)test_case)->launch;
    if (is_launch(test_case)) cluster_compiled(c->kernel, &c->launch);
}

static const char *ctas_illegal(const void *test_case)
{
    const struct cluster_program_case *c = &((const struct cluster_case *)test_case)->program;
    return c->no_cluster && c->ctas != 1 ? "\"ctas\" is 1 without a cluster" : NULL;
}

static const char *illegal(const void *test_case)
{
    return is_program(test_case) ? NULL : cluster_launch_illegal(&((const struct cluster_case *)test_case)->launch);
}

#define CASE    struct cluster_case
#define LAUNCH  .is_there = is_launch, .where = "launches"
#define PROGRAM .is_there = is_program, .where = "programs"
static const struct field field[] = {
    FIELD_NAMED("kernel", launch.kernel, cluster_kernel_name, CLUSTER_KERNELS - 1, "the kernel", LAUNCH),
    FIELD_NUMBERS("grid", launch.launch.grid, 3, 0, UINT32_MAX, "CTAs of the grid", LAUNCH),
    FIELD_NUMBERS("block", launch.launch.block, 3, 0, UINT32_MAX, "threads of a CTA", LAUNCH),
    FIELD_NUMBERS("cluster", launch.launch.cluster, 3, 0, UINT32_MAX, "the cluster attribute", LAUNCH,
                  .presence_at = offsetof(CASE, launch.launch.has_cluster)),
    FIELD_NUMBER("nonPortable", launch.launch.non_portable, 0, 1, "1: more than 8 CTAs are allowed", LAUNCH,
                 .missing = FIELD_LEFT_OUT),
    FIELD_NUMBER("shared", launch.launch.shared_bytes, 0, UINT32_MAX, "bytes of dynamic shared memory", LAUNCH),
    FIELD_NUMBER("allowShared", launch.launch.allowed_shared_bytes, 0, UINT32_MAX, "bytes that are allowed", LAUNCH,
                 .presence_at = offsetof(CASE, launch.launch.allows_shared)),
    FIELD_NUMBER("address", launch.question.address, 0, UINT32_MAX, "a shared address that is asked about", LAUNCH),
    FIELD_NUMBER("rank", launch.question.rank, 0, UINT32_MAX, "the rank for mapa", LAUNCH),
    FIELD_NUMBER("offset", launch.question.offset, 0, UINT64_MAX, "an offset in the generic window", LAUNCH),
    FIELD_NUMBER("ctas", program.ctas, 1, CLUSTER_CTAS, "CTAs of the cluster", PROGRAM),
    FIELD_NUMBER("noCluster", program.no_cluster, 0, 1, "1: a launch without the cluster attribute", PROGRAM,
                 .missing = FIELD_LEFT_OUT, .illegal = ctas_illegal),
    FIELD_SEED_AT(program.seed, PROGRAM),
    FIELD_LIST_OF("steps", program.step, program.count, &step_fields, 1, CLUSTER_MAX_STEPS,
                  "the steps in order: there in programs alone", .presence_at = offsetof(CASE, is_program),
                  .illegal_each = step_illegal),
    FIELD_END,
};
#undef PROGRAM
#undef LAUNCH
#undef CASE

// --- Both kinds ------------------------------------------------------------------------------------------------------

static void cluster_windows(const void *test_case, struct result *result)
{
    const struct cluster_case *c = test_case;
    if (c->is_program)
        cluster_program_windows(&c->program, result);
    else
        cluster_launch_windows(&c->launch, result);
}

static void cluster_fill(const void *test_case, const struct result *result)
{
    const struct cluster_case *c = test_case;
    if (c->is_program)
        cluster_program_fill(&c->program, result);
    else
        for (int i = 0; i < result->windows; i++) memset(result->window[i].bytes, 0, result->window[i].size_bytes);
}

static enum rule cluster_run_model(const void *test_case, struct result *result)
{
    const struct cluster_case *c = test_case;
    return c->is_program ? cluster_program_model(&c->program, result) : cluster_launch_model(&c->launch, result);
}

static int cluster_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    int error = cluster_launch_gpu(gpu, cases, count, results);
    return error != CUDA_SUCCESS ? error : cluster_program_gpu(gpu, cases, count, results);
}

enum rule cluster_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct cluster_case *c = test_case;
    return c->is_program ? cluster_program_explain(&c->program, difference, out)
                         : cluster_launch_explain(difference, out);
}

// PTX has no rank from 32 on; an H200 takes that of a copy modulo 32, and its kernel waits for nothing there.
static bool is_past_ranks(const struct cluster_step *step)
{
    return step->opcode == CLUSTER_OP_BULK && (step->target & CLUSTER_RING) == 0 && step->target >= 32;
}

static enum family_ground cluster_ground(const void *test_case)
{
    const struct cluster_case *c = test_case;
    for (int i = 0; c->is_program && i < c->program.count; i++)
        if (is_past_ranks(&c->program.step[i])) return GROUND_H200;
    return GROUND_PTX;
}

const struct family family_cluster = {
    FAMILY_CASES("cluster", struct cluster_case, field, .illegal = illegal, .finish = finish),
    .summary = "launches with clusters, ranks and addresses; programs on the shared memory of other CTAs",
    .generate = cluster_generate,
    .windows = cluster_windows,
    .fill = cluster_fill,
    .run_model = cluster_run_model,
    .run_gpu = cluster_run_gpu,
    .kernels = "cluster",
    .ground = cluster_ground,
    .explain = cluster_explain,
};
