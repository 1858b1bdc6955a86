// SPDX-License-Identifier: MIT
// The im2col walk. Pixels are visited in the order of shared memory: W steps fastest through the bounding box, then H,
// then D, then N. A pixel is at most three runs: fill, data, fill.
#include "im2col.h"

#include <stdbool.h>

enum { PIECE_BYTES = 16 };

// Rule IM2COL_OFFSETS: 16 bits of W; 8 + 8 bits; or 5 + 5 + 5 bits of a sum in which carries go to the next field.
static void decode_offsets(int spatials, const uint16_t *given, uint32_t *offset)
{
    uint32_t packed = given[0];
    if (spatials == 3) packed = given[0] + 32u * given[1] + 1024u * given[2];
    for (int k = 0; k < spatials; k++) {
        if (spatials == 1) offset[k] = given[k];
        if (spatials == 2) offset[k] = given[k] & 0xff;
        if (spatials == 3) offset[k] = packed >> 5 * k & 0x1f;
    }
}

static int64_t clamp(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value < most ? value : most;
}

// What of a pixel is in bounds along C: rules IM2COL_BOUNDS, IM2COL_INTERLEAVE.
static void bound_channels(struct im2col *column, int64_t start)
{
    const struct tensormap *map = column->map;
    if (map->interleave != INTERLEAVE_NONE) {
        bool is_inside = start >= 0 && start < (int64_t)map->dim[map->rank - 2];
        column->past_byte = is_inside ? column->pixel_bytes : 0;
        return;
    }
    int64_t channels = map->box[0], element = (int64_t)map->stride[0];
    column->first_byte = (uint32_t)(clamp(-start, channels) * element);
    column->past_byte = (uint32_t)(clamp((int64_t)map->dim[0] - start, channels) * element);
    if (column->past_byte <= column->first_byte) column->first_byte = column->past_byte = 0;
}

static void bound_space(struct im2col *column, const int32_t *coord)
{
    for (int k = 0; k < column->spatials; k++) {
        column->start[k] = coord[column->spatial + k];
        column->lower[k] = column->map->lower[k];
        column->upper[k] = (int64_t)column->map->dim[column->spatial + k] - 1 + column->map->upper[k];
    }
}

struct im2col im2col_of(const struct tensormap *map, const int32_t *coord, const uint16_t *offset)
{
    bool interleaved = map->interleave != INTERLEAVE_NONE;
    int inner = interleaved ? map->rank - 2 : 0;
    struct im2col column = {.map = map, .spatial = !interleaved, .spatials = map->rank - 2, .pixels = map->pixels};
    uint32_t step = tensormap_step_bytes(map), span = interleaved ? 0 : tensormap_span_bytes(map->swizzle);
    column.start_n = coord[map->rank - 1];
    column.pixel_bytes = interleaved ? step : map->box[0] * step;
    column.pitch_bytes = column.pixel_bytes > span ? column.pixel_bytes : span;
    column.inner_address = map->address + (uint64_t)(int64_t)coord[inner] * map->stride[inner];
    column.step_bytes = map->stride[column.spatial] * map->estride[column.spatial];
    column.pixels_touch = column.pitch_bytes == column.pixel_bytes && column.step_bytes == column.pixel_bytes;
    bound_space(&column, coord);
    bound_channels(&column, coord[inner]);
    decode_offsets(column.spatials, offset, column.offset);
    return column;
}

struct im2col im2col_of_store(const struct tensormap *map, const int32_t *coord)
{
    static const uint16_t none[IM2COL_MAX_SPATIAL] = {0};
    struct im2col column = im2col_of(map, coord, none);
    column.past_byte = (column.past_byte + PIECE_BYTES - 1) / PIECE_BYTES * PIECE_BYTES; // pixels are whole pieces
    return column;
}

int im2col_start_in_box(const struct im2col *column, int *outside)
{
    for (int k = 0; k < column->spatials; k++) {
        *outside = k;
        if (column->start[k] < column->lower[k] || column->start[k] > column->upper[k]) return 0;
    }
    return 1;
}

uint64_t im2col_transaction_bytes(const struct im2col *column)
{
    return (uint64_t)column->pixels * column->pixel_bytes;
}

uint64_t im2col_extent_bytes(const struct im2col *column)
{
    return (uint64_t)(column->pixels - 1) * column->pitch_bytes + column->pixel_bytes;
}

struct im2col_walk im2col_walk(const struct im2col *column)
{
    struct im2col_walk walk = {.column = column, .n = column->start_n};
    for (int k = 0; k < column->spatials; k++) walk.at[k] = column->start[k];
    return walk;
}

// Is the pixel out of bounds in N or in a spatial dimension from `k` on?
static bool is_outside(const struct im2col_walk *walk, int k)
{
    const struct im2col *column = walk->column;
    const uint64_t *dim = column->map->dim;
    bool outside = walk->n < 0 || walk->n >= (int64_t)dim[column->map->rank - 1];
    for (; k < column->spatials; k++) {
        int64_t index = walk->at[k] + column->offset[k];
        outside |= index < 0 || index >= (int64_t)dim[column->spatial + k];
    }
    return outside;
}

int im2col_first_outside(const struct im2col *column)
{
    struct im2col_walk walk = im2col_walk(column);
    return is_outside(&walk, 0) || column->first_byte > 0 || column->past_byte == 0;
}

static uint64_t pixel_address(const struct im2col_walk *walk)
{
    const struct im2col *column = walk->column;
    const uint64_t *stride = column->map->stride;
    uint64_t address = column->inner_address + (uint64_t)walk->n * stride[column->map->rank - 1];
    for (int k = 0; k < column->spatials; k++)
        address += (uint64_t)(walk->at[k] + column->offset[k]) * stride[column->spatial + k];
    return address;
}

// How many steps of `by` from `from` (itself included) stay below `bound`.
static int64_t steps_below(int64_t from, int64_t bound, int64_t by)
{
    return from >= bound ? 0 : (bound - from + by - 1) / by;
}

// How many pixels, from this one on along W, are alike: all in bounds there, or all on the same side.
static uint32_t pixels_alike(const struct im2col_walk *walk)
{
    const struct im2col *column = walk->column;
    int64_t by = column->map->estride[column->spatial], dim = (int64_t)column->map->dim[column->spatial];
    int64_t index = walk->at[0] + column->offset[0], alike = column->pixels - walk->pixel;
    int64_t in_row = steps_below(walk->at[0], column->upper[0] + 1, by);
    int64_t in_bounds = index < 0 ? steps_below(index, 0, by) : index < dim ? steps_below(index, dim, by) : alike;
    if (in_row < 1) in_row = 1; // a start outside the box
    if (alike > in_row) alike = in_row;
    if (alike > in_bounds && column->past_byte > 0 && !is_outside(walk, 1)) alike = in_bounds;
    return (uint32_t)alike;
}

// Moves on along W by pixels that are alike, then to the next row of the bounding box: rules IM2COL_WALK, IM2COL_BATCH.
static void next_pixel(struct im2col_walk *walk, uint32_t pixels)
{
    const struct im2col *column = walk->column;
    const uint32_t *estride = column->map->estride;
    walk->done_bytes = 0;
    walk->pixel += pixels;
    walk->at[0] += (int64_t)(pixels - 1) * estride[column->spatial];
    for (int k = 0; k < column->spatials; k++) {
        walk->at[k] += estride[column->spatial + k];
        if (walk->at[k] <= column->upper[k]) return;
        walk->at[k] = column->lower[k];
    }
    walk->n += estride[column->map->rank - 1];
}

// The run at hand, and how many pixels are alike: 1 where the run is a part of its pixel.
static uint32_t look(const struct im2col_walk *walk, struct tile_run *run)
{
    const struct im2col *column = walk->column;
    uint32_t from = walk->done_bytes, end = column->pixel_bytes;
    run->is_fill = from < column->first_byte || from >= column->past_byte || is_outside(walk, 0);
    if (!is_outside(walk, 0) && from < column->past_byte)
        end = from < column->first_byte ? column->first_byte : column->past_byte;
    run->offset = walk->pixel * column->pitch_bytes + from;
    run->bytes = end - from;
    run->address = pixel_address(walk) + from;
    return run->bytes == column->pixel_bytes ? pixels_alike(walk) : 1;
}

static void pass(struct im2col_walk *walk, uint32_t bytes, uint32_t pixels)
{
    walk->done_bytes += bytes;
    if (walk->done_bytes == walk->column->pixel_bytes) next_pixel(walk, pixels);
}

int im2col_next(struct im2col_walk *walk, struct tile_run *run)
{
    if (walk->pixel == walk->column->pixels) return 0;
    uint32_t alike = look(walk, run);
    if (!walk->column->pixels_touch) alike = 1;
    pass(walk, run->bytes, alike);
    run->bytes *= alike;
    return 1;
}

uint32_t im2col_next_pixels(struct im2col_walk *walk, struct tile_run *run)
{
    if (walk->pixel == walk->column->pixels) return 0;
    if (walk->column->pixels_touch) return (uint32_t)im2col_next(walk, run);
    uint32_t alike = look(walk, run);
    pass(walk, run->bytes, alike);
    return alike;
}

uint64_t im2col_reach_bytes(const struct im2col *column)
{
    struct im2col_walk walk = im2col_walk(column);
    struct tile_run run;
    uint64_t reach = 0;
    for (uint32_t pixels; (pixels = im2col_next_pixels(&walk, &run)) > 0;)
        if (!run.is_fill) reach = run.offset + (uint64_t)(pixels - 1) * column->pitch_bytes + run.bytes;
    return reach;
}
