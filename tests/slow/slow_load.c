// SPDX-License-Identifier: MIT
// The slow tiled load: five loops over the elements of the box, and for every byte of every element where it comes
// from, what becomes of it and where it goes. Nothing is shared between elements and nothing is fast.
#include <inttypes.h>
#include <stdio.h>

#include "slow.h"

// One load under way. `smem` is NULL while the faults are looked for.
struct work {
    const struct slow_load *load;
    enum slow_mutant mutant;
    uint32_t element, unit, pitch;
    uint32_t steps[5];
    uint8_t *smem;
    uint32_t tx;
    int error;
};

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

static int is_tf32(const struct tensormap *map)
{
    return map->dtype == DTYPE_TFLOAT32 || map->dtype == DTYPE_TFLOAT32_FTZ;
}

// The dimension that counts channel slices, or -1.
static int slice_dimension(const struct work *work)
{
    const struct tensormap *map = &work->load->map;
    if (map->interleave == INTERLEAVE_NONE) return -1;
    return work->mutant == SLOW_INTERLEAVE_SLICE_LAST ? map->rank - 1 : map->rank - 2;
}

// 0 if dimension `d` has no element stride: the slices, and dimension 0 without interleave.
static int is_strided(const struct work *work, int d)
{
    if (d == slice_dimension(work)) return 0;
    if (d > 0) return 1;
    if (work->load->map.interleave == INTERLEAVE_NONE) return work->mutant == SLOW_INNER_STRIDE_HONOURED;
    return work->mutant != SLOW_INNER_STRIDE_IGNORED;
}

static uint32_t steps_of(const struct work *work, int d)
{
    const struct tensormap *map = &work->load->map;
    if (d >= map->rank) return 1;
    if (d == slice_dimension(work)) return work->mutant == SLOW_INTERLEAVE_SLICE_BOX ? map->box[d] : 1;
    if (!is_strided(work, d) || work->mutant == SLOW_STEPS_BOX) return map->box[d];
    if (work->mutant == SLOW_STEPS_FLOOR) return map->box[d] / map->estride[d];
    uint32_t steps = 0;
    for (uint32_t at = 0; at < map->box[d]; at += map->estride[d]) steps++;
    return steps;
}

static uint32_t pitch_of(const struct work *work)
{
    static const uint32_t span[] = {0, 32, 64, 128};
    const struct tensormap *map = &work->load->map;
    uint32_t row = work->steps[0] * work->unit;
    if (map->interleave != INTERLEAVE_NONE) {
        if (work->mutant != SLOW_INTERLEAVE_PADDED) return row;
        while (map->swizzle != SWIZZLE_NONE && row % span[map->swizzle] != 0) row++;
        return row;
    }
    if (map->swizzle == SWIZZLE_NONE || work->mutant == SLOW_PITCH_ROW_BYTES) return row;
    return work->mutant == SLOW_PITCH_ALWAYS_128 ? 128 : span[map->swizzle];
}

// The coordinate that step `k` of dimension `d` has in the tensor.
static int64_t index_of(const struct work *work, int d, uint32_t k)
{
    const struct tensormap *map = &work->load->map;
    int64_t start = work->load->coord[d];
    int64_t per_unit = work->unit / work->element;
    if (d == 0 && map->interleave != INTERLEAVE_NONE && work->mutant == SLOW_INTERLEAVE_COORD_ELEMENTS) {
        start /= per_unit;
    }
    if (d == slice_dimension(work) && work->mutant == SLOW_INTERLEAVE_CHANNELS) start /= per_unit;
    int64_t index = start;
    for (uint32_t i = 0; i < k; i++) {
        index += is_strided(work, d) && work->mutant != SLOW_STEPS_UNIT ? map->estride[d] : 1;
    }
    if (index < 0 && work->mutant == SLOW_BOUNDS_NEGATIVE) index += (int64_t)map->dim[d];
    return index;
}

static int is_inside(const struct work *work, const uint32_t *k)
{
    const struct tensormap *map = &work->load->map;
    for (int d = 0; d < map->rank; d++) {
        int64_t index = index_of(work, d, k[d]);
        int64_t dim = (int64_t)map->dim[d];
        int64_t piece = map->interleave == INTERLEAVE_NONE ? 16 / (int64_t)work->element : 1;
        if (d == 0 && work->mutant == SLOW_BOUNDS_ROW) index = index_of(work, d, 0);
        if (d == 0 && work->mutant == SLOW_BOUNDS_PIECE) index -= (index % piece + piece) % piece;
        if (d > 0 && work->mutant == SLOW_BOUNDS_INNER) continue;
        if (work->mutant == SLOW_BOUNDS_UPPER) dim++;
        if (work->mutant == SLOW_BOUNDS_INT32 && dim > INT32_MAX) dim -= (int64_t)1 << 32;
        if (work->mutant == SLOW_BOUNDS_UNSTRIDED) index = work->load->coord[d] + (int64_t)k[d];
        if (index < 0 || index >= dim) return 0;
    }
    return 1;
}

static uint64_t stride_of(const struct work *work, int d)
{
    const struct tensormap *map = &work->load->map;
    if (work->mutant == SLOW_STRIDE_INDEX) return d == 1 ? work->unit : map->stride[d - 1];
    if (work->mutant == SLOW_STRIDE_32_BITS) return map->stride[d] % ((uint64_t)1 << 32);
    if (work->mutant == SLOW_STRIDE_CUMULATIVE) {
        uint64_t below = map->dim[d - 1] * (d == 1 ? work->unit : stride_of(work, d - 1));
        return map->stride[d] < below ? below : map->stride[d];
    }
    return map->stride[d];
}

// The global address of an element (with interleave: a pixel), in 64-bit arithmetic.
static uint64_t address_of(const struct work *work, const uint32_t *k)
{
    uint64_t row = (uint64_t)index_of(work, 0, k[0]) * work->unit;
    if (work->mutant == SLOW_OFFSET_32_BITS) row %= (uint64_t)1 << 32;
    uint64_t address = work->load->map.address + row;
    for (int d = 1; d < work->load->map.rank; d++) {
        address += (uint64_t)index_of(work, d, k[d]) * stride_of(work, d);
    }
    return address;
}

static uint32_t row_of(const struct work *work, const uint32_t *k)
{
    const uint32_t *n = work->steps;
    if (work->mutant == SLOW_ROWS_OUTERMOST_FIRST) return ((k[1] * n[2] + k[2]) * n[3] + k[3]) * n[4] + k[4];
    return ((k[4] * n[3] + k[3]) * n[2] + k[2]) * n[1] + k[1];
}

// The shared address of byte `byte` of row `row`.
static uint32_t shared_of(const struct work *work, uint32_t row, uint32_t byte)
{
    const struct slow_load *load = work->load;
    int mode = (int)load->map.swizzle;
    uint32_t offset = row * work->pitch + byte;
    if (load->map.interleave != INTERLEAVE_NONE && work->mutant == SLOW_SWIZZLE_NOT_INTERLEAVED) mode = 0;
    if (work->mutant == SLOW_SWIZZLE_BOX_RELATIVE) return load->destination + slow_swizzle(mode, offset, SLOW_NONE);
    if (work->mutant == SLOW_SWIZZLE_BY_ROW) {
        uint32_t chunk = (load->destination + offset) / 16 ^ row % (1u << mode);
        return chunk * 16 + offset % 16;
    }
    return slow_swizzle(mode, load->destination + offset, work->mutant);
}

static int is_mapped(const struct slow_load *load, uint64_t address)
{
    return address >= load->gmem_base && address < load->gmem_base + load->gmem_bytes;
}

static void put(struct work *work, uint32_t row, uint32_t byte, uint8_t value)
{
    const struct slow_load *load = work->load;
    uint32_t shared = shared_of(work, row, byte);
    int is_ours = shared >= load->smem_base && shared < load->smem_base + load->smem_bytes;
    if (!is_ours && work->mutant != SLOW_SMEM_CLIPPED) work->error = 700;
    if (is_ours && work->smem != NULL) work->smem[shared - load->smem_base] = value;
}

static uint8_t fill_byte(const struct work *work, uint32_t byte)
{
    static const uint8_t nan[2] = {0xf7, 0x7f}, all_ones[2] = {0xff, 0x7f}, tf32[4] = {0x00, 0xe0, 0xff, 0x7f};
    uint32_t in_element = byte % work->element;
    if (work->load->map.oob_fill == OOB_FILL_ZERO) return 0;
    if (work->mutant == SLOW_FILL_7FFF) return all_ones[byte % 2];
    if (work->mutant == SLOW_FILL_HIGH_HALF && in_element + 2 < work->element) return 0;
    if (work->mutant == SLOW_FILL_TF32 && is_tf32(&work->load->map)) return tf32[in_element];
    return nan[byte % 2];
}

// The value of byte `byte` of the element or pixel at global address `address`; memory is mapped.
static uint8_t loaded_byte(const struct work *work, uint64_t address, uint32_t byte)
{
    const struct slow_load *load = work->load;
    const uint8_t *from = load->gmem + (address - load->gmem_base);
    const uint8_t *word = from + byte / 4 * 4;
    uint32_t bits = 0;
    int flush = work->mutant == SLOW_FLOAT32_FTZ_FLUSH && load->map.dtype == DTYPE_FLOAT32_FTZ;
    if (!is_tf32(&load->map) && !flush) return from[byte];
    if (byte >= 4 && work->mutant == SLOW_TF32_FIRST_OF_PIXEL) return from[byte];
    for (int i = 0; i < 4; i++) bits += (uint32_t)word[i] << 8 * i;
    int is_subnormal = (bits >> 23 & 255) == 0;
    if (load->map.dtype == DTYPE_TFLOAT32_FTZ && work->mutant == SLOW_TF32_FTZ_FLUSH) flush = 1;
    if (is_tf32(&load->map)) bits = slow_tf32(bits, work->mutant);
    if (flush && is_subnormal) bits = bits >> 31 << 31;
    return (uint8_t)(bits >> 8 * (byte % 4));
}

static void check_base(struct work *work, const uint32_t *k, int inside)
{
    int is_first = k[0] + k[1] + k[2] + k[3] + k[4] == 0;
    int is_touched = is_first && !inside;
    if (work->mutant == SLOW_BASE_UNTOUCHED) is_touched = 0;
    if (work->mutant == SLOW_BASE_ALWAYS) is_touched = 1;
    if (work->mutant == SLOW_BASE_ANY_OUTSIDE) is_touched = !inside;
    if (is_touched && !is_mapped(work->load, work->load->map.address)) work->error = 700;
}

// One element, or one pixel with interleave.
static void visit(struct work *work, const uint32_t *k)
{
    int inside = is_inside(work, k);
    uint64_t address = address_of(work, k);
    uint32_t row = row_of(work, k);
    check_base(work, k, inside);
    for (uint32_t byte = 0; byte < work->unit; byte++) {
        int mapped = is_mapped(work->load, address) && is_mapped(work->load, address + work->unit - 1);
        int filled = !inside || (!mapped && work->mutant == SLOW_UNMAPPED_FILLED);
        if (!mapped && (!filled || work->mutant == SLOW_UNMAPPED_OUTSIDE)) work->error = 700;
        if (filled && work->mutant == SLOW_FILL_UNTOUCHED) continue;
        uint8_t value = filled || !mapped ? fill_byte(work, byte) : loaded_byte(work, address, byte);
        put(work, row, k[0] * work->unit + byte, value);
    }
    if (inside || work->mutant != SLOW_TX_IN_BOUNDS) {
        work->tx += work->mutant == SLOW_TX_INTERLEAVE_ELEMENTS ? work->element : work->unit;
    }
}

// The rest of a row up to the pitch belongs to nobody.
static void visit_gap(struct work *work, const uint32_t *k)
{
    for (uint32_t byte = work->steps[0] * work->unit; byte < work->pitch; byte++) {
        if (work->mutant == SLOW_PITCH_GAPS_FILLED) put(work, row_of(work, k), byte, fill_byte(work, byte));
        if (work->mutant == SLOW_TX_GAPS) work->tx++;
    }
}

static void visit_all(struct work *work)
{
    uint32_t k[5];
    work->tx = 0;
    for (k[4] = 0; k[4] < work->steps[4]; k[4]++) {
        for (k[3] = 0; k[3] < work->steps[3]; k[3]++) {
            for (k[2] = 0; k[2] < work->steps[2]; k[2]++) {
                for (k[1] = 0; k[1] < work->steps[1]; k[1]++) {
                    for (k[0] = 0; k[0] < work->steps[0]; k[0]++) visit(work, k);
                    visit_gap(work, k);
                }
            }
        }
    }
}

// The 715s: mode, rank, dimensions, coordinate 0.
static int is_illegal(const struct work *work)
{
    const struct slow_load *load = work->load;
    const struct tensormap *map = &load->map;
    int64_t dim_limit = (int64_t)1 << (work->mutant == SLOW_DIM_2_32 ? 32 : 31);
    if (work->mutant == SLOW_DIM_BELOW_2_31) dim_limit--;
    if (map->mode != TENSORMAP_TILED && work->mutant != SLOW_MODE_ANY) return 1;
    if (load->dims != map->rank && work->mutant != SLOW_RANK_ANY) return 1;
    for (int d = 0; d < map->rank; d++) {
        if ((int64_t)map->dim[d] > dim_limit) return 1;
        if (load->coord[d] < 0 && work->mutant == SLOW_COORD_NEGATIVE) return 1;
    }
    static const uint32_t first[5] = {0, 0, 0, 0, 0};
    int is_checked = map->interleave == INTERLEAVE_NONE || work->mutant == SLOW_COORD_ALIGN_INTERLEAVE;
    if (work->mutant == SLOW_COORD_UNALIGNED) is_checked = 0;
    if (work->mutant == SLOW_COORD_ALIGN_INSIDE && !is_inside(work, first)) is_checked = 0;
    return is_checked && (int64_t)load->coord[0] * work->element % 16 != 0;
}

static int fault_of(struct work *work)
{
    uint32_t alignment = work->mutant == SLOW_SMEM_ALIGN_16 ? 16 : 128;
    int is_misaligned = work->load->destination % alignment != 0;
    if (is_misaligned && work->mutant == SLOW_SMEM_ALIGN_FIRST) return 716;
    if (is_illegal(work)) return 715;
    if (is_misaligned && work->mutant != SLOW_SMEM_ALIGN_LAST) return 716;
    work->smem = NULL;
    visit_all(work);
    if (work->error != 0) return work->error;
    return is_misaligned ? 716 : 0;
}

int slow_load(const struct slow_load *load, uint8_t *smem, uint32_t *tx_bytes, enum slow_mutant mutant)
{
    struct work work = {.load = load, .mutant = mutant};
    work.element = element_bytes(load->map.dtype);
    work.unit = load->map.interleave == INTERLEAVE_NONE ? work.element : 16 * (uint32_t)load->map.interleave;
    for (int d = 0; d < 5; d++) work.steps[d] = steps_of(&work, d);
    work.pitch = pitch_of(&work);
    int error = fault_of(&work);
    if (error != 0) return error;
    work.smem = smem;
    visit_all(&work);
    *tx_bytes = work.tx;
    return 0;
}

void slow_load_text(const struct slow_load *load, char *text, size_t capacity)
{
    const struct tensormap *map = &load->map;
    size_t at = (size_t)snprintf(text, capacity,
                                 "mode %d rank %d (.%dd) dtype %d interleave %d swizzle %d fill %d address 0x%" PRIx64
                                 " gmem 0x%" PRIx64 "+%" PRIu64 " smem 0x%" PRIx64 "+%" PRIu64 " destination 0x%x",
                                 (int)map->mode, map->rank, load->dims, (int)map->dtype, (int)map->interleave,
                                 (int)map->swizzle, (int)map->oob_fill, map->address, load->gmem_base, load->gmem_bytes,
                                 load->smem_base, load->smem_bytes, load->destination);
    for (int d = 0; d < map->rank && at < capacity; d++) {
        at += (size_t)snprintf(text + at, capacity - at,
                               "; [%d] dim %" PRIu64 " stride %" PRIu64 " box %u estride %u coord %d", d, map->dim[d],
                               map->stride[d], map->box[d], map->estride[d], load->coord[d]);
    }
}
