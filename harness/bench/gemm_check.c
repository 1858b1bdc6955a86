// SPDX-License-Identifier: MIT
// Whether both sides of a GEMM contest computed what they were asked for.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gemm_sides.h"
#include "random.h"

enum { CHECKED_ROWS = 256, CHECKED_ELEMENTS = 16 };

// The sums of cuBLAS may be rounded elsewhere: bf16 results of normal numbers differ by less than this part of their
// norm, fp8 ones too.
static const double TOLERANCE = 0.01;

// An element may differ from the sum of doubles by so many times the root of k, the deviation of such a sum: fp8
// accumulates with 13 bits.
static const double ELEMENT_TOLERANCE = 0.06;

static double bf16_value(const uint16_t *at)
{
    uint32_t bits = (uint32_t)*at << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double e4m3_value(uint8_t bits)
{
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    double value = exponent == 0 ? ldexp(fraction, -9) : ldexp(8 + fraction, exponent - 10);
    return bits & 0x80 ? -value : value;
}

static double value_of(enum gemm_type type, const uint8_t *row, uint32_t k)
{
    uint16_t bits;
    if (type != GEMM_BF16) return e4m3_value(row[k]);
    memcpy(&bits, row + 2 * (size_t)k, sizeof bits);
    return bf16_value(&bits);
}

// Sums of so many roots of k are no sums of independent numbers: the data repeat themselves, and a row of A may be a
// row of B. Such a sum only grows, and a chain of fp8 loses the more of it the longer it is: of 3080 over 3312 elements
// cuBLASLt's, which was one chain, lost 120, ours in parts 24.
static const double SQUARES = 12;

// An element of D, and what both sides have there.
struct element {
    uint64_t m, n;
    double value[2];
};

// The norm of the difference of both D over the norm of theirs, in at most `rows` rows, and where they differ most.
static int compare_rows(struct bench *bench, const struct gemm_sides *sides, uint32_t rows, double *apart,
                        struct element *worst)
{
    const struct gemm_shape *s = &sides->shape;
    size_t row_bytes = (size_t)s->n * 2;
    double difference = 0, norm = 0, most = -1;
    if (rows > s->m) rows = s->m;
    uint16_t *row[2] = {malloc(row_bytes), malloc(row_bytes)};
    int error = row[0] == NULL || row[1] == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
    for (uint32_t r = 0; r < rows && error == CUDA_SUCCESS; r++) {
        size_t at = (size_t)((uint64_t)r * s->m / rows) * row_bytes;
        for (int i = 0; i < 2 && error == CUDA_SUCCESS; i++)
            error = (int)bench->gpu.driver.cuMemcpyDtoH_v2(row[i], sides->memory->d[i] + at, row_bytes);
        for (uint32_t n = 0; n < s->n && error == CUDA_SUCCESS; n++) {
            double x = bf16_value(&row[0][n]), y = bf16_value(&row[1][n]);
            if (fabs(x) > SQUARES * sqrt(s->k) && fabs(y) > SQUARES * sqrt(s->k)) continue;
            difference += (x - y) * (x - y);
            norm += y * y;
            if (fabs(x - y) <= most) continue; // not a NaN
            most = fabs(x - y);
            *worst = (struct element){(uint64_t)r * s->m / rows, n, {x, y}};
        }
    }
    *apart = sqrt(difference / norm);
    free(row[0]);
    free(row[1]);
    return error;
}

int gemm_sides_compare(struct bench *bench, const struct gemm_sides *sides, uint32_t rows, double *apart)
{
    struct element worst;
    return compare_rows(bench, sides, rows, apart, &worst);
}

static double dot(const struct gemm_shape *s, const uint8_t *a, const uint8_t *b)
{
    double sum = 0;
    for (uint32_t k = 0; k < s->k; k++) sum += value_of(s->type, a, k) * value_of(s->type, b, k);
    return sum;
}

// The sum of doubles that an element of D is. Returns 0 or the CUDA error.
static int sum_of(struct bench *bench, const struct gemm_sides *sides, uint64_t m, uint64_t n, double *sum)
{
    const struct gemm_shape *s = &sides->shape;
    const struct cuda_driver *call = &bench->gpu.driver;
    size_t row_bytes = (size_t)s->k * gemm_bytes(s->type);
    uint8_t *a = malloc(row_bytes), *b = malloc(row_bytes);
    int error = a == NULL || b == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
    if (error == CUDA_SUCCESS) error = (int)call->cuMemcpyDtoH_v2(a, sides->call.address[0] + m * row_bytes, row_bytes);
    if (error == CUDA_SUCCESS) error = (int)call->cuMemcpyDtoH_v2(b, sides->call.address[1] + n * row_bytes, row_bytes);
    if (error == CUDA_SUCCESS) *sum = dot(s, a, b);
    free(a);
    free(b);
    return error;
}

// The greatest distance of some elements of our D from their sums, in roots of k. Returns 0 or the CUDA error.
static int compare_elements(struct bench *bench, const struct gemm_sides *sides, double *apart)
{
    const struct gemm_shape *s = &sides->shape;
    struct random random = random_for(s->m, s->n);
    int error = CUDA_SUCCESS;
    *apart = 0;
    for (int i = 0; i < CHECKED_ELEMENTS && error == CUDA_SUCCESS; i++) {
        uint64_t m = random_below(&random, s->m), n = random_below(&random, s->n);
        uint16_t d = 0;
        double sum = 0;
        error = sum_of(bench, sides, m, n, &sum);
        if (error == CUDA_SUCCESS)
            error = (int)bench->gpu.driver.cuMemcpyDtoH_v2(&d, sides->memory->d[0] + (m * s->n + n) * 2, sizeof d);
        double away = fabs(bf16_value(&d) - sum) / sqrt(s->k);
        if (!(away <= *apart)) *apart = away; // a NaN stays
    }
    return error;
}

int gemm_sides_clear(struct bench *bench, const struct gemm_sides *sides)
{
    size_t bytes = (size_t)sides->shape.m * sides->shape.n * 2;
    int error = CUDA_SUCCESS;
    for (int i = 0; i < 2 && error == CUDA_SUCCESS; i++)
        error = (int)bench->gpu.driver.cuMemsetD8Async(sides->memory->d[i], 0xff, bytes, bench->gpu.stream);
    return error;
}

int gemm_sides_check(struct bench *bench, const struct gemm_sides *sides, const char *name, struct text *why)
{
    double rows, elements, sum = NAN;
    struct element worst = {0, 0, {0, 0}};
    int error = (int)bench->gpu.driver.cuCtxSynchronize();
    if (error == CUDA_SUCCESS) error = compare_rows(bench, sides, CHECKED_ROWS, &rows, &worst);
    if (error == CUDA_SUCCESS) error = compare_elements(bench, sides, &elements);
    if (error != CUDA_SUCCESS || (rows < TOLERANCE && elements < ELEMENT_TOLERANCE)) return error;
    error = sum_of(bench, sides, worst.m, worst.n, &sum);
    text_set(
        why,
        "%s: our D (%s) and theirs differ by %.3g of its norm (%.3g allowed), most in row %llu, column %llu: %g and "
        "%g, as a sum of doubles %g; ours and sums of doubles elsewhere by %.3g roots of k (%.3g allowed), on sets "
        "%d and %d",
        name, sides->call.instance->name, rows, TOLERANCE, (unsigned long long)worst.m, (unsigned long long)worst.n,
        worst.value[0], worst.value[1], sum, elements, ELEMENT_TOLERANCE, sides->last_set[0], sides->last_set[1]);
    return -1;
}
