// SPDX-License-Identifier: MIT
// PLAIN_SIDE is the name of its functions, PLAIN_USES_VECTORS says which of both builds this is.
#include "plain_c.h"

#include <stddef.h>
#include <string.h>

// --- Whole kernels ----------------------------------------------------------------------------------------------------

static void copy(const struct plain *of)
{
    memcpy(of->out, of->a, WORDS * sizeof(float));
    __asm__ volatile("" : : "r"(of->out) : "memory");
}

static void triad(const struct plain *of)
{
    for (uint32_t i = 0; i < WORDS; i++) of->out[i] = __builtin_fmaf(of->b[i], 3.0f, of->a[i]);
}

static void stencil(const struct plain *of)
{
    for (uint32_t y = 1; y < SIDE - 1; y++)
        for (uint32_t x = 1; x < SIDE - 1; x++) {
            const float *at = of->a + (size_t)y * SIDE + x;
            of->out[(size_t)y * SIDE + x] = 0.2f * (at[0] + at[-1] + at[1] + at[-SIDE] + at[SIDE]);
        }
}

static void gather(const struct plain *of)
{
    for (uint32_t i = 0; i < WORDS; i++) of->out[i] = of->a[of->index[i]];
}

static void transpose(const struct plain *of)
{
    for (uint32_t y0 = 0; y0 < SIDE; y0 += 32)
        for (uint32_t x0 = 0; x0 < SIDE; x0 += 32)
            for (uint32_t y = y0; y < y0 + 32; y++)
                for (uint32_t x = x0; x < x0 + 32; x++) of->out[(size_t)x * SIDE + y] = of->a[(size_t)y * SIDE + x];
}

static void exchange(const struct plain *of)
{
    float row[256], next[256];
    for (uint32_t block = 0; block < EXCHANGED / 256; block++) {
        memcpy(row, of->a + block * 256, sizeof row);
        for (int round = 0; round < 64; round++) {
            for (uint32_t i = 0; i < 256; i++) next[i] = __builtin_fmaf(row[(i + 1) & 255], 0.5f, row[i] * 0.5f);
            memcpy(row, next, sizeof row);
        }
        memcpy(of->out + block * 256, row, sizeof row);
    }
}

static void histogram(const struct plain *of)
{
    uint32_t *bins = (uint32_t *)(void *)of->out;
    for (uint32_t i = 0; i < WORDS; i++) bins[of->index[i] & 255]++;
}

static void reduce(const struct plain *of)
{
    uint32_t *sums = (uint32_t *)(void *)of->out;
    for (uint32_t block = 0; block < WORDS / (256 * EACH); block++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 256 * EACH; i++) sum += of->index[(size_t)block * 256 * EACH + i];
        sums[block] = sum;
    }
}

static void gemm(const struct plain *of)
{
    for (uint32_t row = 0; row < MATRIX; row++) {
        float *c = of->out + (size_t)row * MATRIX;
        memset(c, 0, MATRIX * sizeof *c);
        for (uint32_t k = 0; k < MATRIX; k++) {
            const float a = of->a[(size_t)row * MATRIX + k], *b = of->b + (size_t)k * MATRIX;
            for (uint32_t column = 0; column < MATRIX; column++) c[column] = __builtin_fmaf(a, b[column], c[column]);
        }
    }
}

// --- The loop of arithmetic -------------------------------------------------------------------------------------------

static uint32_t compute(uint32_t thread)
{
    uint32_t x = thread, y = 1, z = 2, bits;
    float f = 1.0f, g, h = 0x1p-11f;
    memcpy(&g, &(uint32_t){0x3f7ffff0}, sizeof g);
    for (uint32_t i = 0; i < PLAIN_ITERATIONS; i++) {
        x = x * 1664525 + 1013904223;
        y ^= x;
        z += y >> 7;
        y ^= z << 3;
        f = f * g;
        f = f + h;
        z -= x & 255;
    }
    memcpy(&bits, &f, sizeof bits);
    return (y ^ bits) + z;
}

// The same for all threads side by side, as the machine does it.
static void compute_wide(uint32_t first, uint32_t step, uint32_t *out)
{
    typedef uint32_t words __attribute__((vector_size(PLAIN_WIDE * sizeof(uint32_t))));
    typedef float floats __attribute__((vector_size(PLAIN_WIDE * sizeof(float))));
    words x, y = (words){0} + 1, z = (words){0} + 2;
    floats f = (floats){0} + 1.0f;
    float g;
    memcpy(&g, &(uint32_t){0x3f7ffff0}, sizeof g);
    for (uint32_t i = 0; i < PLAIN_WIDE; i++) x[i] = first + i * step;
    for (uint32_t i = 0; i < PLAIN_ITERATIONS; i++) {
        x = x * 1664525 + 1013904223;
        y ^= x;
        z += y >> 7;
        y ^= z << 3;
        f = f * g;
        f = f + 0x1p-11f;
        z -= x & 255;
    }
    const words result = (y ^ (words)f) + z;
    for (uint32_t i = 0; i < PLAIN_WIDE; i++) out[(size_t)i * step] = result[i];
}

static void arithmetic(uint32_t first, uint32_t step, uint32_t *out)
{
    if (PLAIN_USES_VECTORS)
        compute_wide(first, step, out);
    else
        for (uint32_t i = 0; i < PLAIN_WIDE; i++) out[(size_t)i * step] = compute(first + i * step);
}

// --- A product -------------------------------------------------------------------------------------------------------

// A row of C in the host's registers.
static void multiply(struct plain_product *of)
{
    for (int i = 0; i < PLAIN_ROWS; i++) {
        float sum[PLAIN_COLUMNS];
        memcpy(sum, of->c[i], sizeof sum);
        for (int k = 0; k < PLAIN_ROWS; k++) {
            const float factor = of->a[i][k];
#pragma GCC unroll 8
            for (int j = 0; j < PLAIN_COLUMNS; j++) sum[j] += factor * of->b[k][j];
        }
        memcpy(of->c[i], sum, sizeof sum);
    }
}

const struct plain_side PLAIN_SIDE = {{[PLAIN_COPY] = copy,
                                       [PLAIN_TRIAD] = triad,
                                       [PLAIN_STENCIL] = stencil,
                                       [PLAIN_GATHER] = gather,
                                       [PLAIN_TRANSPOSE] = transpose,
                                       [PLAIN_EXCHANGE] = exchange,
                                       [PLAIN_HISTOGRAM] = histogram,
                                       [PLAIN_REDUCE] = reduce,
                                       [PLAIN_GEMM] = gemm},
                                      arithmetic,
                                      multiply};
