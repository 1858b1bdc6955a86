// SPDX-License-Identifier: MIT
// Family "copy": whole tensors, by the kernels of copy.cu. The result is what each CTA has in shared memory after its
// load, with the words of the barriers, or the memory around the tensor that is written.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "copy_case.h"
#include "family.h"
#include "feature.h"
#include "field.h"
#include "gpu_jobs.h"
#include "mbarrier.h"
#include "reduce.h"
#include "rules/bulk.h"
#include "rules/multicast.h"
#include "rules/reduce.h"
#include "rules/store.h"
#include "rules/tile.h"

static const char *const operation_names[] = {
    "load",   "store",           "add",   "min",    "max",        "multicast", "separate", "tiles", "ring",
    "stream", "stream_separate", "bytes", "vector", "vector_add", NULL};
static const char *const reduce_names[] = {"none", "add", "min", "max", NULL}; // then as enum reduce_op has them
static const char *const fill_names[] = {"pattern", "rows", NULL};

const char *copy_operation_name(uint32_t operation)
{
    return operation_names[operation];
}

// CTAs of a group: as many slices are given. At most 16 are read.
static uint32_t group_ctas(const void *test_case)
{
    const struct copy_case *c = test_case;
    uint64_t ctas = 1;
    for (int i = 0; i < 3; i++)
        if (c->along >> i & 1 && ctas <= COPY_GROUP) ctas *= c->cluster[i];
    return ctas <= COPY_GROUP ? (uint32_t)ctas : COPY_GROUP;
}

// --- The model -------------------------------------------------------------------------------------------------------

// The windows of the plan. Not all CTAs of a stream have as many tiles as the window has room for: all begin as zeros.
static void copy_windows(const void *test_case, struct result *result)
{
    static const char *const names[] = {"barriers", "tiles", "tensor"};
    struct copy_plan plan;
    if (copy_plan_of(test_case, &plan) != RULE_OK) return;
    const uint64_t size[] = {plan.words_bytes, plan.tiles_bytes, plan.tensor_bytes};
    for (int i = 0; i < 3; i++) {
        if (size[i] == 0) continue;
        result_align(result, RESULT_ALIGNMENT);
        result_window(result, names[i], i == 2 ? plan.base : 0, (uint32_t)size[i]);
    }
}

// The address of a window's bytes, or 0.
static uint64_t window_at(const struct result *result, const char *name, uint64_t shift)
{
    for (int i = 0; i < result->windows; i++)
        if (strcmp(result->window[i].name, name) == 0) return (uint64_t)(uintptr_t)result->window[i].bytes + shift;
    return 0;
}

static void copy_fill(const void *test_case, const struct result *result)
{
    struct copy_plan plan;
    uint8_t *tensor = (uint8_t *)(uintptr_t)window_at(result, "tensor", 0);
    for (int i = 0; i < result->windows; i++) memset(result->window[i].bytes, 0, result->window[i].size_bytes);
    if (tensor != NULL && copy_plan_of(test_case, &plan) == RULE_OK) copy_fill_tensor(test_case, &plan, tensor);
}

static enum rule run_plan(const struct copy_case *c, const struct copy_plan *plan)
{
    switch ((enum copy_operation)c->operation) {
    case COPY_LOAD:
    case COPY_MULTICAST:
    case COPY_SEPARATE:
        return copy_model_load(&plan->machine, &plan->job);
    case COPY_TILES:
    case COPY_RING:
        return copy_model_tiles(&plan->machine, &plan->job);
    case COPY_STREAM:
    case COPY_STREAM_SEPARATE:
        return copy_model_stream(&plan->machine, &plan->job);
    case COPY_BYTES:
        return copy_model_bytes(&plan->machine, &plan->flat);
    case COPY_VECTOR:
        return copy_model_vector(&plan->machine, &plan->flat);
    case COPY_VECTOR_ADD:
        return copy_model_vector_add(&plan->machine, &plan->flat);
    default:
        return copy_model_store(&plan->machine, &plan->job);
    }
}

static enum rule copy_run_model(const void *test_case, struct result *result)
{
    struct copy_plan plan;
    enum rule rule = copy_plan_of(test_case, &plan);
    if (rule != RULE_OK) return rule;
    struct memory destination = {(uint8_t *)(uintptr_t)window_at(result, "tensor", 0), plan.base, plan.tensor_bytes};
    plan.machine.source = arena();
    plan.machine.destination = &destination;
    plan.job.output = window_at(result, "tiles", 0);
    plan.job.words = window_at(result, "barriers", 0);
    return run_plan(test_case, &plan);
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

// What a launch takes: its maps and its job.
struct launch {
    struct tensormap_image map, to;
    struct copy_plan plan;
};

// The maps that the operation has. Returns the CUDA error of the encode.
static int encode(struct gpu *gpu, const struct copy_case *c, const struct map_args *map, const struct map_args *to,
                  struct launch *launch)
{
    int error = copy_is(c, COPY_TENSORS) ? map_args_call(&gpu->driver, map, &launch->map) : CUDA_SUCCESS;
    return error == CUDA_SUCCESS && copy_is(c, COPY_TWO) ? map_args_call(&gpu->driver, to, &launch->to) : error;
}

// `shift`: from addresses in results to those on the device. Returns the CUDA error of the encode.
static int prepare(struct gpu *gpu, const struct copy_case *c, const struct result *result, uint64_t shift,
                   struct launch *launch)
{
    struct copy_plan *plan = &launch->plan;
    uint64_t to_arena = gpu_arena(gpu) - ARENA_BASE, tensor = window_at(result, "tensor", shift) - plan->base;
    struct map_args map = c->map, to = copy_to_args(c);
    plan->job.output = window_at(result, "tiles", shift);
    plan->job.words = window_at(result, "barriers", shift);
    plan->flat.from += to_arena;
    plan->flat.to += tensor;
    map.address += copy_is(c, COPY_STORES) ? tensor : to_arena;
    to.address += tensor;
    return encode(gpu, c, &map, &to, launch);
}

static int start(struct gpu *gpu, const struct copy_case *c, struct launch *launch)
{
    struct copy_plan *plan = &launch->plan;
    void *one_map[] = {&launch->map, &plan->job}, *two_maps[] = {&launch->map, &launch->to, &plan->job};
    void *no_map[] = {&plan->flat};
    const struct copy_machine *machine = &plan->machine;
    return gpu_start(gpu, &(struct gpu_launch){.module = "copy",
                                               .kernel = plan->kernel,
                                               .grid = machine->grid[0],
                                               .grid_y = machine->grid[1],
                                               .grid_z = machine->grid[2],
                                               .block = plan->threads,
                                               .cluster = machine->cluster[0],
                                               .cluster_y = machine->cluster[1],
                                               .cluster_z = machine->cluster[2],
                                               .shared_bytes = machine->shared_bytes,
                                               .arguments = copy_is(c, COPY_TWO)       ? two_maps
                                                            : copy_is(c, COPY_TENSORS) ? one_map
                                                                                       : no_map});
}

static int start_case(struct gpu *gpu, const void *c, struct result *result, uint64_t shift)
{
    struct launch launch;
    if (copy_plan_of(c, &launch.plan) != RULE_OK) return CUDA_SUCCESS;
    int error = prepare(gpu, c, result, shift, &launch);
    return error == CUDA_SUCCESS ? start(gpu, c, &launch) : error;
}

static int copy_run_gpu(struct gpu *gpu, const void *test_cases, int count, struct result *results)
{
    const struct copy_case *c = test_cases;
    struct launch refused; // by the model: what the driver says
    for (int i = 0; i < count; i++) {
        const struct map_args to = copy_to_args(&c[i]);
        if (copy_plan_of(&c[i], &refused.plan) != RULE_OK)
            results[i].status = encode(gpu, &c[i], &c[i].map, &to, &refused);
    }
    return gpu_run_each(gpu, c, sizeof *c, count, results, start_case);
}

static int copy_feature(const void *test_case, struct feature *feature)
{
    static const enum feature_operation operations[COPY_OPERATIONS] = {
        [COPY_STORE] = FEATURE_STORE,
        [COPY_ADD] = (int)FEATURE_REDUCE + (int)REDUCE_ADD,
        [COPY_MIN] = (int)FEATURE_REDUCE + (int)REDUCE_MIN,
        [COPY_MAX] = (int)FEATURE_REDUCE + (int)REDUCE_MAX,
        [COPY_MULTICAST] = FEATURE_MULTICAST,
        [COPY_STREAM] = FEATURE_MULTICAST,
    };
    const struct copy_case *c = test_case;
    const int32_t origin[TENSORMAP_MAX_RANK] = {0};
    struct copy_plan plan;
    if (!copy_is(c, COPY_TENSORS) || copy_plan_of(c, &plan) != RULE_OK) return 0;
    *feature = feature_of(operations[c->operation], &plan.machine.map, origin, NULL);
    return 1;
}

static const char *map_illegal(const void *test_case)
{
    const struct copy_case *c = test_case;
    return c->map.rank >= 2 && c->map.rank <= COPY_MAX_RANK ? NULL : "the map has rank 2 or 3";
}

static int operation_of(const void *test_case)
{
    return 1 << ((const struct copy_case *)test_case)->operation;
}

#define CASE               struct copy_case
#define OF(bits, of_which) .is_there = operation_of, .only = bits, .where = of_which
static const struct field field[] = {
    FIELD_ONE_OF("op", operation, operation_names, "what is done"),
    FIELD_MAP_OF(map, "the map of the tensor", .illegal = map_illegal, OF(COPY_TENSORS, "operations on tensors")),
    FIELD_NUMBER("shared", shared, 0, UINT32_MAX, "shared address of the tile",
                 OF(COPY_TENSORS, "operations on tensors")),
    FIELD_NUMBER("from", from, 0, UINT64_MAX, "address of the source", OF(COPY_FLAT, "operations on bytes")),
    FIELD_NUMBER("to", to, 0, UINT64_MAX, "address of the destination",
                 OF(COPY_TWO | COPY_FLAT, "copies from tensor to tensor, and operations on bytes")),
    FIELD_NUMBER("size", size_bytes, 0, UINT64_MAX, "bytes", OF(COPY_FLAT, "operations on bytes")),
    FIELD_NUMBER("chunk", chunk_bytes, 0, UINT32_MAX, "bytes that a CTA copies",
                 OF(1 << COPY_BYTES, "the operation bytes")),
    FIELD_NUMBERS_AS("to_strides", to_strides, map.rank, 1, 0, UINT64_MAX, "bytes from step to step of the destination",
                     OF(COPY_TWO, "copies from tensor to tensor")),
    FIELD_ONE_OF("reduce", reduce, reduce_names, "the reduction; left out: a copy", .missing = FIELD_LEFT_OUT,
                 OF(COPY_TWO, "copies from tensor to tensor")),
    FIELD_ONE_OF("fill", fill, fill_names, "what the tile holds", OF(COPY_STORES, "stores")),
    FIELD_NUMBER("parts", parts, 0, COPY_GROUP, "CTAs that share a tile", OF(COPY_STORES, "stores")),
    FIELD_NUMBER("wait", is_waiting, 0, 1, "1: the copies are waited for", OF(COPY_STORES, "stores")),
    FIELD_NUMBERS("cut", cut, COPY_MAX_RANK, 0, UINT32_MAX, "tiles along each dimension",
                  OF(COPY_SHARED, "operations through shared memory")),
    FIELD_NUMBERS("cluster", cluster, 3, 0, UINT32_MAX, "CTAs of a cluster",
                  OF(COPY_SHARED, "operations through shared memory")),
    FIELD_NUMBER("along", along, 0, SLICE_XYZ, "axes of the cluster that share a tile",
                 OF(COPY_SHARED & ~COPY_STREAMS, "operations through shared memory but streams")),
    FIELD_NUMBERS_OF("slice", slice, group_ctas, 0, UINT32_MAX, "which slice each CTA loads",
                     OF(1 << COPY_MULTICAST, "the operation multicast")),
    FIELD_NUMBER("ctas", ctas, 0, UINT32_MAX, "CTAs of the grid", OF(COPY_STAGED, "pipelines")),
    FIELD_NUMBER("stages", stages, 0, COPY_STAGES, "stages of the ring", OF(COPY_STAGED, "pipelines")),
    FIELD_NUMBER("stagger", stagger, 0, UINT32_MAX, "clocks between the CTAs",
                 OF(1 << COPY_STREAM_SEPARATE, "the operation stream_separate")),
    FIELD_NUMBER("seed", seed, 0, UINT32_MAX, "what fills memory follows from it",
                 OF(COPY_WRITES, "operations that write")),
    FIELD_END,
};
#undef OF
#undef CASE

// --- In words --------------------------------------------------------------------------------------------------------

// Shared memory of a CTA: which box of its tile.
static enum rule explain_tile(const struct copy_case *c, const struct copy_plan *plan, uint32_t at, FILE *out)
{
    uint32_t pitch = copy_is(c, COPY_STREAMS) ? plan->job.tile_bytes : plan->job.dump_bytes, in_tile = at % pitch;
    uint32_t box = in_tile / plan->job.box_pitch_bytes, each = pitch;
    if (copy_is(c, COPY_STREAMS)) each *= (plan->job.count + c->ctas - 1) / c->ctas;
    fprintf(out, "    CTA %u, tile %u of it, byte 0x%x of the tile: ", at / each, at % each / pitch, in_tile);
    if (box >= plan->job.boxes)
        fprintf(out, "behind its last box\n");
    else
        fprintf(out, "box %u of %u\n", box, plan->job.boxes);
    return c->operation == COPY_MULTICAST || c->operation == COPY_STREAM ? RULE_MULTICAST_SLICE : RULE_TILE_ADDRESS;
}

// What decides an element of the tensor that is written.
static enum rule rule_of_element(const struct copy_case *c)
{
    uint32_t reduction = copy_reduction(c);
    if (reduction == 0) return RULE_STORE_LAYOUT;
    if (!dtype_row((enum dtype)c->map.data_type)->is_float) return RULE_REDUCE_INTEGER;
    return reduction == 1 + REDUCE_ADD ? RULE_REDUCE_FLOAT_ADD : RULE_REDUCE_HALF_MIN_MAX;
}

// Memory: which element of the tensor, or that it is none.
static enum rule explain_tensor(const struct copy_case *c, const struct copy_plan *plan, uint64_t address, FILE *out)
{
    const struct tensormap *map = copy_is(c, COPY_TWO) ? &plan->machine.to : &plan->machine.map;
    uint64_t index[COPY_MAX_RANK] = {0}, offset = address - (copy_is(c, COPY_TENSORS) ? map->address : c->to);
    fprintf(out, "    byte %" PRId64 " of what is written", (int64_t)offset);
    bool is_inside = copy_is(c, COPY_TENSORS) && (int64_t)offset >= 0;
    for (int i = map->rank - 1; i >= 0 && is_inside; i--) {
        index[i] = offset / map->stride[i];
        offset %= map->stride[i];
        is_inside = index[i] < map->dim[i];
    }
    if (is_inside) fprintf(out, ": element (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")", index[0], index[1], index[2]);
    fprintf(out, "\n");
    if (!copy_is(c, COPY_TENSORS)) return RULE_BULK_SIZE;
    return is_inside ? rule_of_element(c) : RULE_STORE_GRANULE;
}

enum rule copy_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct copy_case *c = test_case;
    struct copy_plan plan;
    if (copy_plan_of(c, &plan) != RULE_OK) return RULE_TILE_ADDRESS;
    if (strcmp(difference->expected->name, "tiles") == 0) return explain_tile(c, &plan, difference->at, out);
    if (strcmp(difference->expected->name, "barriers") != 0)
        return explain_tensor(c, &plan, plan.base + difference->at, out);
    fprintf(out, "    mbarrier of CTA %u: ", difference->at / 8);
    difference_print_barrier(difference, out);
    return RULE_MULTICAST_TX_BYTES;
}

const struct family family_copy = {
    FAMILY_CASES("copy", struct copy_case, field, .illegal = copy_complaint),
    .summary = "whole tensors, a tile for each CTA: load, store, reduce, multicast; copies from tensor to tensor",
    .cost = 10,
    .generate = copy_generate,
    .windows = copy_windows,
    .fill = copy_fill,
    .run_model = copy_run_model,
    .run_gpu = copy_run_gpu,
    .kernels = "copy",
    .explain = copy_explain,
    .feature = copy_feature,
};
