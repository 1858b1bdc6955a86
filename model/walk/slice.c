// SPDX-License-Identifier: MIT
// Slices and groups are counting in mixed radix: ranks in the cluster's dimensions, slices in the tile's.
#include "slice.h"

enum { DIRECTIONS = 3 };

uint32_t slice_cluster_ctas(const struct cluster_shape *shape)
{
    return shape->size[0] * shape->size[1] * shape->size[2];
}

uint32_t slice_group_ctas(const struct cluster_shape *shape, int along)
{
    uint32_t ctas = 1;
    for (int i = 0; i < DIRECTIONS; i++)
        if (along >> i & 1) ctas *= shape->size[i];
    return ctas;
}

// The digits of `rank` along the directions `along`, counted together.
static uint32_t digits_of(const struct cluster_shape *shape, int along, uint32_t rank)
{
    uint32_t number = 0, scale = 1;
    for (int i = 0; i < DIRECTIONS; i++) {
        if (along >> i & 1) {
            number += rank % shape->size[i] * scale;
            scale *= shape->size[i];
        }
        rank /= shape->size[i];
    }
    return number;
}

uint32_t slice_group_index(const struct cluster_shape *shape, int along, uint32_t rank)
{
    return digits_of(shape, along, rank);
}

uint32_t slice_group_mask(const struct cluster_shape *shape, int along, uint32_t rank)
{
    uint32_t mask = 0, group = digits_of(shape, SLICE_XYZ & ~along, rank);
    for (uint32_t other = 0; other < slice_cluster_ctas(shape); other++)
        if (digits_of(shape, SLICE_XYZ & ~along, other) == group) mask |= (uint32_t)1 << other;
    return mask;
}

uint64_t slice_extent(const struct tensormap *map, int i)
{
    return map->interleave != INTERLEAVE_NONE && i == map->rank - 2 ? 1 : map->box[i];
}

uint32_t slice_count(const struct tensormap *map, const uint64_t *tile)
{
    uint64_t count = 1;
    for (int i = 0; i < map->rank; i++) {
        if (tile[i] == 0 || tile[i] % slice_extent(map, i) != 0) return 0;
        count *= tile[i] / slice_extent(map, i);
        if (count > UINT16_MAX) return 0;
    }
    return (uint32_t)count;
}

uint64_t slice_pitch_bytes(const struct tensormap *map)
{
    const int32_t origin[TENSORMAP_MAX_RANK] = {0};
    struct tile tile = tile_of(map, origin);
    return tile.rows * tile.pitch_bytes;
}

struct slice slice_of(const struct tensormap *map, const int32_t *coord, const uint64_t *tile, uint32_t index)
{
    struct slice slice = {.offset_bytes = index * slice_pitch_bytes(map)};
    for (int i = 0; i < map->rank; i++) {
        uint32_t extent = (uint32_t)slice_extent(map, i), boxes = (uint32_t)(tile[i] / extent);
        slice.coord[i] = (int32_t)((uint32_t)coord[i] + index % boxes * extent);
        index /= boxes;
    }
    return slice;
}
