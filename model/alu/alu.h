// SPDX-License-Identifier: MIT
// What one instruction of PTX computes, bit for bit as an H200, over the 32 lanes of a warp: pure functions of arrays.
// Where registers are, which lanes execute and how warps converge is not here.
//
// A register is its 32 lanes one after the other: uint16_t[32] of 8 and 16 bits, uint32_t[32], uint64_t[32], for 128
// bits { low, high } of uint64_t each; a predicate is one uint32_t, one bit a lane. Values of 8 bits are read from the
// low bits, and written sign- or zero-extended to 16. Constants are registers too, those of the rows' #least..most 32
// bits wide.
//
// Results do not depend on the caller's floating-point environment, which may be any and is put back; its flags of
// exceptions may be raised.
#ifndef TMAREF_ALU_H
#define TMAREF_ALU_H

#include "form.h"

#pragma GCC visibility push(hidden) // not for users of the shared library

struct alu_call {
    void *const *operand;            // lanes of each operand of the row, in its order, parts of vectors one after the
                                     // other; left out: NULL. NULL behind the last part of a mov that packs or unpacks
    uint32_t lanes;                  // those that execute: only their results are written
    uint32_t *carry;                 // the warp's carry flags, one bit a lane (.cc, addc ...)
    const struct ptx_choice *choice; // the instruction's
};

typedef void alu_function(const struct alu_call *call);

// What computes such instructions; NULL: not of this room.
alu_function *alu_find(const struct ptx_choice *choice);

// The same without the instructions that only some processors have.
alu_function *alu_find_portable(const struct ptx_choice *choice);

#pragma GCC visibility pop

#endif
