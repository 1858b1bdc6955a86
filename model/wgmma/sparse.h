// SPDX-License-Identifier: MIT
// The metadata of sparse wgmma. Along K a row of A is cut into chunks of four elements, of which two are kept (tf32: of
// two, of which one is); four bits for each chunk say which, and so what elements of a column of B the kept ones meet.
#ifndef TMAREF_WGMMA_SPARSE_H
#define TMAREF_WGMMA_SPARSE_H

#include <stdint.h>

#include "types.h"

// Chunks of a row, at most: wgmma_chunks() says how many there are.
enum { WGMMA_MAX_CHUNKS = 16 };
int wgmma_chunks(enum wgmma_types types);

// The largest sparsity selector that the assembler takes: 1, or 0 where all threads hand over metadata (8-bit types).
int wgmma_most_selector(enum wgmma_types types);

// The four bits of chunk `chunk` of row `row` of A.
//   metadata  sp-meta of the threads 0 .. 127 of the warpgroup; `selector` (sp-sel) says whose of each four count
//   source    traces/sm_90a/wgmma_sparse; PTX ISA 9.1 "Matrix fragments for warpgroup-level multiply-accumulate
//   operation
//             with sparse matrix A"
uint32_t wgmma_chunk_bits(enum wgmma_types types, int selector, const uint32_t *metadata, int row, int chunk);

// Whether PTX defines what four bits mean: two different indices; of tf32 0b0100 and 0b1110.
int wgmma_chunk_is_legal(enum wgmma_types types, uint32_t bits);

// What kept units may meet of a column of B: `column` are all 2 wgmma_units() units along K, and candidates[] gets
// them, or of tf32, whose four bits name two halves of 16 bits, what each of their 16 values would pick of each chunk.
// Returns how many there are.
enum { WGMMA_MAX_CANDIDATES = 128 };
int wgmma_candidates(enum wgmma_types types, const uint32_t *column, uint32_t *candidates);

// Which candidate each kept unit of a row meets: wgmma_units() of them.
void wgmma_picks(enum wgmma_types types, int selector, const uint32_t *metadata, int row, uint8_t *picks);

#endif
