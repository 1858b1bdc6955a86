// SPDX-License-Identifier: MIT
// How the CTAs of a cluster share the load of a tile: each of a group loads one slice of it and multicasts that to the
// whole group. Which CTAs are a group, which slice each one loads, where it starts, with which mask. The cuts are those
// of CuTe (get_slice, create_tma_multicast_mask). The loads themselves are in operation.h.
#ifndef TMAREF_SLICE_H
#define TMAREF_SLICE_H

#include "tile.h"

// The cluster's dimensions; %cluster_ctarank of CTA (x, y, z) is x + y * size[0] + z * size[0] * size[1].
struct cluster_shape {
    uint32_t size[3];
};

// Directions of a cluster, bits to combine. A group is the CTAs that differ along these directions alone.
enum slice_direction { SLICE_X = 1, SLICE_Y = 2, SLICE_Z = 4, SLICE_XYZ = 7 };

uint32_t slice_cluster_ctas(const struct cluster_shape *shape);

// CTAs of a group: the number of slices.
uint32_t slice_group_ctas(const struct cluster_shape *shape, int along);

// The ctaMask of the CTA `rank`: bit i is set when rank i is of its group. Needs a cluster of at most 16 CTAs.
uint32_t slice_group_mask(const struct cluster_shape *shape, int along, uint32_t rank);

// The place of the CTA `rank` in its group, x first, then y, z: the slice that it loads.
uint32_t slice_group_index(const struct cluster_shape *shape, int along, uint32_t rank);

// Slices of a tile of `tile[i]` elements (an entry for each dimension of the map) when the map's box is one slice, 0 if
// boxes do not make up the tile. A box counts as elements traversed: boxDim, or one channel slice with interleave.
uint32_t slice_count(const struct tensormap *map, const uint64_t *tile);

// One slice: its coordinates, and how far behind the start of the tile it lies in shared memory.
struct slice {
    int32_t coord[TENSORMAP_MAX_RANK];
    uint64_t offset_bytes;
};

// Slice `index` (less than slice_count()) of the tile at `coord`, which has an entry for each dimension like `tile`.
// Slices are numbered innermost first and follow each other in shared memory.
struct slice slice_of(const struct tensormap *map, const int32_t *coord, const uint64_t *tile, uint32_t index);

// Elements of the box along dimension i, as tiles count them.
uint64_t slice_extent(const struct tensormap *map, int i);

// Bytes of shared memory from one slice to the next, gaps included.
uint64_t slice_pitch_bytes(const struct tensormap *map);

#endif
