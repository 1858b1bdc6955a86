// SPDX-License-Identifier: MIT
// The slow encoder: the rules of an encode call one after the other, then the 128 bytes bit by bit. Sources: CUDA
// driver API 13.0, "Tensor Map Object Management", and what an H200 did (docs/hardware.md, "Tensor maps";
// traces/sm_90a/encode).
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "slow.h"

// Bits low .. high of 64-bit word `word`.
static void set_bits(uint8_t bytes[128], int word, int low, int high, uint64_t value)
{
    for (int bit = low; bit <= high; bit++) {
        int at = 64 * word + bit;
        uint8_t mask = (uint8_t)(1 << at % 8);
        if (value >> (bit - low) & 1) {
            bytes[at / 8] |= mask;
        } else {
            bytes[at / 8] &= (uint8_t)~mask;
        }
    }
}

static uint64_t element_bytes(uint32_t dtype)
{
    static const uint64_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return dtype < 13 ? bytes[dtype] : 1;
}

static int rank_of(const struct slow_encode *a)
{
    return (int)a->rank;
}

// Bytes of the box as word 8 has them.
static uint64_t box_bytes(const struct slow_encode *a, enum slow_mutant mutant, bool is_ceil)
{
    uint64_t bytes = element_bytes(a->dtype);
    if (a->call != SLOW_TILED) {
        bytes = bytes * a->box[0] * a->pixels;
        for (int i = 1; i < rank_of(a) && mutant == SLOW_IM2COL_BYTES_STRIDED; i++) bytes /= a->estride[i];
        return bytes;
    }
    for (int i = 0; i < rank_of(a); i++) {
        uint32_t stride = i == 0 && mutant == SLOW_BOX_BYTES_INNER ? 1 : a->estride[i];
        bytes *= (a->box[i] + (is_ceil ? stride - 1 : 0)) / stride;
    }
    return bytes;
}

// The enums and the rank.
static bool is_legal_shape(const struct slow_encode *a, enum slow_mutant mutant)
{
    uint32_t least = a->call == SLOW_TILED ? 1 : 3;
    if (a->interleave != 0 && mutant != SLOW_RANK_2_INTERLEAVE) least = 3;
    if (a->dtype > (mutant == SLOW_PACKED_TYPES ? 15 : 12)) return false;
    if (a->rank < least || a->rank > 5) return false;
    if (a->interleave > 2 || a->swizzle > (mutant == SLOW_SWIZZLE_ATOMS ? 6 : 3)) return false;
    if (a->interleave == 2 && a->swizzle != 1 && mutant == SLOW_INTERLEAVE_32B_SWIZZLE_32B) return false;
    if (a->l2_promotion > 3 || a->oob_fill > 1) return false;
    if (a->oob_fill == 1 && a->dtype < 6 && mutant != SLOW_FILL_INTEGER) return false;
    if (a->call == SLOW_WIDE && (a->mode > 1 || mutant == SLOW_WIDE_REFUSED)) return false;
    return true;
}

// globalAddress, globalDim, globalStrides.
static bool is_legal_tensor(const struct slow_encode *a, enum slow_mutant mutant)
{
    uint64_t align = a->interleave == 2 && mutant != SLOW_ALIGN_16_INTERLEAVE_32B ? 32 : 16;
    uint64_t dim_limit = ((uint64_t)1 << 32) - (mutant == SLOW_DIM_32_BITS);
    if (a->address % align != 0) return false;
    if (a->address >= (uint64_t)1 << 57 && mutant != SLOW_ADDRESS_ANY) return false;
    if (a->address == 0 && mutant == SLOW_ADDRESS_NULL) return false;
    uint64_t below = a->interleave == 0 ? element_bytes(a->dtype) : 16 * a->interleave;
    for (int i = 0; i < rank_of(a); i++) {
        if (a->dim[i] < 1 || a->dim[i] > dim_limit) return false;
        if (i == rank_of(a) - 1) break;
        if (a->stride[i] % align != 0 || a->stride[i] >= (uint64_t)1 << 40) return false;
        if (a->stride[i] == 0 && mutant == SLOW_STRIDE_ZERO) return false;
        if (a->stride[i] < below * a->dim[i] && mutant == SLOW_STRIDE_INCREASING) return false;
        below = a->stride[i];
    }
    return true;
}

// The box: its sides, element strides, rows and bytes.
static bool is_legal_box(const struct slow_encode *a, enum slow_mutant mutant)
{
    uint64_t inner = a->box[0] * element_bytes(a->dtype);
    uint64_t limit = mutant == SLOW_LIMIT_OPT_IN ? 232448 : 233472;
    for (int i = 0; i < rank_of(a); i++) {
        bool is_checked = i > 0 || a->interleave != 0 || mutant != SLOW_ESTRIDE_0_UNCHECKED;
        if (is_checked && (a->estride[i] < 1 || a->estride[i] > 8)) return false;
        if (a->estride[i] == 0) return false;
        if ((i == 0 || a->call == SLOW_TILED) && (a->box[i] < 1 || a->box[i] > 256)) return false;
        if (a->call == SLOW_TILED && a->box[i] > a->dim[i] && mutant == SLOW_BOX_IN_TENSOR) return false;
    }
    bool is_w128 = a->call == SLOW_WIDE && a->mode == 1 && mutant == SLOW_WIDE_W128_PIXELS;
    if (a->call != SLOW_TILED && !is_w128 && (a->pixels < 1 || a->pixels > 1024)) return false;
    if (inner % 16 != 0 && (a->interleave == 0 || mutant != SLOW_INNER_FREE_INTERLEAVED)) return false;
    bool has_span = a->swizzle >= 1 && (a->interleave == 0 || mutant == SLOW_SPAN_INTERLEAVED);
    uint64_t span = (uint64_t)16 << a->swizzle;
    if (has_span && (inner > span || (inner == span && mutant == SLOW_SPAN_STRICT))) return false;
    return box_bytes(a, mutant, mutant == SLOW_LIMIT_CEIL) <= limit;
}

// Corner i; im2colWide has one for W only.
static int corner_of(const struct slow_encode *a, const int *corner, int i)
{
    return a->call == SLOW_WIDE && i > 0 ? 0 : corner[i];
}

// The corners of im2col.
static bool is_legal_corners(const struct slow_encode *a, enum slow_mutant mutant)
{
    static const int64_t most[] = {32767, 127, 15};
    if (a->call == SLOW_TILED) return true;
    int64_t high = mutant == SLOW_CORNER_16_BITS ? 32767 : most[a->rank - 3];
    for (int i = 0; i < rank_of(a) - 2; i++) {
        int64_t lower = corner_of(a, a->lower, i), upper = corner_of(a, a->upper, i);
        int j = a->interleave == 0 || mutant == SLOW_CORNER_DIM_NEXT ? i + 1 : i;
        int64_t end = (int64_t)a->dim[j] + upper;
        if (lower < -high - 1 || lower > high || upper < -high - 1 || upper > high) return false;
        while (mutant != SLOW_CORNER_NO_WRAP && end > INT32_MAX) end -= (int64_t)1 << 32;
        if (end <= lower) return false;
    }
    return true;
}

// Word 1, bits 7..10 and 16.
static void pack_format(const struct slow_encode *a, uint8_t bytes[128], enum slow_mutant mutant)
{
    static const uint64_t format[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 7, 8};
    bool is_tf32 = a->dtype == 11 || a->dtype == 12;
    uint64_t value = a->dtype < 13 ? format[a->dtype] : 0;
    if (mutant == SLOW_FORMAT_DRIVER_NUMBER) value = a->dtype;
    set_bits(bytes, 1, 7, 10, value);
    set_bits(bytes, 1, 16, 16, is_tf32 && mutant != SLOW_TF32_BIT_DROPPED);
}

// Words 1 to 6: strides, dimensions, element strides.
static void pack_tensor(const struct slow_encode *a, uint8_t bytes[128], enum slow_mutant mutant)
{
    for (int i = 0; i < rank_of(a) - 1; i++) {
        uint64_t units = a->stride[i] / 16;
        set_bits(bytes, i == 0 ? 1 : i == 3 ? 3 : 2, i == 0 || i == 2 ? 32 : 0, i == 0 || i == 2 ? 63 : 31, units);
        if (mutant != SLOW_STRIDE_HIGH_DROPPED) set_bits(bytes, 3, 32 + 4 * i, 35 + 4 * i, units >> 32);
    }
    for (int i = 0; i < 5; i++) {
        uint64_t dim = i < rank_of(a) ? a->dim[i] - 1 : 0;
        if (i < rank_of(a) && mutant == SLOW_DIM_NOT_MINUS_ONE) dim++;
        if (i >= rank_of(a) && mutant == SLOW_PAST_RANK_MINUS_ONE) dim = UINT32_MAX;
        set_bits(bytes, 4 + i / 2, i % 2 * 32, i % 2 * 32 + 31, dim);
        if (i < rank_of(a)) set_bits(bytes, 6, 32 + 3 * i, 34 + 3 * i, a->estride[i] - 1);
    }
}

// Words 6 and 7: box, or corners and pixels.
static void pack_box(const struct slow_encode *a, uint8_t bytes[128], enum slow_mutant mutant)
{
    set_bits(bytes, 6, 56, 63, a->box[0] - 1);
    for (int i = 1; i < rank_of(a) && a->call == SLOW_TILED; i++) {
        set_bits(bytes, 7, 8 * (i - 1), 8 * i - 1, a->box[i] - 1);
    }
    if (a->call == SLOW_TILED) return;
    static const int widths[] = {16, 8, 5};
    int corners = rank_of(a) - 2;
    int width = corners == 3 && mutant == SLOW_CORNERS_EIGHT_BITS ? 8 : widths[corners - 1];
    for (int i = 0; i < corners; i++) {
        int from = mutant == SLOW_CORNERS_REVERSED ? corners - 1 - i : i;
        set_bits(bytes, 7, width * i, width * i + width - 1, (uint64_t)(int64_t)corner_of(a, a->lower, from));
        set_bits(bytes, 7, 16 + width * i, 15 + width * i + width, (uint64_t)(int64_t)corner_of(a, a->upper, from));
    }
    set_bits(bytes, 7, 32, 41, a->pixels - 1);
}

bool slow_encode(const struct slow_encode *a, uint8_t bytes[128], enum slow_mutant mutant)
{
    if (!is_legal_shape(a, mutant) || !is_legal_tensor(a, mutant)) return false;
    if (!is_legal_box(a, mutant) || !is_legal_corners(a, mutant)) return false;
    memset(bytes, 0, 128);
    set_bits(bytes, 0, 0, 56, a->address);
    set_bits(bytes, 1, 0, 0, a->call != SLOW_TILED);
    set_bits(bytes, 1, 4, 6, a->rank - 1);
    pack_format(a, bytes, mutant);
    set_bits(bytes, 1, 11, 12, a->interleave);
    set_bits(bytes, 1, 13, 14, a->swizzle);
    set_bits(bytes, 1, 15, 15, a->oob_fill);
    set_bits(bytes, 1, 17, 18, a->l2_promotion);
    pack_tensor(a, bytes, mutant);
    pack_box(a, bytes, mutant);
    set_bits(bytes, 8, 0, 17, box_bytes(a, mutant, mutant == SLOW_BOX_BYTES_CEIL));
    uint64_t pattern = a->swizzle == 0 ? 16 : (uint64_t)128 << a->swizzle;
    set_bits(bytes, 9, 0, 10, a->swizzle == 0 && mutant == SLOW_PATTERN_NONE_ZERO ? 0 : pattern);
    return true;
}

bool slow_replace(uint8_t bytes[128], uint64_t address, enum slow_mutant mutant)
{
    bool is_32b = (bytes[9] >> 3 & 3) == 2; // word 1, bits 11..12
    if (address == 0 && mutant != SLOW_REPLACE_NULL) return false;
    if (address % 16 != 0 || address >= (uint64_t)1 << 57) return false;
    if (is_32b && address % 32 != 0 && mutant == SLOW_REPLACE_ALIGN_32) return false;
    set_bits(bytes, 0, 0, mutant == SLOW_REPLACE_64_BITS ? 63 : 56, address);
    return true;
}

void slow_encode_text(const struct slow_encode *a, char *text, size_t capacity)
{
    size_t at = (size_t)snprintf(
        text, capacity,
        "call %d dtype %u rank %u address 0x%" PRIx64
        " interleave %u swizzle %u l2 %u fill %u mode %u pixels %u corners %d %d %d .. %d %d %d",
        (int)a->call, a->dtype, a->rank, a->address, a->interleave, a->swizzle, a->l2_promotion, a->oob_fill, a->mode,
        a->pixels, a->lower[0], a->lower[1], a->lower[2], a->upper[0], a->upper[1], a->upper[2]);
    for (int i = 0; i < 5 && at < capacity; i++) {
        at +=
            (size_t)snprintf(text + at, capacity - at, "; [%d] dim %" PRIu64 " stride 0x%" PRIx64 " box %u estride %u",
                             i, a->dim[i], i < 4 ? a->stride[i] : 0, a->box[i], a->estride[i]);
    }
}
