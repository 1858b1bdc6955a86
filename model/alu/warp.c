// SPDX-License-Identifier: MIT
// What the lanes of a warp tell each other: shuffles, votes, matches, reductions, elections. The lanes that execute are
// those that met; who waits for whom is the machine's. Lanes that did not come count for nothing, but for a shuffle,
// which reads what is in their registers.
#include "lanes_loop.h"
#include "shuffle.h"
#include "table.h"

// --- Shuffles --------------------------------------------------------------------------------------------------------

// What each lane gets, and whether it is valid: 0 or all ones.
#define SHUFFLE(mode)                                                                                                  \
    EACH_LANE                                                                                                          \
    {                                                                                                                  \
        const struct shuffle_source source = shuffle_source(mode, (uint32_t)i, b[i], c[i]);                            \
        d[i] = a[source.lane & 31];                                                                                    \
        is_valid[i] = 0 - source.is_valid;                                                                             \
    }

ALU_FUNCTION(shfl)
{
    const uint32_t *a = alu_at(registers, slot[2]), *b = alu_at(registers, slot[3]), *c = alu_at(registers, slot[4]);
    const enum ptx_word mode = (enum ptx_word)choice->word[PTX_CLASS_SHUFFLE];
    uint32_t d[LANES];
    int32_t is_valid[LANES];
    if (mode == PTX_UP)
        SHUFFLE(PTX_UP)
    else if (mode == PTX_DOWN)
        SHUFFLE(PTX_DOWN)
    else if (mode == PTX_BFLY)
        SHUFFLE(PTX_BFLY)
    else
        SHUFFLE(PTX_IDX)
    const uint32_t valid = gathered_32(is_valid);
    if (alu_at(registers, slot[0]) != NULL) keep_32(alu_at(registers, slot[0]), d, lanes);
    if (alu_at(registers, slot[1]) != NULL) keep_bits(alu_at(registers, slot[1]), valid, lanes);
}

// --- Votes -----------------------------------------------------------------------------------------------------------

ALU_FUNCTION(vote)
{
    uint32_t a = *(const uint32_t *)alu_at(registers, slot[1]) & lanes;
    enum ptx_word mode = (enum ptx_word)choice->word[PTX_CLASS_VOTE];
    bool all = a == lanes, any = a != 0;
    bool holds = mode == PTX_ALL ? all : mode == PTX_ANY ? any : all || !any;
    keep_bits(alu_at(registers, slot[0]), holds ? ALL_LANES : 0, lanes);
}

static void give_all(uint32_t lanes, void *d, uint32_t value)
{
    uint32_t values[LANES];
    if (d == NULL) return;
    EACH_LANE values[i] = value;
    keep_32(d, values, lanes);
}

ALU_FUNCTION(ballot)
{
    give_all(lanes, alu_at(registers, slot[0]), *(const uint32_t *)alu_at(registers, slot[1]) & lanes);
}

ALU_FUNCTION(activemask)
{
    give_all(lanes, alu_at(registers, slot[0]), lanes);
}

ALU_FUNCTION(elect)
{
    uint32_t lowest = lanes & (0 - lanes);
    if (lowest == 0) return;
    give_all(lanes, alu_at(registers, slot[0]), (uint32_t)__builtin_ctz(lowest));
    keep_bits(alu_at(registers, slot[1]), lowest, lanes);
}

// --- Matches ---------------------------------------------------------------------------------------------------------

#define EQUALS(name, T)                                                                                                \
    static uint32_t name(const void *values, uint32_t lanes, T value)                                                  \
    {                                                                                                                  \
        uint32_t equal = 0;                                                                                            \
        for (int i = 0; i < LANES; i++) equal |= (uint32_t)(((const T *)values)[i] == value) << i;                     \
        return equal & lanes;                                                                                          \
    }
EQUALS(equals_32, uint32_t)
EQUALS(equals_64, uint64_t)

static uint32_t equals(const struct ptx_choice *choice, const void *values, int lane, uint32_t lanes)
{
    return choice->type[0] == PTX_TYPE_b32 ? equals_32(values, lanes, ((const uint32_t *)values)[lane])
                                           : equals_64(values, lanes, ((const uint64_t *)values)[lane]);
}

ALU_FUNCTION(match_any)
{
    uint32_t d[LANES];
    for (int i = 0; i < LANES; i++) d[i] = equals(choice, alu_at(registers, slot[1]), i, lanes);
    keep_32(alu_at(registers, slot[0]), d, lanes);
}

ALU_FUNCTION(match_all)
{
    if (lanes == 0) return;
    bool same = equals(choice, alu_at(registers, slot[2]), __builtin_ctz(lanes), lanes) == lanes;
    give_all(lanes, alu_at(registers, slot[0]), same ? lanes : 0);
    if (alu_at(registers, slot[1]) != NULL) keep_bits(alu_at(registers, slot[1]), same ? ALL_LANES : 0, lanes);
}

// --- Reductions ------------------------------------------------------------------------------------------------------

LANE_INLINE uint32_t reduced(enum ptx_word operation, bool is_signed, uint32_t x, uint32_t y)
{
    bool less = is_signed ? (int32_t)x < (int32_t)y : x < y;
    switch (operation) {
    case PTX_ADD:
        return x + y;
    case PTX_MIN:
        return less ? x : y;
    case PTX_MAX:
        return less ? y : x;
    case PTX_AND:
        return x & y;
    case PTX_OR:
        return x | y;
    default:
        return x ^ y;
    }
}

ALU_FUNCTION(redux)
{
    const uint32_t *a = alu_at(registers, slot[1]);
    if (lanes == 0) return;
    int first = __builtin_ctz(lanes);
    bool is_signed = choice->type[0] == PTX_TYPE_s32;
    uint32_t result = a[first];
    for (int i = first + 1; i < LANES; i++)
        if (lanes >> i & 1) result = reduced((enum ptx_word)choice->word[PTX_CLASS_OPERATION], is_signed, result, a[i]);
    give_all(lanes, alu_at(registers, slot[0]), result);
}

static const struct alu_row rows[] = {
    ROW_ANY(SHFL, shfl),           ROW_ANY(VOTE, vote),           ROW_ANY(VOTE_BALLOT, ballot),
    ROW_ANY(MATCH_ANY, match_any), ROW_ANY(MATCH_ALL, match_all), ROW_ANY(ACTIVEMASK, activemask),
    ROW_ANY(REDUX_INT, redux),     ROW_ANY(REDUX_BITS, redux),    ROW_ANY(ELECT, elect),
};
ALU_ROWS(alu_warp, rows);
