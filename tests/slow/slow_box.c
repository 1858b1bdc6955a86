// SPDX-License-Identifier: MIT
// The slow walk of a tiled box, which loads, stores and reductions share: which elements there are, where each lies in
// global and in shared memory, whether it is in bounds, and what of map and coordinates is illegal.
#include "slow_box.h"

#include <inttypes.h>
#include <stdio.h>

uint32_t slow_swizzle(int mode, uint32_t address, enum slow_mutant mutant)
{
    int bits = mode;
    int from = mutant == SLOW_SWIZZLE_BIT_HIGH ? 8 : 7;
    if (mode == 1 && mutant == SLOW_SWIZZLE_32B_TWO_BITS) bits = 2;
    if (mode == 3 && mutant == SLOW_SWIZZLE_128B_TWO_BITS) bits = 2;
    if (mode == 0 && mutant == SLOW_SWIZZLE_ALWAYS) bits = 1;
    uint32_t result = 0;
    for (int bit = 0; bit < 32; bit++) {
        uint32_t value = address >> bit & 1;
        if (bit >= 4 && bit < 4 + bits) value = value != (address >> (bit - 4 + from) & 1);
        result += value << bit;
    }
    return result;
}

// CUDA driver API 13.0, cuTensorMapEncodeTiled: tensorDataType.
static uint32_t element_bytes(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_UINT8:
        return 1;
    case DTYPE_UINT16:
    case DTYPE_FLOAT16:
    case DTYPE_BFLOAT16:
        return 2;
    case DTYPE_UINT64:
    case DTYPE_INT64:
    case DTYPE_FLOAT64:
        return 8;
    default:
        return 4;
    }
}

// The dimension that counts channel slices, or -1.
static int slice_dimension(const struct slow_box *box)
{
    const struct tensormap *map = &box->tile->map;
    if (map->interleave == INTERLEAVE_NONE) return -1;
    return box->mutant == SLOW_INTERLEAVE_SLICE_LAST ? map->rank - 1 : map->rank - 2;
}

// 0 if dimension `d` has no element stride: the slices, and dimension 0 without interleave.
static bool is_strided(const struct slow_box *box, int d)
{
    if (d == slice_dimension(box)) return false;
    if (d > 0) return true;
    if (box->tile->map.interleave == INTERLEAVE_NONE) return box->mutant == SLOW_INNER_STRIDE_HONOURED;
    return box->mutant != SLOW_INNER_STRIDE_IGNORED;
}

static uint32_t steps_of(const struct slow_box *box, int d)
{
    const struct tensormap *map = &box->tile->map;
    if (d >= map->rank) return 1;
    if (d == slice_dimension(box)) return box->mutant == SLOW_INTERLEAVE_SLICE_BOX ? map->box[d] : 1;
    if (!is_strided(box, d) || box->mutant == SLOW_STEPS_BOX) return map->box[d];
    if (box->mutant == SLOW_STEPS_FLOOR) return map->box[d] / map->estride[d];
    uint32_t steps = 0;
    for (uint32_t at = 0; at < map->box[d]; at += map->estride[d]) steps++;
    return steps;
}

static uint32_t pitch_of(const struct slow_box *box)
{
    static const uint32_t span[] = {0, 32, 64, 128};
    const struct tensormap *map = &box->tile->map;
    uint32_t row = box->steps[0] * box->unit;
    if (map->interleave != INTERLEAVE_NONE) {
        if (box->mutant != SLOW_INTERLEAVE_PADDED) return row;
        while (map->swizzle != SWIZZLE_NONE && row % span[map->swizzle] != 0) row++;
        return row;
    }
    if (map->swizzle == SWIZZLE_NONE || box->mutant == SLOW_PITCH_ROW_BYTES) return row;
    return box->mutant == SLOW_PITCH_ALWAYS_128 ? 128 : span[map->swizzle];
}

// The coordinate that step `k` of dimension `d` has in the tensor.
static int64_t index_of(const struct slow_box *box, int d, uint32_t k)
{
    const struct tensormap *map = &box->tile->map;
    int64_t start = box->tile->coord[d];
    int64_t per_unit = box->unit / box->element;
    if (d == 0 && map->interleave != INTERLEAVE_NONE && box->mutant == SLOW_INTERLEAVE_COORD_ELEMENTS) {
        start /= per_unit;
    }
    if (d == slice_dimension(box) && box->mutant == SLOW_INTERLEAVE_CHANNELS) start /= per_unit;
    int64_t index = start + (int64_t)k * (is_strided(box, d) && box->mutant != SLOW_STEPS_UNIT ? map->estride[d] : 1);
    if (index < 0 && box->mutant == SLOW_BOUNDS_NEGATIVE) index += (int64_t)map->dim[d];
    return index;
}

bool slow_box_is_inside(const struct slow_box *box, const uint32_t *k)
{
    const struct tensormap *map = &box->tile->map;
    for (int d = 0; d < map->rank; d++) {
        int64_t index = index_of(box, d, k[d]);
        int64_t dim = (int64_t)map->dim[d];
        int64_t piece = map->interleave == INTERLEAVE_NONE ? 16 / (int64_t)box->element : 1;
        if (d == 0 && box->mutant == SLOW_BOUNDS_ROW) index = index_of(box, d, 0);
        if (d == 0 && box->mutant == SLOW_BOUNDS_PIECE) index -= (index % piece + piece) % piece;
        if (d > 0 && box->mutant == SLOW_BOUNDS_INNER) continue;
        if (box->mutant == SLOW_BOUNDS_UPPER) dim++;
        if (box->mutant == SLOW_BOUNDS_INT32 && dim > INT32_MAX) dim -= (int64_t)1 << 32;
        if (box->mutant == SLOW_BOUNDS_UNSTRIDED) index = box->tile->coord[d] + (int64_t)k[d];
        if (index < 0 || index >= dim) return false;
    }
    return true;
}

static uint64_t stride_of(const struct slow_box *box, int d)
{
    const struct tensormap *map = &box->tile->map;
    if (box->mutant == SLOW_STRIDE_INDEX) return d == 1 ? box->unit : map->stride[d - 1];
    if (box->mutant == SLOW_STRIDE_32_BITS) return map->stride[d] % ((uint64_t)1 << 32);
    if (box->mutant == SLOW_STRIDE_CUMULATIVE) {
        uint64_t below = map->dim[d - 1] * (d == 1 ? box->unit : stride_of(box, d - 1));
        return map->stride[d] < below ? below : map->stride[d];
    }
    return map->stride[d];
}

uint64_t slow_box_address(const struct slow_box *box, const uint32_t *k)
{
    uint64_t row = (uint64_t)index_of(box, 0, k[0]) * box->unit;
    if (box->mutant == SLOW_OFFSET_32_BITS) row %= (uint64_t)1 << 32;
    uint64_t address = box->tile->map.address + row;
    for (int d = 1; d < box->tile->map.rank; d++) {
        address += (uint64_t)index_of(box, d, k[d]) * stride_of(box, d);
    }
    return address;
}

uint32_t slow_box_row(const struct slow_box *box, const uint32_t *k)
{
    const uint32_t *n = box->steps;
    if (box->mutant == SLOW_ROWS_OUTERMOST_FIRST) return ((k[1] * n[2] + k[2]) * n[3] + k[3]) * n[4] + k[4];
    return ((k[4] * n[3] + k[3]) * n[2] + k[2]) * n[1] + k[1];
}

uint32_t slow_box_shared(const struct slow_box *box, uint32_t row, uint32_t byte)
{
    const struct slow_tile *tile = box->tile;
    int mode = (int)tile->map.swizzle;
    uint32_t offset = row * box->pitch + byte;
    if (tile->map.interleave != INTERLEAVE_NONE && box->mutant == SLOW_SWIZZLE_NOT_INTERLEAVED) mode = 0;
    if (box->mutant == SLOW_SWIZZLE_BOX_RELATIVE) return tile->shared + slow_swizzle(mode, offset, SLOW_NONE);
    if (box->mutant == SLOW_SWIZZLE_BY_ROW) {
        uint32_t chunk = (tile->shared + offset) / 16 ^ row % (1u << mode);
        return chunk * 16 + offset % 16;
    }
    return slow_swizzle(mode, tile->shared + offset, box->mutant);
}

bool slow_box_in_gmem(const struct slow_box *box, uint64_t address)
{
    return address >= box->tile->gmem_base && address < box->tile->gmem_base + box->tile->gmem_bytes;
}

bool slow_box_in_smem(const struct slow_box *box, uint32_t address)
{
    return address >= box->tile->smem_base && address < box->tile->smem_base + box->tile->smem_bytes;
}

struct slow_box slow_box_of(const struct slow_tile *tile, enum slow_mutant mutant)
{
    struct slow_box box = {.tile = tile, .mutant = mutant};
    box.element = element_bytes(tile->map.dtype);
    box.unit = tile->map.interleave == INTERLEAVE_NONE ? box.element : 16 * (uint32_t)tile->map.interleave;
    for (int d = 0; d < 5; d++) box.steps[d] = steps_of(&box, d);
    box.pitch = pitch_of(&box);
    return box;
}

bool slow_box_next(const struct slow_box *box, uint32_t *k)
{
    for (int d = 0; d < 5; d++) {
        if (++k[d] < box->steps[d]) return true;
        k[d] = 0;
    }
    return false;
}

// Mode, rank, dimensions, coordinate 0.
static bool is_illegal_copy(const struct slow_box *box)
{
    const struct slow_tile *tile = box->tile;
    const struct tensormap *map = &tile->map;
    int64_t dim_limit = (int64_t)1 << (box->mutant == SLOW_DIM_2_32 ? 32 : 31);
    if (box->mutant == SLOW_DIM_BELOW_2_31) dim_limit--;
    if (map->mode != TENSORMAP_TILED && box->mutant != SLOW_MODE_ANY) return true;
    if (tile->dims != map->rank && box->mutant != SLOW_RANK_ANY) return true;
    for (int d = 0; d < map->rank; d++) {
        if ((int64_t)map->dim[d] > dim_limit) return true;
    }
    static const uint32_t first[5] = {0, 0, 0, 0, 0};
    bool is_checked = map->interleave == INTERLEAVE_NONE || box->mutant == SLOW_COORD_ALIGN_INTERLEAVE;
    if (box->mutant == SLOW_COORD_UNALIGNED) is_checked = false;
    if (box->mutant == SLOW_COORD_ALIGN_INSIDE && !slow_box_is_inside(box, first)) is_checked = false;
    return is_checked && (int64_t)tile->coord[0] * box->element % 16 != 0;
}

int slow_box_fault(const struct slow_box *box, bool is_illegal)
{
    uint32_t alignment = box->mutant == SLOW_SMEM_ALIGN_16 ? 16 : 128;
    bool is_misaligned = box->tile->shared % alignment != 0;
    if (is_misaligned && box->mutant == SLOW_SMEM_ALIGN_FIRST) return 716;
    if (is_illegal || is_illegal_copy(box)) return 715;
    return is_misaligned ? 716 : 0;
}

void slow_tile_text(const struct slow_tile *tile, char *text, size_t capacity)
{
    const struct tensormap *map = &tile->map;
    size_t at = (size_t)snprintf(text, capacity,
                                 "mode %d rank %d (.%dd) dtype %d interleave %d swizzle %d fill %d address 0x%" PRIx64
                                 " gmem 0x%" PRIx64 "+%" PRIu64 " smem 0x%" PRIx64 "+%" PRIu64 " shared 0x%x",
                                 (int)map->mode, map->rank, tile->dims, (int)map->dtype, (int)map->interleave,
                                 (int)map->swizzle, (int)map->oob_fill, map->address, tile->gmem_base, tile->gmem_bytes,
                                 tile->smem_base, tile->smem_bytes, tile->shared);
    for (int d = 0; d < map->rank && at < capacity; d++) {
        at += (size_t)snprintf(text + at, capacity - at,
                               "; [%d] dim %" PRIu64 " stride %" PRIu64 " box %u estride %u coord %d", d, map->dim[d],
                               map->stride[d], map->box[d], map->estride[d], tile->coord[d]);
    }
}
