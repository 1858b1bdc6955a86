// SPDX-License-Identifier: MIT
// Video instructions: bytes, halves and words taken out of registers, computed as numbers of 64 bits, clamped, and put
// together with a third register. An H200 has no such instructions: what they give is what ptxas makes of them, and
// that is not always what PTX says (docs/alu.md).
#include <stdbool.h>

#include "lanes_loop.h"
#include "table.h"

static bool is_signed(const struct ptx_choice *choice, int type)
{
    return choice->type[type] == PTX_TYPE_s32;
}

static int says_sat(const struct ptx_choice *choice)
{
    return word_is(choice, PTX_CLASS_SAT, PTX_SAT);
}

// Which of less, equal and greater fulfil a comparison, a bit each.
static uint32_t comparison(const struct ptx_choice *choice)
{
    switch (choice->word[PTX_CLASS_COMPARE]) {
    case PTX_EQ:
        return 2;
    case PTX_NE:
        return 5;
    case PTX_LT:
        return 1;
    case PTX_LE:
        return 3;
    case PTX_GT:
        return 4;
    default:
        return 6;
    }
}

LANE_INLINE int64_t compared(uint32_t comparison, int64_t a, int64_t b)
{
    return comparison >> (a < b ? 0 : a == b ? 1 : 2) & 1;
}

// What is below `low` becomes `if_low`, what is above `high` becomes `if_high`.
struct limits {
    int64_t low, high, if_low, if_high;
};

static struct limits no_limits(void)
{
    return (struct limits){INT64_MIN, INT64_MAX, 0, 0};
}

static struct limits limits_of(int bits, bool has_sign)
{
    const int64_t high = ((int64_t)1 << (bits - has_sign)) - 1, low = has_sign ? -1 - high : 0;
    return (struct limits){low, high, low, high};
}

LANE_INLINE int64_t limited(struct limits limits, int64_t x)
{
    return x < limits.low ? limits.if_low : x > limits.high ? limits.if_high : x;
}

// --- One result ------------------------------------------------------------------------------------------------------

// A part of a register: shifted left by `up` and then right by `down`.
struct part {
    uint32_t up, down;
};

static struct part part_of(const struct alu_registers *registers, uint32_t slot)
{
    static const struct part parts[] = {{0, 0}, {24, 24}, {16, 24}, {8, 24}, {0, 24}, {16, 16}, {0, 16}};
    return parts[*(const uint32_t *)alu_at(registers, slot)];
}

LANE_INLINE int64_t taken(struct part part, bool has_sign, uint32_t x)
{
    const uint32_t high = x << part.up;
    return has_sign ? (int64_t)((int32_t)high >> part.down) : (int64_t)(high >> part.down);
}

struct scalar {
    const uint32_t *a, *b, *c;
    struct part part_a, part_b;
    uint32_t from_d, mask_d, shift_d; // of the result the bits at from_d, put at shift_d
    bool signed_a, signed_b, signed_d;
    struct limits limits;
    enum ptx_word second; // the operation with c
};

// ptxas clamps a word without sign only from below. Of a byte or half all that is negative or too large becomes the
// greatest number.
static struct limits scalar_limits(int bits, bool has_sign)
{
    struct limits limits = limits_of(bits, has_sign);
    if (bits < 32) return (struct limits){0, limits.high, limits.high, limits.high};
    if (!has_sign) limits.high = INT64_MAX;
    return limits;
}

// What is put into c. ptxas puts the upper half of the result into the upper half.
static void set_destination(struct part part, struct scalar *of)
{
    of->mask_d = UINT32_MAX >> part.down;
    of->shift_d = part.down - part.up;
    of->from_d = of->mask_d == UINT16_MAX ? of->shift_d : 0;
}

// `first`: which of the types is that of a.
static struct scalar scalar_of(const struct alu_registers *registers, const uint32_t *slot,
                               const struct ptx_choice *choice, int first)
{
    struct scalar of = {.a = alu_at(registers, slot[2]),
                        .b = alu_at(registers, slot[4]),
                        .c = alu_at(registers, slot[6]),
                        .part_a = part_of(registers, slot[3]),
                        .part_b = part_of(registers, slot[5]),
                        .signed_a = is_signed(choice, first),
                        .signed_b = is_signed(choice, first + 1),
                        .signed_d = is_signed(choice, 0),
                        .second = (enum ptx_word)choice->word[PTX_CLASS_OPERATION]};
    const struct part part_d = part_of(registers, slot[1]);
    if (of.c == NULL) of.c = of.a;
    of.limits = says_sat(choice) ? scalar_limits((int)(32 - part_d.down), of.signed_d) : no_limits();
    set_destination(part_d, &of);
    return of;
}

LANE_INLINE uint32_t least_or_greatest(const struct scalar *of, int64_t x, uint32_t c)
{
    const bool is_less = of->signed_d ? x < (int32_t)c : (uint64_t)x < c;
    return is_less == (of->second == PTX_MIN) ? (uint32_t)x : c;
}

// The operation with c, or the result in its place in c.
LANE_INLINE uint32_t joined(const struct scalar *of, int64_t x, uint32_t c)
{
    const uint32_t low = (uint32_t)x;
    if (of->second == PTX_ADD) return low + c;
    if (of->second != PTX_WORD_NONE) return least_or_greatest(of, x, c);
    return (c & ~(of->mask_d << of->shift_d)) | (low >> of->from_d & of->mask_d) << of->shift_d;
}

#define SCALAR(name, first, ...)                                                                                       \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        RESULT(uint32_t);                                                                                              \
        const struct scalar of = scalar_of(registers, slot, choice, first);                                            \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            const int64_t a = taken(of.part_a, of.signed_a, of.a[i]), b = taken(of.part_b, of.signed_b, of.b[i]);      \
            d[i] = joined(&of, __VA_ARGS__, of.c[i]);                                                                  \
        }                                                                                                              \
        keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);                                                   \
    }

// ptxas compares a sum with c by its low 32 bits, as if they were signed.
SCALAR(vadd, 1, (int32_t)limited(of.limits, a + b))
SCALAR(vsub, 1, (int32_t)limited(of.limits, a - b))
SCALAR(vabsdiff, 1, limited(of.limits, a < b ? b - a : a - b))
SCALAR(vmin, 1, limited(of.limits, a < b ? a : b))
SCALAR(vmax, 1, limited(of.limits, a > b ? a : b))

#define COMPARISON comparison(choice)
SCALAR(vset, 0, compared(COMPARISON, a, b))

// A shifted number has 34 bits where it is clamped, to a word from below and from above, whatever part is put into c.
LANE_INLINE int64_t shifted(int64_t x, bool is_clamped, struct limits limits)
{
    return is_clamped ? (int32_t)limited(limits, (int64_t)((uint64_t)x << 30) >> 30) : x;
}

#define SHIFT(name, ...)                                                                                               \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        RESULT(uint32_t);                                                                                              \
        const struct scalar of = scalar_of(registers, slot, choice, 1);                                                \
        const struct limits limits = limits_of(32, of.signed_d);                                                       \
        const int wraps = word_is(choice, PTX_CLASS_CLAMP, PTX_WRAP), is_clamped = says_sat(choice);                   \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            const int64_t a = taken(of.part_a, of.signed_a, of.a[i]), amount = taken(of.part_b, 0, of.b[i]);           \
            const int64_t b = wraps ? amount & 31 : amount > 32 ? 32 : amount;                                         \
            d[i] = joined(&of, shifted(__VA_ARGS__, is_clamped, limits), of.c[i]);                                     \
        }                                                                                                              \
        keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);                                                   \
    }
SHIFT(vshl, (int64_t)((uint64_t)a << b))
SHIFT(vshr, a >> b)

// --- vmad ------------------------------------------------------------------------------------------------------------

// (a * b) + c + plus_one, its product or c negated, of 64 bits. ptxas takes whole words, and c, as signed.
struct product {
    int negates_product;
    bool negates_c;
    int plus_one;
    bool is_signed;
    int shift;
    struct limits limits;
};

LANE_INLINE uint32_t product_and_sum(const struct product *of, int64_t a, int64_t b, int32_t c)
{
    const uint64_t product = (uint64_t)((int64_t)(int32_t)a * (int32_t)b), mask = 0 - (uint64_t)of->negates_product;
    const int64_t added = of->negates_c ? ~c : c;
    const uint64_t sum = (product ^ mask) + (uint64_t)added + (uint64_t)of->plus_one;
    const int64_t scaled = of->is_signed ? (int64_t)sum >> of->shift : (int64_t)(sum >> of->shift);
    return (uint32_t)limited(of->limits, scaled);
}

static void multiply_and_add(const struct alu_registers *registers, const uint32_t *slot,
                             const struct ptx_choice *choice, uint32_t lanes, const struct scalar *of,
                             struct product product)
{
    RESULT(uint32_t);
    product.is_signed = of->signed_a || of->signed_b || product.negates_product || product.negates_c;
    product.shift = word_is(choice, PTX_CLASS_SCALE, PTX_SHR_7)    ? 7
                    : word_is(choice, PTX_CLASS_SCALE, PTX_SHR_15) ? 15
                                                                   : 0;
    product.plus_one |= product.negates_product || product.negates_c;
    product.limits = says_sat(choice) ? limits_of(32, product.is_signed) : no_limits();
    EACH_LANE
    {
        const int64_t a = taken(of->part_a, of->signed_a, of->a[i]), b = taken(of->part_b, of->signed_b, of->b[i]);
        d[i] = product_and_sum(&product, a, b, (int32_t)of->c[i]);
    }
    keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);
}

ALU_FUNCTION(vmad)
{
    const uint32_t plain[] = {slot[0], slot[1], slot[2], slot[3], slot[5], slot[6], slot[8]};
    const struct scalar of = scalar_of(registers, plain, choice, 1);
    const uint32_t *minus[] = {alu_at(registers, slot[4]), alu_at(registers, slot[7]), alu_at(registers, slot[9])};
    multiply_and_add(registers, slot, choice, lanes, &of,
                     (struct product){.negates_product = *minus[0] != *minus[1], .negates_c = *minus[2] != 0});
}

ALU_FUNCTION(vmad_po)
{
    const struct scalar of = scalar_of(registers, slot, choice, 1);
    multiply_and_add(registers, slot, choice, lanes, &of, (struct product){.plus_one = 1});
}

// --- Two halves, or four bytes ---------------------------------------------------------------------------------------

// `pick`: for each part of the result a digit of 4 bits, which part of a and b it is made of; `mask`: the parts that
// are put into c, or added to it.
struct simd {
    const uint32_t *a, *b, *c;
    uint32_t pick_a, pick_b, mask;
    bool signed_a, signed_b, is_sum;
    struct limits limits;
};

static struct simd simd_of(const struct alu_registers *registers, const uint32_t *slot, const struct ptx_choice *choice,
                           int first, int bits)
{
    return (struct simd){.a = alu_at(registers, slot[2]),
                         .b = alu_at(registers, slot[4]),
                         .c = alu_at(registers, slot[6]),
                         .mask = *(const uint32_t *)alu_at(registers, slot[1]),
                         .pick_a = *(const uint32_t *)alu_at(registers, slot[3]),
                         .pick_b = *(const uint32_t *)alu_at(registers, slot[5]),
                         .signed_a = is_signed(choice, first),
                         .signed_b = is_signed(choice, first + 1),
                         .is_sum = word_is(choice, PTX_CLASS_OPERATION, PTX_ADD),
                         .limits = says_sat(choice) ? limits_of(bits, is_signed(choice, 0)) : no_limits()};
}

// Part `n` of those picked, of the 64 bits of a and b.
LANE_INLINE int32_t picked(uint64_t both, uint32_t pick, int n, int bits, bool has_sign)
{
    const uint32_t up = (uint32_t)(both >> (uint32_t)bits * (pick >> 4 * n & 15)) << (32 - bits);
    return has_sign ? (int32_t)up >> (32 - bits) : (int32_t)(up >> (32 - bits));
}

// Part `n` put into `d`, or added to it.
LANE_INLINE uint32_t put_part(const struct simd *of, uint32_t d, int32_t x, int n, int bits)
{
    const uint32_t ones = UINT32_MAX >> (32 - bits), mask = ones << bits * n;
    if ((of->mask >> n & 1) == 0) return d;
    return of->is_sum ? d + (uint32_t)x : (d & ~mask) | ((uint32_t)x & ones) << bits * n;
}

#define SIMD(name, bits, first, ...)                                                                                   \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        RESULT(uint32_t);                                                                                              \
        const struct simd of = simd_of(registers, slot, choice, first, bits);                                          \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            const uint64_t both = of.a[i] | (uint64_t)of.b[i] << 32;                                                   \
            uint32_t all = of.c[i];                                                                                    \
            for (int n = 0; n < 32 / bits; n++) {                                                                      \
                const int32_t a = picked(both, of.pick_a, n, bits, of.signed_a);                                       \
                const int32_t b = picked(both, of.pick_b, n, bits, of.signed_b);                                       \
                all = put_part(&of, all, (int32_t)limited(of.limits, __VA_ARGS__), n, bits);                           \
            }                                                                                                          \
            d[i] = all;                                                                                                \
        }                                                                                                              \
        keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);                                                   \
    }
#define BOTH_SIMD(name, first, ...)                                                                                    \
    SIMD(name##2, 16, first, __VA_ARGS__)                                                                              \
    SIMD(name##4, 8, first, __VA_ARGS__)

BOTH_SIMD(vadd, 1, a + b)
BOTH_SIMD(vsub, 1, a - b)
BOTH_SIMD(vavrg, 1, (a + b + (a + b >= 0)) >> 1)
BOTH_SIMD(vabsdiff, 1, a < b ? b - a : a - b)
BOTH_SIMD(vmin, 1, a < b ? a : b)
BOTH_SIMD(vmax, 1, a > b ? a : b)
BOTH_SIMD(vset, 0, compared(COMPARISON, a, b))

// --- Rows ------------------------------------------------------------------------------------------------------------

#define SCALAR_ROWS(form, name) ROW_ANY(form, name), ROW_ANY(form##_MERGE, name), ROW_ANY(form##_SECOND, name)
#define SIMD_ROWS(form, name)                                                                                          \
    ROW_ANY(form##2, name##2), ROW_ANY(form##2_ADD, name##2), ROW_ANY(form##4, name##4), ROW_ANY(form##4_ADD, name##4)

static const struct alu_row rows[] = {
    SCALAR_ROWS(VADD, vadd), SCALAR_ROWS(VSUB, vsub),       SCALAR_ROWS(VABSDIFF, vabsdiff), SCALAR_ROWS(VMIN, vmin),
    SCALAR_ROWS(VMAX, vmax), SCALAR_ROWS(VSHL, vshl),       SCALAR_ROWS(VSHR, vshr),         SCALAR_ROWS(VSET, vset),
    ROW_ANY(VMAD, vmad),     ROW_ANY(VMAD_PO, vmad_po),     SIMD_ROWS(VADD, vadd),           SIMD_ROWS(VSUB, vsub),
    SIMD_ROWS(VAVRG, vavrg), SIMD_ROWS(VABSDIFF, vabsdiff), SIMD_ROWS(VMIN, vmin),           SIMD_ROWS(VMAX, vmax),
    ROW_ANY(VSET2, vset2),   ROW_ANY(VSET4, vset4),
};
ALU_ROWS(alu_video, rows);
