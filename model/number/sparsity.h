// SPDX-License-Identifier: MIT
// The metadata of sparse wgmma and mma.sp. Along K a row of A is cut into chunks of four elements, of which two are
// kept (of eight 4-bit ones two pairs; of two tf32 one); four bits for each chunk say which, and so what elements of a
// column of B the kept ones meet.
#ifndef TMAREF_NUMBER_SPARSITY_H
#define TMAREF_NUMBER_SPARSITY_H

#include <stdint.h>

// A sparse instruction: bits of an element of A, chunks of a row of A, and whether PTX wants the two indices of a chunk
// in order (mma.sp) or only different.
struct number_sparsity {
    int element_bits, chunks, is_ordered;
};

// The largest sparsity selector that the assembler takes: 3 where one lane of four hands over metadata, 1 where two do,
// 0 where all do.
int number_most_selector(struct number_sparsity sparsity);

// The four bits of chunk `chunk` of row `row` of A.
//   metadata  those of all 32 threads of the warp or 128 of the warpgroup; `selector` says whose of each four count
//   source    traces/sm_90a/wgmma_sparse and mma; PTX ISA 9.1 "Sparse matrix storage", "Matrix fragments for warpgroup-
//             level multiply-accumulate operation with sparse matrix A"
uint32_t number_chunk_bits(struct number_sparsity sparsity, int selector, const uint32_t *metadata, int row, int chunk);

// Whether PTX defines what four bits mean: two indices; of tf32 0b0100 and 0b1110.
int number_chunk_is_legal(struct number_sparsity sparsity, uint32_t bits);

// What kept units may meet of a column of B, which has twice as many units as a row of A keeps: candidates[] gets all
// units of `column` along K, or of tf32, whose four bits name two halves of 16 bits, what each of their 16 values would
// pick of each chunk. Returns how many there are, at most NUMBER_MAX_CANDIDATES.
enum { NUMBER_MAX_CANDIDATES = 128 };
int number_candidates(struct number_sparsity sparsity, const uint32_t *column, uint32_t *candidates);

// Which candidate each kept unit of a row meets: `picks` has room for NUMBER_MAX_KEPT. Returns how many units there
// are.
enum { NUMBER_MAX_KEPT = 64 };
int number_picks(struct number_sparsity sparsity, int selector, const uint32_t *metadata, int row, uint8_t *picks);

// Both at once: the units of `column` that a row meets, as many as number_picks() says.
void number_pick(struct number_sparsity sparsity, int selector, const uint32_t *metadata, int row,
                 const uint32_t *column, uint32_t *units);

#endif
