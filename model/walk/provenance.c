// SPDX-License-Identifier: MIT
#include "provenance.h"

#include "swizzle.h"

// Tensor coordinates of the byte at `offset` of the box, before swizzling.
static void index_of(const struct tile *tile, uint32_t offset, struct provenance *place)
{
    const struct tensormap *map = tile->map;
    uint32_t row = offset / tile->pitch_bytes, step = offset % tile->pitch_bytes / tensormap_step_bytes(map);
    place->byte = offset % tile->pitch_bytes % tensormap_step_bytes(map);
    place->pixel = 0;
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
static bool run_at(const struct tile *tile, uint32_t offset, struct tile_run *run)
{
    if (offset / tile->pitch_bytes >= tile->rows) return false;
    for (struct tile_walk walk = tile_walk_from(tile, offset / tile->pitch_bytes); tile_next(&walk, run);)
        if (offset < run->offset + run->bytes) return offset >= run->offset;
    return false;
}

bool provenance_pixel(const struct im2col *column, uint32_t offset, struct im2col_walk *walk, struct tile_run *run)
{
    struct im2col single = *column;
    single.pixels_touch = 0; // one pixel a run, so that the position is the pixel's
    struct im2col_walk next = im2col_walk(&single);
    for (*walk = next; im2col_next(&next, run); *walk = next) {
        if (offset < run->offset || offset >= run->offset + run->bytes) continue;
        walk->column = column;
        return true;
    }
    return false;
}

// Tensor coordinates of byte `byte` of the pixel where the walk stands.
static void index_of_pixel(const struct im2col_walk *walk, const int32_t *coord, uint32_t byte,
                           struct provenance *place)
{
    const struct im2col *column = walk->column;
    const struct tensormap *map = column->map;
    bool interleaved = map->interleave != INTERLEAVE_NONE;
    int inner = interleaved ? map->rank - 2 : 0;
    uint32_t element = interleaved ? column->pixel_bytes : dtype_row(map->dtype)->size_bytes;
    place->index[inner] = (int64_t)coord[inner] + byte / element;
    for (int k = 0; k < column->spatials; k++) place->index[column->spatial + k] = walk->at[k] + column->offset[k];
    place->index[map->rank - 1] = walk->n;
    place->byte = byte % element;
    place->pixel = walk->pixel;
}

static const struct tensormap *map_of(const struct box *box)
{
    return box->mode == TENSORMAP_IM2COL ? box->column.map : box->tile.map;
}

static bool place_at(const struct box *box, const int32_t *coord, uint32_t shared, uint32_t offset,
                     struct provenance *place)
{
    struct im2col_walk walk;
    struct tile_run run;
    if (box->mode == TENSORMAP_IM2COL) {
        if (!provenance_pixel(&box->column, offset, &walk, &run)) return false;
        index_of_pixel(&walk, coord, offset - walk.pixel * box->column.pitch_bytes, place);
    } else {
        if (!run_at(&box->tile, offset, &run)) return false;
        index_of(&box->tile, offset, place);
    }
    place->is_fill = run.is_fill;
    place->address = run.address + (offset - run.offset);
    place->shared = swizzle_apply(map_of(box)->swizzle, shared + offset);
    return true;
}

bool provenance_of_shared(const struct box *box, const int32_t *coord, uint32_t shared, uint32_t address,
                          struct provenance *place)
{
    uint32_t flat = swizzle_apply(map_of(box)->swizzle, address);
    return flat >= shared && place_at(box, coord, shared, flat - shared, place);
}

// Where the walk of the box has the element; one that it does not hold is at no offset.
static bool offset_in_tile(const struct tile *tile, const int64_t *index, uint32_t *offset)
{
    const struct tensormap *map = tile->map;
    uint64_t row = 0, step = 0;
    for (int i = map->rank - 1; i >= 0; i--) {
        int64_t by = i == 0 && map->interleave == INTERLEAVE_NONE ? 1 : map->estride[i];
        int64_t distance = index[i] - tile->coord[i];
        if (distance < 0 || distance % by != 0 || distance / by >= tile->steps[i]) return false;
        if (i > 0)
            row = row * tile->steps[i] + (uint64_t)(distance / by);
        else
            step = (uint64_t)(distance / by);
    }
    *offset = (uint32_t)(row * tile->pitch_bytes + step * tensormap_step_bytes(map));
    return true;
}

static bool column_place(const struct box *box, const int32_t *coord, uint32_t shared, const int64_t *index,
                         struct provenance *place)
{
    const struct im2col *column = &box->column;
    const struct tensormap *map = column->map;
    int inner = map->interleave != INTERLEAVE_NONE ? map->rank - 2 : 0;
    uint32_t element = inner != 0 ? column->pixel_bytes : dtype_row(map->dtype)->size_bytes;
    int64_t distance = index[inner] - coord[inner];
    if (distance < 0 || distance >= column->pixel_bytes / element) return false;
    for (uint32_t pixel = 0; pixel < column->pixels; pixel++) {
        const uint32_t offset = pixel * column->pitch_bytes + (uint32_t)distance * element;
        bool is_there = place_at(box, coord, shared, offset, place);
        for (int i = 0; i < map->rank; i++) is_there &= place->index[i] == index[i];
        if (is_there) return true;
    }
    return false;
}

bool provenance_of_element(const struct box *box, const int32_t *coord, uint32_t shared, const int64_t *index,
                           struct provenance *place)
{
    uint32_t offset;
    if (box->mode == TENSORMAP_IM2COL) return column_place(box, coord, shared, index, place);
    return offset_in_tile(&box->tile, index, &offset) && place_at(box, coord, shared, offset, place);
}

// The first pixel that reads the address.
static bool global_in_column(const struct im2col *column, uint64_t address, uint32_t *offset)
{
    struct im2col single = *column;
    struct tile_run run;
    single.pixels_touch = 0;
    for (struct im2col_walk walk = im2col_walk(&single); im2col_next(&walk, &run);) {
        *offset = run.offset + (uint32_t)(address - run.address);
        if (!run.is_fill && address - run.address < run.bytes) return true;
    }
    return false;
}

static bool global_in_tile(const struct tile *tile, uint64_t address, uint32_t *offset)
{
    struct tile_run run;
    for (struct tile_walk walk = tile_walk(tile); tile_next(&walk, &run);) {
        *offset = run.offset + (uint32_t)(address - run.address);
        if (!run.is_fill && address - run.address < run.bytes) return true;
    }
    return false;
}

bool provenance_of_global(const struct box *box, const int32_t *coord, uint32_t shared, uint64_t address,
                          struct provenance *place)
{
    uint32_t offset;
    const bool is_there = box->mode == TENSORMAP_IM2COL ? global_in_column(&box->column, address, &offset)
                                                        : global_in_tile(&box->tile, address, &offset);
    return is_there && place_at(box, coord, shared, offset, place);
}
