// SPDX-License-Identifier: MIT
// From a case to its launch: which kernel, how many CTAs, what they are told, and which bytes are the result.
#include <string.h>

#include "arena.h"
#include "copy_case.h"
#include "reduce.h"
#include "tile.h"

enum { LINE_BYTES = 128, TILES_MAX_BYTES = 8 << 20, CTAS_MAX = 4096, DIM_MAX = 65536 };

static uint64_t round_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) / align * align;
}

uint32_t copy_reduction(const struct copy_case *c)
{
    switch (c->operation) {
    case COPY_ADD:
        return 1 + REDUCE_ADD;
    case COPY_MIN:
        return 1 + REDUCE_MIN;
    case COPY_MAX:
        return 1 + REDUCE_MAX;
    default:
        return c->reduce;
    }
}

struct map_args copy_to_args(const struct copy_case *c)
{
    struct map_args args = c->map;
    args.address = c->to;
    memcpy(args.strides, c->to_strides, sizeof c->to_strides);
    return args;
}

static struct cluster_shape shape_of(const struct copy_case *c)
{
    return (struct cluster_shape){{c->cluster[0], c->cluster[1], c->cluster[2]}};
}

// --- The job ---------------------------------------------------------------------------------------------------------

// Tiles along each dimension, and the sizes of a tile in shared memory.
static void plan_tiles(const struct copy_case *c, struct copy_plan *plan)
{
    const int32_t origin[TENSORMAP_MAX_RANK] = {0};
    const struct tensormap *map = &plan->machine.map;
    struct tile tile = tile_of(map, origin);
    struct copy_job *job = &plan->job;
    job->rank = (uint32_t)map->rank;
    job->boxes = job->count = 1;
    for (int i = 0; i < COPY_MAX_RANK; i++) {
        job->cut[i] = copy_is(c, COPY_SHARED) ? c->cut[i] : 1;
        job->box[i] = i < map->rank ? map->box[i] : 1;
        uint64_t extent = (uint64_t)job->box[i] * job->cut[i], dim = i < map->rank ? map->dim[i] : 1;
        job->tiles[i] = (uint32_t)((dim + extent - 1) / extent);
        job->boxes *= job->cut[i];
        job->count *= job->tiles[i];
    }
    job->row_bytes = tile.pitch_bytes;
    job->box_pitch_bytes = (uint32_t)slice_pitch_bytes(map);
    job->load_bytes = job->boxes * (uint32_t)tile_transaction_bytes(&tile);
    job->tile_bytes = (uint32_t)round_up((uint64_t)job->boxes * job->box_pitch_bytes, LINE_BYTES);
    job->dump_bytes = job->tile_bytes + LINE_BYTES; // what lies behind is seen, too
    job->shared = c->shared;
    job->swizzle = (uint32_t)map->swizzle;
    job->share[0] = job->share[1] = job->share[2] = 1;
}

// Masks and slices by rank. The CTAs of a stream's cluster are one group.
static void plan_groups(const struct copy_case *c, struct copy_job *job)
{
    struct cluster_shape shape = shape_of(c);
    int along = copy_is(c, COPY_STREAMS) ? SLICE_XYZ : (int)c->along;
    job->is_multicast = c->operation == COPY_MULTICAST || c->operation == COPY_STREAM;
    for (int i = 0; i < 3; i++)
        if (along >> i & 1) job->share[i] = c->cluster[i];
    for (uint32_t rank = 0; rank < slice_cluster_ctas(&shape); rank++) {
        uint32_t index = slice_group_index(&shape, along, rank);
        job->mask[rank] = (uint16_t)slice_group_mask(&shape, along, rank);
        job->slice[rank] = (uint16_t)(c->operation == COPY_MULTICAST ? c->slice[index] : index);
    }
}

// A CTA for each tile, blockIdx.x along the outermost dimension; whole clusters.
static void plan_grid(const struct copy_case *c, struct copy_plan *plan)
{
    struct copy_machine *machine = &plan->machine;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t tiles = i < plan->job.rank ? plan->job.tiles[plan->job.rank - 1 - i] : 1;
        machine->grid[i] = tiles * plan->job.share[i];
        machine->cluster[i] = copy_is(c, COPY_SHARED) ? c->cluster[i] : 0;
        if (copy_is(c, COPY_SHARED)) machine->grid[i] = (uint32_t)round_up(machine->grid[i], c->cluster[i]);
    }
    if (copy_is(c, COPY_STORES)) machine->grid[0] *= c->parts;
    if (!copy_is(c, COPY_STREAMS) && !copy_is(c, COPY_TWO)) return;
    machine->grid[0] = plan->job.count;
    if (c->operation == COPY_RING) machine->grid[0] = c->ctas;
    if (copy_is(c, COPY_STREAMS)) machine->grid[0] = c->ctas * c->cluster[0];
    machine->grid[1] = machine->grid[2] = 1;
}

static const char *kernel_of(const struct copy_case *c)
{
    static const char *const names[COPY_OPERATIONS] = {
        "copy_load",  "copy_store", "copy_store",  "copy_store",  "copy_store", "copy_multicast", "copy_multicast",
        "copy_tiles", "copy_ring",  "copy_stream", "copy_stream", "copy_bytes", "copy_vector",    "copy_vector_add"};
    return names[c->operation];
}

static uint32_t threads_of(const struct copy_case *c)
{
    if (copy_is(c, COPY_TWO) || c->operation == COPY_BYTES) return 32;
    if (!copy_is(c, COPY_TENSORS)) return COPY_VECTOR_THREADS;
    return copy_is(c, COPY_STREAMS) ? COPY_STREAM_THREADS : COPY_THREADS;
}

// --- The windows -----------------------------------------------------------------------------------------------------

// Memory around the tensor that is written, rows and their padding.
static void plan_tensor(const struct copy_case *c, struct copy_plan *plan)
{
    struct map_args args = copy_is(c, COPY_TWO) ? copy_to_args(c) : c->map;
    uint64_t end = 0, low = copy_is(c, COPY_TENSORS) ? args.address : c->to;
    if (copy_is(c, COPY_TENSORS)) {
        const struct tensormap *map = copy_is(c, COPY_TWO) ? &plan->machine.to : &plan->machine.map;
        for (int i = 0; i < map->rank; i++) end += (map->dim[i] - 1) * map->stride[i];
        end += map->stride[0];
    } else {
        end = c->size_bytes;
    }
    plan->base = low / COPY_GUARD_BYTES * COPY_GUARD_BYTES - COPY_GUARD_BYTES;
    plan->tensor_bytes = round_up(low + end - plan->base, COPY_GUARD_BYTES) + COPY_GUARD_BYTES;
}

static void plan_dumps(const struct copy_case *c, struct copy_plan *plan)
{
    const struct copy_job *job = &plan->job;
    uint64_t ctas = (uint64_t)plan->machine.grid[0] * plan->machine.grid[1] * plan->machine.grid[2];
    if (copy_is(c, COPY_STREAMS)) {
        plan->tiles_bytes = ctas * ((job->count + c->ctas - 1) / c->ctas) * job->tile_bytes;
        return;
    }
    plan->words_bytes = 8 * ctas;
    plan->tiles_bytes = ctas * job->dump_bytes;
}

static void plan_flat(const struct copy_case *c, struct copy_plan *plan)
{
    uint64_t per_cta = c->operation == COPY_BYTES ? c->chunk_bytes : 16 * COPY_VECTOR_THREADS;
    uint64_t ctas = (c->size_bytes + per_cta - 1) / per_cta;
    plan->flat = (struct copy_flat){c->to, c->from, c->size_bytes, c->chunk_bytes};
    plan->machine.grid[0] = ctas > 0 ? (uint32_t)ctas : 1;
    plan->machine.grid[1] = plan->machine.grid[2] = 1;
    plan->machine.shared_bytes = COPY_TILE_START - COPY_SHARED_START + c->chunk_bytes;
    plan_tensor(c, plan);
}

static void plan_job(const struct copy_case *c, struct copy_job *job)
{
    if (copy_is(c, COPY_SHARED)) plan_groups(c, job);
    job->seed = random_mix(c->seed);
    job->operation = copy_reduction(c);
    job->data_type = c->map.data_type;
    job->fill = c->fill;
    job->is_waiting = c->is_waiting;
    job->stages = c->stages > 0 ? c->stages : 1;
    job->stagger = c->stagger;
}

enum rule copy_plan_of(const struct copy_case *c, struct copy_plan *plan)
{
    *plan = (struct copy_plan){.kernel = kernel_of(c), .threads = threads_of(c)};
    if (!copy_is(c, COPY_TENSORS)) {
        plan_flat(c, plan);
        return RULE_OK;
    }
    struct map_args to = copy_to_args(c);
    enum rule rule = map_args_make(&c->map, &plan->machine.map);
    if (rule == RULE_OK && copy_is(c, COPY_TWO)) rule = map_args_make(&to, &plan->machine.to);
    if (rule != RULE_OK) return rule;
    struct copy_job *job = &plan->job;
    plan_tiles(c, plan);
    plan_job(c, job);
    plan_grid(c, plan);
    plan->machine.shared_bytes = job->shared - COPY_SHARED_START + job->stages * job->tile_bytes + LINE_BYTES;
    if (copy_is(c, COPY_WRITES))
        plan_tensor(c, plan);
    else
        plan_dumps(c, plan);
    return RULE_OK;
}

// --- What a reader must refuse ---------------------------------------------------------------------------------------

static bool is_within(uint64_t first, uint64_t bytes, uint64_t base, uint64_t size_bytes)
{
    return first >= base && bytes <= size_bytes && first - base <= size_bytes - bytes;
}

static const char *complaint_of_map(const struct copy_case *c)
{
    uint64_t tiles = 1;
    if (c->map.function != MAP_TILED || c->map.rank < 2 || c->map.rank > COPY_MAX_RANK)
        return "the map is one of cuTensorMapEncodeTiled, of rank 2 or 3";
    if (c->map.interleave != INTERLEAVE_NONE) return "the map has no interleave";
    if (c->shared < COPY_TILE_START || c->shared > SM_SHARED_BYTES) return "\"shared\" is 2048 to 233472";
    for (uint32_t i = 0; i < c->map.rank; i++) {
        if (c->map.dim[i] > DIM_MAX) return "dimensions have at most 65536 elements";
        tiles *= c->map.box[i] > 0 ? (c->map.dim[i] + c->map.box[i] - 1) / c->map.box[i] : 1;
    }
    return tiles > CTAS_MAX ? "there are at most 4096 tiles" : NULL;
}

static const char *complaint_of_group(const struct copy_case *c)
{
    struct cluster_shape shape = shape_of(c);
    for (int i = 0; i < 3; i++)
        if (c->cluster[i] == 0 || c->cluster[i] > COPY_GROUP || c->cut[i] == 0 || c->cut[i] > COPY_GROUP)
            return "entries of \"cluster\" and \"cut\" are 1 to 16";
    if (slice_cluster_ctas(&shape) > COPY_GROUP) return "\"cluster\" has at most 16 CTAs";
    int along = copy_is(c, COPY_STREAMS) ? SLICE_XYZ : (int)c->along;
    if (copy_is(c, COPY_STREAMS) && c->cluster[1] * c->cluster[2] != 1)
        return "the cluster of a stream is along x alone";
    uint32_t group = slice_group_ctas(&shape, along), boxes = c->cut[0] * c->cut[1] * c->cut[2];
    if (boxes != group || (c->map.rank == 2 && c->cut[2] != 1)) return "\"cut\" makes a box of a tile for each CTA";
    for (uint32_t i = 0; i < group && c->operation == COPY_MULTICAST; i++)
        if (c->slice[i] >= group) return "\"slice\" is a box of the tile";
    return NULL;
}

// Of a case whose map may be planned.
static const char *complaint_of_plan(const struct copy_case *c)
{
    struct copy_plan plan;
    if (copy_plan_of(c, &plan) != RULE_OK) return NULL;
    uint64_t ctas = (uint64_t)plan.machine.grid[0] * plan.machine.grid[1] * plan.machine.grid[2];
    if (copy_is(c, COPY_WRITES) && !is_within(plan.base, plan.tensor_bytes, COPY_GLOBAL_BASE, COPY_GLOBAL_BYTES))
        return "what is written, and 256 bytes around it, lies outside the memory of cases";
    if (ctas > CTAS_MAX) return "the grid has at most 4096 CTAs";
    if (plan.job.tile_bytes > SM_SHARED_BYTES || plan.machine.shared_bytes > COPY_SHARED_BYTES)
        return "the tile does not fit in shared memory";
    return plan.tiles_bytes > TILES_MAX_BYTES ? "the tiles have at most 8 MiB" : NULL;
}

static const char *complaint_of_flat(const struct copy_case *c)
{
    if (!is_within(c->from, c->size_bytes, ARENA_BASE, ARENA_BYTES)) return "\"from\" and \"size\" lie in the arena";
    if (c->from % 16 != 0 || c->to % 16 != 0) return "addresses are multiples of 16";
    if (c->operation == COPY_VECTOR_ADD && c->size_bytes % 4 != 0) return "\"size\" is a multiple of 4";
    if (c->operation != COPY_BYTES) return NULL;
    if (c->chunk_bytes == 0 || c->chunk_bytes % 16 != 0 || c->chunk_bytes > COPY_SHARED_BYTES / 2)
        return "\"chunk\" is a multiple of 16, up to 115712";
    return NULL;
}

const char *copy_complaint(const void *test_case)
{
    const struct copy_case *c = test_case;
    const char *why = copy_is(c, COPY_TENSORS) ? complaint_of_map(c) : complaint_of_flat(c);
    if (why != NULL) return why;
    if (copy_is(c, COPY_STORES) && (c->parts == 0 || c->parts > COPY_GROUP)) return "\"parts\" is 1 to 16";
    if (copy_is(c, COPY_STAGED)) {
        if (c->stages == 0 || c->stages > COPY_STAGES) return "\"stages\" is 1 to 16";
        if (c->stagger > CTAS_MAX) return "\"stagger\" is at most 4096";
        if (c->ctas == 0 || c->ctas > CTAS_MAX) return "\"ctas\" is 1 to 4096";
    }
    if (copy_is(c, COPY_SHARED)) why = complaint_of_group(c);
    return why != NULL ? why : complaint_of_plan(c);
}

// --- What memory holds before ----------------------------------------------------------------------------------------

void copy_fill_tensor(const struct copy_case *c, const struct copy_plan *plan, uint8_t *bytes)
{
    uint64_t seed = random_mix(c->seed + 1);
    uint32_t data_type = c->operation == COPY_VECTOR_ADD ? DTYPE_FLOAT32 : c->map.data_type;
    for (uint64_t at = 0; at < plan->tensor_bytes; at += 8) {
        uint64_t word = store_pattern(seed, data_type, (uint32_t)(at / 8));
        if (c->fill == COPY_ROWS) word = copy_numbers(data_type, (uint32_t)(random_mix(seed + at) % 16));
        memcpy(bytes + at, &word, sizeof word);
    }
}
