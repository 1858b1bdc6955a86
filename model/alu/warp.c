// SPDX-License-Identifier: MIT
// What the lanes of a warp tell each other: shuffles, votes, matches, reductions, elections. The lanes of the call are
// those that met; who waits for whom is the machine's. Lanes that did not come count for nothing, but for a shuffle,
// which reads what is in their registers.
#include "lanes_loop.h"

// --- Shuffles --------------------------------------------------------------------------------------------------------

struct source {
    uint32_t lane;
    int is_valid;
};

// Where lane `lane` reads from: c has the last lane of a segment in bits 4..0, the segment's mask in bits 12..8.
LANE_INLINE struct source source_of(enum ptx_word mode, uint32_t lane, uint32_t b, uint32_t c)
{
    uint32_t step = b & 31, segment = c >> 8 & 31, last = (lane & segment) | (c & 31 & ~segment),
             least = lane & segment;
    struct source source = {0, 0};
    if (mode == PTX_UP)
        source = (struct source){lane - step, (int32_t)(lane - step) >= (int32_t)last};
    else if (mode == PTX_DOWN)
        source = (struct source){lane + step, lane + step <= last};
    else if (mode == PTX_BFLY)
        source = (struct source){lane ^ step, (lane ^ step) <= last};
    else
        source = (struct source){least | (step & ~segment), (least | (step & ~segment)) <= last};
    if (!source.is_valid) source.lane = lane;
    return source;
}

static void shfl(const struct alu_call *call)
{
    const uint32_t *a = call->operand[2], *b = call->operand[3], *c = call->operand[4];
    enum ptx_word mode = (enum ptx_word)call->choice->word[PTX_CLASS_SHUFFLE];
    uint32_t d[LANES], valid = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        struct source source = source_of(mode, i, b[i], c[i]);
        d[i] = a[source.lane & 31];
        valid |= (uint32_t)source.is_valid << i;
    }
    if (call->operand[0] != NULL) keep_32(call->operand[0], d, call->lanes);
    if (call->operand[1] != NULL) keep_bits(call->operand[1], valid, call->lanes);
}

// --- Votes -----------------------------------------------------------------------------------------------------------

static void vote(const struct alu_call *call)
{
    uint32_t a = *(const uint32_t *)call->operand[1] & call->lanes;
    enum ptx_word mode = (enum ptx_word)call->choice->word[PTX_CLASS_VOTE];
    int all = a == call->lanes, any = a != 0;
    int holds = mode == PTX_ALL ? all : mode == PTX_ANY ? any : all || !any;
    keep_bits(call->operand[0], holds ? ALL_LANES : 0, call->lanes);
}

static void give_all(const struct alu_call *call, void *d, uint32_t value)
{
    uint32_t values[LANES];
    if (d == NULL) return;
    EACH_LANE values[i] = value;
    keep_32(d, values, call->lanes);
}

static void ballot(const struct alu_call *call)
{
    give_all(call, call->operand[0], *(const uint32_t *)call->operand[1] & call->lanes);
}

static void activemask(const struct alu_call *call)
{
    give_all(call, call->operand[0], call->lanes);
}

static void elect(const struct alu_call *call)
{
    uint32_t lowest = call->lanes & (0 - call->lanes);
    if (lowest == 0) return;
    give_all(call, call->operand[0], (uint32_t)__builtin_ctz(lowest));
    keep_bits(call->operand[1], lowest, call->lanes);
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

static uint32_t equals(const struct alu_call *call, const void *values, int lane)
{
    return call->choice->type[0] == PTX_TYPE_b32 ? equals_32(values, call->lanes, ((const uint32_t *)values)[lane])
                                                 : equals_64(values, call->lanes, ((const uint64_t *)values)[lane]);
}

static void match_any(const struct alu_call *call)
{
    uint32_t d[LANES];
    for (int i = 0; i < LANES; i++) d[i] = equals(call, call->operand[1], i);
    keep_32(call->operand[0], d, call->lanes);
}

static void match_all(const struct alu_call *call)
{
    if (call->lanes == 0) return;
    int same = equals(call, call->operand[2], __builtin_ctz(call->lanes)) == call->lanes;
    give_all(call, call->operand[0], same ? call->lanes : 0);
    if (call->operand[1] != NULL) keep_bits(call->operand[1], same ? ALL_LANES : 0, call->lanes);
}

// --- Reductions ------------------------------------------------------------------------------------------------------

LANE_INLINE uint32_t reduced(enum ptx_word operation, int is_signed, uint32_t x, uint32_t y)
{
    int less = is_signed ? (int32_t)x < (int32_t)y : x < y;
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

static void redux(const struct alu_call *call)
{
    const uint32_t *a = call->operand[1];
    if (call->lanes == 0) return;
    int first = __builtin_ctz(call->lanes), is_signed = call->choice->type[0] == PTX_TYPE_s32;
    uint32_t result = a[first];
    for (int i = first + 1; i < LANES; i++)
        if (call->lanes >> i & 1)
            result = reduced((enum ptx_word)call->choice->word[PTX_CLASS_OPERATION], is_signed, result, a[i]);
    give_all(call, call->operand[0], result);
}

static const struct alu_row rows[] = {
    ROW_ANY(SHFL, shfl),           ROW_ANY(VOTE, vote),           ROW_ANY(VOTE_BALLOT, ballot),
    ROW_ANY(MATCH_ANY, match_any), ROW_ANY(MATCH_ALL, match_all), ROW_ANY(ACTIVEMASK, activemask),
    ROW_ANY(REDUX_INT, redux),     ROW_ANY(REDUX_BITS, redux),    ROW_ANY(ELECT, elect),
};
ALU_ROWS(alu_warp, rows);
