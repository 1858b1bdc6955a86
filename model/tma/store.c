// SPDX-License-Identifier: MIT
// Moves the runs of a walk out of shared memory: each run is un-swizzled piece by piece, then written or reduced.
#include "store.h"

#include <string.h>

#include "load_check.h"
#include "move.h"
#include "swizzle.h"

enum { SHARED_ALIGN = 128, GATHER_BYTES = 1024, NO_OP = -1 };
#define STORE_DIM_MAX ((uint64_t)1 << 31)

// A store (`op` NO_OP) or a reduction, and the memories between which it runs.
struct transfer {
    int op;
    const struct tensormap *map;
    int dims;
    const int32_t *coord;
    const struct memory *global_memory, *shared_memory;
    uint32_t shared;
};

// The 715 faults of the map: rules STORE_MODE, STORE_RANK, STORE_DIM_LIMIT, REDUCE_TYPE.
static void check_map(const struct transfer *t, enum rule *first, struct findings *findings)
{
    const struct tensormap *map = t->map;
    if (map->mode != TENSORMAP_TILED)
        load_broken(findings, first, (struct finding){RULE_STORE_MODE, "load_mode", -1, 0, map->mode, 0, 0});
    if (map->rank != t->dims)
        load_broken(findings, first,
                    (struct finding){RULE_STORE_RANK, "dim", -1, 0, (uint64_t)t->dims, (uint64_t)map->rank,
                                     (uint64_t)map->rank});
    for (int i = 0; i < map->rank; i++)
        if (map->dim[i] > STORE_DIM_MAX)
            load_broken(
                findings, first,
                (struct finding){RULE_STORE_DIM_LIMIT, "globalDim", i, 0, map->dim[i], STORE_DIM_MAX, STORE_DIM_MAX});
    if (t->op != NO_OP && !reduce_is_legal((enum reduce_op)t->op, map->dtype))
        load_broken(findings, first,
                    (struct finding){RULE_REDUCE_TYPE, "tensorDataType", -1, 0, map->dtype, DTYPE_COUNT, DTYPE_UINT32});
}

// The 715 faults of the coordinates: rules STORE_COORD_ALIGN, STORE_COORD_NEGATIVE.
static void check_coord(const struct transfer *t, enum rule *first, struct findings *findings)
{
    int32_t per_chunk = CHUNK_BYTES / (int32_t)dtype_row(t->map->dtype)->size_bytes, inner = t->coord[0];
    if (t->map->interleave == INTERLEAVE_NONE && inner % per_chunk != 0)
        load_broken(findings, first,
                    (struct finding){RULE_STORE_COORD_ALIGN, "tensorCoords", 0, 1, (uint64_t)(int64_t)inner,
                                     (uint64_t)per_chunk, (uint64_t)(int64_t)(inner / per_chunk * per_chunk)});
    for (int i = 0; i < t->map->rank; i++)
        if (t->coord[i] < 0)
            load_broken(findings, first,
                        (struct finding){RULE_STORE_COORD_NEGATIVE, "tensorCoords", i, 1,
                                         (uint64_t)(int64_t)t->coord[i], 0, 0});
}

// The first byte that is written and not mapped; 0 if there is none. Looks at rows together where it can.
static int find_unmapped(const struct tile *tile, const struct memory *memory, uint64_t *address)
{
    struct tile_run run;
    struct tile_walk walk = tile_walk(tile);
    for (uint32_t rows; (rows = tile_next_rows(&walk, &run)) > 0;) {
        uint64_t all_bytes = (rows - 1) * tile->row_step_bytes + run.bytes;
        if (run.is_fill || memory_at(memory, run.address, all_bytes) != NULL) continue;
        for (uint32_t row = 0; row < rows; row++) {
            uint64_t at = run.address + row * tile->row_step_bytes;
            if (memory_at(memory, at, run.bytes) != NULL) continue;
            *address = memory_at(memory, at, 1) == NULL ? at : memory->base + memory->size_bytes;
            return 1;
        }
    }
    return 0;
}

// The 700 faults: rules STORE_SMEM_BOUNDS, STORE_UNMAPPED.
static void check_memory(const struct transfer *t, enum rule *first, struct findings *findings)
{
    const struct memory *shared = t->shared_memory, *global = t->global_memory;
    struct tile tile = tile_of_store(t->map, t->coord);
    uint64_t end = shared->base + shared->size_bytes, extent = tile_reach_bytes(&tile), unmapped;
    if (t->map->swizzle != SWIZZLE_NONE) extent = (extent + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    if (extent != 0 && memory_at(shared, t->shared, extent) == NULL)
        load_broken(findings, first,
                    (struct finding){RULE_STORE_SMEM_BOUNDS, "end of the box in shared memory", -1, 0,
                                     t->shared + extent, end,
                                     extent <= shared->size_bytes ? end - extent : shared->base});
    if (extent > shared->size_bytes || !find_unmapped(&tile, global, &unmapped)) return;
    load_broken(findings, first,
                (struct finding){RULE_STORE_UNMAPPED, "address of an element", -1, 0, unmapped,
                                 global->base + global->size_bytes, global->base});
}

static enum rule check(const struct transfer *t, struct findings *findings)
{
    enum rule first = RULE_OK;
    if (!load_map_readable(t->map)) {
        finding_add(findings, (struct finding){RULE_STORE_MAP_FORMAT, "tensorMap", -1, 0, 0, 0, 0});
        return RULE_STORE_MAP_FORMAT;
    }
    check_map(t, &first, findings);
    check_coord(t, &first, findings);
    if (t->shared % SHARED_ALIGN != 0)
        load_broken(findings, &first,
                    (struct finding){RULE_STORE_SMEM_ALIGN, "srcMem", -1, 0, t->shared, SHARED_ALIGN,
                                     (t->shared + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN});
    if (t->map->mode == TENSORMAP_TILED) check_memory(t, &first, findings);
    return first;
}

// Copies `count` bytes from shared address `from` to `to`, whole 16-byte chunks, each from where the swizzle put it.
static void get_bytes(const struct transfer *t, uint8_t *to, uint32_t from, uint32_t count)
{
    const uint8_t *bytes = t->shared_memory->bytes;
    uint32_t base = (uint32_t)t->shared_memory->base;
    if (t->map->swizzle == SWIZZLE_NONE) {
        memcpy(to, bytes + (from - base), count);
        return;
    }
    for (uint32_t done = 0; done < count; done += CHUNK_BYTES)
        memcpy(to + done, bytes + (swizzle_apply(t->map->swizzle, from + done) - base), CHUNK_BYTES);
}

static void reduce_bytes(const struct transfer *t, uint8_t *to, uint32_t from, uint32_t count)
{
    uint8_t gathered[GATHER_BYTES];
    const uint32_t element = dtype_row(t->map->dtype)->size_bytes;
    for (uint32_t done = 0, piece; done < count; done += piece) {
        piece = count - done < GATHER_BYTES ? count - done : GATHER_BYTES;
        const uint8_t *source = t->shared_memory->bytes + (from + done - t->shared_memory->base);
        if (t->map->swizzle != SWIZZLE_NONE) {
            get_bytes(t, gathered, from + done, piece);
            source = gathered;
        } else {
            piece = count;
        }
        reduce_apply((enum reduce_op)t->op, t->map->dtype, to + done, source, piece / element);
    }
}

static enum rule run(const struct transfer *t)
{
    enum rule rule = check(t, NULL);
    if (rule != RULE_OK) return rule;

    struct tile tile = tile_of_store(t->map, t->coord);
    struct tile_walk walk = tile_walk(&tile);
    struct tile_run run;
    for (uint32_t rows; (rows = tile_next_rows(&walk, &run)) > 0;) {
        if (run.is_fill) continue;
        for (uint32_t row = 0; row < rows; row++) {
            uint64_t address = run.address + row * tile.row_step_bytes;
            uint8_t *to = t->global_memory->bytes + (address - t->global_memory->base);
            uint32_t from = t->shared + run.offset + row * tile.pitch_bytes;
            if (t->op == NO_OP)
                get_bytes(t, to, from, run.bytes);
            else
                reduce_bytes(t, to, from, run.bytes);
        }
    }
    return RULE_OK;
}

enum rule tile_store_check(const struct tensormap *map, int dims, const int32_t *coord,
                           const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                           struct findings *findings)
{
    const struct transfer t = {NO_OP, map, dims, coord, global_memory, shared_memory, shared};
    return check(&t, findings);
}

enum rule tile_reduce_check(enum reduce_op op, const struct tensormap *map, int dims, const int32_t *coord,
                            const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                            struct findings *findings)
{
    const struct transfer t = {(int)op, map, dims, coord, global_memory, shared_memory, shared};
    return check(&t, findings);
}

enum rule tile_store(const struct tensormap *map, int dims, const int32_t *coord, const struct memory *global_memory,
                     const struct memory *shared_memory, uint32_t shared)
{
    const struct transfer t = {NO_OP, map, dims, coord, global_memory, shared_memory, shared};
    return run(&t);
}

enum rule tile_reduce(enum reduce_op op, const struct tensormap *map, int dims, const int32_t *coord,
                      const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared)
{
    const struct transfer t = {(int)op, map, dims, coord, global_memory, shared_memory, shared};
    return run(&t);
}
