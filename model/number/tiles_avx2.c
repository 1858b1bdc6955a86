// SPDX-License-Identifier: MIT
// Factors of eight values at once, by AVX2. Of columns four words of each are taken at a time and turned, so that a
// vector has the same word of eight columns; shifts find the units in it.
#include "lanes_way.h"

#if defined NUMBER_HAS_AVX2
#include <immintrin.h>
#include <string.h>

#include "fields.h"

#define TARGET __attribute__((target("avx2,f16c")))
#define INLINE static inline __attribute__((always_inline, target("avx2,f16c")))

enum { F32_BIAS = 127, F32_FRACTION_BITS = 23, PIECE_BYTES = 16, PIECE_WORDS = 4 };

INLINE __m256i all_of(int32_t word)
{
    return _mm256_set1_epi32(word);
}

// --- Floats ----------------------------------------------------------------------------------------------------------

// Eight floats of 16 bits, or of 8 in the low half, as f32. NaNs and infinities have the greatest exponent.
INLINE __m256i widened(const enum number_format format, __m128i halves)
{
    const __m128i body = _mm_and_si128(halves, _mm_set1_epi16(0x7f));
    if (format == NUMBER_BF16) return _mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16);
    if (format == NUMBER_F16) return _mm256_castps_si256(_mm256_cvtph_ps(halves));
    if (format == NUMBER_E5M2) return _mm256_castps_si256(_mm256_cvtph_ps(_mm_slli_epi16(halves, 8)));
    // e4m3 has the fields of f16 one further down, and exponents that are 8 greater.
    const __m256 value = _mm256_mul_ps(_mm256_cvtph_ps(_mm_slli_epi16(body, 7)), _mm256_set1_ps(0x1p8f));
    const __m256i is_nan = _mm256_cvtepi16_epi32(_mm_cmpeq_epi16(body, _mm_set1_epi16(0x7f)));
    const __m256i sign = _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_srli_epi16(halves, 7)), 31);
    return _mm256_or_si256(_mm256_or_si256(_mm256_castps_si256(value), sign), _mm256_srli_epi32(is_nan, 1));
}

// What does not change from vector to vector: the least exponent of the format, and the sign to flip.
struct floats {
    __m256i least, flip;
};

INLINE struct floats floats_of(enum number_format format, int negate)
{
    const struct number_format_row *row = number_format_row(format);
    return (struct floats){all_of(1 - (int32_t)low_bits(row->exponent_bits - 1)), all_of(negate ? INT32_MIN : 0)};
}

// Eight f32 as factors. What is no number has the value 1.
INLINE void put(const struct floats *floats, __m256i bits, struct number_factors *factors)
{
    const __m256i sign = _mm256_andnot_si256(all_of(INT32_MAX), bits), body = _mm256_xor_si256(bits, sign);
    const __m256i infinity = all_of(0x7f800000), is_zero = _mm256_cmpeq_epi32(body, _mm256_setzero_si256());
    const __m256i is_special = _mm256_cmpgt_epi32(body, all_of(0x7f7fffff));
    const __m256i field = _mm256_sub_epi32(_mm256_srli_epi32(body, F32_FRACTION_BITS), all_of(F32_BIAS));
    const __m256i special = _mm256_sub_epi32(all_of(NUMBER_INFINITE_EXPONENT), _mm256_cmpgt_epi32(body, infinity));
    __m256i exponent =
        _mm256_blendv_epi8(_mm256_max_epi32(field, floats->least), all_of(NUMBER_ZERO_EXPONENT), is_zero);
    exponent = _mm256_blendv_epi8(exponent, special, is_special);
    const __m256i value = _mm256_blendv_epi8(body, _mm256_castps_si256(_mm256_set1_ps(1)), is_special);
    _mm256_storeu_si256((__m256i *)factors->value, _mm256_xor_si256(_mm256_or_si256(value, sign), floats->flip));
    _mm256_storeu_si256((__m256i *)factors->exponent, exponent);
}

// The lower halves of eight words, and the upper ones.
struct halves {
    __m128i low, high;
};

INLINE struct halves halves_of(__m256i words)
{
    const __m256i low = _mm256_and_si256(words, all_of(0xffff)), high = _mm256_srli_epi32(words, 16);
    const __m256i both = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xd8);
    return (struct halves){_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1)};
}

INLINE __m256i as_tf32(__m256i words)
{
    return _mm256_and_si256(words, all_of((int32_t)~low_bits(13)));
}

TARGET void lanes_read_avx2(enum number_format format, const uint32_t (*bits)[NUMBER_LANES], size_t groups, int negate,
                            struct number_factors *factors)
{
    const struct floats floats = floats_of(format, negate);
    for (size_t i = 0; i < groups; i++) {
        const __m256i words = _mm256_loadu_si256((const __m256i *)bits[i]);
        put(&floats, format == NUMBER_TF32 ? as_tf32(words) : widened(format, halves_of(words).low), &factors[i]);
    }
}

// --- Rows ------------------------------------------------------------------------------------------------------------

INLINE __m128i load_8(const uint8_t *bytes)
{
    return _mm_loadl_epi64((const __m128i *)bytes);
}

INLINE __m128i load_16(const uint8_t *bytes)
{
    return _mm_loadu_si128((const __m128i *)bytes);
}

INLINE __m256i load_32(const uint8_t *bytes)
{
    return _mm256_loadu_si256((const __m256i *)bytes);
}

INLINE void read_floats_of_row(const enum number_format format, const struct floats *floats, int units,
                               const uint8_t *bytes, struct number_factors *factors)
{
    for (int i = 0; i < units; i += NUMBER_LANES, factors++) {
        if (format == NUMBER_TF32)
            put(floats, as_tf32(load_32(bytes + 4 * i)), factors);
        else if (format == NUMBER_F16 || format == NUMBER_BF16)
            put(floats, widened(format, load_16(bytes + 2 * i)), factors);
        else
            put(floats, widened(format, _mm_cvtepu8_epi16(load_8(bytes + i))), factors);
    }
}

// Of each 16 bytes eight go to the first step, and eight to the second one.
INLINE void read_split_row(const enum number_format format, const struct floats *floats, int units,
                           const uint8_t *bytes, struct number_factors *factors)
{
    const __m128i order = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    const int pieces = units / PIECE_BYTES;
    for (int i = 0; i < pieces; i++) {
        const __m128i piece = _mm_shuffle_epi8(load_16(bytes + i * PIECE_BYTES), order);
        put(floats, widened(format, _mm_cvtepu8_epi16(piece)), &factors[i]);
        put(floats, widened(format, _mm_cvtepu8_epi16(_mm_srli_si128(piece, 8))), &factors[pieces + i]);
    }
}

INLINE void read_float_rows(const enum number_format format, const struct number_bytes *of, int rows,
                            struct number_factors *factors)
{
    const bool is_split = of->reading == NUMBER_SPLIT;
    const int groups = number_row_groups(of);
    const struct floats floats = floats_of(is_split || of->reading == NUMBER_AS_F16 ? NUMBER_F16 : format, of->negate);
    for (int row = 0; row < rows; row++) {
        const uint8_t *bytes = of->bytes + (size_t)row * of->pitch;
        if (is_split)
            read_split_row(format, &floats, of->units, bytes, factors + row * groups);
        else
            read_floats_of_row(format, &floats, of->units, bytes, factors + row * groups);
    }
}

INLINE void put_words(__m256i words, struct number_factors *factors)
{
    _mm256_storeu_si256((__m256i *)factors->whole, words);
}

// Unit `at` of each word, which is 32 bits.
INLINE __m256i integers_at(enum number_format format, __m256i words, int at)
{
    const struct number_format_row *row = number_format_row(format);
    const int bits = format == NUMBER_B1 ? 32 : row->size_bits;
    const __m256i top = _mm256_slli_epi32(words, 32 - bits - at * bits);
    return row->is_signed ? _mm256_srai_epi32(top, 32 - bits) : _mm256_srli_epi32(top, 32 - bits);
}

INLINE void read_integers_of_row(enum number_format format, int units, const uint8_t *bytes,
                                 struct number_factors *factors)
{
    const __m256i up = _mm256_setr_epi32(28, 24, 20, 16, 12, 8, 4, 0);
    for (int i = 0; i < units; i += NUMBER_LANES, factors++) {
        int32_t word;
        memcpy(&word, bytes + i / 2, sizeof word);
        const __m256i nibbles = _mm256_sllv_epi32(all_of(word), up);
        if (format == NUMBER_S4)
            put_words(_mm256_srai_epi32(nibbles, 28), factors);
        else if (format == NUMBER_U4)
            put_words(_mm256_srli_epi32(nibbles, 28), factors);
        else if (format == NUMBER_B1)
            put_words(load_32(bytes + 4 * i), factors);
        else
            put_words(format == NUMBER_S8 ? _mm256_cvtepi8_epi32(load_8(bytes + i))
                                          : _mm256_cvtepu8_epi32(load_8(bytes + i)),
                      factors);
    }
}

// Place `at` of each 16 bits of words, as an integer of 16 bits.
INLINE __m256i pairs_at(enum number_format format, __m256i words, int at)
{
    const struct number_format_row *row = number_format_row(format);
    const int bits = row->size_bits;
    const __m256i top = _mm256_slli_epi16(words, 16 - bits - at * bits);
    return row->is_signed ? _mm256_srai_epi16(top, 16 - bits) : _mm256_srli_epi16(top, 16 - bits);
}

INLINE void read_pairs_of_row(const struct number_bytes *of, const uint8_t *bytes, struct number_factors *factors)
{
    const int places = 16 / number_format_row(of->format)->size_bits, words = of->units / (2 * places);
    int32_t *pairs = factors->whole;
    if (words == NUMBER_LANES) {
        for (int at = 0; at < places; at++) put_words(pairs_at(of->format, load_32(bytes), at), &factors[at]);
        return;
    }
    for (int at = 0; at < places; at++) { // of 16 bytes two places fill a group
        pairs = factors[at / 2].whole + at % 2 * PIECE_WORDS;
        const __m256i both = pairs_at(of->format, _mm256_castsi128_si256(load_16(bytes)), at);
        _mm_storeu_si128((__m128i *)pairs, _mm256_castsi256_si128(both));
    }
}

TARGET void tiles_read_rows_avx2(const struct number_bytes *of, int rows, struct number_factors *factors)
{
    switch (of->format) {
    case NUMBER_F16:
        read_float_rows(NUMBER_F16, of, rows, factors);
        return;
    case NUMBER_BF16:
        read_float_rows(NUMBER_BF16, of, rows, factors);
        return;
    case NUMBER_TF32:
        read_float_rows(NUMBER_TF32, of, rows, factors);
        return;
    case NUMBER_E4M3:
        read_float_rows(NUMBER_E4M3, of, rows, factors);
        return;
    case NUMBER_E5M2:
        read_float_rows(NUMBER_E5M2, of, rows, factors);
        return;
    default:
        break;
    }
    const int groups = number_row_groups(of);
    for (int row = 0; row < rows; row++, factors += groups) {
        const uint8_t *bytes = of->bytes + (size_t)row * of->pitch;
        if (of->reading == NUMBER_PAIRS)
            read_pairs_of_row(of, bytes, factors);
        else
            read_integers_of_row(of->format, of->units, bytes, factors);
    }
}

// --- Columns ---------------------------------------------------------------------------------------------------------

// Four words of eight columns: word[i] has word i of all of them.
INLINE void turn(const uint8_t *bytes, size_t pitch, __m256i word[PIECE_WORDS])
{
    __m256i two[PIECE_WORDS]; // of columns i and i + 4
    for (size_t i = 0; i < PIECE_WORDS; i++)
        two[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(load_16(bytes + i * pitch)),
                                         load_16(bytes + (i + PIECE_WORDS) * pitch), 1);
    const __m256i a = _mm256_unpacklo_epi32(two[0], two[1]), b = _mm256_unpacklo_epi32(two[2], two[3]);
    const __m256i c = _mm256_unpackhi_epi32(two[0], two[1]), d = _mm256_unpackhi_epi32(two[2], two[3]);
    word[0] = _mm256_unpacklo_epi64(a, b);
    word[1] = _mm256_unpackhi_epi64(a, b);
    word[2] = _mm256_unpacklo_epi64(c, d);
    word[3] = _mm256_unpackhi_epi64(c, d);
}

// The units of word `i` of all columns.
INLINE void put_word(const enum number_format format, const struct number_bytes *of, const struct floats *floats,
                     __m256i word, int i, struct number_factors *factors)
{
    if (format == NUMBER_TF32) {
        put(floats, as_tf32(word), &factors[i]);
        return;
    }
    if (format == NUMBER_F16 || format == NUMBER_BF16) {
        const struct halves halves = halves_of(word);
        put(floats, widened(format, halves.low), &factors[2 * i]);
        put(floats, widened(format, halves.high), &factors[2 * i + 1]);
        return;
    }
    const struct halves even = halves_of(_mm256_and_si256(word, all_of(0xff00ff))),
                        odd = halves_of(_mm256_srli_epi16(word, 8));
    struct number_factors *first = factors + (of->reading == NUMBER_SPLIT ? 2 : 4) * i,
                          *second = first + (of->reading == NUMBER_SPLIT ? of->units / 2 : 2);
    put(floats, widened(format, even.low), &first[0]);
    put(floats, widened(format, odd.low), &first[1]);
    put(floats, widened(format, even.high), &second[0]);
    put(floats, widened(format, odd.high), &second[1]);
}

INLINE void read_float_columns(const enum number_format format, const int bits, const struct number_bytes *of,
                               struct number_factors *factors)
{
    const bool is_f16 = of->reading == NUMBER_SPLIT || of->reading == NUMBER_AS_F16;
    const struct floats floats = floats_of(is_f16 ? NUMBER_F16 : format, of->negate);
    for (int i = 0; i < of->units * bits / 32; i += PIECE_WORDS) {
        __m256i word[PIECE_WORDS];
        turn(of->bytes + 4 * i, of->pitch, word);
        for (int k = 0; k < PIECE_WORDS; k++) put_word(format, of, &floats, word[k], i + k, factors);
    }
}

INLINE void read_integer_columns(const struct number_bytes *of, struct number_factors *factors)
{
    const int bits = of->format == NUMBER_B1 ? 32 : number_format_row(of->format)->size_bits;
    const int words = of->units * bits / 32, of_word = 32 / bits, places = 16 / bits;
    for (int i = 0; i < words; i++) {
        __m256i word[PIECE_WORDS];
        if (i % PIECE_WORDS == 0) turn(of->bytes + 4 * i, of->pitch, word);
        for (int at = 0; of->reading == NUMBER_PAIRS && at < places; at++)
            put_words(pairs_at(of->format, word[i % PIECE_WORDS], at), &factors[at * words + i]);
        for (int at = 0; of->reading != NUMBER_PAIRS && at < of_word; at++)
            put_words(integers_at(of->format, word[i % PIECE_WORDS], at), &factors[of_word * i + at]);
    }
}

TARGET void tiles_read_columns_avx2(const struct number_bytes *of, struct number_factors *factors)
{
    switch (of->format) {
    case NUMBER_F16:
        read_float_columns(NUMBER_F16, 16, of, factors);
        return;
    case NUMBER_BF16:
        read_float_columns(NUMBER_BF16, 16, of, factors);
        return;
    case NUMBER_TF32:
        read_float_columns(NUMBER_TF32, 32, of, factors);
        return;
    case NUMBER_E4M3:
        read_float_columns(NUMBER_E4M3, 8, of, factors);
        return;
    case NUMBER_E5M2:
        read_float_columns(NUMBER_E5M2, 8, of, factors);
        return;
    default:
        read_integer_columns(of, factors);
    }
}

// --- Pairs -----------------------------------------------------------------------------------------------------------

TARGET void tiles_multiply_pairs_avx2(const struct number_block *block, uint32_t (*d)[NUMBER_LANES])
{
    for (int row = 0; row < block->rows; row++) {
        const struct number_factors *a = block->a + (size_t)row * block->a_row;
        const __m256i c = _mm256_loadu_si256((const __m256i *)d[row]);
        __m256i sum = _mm256_setzero_si256();
        for (int first = 0; first < block->sum.terms; first += NUMBER_LANES, a++)
#pragma GCC unroll 8
            for (int i = 0; i < NUMBER_LANES; i++) {
                const __m256i b = _mm256_loadu_si256((const __m256i *)block->b[first + i].whole);
                sum = _mm256_add_epi32(sum, _mm256_madd_epi16(all_of(a->whole[i]), b));
            }
        __m256i all = _mm256_add_epi32(c, sum);
        if (block->sum.satfinite) { // past the end of the sign that both have
            const __m256i is_past = _mm256_and_si256(_mm256_xor_si256(c, all), _mm256_xor_si256(sum, all));
            const __m256i end = _mm256_xor_si256(_mm256_srai_epi32(c, 31), all_of(INT32_MAX));
            all = _mm256_blendv_epi8(all, end, _mm256_srai_epi32(is_past, 31));
        }
        _mm256_storeu_si256((__m256i *)d[row], all);
    }
}

#endif
