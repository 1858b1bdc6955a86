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

// As loops want them: what meets one element of A lies side by side.
struct turned {
    int k, m;
    const struct mma_doubles *of;
    double b[MMA_MAX_DOUBLES][MMA_N], d[MMA_MAX_M][MMA_N];
};

// As integers: a comparison of doubles would set flags in the caller's environment.
static uint64_t bits_of_double(const double *value)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    return bits;
}

static inline __attribute__((always_inline)) void add_products(struct turned *of)
{
    for (int row = 0; row < of->m; row++)
        for (int i = 0; i < of->k; i++)
            for (int j = 0; j < MMA_N; j++) of->d[row][j] = fma(of->of->a[row][i], of->b[i][j], of->d[row][j]);
}

// In memory, between the two settings of the environment.
static __attribute__((noinline)) void add_anywhere(struct turned *of)
{
    add_products(of);
}

#if defined HAVE_FMA
static __attribute__((noinline, target("avx2,fma"))) void add_fma(struct turned *of)
{
    add_products(of);
}
#endif

static void add_all(struct turned *of)
{
#if defined HAVE_FMA
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        add_fma(of);
        return;
    }
#endif
    add_anywhere(of);
}

static uint64_t element_again(const struct mma_instruction *of, const struct mma_doubles *doubles, int row, int column)
{
    struct mma_vector a, b;
    memcpy(a.f64, doubles->a[row], sizeof a.f64);
    memcpy(b.f64, doubles->b[column], sizeof b.f64);
    return mma_dot_rounded(of->form, of->rounding, &a, &b, bits_of_double(&doubles->d[row][column]));
}

void mma_multiply_doubles(const struct mma_instruction *of, struct mma_doubles *doubles)
{
    struct turned turned = {.k = mma_row(of->form)->k, .m = mma_row(of->form)->m, .of = doubles};
    for (int i = 0; i < turned.k * MMA_N; i++)
        memcpy(&turned.b[i / MMA_N][i % MMA_N], &doubles->b[i % MMA_N][i / MMA_N], sizeof(double));
    memcpy(turned.d, doubles->d, sizeof turned.d);
    struct float_environment caller = float_environment_set(of->rounding);
    add_all(&turned);
    float_environment_put_back(&caller);
    for (int i = 0; i < turned.m * MMA_N; i++) {
        double *const d = &turned.d[i / MMA_N][i % MMA_N];
        uint64_t bits = bits_of_double(d);
        if (mma_is_nan_f64(bits)) bits = element_again(of, doubles, i / MMA_N, i % MMA_N);
        memcpy(d, &bits, sizeof bits);
    }
    memcpy(doubles->d, turned.d, sizeof turned.d);
}
