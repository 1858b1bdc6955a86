// SPDX-License-Identifier: MIT
// f64: DFMA after DFMA, k ascending, by the host's. Its NaNs are others, so an element that ends as one is done again
// by the rules of numbers.c: what is a NaN stays one.
#include <math.h>
#include <string.h>

#include "block.h"
#include "float_environment.h"

#if defined __x86_64__ && defined __GNUC__
#define HAVE_FMA 1
#endif

// The columns of B: what meets one element of A lies side by side.
struct doubles {
    int k, m;
    double a[MMA_MAX_M][MMA_MAX_DOUBLES], b[MMA_MAX_DOUBLES][MMA_N], d[MMA_MAX_M][MMA_N];
};

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// As integers: a comparison of doubles would set flags in the caller's environment.
static uint64_t bits_of_double(const double *value)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    return bits;
}

static inline __attribute__((always_inline)) void add_products(struct doubles *of)
{
    for (int row = 0; row < of->m; row++)
        for (int i = 0; i < of->k; i++)
            for (int j = 0; j < MMA_N; j++) of->d[row][j] = fma(of->a[row][i], of->b[i][j], of->d[row][j]);
}

// In memory, between the two settings of the environment.
static __attribute__((noinline)) void add_anywhere(struct doubles *of)
{
    add_products(of);
}

#if defined HAVE_FMA
static __attribute__((noinline, target("avx2,fma"))) void add_fma(struct doubles *of)
{
    add_products(of);
}
#endif

static void add_all(struct doubles *of)
{
#if defined HAVE_FMA
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        add_fma(of);
        return;
    }
#endif
    add_anywhere(of);
}

static uint64_t element_again(const struct mma_instruction *of, const struct mma_matrices *matrices, int row,
                              int column)
{
    struct mma_vector a, b;
    mma_vector_read(of->form, MMA_OF_A, matrices->a[row], &a);
    mma_vector_read(of->form, MMA_OF_B, matrices->b[column], &b);
    return mma_dot_rounded(of->form, of->rounding, &a, &b, matrices->d[row][column]);
}

void mma_multiply_doubles(const struct mma_instruction *of, struct mma_matrices *matrices)
{
    struct doubles doubles = {mma_row(of->form)->k, mma_row(of->form)->m, {{0}}, {{0}}, {{0}}};
    for (int i = 0; i < doubles.m * doubles.k; i++)
        doubles.a[i / doubles.k][i % doubles.k] = double_of(matrices->a[i / doubles.k][i % doubles.k]);
    for (int i = 0; i < doubles.k * MMA_N; i++)
        doubles.b[i / MMA_N][i % MMA_N] = double_of(matrices->b[i % MMA_N][i / MMA_N]);
    for (int i = 0; i < doubles.m * MMA_N; i++)
        doubles.d[i / MMA_N][i % MMA_N] = double_of(matrices->d[i / MMA_N][i % MMA_N]);
    struct float_environment caller = float_environment_set(of->rounding);
    add_all(&doubles);
    float_environment_put_back(&caller);
    for (int i = 0; i < doubles.m * MMA_N; i++) {
        const int row = i / MMA_N, column = i % MMA_N;
        const uint64_t bits = bits_of_double(&doubles.d[row][column]);
        matrices->d[row][column] = mma_is_nan_f64(bits) ? element_again(of, matrices, row, column) : bits;
    }
}
