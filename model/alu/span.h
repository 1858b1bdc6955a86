// SPDX-License-Identifier: MIT
// A span: the bytes of memory that the 32 lanes of a warp have side by side, each its scalar or its vector of 2 or 4
// parts. What moves it from and to registers, a row of lanes a part.
#ifndef TMAREF_ALU_SPAN_H
#define TMAREF_ALU_SPAN_H

#include "alu.h"

#pragma GCC visibility push(hidden)

enum { ALU_SPAN_PARTS = 4, ALU_SPAN_SIZES = 4 };

// `slot`: of each part's register; all are as wide as a part, and no two are one if they are loaded.
typedef void alu_span_mover(const struct alu_registers *registers, const uint32_t *slot, void *span);

//   step   how far each lane's address lies behind that of the lane before, if all do alike; else UINT64_MAX
//   move   by the bytes of a part (2, 4, 8, 16), by what is done (0 load, 1 store), by parts (1, 2, 4); NULL: there is
//          none
struct alu_span {
    uint64_t (*step)(const uint64_t *address);
    alu_span_mover *move[ALU_SPAN_SIZES][2][3];
};

// For every processor; for those with AVX2; those that this one runs fastest.
extern const struct alu_span alu_span_of, alu_span_of_avx2;
const struct alu_span *alu_span(void);

#pragma GCC visibility pop

#endif
