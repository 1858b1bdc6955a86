// SPDX-License-Identifier: MIT
// A shared-memory operand of a bulk or tensor copy: 32 bits, of which the copy engine looks at 18 for the place in a
// CTA and at 8 for the CTA. What lies between must be 0: otherwise the copy silently does nothing. Plain loads, stores
// and barrier operations do not read addresses so.
#ifndef TMAREF_OPERAND_H
#define TMAREF_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "finding.h"
#include "hopper.h"
#include "memory.h"

enum { OPERAND_PLACE_BITS = 18 };

// The place in a CTA's shared window that is looked at: the low 18 bits.
static inline uint32_t operand_place(uint32_t address)
{
    return address & ((1u << OPERAND_PLACE_BITS) - 1);
}

// Does the operand name no place at all (bits 18 to 23)? Rule OPERAND_NOWHERE.
static inline bool operand_is_nowhere(uint32_t address)
{
    return (address >> OPERAND_PLACE_BITS) % (1u << (SHARED_RANK_SHIFT - OPERAND_PLACE_BITS)) != 0;
}

// The operand a copy from global memory behaves as if it had: one that names no place where the barrier names none.
static inline uint32_t operand_with_barrier(uint32_t address, uint32_t barrier)
{
    return operand_is_nowhere(barrier) ? address | 1u << OPERAND_PLACE_BITS : address;
}

// The checks of an operand that names the CTA's own memory in a launch without clusters, but for its bounds: 715 for
// a rank (rule OPERAND_RANK), and the warning OPERAND_NOWHERE. `argument` is the operand as PTX spells it.
//   first    kept, or set to the first rule broken
void operand_check(uint32_t address, const char *argument, struct findings *findings, enum rule *first);

// Do `bytes` bytes from the operand's place on lie in `memory`, or nowhere, where only the end of `memory` counts?
int operand_fits(uint32_t address, uint64_t bytes, const struct memory *memory);

// The check of the mbarrier operand of a copy, whose rank does not count: 716 (rule MBARRIER_ADDRESS_ALIGN) before 700
// (rule OPERAND_BARRIER_BOUNDS), and the warning OPERAND_BARRIER_NOWHERE. A copy whose barrier is nowhere moves
// nothing.
//   findings  NULL, or takes every rule broken
//   returns   RULE_OK or the first rule broken
//   source    PTX ISA 9.1 cp.async.bulk: mbar
enum rule operand_check_barrier(uint32_t address, const struct memory *memory, struct findings *findings);

#endif
