// SPDX-License-Identifier: MIT
// What the host hands to kernels/opponent.cu: plain C, the same bytes on both sides.
#ifndef TMAREF_OPPONENT_JOB_H
#define TMAREF_OPPONENT_JOB_H

#include <stdint.h>

enum {
    OPPONENT_THREADS = 256,     // of the transpositions
    OPPONENT_UNROLL = 4,        // vectors of 16 bytes in flight for each thread of the histogram
    OPPONENT_VECTOR_VALUES = 4, // of 32 bits in a vector
    OPPONENT_LINE_BYTES = 128,
};

// Transpositions: X(bytes of an element, side of a tile in elements). A row of a tile is at least OPPONENT_LINE_BYTES.
#define OPPONENT_TILES(X)                                                                                              \
    X(1, 128)                                                                                                          \
    X(1, 256)                                                                                                          \
    X(2, 64)                                                                                                           \
    X(2, 128)                                                                                                          \
    X(4, 32)                                                                                                           \
    X(4, 64)                                                                                                           \
    X(8, 32)                                                                                                           \
    X(8, 64)                                                                                                           \
    X(16, 16)                                                                                                          \
    X(16, 32)

// `count` values of 32 bits at `input`, a multiple of OPPONENT_VECTOR_VALUES, are counted in `nbins` bins at `bins`,
// which are added to: CTA i has the bins of part i % parts, `part_bins` of them, in its shared memory.
struct opponent_histogram {
    uint64_t input, count, bins;
    uint32_t nbins, part_bins, parts, zero;
};

// `from` is `rows` x `columns` elements, row-major and without gaps; both are multiples of the tile's side.
struct opponent_transposition {
    uint64_t from, to;
    uint32_t rows, columns;
};

#endif
