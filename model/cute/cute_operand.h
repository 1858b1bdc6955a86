// SPDX-License-Identifier: MIT
// CuTe layouts as operands of wgmma: the matrix descriptor that reads one. Read cute.h and descriptor.h first.
#ifndef TMAREF_CUTE_OPERAND_H
#define TMAREF_CUTE_OPERAND_H

#include "cute.h"
#include "descriptor.h"

// An operand whose mode 0 are rows of M or N and whose mode 1 is K.
//   descriptor   of the first step along K, where the layout begins at shared address 0
//   rows         that one descriptor reaches: all, at most 256
//   k_elems      of one instruction: 32 bytes
//   steps        instructions along K
struct cute_operand {
    struct wgmma_descriptor descriptor;
    int is_mn_major, rows, k_elems, steps;
};

// The descriptor that reads the layout, whose elements have `bytes` bytes: that of CuTe's make_gmma_desc().
//   returns  1 if every element is read from where the layout has it, at each step along K; else 0 with the reason
//   source   PTX ISA 9.1 "Strides", "Matrix Descriptor" (#asynchronous-warpgroup-level-matrix-shared-memory-layout)
int cute_operand_of(const struct cute_layout *layout, uint32_t bytes, struct cute_operand *operand,
                    struct cute_error *error);

// How far behind the layout's begin the operand of step `step` along K starts: what is added to the start address.
uint32_t cute_operand_start(const struct cute_layout *layout, const struct cute_operand *operand, uint32_t bytes,
                            int step);

// What CuTe calls the layout that such operands are tiled of: "Layout_K_SW128_Atom".
const char *cute_operand_atom(const struct cute_operand *operand);

#endif
