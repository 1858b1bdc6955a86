// SPDX-License-Identifier: MIT
// A transposition as data: a whole matrix by tiles, or one tile by the article's kernel; and what both mean to the
// model and to a launch.
#ifndef TMAREF_TRANSPOSE_CASE_H
#define TMAREF_TRANSPOSE_CASE_H

#include "bank.h"
#include "family.h"
#include "map_args.h"
#include "memory.h"
#include "transpose_job.h"

struct gpu;

// The output is the only memory that is written. On a GPU it lies somewhere else.
#define TRANSPOSE_OUTPUT_BASE ((uint64_t)1 << 46)
enum { TRANSPOSE_GUARD_BYTES = 256, TRANSPOSE_MAX_OUTPUT_BYTES = 1 << 20, TRANSPOSE_MAX_TILES = 64 };

// `rows` x `columns` elements of `element_bytes` (1, 2, 4, 8, 16), `source_pitch` bytes apart from row to row, at byte
// `source` of the arena, to `columns` x `rows` elements, `result_pitch` bytes apart. All pitches and `source` are
// multiples of 16. `swizzle` is that of the maps.
//   is_article 0  the whole matrix: `walk` and `band` as in struct transpose_job, `ctas` CTAs, tile `tile` is dumped;
//                 swizzle none or 128B
//   is_article 1  one tile, as struct article_job says; elements of 16 bytes
struct transpose_case {
    uint32_t is_article;
    uint32_t element_bytes, rows, columns, source, source_pitch, result_pitch, swizzle;
    uint32_t walk, band, ctas, tile;
    uint32_t x, y, loaded, transposed;
};

// Rows and columns of the tiles of a case, and their number down and across.
struct transpose_tiles {
    uint32_t side, down, across;
};
struct transpose_tiles transpose_tiles(const struct transpose_case *test_case);

// The maps of the loads and of the stores: the matrices lie at these addresses.
void transpose_maps(const struct transpose_case *test_case, uint64_t source, uint64_t result, struct map_args maps[2]);

// The windows of a result, in this order, as the kernels fill them: the output, then what is dumped; and what the
// output holds before.
void transpose_windows(const void *test_case, struct result *result);
void transpose_fill(const void *test_case, const struct result *result);

// How many wavefronts all reads and all writes of one tile take, and the least they could: one for each 128 bytes.
struct transpose_wavefronts {
    int reads, writes, ideal;
};
struct transpose_wavefronts transpose_wavefronts(uint32_t element_bytes, enum tensormap_swizzle swizzle,
                                                 enum transpose_walk walk);

// The walk whose quarter warps meet in no bank: with swizzle 128B the diagonal, but rows for elements of 16 bytes.
enum transpose_walk transpose_best_walk(uint32_t element_bytes);

enum rule transpose_run_model(const void *test_case, struct result *result);
int transpose_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results);
#endif
