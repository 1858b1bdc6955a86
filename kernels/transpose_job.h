// SPDX-License-Identifier: MIT
// What the transposition kernels and the harness agree on. Plain C, included by both.
#ifndef TMAREF_TRANSPOSE_JOB_H
#define TMAREF_TRANSPOSE_JOB_H

#include <stdint.h>

enum {
    TRANSPOSE_SHARED_START = 1024, // first shared address of a CTA's own memory: the system keeps 1 KiB on sm_90
    TRANSPOSE_THREADS = 256,
    TRANSPOSE_BOX_BYTES = 128,  // a row of a box: the span of the swizzle
    TRANSPOSE_CHUNK_BYTES = 16, // what the swizzle moves, and what a thread reads and writes at once
    TRANSPOSE_STAGES = 5,       // tiles that are loaded ahead
    TRANSPOSE_RESULTS = 2,      // transposed tiles that are not stored yet
    TRANSPOSE_TIMED_CTAS = 2,   // on each SM when turning alone is timed
    TRANSPOSE_NO_TILE = 0xffffffff,
};

// Rows and columns of a tile for elements of 1, 2, 4, 8, 16 bytes.
#define TRANSPOSE_SIDE(bytes)         ((bytes) <= 2 ? 128u : (bytes) <= 8 ? 64u : 32u)
#define TRANSPOSE_TILE_BYTES(bytes)   (TRANSPOSE_SIDE(bytes) * TRANSPOSE_SIDE(bytes) * (uint32_t)(bytes))
#define TRANSPOSE_SHARED_BYTES(bytes) ((TRANSPOSE_STAGES + TRANSPOSE_RESULTS) * TRANSPOSE_TILE_BYTES(bytes))

// Which chunks the eight lanes of a quarter warp take together: neighbours in a row of the tile, or a diagonal, no two
// of which lie in the same row or column of chunks.
enum transpose_walk { TRANSPOSE_ROWS, TRANSPOSE_DIAGONAL, TRANSPOSE_WALKS };

// One matrix. `tiles_down` x `tiles_across` tiles of the matrix that is read are walked in bands of `band` tile rows,
// down first within a band. `line_mask` is 7 for maps with swizzle 128B, 0 for maps without swizzle. The two buffers of
// tile `dumped` (TRANSPOSE_NO_TILE: none) are copied to `dump` when it is transposed, the loaded one first.
struct transpose_job {
    uint32_t tiles_down, tiles_across, band, walk, line_mask, dumped;
    uint64_t dump;
};

// The article's kernel: one tile of `side` x `side` elements of 16 bytes, 8, 4 or 2 for swizzles of 128, 64, 32 bytes,
// from (x, y) to (y, x), both in elements. `loaded` and `transposed` are the shared addresses of its two buffers,
// multiples of 128; `lines` is how many lines of 128 bytes the pattern has: 8, 4, 2, or 1 without swizzle. All shared
// memory from the barrier on is copied to `dump`.
enum {
    ARTICLE_BARRIER = TRANSPOSE_SHARED_START,
    ARTICLE_WINDOW = TRANSPOSE_SHARED_START + 128, // first address that a buffer may have
    ARTICLE_WINDOW_BYTES = 4096,
    ARTICLE_SHARED_BYTES = 128 + ARTICLE_WINDOW_BYTES,
    ARTICLE_ELEMENT_BYTES = 16,
    ARTICLE_ELEMENT_WORDS = 4, // an element is four of the maps' INT32
    ARTICLE_THREADS = 32,
};

struct article_job {
    int32_t x, y;
    uint32_t side, lines, loaded, transposed;
    uint64_t dump;
};

// The 32-bit word at each shared address before the load, so that untouched bytes are seen.
#ifdef __CUDACC__
__device__
#endif
    static inline uint32_t
    transpose_canary(uint32_t address)
{
    uint32_t x = (address / 4 + 1) * 0x9e3779b1u;
    return x ^ x >> 15;
}

#endif
