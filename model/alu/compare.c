// SPDX-License-Identifier: MIT
// setp, set, testp: how two registers compare, lane by lane, into a predicate or into a register of ones or zeros.
//
// Of each pair one of four relations holds, less, equal, greater, unordered; a comparison is the set of those for which
// it is true.
#include "narrow.h"
#include "table.h"

enum relation { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static const uint8_t relations[PTX_WORDS] = {
    [PTX_EQ] = EQUAL,
    [PTX_NE] = LESS | GREATER,
    [PTX_LT] = LESS,
    [PTX_LE] = LESS | EQUAL,
    [PTX_GT] = GREATER,
    [PTX_GE] = GREATER | EQUAL,
    [PTX_LO] = LESS,
    [PTX_LS] = LESS | EQUAL,
    [PTX_HI] = GREATER,
    [PTX_HS] = GREATER | EQUAL,
    [PTX_EQU] = EQUAL | UNORDERED,
    [PTX_NEU] = LESS | GREATER | UNORDERED,
    [PTX_LTU] = LESS | UNORDERED,
    [PTX_LEU] = LESS | EQUAL | UNORDERED,
    [PTX_GTU] = GREATER | UNORDERED,
    [PTX_GEU] = GREATER | EQUAL | UNORDERED,
    [PTX_NUM] = LESS | EQUAL | GREATER,
    [PTX_IS_NAN] = UNORDERED,
};

// --- Loops -----------------------------------------------------------------------------------------------------------

// For which lanes a relation of x and y holds that a loop has: the others are made of these. Flags are as wide as the
// lanes.
#define EACH_FLAG(T, read, holds)                                                                                      \
    EACH_LANE                                                                                                          \
    {                                                                                                                  \
        T x = read(as[i]), y = read(bs[i]);                                                                            \
        flags[i] = (holds) ? -1 : 0;                                                                                   \
    }

#define COMPARE_INTEGERS(name, T, bits)                                                                                \
    LANE_INLINE uint32_t name(uint8_t relation, const void *a, const void *b)                                          \
    {                                                                                                                  \
        const T *as = a, *bs = b;                                                                                      \
        int##bits##_t flags[LANES];                                                                                    \
        uint32_t flip = relation & GREATER ? ALL_LANES : 0;                                                            \
        if (flip) relation ^= LESS | EQUAL | GREATER;                                                                  \
        if (relation == LESS)                                                                                          \
            EACH_FLAG(T, , x < y)                                                                                      \
        else if (relation == EQUAL)                                                                                    \
            EACH_FLAG(T, , x == y)                                                                                     \
        else                                                                                                           \
            EACH_FLAG(T, , x <= y)                                                                                     \
        return gathered_##bits(flags) ^ flip;                                                                          \
    }
COMPARE_INTEGERS(compare_u16, uint16_t, 16)
COMPARE_INTEGERS(compare_u32, uint32_t, 32)
COMPARE_INTEGERS(compare_u64, uint64_t, 64)
COMPARE_INTEGERS(compare_s16, int16_t, 16)
COMPARE_INTEGERS(compare_s32, int32_t, 32)
COMPARE_INTEGERS(compare_s64, int64_t, 64)

// Floats compare as the host's.
#define COMPARE_FLOATS(name, T, F, read, bits)                                                                         \
    static uint32_t name(uint8_t relation, const void *a, const void *b)                                               \
    {                                                                                                                  \
        const T *as = a, *bs = b;                                                                                      \
        int##bits##_t flags[LANES];                                                                                    \
        uint32_t flip = 0;                                                                                             \
        if (relation & UNORDERED) relation ^= 15, flip = ~flip;                                                        \
        if ((relation & (LESS | GREATER)) == (LESS | GREATER)) relation ^= 15, flip = ~flip;                           \
        if (relation & GREATER) relation ^= LESS | GREATER, as = b, bs = a;                                            \
        if (relation == LESS)                                                                                          \
            EACH_FLAG(F, read, x < y)                                                                                  \
        else if (relation == EQUAL)                                                                                    \
            EACH_FLAG(F, read, x == y)                                                                                 \
        else if (relation == (LESS | EQUAL))                                                                           \
            EACH_FLAG(F, read, x <= y)                                                                                 \
        else if (relation == UNORDERED)                                                                                \
            EACH_FLAG(F, read, (x != x) | (y != y))                                                                    \
        else                                                                                                           \
            EACH_FLAG(F, read, (x == y) | (x != x) | (y != y))                                                         \
        return gathered_##bits(flags) ^ flip;                                                                          \
    }

LANE_INLINE float f16_flushed(uint32_t bits)
{
    return f16_to_f32(narrow_flushed(NARROW_F16, bits));
}

LANE_INLINE float f32_without_subnormals(uint32_t bits)
{
    return f32_of(f32_flushed(bits));
}

COMPARE_FLOATS(compare_f16, uint16_t, float, f16_to_f32, 16)
COMPARE_FLOATS(compare_f16_ftz, uint16_t, float, f16_flushed, 16)
COMPARE_FLOATS(compare_bf16, uint16_t, float, bf16_to_f32, 16)
COMPARE_FLOATS(compare_f32, uint32_t, float, f32_of, 32)
COMPARE_FLOATS(compare_f32_ftz, uint32_t, float, f32_without_subnormals, 32)
COMPARE_FLOATS(compare_f64, uint64_t, double, f64_of, 64)

typedef uint32_t comparison(uint8_t relation, const void *a, const void *b);

static comparison *const comparisons[PTX_TYPES] = {
    [PTX_TYPE_u16] = compare_u16, [PTX_TYPE_u32] = compare_u32,   [PTX_TYPE_u64] = compare_u64,
    [PTX_TYPE_s16] = compare_s16, [PTX_TYPE_s32] = compare_s32,   [PTX_TYPE_s64] = compare_s64,
    [PTX_TYPE_b16] = compare_u16, [PTX_TYPE_b32] = compare_u32,   [PTX_TYPE_b64] = compare_u64,
    [PTX_TYPE_f16] = compare_f16, [PTX_TYPE_bf16] = compare_bf16, [PTX_TYPE_f32] = compare_f32,
    [PTX_TYPE_f64] = compare_f64, [PTX_TYPE_f16x2] = compare_f16, [PTX_TYPE_bf16x2] = compare_bf16,
};

static comparison *comparison_of(int type, int flush)
{
    if (flush) return type == PTX_TYPE_f32 ? compare_f32_ftz : compare_f16_ftz;
    return comparisons[type];
}

// --- Instructions ----------------------------------------------------------------------------------------------------

static uint32_t compared(const struct ptx_choice *choice, int type, const void *a, const void *b)
{
    return comparison_of(type, says_ftz(choice))(relations[choice->word[PTX_CLASS_COMPARE]], a, b);
}

// A comparison with the predicate c, if there is one.
static uint32_t combined(const struct ptx_choice *choice, uint32_t bits, const uint32_t *c)
{
    switch (choice->word[PTX_CLASS_OPERATION]) {
    case PTX_AND:
        return bits & *c;
    case PTX_OR:
        return bits | *c;
    case PTX_XOR:
        return bits ^ *c;
    default:
        return bits;
    }
}

// That predicate, operand `n`; NULL if there is none.
static const uint32_t *predicate_of(const struct alu_registers *registers, const uint32_t *slot,
                                    const struct ptx_choice *choice, int n)
{
    return choice->word[PTX_CLASS_OPERATION] == PTX_WORD_NONE ? NULL : alu_at(registers, slot[n]);
}

static void give(uint32_t *d, uint32_t bits, uint32_t lanes)
{
    if (d != NULL) keep_bits(d, bits, lanes);
}

ALU_FUNCTION(setp)
{
    uint32_t bits = compared(choice, choice->type[0], alu_at(registers, slot[2]), alu_at(registers, slot[3]));
    const uint32_t *c = predicate_of(registers, slot, choice, 4);
    uint32_t first = combined(choice, bits, c), second = combined(choice, ~bits, c);
    give(alu_at(registers, slot[0]), first, lanes);
    give(alu_at(registers, slot[1]), second, lanes);
}

// The common ones at once: numbers of one type, and no predicate to combine with.
#define SETP(type)                                                                                                     \
    ALU_FUNCTION(setp_##type)                                                                                          \
    {                                                                                                                  \
        uint8_t wanted = relations[choice->word[PTX_CLASS_COMPARE]];                                                   \
        uint32_t bits = compare_##type(wanted, alu_at(registers, slot[2]), alu_at(registers, slot[3]));                \
        keep_bits(alu_at(registers, slot[0]), bits, lanes);                                                            \
        give(alu_at(registers, slot[1]), ~bits, lanes);                                                                \
    }
SETP(s32)
SETP(u32)
SETP(s64)
SETP(u64)

ALU_FUNCTION(setp_half)
{
    uint32_t bits = compared(choice, choice->type[0], alu_at(registers, slot[1]), alu_at(registers, slot[2]));
    give(alu_at(registers, slot[0]), combined(choice, bits, predicate_of(registers, slot, choice, 3)), lanes);
}

struct halves {
    uint16_t low[LANES], high[LANES];
};

static struct halves halves_of(const uint32_t *lanes)
{
    struct halves halves;
    EACH_LANE halves.low[i] = (uint16_t)lanes[i], halves.high[i] = (uint16_t)(lanes[i] >> 16);
    return halves;
}

struct two {
    uint32_t low, high;
};

static struct two compared_halves(const struct ptx_choice *choice, int type, const uint32_t *a, const uint32_t *b,
                                  const uint32_t *c)
{
    struct halves x = halves_of(a), y = halves_of(b);
    return (struct two){combined(choice, compared(choice, type, x.low, y.low), c),
                        combined(choice, compared(choice, type, x.high, y.high), c)};
}

// d of the low halves, p of the high ones.
ALU_FUNCTION(setp_halves)
{
    struct two two = compared_halves(choice, choice->type[0], alu_at(registers, slot[2]), alu_at(registers, slot[3]),
                                     predicate_of(registers, slot, choice, 4));
    give(alu_at(registers, slot[0]), two.low, lanes);
    give(alu_at(registers, slot[1]), two.high, lanes);
}

// What stands for true in a register of a type.
static const uint32_t truths[PTX_TYPES] = {
    [PTX_TYPE_u32] = 0xffffffff, [PTX_TYPE_s32] = 0xffffffff, [PTX_TYPE_f32] = 0x3f800000, [PTX_TYPE_u16] = 0xffff,
    [PTX_TYPE_s16] = 0xffff,     [PTX_TYPE_f16] = 0x3c00,     [PTX_TYPE_bf16] = 0x3f80,
};

ALU_FUNCTION(set)
{
    uint32_t bits = compared(choice, choice->type[1], alu_at(registers, slot[1]), alu_at(registers, slot[2]));
    uint32_t truth = truths[choice->type[0]], d[LANES];
    bits = combined(choice, bits, predicate_of(registers, slot, choice, 3));
    EACH_LANE d[i] = bits >> i & 1 ? truth : 0;
    if (ptx_type_row((enum ptx_type)choice->type[0])->bits == 32) {
        keep_32(alu_at(registers, slot[0]), d, lanes);
        return;
    }
    uint16_t narrow[LANES];
    EACH_LANE narrow[i] = (uint16_t)d[i];
    keep_16(alu_at(registers, slot[0]), narrow, lanes);
}

ALU_FUNCTION(set_halves)
{
    struct two two = compared_halves(choice, choice->type[1], alu_at(registers, slot[1]), alu_at(registers, slot[2]),
                                     predicate_of(registers, slot, choice, 3));
    uint32_t truth = choice->type[0] == PTX_TYPE_f16x2 ? 0x3c00 : choice->type[0] == PTX_TYPE_bf16x2 ? 0x3f80 : 0xffff;
    uint32_t d[LANES];
    EACH_LANE d[i] = (two.low >> i & 1 ? truth : 0) | (two.high >> i & 1 ? truth << 16 : 0);
    keep_32(alu_at(registers, slot[0]), d, lanes);
}

// --- testp -----------------------------------------------------------------------------------------------------------

// `magnitude` without sign; `least` the least normal number.
LANE_INLINE bool has_property(enum ptx_word property, uint64_t magnitude, uint64_t least, uint64_t infinity)
{
    switch (property) {
    case PTX_FINITE:
        return magnitude < infinity;
    case PTX_INFINITE:
        return magnitude == infinity;
    case PTX_NUMBER:
        return magnitude <= infinity;
    case PTX_NOTANUMBER:
        return magnitude > infinity;
    case PTX_NORMAL: // zeros are
        return magnitude == 0 || (magnitude >= least && magnitude < infinity);
    default:
        return magnitude < least && magnitude != 0;
    }
}

#define TESTP(name, T, mask, least, infinity)                                                                          \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        const T *as = alu_at(registers, slot[1]);                                                                      \
        enum ptx_word property = (enum ptx_word)choice->word[PTX_CLASS_TESTP];                                         \
        uint32_t bits = 0;                                                                                             \
        for (int i = 0; i < LANES; i++) bits |= (uint32_t)has_property(property, as[i] & mask, least, infinity) << i;  \
        give(alu_at(registers, slot[0]), bits, lanes);                                                                 \
    }
TESTP(testp_f32, uint32_t, 0x7fffffff, 0x00800000, 0x7f800000)
TESTP(testp_f64, uint64_t, ~F64_SIGN, 0x0010000000000000u, F64_INF)

// Alone, and with a predicate beside the comparison.
#define BOTH(form, name) ROW_ANY(form, name), ROW_ANY(form##_BOOL, name)

static const struct alu_row rows[] = {
    ROW(SETP_INT, s32, setp_s32),  ROW(SETP_INT, u32, setp_u32), ROW(SETP_INT, s64, setp_s64),
    ROW(SETP_INT, u64, setp_u64),  BOTH(SETP_INT, setp),         BOTH(SETP_BITS, setp),
    BOTH(SETP_UNSIGNED, setp),     BOTH(SETP_FLOAT, setp),       BOTH(SETP_DOUBLE, setp),
    BOTH(SETP_HALF, setp_half),    BOTH(SETP_BF16, setp_half),   BOTH(SETP_HALF2, setp_halves),
    BOTH(SETP_BF162, setp_halves), BOTH(SET_INT, set),           BOTH(SET_BITS, set),
    BOTH(SET_UNSIGNED, set),       BOTH(SET_FLOAT, set),         BOTH(SET_DOUBLE, set),
    BOTH(SET_HALF, set),           BOTH(SET_BF16, set),          BOTH(SET_HALF2, set_halves),
    BOTH(SET_BF162, set_halves),   BOTH(SET_INT_F16, set),       BOTH(SET_BITS_F16, set),
    BOTH(SET_UNSIGNED_F16, set),   BOTH(SET_FLOAT_F16, set),     BOTH(SET_DOUBLE_F16, set),
    BOTH(SET_INT_BF16, set),       BOTH(SET_BITS_BF16, set),     BOTH(SET_UNSIGNED_BF16, set),
    BOTH(SET_FLOAT_BF16, set),     BOTH(SET_DOUBLE_BF16, set),   ROW(TESTP, f32, testp_f32),
    ROW(TESTP, f64, testp_f64),
};
ALU_ROWS(alu_compare, rows);
