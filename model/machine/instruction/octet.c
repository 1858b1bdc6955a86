// SPDX-License-Identifier: MIT
#include "octet.h"

#include <math.h>

#include "float_add.h"
#include "float_environment.h"

enum { ROWS = 8, TERMS = 4, PRODUCTS = 4, UPPER = 16 };

// Product p has lanes 4p to 4p + 3, and those 16 further on.
static int lane_of(int product, int n)
{
    return product * 4 + n % 4 + n / 4 * UPPER;
}

static float half_at(const uint32_t *words, int lane, int index)
{
    return float_of_f16(words[index / 2 * MMA_LANES + lane] >> index % 2 * 16 & 0xffff);
}

// Element `k` of row `line` of A, or of that column of B. A lane has four of a row; where it `is_across`, four rows
// have one of the lane.
static float element(const uint32_t *words, int product, int line, int k, bool is_across)
{
    return is_across ? half_at(words, lane_of(product, line / 4 * 4 + k), line % 4)
                     : half_at(words, lane_of(product, line), k);
}

struct place {
    int lane, index;
};

static struct place place_of(int product, int row, int column, bool is_f32)
{
    if (!is_f32) return (struct place){lane_of(product, row), column};
    return (struct place){lane_of(product, row / 4 * 4 + row % 2 + (column & 2)),
                          (row & 2) + (column & 4) + column % 2};
}

static float canonical(float x)
{
    return x != x ? f32_of(HOPPER_F32_NAN) : x;
}

// Of f16: c + (a0 b0 + a1 b1) + (a2 b2 + a3 b3). Of f32: one term after the other, then c.
static float dot(const struct octet *octet, const float *a, const float *b, float c)
{
    if (!octet->d_is_f32) return c + fmaf(a[1], b[1], a[0] * b[0]) + fmaf(a[3], b[3], a[2] * b[2]);
    float sum = 0;
    for (int k = 0; k < TERMS; k++) sum = fmaf(a[k], b[k], sum);
    return sum + c;
}

static void put(uint32_t *d, struct place at, bool is_f32, float value)
{
    uint32_t *word = &d[(is_f32 ? at.index : at.index / 2) * MMA_LANES + at.lane];
    const int up = at.index % 2 * 16;
    if (is_f32)
        *word = bits_of_f32(canonical(value));
    else
        *word = (*word & ~(0xffffu << up)) | f16_of_float(canonical(value)) << up;
}

static void multiply(const struct octet *octet, int product, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                     uint32_t *d)
{
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < ROWS; column++) {
            const struct place of_c = place_of(product, row, column, octet->c_is_f32);
            float of_a[TERMS], of_b[TERMS];
            for (int k = 0; k < TERMS; k++) {
                of_a[k] = element(a, product, row, k, octet->a_is_column);
                of_b[k] = element(b, product, column, k, octet->b_is_row);
            }
            const float sum =
                octet->c_is_f32 ? f32_of(c[of_c.index * MMA_LANES + of_c.lane]) : half_at(c, of_c.lane, of_c.index);
            put(d, place_of(product, row, column, octet->d_is_f32), octet->d_is_f32, dot(octet, of_a, of_b, sum));
        }
}

void octet_execute(const struct octet *octet, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)
{
    const struct float_environment caller = float_environment_set_default();
    for (int product = 0; product < PRODUCTS; product++) multiply(octet, product, a, b, c, d);
    float_environment_put_back(&caller);
}
