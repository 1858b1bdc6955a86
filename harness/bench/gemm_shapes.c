// SPDX-License-Identifier: MIT
#include "gemm_sides.h"

#include <math.h>

#include "random.h"

static const struct gemm_row rows[] = {
    {GEMM_PINGPONG, 4096, 4096, 4096, 1.0}, {GEMM_PINGPONG, 8192, 8192, 8192, 1.0},
    {GEMM_ANY, 4096, 4096, 4096, 0.95},     {GEMM_ANY, 8192, 8192, 8192, 0.95},
    {GEMM_ANY, 4096, 8192, 8192, 0.95},     {GEMM_ANY, 4096, 1280, 8192, 0.95},
    {GEMM_ANY, 4096, 7168, 8192, 0.95},     {GEMM_ANY, 4096, 8192, 3584, 0.95},
    {GEMM_ANY, 512, 8192, 8192, 0.95},      {GEMM_ANY, 512, 1280, 8192, 0.95},
    {GEMM_ANY, 512, 7168, 8192, 0.95},      {GEMM_ANY, 512, 8192, 3584, 0.95},
    {GEMM_ANY, 64, 8192, 8192, 0.85},       {GEMM_ANY, 64, 1280, 8192, 0.85},
    {GEMM_ANY, 64, 7168, 8192, 0.85},       {GEMM_ANY, 64, 8192, 3584, 0.85},
    {GEMM_ANY, 128, 128, 16384, 0.85},      {GEMM_ANY, 1000, 3000, 5000, 0.85}, // e4m3: 1008 x 3008 x 5008
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static uint32_t random_side(struct random *random)
{
    double u = (double)(random_u64(random) >> 11) * 0x1p-53;
    return (uint32_t)(16 * pow(1024, u)) / 8 * 8;
}

static uint32_t legal(enum gemm_type type, uint32_t side)
{
    uint32_t unit = type == GEMM_BF16 ? 8 : 16;
    return (side + unit - 1) / unit * unit;
}

static struct gemm_row random_row(uint64_t seed, int index)
{
    struct random random = random_for(seed, (uint64_t)index);
    struct gemm_row row = {.kernel = GEMM_ANY};
    row.m = random_side(&random);
    row.n = random_side(&random);
    row.k = random_side(&random);
    return row;
}

bool gemm_row_of(const struct bench *bench, enum gemm_type type, int index, struct gemm_row *row)
{
    int count = bench->random_shapes > 0 ? bench->random_shapes : bench->shapes > 0 ? bench->shapes : ROWS;
    if (index >= count) return false;
    if (bench->random_shapes > 0)
        *row = random_row(bench->seed, index);
    else if (bench->shapes > 0)
        *row = (struct gemm_row){GEMM_ANY, bench->shape[index][0], bench->shape[index][1], bench->shape[index][2], 0};
    else
        *row = rows[index];
    row->m = legal(type, row->m);
    row->n = legal(type, row->n);
    row->k = legal(type, row->k);
    return true;
}
