// SPDX-License-Identifier: MIT
#include "provenance.h"

#include "swizzle.h"

// Tensor coordinates of the byte at `offset` of the box, before swizzling.
static void index_of(const struct tile *tile, uint32_t offset, struct provenance *place)
{
    const struct tensormap *map = tile->map;
    uint32_t row = offset / tile->pitch_bytes, step = offset % tile->pitch_bytes / tensormap_step_bytes(map);
    place->byte = offset % tile->pitch_bytes % tensormap_step_bytes(map);
    for (int i = 0; i < map->rank; i++) {
        uint32_t by = i == 0 && map->interleave == INTERLEAVE_NONE ? 1 : map->estride[i];
        if (i > 0) {
            step = row % tile->steps[i];
            row /= tile->steps[i];
        }
        place->index[i] = (int64_t)tile->coord[i] + (int64_t)step * by;
    }
}

// The run that holds `offset`; the walk is the only judge of what is filled and what is read.
static int run_at(const struct tile *tile, uint32_t offset, struct tile_run *run)
{
    for (struct tile_walk walk = tile_walk(tile); tile_next(&walk, run);)
        if (offset >= run->offset && offset < run->offset + run->bytes) return 1;
    return 0;
}

static int place_at(const struct tile *tile, uint32_t shared, uint32_t offset, struct provenance *place)
{
    struct tile_run run;
    if (!run_at(tile, offset, &run)) return 0;
    index_of(tile, offset, place);
    place->is_fill = run.is_fill;
    place->address = run.address + (offset - run.offset);
    place->shared = swizzle_apply(tile->map->swizzle, shared + offset);
    return 1;
}

int provenance_of_shared(const struct tensormap *map, const int32_t *coord, uint32_t shared, uint32_t address,
                         struct provenance *place)
{
    struct tile tile = tile_of(map, coord);
    uint32_t flat = swizzle_apply(map->swizzle, address);
    return flat >= shared && place_at(&tile, shared, flat - shared, place);
}

int provenance_of_element(const struct tensormap *map, const int32_t *coord, uint32_t shared, const int64_t *index,
                          struct provenance *place)
{
    struct tile tile = tile_of(map, coord);
    uint64_t row = 0, step = 0;
    for (int i = map->rank - 1; i >= 0; i--) {
        int64_t by = i == 0 && map->interleave == INTERLEAVE_NONE ? 1 : map->estride[i], distance = index[i] - coord[i];
        if (distance < 0 || distance % by != 0 || distance / by >= tile.steps[i]) return 0;
        if (i > 0)
            row = row * tile.steps[i] + (uint64_t)(distance / by);
        else
            step = (uint64_t)(distance / by);
    }
    uint32_t offset = (uint32_t)(row * tile.pitch_bytes + step * tensormap_step_bytes(map));
    return place_at(&tile, shared, offset, place);
}

int provenance_of_global(const struct tensormap *map, const int32_t *coord, uint32_t shared, uint64_t address,
                         struct provenance *place)
{
    struct tile tile = tile_of(map, coord);
    struct tile_run run;
    for (struct tile_walk walk = tile_walk(&tile); tile_next(&walk, &run);)
        if (!run.is_fill && address - run.address < run.bytes)
            return place_at(&tile, shared, run.offset + (uint32_t)(address - run.address), place);
    return 0;
}
