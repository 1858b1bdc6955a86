// SPDX-License-Identifier: MIT
// Floats of 16 bits, f16 and bf16, one or two in a register. Every NaN that arithmetic gives is 7FFF.
#include <math.h>

#include "narrow.h"
#include "table.h"

// What the words of an instruction ask for.
struct asked {
    int flush, saturate, relu, oob, keeps_nan, xors_signs;
};

LANE_INLINE struct asked asked_of(const struct ptx_choice *choice)
{
    return (struct asked){says_ftz(choice),
                          says_sat(choice),
                          word_is(choice, PTX_CLASS_RELU, PTX_RELU),
                          word_is(choice, PTX_CLASS_OOB, PTX_OOB),
                          word_is(choice, PTX_CLASS_NAN, PTX_NAN),
                          word_is(choice, PTX_CLASS_XORSIGN, PTX_XORSIGN)};
}

LANE_INLINE bool is_nothing(struct asked asked)
{
    return !(asked.flush | asked.saturate | asked.relu | asked.oob | asked.keeps_nan | asked.xors_signs);
}

LANE_INLINE double widened(struct narrow format, uint32_t bits, int flush)
{
    if (flush) bits = narrow_flushed(format, bits);
    return format.precision == 11 ? f16_to_f32(bits) : bf16_to_f32(bits);
}

LANE_INLINE uint32_t finished(struct narrow format, double f, struct asked asked)
{
    uint32_t bits = narrow_round(format, f, PTX_RN, asked.flush);
    if (asked.saturate) bits = narrow_saturated(format, bits);
    return asked.relu ? narrow_relu(format, bits) : bits;
}

// The value that a tensor copy fills in out of bounds.
LANE_INLINE bool is_out_of_bounds(uint32_t bits)
{
    return (bits & 0x7fff) == 0x7ff7;
}

enum operation { ADD, SUB, MUL, FMA, OTHER };

LANE_INLINE uint32_t computed(struct narrow format, enum operation operation, uint32_t x, uint32_t y, uint32_t z,
                              struct asked asked)
{
    double a = widened(format, x, asked.flush), b = widened(format, y, asked.flush);
    double c = operation == FMA ? widened(format, z, asked.flush) : 0;
    if (operation == ADD) return finished(format, sum_to_odd(a, b), asked);
    if (operation == SUB) return finished(format, sum_to_odd(a, -b), asked);
    if (operation == MUL) return finished(format, a * b, asked);
    uint32_t result = finished(format, sum_to_odd(a * b, c), asked);
    return asked.oob && (is_out_of_bounds(x) || is_out_of_bounds(y)) ? 0 : result;
}

// f32 holds each product of two, and rounds their sum so that rounding it once more changes nothing: it has more than
// twice as many bits, and two more. The sum of a product and a third number is rounded to odd in between; of bf16 such
// a product may be too large for f32.
#if defined __AVX2__ && defined __F16C__
LANE_INLINE __m256 odd_sum(__m256 x, __m256 y)
{
    const __m256 sum = _mm256_add_ps(x, y), of_x = _mm256_sub_ps(sum, y), of_y = _mm256_sub_ps(sum, of_x);
    const __m256 error = _mm256_add_ps(_mm256_sub_ps(x, of_x), _mm256_sub_ps(y, of_y)), zero = _mm256_setzero_ps();
    const __m256i bits = _mm256_castps_si256(sum), one = _mm256_set1_epi32(1);
    const __m256i is_even = _mm256_cmpeq_epi32(_mm256_and_si256(bits, one), _mm256_setzero_si256());
    const __m256i is_inexact = _mm256_castps_si256(_mm256_cmp_ps(error, zero, _CMP_NEQ_OQ)); // not of infinities
    // Outward if the error has the sign of the sum, else inward: 1 or -1.
    const __m256i signs = _mm256_srai_epi32(_mm256_castps_si256(_mm256_xor_ps(error, sum)), 31);
    const __m256i step = _mm256_and_si256(_mm256_or_si256(signs, one), _mm256_and_si256(is_even, is_inexact));
    return _mm256_castsi256_ps(_mm256_add_epi32(bits, step));
}

LANE_INLINE __m256 floats_of(struct narrow format, const void *row, int i)
{
    const __m128i bits = _mm_loadu_si128((const __m128i *)(const void *)((const uint16_t *)row + i));
    return format.precision == 11 ? _mm256_cvtph_ps(bits)
                                  : _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}

// The upper and the lower four, as words of 16 bits, which they fit.
LANE_INLINE __m128i packed(__m256i words)
{
    return _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}

// To the nearest; not of a NaN.
LANE_INLINE __m128i rounded(struct narrow format, __m256 f)
{
    if (format.precision == 11) return _mm256_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT);
    const __m256i bits = _mm256_castps_si256(f), high = _mm256_srli_epi32(bits, 16);
    const __m256i is_odd = _mm256_and_si256(high, _mm256_set1_epi32(1));
    const __m256i term = _mm256_add_epi32(is_odd, _mm256_set1_epi32(0x7fff));
    return packed(_mm256_srli_epi32(_mm256_add_epi32(bits, term), 16));
}

// Are all products neither too small nor too large for f32? Those with 0, and of infinities, are exact.
LANE_INLINE int products_fit(struct narrow format, const void *as, const void *bs, int count)
{
    const __m256i infinity = _mm256_set1_epi32(0x7f800000), zero = _mm256_setzero_si256();
    __m256i wrong = zero;
    for (int i = 0; i < count; i += 8) {
        const __m256 a = floats_of(format, as, i), b = floats_of(format, bs, i), none = _mm256_setzero_ps();
        const __m256i field = _mm256_and_si256(_mm256_castps_si256(_mm256_mul_ps(a, b)), infinity);
        const __m256i is_last = _mm256_or_si256(_mm256_cmpeq_epi32(field, zero), _mm256_cmpeq_epi32(field, infinity));
        const __m256 has_zero = _mm256_or_ps(_mm256_cmp_ps(a, none, _CMP_EQ_OQ), _mm256_cmp_ps(b, none, _CMP_EQ_OQ));
        const __m256 a_less = _mm256_sub_ps(a, a), b_less = _mm256_sub_ps(b, b); // no number of infinities and NaNs
        const __m256i is_exact =
            _mm256_castps_si256(_mm256_or_ps(has_zero, _mm256_cmp_ps(a_less, b_less, _CMP_UNORD_Q)));
        wrong = _mm256_or_si256(wrong, _mm256_andnot_si256(is_exact, is_last));
    }
    return _mm256_testz_si256(wrong, wrong);
}

LANE_INLINE int half_at_once(struct narrow format, enum operation operation, const void *as, const void *bs,
                             const void *cs, void *ds, int count)
{
    if (operation == OTHER) return 0;
    if (operation == FMA && format.precision != 11 && !products_fit(format, as, bs, count)) return 0;
    for (int i = 0; i < count; i += 8) {
        const __m256 a = floats_of(format, as, i), b = floats_of(format, bs, i), c = floats_of(format, cs, i);
        const __m256 f = operation == ADD   ? _mm256_add_ps(a, b)
                         : operation == SUB ? _mm256_sub_ps(a, b)
                         : operation == MUL ? _mm256_mul_ps(a, b)
                                            : odd_sum(_mm256_mul_ps(a, b), c);
        const __m256i is_nan = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cmp_ps(f, f, _CMP_UNORD_Q)), 16);
        const __m128i nan = _mm_set1_epi16((int16_t)format.nan);
        const __m128i bits = _mm_blendv_epi8(rounded(format, f), nan, packed(is_nan));
        _mm_storeu_si128((__m128i *)(void *)((uint16_t *)ds + i), bits);
    }
    return 1;
}
#else
LANE_INLINE int half_at_once(struct narrow format, enum operation operation, const void *as, const void *bs,
                             const void *cs, void *ds, int count)
{
    (void)format, (void)operation, (void)as, (void)bs, (void)cs, (void)ds, (void)count;
    return 0;
}
#endif

// The loop where nothing is asked for has no branches, and becomes vectors.
#define HALF_LOOP(D, format, operation, last, ...)                                                                     \
    {                                                                                                                  \
        RESULT(D);                                                                                                     \
        const D *as = alu_at(registers, slot[1]), *bs = alu_at(registers, slot[last > 1 ? 2 : 1]),                     \
                *cs = alu_at(registers, slot[last]);                                                                   \
        const struct asked words = asked_of(choice);                                                                   \
        const struct environment environment = environment_enter(PTX_RN, 0, d);                                        \
        const int count = LANES * (int)sizeof(D) / 2, is_plain = is_nothing(words);                                    \
        if (is_plain && half_at_once(format, operation, as, bs, cs, d, count)) {                                       \
        } else if (is_plain) {                                                                                         \
            const struct asked asked = {0};                                                                            \
            EACH_LANE d[i] = (D)(__VA_ARGS__);                                                                         \
        } else {                                                                                                       \
            const struct asked asked = words;                                                                          \
            EACH_LANE d[i] = (D)(__VA_ARGS__);                                                                         \
        }                                                                                                              \
        environment_leave(environment, d);                                                                             \
        keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);                                                   \
    }

// Of one number, and of two.
#define HALF_LOOPS(name, format, operation, last, each)                                                                \
    ALU_FUNCTION(name)                                                                                                 \
    HALF_LOOP(uint16_t, format, operation, last, each(format, as[i], bs[i], cs[i], asked))                             \
    ALU_FUNCTION(name##_x2)                                                                                            \
    HALF_LOOP(uint32_t, format, operation, last,                                                                       \
              each(format, as[i] & 0xffff, bs[i] & 0xffff, cs[i] & 0xffff, asked) |                                    \
                  each(format, as[i] >> 16, bs[i] >> 16, cs[i] >> 16, asked) << 16)

LANE_INLINE uint32_t add_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    return computed(format, ADD, a, b, c, asked);
}

LANE_INLINE uint32_t sub_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    return computed(format, SUB, a, b, c, asked);
}

LANE_INLINE uint32_t mul_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    return computed(format, MUL, a, b, c, asked);
}

LANE_INLINE uint32_t fma_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    return computed(format, FMA, a, b, c, asked);
}

LANE_INLINE uint32_t abs_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    (void)b, (void)c;
    if (asked.flush) a = narrow_flushed(format, a);
    return narrow_is_nan(format, a) ? format.nan : a & (format.sign - 1);
}

LANE_INLINE uint32_t neg_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    (void)b, (void)c;
    if (asked.flush) a = narrow_flushed(format, a);
    return narrow_is_nan(format, a) ? format.nan : a ^ format.sign;
}

// Bits as a number that grows with the float, -0 below +0.
LANE_INLINE int32_t ordered(struct narrow format, uint32_t bits)
{
    return bits >= format.sign ? (int32_t)(format.sign - 1 - bits) : (int32_t)bits;
}

LANE_INLINE uint32_t extreme(struct narrow format, uint32_t a, uint32_t b, bool greatest, int keeps_nan, int flush)
{
    if (flush) a = narrow_flushed(format, a), b = narrow_flushed(format, b);
    bool a_nan = narrow_is_nan(format, a), b_nan = narrow_is_nan(format, b);
    uint32_t pick = (ordered(format, a) > ordered(format, b)) == greatest ? a : b;
    pick = a_nan ? b : b_nan ? a : pick;
    return (a_nan && b_nan) || (keeps_nan && (a_nan || b_nan)) ? format.nan : pick;
}

LANE_INLINE uint32_t extreme_of(struct narrow format, uint32_t a, uint32_t b, bool greatest, struct asked asked)
{
    if (!asked.xors_signs) return extreme(format, a, b, greatest, asked.keeps_nan, asked.flush);
    uint32_t magnitude = format.sign - 1;
    uint32_t pick = extreme(format, a & magnitude, b & magnitude, greatest, asked.keeps_nan, asked.flush);
    return narrow_is_nan(format, pick) ? format.nan : pick | ((a ^ b) & format.sign);
}

LANE_INLINE uint32_t min_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    (void)c;
    return extreme_of(format, a, b, false, asked);
}

LANE_INLINE uint32_t max_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    (void)c;
    return extreme_of(format, a, b, true, asked);
}

#define HALVES(name, operation, last)                                                                                  \
    HALF_LOOPS(name##_f16, NARROW_F16, operation, last, name##_each)                                                   \
    HALF_LOOPS(name##_bf16, NARROW_BF16, operation, last, name##_each)
HALVES(add, ADD, 2)
HALVES(sub, SUB, 2)
HALVES(mul, MUL, 2)
HALVES(fma, FMA, 3)
HALVES(abs, OTHER, 1)
HALVES(min, OTHER, 2)
HALVES(max, OTHER, 2)
HALVES(neg, OTHER, 1)

// ptxas takes .rz, .rm and .rp for bf16, and what it makes of them is not that. Of two numbers each is rounded to
// nearest; one is taken for f16, without .oob and .relu, and its f32 sum, rounded as said, is rounded to nearest.
ALU_FUNCTION(fma_mistaken)
{
    const uint16_t *as = alu_at(registers, slot[1]), *bs = alu_at(registers, slot[2]), *cs = alu_at(registers, slot[3]);
    uint16_t d[LANES];
    float sum[LANES];
    struct environment environment = environment_enter(rounding(choice), 0, sum);
    EACH_LANE sum[i] = fmaf(f16_to_f32(as[i]), f16_to_f32(bs[i]), f16_to_f32(cs[i]));
    environment_leave(environment, sum);
    environment = environment_enter(PTX_RN, 0, d);
    EACH_LANE d[i] = (uint16_t)narrow_round(NARROW_F16, sum[i], PTX_RN, 0);
    environment_leave(environment, d);
    keep_16(alu_at(registers, slot[0]), d, lanes);
}

ALU_FUNCTION(fma_bf16_any)
{
    rounding(choice) == PTX_RN ? fma_bf16(registers, slot, choice, lanes)
                               : fma_mistaken(registers, slot, choice, lanes);
}

#define F16_ROWS(form, name)  ROW(form, f16, name##_f16), ROW(form, f16x2, name##_f16_x2)
#define BF16_ROWS(form, name) ROW(form, bf16, name##_bf16), ROW(form, bf16x2, name##_bf16_x2)

static const struct alu_row rows[] = {
    F16_ROWS(ADD_F16, add),
    F16_ROWS(SUB_F16, sub),
    F16_ROWS(MUL_F16, mul),
    F16_ROWS(FMA_F16, fma),
    F16_ROWS(FMA_F16_RELU, fma),
    F16_ROWS(FMA_OOB, fma),
    F16_ROWS(FMA_OOB_SAT, fma),
    F16_ROWS(ABS_F16, abs),
    F16_ROWS(NEG_F16, neg),
    F16_ROWS(MIN_F16, min),
    F16_ROWS(MAX_F16, max),
    F16_ROWS(MIN_F16_XORSIGN, min),
    F16_ROWS(MAX_F16_XORSIGN, max),
    BF16_ROWS(ADD_BF16, add),
    BF16_ROWS(SUB_BF16, sub),
    BF16_ROWS(MUL_BF16, mul),
    ROW(FMA_BF16, bf16, fma_bf16_any),
    ROW(FMA_BF16, bf16x2, fma_bf16_x2),
    BF16_ROWS(FMA_OOB, fma),
    ROW(FMA_OOB_BF16, bf16, fma_mistaken),
    ROW(FMA_OOB_BF16, bf16x2, fma_bf16_x2),
    BF16_ROWS(ABS_BF16, abs),
    BF16_ROWS(NEG_BF16, neg),
    BF16_ROWS(MIN_BF16, min),
    BF16_ROWS(MAX_BF16, max),
    BF16_ROWS(MIN_BF16_XORSIGN, min),
    BF16_ROWS(MAX_BF16_XORSIGN, max),
};
ALU_ROWS(alu_half, rows);
