// SPDX-License-Identifier: MIT
// Plain loops over eight lanes, without a branch, that compilers make vectors of; processors with AVX2 have a way of
// their own for floats (lanes_avx2.c). A product of two values is exact in a float; a power of two aligns it, and its
// conversion to an integer cuts it toward zero. Lanes that hold or become something special are left to sum.h.
#include "lanes.h"

#include <string.h>

#include "fields.h"
#include "float_add.h"
#include "float_environment.h"
#include "lanes_way.h"

#if defined __GNUC__
#define INLINE static inline __attribute__((always_inline)) // into each copy
#else
#define INLINE static inline
#endif

enum { F32_BIAS = 127, F32_FRACTION_BITS = 23, F32_TOP = 254 };
enum { F16_BIAS = 15, F16_FRACTION_BITS = 10, F16_TOP = 30 };

// --- Reading ---------------------------------------------------------------------------------------------------------

int number_groups(int terms)
{
    return (terms + NUMBER_LANES - 1) / NUMBER_LANES;
}

// A product of two powers of two that a float has: values below its normal numbers are exact too. What is no number has
// the value 1.
INLINE void read_factors(const struct number_format_row *row, const uint32_t *bits, uint32_t sign_flip,
                         struct number_factors *factors)
{
    float unit = f32_of((uint32_t)(F32_BIAS - row->fraction_bits) << F32_FRACTION_BITS);
    for (int i = 0; i < NUMBER_LANES; i++) {
        uint32_t magnitude;
        read_float(row, bits[i], &magnitude, &factors->exponent[i]);
        int32_t exponent = factors->exponent[i], is_number = exponent < NUMBER_INFINITE_EXPONENT;
        int32_t field = exponent + F32_BIAS, has_field = is_number & (exponent != NUMBER_ZERO_EXPONENT);
        float scale = f32_of((uint32_t)(has_field ? field : F32_BIAS) << F32_FRACTION_BITS);
        uint32_t value = bits_of_f32((float)(int32_t)magnitude * unit * scale);
        uint32_t sign = (bits[i] >> (row->size_bits - 1) << 31) ^ sign_flip;
        factors->value[i] = f32_of((is_number ? value : (uint32_t)F32_BIAS << F32_FRACTION_BITS) | sign);
    }
}

INLINE void read_integers(const struct number_format_row *row, const uint32_t *bits, struct number_factors *factors)
{
    for (int i = 0; i < NUMBER_LANES; i++) factors->whole[i] = (int32_t)read_integer(row, bits[i]);
}

INLINE void read_groups(const struct number_format_row *row, const uint32_t (*bits)[NUMBER_LANES], size_t groups,
                        uint32_t sign_flip, struct number_factors *factors)
{
    if (row->exponent_bits == 0)
        for (size_t i = 0; i < groups; i++) read_integers(row, bits[i], &factors[i]);
    else
        for (size_t i = 0; i < groups; i++) read_factors(row, bits[i], sign_flip, &factors[i]);
}

// The row by value: what is written could be a pointer's.
static void read_anywhere(struct number_format_row row, const uint32_t (*bits)[NUMBER_LANES], size_t groups,
                          uint32_t sign_flip, struct number_factors *factors)
{
    read_groups(&row, bits, groups, sign_flip, factors);
}

void number_factors_read_groups(enum number_format format, const uint32_t (*bits)[NUMBER_LANES], size_t groups,
                                int negate, struct number_factors *factors)
{
    const struct number_format_row *row = number_format_row(format);
#if defined NUMBER_HAS_AVX2
    if (row->exponent_bits != 0 && lanes_have_avx2()) {
        lanes_read_avx2(format, bits, groups, negate, factors);
        return;
    }
#endif
    read_anywhere(*row, bits, groups, negate ? (uint32_t)1 << 31 : 0, factors);
}

void number_factors_read(enum number_format format, const uint32_t bits[NUMBER_LANES], int negate,
                         struct number_factors *factors)
{
    number_factors_read_groups(format, (const uint32_t(*)[NUMBER_LANES])bits, 1, negate, factors);
}

static inline uint32_t word_at(const uint8_t *bytes, int size_bytes)
{
    uint32_t word;
    uint16_t half;
    if (size_bytes == 1) return *bytes;
    if (size_bytes == 2) return memcpy(&half, bytes, sizeof half), half;
    return memcpy(&word, bytes, sizeof word), word;
}

void number_factors_load(enum number_format format, int count, const uint8_t *bytes, size_t stride_bytes, int negate,
                         struct number_factors *factors)
{
    uint32_t bits[NUMBER_LANES] = {0};
    int size_bytes = format == NUMBER_B1 ? 4 : number_format_row(format)->size_bits / 8;
    for (int i = 0; i < count; i++) bits[i] = word_at(bytes + (size_t)i * stride_bytes, size_bytes);
    number_factors_read(format, bits, negate, factors);
}

// --- The plain way ---------------------------------------------------------------------------------------------------

// One factor, of a float, as a term of sum.h. A subnormal f16 or fp8 is a normal f32.
static void put_term(enum number_format format, const struct number_factors *from, int lane, struct number_terms *terms,
                     int i)
{
    const int fraction_bits = number_format_row(format)->fraction_bits;
    const int32_t exponent = from->exponent[lane];
    const uint32_t bits = bits_of_f32(from->value[lane]);
    uint32_t magnitude;
    int32_t own;
    read_float(number_format_row(NUMBER_F32), bits, &magnitude, &own);
    if (exponent == NUMBER_ZERO_EXPONENT)
        magnitude = 0;
    else if (class_of(exponent) == NUMBER_FINITE)
        magnitude >>= F32_FRACTION_BITS - fraction_bits + exponent - own;
    terms->magnitude[i] = magnitude;
    terms->exponent[i] = exponent;
    terms->sign[i] = -(int32_t)(bits >> 31);
    terms->is_special |= class_of(exponent) != NUMBER_FINITE;
}

// One step of one lane of floats. A NaN stays one, whatever is added.
uint32_t lanes_plain(const struct number_sum *sum, const struct number_factors *a, const struct number_factors *b,
                     const uint8_t *picks, int lane, uint32_t c)
{
    struct number_terms row = {.is_special = 0}, column = {.is_special = 0};
    if (number_classify(sum->d, c) == NUMBER_NAN) return sum->d == NUMBER_F16 ? HOPPER_F16_NAN : HOPPER_F32_NAN;
    for (int i = 0; i < sum->terms; i++) {
        put_term(sum->a, &a[i / NUMBER_LANES], i % NUMBER_LANES, &row, i);
        put_term(sum->b, &b[picks[i]], lane, &column, i);
    }
    return number_sum_float(sum, &row, &column, &c);
}

// --- Sums of floats --------------------------------------------------------------------------------------------------

// Eight sums in the making: the greatest exponents, and two sums each, of which either is below 2^31 in units of
// 2^(most - sum bits). `is_left` are lanes that number_sum_float() must do.
struct lanes {
    int32_t most[NUMBER_LANES];
    uint32_t sum[2][NUMBER_LANES], is_left[NUMBER_LANES];
};

// Accumulators: values and exponents.
struct accumulators {
    float value[NUMBER_LANES];
    int32_t exponent[NUMBER_LANES];
};

INLINE void read_accumulators(bool is_f16, const uint32_t *c, struct accumulators *to)
{
    const int fraction_bits = is_f16 ? F16_FRACTION_BITS : F32_FRACTION_BITS, bias = is_f16 ? F16_BIAS : F32_BIAS;
    const int32_t top = is_f16 ? F16_TOP : F32_TOP;
    for (int j = 0; j < NUMBER_LANES; j++) {
        int32_t body = (int32_t)(c[j] & (is_f16 ? 0x7fff : 0x7fffffff)), field = body >> fraction_bits;
        int32_t finite = field + (field == 0) - bias;
        uint32_t value = is_f16 ? bits_of_f32(float_of_f16(c[j])) : c[j];
        to->value[j] = f32_of(field > top ? 0 : value);
        to->exponent[j] = field > top ? NUMBER_NAN_EXPONENT : body == 0 ? NUMBER_ZERO_EXPONENT : finite;
    }
}

// Zeros alone have any exponent, and leave a zero.
INLINE void find_most(int terms, const struct number_factors *a, const struct number_factors *b, const uint8_t *picks,
                      const struct accumulators *c, struct lanes *lanes)
{
    int32_t most[NUMBER_LANES];
    for (int j = 0; j < NUMBER_LANES; j++) most[j] = c->exponent[j];
    for (int i = 0; i < terms; i++) {
        int32_t of_a = a[i / NUMBER_LANES].exponent[i % NUMBER_LANES];
        const int32_t *of_b = b[picks[i]].exponent;
        for (int j = 0; j < NUMBER_LANES; j++) most[j] = of_a + of_b[j] > most[j] ? of_a + of_b[j] : most[j];
    }
    for (int j = 0; j < NUMBER_LANES; j++) {
        lanes->is_left[j] = (most[j] > LANES_MOST) | ((most[j] < LANES_LEAST) & (most[j] > LANES_ZERO));
        most[j] = most[j] < LANES_LEAST ? LANES_LEAST : most[j];
        lanes->most[j] = most[j] > LANES_MOST ? LANES_MOST : most[j];
    }
}

// Adds one term, aligned by lane j's scale.
INLINE void add_term(float of_a, const struct number_factors *b, const float *scale, uint32_t *sum)
{
    for (int j = 0; j < NUMBER_LANES; j++) sum[j] += (uint32_t)(int32_t)(of_a * b->value[j] * scale[j]);
}

INLINE void add_terms(const struct number_sum *of, const struct number_factors *a, const struct number_factors *b,
                      const uint8_t *picks, const struct accumulators *c, struct lanes *lanes)
{
    uint32_t even[NUMBER_LANES], odd[NUMBER_LANES] = {0};
    float scale[NUMBER_LANES];
    for (int j = 0; j < NUMBER_LANES; j++) {
        scale[j] = f32_of((uint32_t)(of->sum_bits + F32_BIAS - lanes->most[j]) << F32_FRACTION_BITS);
        even[j] = (uint32_t)(int32_t)(c->value[j] * scale[j]);
    }
    for (int i = 0; i < of->terms; i += 2) {
        const struct number_factors *group = &a[i / NUMBER_LANES];
        int at = i % NUMBER_LANES;
        add_term(group->value[at], &b[picks[i]], scale, even);
        add_term(group->value[at + 1], &b[picks[i + 1]], scale, odd);
    }
    memcpy(lanes->sum[0], even, sizeof even);
    memcpy(lanes->sum[1], odd, sizeof odd);
}

// The sums cut to 24 bits, without their signs. Lanes that no 31 bits hold are left.
INLINE void cut_sums(struct lanes *lanes, uint32_t *sign, uint32_t *magnitude, float *cut)
{
    for (int j = 0; j < NUMBER_LANES; j++) {
        uint32_t x = lanes->sum[0][j], y = lanes->sum[1][j], sum = x + y, negative = 0 - (sum >> 31);
        sign[j] = negative & 0x80000000;
        magnitude[j] = (sum ^ negative) - negative;
        cut[j] = (float)(int32_t)(magnitude[j] & ~(magnitude[j] >> 24)); // without its 25th bit it rounds down
        lanes->is_left[j] |= (((x ^ sum) & (y ^ sum)) | magnitude[j]) >> 31;
    }
}

INLINE float unit_of(const struct number_sum *of, const struct lanes *lanes, int j)
{
    return f32_of((uint32_t)(lanes->most[j] - of->sum_bits + F32_BIAS) << F32_FRACTION_BITS);
}

// Results as f32: never subnormal. No more fraction bits are kept than in the sum.
INLINE void finish_f32(const struct number_sum *of, struct lanes *lanes, uint32_t *d)
{
    uint32_t sign[NUMBER_LANES], magnitude[NUMBER_LANES];
    float cut[NUMBER_LANES];
    uint32_t kept = of->sum_bits < F32_FRACTION_BITS ? ~low_bits(F32_FRACTION_BITS - of->sum_bits) : UINT32_MAX;
    cut_sums(lanes, sign, magnitude, cut);
    for (int j = 0; j < NUMBER_LANES; j++) d[j] = (bits_of_f32(cut[j] * unit_of(of, lanes, j)) & kept) | sign[j];
}

// Results as f16, to nearest even. What is cut off first leaves its trace in the last of 24 bits, so that no tie is
// made of it.
INLINE void finish_f16(const struct number_sum *of, struct lanes *lanes, uint32_t *d)
{
    uint32_t sign[NUMBER_LANES], magnitude[NUMBER_LANES];
    float cut[NUMBER_LANES];
    cut_sums(lanes, sign, magnitude, cut);
    for (int j = 0; j < NUMBER_LANES; j++) {
        uint32_t lost = (uint32_t)(int32_t)cut[j] != magnitude[j], bits = bits_of_f32(cut[j]) | lost;
        uint32_t half = f16_of_float(f32_of(bits) * unit_of(of, lanes, j));
        d[j] = half == 0 ? 0 : half | sign[j] >> 16;
    }
}

INLINE void add_floats(const struct number_sum *of, const struct number_factors *a, const struct number_factors *b,
                       const uint8_t *picks, uint32_t *d)
{
    struct accumulators c;
    struct lanes lanes;
    uint32_t result[NUMBER_LANES], any = 0;
    read_accumulators(of->d == NUMBER_F16, d, &c);
    find_most(of->terms, a, b, picks, &c, &lanes);
    add_terms(of, a, b, picks, &c, &lanes);
    if (of->d == NUMBER_F16)
        finish_f16(of, &lanes, result);
    else
        finish_f32(of, &lanes, result);
    for (int j = 0; j < NUMBER_LANES; j++) any |= lanes.is_left[j];
    for (int j = 0; any && j < NUMBER_LANES; j++)
        if (lanes.is_left[j]) result[j] = lanes_plain(of, a, b, picks, j, d[j]);
    memcpy(d, result, sizeof result);
}

// --- Sums of integers ------------------------------------------------------------------------------------------------

INLINE void add_products(int terms, const struct number_factors *a, const struct number_factors *b,
                         const uint8_t *picks, int32_t *sum)
{
    for (int i = 0; i < terms; i++) {
        int32_t of_a = a[i / NUMBER_LANES].whole[i % NUMBER_LANES];
        const int32_t *of_b = b[picks[i]].whole;
        for (int j = 0; j < NUMBER_LANES; j++) sum[j] += of_a * of_b[j];
    }
}

INLINE void add_common_bits(int terms, const struct number_factors *a, const struct number_factors *b,
                            const uint8_t *picks, int32_t *sum)
{
    for (int i = 0; i < terms; i++) {
        uint32_t of_a = (uint32_t)a[i / NUMBER_LANES].whole[i % NUMBER_LANES];
        const int32_t *of_b = b[picks[i]].whole;
        for (int j = 0; j < NUMBER_LANES; j++) sum[j] += __builtin_popcount(of_a & (uint32_t)of_b[j]);
    }
}

INLINE void add_integers(const struct number_sum *of, const struct number_factors *a, const struct number_factors *b,
                         const uint8_t *picks, uint32_t *d)
{
    int32_t sum[NUMBER_LANES] = {0};
    if (of->a == NUMBER_B1)
        add_common_bits(of->terms, a, b, picks, sum);
    else
        add_products(of->terms, a, b, picks, sum);
    for (int j = 0; j < NUMBER_LANES && of->satfinite; j++)
        d[j] = number_result_integer((int64_t)(int32_t)d[j] + sum[j], 1);
    for (int j = 0; j < NUMBER_LANES && !of->satfinite; j++) d[j] += (uint32_t)sum[j];
}

// --- Blocks ----------------------------------------------------------------------------------------------------------

typedef void way(const struct number_sum *, const struct number_factors *, const struct number_factors *,
                 const uint8_t *, uint32_t *);

const uint8_t lanes_in_order[NUMBER_MAX_TERMS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

// Floats that are all zeros, and floats among which there is neither an infinity nor a NaN.
enum content { CONTENT_ANY, CONTENT_FINITE, CONTENT_ZERO };

static enum content content_of(const struct number_factors *factors, size_t count)
{
    int32_t most = NUMBER_ZERO_EXPONENT;
    for (size_t i = 0; i < count; i++)
        for (int j = 0; j < NUMBER_LANES; j++) most = factors[i].exponent[j] > most ? factors[i].exponent[j] : most;
    return most == NUMBER_ZERO_EXPONENT ? CONTENT_ZERO : class_of(most) == NUMBER_FINITE ? CONTENT_FINITE : CONTENT_ANY;
}

// Zeros times numbers: so is most of a tile that is larger than its matrix.
static bool are_nothing(const struct lanes_part *part, const struct number_factors *a)
{
    const enum content of_a = content_of(a, part->steps * (size_t)number_groups(part->block->sum.terms));
    if (of_a == CONTENT_ANY) return false;
    const enum content of_b = content_of(part->b, part->steps * part->block->b_step);
    return of_b != CONTENT_ANY && (of_a == CONTENT_ZERO || of_b == CONTENT_ZERO);
}

// A chain of steps on the accumulators of one row.
INLINE void add_steps(way *add, const struct lanes_part *part, const struct number_factors *a, int row, uint32_t *d)
{
    const struct number_block *block = part->block;
    const uint8_t *picks = block->picks != NULL ? block->picks + NUMBER_MAX_TERMS * row : lanes_in_order;
    size_t groups = (size_t)number_groups(block->sum.terms);
    for (size_t step = 0; step < part->steps; step++)
        add(&block->sum, a + step * groups, part->b + step * block->b_step, picks, d);
}

static void add_float_rows(const struct lanes_part *part, uint32_t (*d)[NUMBER_LANES])
{
    for (int row = 0; row < part->block->rows; row++) {
        const struct number_factors *a = part->a + (size_t)row * part->block->a_row;
        uint32_t any = 0;
        for (int j = 0; j < NUMBER_LANES; j++) any |= d[row][j];
        if (any != 0 || !are_nothing(part, a)) add_steps(add_floats, part, a, row, d[row]);
    }
}

INLINE void add_integer_rows(const struct lanes_part *part, uint32_t (*d)[NUMBER_LANES])
{
    for (int row = 0; row < part->block->rows; row++)
        add_steps(add_integers, part, part->a + (size_t)row * part->block->a_row, row, d[row]);
}

typedef void part_way(const struct lanes_part *, uint32_t (*)[NUMBER_LANES]);

static void add_integer_rows_anywhere(const struct lanes_part *part, uint32_t (*d)[NUMBER_LANES])
{
    add_integer_rows(part, d);
}

#if defined NUMBER_HAS_AVX2
static __attribute__((target("avx2"))) void add_integer_rows_avx2(const struct lanes_part *part,
                                                                  uint32_t (*d)[NUMBER_LANES])
{
    add_integer_rows(part, d);
}
#endif

static void multiply(part_way *add_rows, const struct number_block *block, uint32_t (*d)[NUMBER_LANES])
{
    struct float_environment caller = float_environment_set_default();
    size_t groups = (size_t)number_groups(block->sum.terms);
    for (size_t step = 0; step < block->steps; step += LANES_PART_STEPS) {
        size_t left = block->steps - step, steps = left < LANES_PART_STEPS ? left : LANES_PART_STEPS;
        const struct lanes_part part = {block, block->a + step * groups, block->b + step * block->b_step, steps};
        add_rows(&part, d);
    }
    float_environment_put_back(&caller);
}

void number_multiply_portable(const struct number_block *block, uint32_t (*d)[NUMBER_LANES])
{
    multiply(block->sum.d == NUMBER_S32 ? add_integer_rows_anywhere : add_float_rows, block, d);
}

void number_multiply(const struct number_block *block, uint32_t (*d)[NUMBER_LANES])
{
#if defined NUMBER_HAS_AVX2
    if (lanes_have_avx2()) {
        multiply(block->sum.d == NUMBER_S32 ? add_integer_rows_avx2 : lanes_add_floats_avx2, block, d);
        return;
    }
#endif
    number_multiply_portable(block, d);
}
