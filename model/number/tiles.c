// SPDX-License-Identifier: MIT
// Operands as bytes unit by unit; processors with AVX2 take them apart side by side (tiles_avx2.c).
#include "tiles.h"

#include <string.h>

#include "fields.h"
#include "float_add.h"
#include "lanes_way.h"

// --- One unit --------------------------------------------------------------------------------------------------------

static int unit_bits(enum number_format format)
{
    return format == NUMBER_B1 ? 32 : number_format_row(format)->size_bits;
}

enum { MOST_UNITS = 128 };

// The units of a row, in order.
static void take_units(const struct number_bytes *of, int row, uint32_t *units)
{
    const int bits = unit_bits(of->format);
    const uint8_t *bytes = of->bytes + (size_t)row * of->pitch;
    if (bits == 32) {
        memcpy(units, bytes, (size_t)of->units * sizeof *units);
    } else if (bits == 16) {
        uint16_t halves[MOST_UNITS / 2];
        memcpy(halves, bytes, (size_t)of->units * sizeof *halves);
        for (int i = 0; i < of->units; i++) units[i] = halves[i];
    } else if (bits == 8) {
        for (int i = 0; i < of->units; i++) units[i] = bytes[i];
    } else {
        for (int i = 0; i < of->units; i++) units[i] = bytes[i / 2] >> i % 2 * 4 & 0xf;
    }
}

// e5m2 is the upper half of one; a subnormal e4m3, n * 2^-9, is a normal f16.
uint32_t number_fp8_as_f16(enum number_format format, uint32_t bits)
{
    static const uint16_t subnormal[] = {0, 0x1800, 0x1c00, 0x1e00, 0x2000, 0x2100, 0x2200, 0x2300};
    const uint32_t sign = (bits & 0x80) << 8, body = bits & 0x7f;
    if (format == NUMBER_E5M2) return bits << 8;
    if (body == 0x7f) return HOPPER_F16_NAN;
    return sign | (body < 8 ? subnormal[body] : (8 << 10) + (body << 7));
}

// Which unit is term `i` of a step, and how many terms a step has.
static int terms_of(const struct number_bytes *of)
{
    return of->reading == NUMBER_SPLIT ? of->units / 2 : of->units;
}

static int unit_of(const struct number_bytes *of, int step, int i)
{
    return of->reading == NUMBER_SPLIT ? i / 2 * 4 + 2 * step + i % 2 : i;
}

// The terms of a row, those of a first step before those of a second one.
static void take_terms(const struct number_bytes *of, int row, uint32_t *terms)
{
    uint32_t units[MOST_UNITS];
    if (of->reading == NUMBER_IN_ORDER) {
        take_units(of, row, terms);
        return;
    }
    take_units(of, row, units);
    const int steps = of->reading == NUMBER_SPLIT ? 2 : 1, of_step = of->units / steps;
    for (int i = 0; i < of->units; i++) units[i] = number_fp8_as_f16(of->format, units[i]);
    for (int step = 0; step < steps; step++)
        for (int i = 0; i < of_step; i++) terms[step * of_step + i] = units[unit_of(of, step, i)];
}

static enum number_format format_of(const struct number_bytes *of)
{
    return of->reading == NUMBER_AS_F16 || of->reading == NUMBER_SPLIT ? NUMBER_F16 : of->format;
}

// --- Pairs -----------------------------------------------------------------------------------------------------------
// Two integers of a word that are 16 bits apart, each in 16 bits: first those at the lowest place in all words of a
// row, then those at the next.

static int words_of(const struct number_bytes *of)
{
    return of->units * unit_bits(of->format) / 32;
}

static void take_pairs(const struct number_bytes *of, int row, uint32_t *pairs)
{
    const int words = words_of(of), per_half = 16 / unit_bits(of->format);
    const struct number_format_row format = *number_format_row(of->format);
    uint32_t units[MOST_UNITS];
    take_units(of, row, units);
    for (int at = 0; at < per_half; at++)
        for (int i = 0; i < words; i++) {
            const uint32_t *const first = &units[i * 2 * per_half + at];
            pairs[at * words + i] = (read_integer(&format, first[0]) & 0xffff) | read_integer(&format, first[per_half])
                                                                                     << 16;
        }
}

void tiles_multiply_pairs_plain(const struct number_block *block, uint32_t (*d)[NUMBER_LANES])
{
    for (int row = 0; row < block->rows; row++) {
        int32_t sum[NUMBER_LANES] = {0};
        for (int i = 0; i < block->sum.terms; i++) {
            const int32_t a = block->a[(size_t)row * block->a_row + (size_t)(i / NUMBER_LANES)].whole[i % NUMBER_LANES];
            for (int j = 0; j < NUMBER_LANES; j++) {
                const int32_t b = block->b[i].whole[j];
                sum[j] += (int16_t)a * (int16_t)b + (a >> 16) * (b >> 16);
            }
        }
        for (int j = 0; j < NUMBER_LANES; j++)
            d[row][j] = number_result_integer((int64_t)(int32_t)d[row][j] + sum[j], block->sum.satfinite);
    }
}

void number_multiply_pairs(const struct number_block *block, uint32_t (*d)[NUMBER_LANES])
{
#if defined NUMBER_HAS_AVX2
    if (lanes_have_avx2()) {
        tiles_multiply_pairs_avx2(block, d);
        return;
    }
#endif
    tiles_multiply_pairs_plain(block, d);
}

// --- Rows and columns ------------------------------------------------------------------------------------------------

int number_row_groups(const struct number_bytes *of)
{
    if (of->reading == NUMBER_PAIRS) return number_groups(of->units / 2);
    return number_groups(terms_of(of)) * (of->reading == NUMBER_SPLIT ? 2 : 1);
}

static void read_row(const struct number_bytes *of, int row, struct number_factors *factors)
{
    uint32_t terms[MOST_UNITS], bits[MOST_UNITS / NUMBER_LANES][NUMBER_LANES] = {{0}};
    const int groups = number_groups(terms_of(of)), of_step = terms_of(of);
    take_terms(of, row, terms);
    for (int i = 0; i < of->units; i += of_step)
        memcpy(bits[i / of_step * groups], terms + i, (size_t)of_step * sizeof *terms);
    number_factors_read_groups(format_of(of), (const uint32_t(*)[NUMBER_LANES])bits, (size_t)number_row_groups(of),
                               of->negate, factors);
}

static void read_pairs_of_row(const struct number_bytes *of, int row, struct number_factors *factors)
{
    uint32_t pairs[MOST_UNITS];
    take_pairs(of, row, pairs);
    for (int i = 0; i < of->units / 2; i++) factors[i / NUMBER_LANES].whole[i % NUMBER_LANES] = (int32_t)pairs[i];
}

void tiles_read_rows_plain(const struct number_bytes *of, int rows, struct number_factors *factors)
{
    for (int row = 0; row < rows; row++, factors += number_row_groups(of)) {
        if (of->reading == NUMBER_PAIRS)
            read_pairs_of_row(of, row, factors);
        else
            read_row(of, row, factors);
    }
}

void tiles_read_columns_plain(const struct number_bytes *of, struct number_factors *factors)
{
    const bool is_pairs = of->reading == NUMBER_PAIRS;
    const int count = is_pairs ? of->units / 2 : of->units;
    uint32_t column[MOST_UNITS], bits[MOST_UNITS][NUMBER_LANES];
    for (int j = 0; j < NUMBER_LANES; j++) {
        (is_pairs ? take_pairs : take_terms)(of, j, column);
        for (int i = 0; i < count; i++) bits[i][j] = column[i];
    }
    if (!is_pairs)
        number_factors_read_groups(format_of(of), (const uint32_t(*)[NUMBER_LANES])bits, (size_t)count, of->negate,
                                   factors);
    for (int i = 0; i < count && is_pairs; i++) memcpy(factors[i].whole, bits[i], sizeof bits[i]);
}

void number_read_rows(const struct number_bytes *of, int rows, struct number_factors *factors)
{
#if defined NUMBER_HAS_AVX2
    if (lanes_have_avx2()) {
        tiles_read_rows_avx2(of, rows, factors);
        return;
    }
#endif
    tiles_read_rows_plain(of, rows, factors);
}

void number_read_columns(const struct number_bytes *of, struct number_factors *factors)
{
#if defined NUMBER_HAS_AVX2
    if (lanes_have_avx2()) {
        tiles_read_columns_avx2(of, factors);
        return;
    }
#endif
    tiles_read_columns_plain(of, factors);
}
