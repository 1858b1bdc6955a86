// SPDX-License-Identifier: MIT
#include "atomic.h"

#include <assert.h>

static const struct atomic_row rows[] = {
#define ROW(id, ptx, bytes, is_red) {ptx, bytes, is_red},
    ATOMIC_FUNCTIONS(ROW)
#undef ROW
};

const struct atomic_row *atomic_row(uint32_t function)
{
    assert(function < ATOMIC_FUNCTION_COUNT);
    return &rows[function];
}

static uint64_t apply_32(uint32_t function, uint32_t old, uint32_t operand, uint32_t compare)
{
    switch (function) {
    case ATOMIC_ADD_U32:
        return old + operand;
    case ATOMIC_MIN_U32:
        return old < operand ? old : operand;
    case ATOMIC_MAX_U32:
        return old > operand ? old : operand;
    case ATOMIC_MIN_S32:
        return (int32_t)old < (int32_t)operand ? old : operand;
    case ATOMIC_MAX_S32:
        return (int32_t)old > (int32_t)operand ? old : operand;
    case ATOMIC_INC_U32:
        return old >= operand ? 0 : old + 1;
    case ATOMIC_DEC_U32:
        return old == 0 || old > operand ? operand : old - 1;
    case ATOMIC_AND_B32:
        return old & operand;
    case ATOMIC_OR_B32:
        return old | operand;
    case ATOMIC_XOR_B32:
        return old ^ operand;
    case ATOMIC_CAS_B32:
        return old == compare ? operand : old;
    default:
        return operand;
    }
}

uint64_t atomic_apply(uint32_t function, uint64_t old, uint64_t operand, uint64_t compare)
{
    switch (function) {
    case ATOMIC_ADD_U64:
        return old + operand;
    case ATOMIC_EXCH_B64:
        return operand;
    case ATOMIC_CAS_B64:
        return old == compare ? operand : old;
    default:
        return (uint32_t)apply_32(function, (uint32_t)old, (uint32_t)operand, (uint32_t)compare);
    }
}
