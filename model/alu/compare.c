// SPDX-License-Identifier: MIT
// setp, set, testp: how two registers compare, lane by lane, into a predicate or into a register of ones or zeros.
//
// Of each pair one of four relations holds, less, equal, greater, unordered; a comparison is the set of those for which
// it is true.
#include "narrow.h"

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

// For which lanes a relation of x and y holds that a loop has: the others are made of these.
#define EACH_FLAG(T, read, holds)                                                                                      \
    EACH_LANE                                                                                                          \
    {                                                                                                                  \
        T x = read(as[i]), y = read(bs[i]);                                                                            \
        flags[i] = holds;                                                                                              \
    }

#define COMPARE_INTEGERS(name, T)                                                                                      \
    static uint32_t name(uint8_t relation, const void *a, const void *b)                                               \
    {                                                                                                                  \
        const T *as = a, *bs = b;                                                                                      \
        uint8_t flags[LANES];                                                                                          \
        if (relation == LESS)                                                                                          \
            EACH_FLAG(T, , x < y)                                                                                      \
        else if (relation == EQUAL)                                                                                    \
            EACH_FLAG(T, , x == y)                                                                                     \
        else                                                                                                           \
            EACH_FLAG(T, , x <= y)                                                                                     \
        return gathered(flags);                                                                                        \
    }
COMPARE_INTEGERS(compare_u16, uint16_t)
COMPARE_INTEGERS(compare_u32, uint32_t)
COMPARE_INTEGERS(compare_u64, uint64_t)
COMPARE_INTEGERS(compare_s16, int16_t)
COMPARE_INTEGERS(compare_s32, int32_t)
COMPARE_INTEGERS(compare_s64, int64_t)

// Floats compare as the host's, in an environment that keeps or flushes subnormals.
#define COMPARE_FLOATS(name, T, F, read)                                                                               \
    static uint32_t name(uint8_t relation, const void *a, const void *b)                                               \
    {                                                                                                                  \
        const T *as = a, *bs = b;                                                                                      \
        uint8_t flags[LANES];                                                                                          \
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
        return gathered(flags);                                                                                        \
    }

LANE_INLINE float f16_flushed(uint32_t bits)
{
    return f16_to_f32(narrow_flushed(NARROW_F16, bits));
}

LANE_INLINE float f32_without_subnormals(uint32_t bits)
{
    return f32_of(f32_flushed(bits));
}

COMPARE_FLOATS(compare_f16, uint16_t, float, f16_to_f32)
COMPARE_FLOATS(compare_f16_ftz, uint16_t, float, f16_flushed)
COMPARE_FLOATS(compare_bf16, uint16_t, float, bf16_to_f32)
COMPARE_FLOATS(compare_f32, uint32_t, float, f32_of)
COMPARE_FLOATS(compare_f32_ftz, uint32_t, float, f32_without_subnormals)
COMPARE_FLOATS(compare_f64, uint64_t, double, f64_of)

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

static int is_integer(int type)
{
    enum ptx_type_kind kind = ptx_type_row((enum ptx_type)type)->kind;
    return kind == PTX_KIND_UNSIGNED || kind == PTX_KIND_SIGNED || kind == PTX_KIND_BITS;
}

static uint32_t related_integers(comparison *compare, uint8_t wanted, const void *a, const void *b)
{
    return wanted & GREATER ? ~compare(wanted ^ (LESS | EQUAL | GREATER), a, b) : compare(wanted, a, b);
}

static uint32_t related_floats(comparison *compare, uint8_t wanted, const void *a, const void *b)
{
    uint32_t flip = 0, bits;
    if (wanted & UNORDERED) wanted ^= 15, flip = ~flip;
    if ((wanted & (LESS | GREATER)) == (LESS | GREATER)) wanted ^= 15, flip = ~flip;
    if (wanted & GREATER)
        bits = compare(wanted ^ (LESS | GREATER), b, a);
    else
        bits = compare(wanted, a, b);
    return bits ^ flip;
}

// --- Instructions ----------------------------------------------------------------------------------------------------

static uint32_t compared(const struct alu_call *call, int type, const void *a, const void *b)
{
    comparison *compare = comparison_of(type, says_ftz(call->choice));
    uint8_t wanted = relations[call->choice->word[PTX_CLASS_COMPARE]];
    if (is_integer(type)) return related_integers(compare, wanted, a, b);
    struct environment environment = environment_enter(PTX_RN, 0, &wanted);
    uint32_t bits = related_floats(compare, wanted, a, b);
    environment_leave(environment, &wanted);
    return bits;
}

// A comparison with the predicate c, if there is one.
static uint32_t combined(const struct alu_call *call, uint32_t bits, const uint32_t *c)
{
    switch (call->choice->word[PTX_CLASS_OPERATION]) {
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

static void give(const struct alu_call *call, int operand, uint32_t bits)
{
    if (call->operand[operand] != NULL) keep_bits(call->operand[operand], bits, call->lanes);
}

static void setp(const struct alu_call *call)
{
    uint32_t bits = compared(call, call->choice->type[0], call->operand[2], call->operand[3]);
    const uint32_t *c = call->operand[4];
    uint32_t first = combined(call, bits, c), second = combined(call, ~bits, c);
    give(call, 0, first);
    give(call, 1, second);
}

static void setp_half(const struct alu_call *call)
{
    uint32_t bits = compared(call, call->choice->type[0], call->operand[1], call->operand[2]);
    give(call, 0, combined(call, bits, call->operand[3]));
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

static struct two compared_halves(const struct alu_call *call, int type, const uint32_t *a, const uint32_t *b,
                                  const uint32_t *c)
{
    struct halves x = halves_of(a), y = halves_of(b);
    return (struct two){combined(call, compared(call, type, x.low, y.low), c),
                        combined(call, compared(call, type, x.high, y.high), c)};
}

// d of the low halves, p of the high ones.
static void setp_halves(const struct alu_call *call)
{
    struct two two = compared_halves(call, call->choice->type[0], call->operand[2], call->operand[3], call->operand[4]);
    give(call, 0, two.low);
    give(call, 1, two.high);
}

// What stands for true in a register of a type.
static const uint32_t truths[PTX_TYPES] = {
    [PTX_TYPE_u32] = 0xffffffff, [PTX_TYPE_s32] = 0xffffffff, [PTX_TYPE_f32] = 0x3f800000, [PTX_TYPE_u16] = 0xffff,
    [PTX_TYPE_s16] = 0xffff,     [PTX_TYPE_f16] = 0x3c00,     [PTX_TYPE_bf16] = 0x3f80,
};

static void set(const struct alu_call *call)
{
    const struct ptx_choice *choice = call->choice;
    uint32_t bits = compared(call, choice->type[1], call->operand[1], call->operand[2]);
    uint32_t truth = truths[choice->type[0]], d[LANES];
    bits = combined(call, bits, call->operand[3]);
    EACH_LANE d[i] = bits >> i & 1 ? truth : 0;
    if (ptx_type_row((enum ptx_type)choice->type[0])->bits == 32) {
        keep_32(call->operand[0], d, call->lanes);
        return;
    }
    uint16_t narrow[LANES];
    EACH_LANE narrow[i] = (uint16_t)d[i];
    keep_16(call->operand[0], narrow, call->lanes);
}

static void set_halves(const struct alu_call *call)
{
    const struct ptx_choice *choice = call->choice;
    struct two two = compared_halves(call, choice->type[1], call->operand[1], call->operand[2], call->operand[3]);
    uint32_t truth = choice->type[0] == PTX_TYPE_f16x2 ? 0x3c00 : choice->type[0] == PTX_TYPE_bf16x2 ? 0x3f80 : 0xffff;
    uint32_t d[LANES];
    EACH_LANE d[i] = (two.low >> i & 1 ? truth : 0) | (two.high >> i & 1 ? truth << 16 : 0);
    keep_32(call->operand[0], d, call->lanes);
}

// --- testp -----------------------------------------------------------------------------------------------------------

// `magnitude` without sign; `least` the least normal number.
LANE_INLINE int has_property(enum ptx_word property, uint64_t magnitude, uint64_t least, uint64_t infinity)
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
    static void name(const struct alu_call *call)                                                                      \
    {                                                                                                                  \
        const T *as = call->operand[1];                                                                                \
        enum ptx_word property = (enum ptx_word)call->choice->word[PTX_CLASS_TESTP];                                   \
        uint32_t bits = 0;                                                                                             \
        for (int i = 0; i < LANES; i++) bits |= (uint32_t)has_property(property, as[i] & mask, least, infinity) << i;  \
        give(call, 0, bits);                                                                                           \
    }
TESTP(testp_f32, uint32_t, 0x7fffffff, 0x00800000, 0x7f800000)
TESTP(testp_f64, uint64_t, ~F64_SIGN, 0x0010000000000000u, F64_INF)

static const struct alu_row rows[] = {
    ROW_ANY(SETP_INT, setp),
    ROW_ANY(SETP_BITS, setp),
    ROW_ANY(SETP_UNSIGNED, setp),
    ROW_ANY(SETP_FLOAT, setp),
    ROW_ANY(SETP_DOUBLE, setp),
    ROW_ANY(SETP_HALF, setp_half),
    ROW_ANY(SETP_BF16, setp_half),
    ROW_ANY(SETP_HALF2, setp_halves),
    ROW_ANY(SETP_BF162, setp_halves),
    ROW_ANY(SETP_INT_BOOL, setp),
    ROW_ANY(SETP_BITS_BOOL, setp),
    ROW_ANY(SETP_UNSIGNED_BOOL, setp),
    ROW_ANY(SETP_FLOAT_BOOL, setp),
    ROW_ANY(SETP_DOUBLE_BOOL, setp),
    ROW_ANY(SETP_HALF_BOOL, setp_half),
    ROW_ANY(SETP_BF16_BOOL, setp_half),
    ROW_ANY(SETP_HALF2_BOOL, setp_halves),
    ROW_ANY(SETP_BF162_BOOL, setp_halves),
    ROW_ANY(SET_INT, set),
    ROW_ANY(SET_INT_BOOL, set),
    ROW_ANY(SET_BITS, set),
    ROW_ANY(SET_BITS_BOOL, set),
    ROW_ANY(SET_UNSIGNED, set),
    ROW_ANY(SET_UNSIGNED_BOOL, set),
    ROW_ANY(SET_FLOAT, set),
    ROW_ANY(SET_FLOAT_BOOL, set),
    ROW_ANY(SET_DOUBLE, set),
    ROW_ANY(SET_DOUBLE_BOOL, set),
    ROW_ANY(SET_HALF, set),
    ROW_ANY(SET_HALF_BOOL, set),
    ROW_ANY(SET_BF16, set),
    ROW_ANY(SET_BF16_BOOL, set),
    ROW_ANY(SET_HALF2, set_halves),
    ROW_ANY(SET_HALF2_BOOL, set_halves),
    ROW_ANY(SET_BF162, set_halves),
    ROW_ANY(SET_BF162_BOOL, set_halves),
    ROW(TESTP, f32, testp_f32),
    ROW(TESTP, f64, testp_f64),
};
ALU_ROWS(alu_compare, rows);
