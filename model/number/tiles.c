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

static uint32_t unit_at(const struct number_bytes *of, int row, int unit)
{
    const int bits = unit_bits(of->format), per_word = 32 / bits;
    uint32_t word;
    memcpy(&word, of->bytes + (size_t)row * of->pitch + (size_t)(unit / per_word) * sizeof word, sizeof word);
    return bits == 32 ? word : word >> unit % per_word * bits & low_bits(bits);
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

static uint32_t term_at(const struct number_bytes *of, int row, int step, int i)
{
    const uint32_t bits = unit_at(of, row, unit_of(of, step, i));
    return of->reading == NUMBER_AS_F16 || of->reading == NUMBER_SPLIT ? number_fp8_as_f16(of->format, bits) : bits;
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

static uint32_t pair_at(const struct number_bytes *of, int row, int pair)
{
    const int words = words_of(of), per_half = 16 / unit_bits(of->format), first = pair % words * 2 * per_half;
    const struct number_format_row *format = number_format_row(of->format);
    const uint32_t low = read_integer(format, unit_at(of, row, first + pair / words));
    const uint32_t high = read_integer(format, unit_at(of, row, first + per_half + pair / words));
    return (low & 0xffff) | high << 16;
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
    const int groups = number_groups(terms_of(of));
    for (int i = 0; i < number_row_groups(of); i++) {
        uint32_t bits[NUMBER_LANES] = {0};
        const int step = of->reading == NUMBER_SPLIT ? i / groups : 0, first = i % groups * NUMBER_LANES;
        for (int j = 0; j < NUMBER_LANES && first + j < terms_of(of); j++) bits[j] = term_at(of, row, step, first + j);
        number_factors_read(format_of(of), bits, of->negate, &factors[i]);
    }
}

static void read_pairs_of_row(const struct number_bytes *of, int row, struct number_factors *factors)
{
    for (int i = 0; i < of->units / 2; i++)
        factors[i / NUMBER_LANES].whole[i % NUMBER_LANES] = (int32_t)pair_at(of, row, i);
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
    const int is_pairs = of->reading == NUMBER_PAIRS, terms = terms_of(of);
    for (int i = 0; i < (is_pairs ? of->units / 2 : of->units); i++) {
        uint32_t bits[NUMBER_LANES];
        for (int j = 0; j < NUMBER_LANES; j++)
            bits[j] = is_pairs ? pair_at(of, j, i) : term_at(of, j, i / terms, i % terms);
        if (is_pairs)
            memcpy(factors[i].whole, bits, sizeof bits);
        else
            number_factors_read(format_of(of), bits, of->negate, &factors[i]);
    }
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
