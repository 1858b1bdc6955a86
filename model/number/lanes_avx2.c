// SPDX-License-Identifier: MIT
// Sums of lanes.h by AVX2. A product of two values is exact in a float, and so is its product with the power of two
// that aligns it; what rounds there is far below a unit of the sum. Conversion to an integer cuts it toward zero. Lanes
// whose greatest exponent no such power has, or whose sum needs more than 31 bits, are done again one by one.
#include "lanes_way.h"

#if defined NUMBER_HAS_AVX2
#include <immintrin.h>

#include "fields.h"

#define TARGET __attribute__((target("avx2,f16c")))
#define INLINE static inline __attribute__((always_inline, target("avx2,f16c")))

enum { F32_LEAST_EXPONENT = -126, F32_LEAST_UNIT = -149 };
enum { F32_BIAS = 127, F32_FRACTION_BITS = 23, F16_BIAS = 15, F16_FRACTION_BITS = 10, ALL = 0xff };

bool lanes_have_avx2(void)
{
    return __builtin_cpu_supports("avx2"); // whatever has it has F16C too
}

INLINE __m256i load(const void *words)
{
    return _mm256_loadu_si256(words);
}

INLINE __m256i all_of(int32_t word)
{
    return _mm256_set1_epi32(word);
}

// The lower halves of eight words.
INLINE __m128i halves_of(__m256i words)
{
    const __m256i low = _mm256_and_si256(words, all_of(0xffff));
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0x8));
}

// --- Sums of floats --------------------------------------------------------------------------------------------------

// What does not change from row to row. `kept`: the bits of an f32 result that are.
struct way {
    const struct number_sum *of;
    int terms;
    bool is_f16;
    __m256i kept;
};

// Eight accumulators: their exponents, and their values as f32.
INLINE __m256i exponents_of(bool is_f16, __m256i c)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i body = is_f16 ? _mm256_and_si256(c, all_of(0x7fff)) : _mm256_slli_epi32(c, 1);
    const __m256i if_zero = _mm256_and_si256(_mm256_cmpeq_epi32(body, zero), all_of(NUMBER_ZERO_EXPONENT));
    if (!is_f16) return _mm256_add_epi32(_mm256_sub_epi32(_mm256_srli_epi32(body, 24), all_of(F32_BIAS)), if_zero);
    const __m256i field = _mm256_srli_epi32(body, F16_FRACTION_BITS);
    const __m256i if_special =
        _mm256_and_si256(_mm256_cmpgt_epi32(field, all_of(2 * F16_BIAS)), all_of(NUMBER_INFINITE_EXPONENT));
    return _mm256_add_epi32(_mm256_sub_epi32(_mm256_max_epi32(field, all_of(1)), all_of(F16_BIAS)),
                            _mm256_or_si256(if_zero, if_special));
}

INLINE __m256 values_of(bool is_f16, __m256i c)
{
    return is_f16 ? _mm256_cvtph_ps(halves_of(c)) : _mm256_castsi256_ps(c);
}

// Two to the power of eight integers.
INLINE __m256 power_of_two(__m256i exponent)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(exponent, all_of(F32_BIAS)), F32_FRACTION_BITS));
}

// How many of a group of eight terms there are.
INLINE int in_group(int terms, int first)
{
    return terms - first < NUMBER_LANES ? terms - first : NUMBER_LANES;
}

INLINE const struct number_factors *met(const struct number_factors *b, const uint8_t *picks, int i)
{
    return &b[picks != NULL ? picks[i] : i];
}

// The greatest exponents of products.
INLINE __m256i greatest_of(const struct way *way, const struct number_factors *a, const struct number_factors *b,
                           const uint8_t *picks)
{
    __m256i most = all_of(2 * NUMBER_ZERO_EXPONENT);
    for (int first = 0; first < way->terms; first += NUMBER_LANES, a++)
#pragma GCC unroll 8
        for (int i = 0; i < in_group(way->terms, first); i++) {
            const __m256i of_b = load(met(b, picks, first + i)->exponent);
            most = _mm256_max_epi32(most, _mm256_add_epi32(all_of(a->exponent[i]), of_b));
        }
    return most;
}

// --- Exponents side by side ------------------------------------------------------------------------------------------
// Those of two neighbouring terms are the halves of a word, of eight columns or of a row: where terms meet in order.

enum { MOST_WORDS = NUMBER_MAX_TERMS / 2 };

// Of one step: a word of all columns for each two terms.
INLINE void pack_columns(const struct number_factors *b, int terms, __m256i *words)
{
    for (int i = 0; i < terms; i += 2, words++)
        *words = _mm256_blend_epi16(load(b[i].exponent), _mm256_slli_epi32(load(b[i + 1].exponent), 16), 0xaa);
}

INLINE void pack_row(const struct number_factors *a, int terms, int32_t *words)
{
    for (int first = 0; first < terms; first += 2 * NUMBER_LANES, a += 2, words += NUMBER_LANES) {
        const __m256i group = load(a->exponent), next = terms > NUMBER_LANES ? load(a[1].exponent) : group;
        const __m256i halves = _mm256_permute4x64_epi64(_mm256_packs_epi32(group, next), 0xd8);
        _mm256_store_si256((__m256i *)words, halves);
    }
}

INLINE __m256i greatest_of_packed(const int32_t *a, const __m256i *b, int terms)
{
    __m256i most = _mm256_set1_epi16(INT16_MIN);
    const int words = terms / 2;
#pragma GCC unroll 16
    for (int i = 0; i < words; i++) most = _mm256_max_epi16(most, _mm256_adds_epi16(all_of(a[i]), b[i]));
    return _mm256_max_epi32(_mm256_srai_epi32(most, 16), _mm256_srai_epi32(_mm256_slli_epi32(most, 16), 16));
}

// --- One step --------------------------------------------------------------------------------------------------------

// The terms of one group, aligned and cut, added to `sum`.
INLINE __m256i add_group(const struct way *way, const struct number_factors *a, const struct number_factors *b,
                         const uint8_t *picks, const int first, __m256 scale, __m256i sum)
{
#pragma GCC unroll 8
    for (int i = 0; i < in_group(way->terms, first); i++) {
        const __m256 of_b = _mm256_loadu_ps(met(b, picks, first + i)->value);
        const __m256 product = _mm256_mul_ps(_mm256_set1_ps(a->value[i]), of_b);
        sum = _mm256_add_epi32(sum, _mm256_cvttps_epi32(_mm256_mul_ps(product, scale)));
    }
    return sum;
}

// Sums in units of `unit`, cut to f32.
INLINE __m256i as_f32(const struct way *way, __m256i sum, __m256 unit)
{
    const __m256i magnitude = _mm256_abs_epi32(sum);
    const __m256i cut = _mm256_andnot_si256(_mm256_srli_epi32(magnitude, 24), magnitude); // so that it rounds down
    const __m256 value = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sign_epi32(cut, sum)), unit);
    return _mm256_and_si256(_mm256_castps_si256(value), way->kept);
}

// The same, rounded to f16. What is cut off first leaves its trace in the last of 24 bits, so that no tie is made of
// it.
INLINE __m256i as_f16(__m256i sum, __m256 unit)
{
    const __m256i magnitude = _mm256_abs_epi32(sum), one = all_of(1);
    const __m256i cut = _mm256_andnot_si256(_mm256_srli_epi32(magnitude, 24), magnitude);
    const __m256 down = _mm256_cvtepi32_ps(cut);
    const __m256i is_whole = _mm256_cmpeq_epi32(_mm256_cvttps_epi32(down), magnitude);
    const __m256 odd = _mm256_or_ps(down, _mm256_castsi256_ps(_mm256_add_epi32(is_whole, one)));
    const __m256i half = _mm256_cvtepu16_epi32(_mm256_cvtps_ph(_mm256_mul_ps(odd, unit), _MM_FROUND_TO_NEAREST_INT));
    const __m256i sign = _mm256_and_si256(_mm256_srli_epi32(sum, 16), all_of(0x8000));
    return _mm256_and_si256(_mm256_or_si256(half, sign), _mm256_cmpgt_epi32(half, _mm256_setzero_si256()));
}

// Bit j: lane j is too small or too great for the powers of two that a float has, and not of zeros alone.
INLINE int extreme_lanes(__m256i most)
{
    const __m256i is_great = _mm256_cmpgt_epi32(most, all_of(LANES_MOST)),
                  is_small = _mm256_cmpgt_epi32(all_of(LANES_LEAST), most),
                  is_number = _mm256_cmpgt_epi32(most, all_of(LANES_ZERO));
    return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_or_si256(is_great, _mm256_and_si256(is_small, is_number))));
}

// Bit j: the accumulator of lane j, an f32, is a number.
INLINE int finite_lanes(__m256i c)
{
    const __m256i body = _mm256_and_si256(c, all_of(INT32_MAX));
    return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(all_of(0x7f800000), body)));
}

// Bit j: the accumulator of lane j stays as it is, a NaN, or an infinity to which numbers are added.
INLINE int settled_lanes(bool is_f16, __m256i c, __m256i of_products)
{
    const __m256i body = _mm256_and_si256(c, all_of(is_f16 ? 0x7fff : INT32_MAX));
    const __m256i infinity = all_of(is_f16 ? 0x7c00 : 0x7f800000),
                  nan = all_of(is_f16 ? HOPPER_F16_NAN : HOPPER_F32_NAN);
    const __m256i is_infinity = _mm256_and_si256(_mm256_cmpeq_epi32(body, infinity),
                                                 _mm256_cmpgt_epi32(all_of(NUMBER_INFINITE_EXPONENT / 2), of_products));
    return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_or_si256(is_infinity, _mm256_cmpeq_epi32(c, nan))));
}

// Accumulators, and lanes that are not as usual: that are left to be done again, whose accumulator stays, that have a
// product that is no number, and whose greatest exponent no power of two aligns.
struct left {
    __m256i c, of_products, most;
    int lanes, settled, special, wide;
};

// Infinities, NaNs and zeros as such; 1 with its sign for any other number, so that no product of them is infinite.
INLINE __m256 kinds_of(__m256i exponent, __m256 value)
{
    const __m256 sign = _mm256_and_ps(value, _mm256_set1_ps(-0.0f));
    const __m256i is_zero = _mm256_cmpeq_epi32(exponent, all_of(NUMBER_ZERO_EXPONENT)),
                  is_special = _mm256_cmpgt_epi32(exponent, all_of(NUMBER_INFINITE_EXPONENT - 1)),
                  is_nan = _mm256_cmpeq_epi32(exponent, all_of(NUMBER_NAN_EXPONENT));
    __m256i kind = _mm256_andnot_si256(is_zero, _mm256_castps_si256(_mm256_set1_ps(1)));
    kind = _mm256_blendv_epi8(kind, all_of(0x7f800000), is_special);
    kind = _mm256_or_si256(kind, _mm256_and_si256(is_nan, all_of(0x7fffffff)));
    return _mm256_or_ps(_mm256_castsi256_ps(kind), sign);
}

// Lanes with a product that is an infinity or a NaN: the host's sum of infinities has the result that they need.
static TARGET __attribute__((noinline)) __m256i special_results(const struct way *way, const struct number_factors *a,
                                                                const struct number_factors *b, const uint8_t *picks,
                                                                __m256i c)
{
    const __m256i infinity = all_of(0x7f800000), of_c = _mm256_castps_si256(values_of(way->is_f16, c));
    const __m256i body = _mm256_and_si256(of_c, all_of(INT32_MAX));
    __m256 sum = _mm256_castsi256_ps(_mm256_and_si256(of_c, _mm256_cmpgt_epi32(body, all_of(0x7f7fffff))));
    for (int i = 0; i < way->terms; i++) {
        const struct number_factors *of_a = &a[i / NUMBER_LANES], *of_b = met(b, picks, i);
        const __m256 left = kinds_of(all_of(of_a->exponent[i % NUMBER_LANES]),
                                     _mm256_set1_ps(of_a->value[i % NUMBER_LANES])),
                     right = kinds_of(load(of_b->exponent), _mm256_loadu_ps(of_b->value));
        sum = _mm256_add_ps(sum, _mm256_mul_ps(left, right));
    }
    const __m256i bits = _mm256_castps_si256(sum);
    const __m256i is_nan = _mm256_cmpgt_epi32(_mm256_and_si256(bits, all_of(INT32_MAX)), infinity);
    if (!way->is_f16) return _mm256_blendv_epi8(bits, all_of(HOPPER_F32_NAN), is_nan);
    const __m256i sign = _mm256_and_si256(_mm256_srli_epi32(bits, 16), all_of(0x8000));
    return _mm256_blendv_epi8(_mm256_or_si256(sign, all_of(0x7c00)), all_of(HOPPER_F16_NAN), is_nan);
}

// Two powers of two whose product is 2^exponent, which need not be a float's.
struct powers {
    __m256 first, second;
};

INLINE struct powers powers_of_two(__m256i exponent)
{
    const __m256i half = _mm256_srai_epi32(exponent, 1);
    return (struct powers){power_of_two(half), power_of_two(_mm256_sub_epi32(exponent, half))};
}

// Finite lanes of any exponent, to f32. Both factors of a product are aligned, each by half; one that leaves the
// numbers meets a zero, or one so small that nothing is left. Those past 31 bits are not `wide` any more. Results below
// the normal numbers are cut where f32 ends.
static TARGET __attribute__((noinline)) __m256i wide_results(const struct way *way, const struct number_factors *a,
                                                             const struct number_factors *b, const uint8_t *picks,
                                                             struct left *left)
{
    const __m256i is_zero = _mm256_cmpeq_epi32(_mm256_slli_epi32(left->c, 1), _mm256_setzero_si256());
    const __m256i floor = _mm256_blendv_epi8(all_of(F32_LEAST_EXPONENT), all_of(NUMBER_SUM_FLOOR), is_zero);
    const __m256i most = _mm256_max_epi32(left->most, floor), bits = all_of(way->of->sum_bits);
    const struct powers scale = powers_of_two(_mm256_sub_epi32(bits, most));
    const __m256 limit = _mm256_set1_ps(0x1p127f), c = _mm256_castsi256_ps(left->c);
    __m256i two[] = {_mm256_cvttps_epi32(_mm256_mul_ps(_mm256_mul_ps(c, scale.first), scale.second)),
                     _mm256_setzero_si256()};
    for (int i = 0; i < way->terms; i++) {
        const struct number_factors *of_b = met(b, picks, i);
        __m256 x = _mm256_mul_ps(_mm256_set1_ps(a[i / NUMBER_LANES].value[i % NUMBER_LANES]), scale.first);
        __m256 y = _mm256_mul_ps(_mm256_loadu_ps(of_b->value), scale.second);
        x = _mm256_max_ps(_mm256_min_ps(x, limit), _mm256_sub_ps(_mm256_setzero_ps(), limit));
        y = _mm256_max_ps(_mm256_min_ps(y, limit), _mm256_sub_ps(_mm256_setzero_ps(), limit));
        __m256i *sum = &two[i >= NUMBER_LANES];
        *sum = _mm256_add_epi32(*sum, _mm256_cvttps_epi32(_mm256_mul_ps(x, y)));
    }
    const __m256i bound = _mm256_add_epi32(_mm256_abs_epi32(two[0]), _mm256_abs_epi32(two[1]));
    left->wide &= ~_mm256_movemask_ps(_mm256_castsi256_ps(bound));
    const __m256i sum = _mm256_add_epi32(two[0], two[1]), unit = _mm256_sub_epi32(most, bits);
    const __m256i least = all_of(F32_LEAST_UNIT);
    const __m256i below = _mm256_max_epi32(_mm256_sub_epi32(least, unit), _mm256_setzero_si256());
    const __m256i cut = _mm256_sign_epi32(_mm256_srlv_epi32(_mm256_abs_epi32(sum), below), sum);
    const struct powers units = powers_of_two(_mm256_max_epi32(unit, least));
    const __m256i result = as_f32(way, cut, units.first);
    return _mm256_and_si256(_mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(result), units.second)), way->kept);
}

// Tells lanes apart that are not as usual.
INLINE void sort_out(const struct way *way, struct left *left)
{
    const __m256i is_special = _mm256_cmpgt_epi32(left->of_products, all_of(NUMBER_INFINITE_EXPONENT / 2));
    left->most = _mm256_max_epi32(left->of_products, exponents_of(way->is_f16, left->c));
    left->settled = settled_lanes(way->is_f16, left->c, left->of_products);
    left->special = _mm256_movemask_ps(_mm256_castsi256_ps(is_special)) & ~left->settled;
    left->wide = way->is_f16 ? 0 : extreme_lanes(left->most) & finite_lanes(left->c) & ~left->special & ~left->settled;
}

// Puts the results of lanes that are left where they belong: those that are special, settled, and others.
static TARGET __attribute__((noinline)) void finish_left(const struct way *way, const struct number_factors *a,
                                                         const struct number_factors *b, const uint8_t *picks,
                                                         struct left *left, uint32_t *d)
{
    uint32_t before[NUMBER_LANES], special[NUMBER_LANES], wide[NUMBER_LANES];
    sort_out(way, left);
    _mm256_storeu_si256((__m256i *)before, left->c);
    if (left->special != 0) _mm256_storeu_si256((__m256i *)special, special_results(way, a, b, picks, left->c));
    if (left->wide != 0) _mm256_storeu_si256((__m256i *)wide, wide_results(way, a, b, picks, left));
    for (int j = 0; j < NUMBER_LANES; j++) {
        if (left->settled >> j & 1)
            d[j] = before[j];
        else if (left->special >> j & 1)
            d[j] = special[j];
        else if (left->wide >> j & 1)
            d[j] = wide[j];
        else if (left->lanes >> j & 1)
            d[j] = lanes_plain(way->of, a, b, picks != NULL ? picks : lanes_in_order, j, before[j]);
    }
}

// What a step of a row reads besides: what its terms pick, or the exponents of columns side by side.
struct meeting {
    const uint8_t *picks;
    const __m256i *words;
};

INLINE __m256i greatest(const struct way *way, const struct number_factors *a, const struct number_factors *b,
                        struct meeting meeting)
{
    _Alignas(32) int32_t words[MOST_WORDS];
    if (meeting.words == NULL) return greatest_of(way, a, b, meeting.picks);
    pack_row(a, way->terms, words);
    return greatest_of_packed(words, meeting.words, way->terms);
}

INLINE void add_floats(const struct way *way, const struct number_factors *a, const struct number_factors *b,
                       struct meeting meeting, uint32_t *d)
{
    const __m256i c = load(d), range = all_of(LANES_MOST - LANES_LEAST), of_products = greatest(way, a, b, meeting);
    __m256i most = _mm256_max_epi32(of_products, exponents_of(way->is_f16, c));
    const __m256i above = _mm256_sub_epi32(most, all_of(LANES_LEAST));
    const __m256i is_usual = _mm256_cmpeq_epi32(_mm256_min_epu32(above, range), above);
    int lanes = 0;
    if (__builtin_expect(_mm256_movemask_ps(_mm256_castsi256_ps(is_usual)) != ALL, 0)) {
        lanes = extreme_lanes(most);
        if (settled_lanes(way->is_f16, c, of_products) == ALL) return;
        most = _mm256_max_epi32(most, all_of(LANES_LEAST));
    }
    const __m256i bits = all_of(way->of->sum_bits), up = _mm256_sub_epi32(bits, most);
    const __m256 scale = power_of_two(up), unit = power_of_two(_mm256_sub_epi32(most, bits));
    __m256i x = _mm256_cvttps_epi32(_mm256_mul_ps(values_of(way->is_f16, c), scale)), y = _mm256_setzero_si256();
    x = add_group(way, a, b, meeting.picks, 0, scale, x);
    for (int first = NUMBER_LANES; first < way->terms; first += NUMBER_LANES)
        y = add_group(way, a + first / NUMBER_LANES, b, meeting.picks, first, scale, y);
    const __m256i sum = _mm256_add_epi32(x, y);
    const __m256i bound = _mm256_add_epi32(_mm256_abs_epi32(x), _mm256_abs_epi32(y));
    lanes |= _mm256_movemask_ps(_mm256_castsi256_ps(bound));
    const __m256i result = way->is_f16 ? as_f16(sum, unit) : as_f32(way, sum, unit);
    _mm256_storeu_si256((__m256i *)d, result);
    if (__builtin_expect(lanes != 0, 0)) {
        struct left left = {.c = c, .of_products = of_products, .lanes = lanes};
        finish_left(way, a, b, meeting.picks, &left, d);
    }
}

// Of these factors: are there no infinities and NaNs, and are there zeros alone?
struct content {
    bool is_finite, is_zero;
};

INLINE struct content content_of(const struct number_factors *factors, size_t count)
{
    __m256i most = all_of(NUMBER_ZERO_EXPONENT);
    for (size_t i = 0; i < count; i++) most = _mm256_max_epi32(most, load(factors[i].exponent));
    const __m256i is_special = _mm256_cmpgt_epi32(most, all_of(NUMBER_INFINITE_EXPONENT - 1));
    const __m256i is_number = _mm256_cmpgt_epi32(most, all_of(NUMBER_ZERO_EXPONENT));
    return (struct content){_mm256_testz_si256(is_special, is_special), _mm256_testz_si256(is_number, is_number)};
}

// Zeros times numbers leave an accumulator of zero as it is: so is most of a tile that is larger than its matrix.
INLINE bool is_nothing(struct content a, struct content b)
{
    return a.is_finite && b.is_finite && (a.is_zero || b.is_zero);
}

INLINE void add_rows(const struct lanes_part *part, const int terms, const bool is_f16, const bool has_picks,
                     const bool is_packed, uint32_t (*d)[NUMBER_LANES])
{
    const struct number_block *block = part->block;
    const int lost = F32_FRACTION_BITS - block->sum.sum_bits;
    const struct way way = {&block->sum, terms, is_f16, all_of(lost > 0 ? (int32_t)~low_bits(lost) : -1)};
    const size_t groups = (size_t)number_groups(terms);
    const struct content of_b = content_of(part->b, part->steps * block->b_step);
    __m256i words[LANES_PART_STEPS * MOST_WORDS];
    for (size_t step = 0; is_packed && step < part->steps; step++)
        pack_columns(part->b + step * block->b_step, terms, words + step * MOST_WORDS);
    for (int row = 0; row < block->rows; row++) {
        const struct number_factors *a = part->a + (size_t)row * block->a_row;
        const __m256i c = load(d[row]);
        if (_mm256_testz_si256(c, c) && is_nothing(content_of(a, part->steps * groups), of_b)) continue;
        for (size_t step = 0; step < part->steps; step++) {
            const struct meeting meeting = {has_picks ? block->picks + NUMBER_MAX_TERMS * row : NULL,
                                            is_packed ? words + step * MOST_WORDS : NULL};
            add_floats(&way, a + step * groups, part->b + step * block->b_step, meeting, d[row]);
        }
    }
}

#define ROWS(name, terms, is_f16, has_picks, is_packed)                                                                \
    static TARGET void name(const struct lanes_part *part, uint32_t(*d)[NUMBER_LANES])                                 \
    {                                                                                                                  \
        add_rows(part, terms, is_f16, has_picks, is_packed, d);                                                        \
    }
ROWS(add_8_f32, 8, 0, 0, 1)
ROWS(add_16_f32, 16, 0, 0, 1)
ROWS(add_32_f32, 32, 0, 0, 1)
ROWS(add_any_f32, part->block->sum.terms, 0, 0, 0)
ROWS(add_picked_f32, part->block->sum.terms, 0, 1, 0)
ROWS(add_16_f16, 16, 1, 0, 1)
ROWS(add_32_f16, 32, 1, 0, 1)
ROWS(add_any_f16, part->block->sum.terms, 1, 0, 0)
ROWS(add_picked_f16, part->block->sum.terms, 1, 1, 0)

void lanes_add_floats_avx2(const struct lanes_part *part, uint32_t (*d)[NUMBER_LANES])
{
    const int terms = part->block->sum.terms;
    const bool is_f16 = part->block->sum.d == NUMBER_F16;
    if (part->block->picks != NULL)
        (is_f16 ? add_picked_f16 : add_picked_f32)(part, d);
    else if (terms == 16)
        (is_f16 ? add_16_f16 : add_16_f32)(part, d);
    else if (terms == 32)
        (is_f16 ? add_32_f16 : add_32_f32)(part, d);
    else if (terms == 8 && !is_f16)
        add_8_f32(part, d);
    else
        (is_f16 ? add_any_f16 : add_any_f32)(part, d);
}

#endif
