// SPDX-License-Identifier: MIT
// ldmatrix and stmatrix: one to four 8 x 8 matrices of 16-bit elements between shared memory and the registers of a
// warp. Each of their rows is 16 bytes, anywhere; lane 8 i + r points at row r of matrix i.
#ifndef TMAREF_MATRIX_H
#define TMAREF_MATRIX_H

#include <stdint.h>

#include "event.h"
#include "finding.h"
#include "memory.h"

enum { MATRIX_LANES = 32, MATRIX_ROWS = 8, MATRIX_ROW_BYTES = 16, MATRIX_MAX = 4 };

// The rows of `count` matrices (1, 2 or 4): 715 if an address has bits from 24 on (rule MATRIX_ROW_RANK), then 700 if a
// row starts past the end of `shared` (rule MATRIX_ROW_BOUNDS), then 716 if one is not at a multiple of 16 (rule
// MATRIX_ROW_ALIGN). The addresses of lanes from 8 count on do not count. Below shared->base lies memory of the system:
// a read of it breaks no rule and gives zeros. What a store does there is not known; the model writes nothing.
//   findings  NULL, or takes every rule broken
//   returns   RULE_OK or the first rule broken
enum rule matrix_check(const struct memory *shared, const uint32_t address[MATRIX_LANES], int count,
                       struct findings *findings);

// ldmatrix.sync.aligned.m8n8.x<count>{.trans}.shared.b16: registers[i][lane] is what a lane gets of matrix i; there
// are `count` of them. Lane l has columns 2 (l % 4) and the next of row l / 4, the first in the lower half; of
// `is_trans` rows 2 (l % 4) and the next of column l / 4. Findings and result as matrix_check(); on a fault nothing is
// moved.
//   source   PTX ISA 9.1 "ldmatrix" (#warp-level-matrix-instructions-ldmatrix)
enum rule matrix_load(const struct memory *shared, const uint32_t address[MATRIX_LANES], int count, int is_trans,
                      uint32_t registers[][MATRIX_LANES], struct findings *findings);

// stmatrix.sync.aligned.m8n8.x<count>{.trans}.shared.b16: the same, the other way. If rows have the same
// address, the row of the last matrix is kept, and within a matrix the first row.
//   source   PTX ISA 9.1 "stmatrix" (#warp-level-matrix-instructions-stmatrix)
enum rule matrix_store(const struct memory *shared, const uint32_t address[MATRIX_LANES], int count, int is_trans,
                       uint32_t registers[][MATRIX_LANES], struct findings *findings);

// Tells of the rows that ldmatrix reads (ACCESS_READ) or stmatrix writes: weak, by the generic proxy, each row in the
// lane that points at it. mma.sync touches no memory, and tells nothing.
void matrix_observe(enum access_kind kind, const uint32_t address[MATRIX_LANES], int count,
                    const struct teller *teller);

#endif
