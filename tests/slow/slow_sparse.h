// SPDX-License-Identifier: MIT
// The slow second model of sparse wgmma: which elements of a column of B a row of A meets, byte by byte, written from
// docs/wgmma.md alone. It shares the names of types with model/wgmma, and no code; it can be told to misread a rule.
#ifndef TMAREF_SLOW_SPARSE_H
#define TMAREF_SLOW_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "slow_wgmma.h"

// MUTANT(id, what the misreading says): the only list of them. The vectors must notice each.
#define SLOW_SPARSE_MUTANTS(MUTANT)                                                                                    \
    MUTANT(NO_SELECTOR, "the first two threads of four hold the metadata whatever sp-sel says")                        \
    MUTANT(ALL_THREADS, "all four threads hold the metadata of 16-bit types too")                                      \
    MUTANT(TWO_THREADS, "two threads hold the metadata of 8-bit types too")                                            \
    MUTANT(ROWS_SWAPPED, "the low bits are those of row r + 8")                                                        \
    MUTANT(ROWS_ALTERNATE, "a row's two threads of 8-bit types stand side by side")                                    \
    MUTANT(HALVES_SWAPPED, "the lower thread has the second half of K")                                                \
    MUTANT(HIGH_FIRST, "the low two bits belong to the second kept element of a chunk")                                \
    MUTANT(IN_ORDER, "indices are put in order before they are used")                                                  \
    MUTANT(ONCE, "an element of B is met once: of equal indices the second does not count")                            \
    MUTANT(TF32_ELEMENT, "of tf32 one bit picks a whole element")                                                      \
    MUTANT(TF32_CHUNK_4, "chunks of tf32 are four elements, two kept")                                                 \
    MUTANT(DROPPED_COUNT, "a NaN of B counts where A is left out")

enum slow_sparse_mutant {
    SLOW_SPARSE_RIGHT,
#define MUTANT(id, sentence) SLOW_SPARSE_##id,
    SLOW_SPARSE_MUTANTS(MUTANT)
#undef MUTANT
        SLOW_SPARSE_COUNT
};

// One element: a row of A with its kept units, the whole column of B, the metadata of all threads.
struct slow_sparse {
    enum wgmma_types types;
    int row, selector;
    uint32_t metadata[128], a[32], column[64], c;
    bool has_c;
    int negate, satfinite;
};

uint32_t slow_sparse(const struct slow_sparse *element, enum slow_sparse_mutant mutant);

// "NO_SELECTOR: the first ..."
const char *slow_sparse_mutant_text(enum slow_sparse_mutant mutant);

#endif
