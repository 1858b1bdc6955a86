// SPDX-License-Identifier: MIT
// Family "misuse": one instruction with operands that may be wrong. The result is all that it could have changed: four
// barriers, its register, global memory of its own, a piece of shared memory, and a sum over the shared memory of each
// CTA. What the model says of a job is in misuse_model.c.
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "bulk.h"
#include "family.h"
#include "field.h"
#include "gpu_jobs.h"
#include "map_args.h"
#include "misuse_case.h"
#include "misuse_model.h"
#include "operand.h"
#include "rules/bulk.h"
#include "rules/global.h"
#include "rules/map.h"
#include "rules/mbarrier.h"
#include "rules/operand.h"
#include "rules/prefetch.h"
#include "rules/reduce.h"
#include "rules/shared.h"
#include "rules/store.h"
#include "rules/tile.h"

const char *const misuse_operation_names[] = {
#define NAME(id, name, operands) name,
    MISUSE_OPERATIONS(NAME)
#undef NAME
        NULL};
const char *const misuse_map_names[] = {
#define NAME(id, name) name,
    MISUSE_MAP_KINDS(NAME)
#undef NAME
        NULL};

unsigned misuse_operands(uint32_t operation)
{
    static const unsigned operands[] = {
#define OPERANDS(id, name, operands) operands,
        MISUSE_OPERATIONS(OPERANDS)
#undef OPERANDS
    };
    return operands[operation];
}

// --- JSON ------------------------------------------------------------------------------------------------------------

// How many bytes of its own memory a case may read or write at `global`.
static uint64_t own_bytes(const struct misuse_case *c)
{
    unsigned operands = misuse_operands(c->operation);
    if (operands & MISUSE_MAP) return 512;
    if (operands & MISUSE_SIZE) return bulk_moved_bytes(BULK_GLOBAL_TO_SHARED, c->size_bytes);
    return c->operation == MISUSE_COPY_MAP ? TENSORMAP_BYTES : sizeof(uint32_t);
}

// Does the case write what `global` names?
static bool is_writer(uint32_t operation)
{
    return operation == MISUSE_TILE_STORE || operation == MISUSE_TILE_REDUCE || operation == MISUSE_BULK_STORE ||
           operation == MISUSE_BULK_REDUCE || operation == MISUSE_COPY_MAP || operation == MISUSE_STORE_GLOBAL;
}

// How many bytes at `shared` a plain access reads or writes, or a load brings.
static uint32_t shared_bytes(const struct misuse_case *c)
{
    if (c->operation == MISUSE_TILE_LOAD) return MISUSE_TILE_BYTES;
    if (c->operation == MISUSE_BULK_LOAD) return bulk_moved_bytes(BULK_GLOBAL_TO_SHARED, c->size_bytes);
    return c->operation >= MISUSE_LOAD_SHARED && c->operation <= MISUSE_ATOMIC_SHARED ? sizeof(uint32_t) : 0;
}

// Does it touch one of the live barriers? What a plain access reads or loses there, and which word stays, is open.
static bool is_on_barrier(const struct misuse_case *c)
{
    uint64_t end = MISUSE_BARRIER_START + 8 * MISUSE_BARRIERS, bytes = shared_bytes(c);
    return bytes > 0 && c->shared < end && c->shared + bytes > MISUSE_BARRIER_START;
}

// NULL, or what makes a case one that would harm others, or whose result is open.
static const char *illegal(const void *test_case)
{
    const struct misuse_case *c = test_case;
    unsigned operands = misuse_operands(c->operation);
    uint64_t to = c->global, end = ARENA_BASE + ARENA_BYTES;
    bool is_load = c->operation == MISUSE_TILE_LOAD || c->operation == MISUSE_BULK_LOAD;
    if (c->cluster && c->shared >> 24 != 0 && (is_load || c->operation == MISUSE_BULK_SHARED))
        return "\"shared\" is in another CTA";
    if (c->cluster && c->operation == MISUSE_EXPECT_SHARED && c->barrier >> 24 == 1)
        return "\"barrier\" is in another CTA";
    if (is_on_barrier(c)) return "\"shared\" is a live barrier";
    if ((operands & MISUSE_CLUSTER) && !c->cluster) return "this \"operation\" needs a \"cluster\"";
    if (to >= MISUSE_OWN && to < MISUSE_OWN + MISUSE_GLOBAL_BYTES &&
        own_bytes(c) > MISUSE_OWN + MISUSE_GLOBAL_BYTES - to)
        return "what \"global\" names ends in the case's own memory (2^45 to 2^45 + 1024)";
    if (is_writer(c->operation) && to >= ARENA_BASE && to < end && own_bytes(c) <= end - to)
        return "\"global\" is written, and others read the arena";
    return NULL;
}

// --- A case as a job -------------------------------------------------------------------------------------------------

// The map of a case with its tensor at `address`.
static void make_map(const struct misuse_case *c, uint64_t address, uint64_t *map)
{
    static const uint32_t ranks[] = {1, 2, 3, 3, 2};
    struct map_args args = {.function = c->map == MISUSE_MAP_COLUMN ? MAP_IM2COL : MAP_TILED,
                            .data_type = DTYPE_UINT32,
                            .rank = ranks[c->map],
                            .address = address,
                            .dim = {32, 4, 2},
                            .strides = {128, 256},
                            .box = {32, 2, 1},
                            .estride = {1, 1, 1},
                            .channels = 8,
                            .pixels = 4};
    struct tensormap_image image = {{0}};
    if (c->map == MISUSE_MAP_HUGE) args.dim[1] = (uint64_t)1 << 32;
    if (args.rank < 3) args.dim[2] = args.strides[1] = args.box[2] = args.estride[2] = 0;
    if (args.rank < 2) args.dim[1] = args.strides[0] = args.box[1] = args.estride[1] = 0;
    if (args.function == MAP_IM2COL) memset(args.box, 0, sizeof args.box);
    map_args_encode(&args, &image, NULL); // a refusal leaves zeros, which are no map
    memcpy(map, image.word, sizeof image.word);
}

// A global address of a case where its own memory is at `own`, the arena `shift` bytes further, its map at `map`.
static uint64_t place(uint64_t address, uint64_t own, uint64_t shift, uint64_t map)
{
    const uint64_t margin = MISUSE_ARENA_MARGIN_BYTES;
    if (address - MISUSE_OWN < MISUSE_GLOBAL_BYTES) return own + (address - MISUSE_OWN);
    if (address - MISUSE_WINDOW < MISUSE_WINDOW_BYTES) return address - MISUSE_WINDOW;
    if (address - MISUSE_MAPS < MISUSE_MAPS_BYTES) return map + (address - MISUSE_MAPS);
    return address - (ARENA_BASE - margin) < ARENA_BYTES + 2 * margin ? address + shift : address;
}

_Static_assert(sizeof(struct misuse_job) % 64 == 0, "the map of every job in an array is aligned");

static struct misuse_job job_of(const struct misuse_case *c, uint64_t own, uint64_t shift, uint64_t map)
{
    unsigned operands = misuse_operands(c->operation);
    struct misuse_job job = {.global = place(c->global, own, shift, map),
                             .pointer = place(c->pointer, own, shift, map),
                             .policy = c->policy,
                             .coord = {c->coord[0], c->coord[1], c->coord[2]},
                             .operation = c->operation,
                             .dims = c->dims,
                             .has_hint = c->has_hint,
                             .shared = c->shared,
                             .other = c->other,
                             .barrier = c->barrier,
                             .size_bytes = c->size_bytes,
                             .offset = c->offset,
                             .seed = c->seed,
                             .is_cluster = c->cluster};
    uint32_t dropped = c->barrier % (1u << 18);
    if (c->global - MISUSE_WINDOW < MISUSE_WINDOW_BYTES) job.is_window |= MISUSE_GLOBAL;
    if (c->pointer - MISUSE_WINDOW < MISUSE_WINDOW_BYTES) job.is_window |= MISUSE_POINTER;
    if (job.is_window & MISUSE_GLOBAL) dropped = (uint32_t)job.global;
    if (dropped % 8 == 0 && dropped >= MISUSE_SHARED_START && dropped <= MISUSE_SHARED_END - 8) job.dropped = dropped;
    if (operands & MISUSE_MAP) make_map(c, job.global, job.map);
    return job;
}

// --- The result ------------------------------------------------------------------------------------------------------

// A struct misuse_output.
static void misuse_windows(const void *test_case, struct result *result)
{
    (void)test_case;
    result_window(result, "state", 0, offsetof(struct misuse_output, shared));
    result_window(result, "shared", MISUSE_DUMP_START, MISUSE_DUMP_BYTES);
    result_window(result, "global", MISUSE_OWN, MISUSE_GLOBAL_BYTES);
}

static enum rule misuse_run_model(const void *test_case, struct result *result)
{
    _Alignas(16) uint8_t cta[MISUSE_SHARED_BYTES] = {0}, own[MISUSE_GLOBAL_BYTES] = {0};
    const struct misuse_case *c = test_case;
    struct misuse_job job = job_of(c, MISUSE_OWN, 0, MISUSE_MAPS);
    struct misuse_memory memory = {.shared = {cta, MISUSE_SHARED_START, sizeof cta},
                                   .own = {own, MISUSE_OWN, sizeof own},
                                   .arena = arena(),
                                   .maps = MISUSE_MAPS};
    struct misuse_output output;
    uint64_t value;
    misuse_prepare(&job, &memory);
    enum rule rule = misuse_run(&job, &memory, &value);
    if (rule != RULE_OK) return rule;
    misuse_dump(&job, &memory, &output);
    output.value = value;
    memcpy(result->first_bytes, &output, sizeof output);
    return RULE_OK;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

static int make_job(const struct gpu_place *place, void *to)
{
    struct misuse_job *job = to;
    *job = job_of(place->test_case, place->output + place->offset + offsetof(struct misuse_output, global),
                  gpu_arena(place->gpu) - ARENA_BASE, place->job);
    job->output = place->offset;
    return CUDA_SUCCESS;
}

static uint32_t group_of(const void *test_case)
{
    return 2 * ((const struct misuse_case *)test_case)->cluster;
}

static const struct gpu_jobs jobs = {GPU_JOBS_OF("misuse", struct misuse_case, struct misuse_job),
                                     .block = MISUSE_THREADS,
                                     .shared_bytes = MISUSE_SHARED_BYTES,
                                     .per_processor = 8,
                                     .make = make_job,
                                     .groups = 3,
                                     .group = group_of,
                                     .are_clusters = true};

// A prefetch of a map that is not there kills the next kernel, not its own: another one looks for that.
static int misuse_run_gpu(struct gpu *gpu, const void *test_cases, int count, struct result *results)
{
    const struct misuse_job look = {.operation = MISUSE_LOAD_SHARED, .shared = MISUSE_DUMP_START};
    const struct misuse_case *cases = test_cases;
    unsigned long long at = 0, output = 0;
    bool late = 0;
    int one = 1, error = gpu_run_jobs(gpu, &jobs, cases, count, results);
    void *arguments[] = {&at, &one, &output};
    struct gpu_launch launch = {.module = "misuse",
                                .kernel = "misuse_jobs",
                                .grid = 1,
                                .block = MISUSE_THREADS,
                                .shared_bytes = MISUSE_SHARED_BYTES,
                                .jobs = &one,
                                .arguments = arguments};
    for (int i = 0; i < count; i++) late |= cases[i].operation == MISUSE_PREFETCH_MAP;
    if (error != CUDA_SUCCESS || !late) return error;
    at = gpu->buffer[GPU_JOBS_BUFFER].address;
    output = gpu->buffer[GPU_OUTPUT_BUFFER].address;
    error = (int)gpu->driver.cuMemcpyHtoD_v2(at, &look, sizeof look);
    return error == CUDA_SUCCESS ? gpu_launch(gpu, &launch) : error;
}

static int operands_of(const void *test_case)
{
    return (int)misuse_operands(((const struct misuse_case *)test_case)->operation);
}

#define CASE           struct misuse_case
#define OPERAND(which) .is_there = operands_of, .only = which, .where = "an operation with this operand"
static const struct field field[] = {
    FIELD_ONE_OF("operation", operation, misuse_operation_names, "the instruction"),
    FIELD_NUMBER("cluster", cluster, 0, 1, "1: a cluster of two CTAs"),
    FIELD_NUMBER("shared", shared, 0, UINT32_MAX, "shared address", OPERAND(MISUSE_SHARED)),
    FIELD_NUMBER("other", other, 0, UINT32_MAX, "second shared address", OPERAND(MISUSE_OTHER)),
    FIELD_NUMBER("barrier", barrier, 0, UINT32_MAX, "address of the mbarrier", OPERAND(MISUSE_BARRIER)),
    FIELD_NUMBER("global", global, 0, UINT64_MAX, "global address", OPERAND(MISUSE_GLOBAL | MISUSE_MAP)),
    FIELD_NUMBER("size", size_bytes, 0, UINT32_MAX, "bytes", OPERAND(MISUSE_SIZE)),
    FIELD_NUMBER("pointer", pointer, 0, UINT64_MAX, "generic address", OPERAND(MISUSE_POINTER)),
    FIELD_ONE_OF("map", map, misuse_map_names, "the tensor map", OPERAND(MISUSE_MAP)),
    FIELD_NUMBER("dims", dims, 0, 3, "the .Nd of the instruction", OPERAND(MISUSE_MAP)),
    FIELD_NUMBERS_SIGNED("tensorCoords", coord, 3, "coordinates", OPERAND(MISUSE_MAP)),
    FIELD_NUMBER("offset", offset, 0, UINT16_MAX, "im2col offset", OPERAND(MISUSE_MAP)),
    FIELD_NUMBER("policy", policy, 0, UINT64_MAX, "cache policy; absent: none is given", OPERAND(MISUSE_HINT),
                 .presence_at = offsetof(CASE, has_hint)),
    FIELD_SEED,
    FIELD_END,
};
#undef OPERAND
#undef CASE

// --- In words --------------------------------------------------------------------------------------------------------

// What the word at `at` of the window "state" is.
static const char *state_name(uint32_t at)
{
    if (at < offsetof(struct misuse_output, sum)) return "word of barrier";
    if (at < offsetof(struct misuse_output, value)) return "sum over the shared memory of CTA";
    return "register";
}

static const enum rule rules[MISUSE_COUNT] = {
    [MISUSE_TILE_LOAD] = RULE_TILE_ADDRESS,
    [MISUSE_TILE_STORE] = RULE_STORE_LAYOUT,
    [MISUSE_TILE_REDUCE] = RULE_REDUCE_INTEGER,
    [MISUSE_BULK_LOAD] = RULE_BULK_SIZE,
    [MISUSE_BULK_STORE] = RULE_BULK_SIZE,
    [MISUSE_BULK_REDUCE] = RULE_BULK_SIZE,
    [MISUSE_BULK_SHARED] = RULE_BULK_SIZE,
    [MISUSE_PREFETCH_BULK] = RULE_PREFETCH_NO_EFFECT,
    [MISUSE_PREFETCH_TILE] = RULE_PREFETCH_NO_EFFECT,
    [MISUSE_PREFETCH_IM2COL] = RULE_PREFETCH_NO_EFFECT,
    [MISUSE_PREFETCH_MAP] = RULE_PREFETCH_NO_EFFECT,
    [MISUSE_ACQUIRE_MAP] = RULE_MAP_LOCATION_WAYS,
    [MISUSE_COPY_MAP] = RULE_MAP_LOCATION_WAYS,
    [MISUSE_LOAD_SHARED] = RULE_SHARED_ACCESS_WINDOW,
    [MISUSE_STORE_SHARED] = RULE_SHARED_ACCESS_WINDOW,
    [MISUSE_ATOMIC_SHARED] = RULE_SHARED_ACCESS_WINDOW,
    [MISUSE_ARRIVE_SHARED] = RULE_MBARRIER_PHASE,
    [MISUSE_INIT_SHARED] = RULE_MBARRIER_INIT,
    [MISUSE_TEST_SHARED] = RULE_MBARRIER_WAIT_PARITY,
    [MISUSE_EXPECT_SHARED] = RULE_MBARRIER_PHASE,
    [MISUSE_ARRIVE_GENERIC] = RULE_MBARRIER_GENERIC_SPACE,
    [MISUSE_LOAD_GLOBAL] = RULE_GLOBAL_ACCESS_ALIGN,
    [MISUSE_STORE_GLOBAL] = RULE_GLOBAL_ACCESS_ALIGN,
};

static enum rule rule_of(const struct misuse_case *c)
{
    const unsigned operands = misuse_operands(c->operation);
    const bool is_copy = c->operation <= MISUSE_BULK_SHARED;
    if (is_copy && (operands & MISUSE_BARRIER) != 0 && operand_is_nowhere(c->barrier))
        return RULE_OPERAND_BARRIER_NOWHERE;
    return is_copy && operand_is_nowhere(c->shared) ? RULE_OPERAND_NOWHERE : rules[c->operation];
}

enum rule misuse_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct misuse_case *c = test_case;
    struct difference_units words = difference_units(difference, 8);
    uint32_t at = difference->at / 8 * 8;
    if (strcmp(difference->expected->name, "state") != 0)
        fprintf(out, "    %s 0x%" PRIx64 ":", difference->expected->name, difference->expected->base + at);
    else if (at >= offsetof(struct misuse_output, value))
        fprintf(out, "    %s:", state_name(at));
    else
        fprintf(out, "    %s %u:", state_name(at), at / 8 % MISUSE_BARRIERS % (at < 32 ? 4 : 2));
    fprintf(out, " 0x%016" PRIx64 " expected, 0x%016" PRIx64 " found\n", words.expected, words.found);
    fprintf(out, "    %s, shared 0x%x, barrier 0x%x, global 0x%" PRIx64 "\n", misuse_operation_names[c->operation],
            c->shared, c->barrier, c->global);
    return rule_of(c);
}

const struct family family_misuse = {
    FAMILY_CASES("misuse", struct misuse_case, field, .illegal = illegal),
    .summary =
        "one instruction with operands that may be wrong: addresses, maps, policies; what faults, what is silent",
    .generate = misuse_generate,
    .windows = misuse_windows,
    .run_model = misuse_run_model,
    .run_gpu = misuse_run_gpu,
    .kernels = "misuse",
    .explain = misuse_explain,
};
