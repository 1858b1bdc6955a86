// SPDX-License-Identifier: MIT
// mma.sync.m8n8k4 of f16, made for sm_70: four products of 8 x 4 and 4 x 8, each of its own eight lanes. sm_90 has no
// such instruction. ptxas calls a function of additions and multiplications, whose order is this file's.
#ifndef TMAREF_OCTET_H
#define TMAREF_OCTET_H

#include <stdbool.h>
#include <stdint.h>

#include "mma_op.h"

#pragma GCC visibility push(hidden) // not for users of the shared library

struct octet {
    bool a_is_column, b_is_row; // how A and B lie in registers
    bool d_is_f32, c_is_f32;    // else f16, two in a register
};

// Register r of lane l is word 32 r + l: two of A and of B, of C and D four of f16 or eight of f32.
//   source  PTX ISA 9.1 "Matrix Fragments for mma.m8n8k4 with .f16 floating point type"
void octet_execute(const struct octet *octet, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d);

#pragma GCC visibility pop

#endif
