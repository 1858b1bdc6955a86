// SPDX-License-Identifier: MIT
// Plain loops over eight lanes, without a branch, that compilers make vectors of; for AVX2 there is a second copy of
// them. A product of two significands has 22 bits at most and is exact in a float; a power of two aligns it, and its
// conversion to an integer cuts it toward zero. Lanes that hold or become something special are left to sum.h.
#include "lanes.h"

#include <string.h>

#include "fields.h"
#include "float_add.h"
#include "float_environment.h"

#if defined __GNUC__
#define INLINE static inline __attribute__((always_inline)) // into each copy
#else
#define INLINE static inline
#endif
#if defined __x86_64__ && defined __GNUC__
#define HAVE_AVX2 1
#endif

enum { F32_BIAS = 127, F32_FRACTION_BITS = 23, F32_HIDDEN = 1 << F32_FRACTION_BITS, F32_TOP = 254 };
enum { F16_BIAS = 15, F16_FRACTION_BITS = 10, F16_HIDDEN = 1 << F16_FRACTION_BITS, F16_TOP = 30 };

// The field of a power of two that is small enough to make nothing of any product, and no subnormal.
enum { FIELD_OF_NOTHING = 64 };

// Steps that are done for all rows before the next ones: their part of B stays in the nearest cache.
enum { STEPS_AT_ONCE = 8 };

// --- Reading ---------------------------------------------------------------------------------------------------------

int number_groups(int terms)
{
    return (terms + NUMBER_LANES - 1) / NUMBER_LANES;
}

INLINE void read_factors(const struct number_format_row *row, const uint32_t *bits, uint32_t sign_flip,
                         struct number_factors *factors)
{
    uint32_t magnitude[NUMBER_LANES];
    float unit = float_of((uint32_t)(F32_BIAS - row->fraction_bits) << F32_FRACTION_BITS);
    for (int i = 0; i < NUMBER_LANES; i++) {
        read_float(row, bits[i], &magnitude[i], &factors->exponent[i]);
        uint32_t sign = (bits[i] >> (row->size_bits - 1) << 31) ^ sign_flip;
        factors->significand[i] = float_of(bits_of((float)(int32_t)magnitude[i] * unit) | sign);
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
#define READ_COPY(name, attributes)                                                                                    \
    static attributes void name(struct number_format_row row, const uint32_t(*bits)[NUMBER_LANES], size_t groups,      \
                                uint32_t sign_flip, struct number_factors *factors)                                    \
    {                                                                                                                  \
        read_groups(&row, bits, groups, sign_flip, factors);                                                           \
    }

READ_COPY(read_anywhere, /* no other target */)
#if defined HAVE_AVX2
READ_COPY(read_avx2, __attribute__((target("avx2"))))
#endif

void number_factors_read_groups(enum number_format format, const uint32_t (*bits)[NUMBER_LANES], size_t groups,
                                int negate, struct number_factors *factors)
{
    const struct number_format_row row = *number_format_row(format);
    const uint32_t sign_flip = negate ? (uint32_t)1 << 31 : 0;
#if defined HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) {
        read_avx2(row, bits, groups, sign_flip, factors);
        return;
    }
#endif
    read_anywhere(row, bits, groups, sign_flip, factors);
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

// One factor, of a float, as a term of sum.h.
static void put_term(enum number_format format, const struct number_factors *from, int lane, struct number_terms *terms,
                     int i)
{
    const struct number_format_row *row = number_format_row(format);
    float significand = from->significand[lane];
    terms->magnitude[i] = (uint32_t)((significand < 0 ? -significand : significand) * (float)(1 << row->fraction_bits));
    terms->exponent[i] = from->exponent[lane];
    terms->sign[i] = -(int32_t)(bits_of(significand) >> 31);
    terms->is_special |= class_of(from->exponent[lane]) != NUMBER_FINITE;
}

// One step of one lane of floats. A NaN stays one, whatever is added.
static __attribute__((noinline)) uint32_t plain(const struct number_sum *sum, const struct number_factors *a,
                                                const struct number_factors *b, const uint8_t *picks, int lane,
                                                uint32_t c)
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
// 2^(most - sum bits). `left` are lanes that number_sum_float() must do.
struct lanes {
    int32_t most[NUMBER_LANES], sum[2][NUMBER_LANES], left[NUMBER_LANES];
};

// Accumulators: magnitudes with 23 fraction bits, exponents and signs.
struct accumulators {
    int32_t magnitude[NUMBER_LANES], exponent[NUMBER_LANES], sign[NUMBER_LANES];
};

INLINE void read_accumulators(int is_f16, const uint32_t *c, struct accumulators *to)
{
    int fraction_bits = is_f16 ? F16_FRACTION_BITS : F32_FRACTION_BITS, bias = is_f16 ? F16_BIAS : F32_BIAS;
    int32_t hidden = 1 << fraction_bits, top = is_f16 ? F16_TOP : F32_TOP;
    for (int j = 0; j < NUMBER_LANES; j++) {
        int32_t bits = (int32_t)(is_f16 ? c[j] << 16 : c[j]), body = (int32_t)(c[j] & (is_f16 ? 0x7fff : 0x7fffffff));
        int32_t field = body >> fraction_bits, finite = field + (field == 0) - bias;
        int32_t magnitude = (body & (hidden - 1)) | (field == 0 ? 0 : hidden);
        to->magnitude[j] = magnitude << (F32_FRACTION_BITS - fraction_bits);
        to->exponent[j] = field > top ? NUMBER_NAN_EXPONENT : body == 0 ? NUMBER_ZERO_EXPONENT : finite;
        to->sign[j] = bits >> 31;
    }
}

INLINE void find_most(int terms, const struct number_factors *a, const struct number_factors *b, const uint8_t *picks,
                      const struct accumulators *c, struct lanes *lanes)
{
    int32_t most[NUMBER_LANES];
    for (int j = 0; j < NUMBER_LANES; j++)
        most[j] = c->exponent[j] > NUMBER_SUM_FLOOR ? c->exponent[j] : NUMBER_SUM_FLOOR;
    for (int i = 0; i < terms; i++) {
        int32_t of_a = a[i / NUMBER_LANES].exponent[i % NUMBER_LANES];
        const int32_t *of_b = b[picks[i]].exponent;
        for (int j = 0; j < NUMBER_LANES; j++) most[j] = of_a + of_b[j] > most[j] ? of_a + of_b[j] : most[j];
    }
    memcpy(lanes->most, most, sizeof most);
}

// Adds one term, aligned to lane j's greatest exponent: `base[j]` is the field of the power of two at that.
INLINE void add_term(float of_a, int32_t exponent, const struct number_factors *b, const int32_t *base, int32_t *sum)
{
    for (int j = 0; j < NUMBER_LANES; j++) {
        int32_t field = exponent + b->exponent[j] + base[j];
        float scale = float_of((uint32_t)(field > FIELD_OF_NOTHING ? field : FIELD_OF_NOTHING) << F32_FRACTION_BITS);
        sum[j] += (int32_t)(of_a * b->significand[j] * scale);
    }
}

INLINE void add_terms(const struct number_sum *of, const struct number_factors *a, const struct number_factors *b,
                      const uint8_t *picks, const struct accumulators *c, struct lanes *lanes)
{
    int32_t base[NUMBER_LANES], even[NUMBER_LANES], odd[NUMBER_LANES] = {0};
    for (int j = 0; j < NUMBER_LANES; j++) {
        int32_t right = lanes->most[j] - c->exponent[j] + NUMBER_SUM_BITS - of->sum_bits;
        even[j] = c->magnitude[j] << (NUMBER_SUM_BITS - F32_FRACTION_BITS) >> (right > 31 ? 31 : right);
        even[j] = (even[j] ^ c->sign[j]) - c->sign[j];
        base[j] = of->sum_bits + F32_BIAS - lanes->most[j];
    }
    for (int i = 0; i < of->terms; i += 2) {
        const struct number_factors *group = &a[i / NUMBER_LANES];
        int at = i % NUMBER_LANES;
        add_term(group->significand[at], group->exponent[at], &b[picks[i]], base, even);
        add_term(group->significand[at + 1], group->exponent[at + 1], &b[picks[i + 1]], base, odd);
    }
    memcpy(lanes->sum[0], even, sizeof even);
    memcpy(lanes->sum[1], odd, sizeof odd);
}

// The sums cut to 24 bits, without their signs. Returns the lanes that no 32 bits hold, or that saw something special.
INLINE void cut_sums(const struct lanes *lanes, uint32_t *sign, uint32_t *magnitude, float *cut, uint32_t *is_left)
{
    for (int j = 0; j < NUMBER_LANES; j++) {
        int32_t x = lanes->sum[0][j], y = lanes->sum[1][j], sum = (int32_t)((uint32_t)x + (uint32_t)y);
        uint32_t negative = (uint32_t)(sum >> 31);
        sign[j] = negative & 0x80000000;
        magnitude[j] = ((uint32_t)sum ^ negative) - negative;
        cut[j] = (float)(int32_t)(magnitude[j] & ~(magnitude[j] >> 24)); // without its 25th bit it rounds down
        uint32_t overflow = (uint32_t)((x ^ sum) & (y ^ sum)) | magnitude[j];
        is_left[j] = overflow >> 31 | (lanes->most[j] >= NUMBER_INFINITE_EXPONENT + NUMBER_ZERO_EXPONENT);
    }
}

// Results as f32; those below and above the normal numbers are left. No more fraction bits are kept than in the sum.
INLINE void finish_f32(const struct number_sum *of, const struct lanes *lanes, uint32_t *d, uint32_t *is_left)
{
    uint32_t sign[NUMBER_LANES], magnitude[NUMBER_LANES];
    float cut[NUMBER_LANES];
    uint32_t kept = of->sum_bits < F32_FRACTION_BITS ? ~low_bits(F32_FRACTION_BITS - of->sum_bits) : UINT32_MAX;
    cut_sums(lanes, sign, magnitude, cut, is_left);
    for (int j = 0; j < NUMBER_LANES; j++) {
        uint32_t unit = (uint32_t)(lanes->most[j] - of->sum_bits), bits = bits_of(cut[j]) & kept;
        uint32_t field = (bits >> F32_FRACTION_BITS) + unit;
        is_left[j] |= (field - 1 >= F32_TOP) & (bits != 0);
        d[j] = bits == 0 ? 0 : (bits + (unit << F32_FRACTION_BITS)) | sign[j];
    }
}

// Results as f16, to nearest even. What is cut off first leaves its trace in the last of 24 bits, so that no tie is
// made of it. Sums of f16 and fp8 have exponents that f32 has.
INLINE void finish_f16(const struct number_sum *of, const struct lanes *lanes, uint32_t *d, uint32_t *is_left)
{
    uint32_t sign[NUMBER_LANES], magnitude[NUMBER_LANES];
    float cut[NUMBER_LANES];
    cut_sums(lanes, sign, magnitude, cut, is_left);
    for (int j = 0; j < NUMBER_LANES; j++) {
        uint32_t unit = (uint32_t)(lanes->most[j] - of->sum_bits);
        uint32_t lost = (uint32_t)(int32_t)cut[j] != magnitude[j], bits = bits_of(cut[j]) | lost;
        uint32_t half = f16_of_float(float_of(bits == 0 ? 0 : bits + (unit << F32_FRACTION_BITS)));
        d[j] = half == 0 ? 0 : half | sign[j] >> 16;
    }
}

INLINE void add_floats(const struct number_sum *of, const struct number_factors *a, const struct number_factors *b,
                       const uint8_t *picks, uint32_t *d)
{
    struct accumulators c;
    struct lanes lanes;
    uint32_t result[NUMBER_LANES], is_left[NUMBER_LANES], any = 0;
    read_accumulators(of->d == NUMBER_F16, d, &c);
    find_most(of->terms, a, b, picks, &c, &lanes);
    add_terms(of, a, b, picks, &c, &lanes);
    if (of->d == NUMBER_F16)
        finish_f16(of, &lanes, result, is_left);
    else
        finish_f32(of, &lanes, result, is_left);
    for (int j = 0; j < NUMBER_LANES; j++) any |= is_left[j];
    for (int j = 0; any && j < NUMBER_LANES; j++)
        if (is_left[j]) result[j] = plain(of, a, b, picks, j, d[j]);
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

// Floats that are all zeros, and floats among which there is neither an infinity nor a NaN.
enum content { CONTENT_ANY, CONTENT_FINITE, CONTENT_ZERO };

INLINE enum content content_of(const struct number_factors *factors, size_t count)
{
    int32_t most = NUMBER_ZERO_EXPONENT;
    for (size_t i = 0; i < count; i++)
        for (int j = 0; j < NUMBER_LANES; j++) most = factors[i].exponent[j] > most ? factors[i].exponent[j] : most;
    return most == NUMBER_ZERO_EXPONENT ? CONTENT_ZERO : class_of(most) == NUMBER_FINITE ? CONTENT_FINITE : CONTENT_ANY;
}

// Zeros times numbers leave an accumulator of zero as it is: so is most of a tile that is larger than its matrix.
INLINE int is_nothing(enum content a, enum content b, const uint32_t *d)
{
    uint32_t any = 0;
    if (a == CONTENT_ANY || b == CONTENT_ANY || (a != CONTENT_ZERO && b != CONTENT_ZERO)) return 0;
    for (int j = 0; j < NUMBER_LANES; j++) any |= d[j];
    return any == 0;
}

// Some steps of all rows: the factors of the first row, and those of B.
struct part {
    const struct number_block *block;
    const struct number_factors *a, *b;
    size_t steps;
};

// A chain of steps on the accumulators of one row.
INLINE void add_steps(way *add, const struct part *part, const struct number_factors *a, int row, uint32_t *d)
{
    static const uint8_t in_order[NUMBER_MAX_TERMS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                       16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    const struct number_block *block = part->block;
    const uint8_t *picks = block->picks != NULL ? block->picks + NUMBER_MAX_TERMS * row : in_order;
    size_t groups = (size_t)number_groups(block->sum.terms);
    for (size_t step = 0; step < part->steps; step++)
        add(&block->sum, a + step * groups, part->b + step * block->b_step, picks, d);
}

typedef void part_way(const struct part *, uint32_t (*)[NUMBER_LANES]);

INLINE void add_float_rows(const struct part *part, uint32_t (*d)[NUMBER_LANES])
{
    size_t factors = part->steps * (size_t)number_groups(part->block->sum.terms);
    const enum content of_b = content_of(part->b, part->steps * part->block->b_step);
    for (int row = 0; row < part->block->rows; row++) {
        const struct number_factors *a = part->a + (size_t)row * part->block->a_row;
        if (!is_nothing(content_of(a, factors), of_b, d[row])) add_steps(add_floats, part, a, row, d[row]);
    }
}

INLINE void add_integer_rows(const struct part *part, uint32_t (*d)[NUMBER_LANES])
{
    for (int row = 0; row < part->block->rows; row++)
        add_steps(add_integers, part, part->a + (size_t)row * part->block->a_row, row, d[row]);
}

INLINE void multiply(part_way *add_rows, const struct number_block *block, uint32_t (*d)[NUMBER_LANES])
{
    size_t groups = (size_t)number_groups(block->sum.terms);
    for (size_t step = 0; step < block->steps; step += STEPS_AT_ONCE) {
        size_t left = block->steps - step, steps = left < STEPS_AT_ONCE ? left : STEPS_AT_ONCE;
        const struct part part = {block, block->a + step * groups, block->b + step * block->b_step, steps};
        add_rows(&part, d);
    }
}

#define COPY(name, attributes)                                                                                         \
    static attributes void name(const struct number_block *block, uint32_t(*d)[NUMBER_LANES])                          \
    {                                                                                                                  \
        if (block->sum.d == NUMBER_S32)                                                                                \
            multiply(add_integer_rows, block, d);                                                                      \
        else                                                                                                           \
            multiply(add_float_rows, block, d);                                                                        \
    }

COPY(multiply_anywhere, /* no other target */)
#if defined HAVE_AVX2
COPY(multiply_avx2, __attribute__((target("avx2"))))
#endif

void number_multiply_portable(const struct number_block *block, uint32_t (*d)[NUMBER_LANES])
{
    struct float_environment caller = float_environment_set_default();
    multiply_anywhere(block, d);
    float_environment_put_back(&caller);
}

void number_multiply(const struct number_block *block, uint32_t (*d)[NUMBER_LANES])
{
#if defined HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) {
        struct float_environment caller = float_environment_set_default();
        multiply_avx2(block, d);
        float_environment_put_back(&caller);
        return;
    }
#endif
    number_multiply_portable(block, d);
}
