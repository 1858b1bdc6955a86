// SPDX-License-Identifier: MIT
// What one instruction of PTX computes, bit for bit as an H200, over the 32 lanes of a warp: pure functions of arrays.
// Where registers are, which lanes execute and how warps converge is not here.
//
// A register is its 32 lanes one after the other: uint16_t[32] of 8 and 16 bits, uint32_t[32], uint64_t[32], for 128
// bits { low, high } of uint64_t each; a predicate is one uint32_t, one bit a lane. Values of 8 bits are read from the
// low bits, and written sign- or zero-extended to 16. Constants are registers too, those of the rows' #least..most 32
// bits wide.
//
// Floating-point arithmetic takes place in the environment that alu_environment_enter() sets.
#ifndef TMAREF_ALU_H
#define TMAREF_ALU_H

#include <fenv.h>

#include "form.h"

#pragma GCC visibility push(hidden) // not for users of the shared library

// Where registers lie: at an offset from one of these places, whose number is in its low bits. At the last is nothing.
enum { ALU_BASES = 4, ALU_LEFT_OUT = ALU_BASES - 1 };

//   base    each place, minus its number; of the last, 0 minus its number
//   carry   the warp's carry flags, one bit a lane (.cc, addc ...)
struct alu_registers {
    uintptr_t base[ALU_BASES];
    uint32_t *carry;
};

// The lanes at a slot, NULL for ALU_LEFT_OUT.
static inline void *alu_at(const struct alu_registers *registers, uint32_t slot)
{
    return (void *)(registers->base[slot % ALU_BASES] + slot);
}

//   slot    of each operand of the row, in its order, parts of vectors one after the other; ALU_LEFT_OUT of one that is
//           left out, and behind the parts of a mov that packs or unpacks
//   choice  the instruction's
//   lanes   those that execute: only their results are written
typedef void alu_function(const struct alu_registers *registers, const uint32_t *slot, const struct ptx_choice *choice,
                          uint32_t lanes);

// What computes such instructions; NULL: not of this room.
alu_function *alu_find(const struct ptx_choice *choice);

// The same without the instructions that only some processors have.
alu_function *alu_find_portable(const struct ptx_choice *choice);

// Rounds to nearest, keeps subnormals, traps nothing: for as many calls as one likes. Then what was before is back.
struct alu_environment {
    fenv_t before;
    unsigned control; // of x86-64: all that counts
};
void alu_environment_enter(struct alu_environment *environment);
void alu_environment_leave(const struct alu_environment *environment);

#pragma GCC visibility pop

#endif
