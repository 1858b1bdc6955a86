// SPDX-License-Identifier: MIT
// Random wrong tiles: a tile as programs load them, small enough to keep, and one of the causes planted in it. A plant
// that the tile cannot have, or that an H200 would refuse, is drawn again; one that does not show is kept.
#include <string.h>

#include "arena.h"
#include "diagnose_case.h"

enum { BOX_BYTES = 1024, TRIES = 50, PLANTS = CAUSE_OVERWRITTEN + 1 }; // what a kernel can plant

// --- the tile that is meant --------------------------------------------------------------------------------------

static void pick_kind(struct random *random, struct map_args *map)
{
    static const uint32_t types[] = {DTYPE_FLOAT16, DTYPE_BFLOAT16, DTYPE_FLOAT16, DTYPE_UINT8,
                                     DTYPE_FLOAT32, DTYPE_INT32,    DTYPE_FLOAT64, DTYPE_UINT16};
    static const uint32_t ranks[] = {1, 2, 2, 2, 2, 3, 3, 4, 4, 5};
    static const uint32_t swizzles[] = {SWIZZLE_NONE, SWIZZLE_NONE, SWIZZLE_32B,
                                        SWIZZLE_64B,  SWIZZLE_128B, SWIZZLE_128B};
    map->data_type = random_pick(random, types);
    map->rank = random_pick(random, ranks);
    map->swizzle = random_pick(random, swizzles);
    map->interleave = map->rank >= 3 && random_chance(random, 15) ? 1 + (uint32_t)random_below(random, 2) : 0;
    if (map->interleave == INTERLEAVE_32B) map->swizzle = SWIZZLE_32B;
    map->oob_fill = dtype_row((enum dtype)map->data_type)->is_float && random_chance(random, 30);
}

static void pick_tiled(struct random *random, struct map_args *map)
{
    uint32_t element = map_element_bytes(map), span = map->swizzle == SWIZZLE_NONE ? 128 : 16u << map->swizzle;
    uint32_t pieces = span / 16, row;
    map->function = MAP_TILED;
    row = (random_chance(random, 70) ? pieces : 1 + (uint32_t)random_below(random, pieces)) * 16;
    map->box[0] = row / element;
    if (map->interleave != INTERLEAVE_NONE) map->box[0] = 16, row = 256 * map->interleave;
    uint32_t left = BOX_BYTES / (row < span ? span : row);
    for (uint32_t i = 0; i < map->rank; i++) {
        map->estride[i] = i > 0 && random_chance(random, 12) ? 2 + (uint32_t)random_below(random, 2) : 1;
        if (i > 0) {
            uint32_t steps = i + 1 == map->rank ? left : 1 + (uint32_t)random_below(random, left);
            if (map->interleave != INTERLEAVE_NONE && i == map->rank - 2) steps = 1;
            if (steps == 0) steps = 1;
            map->box[i] = steps * map->estride[i];
            left /= steps;
        }
        map->dim[i] = map->box[i] * (uint64_t)random_range(random, 1, map->rank > 3 ? 3 : 6) + random_below(random, 20);
    }
}

// A small convolution: 3 to 5 dimensions, padding 1 or 2.
static void pick_im2col(struct random *random, struct map_args *map)
{
    uint32_t element = map_element_bytes(map), span = map->swizzle == SWIZZLE_NONE ? 64 : 16u << map->swizzle;
    map->function = MAP_IM2COL;
    map->interleave = INTERLEAVE_NONE;
    if (map->rank < 3) map->rank = 4;
    map->channels = span / element;
    map->pixels = BOX_BYTES / span;
    for (uint32_t i = 0; i < map->rank; i++) {
        map->estride[i] = 1;
        map->dim[i] = i == 0 ? map->channels * (1 + random_below(random, 3)) : 5 + random_below(random, 12);
    }
    map->dim[map->rank - 1] = 1 + random_below(random, 4);
    for (uint32_t k = 0; k + 2 < map->rank; k++) {
        map->lower[k] = (int32_t)-random_range(random, 0, 2);
        map->upper[k] = (int32_t)-random_range(random, 0, 2);
    }
}

static void pick_coords(struct random *random, struct diagnose_load *load, unsigned edge_percent)
{
    const struct map_args *map = &load->map;
    uint32_t edge = random_chance(random, edge_percent) ? (uint32_t)random_below(random, map->rank) : map->rank;
    for (uint32_t i = 0; i < map->rank; i++) {
        int64_t box = map->function == MAP_TILED ? map->box[i] : i == 0 ? map->channels : 1, dim = (int64_t)map->dim[i];
        int64_t at = dim > box ? random_range(random, 0, dim - box) : 0;
        if (i == edge && map->function == MAP_TILED)
            at = random_chance(random, 50) ? dim - box + box / 2 : -(box + 1) / 2;
        if (random_chance(random, 50) && i != edge) at -= at % box;
        load->coord[i] = (int32_t)at;
        if (i == 0 && map->interleave == INTERLEAVE_NONE) load->coord[0] = map_align_coord(map, load->coord[0]);
    }
    for (uint32_t k = 0; map->function == MAP_IM2COL && k + 2 < map->rank; k++)
        load->offset[k] = (uint16_t)random_below(random, 3);
}

static void pick_meant(struct random *random, struct diagnose_case *c, bool is_im2col)
{
    struct diagnose_load *meant = &c->meant;
    pick_kind(random, &meant->map);
    if (is_im2col)
        pick_im2col(random, &meant->map);
    else
        pick_tiled(random, &meant->map);
    map_pick_strides(random, &meant->map, 35, 1, 12, meant->map.strides);
    pick_coords(random, meant, c->cause == CAUSE_FILL || c->cause == CAUSE_BOUNDS ? 100 : 30);
    meant->map.address = ARENA_BASE + ARENA_BYTES / 8 + 32 * random_below(random, ARENA_BYTES / 8 / 32);
    meant->shared = LOAD_WINDOW_START + 4096 + 128 * (uint32_t)random_below(random, random_chance(random, 60) ? 1 : 32);
    meant->shared = meant->shared / 1024 * 1024 + (random_chance(random, 60) ? 0 : meant->shared % 1024);
}

// --- the causes ---------------------------------------------------------------------------------------------------

static uint32_t pick_dim(struct random *random, const struct map_args *map)
{
    return (uint32_t)random_below(random, map->rank);
}

static int32_t sign(struct random *random)
{
    return random_chance(random, 50) ? 1 : -1;
}

static int64_t span_of(const struct map_args *map, uint32_t i)
{
    if (map->function == MAP_IM2COL) return i == 0 ? map->channels : 1;
    return map->interleave != INTERLEAVE_NONE && i == map->rank - 2 ? 1 : map->box[i];
}

static void plant_coord(struct random *random, struct diagnose_case *c)
{
    struct diagnose_load *load = &c->load[0];
    uint32_t i = pick_dim(random, &load->map), j = pick_dim(random, &load->map);
    int32_t piece = i == 0 && load->map.interleave == INTERLEAVE_NONE ? 16 / (int32_t)map_element_bytes(&load->map) : 1,
            old;
    int32_t boxes = 1 + (int32_t)random_below(random, 4);
    switch ((enum cause)c->cause) {
    case CAUSE_COORD_SWAPPED:
        old = load->coord[i];
        load->coord[i] = load->coord[j];
        load->coord[j] = old;
        break;
    case CAUSE_COORD_UNIT:
        if (random_chance(random, 40)) {
            load->coord[0] *= (int32_t)map_element_bytes(&load->map);
            break;
        }
        for (uint32_t d = 0; d < load->map.rank; d++) {
            c->meant.coord[d] -= c->meant.coord[d] % (int32_t)span_of(&load->map, d);
            load->coord[d] = c->meant.coord[d] / (int32_t)span_of(&load->map, d);
        }
        break;
    case CAUSE_OTHER_PHASE:
        old = load->coord[i] + sign(random) * boxes * (int32_t)span_of(&load->map, i);
        if (old >= 0 && old < (int64_t)load->map.dim[i]) load->coord[i] = old; // a loop's tiles begin in the tensor
        break;
    default:
        old = (1 + (int32_t)random_below(random, random_chance(random, 60) ? 4 : 40)) * piece;
        if (old % span_of(&load->map, i) != 0) load->coord[i] += sign(random) * old;
        break;
    }
}

static void plant_stride(struct random *random, struct map_args *map)
{
    uint32_t i = map->rank > 1 ? (uint32_t)random_below(random, map->rank - 1) : 0,
             j = i + 1 < map->rank - 1 ? i + 1 : 0;
    uint64_t packed = map_unit_bytes(map), old = map->strides[i];
    if (map->rank < 2) return;
    switch (random_below(random, 5)) {
    case 0: // no padding
        for (uint32_t d = 0; d + 1 < map->rank; d++) {
            packed = (packed * map->dim[d] + 15) / 16 * 16;
            map->strides[d] = packed;
        }
        break;
    case 1: // elements in place of bytes
        map->strides[i] /= map_element_bytes(map);
        break;
    case 2:
        map->strides[i] = map->strides[j];
        map->strides[j] = old;
        break;
    default:
        map->strides[i] += 16 * (uint64_t)random_range(random, -8, 30);
        break;
    }
}

static void plant_box(struct random *random, struct map_args *map)
{
    uint32_t i = pick_dim(random, map), j = pick_dim(random, map), old = map->box[i];
    if (map->function == MAP_IM2COL) {
        map->pixels = 1 + (uint32_t)random_below(random, 2 * map->pixels);
    } else if (random_chance(random, 50)) {
        map->box[i] = map->box[j];
        map->box[j] = old;
    } else {
        map->box[i] = random_chance(random, 50) ? old * 2 : old > 1 ? old / 2 : 2;
    }
}

static void plant_bounds(struct random *random, const struct diagnose_load *meant, struct map_args *map)
{
    uint32_t i = pick_dim(random, map), j = pick_dim(random, map);
    uint64_t old = map->dim[i];
    if (random_chance(random, 40)) {
        map->dim[i] = map->dim[j];
        map->dim[j] = old;
    } else if (random_chance(random, 50)) {
        map->dim[i] += map->box[i];
    } else if (meant->coord[i] + (int64_t)map->box[i] > 1) {
        map->dim[i] = (uint64_t)(meant->coord[i] + (int64_t)map->box[i] / 2 + 1);
    }
}

static void plant_map(struct random *random, struct diagnose_case *c)
{
    static const uint32_t types[] = {DTYPE_UINT8, DTYPE_FLOAT16, DTYPE_FLOAT32, DTYPE_FLOAT64, DTYPE_TFLOAT32};
    struct map_args *map = &c->load[0].map;
    uint32_t i = pick_dim(random, map);
    int64_t shift;
    switch ((enum cause)c->cause) {
    case CAUSE_SWIZZLE_MODE:
        map->swizzle = (map->swizzle + 1 + (uint32_t)random_below(random, 3)) % 4;
        break;
    case CAUSE_ELEMENT_STRIDE:
        if (i == 0 && map->interleave == INTERLEAVE_NONE) i = map->rank - 1; // dimension 0 has none
        map->estride[i] = map->estride[i] > 1 ? 1 : 2 + (uint32_t)random_below(random, 2);
        break;
    case CAUSE_BOX:
        plant_box(random, map);
        break;
    case CAUSE_STRIDE:
        plant_stride(random, map);
        break;
    case CAUSE_FILL:
        map->oob_fill = !map->oob_fill;
        break;
    case CAUSE_BOUNDS:
        plant_bounds(random, &c->meant, map);
        break;
    case CAUSE_ELEMENT_TYPE:
        map->data_type = random_pick(random, types);
        break;
    case CAUSE_INTERLEAVE:
        map->interleave = (map->interleave + 1 + (uint32_t)random_below(random, 2)) % 3;
        break;
    case CAUSE_IM2COL_CORNER:
        i %= map->rank - 2;
        shift = sign(random);
        shift *= 1 + (int32_t)random_below(random, 3);
        *(random_chance(random, 50) ? &map->lower[i] : &map->upper[i]) += (int32_t)shift;
        break;
    default:
        shift = 16 * sign(random);
        shift *= 1 + (int64_t)random_below(random, random_chance(random, 50) ? 8 : 200);
        map->address += (uint64_t)shift;
        break;
    }
}

// n slices, in each place one of another slice, or the same everywhere.
static void plant_slices(struct random *random, struct diagnose_case *c)
{
    uint32_t by = (uint32_t)random_below(random, 3), tx_bytes, bytes = diagnose_load_bytes(&c->meant, &tx_bytes);
    c->slices = c->loads = random_chance(random, 50) ? 2 : 4;
    c->slice_dim = pick_dim(random, &c->meant.map);
    for (uint32_t place = 0; place < c->slices; place++) {
        uint32_t slice = by == 0 ? (place + 1) % c->slices : by == 1 ? 0 : place == 1 ? 0 : place;
        c->load[place] = c->meant;
        c->load[place].shared += place * ((bytes + 127) / 128 * 128);
        c->load[place].coord[c->slice_dim] += (int32_t)(slice * span_of(&c->meant.map, c->slice_dim));
    }
}

static void plant_place(struct random *random, struct diagnose_case *c)
{
    uint32_t tx_bytes, bytes = diagnose_load_bytes(&c->meant, &tx_bytes), lines = (bytes + 127) / 128, dim;
    int64_t shift;
    uint16_t value;
    switch ((enum cause)c->cause) {
    case CAUSE_SWIZZLE_BASE:
        c->moved = 128 * (1 + (uint32_t)random_below(random, 7));
        c->load[0].shared -= c->moved;
        break;
    case CAUSE_READ_UNSWIZZLED:
        c->undone = random_chance(random, 70) && c->meant.map.swizzle != 0 ? c->meant.map.swizzle
                                                                           : 1 + (uint32_t)random_below(random, 3);
        break;
    case CAUSE_TRANSPOSED:
        c->transposed = 1;
        break;
    case CAUSE_SHARED_ADDRESS:
        shift = sign(random);
        shift *= 1 + (int32_t)random_below(random, 8);
        c->load[0].shared += 128 * (uint32_t)shift;
        break;
    case CAUSE_OVERWRITTEN:
        c->loads = 2;
        c->earlier = 1;
        c->load[1] = c->meant;
        dim = pick_dim(random, &c->meant.map);
        c->load[1].coord[dim] += sign(random) * (int32_t)span_of(&c->meant.map, dim);
        c->load[1].shared += 128 * (1 + (uint32_t)random_below(random, lines > 1 ? lines - 1 : 1));
        break;
    case CAUSE_WRONG_SLICE:
        plant_slices(random, c);
        break;
    default:
        value = (uint16_t)random_below(random, 5);
        c->load[0].offset[random_below(random, c->meant.map.rank - 2)] = value;
        break;
    }
}

// Never issued, or the dump taken too early; over canaries, or over the tile of the phase before.
static void plant_time(struct random *random, struct diagnose_case *c)
{
    if (c->cause == CAUSE_STALE && random_chance(random, 40)) {
        c->loads = 0;
        c->announce = (uint32_t)random_chance(random, 50);
        return;
    }
    c->clocks = (int32_t)random_below(random, 1200);
    if (c->cause == CAUSE_STALE) return;
    c->loads = 2;
    c->earlier = 1;
    plant_coord(random, c);
    c->load[1] = c->meant;
}

// Where causes are planted, as bits: in the coordinates, in the place of a tile and in who reads it; others in the map.
enum {
    IN_COORD = 1 << CAUSE_COORD_SWAPPED | 1 << CAUSE_COORD_UNIT | 1 << CAUSE_COORD_OFF | 1 << CAUSE_OTHER_PHASE,
    IN_PLACE = 1 << CAUSE_SWIZZLE_BASE | 1 << CAUSE_READ_UNSWIZZLED | 1 << CAUSE_TRANSPOSED |
               1 << CAUSE_SHARED_ADDRESS | 1 << CAUSE_OVERWRITTEN | 1 << CAUSE_WRONG_SLICE | 1 << CAUSE_IM2COL_OFFSET,
};
_Static_assert(CAUSES <= 31, "causes are bits of an int");

static void plant(struct random *random, struct diagnose_case *c)
{
    const bool in_time = c->cause == CAUSE_OTHER_PHASE ? !random_chance(random, 50) : c->cause == CAUSE_STALE;
    if (c->cause == CAUSE_TX_COUNT) return; // pick_expect() plants it
    if (in_time)
        plant_time(random, c);
    else if (IN_COORD >> c->cause & 1)
        plant_coord(random, c);
    else if (IN_PLACE >> c->cause & 1)
        plant_place(random, c);
    else
        plant_map(random, c);
}

// Can a tile have this cause, and does it then load on a machine?
static bool is_possible(const struct diagnose_case *c)
{
    uint8_t room[LOAD_SHARED_BYTES];
    const struct memory shared = {room, LOAD_SHARED_START, sizeof room};
    const struct map_args *map = &c->meant.map;
    uint32_t tx_bytes;
    if (diagnose_load_run(&c->meant, &shared, &tx_bytes) != RULE_OK) return false;
    bool is_swizzle = c->cause == CAUSE_SWIZZLE_BASE || c->cause == CAUSE_READ_UNSWIZZLED;
    if (is_swizzle && map->swizzle == SWIZZLE_NONE) return false;
    if (c->cause == CAUSE_TRANSPOSED &&
        (map->rank < 2 || map->function != MAP_TILED ||
         (map->swizzle != 0 && map->box[0] * map_element_bytes(map) < 16u << map->swizzle)))
        return false;
    bool is_changed = c->cause == CAUSES || c->cause == CAUSE_TX_COUNT || c->loads != 1 || c->clocks >= 0 ||
                      c->undone != 0 || c->transposed || memcmp(&c->load[0], &c->meant, sizeof c->meant) != 0;
    if (!is_changed) return false;
    for (uint32_t i = 0; i < c->loads; i++) {
        if (c->load[i].shared < LOAD_WINDOW_START) return false;
        if (diagnose_load_run(&c->load[i], &shared, &tx_bytes) != RULE_OK) return false;
    }
    for (uint32_t s = 1; s < c->slices; s++) {
        struct diagnose_load slice = c->meant;
        slice.coord[c->slice_dim] += (int32_t)(s * span_of(map, c->slice_dim));
        if (diagnose_load_run(&slice, &shared, &tx_bytes) != RULE_OK) return false;
    }
    return diagnose_window(c).size_bytes > 0;
}

static void pick_expect(struct random *random, struct diagnose_case *c)
{
    uint32_t total = diagnose_brought(c);
    if (c->loads == 0) diagnose_load_bytes(&c->meant, &total);
    c->expect = total;
    if (c->cause != CAUSE_TX_COUNT) return;
    uint32_t by = 16 * (1 + (uint32_t)random_below(random, 16));
    c->expect = random_chance(random, 50) || by >= total ? total + by : total - by;
}

void diagnose_generate(struct random *random, void *test_case)
{
    struct diagnose_case *c = test_case;
    uint32_t cause = (uint32_t)random_below(random, PLANTS + 2);
    for (int i = 0; i < TRIES; i++) {
        bool is_im2col = cause == CAUSE_IM2COL_OFFSET || cause == CAUSE_IM2COL_CORNER;
        *c = (struct diagnose_case){
            .cause = cause < PLANTS ? cause : CAUSES, .slices = 1, .loads = 1, .announce = 1, .clocks = -1};
        is_im2col = is_im2col || (random_chance(random, 8) && cause <= CAUSE_COORD_SWAPPED);
        pick_meant(random, c, is_im2col);
        c->load[0] = c->meant;
        if (c->cause < CAUSES) plant(random, c);
        if (is_possible(c)) break;
        if (i + 2 >= TRIES) cause = CAUSES;
    }
    pick_expect(random, c);
}
