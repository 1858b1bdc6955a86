// SPDX-License-Identifier: MIT
// One mma.sync.aligned of a warp, dense or sparse (mma.sp): which elements its registers hold, and D = A * B + D of all
// lanes, bit for bit as an H200 gives it. What the numbers are is in docs/mma.md; the sum of terms is wgmma's
// (number/sum.h).
#ifndef TMAREF_MMA_H
#define TMAREF_MMA_H

#include <stdint.h>

#include "finding.h"
#include "mma_op.h"
#include "sparsity.h"
#include "sum.h"

enum mma_operand { MMA_OF_A, MMA_OF_B, MMA_OF_D };

// An instruction. `name`: "m16n8k16.f32.bf16.bf16" (D, A, B), with ".satfinite", ".and.popc" or ".xor.popc" behind it,
// and "sp." before it where `is_sparse`: then A stores half of its k elements. `registers`: of each lane, by enum
// mma_operand; of 64 bits for f64, else of 32.
struct mma_row {
    const char *name;
    int is_sparse, m, k;
    enum number_format d, a, b;
    enum mma_tail tail;
    int registers[3];
};

// The row of a form (< MMA_FORMS), and the form of a name; MMA_FORMS if there is none.
const struct mma_row *mma_row(enum mma_form form);
enum mma_form mma_find(const char *name);

// The units in which elements are handed over: one element, or 32 bits of b1. How many of them a row of A stores and
// are multiplied, how many lie along a column of B (of a sparse form twice as many), and how many lie in one register
// of an operand (lowest bits first).
int mma_units(enum mma_form form);
int mma_column_units(enum mma_form form);
int mma_parts(enum mma_form form, enum mma_operand operand);

// Unit `part` of register `index` in lane 0 .. 31: row and column of A (the column is k) and of D; of B the column is
// that of the matrix, and the row is k.
//   source   PTX ISA 9.1 "Matrix Fragments for mma.m16n8k16 with floating point type" and the sections beside it
struct number_place mma_place(enum mma_form form, enum mma_operand operand, int lane, int index, int part);

// A row of A or a column of B, taken apart once for the many products it is in; `part`: sums one after another.
enum { MMA_MAX_PARTS = 2, MMA_MAX_UNITS = MMA_MAX_PARTS * NUMBER_MAX_TERMS, MMA_MAX_DOUBLES = 16 };
enum { MMA_MAX_COLUMN = 2 * MMA_MAX_UNITS };
struct mma_vector {
    union {
        struct number_terms part[MMA_MAX_PARTS];
        uint64_t f64[MMA_MAX_DOUBLES];
    };
};

// `units`: mma_units() of them, in the order of k (of a sparse B those that mma_pick() gives). `operand` is A or B.
void mma_vector_read(enum mma_form form, enum mma_operand operand, const uint64_t *units, struct mma_vector *vector);

// One element of D; `c` is the bits of the element of C. Only f64 can be rounded otherwise than to the nearest.
uint64_t mma_dot(enum mma_form form, const struct mma_vector *a, const struct mma_vector *b, uint64_t c);
uint64_t mma_dot_rounded(enum mma_form form, enum number_rounding rounding, const struct mma_vector *a,
                         const struct mma_vector *b, uint64_t c);

// --- mma.sp ----------------------------------------------------------------------------------------------------------

// What the metadata of a sparse form is for; number/sparsity.h says where it lies and what it picks.
struct number_sparsity mma_sparsity(enum mma_form form);

// The units of a column of B that the stored ones of a row of A meet: mma_units() of the mma_column_units() of
// `column`.
void mma_pick(enum mma_form form, int selector, const uint32_t metadata[MMA_LANES], int row, const uint64_t *column,
              uint64_t *units);

// The whole instruction. Register r of lane l is word 32 r + l; of f64 words 2 (32 r + l), and the upper half behind
// it: so `a`, `b` and `d` have MMA_LANES words, or twice as many, for each register of mma_row()->registers.
//   findings  NULL, or takes the rule broken
//   returns   RULE_OK, or INSTRUCTION_FORM for a form that is not there or sparse; then D is as before
//   source   PTX ISA 9.1 "mma" (#warp-level-matrix-instructions-mma)
enum rule mma_execute(enum mma_form form, const uint32_t *a, const uint32_t *b, uint32_t *d, struct findings *findings);

// The same with another rounding of f64: .rz, .rm, .rp.
enum rule mma_execute_rounded(enum mma_form form, enum number_rounding rounding, const uint32_t *a, const uint32_t *b,
                              uint32_t *d, struct findings *findings);

// The same of a sparse form, whose selector is at most number_most_selector().
//   source   PTX ISA 9.1 "mma.sp" (#warp-level-matrix-instructions-for-sparse-mma)
enum rule mma_execute_sparse(enum mma_form form, int selector, const uint32_t metadata[MMA_LANES], const uint32_t *a,
                             const uint32_t *b, uint32_t *d, struct findings *findings);

#endif
