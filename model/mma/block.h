// SPDX-License-Identifier: MIT
// The products of a whole mma.sync, eight columns of D side by side: bit for bit what mma_dot() gives of each element.
// For mma.c alone.
#ifndef TMAREF_MMA_BLOCK_H
#define TMAREF_MMA_BLOCK_H

#include "mma.h"

#pragma GCC visibility push(hidden)

struct mma_instruction {
    enum mma_form form;
    enum number_rounding rounding;
    int selector;
    const uint32_t *metadata;
};

// Rows of A and D, columns of B.
struct mma_matrices {
    uint64_t a[MMA_MAX_M][MMA_MAX_COLUMN], b[MMA_N][MMA_MAX_COLUMN], d[MMA_MAX_M][MMA_N];
};

// D = A * B + D: of f64 (doubles.c), and of all other formats (block.c).
void mma_multiply_doubles(const struct mma_instruction *of, struct mma_matrices *matrices);
void mma_multiply_block(const struct mma_instruction *of, struct mma_matrices *matrices);

// What the tensor cores get of a unit: fp8 as f16 (numbers.c).
int mma_is_fp8(enum number_format format);
uint32_t mma_fp8_as_f16(enum number_format format, uint32_t bits);

static inline int mma_is_nan_f64(uint64_t bits)
{
    return (bits << 1) > (uint64_t)0x7ff << 53;
}

#pragma GCC visibility pop

#endif
