// SPDX-License-Identifier: MIT
// The numbers of mma.sync. Tensor cores of an H200 multiply f16, bf16, tf32, s8, u8, b1 and f64; of the other formats
// the assembler makes those: fp8 becomes f16, two sums and an addition; s4 and u4 become bytes; .xor becomes .and.
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "block.h"
#include "float_add.h"
#include "float_environment.h"
#include "mma.h"
#include "tiles.h"

bool mma_is_fp8(enum number_format format)
{
    return format == NUMBER_E4M3 || format == NUMBER_E5M2;
}

// Products of one element of D.
static int terms(const struct mma_row *row)
{
    return row->is_sparse ? row->k / 2 : row->k;
}

// --- Reading ---------------------------------------------------------------------------------------------------------

// Of each four units of fp8 the first two are in the first sum, the others in the second one; other units fill one
// part after the other.
static void read_fp8(enum number_format format, int units, const uint64_t *from, struct mma_vector *vector)
{
    uint32_t part[MMA_MAX_PARTS][NUMBER_MAX_TERMS];
    for (int i = 0; i < units; i++) part[i / 2 % 2][i / 4 * 2 + i % 2] = number_fp8_as_f16(format, (uint32_t)from[i]);
    for (int i = 0; i < MMA_MAX_PARTS; i++) number_terms_read(NUMBER_F16, units / 2, part[i], 0, &vector->part[i]);
}

static void read_others(enum number_format format, int units, const uint64_t *from, struct mma_vector *vector)
{
    for (int first = 0; first < units; first += NUMBER_MAX_TERMS) {
        uint32_t part[NUMBER_MAX_TERMS];
        int count = units - first < NUMBER_MAX_TERMS ? units - first : NUMBER_MAX_TERMS;
        for (int i = 0; i < count; i++) part[i] = (uint32_t)from[first + i];
        number_terms_read(format, count, part, 0, &vector->part[first / NUMBER_MAX_TERMS]);
    }
}

void mma_vector_read(enum mma_form form, enum mma_operand operand, const uint64_t *units, struct mma_vector *vector)
{
    const struct mma_row *row = mma_row(form);
    enum number_format format = operand == MMA_OF_A ? row->a : row->b;
    assert(operand != MMA_OF_D);
    if (format == NUMBER_F64)
        memcpy(vector->f64, units, (size_t)mma_units(form) * sizeof *units);
    else if (mma_is_fp8(format))
        read_fp8(format, mma_units(form), units, vector);
    else
        read_others(format, mma_units(form), units, vector);
}

// --- Sums ------------------------------------------------------------------------------------------------------------

// fp8: two sums of f16, the second on top of the first, and then C is added, by FADD or HADD2.
static uint32_t dot_fp8(const struct mma_row *row, const struct mma_vector *a, const struct mma_vector *b, uint32_t c)
{
    const struct number_sum sum = {row->d, NUMBER_F16, NUMBER_F16, terms(row) / 2, NUMBER_SUM_BITS, 0};
    uint32_t first = number_sum_float(&sum, &a->part[0], &b->part[0], NULL);
    uint32_t both = number_sum_float(&sum, &a->part[1], &b->part[1], &first);
    return row->d == NUMBER_F32 ? sum_f32(c, both) : sum_f16(c, both);
}

static uint32_t dot_float(const struct mma_row *row, const struct mma_vector *a, const struct mma_vector *b, uint32_t c)
{
    const struct number_sum sum = {row->d, row->a, row->b, terms(row), NUMBER_SUM_BITS, 0};
    return number_sum_float(&sum, &a->part[0], &b->part[0], &c);
}

// a * b + c to nearest even: DFMA. A NaN among them is returned quiet, that of b before that of c before that of a.
static uint64_t fma_f64(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t quiet = (uint64_t)1 << 51;
    double x, y, z;
    uint64_t bits;
    if (mma_is_nan_f64(b)) return b | quiet;
    if (mma_is_nan_f64(c)) return c | quiet;
    if (mma_is_nan_f64(a)) return a | quiet;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    memcpy(&z, &c, sizeof z);
    z = fma(x, y, z);
    memcpy(&bits, &z, sizeof bits);
    return mma_is_nan_f64(bits) ? HOPPER_F64_NAN : bits;
}

// One after the other, k ascending.
static uint64_t dot_f64(const struct mma_row *row, const struct mma_vector *a, const struct mma_vector *b, uint64_t c)
{
    for (int i = 0; i < row->k; i++) c = fma_f64(a->f64[i], b->f64[i], c);
    return c;
}

static int64_t ones(const struct number_terms *x, int words)
{
    int64_t count = 0;
    for (int i = 0; i < words; i++) count += __builtin_popcount(x->magnitude[i]);
    return count;
}

static uint32_t dot_integer(const struct mma_row *row, int units, const struct mma_vector *a,
                            const struct mma_vector *b, uint32_t c)
{
    int64_t sum = 0;
    for (int first = 0; first < units; first += NUMBER_MAX_TERMS) {
        int part = first / NUMBER_MAX_TERMS,
            count = units - first < NUMBER_MAX_TERMS ? units - first : NUMBER_MAX_TERMS;
        sum += number_sum_integer(row->a, count, &a->part[part], &b->part[part]);
    }
    if (row->tail == MMA_XOR) sum = ones(&a->part[0], units) + ones(&b->part[0], units) - 2 * sum;
    return number_result_integer((int32_t)c + sum, row->tail == MMA_SATFINITE);
}

// Sums that the host's FPU does, for it rounds as DFMA and FADD do.
static __attribute__((noinline)) uint64_t dot_by_fpu(const struct mma_row *row, const struct mma_vector *a,
                                                     const struct mma_vector *b, uint64_t c)
{
    return row->d == NUMBER_F64 ? dot_f64(row, a, b, c) : dot_fp8(row, a, b, (uint32_t)c);
}

uint64_t mma_dot(enum mma_form form, const struct mma_vector *a, const struct mma_vector *b, uint64_t c)
{
    return mma_dot_rounded(form, NUMBER_NEAREST, a, b, c);
}

uint64_t mma_dot_rounded(enum mma_form form, enum number_rounding rounding, const struct mma_vector *a,
                         const struct mma_vector *b, uint64_t c)
{
    const struct mma_row *row = mma_row(form);
    if (row->d == NUMBER_S32) return dot_integer(row, mma_units(form), a, b, (uint32_t)c);
    if (row->d != NUMBER_F64 && !mma_is_fp8(row->a)) return dot_float(row, a, b, (uint32_t)c);
    struct float_environment caller = float_environment_set(row->d == NUMBER_F64 ? rounding : NUMBER_NEAREST);
    uint64_t d = dot_by_fpu(row, a, b, c);
    float_environment_put_back(&caller);
    return d;
}
