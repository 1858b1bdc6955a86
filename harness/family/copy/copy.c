// SPDX-License-Identifier: MIT
// Family "copy": whole tensors, by the kernels of copy.cu. The result is what each CTA has in shared memory after its
// load, with the words of the barriers, or the memory around the tensor that is written.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "copy_case.h"
#include "family.h"
#include "feature.h"
#include "gpu.h"
#include "json.h"
#include "reduce.h"

enum { ALIGN_BYTES = 256, WINDOWS = 2 };

static const char *const operation_names[] = {
    "load",   "store",           "add",   "min",    "max",        "multicast", "separate", "tiles", "ring",
    "stream", "stream_separate", "bytes", "vector", "vector_add", NULL};
static const char *const reduce_names[] = {"add", "min", "max", NULL}; // as enum reduce_op has them
static const char *const fill_names[] = {"pattern", "rows", NULL};

const char *copy_operation_name(uint32_t operation)
{
    return operation_names[operation];
}

static int is_store(const struct copy_case *c)
{
    return c->operation >= COPY_STORE && c->operation <= COPY_MAX;
}

static int has_stages(const struct copy_case *c)
{
    return c->operation == COPY_RING || copy_is_stream(c);
}

// CTAs of a group: as many slices are given. At most 16 are read.
static int group_ctas(const struct copy_case *c)
{
    uint64_t ctas = 1;
    for (int i = 0; i < 3; i++)
        if (c->along >> i & 1 && ctas <= COPY_GROUP) ctas *= c->cluster[i];
    return ctas <= COPY_GROUP ? (int)ctas : COPY_GROUP;
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static void write_tensor(const struct copy_case *c, json_t *json)
{
    json_object_set_new(json, "map", map_args_write(&c->map));
    json_object_set_new(json, "shared", json_u64(c->shared));
    if (copy_has_two(c)) {
        json_object_set_new(json, "to", json_u64(c->to));
        json_object_set_new(json, "to_strides", json_u64s(c->to_strides, (int)c->map.rank - 1));
        if (c->reduce > 0) json_object_set_new(json, "reduce", json_string(reduce_names[c->reduce - 1]));
    }
    if (is_store(c)) {
        json_object_set_new(json, "fill", json_string(fill_names[c->fill]));
        json_object_set_new(json, "parts", json_u64(c->parts));
        json_object_set_new(json, "wait", json_u64(c->is_waiting));
    }
    if (!copy_is_shared(c)) return;
    json_object_set_new(json, "cut", json_u32s(c->cut, COPY_MAX_RANK));
    json_object_set_new(json, "cluster", json_u32s(c->cluster, 3));
    if (!copy_is_stream(c)) json_object_set_new(json, "along", json_u64(c->along));
    if (c->operation == COPY_MULTICAST) json_object_set_new(json, "slice", json_u32s(c->slice, group_ctas(c)));
}

static void write_bytes(const struct copy_case *c, json_t *json)
{
    json_object_set_new(json, "from", json_u64(c->from));
    json_object_set_new(json, "to", json_u64(c->to));
    json_object_set_new(json, "size", json_u64(c->size_bytes));
    if (c->operation == COPY_BYTES) json_object_set_new(json, "chunk", json_u64(c->chunk_bytes));
}

static json_t *copy_write(const void *test_case)
{
    const struct copy_case *c = test_case;
    json_t *json = json_object();
    json_object_set_new(json, "op", json_string(copy_operation_name(c->operation)));
    if (copy_has_map(c))
        write_tensor(c, json);
    else
        write_bytes(c, json);
    if (has_stages(c)) {
        json_object_set_new(json, "ctas", json_u64(c->ctas));
        json_object_set_new(json, "stages", json_u64(c->stages));
        if (c->operation == COPY_STREAM_SEPARATE) json_object_set_new(json, "stagger", json_u64(c->stagger));
    }
    if (copy_is_written(c)) json_object_set_new(json, "seed", json_u64(c->seed));
    return json;
}

static void read_tensor(struct json_reader *reader, struct copy_case *c)
{
    c->shared = (uint32_t)json_read_u64(reader, "shared", UINT32_MAX);
    if (copy_has_two(c)) {
        c->to = json_read_u64(reader, "to", UINT64_MAX);
        json_read_u64s(reader, "to_strides", (int)c->map.rank - 1, UINT64_MAX, c->to_strides);
        if (json_has(reader, "reduce")) c->reduce = 1 + (uint32_t)json_read_name(reader, "reduce", reduce_names);
    }
    if (is_store(c)) {
        c->fill = (uint32_t)json_read_name(reader, "fill", fill_names);
        c->parts = (uint32_t)json_read_u64(reader, "parts", COPY_GROUP);
        c->is_waiting = (uint32_t)json_read_u64(reader, "wait", 1);
    }
    if (!copy_is_shared(c)) return;
    json_read_u32s(reader, "cut", COPY_MAX_RANK, c->cut);
    json_read_u32s(reader, "cluster", 3, c->cluster);
    if (!copy_is_stream(c)) c->along = (uint32_t)json_read_u64(reader, "along", SLICE_XYZ);
    if (reader->ok && c->operation == COPY_MULTICAST) json_read_u32s(reader, "slice", group_ctas(c), c->slice);
}

static void read_bytes(struct json_reader *reader, struct copy_case *c)
{
    c->from = json_read_u64(reader, "from", UINT64_MAX);
    c->to = json_read_u64(reader, "to", UINT64_MAX);
    c->size_bytes = json_read_u64(reader, "size", UINT64_MAX);
    if (c->operation == COPY_BYTES) c->chunk_bytes = (uint32_t)json_read_u64(reader, "chunk", UINT32_MAX);
}

static int read_map(struct json_reader *reader, struct copy_case *c, struct text *why)
{
    const json_t *map = json_read_object(reader, "map");
    if (!reader->ok || !map_args_read(map, "copy case: map", &c->map, why)) return 0;
    if (c->map.rank >= 2 && c->map.rank <= COPY_MAX_RANK) return 1;
    text_set(why, "copy case: the map has rank 2 or 3");
    return 0;
}

static int copy_read(const json_t *json, void *test_case, struct text *why)
{
    struct copy_case *c = test_case;
    struct json_reader reader = json_reader_open(json, "copy case", why);
    *c = (struct copy_case){0};
    c->operation = (uint32_t)json_read_name(&reader, "op", operation_names);
    if (!reader.ok || (copy_has_map(c) && !read_map(&reader, c, why))) return 0;
    if (copy_has_map(c))
        read_tensor(&reader, c);
    else
        read_bytes(&reader, c);
    if (has_stages(c)) {
        c->ctas = (uint32_t)json_read_u64(&reader, "ctas", UINT32_MAX);
        c->stages = (uint32_t)json_read_u64(&reader, "stages", COPY_STAGES);
        if (c->operation == COPY_STREAM_SEPARATE) c->stagger = (uint32_t)json_read_u64(&reader, "stagger", UINT32_MAX);
    }
    if (copy_is_written(c)) c->seed = (uint32_t)json_read_u64(&reader, "seed", UINT32_MAX);
    if (!json_reader_close(&reader)) return 0;
    const char *complaint = copy_complaint(c);
    if (complaint != NULL) text_set(why, "copy case: %s", complaint);
    return complaint == NULL;
}

// --- The model -------------------------------------------------------------------------------------------------------

static size_t copy_result_bytes(const void *test_case)
{
    struct copy_plan plan;
    if (copy_plan_of(test_case, &plan) != RULE_OK) return 0;
    return WINDOWS * ALIGN_BYTES + plan.words_bytes + plan.tiles_bytes + plan.tensor_bytes;
}

// Adds the windows of a plan, all zeros, each at `first` + a multiple of 256: so they lie on the device, too. Not all
// CTAs of a stream have as many tiles as the window has room for.
static void lay_out(const struct copy_plan *plan, const uint8_t *first, struct result *result)
{
    static const char *const names[] = {"barriers", "tiles", "tensor"};
    const uint64_t size[] = {plan->words_bytes, plan->tiles_bytes, plan->tensor_bytes};
    for (int i = 0; i < 3; i++) {
        size_t used = (size_t)(result->free_bytes - first);
        if (size[i] == 0) continue;
        result->free_bytes += (used + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES - used;
        memset(result_window(result, names[i], i == 2 ? plan->base : 0, (uint32_t)size[i]), 0, size[i]);
    }
}

// The address of a window's bytes, or 0.
static uint64_t window_at(const struct result *result, const char *name, uint64_t shift)
{
    for (int i = 0; i < result->windows; i++)
        if (strcmp(result->window[i].name, name) == 0) return (uint64_t)(uintptr_t)result->window[i].bytes + shift;
    return 0;
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

static void copy_run_model(const void *test_case, struct result *result)
{
    const struct copy_case *c = test_case;
    struct copy_plan plan;
    struct result clean = *result;
    result->rule = copy_plan_of(c, &plan);
    if (result->rule == RULE_OK) {
        lay_out(&plan, result->free_bytes, result);
        struct memory destination = {(uint8_t *)(uintptr_t)window_at(result, "tensor", 0), plan.base,
                                     plan.tensor_bytes};
        if (copy_is_written(c)) copy_fill_tensor(c, &plan, destination.bytes);
        plan.machine.source = arena();
        plan.machine.destination = &destination;
        plan.job.output = window_at(result, "tiles", 0);
        plan.job.words = window_at(result, "barriers", 0);
        enum rule rule = run_plan(c, &plan);
        if (rule != RULE_OK) *result = clean;
        result->rule = rule;
    }
    result->status = rule_cuda_error(result->rule);
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

// What a launch takes: its maps and its job.
struct launch {
    struct tensormap_image map, to;
    struct copy_plan plan;
};

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
    map.address += is_store(c) ? tensor : to_arena;
    to.address += tensor;
    int error = copy_has_map(c) ? map_args_call(&gpu->driver, &map, &launch->map) : CUDA_SUCCESS;
    if (error == CUDA_SUCCESS && copy_has_two(c)) error = map_args_call(&gpu->driver, &to, &launch->to);
    return error;
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
                                               .arguments = copy_has_two(c)   ? two_maps
                                                            : copy_has_map(c) ? one_map
                                                                              : no_map});
}

static int run_launches(struct gpu *gpu, const struct copy_case *cases, int count, struct result *results,
                        uint64_t shift)
{
    struct launch launch;
    int error = CUDA_SUCCESS;
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++) {
        if (results[i].status != CUDA_SUCCESS || copy_plan_of(&cases[i], &launch.plan) != RULE_OK) continue;
        error = prepare(gpu, &cases[i], &results[i], shift, &launch);
        if (error == CUDA_SUCCESS) error = start(gpu, &cases[i], &launch);
    }
    return error == CUDA_SUCCESS ? (int)gpu->driver.cuCtxSynchronize() : error;
}

// A case whose map the model refuses: what the driver says.
static int refused_by_driver(struct gpu *gpu, const struct copy_case *c)
{
    struct tensormap_image image;
    struct map_args to = copy_to_args(c);
    int error = map_args_call(&gpu->driver, &c->map, &image);
    if (error == CUDA_SUCCESS && copy_has_two(c)) error = map_args_call(&gpu->driver, &to, &image);
    return error;
}

// Windows go to the device as the results hold them, with what memory has before; all launches; and come back.
static int copy_run_gpu(struct gpu *gpu, const void *test_cases, int count, struct result *results)
{
    const struct copy_case *c = test_cases;
    uint8_t *first = results[0].free_bytes;
    for (int i = 0; i < count; i++) {
        struct copy_plan plan;
        if (copy_plan_of(&c[i], &plan) != RULE_OK) {
            results[i].status = refused_by_driver(gpu, &c[i]);
            continue;
        }
        lay_out(&plan, first, &results[i]);
        uint8_t *tensor = (uint8_t *)(uintptr_t)window_at(&results[i], "tensor", 0);
        if (tensor != NULL) copy_fill_tensor(&c[i], &plan, tensor);
    }
    size_t bytes = (size_t)(results[count - 1].free_bytes - first);
    if (bytes == 0) return CUDA_SUCCESS;
    unsigned long long windows = gpu_buffer(gpu, 0, bytes);
    if (windows == 0 || gpu_arena(gpu) == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(windows, first, bytes);
    if (error == CUDA_SUCCESS) error = run_launches(gpu, c, count, results, windows - (uint64_t)(uintptr_t)first);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuMemcpyDtoH_v2(first, windows, bytes);
    return error;
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
    if (!copy_has_map(c) || copy_plan_of(c, &plan) != RULE_OK) return 0;
    *feature = feature_of(operations[c->operation], &plan.machine.map, origin, NULL);
    return 1;
}

const struct family family_copy = {
    .name = "copy",
    .summary = "whole tensors, a tile for each CTA: load, store, reduce, multicast; copies from tensor to tensor",
    .case_bytes = sizeof(struct copy_case),
    .cost = 10,
    .generate = copy_generate,
    .write = copy_write,
    .read = copy_read,
    .result_bytes = copy_result_bytes,
    .run_model = copy_run_model,
    .run_gpu = copy_run_gpu,
    .kernels = "copy",
    .explain = copy_explain,
    .rule = RULE_TILE_ADDRESS,
    .feature = copy_feature,
};
