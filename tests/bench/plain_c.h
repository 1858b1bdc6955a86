// SPDX-License-Identifier: MIT
// What the machine is measured against, in plain C. plain_c.c is compiled twice: without the host's vectors, and with
// all that this processor has. Both give the same bits.
#ifndef TMAREF_PLAIN_C_H
#define TMAREF_PLAIN_C_H

#include <stdint.h>

enum { SIDE = 1024, MATRIX = 192, EACH = 64, WORDS = 1 << 20, EXCHANGED = 1 << 14 };

// WORDS each; `index` below WORDS.
struct plain {
    const float *a, *b;
    const uint32_t *index;
    float *out;
};

enum plain_work {
    PLAIN_COPY, // memcpy() in both
    PLAIN_TRIAD,
    PLAIN_STENCIL,
    PLAIN_GATHER,
    PLAIN_TRANSPOSE,
    PLAIN_EXCHANGE,
    PLAIN_HISTOGRAM,
    PLAIN_REDUCE,
    PLAIN_GEMM,
    PLAIN_WORKS,
    PLAIN_NOTHING = PLAIN_WORKS
};

enum { PLAIN_WIDE = 32, PLAIN_ITERATIONS = 2000, PLAIN_ROWS = 16, PLAIN_COLUMNS = 8 };

// C += A B, row-major.
struct plain_product {
    float a[PLAIN_ROWS][PLAIN_ROWS], b[PLAIN_ROWS][PLAIN_COLUMNS], c[PLAIN_ROWS][PLAIN_COLUMNS];
};

struct plain_side {
    // What the kernels of kernels.cu do.
    void (*work[PLAIN_WORKS])(const struct plain *of);
    // The loop of machine_bench.c for PLAIN_WIDE threads from `first` on, `step` apart; so are their results in out[].
    void (*arithmetic)(uint32_t first, uint32_t step, uint32_t *out);
    void (*multiply)(struct plain_product *of);
};
extern const struct plain_side plain_scalar, plain_vectors;

#endif
