// SPDX-License-Identifier: MIT
// Logic, of registers and of predicates, shifts, bytes picked, moves and choices.
#include <stdbool.h>

#include "lanes_loop.h"
#include "table.h"

// --- Of registers ----------------------------------------------------------------------------------------------------

// A count is a whole 32-bit number; from the width on nothing is left, or the sign.
#define LOGIC(U, S, t)                                                                                                 \
    BINARY(and_##t, U, U, U, a &b)                                                                                     \
    BINARY(or_##t, U, U, U, a | b)                                                                                     \
    BINARY(xor_##t, U, U, U, a ^ b)                                                                                    \
    UNARY(not_##t, U, U, ~a)                                                                                           \
    UNARY(cnot_##t, U, U, a == 0)                                                                                      \
    UNARY(mov_##t, U, U, a)                                                                                            \
    BINARY(shl_##t, U, U, uint32_t, b >= 8 * sizeof a ? 0 : 1u * a << b)                                               \
    BINARY(shr_##t, U, U, uint32_t, b >= 8 * sizeof a ? 0 : a >> b)                                                    \
    BINARY(shr_s##t, S, S, uint32_t, a >> (b >= 8 * sizeof a ? 8 * sizeof a - 1 : b))
LOGIC(uint16_t, int16_t, 16)
LOGIC(uint32_t, int32_t, 32)
LOGIC(uint64_t, int64_t, 64)

// x where the bits of `pick` are 1, else y.
LANE_INLINE uint32_t mixed(uint32_t pick, uint32_t x, uint32_t y)
{
    return y ^ (pick & (x ^ y));
}

// Bit 4 a + 2 b + c of the table, for each bit.
LANE_INLINE uint32_t by_table(uint32_t a, uint32_t b, uint32_t c, const uint32_t entry[8])
{
    uint32_t low = mixed(b, mixed(c, entry[3], entry[2]), mixed(c, entry[1], entry[0]));
    return mixed(a, mixed(b, mixed(c, entry[7], entry[6]), mixed(c, entry[5], entry[4])), low);
}

struct table {
    uint32_t entry[8];
};

LANE_INLINE struct table table_of(const void *constant)
{
    struct table table;
    for (int bit = 0; bit < 8; bit++) table.entry[bit] = 0 - (*(const uint32_t *)constant >> bit & 1);
    return table;
}

ALU_FUNCTION(lop3)
{
    RESULT(uint32_t);
    const uint32_t *as = alu_at(registers, slot[1]), *bs = alu_at(registers, slot[2]), *cs = alu_at(registers, slot[3]);
    const struct table table = table_of(alu_at(registers, slot[4]));
    EACH_LANE d[i] = by_table(as[i], bs[i], cs[i], table.entry);
    keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);
}

// d|p = lop3, and whether it is not 0 combined with q.
ALU_FUNCTION(lop3_bool)
{
    uint32_t d[LANES], q = *(const uint32_t *)alu_at(registers, slot[6]);
    const uint32_t *as = alu_at(registers, slot[2]), *bs = alu_at(registers, slot[3]), *cs = alu_at(registers, slot[4]);
    const struct table table = table_of(alu_at(registers, slot[5]));
    EACH_LANE d[i] = by_table(as[i], bs[i], cs[i], table.entry);
    int32_t flags[LANES];
    EACH_LANE flags[i] = 0 - (d[i] != 0);
    if (alu_at(registers, slot[0]) != NULL) keep_32(alu_at(registers, slot[0]), d, lanes);
    uint32_t nonzero = gathered_32(flags);
    keep_bits(alu_at(registers, slot[1]), word_is(choice, PTX_CLASS_OPERATION, PTX_AND) ? nonzero & q : nonzero | q,
              lanes);
}

LANE_INLINE uint32_t funnel_count(uint32_t c, int wraps)
{
    return wraps ? c & 31 : c > 32 ? 32 : c;
}

#define WRAPS (word_is(choice, PTX_CLASS_CLAMP, PTX_WRAP))
TERNARY(shf_l, uint32_t, uint32_t, uint32_t, uint32_t, ((uint64_t)b << 32 | a) << funnel_count(c, WRAPS) >> 32)
TERNARY(shf_r, uint32_t, uint32_t, uint32_t, uint32_t, ((uint64_t)b << 32 | a) >> funnel_count(c, WRAPS))

// --- prmt ------------------------------------------------------------------------------------------------------------

// Which bytes of {b, a} the modes but the general one pick, by the low two bits of the selector.
static const uint16_t picks[][4] = {
    [PTX_F4E - PTX_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [PTX_B4E - PTX_F4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [PTX_RC8 - PTX_F4E] = {0x0000, 0x1111, 0x2222, 0x3333}, [PTX_ECL - PTX_F4E] = {0x3210, 0x3211, 0x3222, 0x3333},
    [PTX_ECR - PTX_F4E] = {0x0000, 0x1110, 0x2210, 0x3210}, [PTX_RC16 - PTX_F4E] = {0x1010, 0x3232, 0x1010, 0x3232},
};

LANE_INLINE uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector)
{
    uint32_t result = 0;
    for (int byte = 0; byte < 4; byte++) {
        uint32_t pick = selector >> 4 * byte, value = (pick & 4 ? b : a) >> 8 * (pick & 3) & 255;
        result |= (pick & 8 ? (value >> 7) * 255 : value) << 8 * byte;
    }
    return result;
}

TERNARY(prmt_general, uint32_t, uint32_t, uint32_t, uint32_t, permuted(a, b, c))
TERNARY(prmt_mode, uint32_t, uint32_t, uint32_t, uint32_t,
        permuted(a, b, picks[choice->word[PTX_CLASS_PRMT] - PTX_F4E][c & 3]))

ALU_FUNCTION(prmt)
{
    choice->word[PTX_CLASS_PRMT] == PTX_WORD_NONE ? prmt_general(registers, slot, choice, lanes)
                                                  : prmt_mode(registers, slot, choice, lanes);
}

// --- Choices ---------------------------------------------------------------------------------------------------------

#define CHOOSE(T, t)                                                                                                   \
    ALU_FUNCTION(selp_##t)                                                                                             \
    {                                                                                                                  \
        RESULT(T);                                                                                                     \
        const T *as = alu_at(registers, slot[1]), *bs = alu_at(registers, slot[2]);                                    \
        uint32_t c = *(const uint32_t *)alu_at(registers, slot[3]);                                                    \
        EACH_LANE d[i] = c >> i & 1 ? as[i] : bs[i];                                                                   \
        keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);                                                   \
    }                                                                                                                  \
    TERNARY(slct_s32_##t, T, T, T, int32_t, c >= 0 ? a : b)                                                            \
    TERNARY(slct_f32_##t, T, T, T, uint32_t, is_not_below_zero(c, word_is(choice, PTX_CLASS_FTZ, PTX_FTZ)) ? a : b)

// c >= 0 of a float: of -0 and, with ftz, of its subnormals too, not of a NaN.
LANE_INLINE bool is_not_below_zero(uint32_t c, int flush)
{
    return c <= 0x7f800000 || c == 0x80000000 || (flush && c > 0x80000000 && c < 0x80800000);
}

CHOOSE(uint16_t, 16)
CHOOSE(uint32_t, 32)
CHOOSE(uint64_t, 64)

// --- Of predicates ---------------------------------------------------------------------------------------------------

#define PREDICATE(name, expression)                                                                                    \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        uint32_t a = *(const uint32_t *)alu_at(registers, slot[1]);                                                    \
        keep_bits(alu_at(registers, slot[0]), expression, lanes);                                                      \
    }
#define B (*(const uint32_t *)alu_at(registers, slot[2]))
PREDICATE(and_pred, a &B)
PREDICATE(or_pred, a | B)
PREDICATE(xor_pred, a ^ B)
PREDICATE(not_pred, ~a)
PREDICATE(mov_pred, a)

// --- Moves -----------------------------------------------------------------------------------------------------------

// Part `n` of lane i of a register of `bits`, or a store to it. Parts of 8 bits lie in 16.
static uint64_t lane_get(const void *lanes, int bits, int i)
{
    if (bits <= 16) return ((const uint16_t *)lanes)[i];
    return bits == 32 ? ((const uint32_t *)lanes)[i] : ((const uint64_t *)lanes)[i];
}

static void lane_set(void *lanes, int bits, int i, uint64_t value)
{
    if (bits <= 16)
        ((uint16_t *)lanes)[i] = (uint16_t)value;
    else if (bits == 32)
        ((uint32_t *)lanes)[i] = (uint32_t)value;
    else
        ((uint64_t *)lanes)[i] = value;
}

enum { MOST_PARTS = 9 }; // eight and the whole

struct parts {
    void *lanes[MOST_PARTS];
    int count;
};

static struct parts parts_of(const struct alu_registers *registers, const uint32_t *slot)
{
    struct parts parts = {.count = 0};
    for (; parts.count < MOST_PARTS && slot[parts.count] != ALU_LEFT_OUT; parts.count++)
        parts.lanes[parts.count] = alu_at(registers, slot[parts.count]);
    return parts;
}

// A register of 128 bits is two of 64 in turn.
static void pack_lane(void *d, int bits, void *const *part, int parts, int i)
{
    int words = bits == 128 ? 2 : 1, each = bits / parts;
    for (int word = 0; word < words; word++) {
        uint64_t value = 0;
        for (int n = 0; n < parts / words; n++)
            value |= (lane_get(part[word * parts / words + n], each, i) & (~(uint64_t)0 >> (64 - each))) << n * each;
        lane_set(d, bits / words, words * i + word, value);
    }
}

static void unpack_lane(const void *a, int bits, void *const *part, int parts, int i)
{
    int words = bits == 128 ? 2 : 1, each = bits / parts;
    for (int n = 0; n < parts; n++) {
        uint64_t value = lane_get(a, bits / words, words * i + n * words / parts);
        value >>= each * (n % (parts / words));
        lane_set(part[n], each, i, value & (~(uint64_t)0 >> (64 - each)));
    }
}

static int bits_of_type(const struct ptx_choice *choice)
{
    return (int)ptx_type_row(choice->type[0])->bits;
}

// Two halves, as nearly all are.
#define TWO_HALVES(bits, W, P, keep_part)                                                                              \
    BINARY(pack_2_##bits, W, P, P, (W)b << bits / 2 | a)                                                               \
    ALU_FUNCTION(unpack_2_##bits)                                                                                      \
    {                                                                                                                  \
        const W *as = alu_at(registers, slot[2]);                                                                      \
        P low[LANES], high[LANES];                                                                                     \
        EACH_LANE low[i] = (P)as[i], high[i] = (P)(as[i] >> bits / 2);                                                 \
        keep_part(alu_at(registers, slot[0]), low, lanes);                                                             \
        keep_part(alu_at(registers, slot[1]), high, lanes);                                                            \
    }
TWO_HALVES(32, uint32_t, uint16_t, keep_16)
TWO_HALVES(64, uint64_t, uint32_t, keep_32)

// What does the same for two halves; NULL: there are more, or they are bytes.
static alu_function *of_two(const uint32_t *slot, const struct ptx_choice *choice, alu_function *of_32,
                            alu_function *of_64)
{
    int bits = bits_of_type(choice);
    return slot[3] != ALU_LEFT_OUT ? NULL : bits == 32 ? of_32 : bits == 64 ? of_64 : NULL;
}

ALU_FUNCTION(mov_pack)
{
    alu_function *two = of_two(slot, choice, pack_2_32, pack_2_64);
    if (two != NULL) {
        two(registers, slot, choice, lanes);
        return;
    }
    struct parts part = parts_of(registers, slot + 1);
    int bits = bits_of_type(choice);
    for (int i = 0; i < LANES; i++)
        if (lanes >> i & 1) pack_lane(alu_at(registers, slot[0]), bits, part.lanes, part.count, i);
}

ALU_FUNCTION(mov_unpack)
{
    alu_function *two = of_two(slot, choice, unpack_2_32, unpack_2_64);
    if (two != NULL) {
        two(registers, slot, choice, lanes);
        return;
    }
    struct parts part = parts_of(registers, slot); // and behind them the whole
    int bits = bits_of_type(choice), parts = part.count - 1;
    for (int i = 0; i < LANES; i++)
        if (lanes >> i & 1) unpack_lane(part.lanes[parts], bits, part.lanes, parts, i);
}

// All parts are read before one is written: {a, b} may become {b, a}.
ALU_FUNCTION(mov_vector)
{
    int bits = bits_of_type(choice), parts = word_is(choice, PTX_CLASS_VECTOR, PTX_V4) ? 4 : 2;
    for (int i = 0; i < LANES; i++) {
        uint64_t value[4];
        if (!(lanes >> i & 1)) continue;
        for (int n = 0; n < parts; n++) value[n] = lane_get(alu_at(registers, slot[parts + n]), bits, i);
        for (int n = 0; n < parts; n++) lane_set(alu_at(registers, slot[n]), bits, i, value[n]);
    }
}

ALU_FUNCTION(mov_b128)
{
    uint64_t *d = alu_at(registers, slot[0]);
    const uint64_t *a = alu_at(registers, slot[1]);
    for (int i = 0; i < LANES; i++)
        if (lanes >> i & 1) d[2 * i] = a[2 * i], d[2 * i + 1] = a[2 * i + 1];
}

// --- Rows ------------------------------------------------------------------------------------------------------------

#define BITS_ROWS(form, name) ROW(form, b16, name##_16), ROW(form, b32, name##_32), ROW(form, b64, name##_64)
#define ANY_ROWS(form, name)                                                                                           \
    BITS_ROWS(form, name), ROW(form, u16, name##_16), ROW(form, u32, name##_32), ROW(form, u64, name##_64),            \
        ROW(form, s16, name##_16), ROW(form, s32, name##_32), ROW(form, s64, name##_64), ROW(form, f32, name##_32),    \
        ROW(form, f64, name##_64)

static const struct alu_row rows[] = {
    BITS_ROWS(AND, and),
    BITS_ROWS(OR, or),
    BITS_ROWS(XOR, xor),
    BITS_ROWS(NOT, not ),
    BITS_ROWS(CNOT, cnot),
    BITS_ROWS(SHL, shl),
    BITS_ROWS(SHR, shr),
    ROW(SHR, u16, shr_16),
    ROW(SHR, u32, shr_32),
    ROW(SHR, u64, shr_64),
    ROW(SHR, s16, shr_s16),
    ROW(SHR, s32, shr_s32),
    ROW(SHR, s64, shr_s64),
    ROW_ANY(LOP3, lop3),
    ROW_ANY(LOP3_BOOL, lop3_bool),
    ROW_ANY(SHF_L, shf_l),
    ROW_ANY(SHF_R, shf_r),
    ROW_ANY(PRMT, prmt),
    ANY_ROWS(SELP, selp),
    ANY_ROWS(SLCT_S32, slct_s32),
    ANY_ROWS(SLCT_F32, slct_f32),
    ANY_ROWS(MOV, mov),
    ROW_ANY(AND_PRED, and_pred),
    ROW_ANY(OR_PRED, or_pred),
    ROW_ANY(XOR_PRED, xor_pred),
    ROW_ANY(NOT_PRED, not_pred),
    ROW_ANY(MOV_PRED, mov_pred),
    ROW_ANY(MOV_V2, mov_vector),
    ROW_ANY(MOV_V4, mov_vector),
    ROW_ANY(MOV_PACK, mov_pack),
    ROW_ANY(MOV_UNPACK, mov_unpack),
    ROW_ANY(MOV_B128, mov_b128),
};
ALU_ROWS(alu_logic, rows);
