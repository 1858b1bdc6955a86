// SPDX-License-Identifier: MIT
// The products of a whole mma.sync, eight columns of D side by side: bit for bit what mma_dot() gives of each element.
// For mma.c alone.
#ifndef TMAREF_MMA_BLOCK_H
#define TMAREF_MMA_BLOCK_H

#include <stdbool.h>

#include "kept.h"
#include "mma.h"

#pragma GCC visibility push(hidden)

struct mma_instruction {
    enum mma_form form;
    enum number_rounding rounding;
    int selector;
    const uint32_t *metadata;
    struct mma_kept *kept; // NULL, or the A of it is that of the instruction, or will be
};

// Of f64: rows of A, columns of B, and D.
struct mma_doubles {
    double a[MMA_MAX_M][MMA_MAX_DOUBLES], b[MMA_N][MMA_MAX_DOUBLES], d[MMA_MAX_M][MMA_N];
};

// Of all other formats: the bytes of rows of A and of columns of B, and D. `a` has zeros behind a row of 16 bytes.
enum { MMA_A_BYTES = 32, MMA_B_BYTES = 64 };
struct mma_tile {
    uint8_t a[MMA_MAX_M][MMA_A_BYTES], b[MMA_N][MMA_B_BYTES];
    uint32_t d[MMA_MAX_M][MMA_N];
};

// D = A * B + D: of f64 (doubles.c), and of all other formats (block.c).
void mma_multiply_doubles(const struct mma_instruction *of, struct mma_doubles *doubles);
void mma_multiply_block(const struct mma_instruction *of, struct mma_tile *tile);

bool mma_is_fp8(enum number_format format);

static inline bool mma_is_nan_f64(uint64_t bits)
{
    return (bits << 1) > (uint64_t)0x7ff << 53;
}

#pragma GCC visibility pop

#endif
