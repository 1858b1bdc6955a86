// SPDX-License-Identifier: MIT
// The tiled walk. Rows are visited in the order of shared memory; a row is at most three runs: fill, data, fill (with
// interleave and an element stride along dimension 0, one run per pixel).
#include "tile.h"

#include <stdbool.h>

enum { STORE_PIECE_BYTES = 16, ALIKE_BYTES = INT32_MAX };

static uint32_t divide_up(uint32_t value, uint32_t by)
{
    return by == 1 ? value : (value + by - 1) / by;
}

// Steps along dimension i: rules TILE_STEPS, TILE_INNER_STRIDE, TILE_INTERLEAVE.
static uint32_t steps_of(const struct tensormap *map, int i)
{
    bool interleaved = map->interleave != INTERLEAVE_NONE;
    if (i == 0 && !interleaved) return map->box[0];
    if (i == map->rank - 2 && interleaved) return 1;
    return divide_up(map->box[i], map->estride[i]);
}

// The step of dimension 0: neighbouring elements without interleave, whatever elementStrides[0] says.
static uint32_t inner_estride(const struct tensormap *map)
{
    return map->interleave == INTERLEAVE_NONE ? 1 : map->estride[0];
}

void tile_start(struct tile *tile, const struct tensormap *map, const int32_t *coord)
{
    uint32_t span = map->interleave == INTERLEAVE_NONE ? tensormap_span_bytes(map->swizzle) : 0;
    tile->map = map;
    tile->inner_dim = map->dim[0];
    tile->rows = 1;
    for (int i = 0; i < map->rank; i++) {
        tile->coord[i] = coord[i];
        tile->steps[i] = steps_of(map, i);
        if (i > 0) tile->rows *= tile->steps[i];
    }
    tile->row_bytes = tile->steps[0] * tensormap_step_bytes(map);
    tile->pitch_bytes = tile->row_bytes > span ? tile->row_bytes : span;
    tile->row_step_bytes = map->rank > 1 ? map->stride[1] * map->estride[1] : 0;
    tile->rows_touch = map->rank > 1 && tile->pitch_bytes == tile->row_bytes && inner_estride(map) == 1 &&
                       tile->row_step_bytes == tile->row_bytes;
}

void tile_start_store(struct tile *tile, const struct tensormap *map, const int32_t *coord)
{
    uint64_t piece = STORE_PIECE_BYTES / tensormap_step_bytes(map); // 0 for interleave 32B, whose pixels are two
    tile_start(tile, map, coord);
    if (piece > 1) tile->inner_dim = (tile->inner_dim + piece - 1) / piece * piece;
}

struct tile tile_of(const struct tensormap *map, const int32_t *coord)
{
    struct tile tile = {0};
    tile_start(&tile, map, coord);
    return tile;
}

struct tile tile_of_store(const struct tensormap *map, const int32_t *coord)
{
    struct tile tile = {0};
    tile_start_store(&tile, map, coord);
    return tile;
}

uint64_t tile_transaction_bytes(const struct tile *tile)
{
    return tile->rows * tile->row_bytes;
}

uint64_t tile_extent_bytes(const struct tile *tile)
{
    return (tile->rows - 1) * tile->pitch_bytes + tile->row_bytes;
}

// How many of the steps coordinate, coordinate + by, ... lie below `bound`.
static int64_t steps_below(int64_t coordinate, int64_t bound, int64_t by, int64_t steps)
{
    if (coordinate >= bound) return 0;
    return coordinate + by * (steps - 1) < bound ? steps : (bound - coordinate + by - 1) / by;
}

uint64_t tile_reach_bytes(const struct tile *tile)
{
    const struct tensormap *map = tile->map;
    uint64_t row = 0, rows = 1;
    for (int i = 1; i < map->rank; i++) {
        int64_t inside = steps_below(tile->coord[i], (int64_t)map->dim[i], map->estride[i], tile->steps[i]);
        if (inside == 0) return 0;
        row += (uint64_t)(inside - 1) * rows;
        rows *= tile->steps[i];
    }
    int64_t inside = steps_below(tile->coord[0], (int64_t)tile->inner_dim, inner_estride(map), tile->steps[0]);
    return inside == 0 ? 0 : row * tile->pitch_bytes + (uint64_t)inside * tensormap_step_bytes(map);
}

static inline bool is_outside(const struct tile *tile, int i, uint32_t step)
{
    int64_t index = (int64_t)tile->coord[i] + (int64_t)step * tile->map->estride[i];
    return (uint64_t)index >= tile->map->dim[i]; // what is negative is large
}

// Is any step of dimension i in bounds?
static bool has_inside(const struct tile *tile, int i)
{
    int64_t by = tile->map->estride[i], steps = tile->steps[i], start = tile->coord[i];
    return steps_below(start, (int64_t)tile->map->dim[i], by, steps) > steps_below(start, 0, by, steps);
}

void tile_walk_start(struct tile_walk *walk, const struct tile *tile)
{
    int64_t by = inner_estride(tile->map);
    *walk = (struct tile_walk){.tile = tile};
    walk->first = steps_below(tile->coord[0], 0, by, tile->steps[0]);
    walk->past = steps_below(tile->coord[0], (int64_t)tile->inner_dim, by, tile->steps[0]);
    walk->row_address = tile->map->address + (uint64_t)(int64_t)tile->coord[0] * tile->map->stride[0];
    for (int i = 1; i < tile->map->rank; i++) {
        walk->row_address += (uint64_t)(int64_t)tile->coord[i] * tile->map->stride[i];
        if (!is_outside(tile, i, 0)) continue;
        walk->outside++;
        if (!has_inside(tile, i)) walk->first = walk->past = 0; // nothing of any row is in bounds
    }
}

struct tile_walk tile_walk(const struct tile *tile)
{
    struct tile_walk walk;
    tile_walk_start(&walk, tile);
    return walk;
}

struct tile_walk tile_walk_from(const struct tile *tile, uint64_t row)
{
    const struct tensormap *map = tile->map;
    struct tile_walk walk = tile_walk(tile);
    walk.row = row;
    walk.outside = 0;
    for (int i = 1; i < map->rank; i++) {
        walk.step[i] = (uint32_t)(row % tile->steps[i]);
        walk.row_address += walk.step[i] * map->stride[i] * map->estride[i];
        walk.outside += (uint32_t)is_outside(tile, i, walk.step[i]);
        row /= tile->steps[i];
    }
    return walk;
}

// Moves to the next row: an odometer over dimensions 1 and up.
static void next_row(struct tile_walk *walk)
{
    const struct tile *tile = walk->tile;
    const struct tensormap *map = tile->map;
    walk->row++;
    walk->done_bytes = 0;
    for (int i = 1; i < map->rank; i++) {
        uint64_t step_bytes = map->stride[i] * map->estride[i];
        walk->outside -= (uint32_t)is_outside(tile, i, walk->step[i]);
        bool carry = ++walk->step[i] == tile->steps[i];
        walk->row_address += step_bytes;
        if (carry) {
            walk->row_address -= step_bytes * tile->steps[i];
            walk->step[i] = 0;
        }
        walk->outside += (uint32_t)is_outside(tile, i, walk->step[i]);
        if (!carry) return;
    }
}

// How many steps, from this one on along dimension i, are alike: all in bounds there, or all on the same side.
static inline uint32_t steps_alike(const struct tile_walk *walk, int i)
{
    const struct tile *tile = walk->tile;
    int64_t by = tile->map->estride[i], here = walk->step[i], steps = tile->steps[i];
    int64_t negative = steps_below(tile->coord[i], 0, by, steps);
    int64_t below = steps_below(tile->coord[i], (int64_t)tile->map->dim[i], by, steps);
    return (uint32_t)((here < negative ? negative : here < below ? below : steps) - here);
}

// The same of rows that are all fill: while the outermost dimension that is out of bounds stays so, what the ones below
// it do does not matter. A row that is out of bounds in itself is like all that are left.
static uint64_t fill_alike(const struct tile_walk *walk)
{
    const struct tile *tile = walk->tile;
    uint64_t begun = 0, below = 1;
    int outermost = tile->map->rank - 1;
    if (walk->past <= walk->first) return tile->rows - walk->row;
    while (!is_outside(tile, outermost, walk->step[outermost])) outermost--;
    for (int i = 1; i < outermost; i++) {
        begun += walk->step[i] * below;
        below *= tile->steps[i];
    }
    return steps_alike(walk, outermost) * below - begun;
}

// Passes over the rows of fill that are like the current one, it included, but at most 2 GiB of them.
__attribute__((cold)) static uint32_t pass_fill(struct tile_walk *walk)
{
    const struct tile *tile = walk->tile;
    uint64_t rows = fill_alike(walk), most = ALIKE_BYTES / tile->pitch_bytes;
    if (rows > most) rows = most;
    if (rows > 1) *walk = tile_walk_from(tile, walk->row + rows - 1);
    walk->done_bytes = tile->row_bytes;
    return (uint32_t)rows;
}

// Passes over the rows that are like the current one, which the walk has done: returns how many, it included.
static inline uint32_t pass_rows(struct tile_walk *walk, bool is_fill)
{
    if (walk->tile->map->rank == 1) return 1;
    if (is_fill) return pass_fill(walk);
    uint32_t rows = steps_alike(walk, 1);
    walk->row += rows - 1;
    walk->step[1] += rows - 1;
    walk->row_address += (rows - 1) * walk->tile->row_step_bytes;
    return rows;
}

int tile_next(struct tile_walk *walk, struct tile_run *run)
{
    const struct tile *tile = walk->tile;
    if (walk->done_bytes == tile->row_bytes) next_row(walk);
    if (walk->row == tile->rows) return 0;

    uint32_t element = tile->row_bytes / tile->steps[0], by = inner_estride(tile->map);
    int64_t step = walk->done_bytes / element, end = tile->steps[0];
    run->is_fill = walk->outside != 0 || step < walk->first || step >= walk->past;
    if (walk->outside == 0) end = step < walk->first ? walk->first : step < walk->past ? walk->past : end;
    if (!run->is_fill && by != 1) end = step + 1;
    run->offset = (uint32_t)walk->row * tile->pitch_bytes + walk->done_bytes;
    run->bytes = (uint32_t)(end - step) * element;
    run->address = walk->row_address + (uint64_t)step * by * element;
    walk->done_bytes += run->bytes;
    if (run->bytes == tile->row_bytes && tile->rows_touch) run->bytes *= pass_rows(walk, run->is_fill);
    return 1;
}

uint32_t tile_next_rows(struct tile_walk *walk, struct tile_run *run)
{
    if (!tile_next(walk, run)) return 0;
    if (run->bytes != walk->tile->row_bytes || walk->tile->rows_touch) return 1;
    return pass_rows(walk, run->is_fill);
}
