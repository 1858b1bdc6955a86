// SPDX-License-Identifier: MIT
// What one tensor instruction covers, tiled or im2col: one name for both walks, for whoever moves, checks or tells of
// bytes and does not care which it is. Read tile.h and im2col.h first.
#ifndef TMAREF_BOX_H
#define TMAREF_BOX_H

#include "im2col.h"

// A box of `mode`; it keeps a pointer to its map.
struct box {
    enum tensormap_mode mode;
    union {
        struct tile tile;
        struct im2col column;
    };
};

// A walk of a box in progress. It is plain data with pointers to the box and its map: box_relink() sets them again
// after either has moved.
struct box_walk {
    union {
        struct tile_walk rows;
        struct im2col_walk pixels;
    };
};

// Makes the box of a load or prefetch, of a store or reduction: tile_of(), im2col_of() and the same of stores. `coord`
// has rank entries; `offset` is for im2col alone and has rank - 2.
static inline void box_start(struct box *box, enum tensormap_mode mode, const struct tensormap *map,
                             const int32_t *coord, const uint16_t *offset)
{
    box->mode = mode;
    if (mode == TENSORMAP_IM2COL)
        box->column = im2col_of(map, coord, offset);
    else
        tile_start(&box->tile, map, coord);
}

static inline void box_start_store(struct box *box, enum tensormap_mode mode, const struct tensormap *map,
                                   const int32_t *coord)
{
    box->mode = mode;
    if (mode == TENSORMAP_IM2COL)
        box->column = im2col_of_store(map, coord);
    else
        tile_start_store(&box->tile, map, coord);
}

// What is equal in both modes: see tile.h.
static inline uint64_t box_extent_bytes(const struct box *box)
{
    return box->mode == TENSORMAP_IM2COL ? im2col_extent_bytes(&box->column) : tile_extent_bytes(&box->tile);
}

static inline uint64_t box_reach_bytes(const struct box *box)
{
    return box->mode == TENSORMAP_IM2COL ? im2col_reach_bytes(&box->column) : tile_reach_bytes(&box->tile);
}

static inline uint64_t box_transaction_bytes(const struct box *box)
{
    return box->mode == TENSORMAP_IM2COL ? im2col_transaction_bytes(&box->column) : tile_transaction_bytes(&box->tile);
}

// Bytes from a row (a pixel) to the next one of the same shape, in shared and in global memory: see tile_next_rows().
static inline uint32_t box_pitch_bytes(const struct box *box)
{
    return box->mode == TENSORMAP_IM2COL ? box->column.pitch_bytes : box->tile.pitch_bytes;
}

static inline uint64_t box_step_bytes(const struct box *box)
{
    return box->mode == TENSORMAP_IM2COL ? box->column.step_bytes : box->tile.row_step_bytes;
}

static inline void box_walk_start(struct box_walk *walk, const struct box *box)
{
    if (box->mode == TENSORMAP_IM2COL)
        walk->pixels = im2col_walk(&box->column);
    else
        tile_walk_start(&walk->rows, &box->tile);
}

static inline struct box_walk box_walk(const struct box *box)
{
    struct box_walk walk;
    box_walk_start(&walk, box);
    return walk;
}

static inline void box_relink(struct box *box, struct box_walk *walk, const struct tensormap *map)
{
    if (box->mode == TENSORMAP_IM2COL) {
        box->column.map = map;
        walk->pixels.column = &box->column;
    } else {
        box->tile.map = map;
        walk->rows.tile = &box->tile;
    }
}

// tile_next_rows() or im2col_next_pixels().
static inline uint32_t box_next_rows(const struct box *box, struct box_walk *walk, struct tile_run *run)
{
    return box->mode == TENSORMAP_IM2COL ? im2col_next_pixels(&walk->pixels, run) : tile_next_rows(&walk->rows, run);
}

#endif
