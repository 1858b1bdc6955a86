// SPDX-License-Identifier: MIT
// Instructions that compute with ramps (code/ramps.h). Sums, differences and products by one number make ramps of
// ramps, modulo 2^32 or 2^64 as lanes do. A value that becomes wider must lie where its lanes do not wrap; a comparison
// must come out alike in all lanes.
#include "ramps.h"

#include <string.h>

#include "decoder.h"
#include "handler.h"

// What would be called more often than it computes.
#define LEAN static inline __attribute__((always_inline))

#define RAMP(name)                                                                                                     \
    static enum machine_even name(uint8_t *ramps, const struct machine_ramp_code *as,                                  \
                                  const struct machine_strand *strand)

#define FROM(i) ((const struct machine_ramp *)(const void *)(ramps + as->from[i]))
#define TO      (*(struct machine_ramp *)(void *)(ramps + as->to))

LEAN int64_t low(int64_t value)
{
    return (int32_t)(uint32_t)(uint64_t)value;
}

LEAN int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

LEAN int64_t times(int64_t a, uint64_t b)
{
    return (int64_t)((uint64_t)a * b);
}

// As registers of 32 bits have it.
LEAN void cut(struct machine_ramp *ramp)
{
    ramp->first = (uint32_t)ramp->first;
    ramp->step = low(ramp->step);
    ramp->rise = low(ramp->rise);
}

LEAN bool is_small(int64_t step)
{
    enum { MOST = 1 << 24 };
    return step > -MOST && step < MOST;
}

LEAN bool is_same(const struct machine_ramp *ramp)
{
    return (ramp->step | ramp->rise) == 0;
}

// --- Sums and products -----------------------------------------------------------------------------------------------

// name_32 and name_64 of one statement that makes `to` of a and others.
#define ARITHMETIC(name, ...)                                                                                          \
    LEAN struct machine_ramp name(const uint8_t *ramps, const struct machine_ramp_code *as, uint32_t bits)             \
    {                                                                                                                  \
        const struct machine_ramp *const a = FROM(0);                                                                  \
        struct machine_ramp to;                                                                                        \
        (void)bits;                                                                                                    \
        __VA_ARGS__;                                                                                                   \
        return to;                                                                                                     \
    }                                                                                                                  \
    RAMP(name##_32)                                                                                                    \
    {                                                                                                                  \
        (void)strand;                                                                                                  \
        struct machine_ramp to = name(ramps, as, 32);                                                                  \
        cut(&to);                                                                                                      \
        TO = to;                                                                                                       \
        return MACHINE_EVEN;                                                                                           \
    }                                                                                                                  \
    RAMP(name##_64)                                                                                                    \
    {                                                                                                                  \
        (void)strand;                                                                                                  \
        TO = name(ramps, as, 64);                                                                                      \
        return MACHINE_EVEN;                                                                                           \
    }

LEAN struct machine_ramp sum(const struct machine_ramp *a, const struct machine_ramp *b)
{
    return (struct machine_ramp){a->first + b->first, plus(a->step, b->step), plus(a->rise, b->rise)};
}

LEAN struct machine_ramp scaled(const struct machine_ramp *a, uint64_t by)
{
    return (struct machine_ramp){a->first * by, times(a->step, by), times(a->rise, by)};
}

// One of the two is the same in all lanes.
LEAN struct machine_ramp product(const struct machine_ramp *a, const struct machine_ramp *b)
{
    return is_same(b) ? scaled(a, b->first) : scaled(b, a->first);
}

LEAN struct machine_ramp shifted(const struct machine_ramp *a, uint64_t by, uint32_t bits)
{
    return by < bits ? scaled(a, UINT64_C(1) << by) : (struct machine_ramp){0};
}

ARITHMETIC(copy, to = *a)
ARITHMETIC(add, to = sum(a, FROM(1)))
ARITHMETIC(sub, const struct machine_ramp less = scaled(FROM(1), UINT64_MAX); to = sum(a, &less))
ARITHMETIC(neg, to = scaled(a, UINT64_MAX))
ARITHMETIC(mul, to = product(a, FROM(1)))
ARITHMETIC(mad, const struct machine_ramp both = product(a, FROM(1)); to = sum(&both, FROM(2)))
ARITHMETIC(shl, to = shifted(a, FROM(1)->first, bits))
ARITHMETIC(add_up, to = *a; to.first += (uint64_t)as->add)

// --- What is wider ---------------------------------------------------------------------------------------------------

// The least and the greatest of what is added to the first, of steps that are not so great that they wrap.
struct reach {
    int64_t least, greatest;
};

LEAN struct reach reach_of(const struct machine_ramp *ramp, const struct machine_warp *warp)
{
    const int64_t across = ramp->step * warp->last_column, down = ramp->rise * warp->last_row;
    return (struct reach){(across < 0 ? across : 0) + (down < 0 ? down : 0),
                          (across > 0 ? across : 0) + (down > 0 ? down : 0)};
}

LEAN uint64_t wider_unsigned(uint64_t value)
{
    return (uint32_t)value;
}

LEAN uint64_t wider_signed(uint64_t value)
{
    return (uint64_t)low((int64_t)value);
}

// 0: the lanes wrap.
LEAN bool widen_unsigned(struct machine_ramp *to, const struct machine_ramp *from, const struct machine_warp *warp)
{
    const struct reach reach = reach_of(from, warp);
    const int64_t first = (int64_t)wider_unsigned(from->first);
    *to = (struct machine_ramp){(uint64_t)first, from->step, from->rise};
    return first + reach.least >= 0 && first + reach.greatest <= UINT32_MAX;
}

LEAN bool widen_signed(struct machine_ramp *to, const struct machine_ramp *from, const struct machine_warp *warp)
{
    const struct reach reach = reach_of(from, warp);
    const int64_t first = (int64_t)wider_signed(from->first);
    *to = (struct machine_ramp){(uint64_t)first, from->step, from->rise};
    return first + reach.least >= INT32_MIN && first + reach.greatest <= INT32_MAX;
}

#define WIDER(sign)                                                                                                    \
    RAMP(widen_##sign##_32)                                                                                            \
    {                                                                                                                  \
        struct machine_ramp to;                                                                                        \
        if (!widen_##sign(&to, FROM(0), strand->warp)) return MACHINE_UNEVEN;                                          \
        TO = to;                                                                                                       \
        return MACHINE_EVEN;                                                                                           \
    }                                                                                                                  \
    LEAN int wide_##sign(struct machine_ramp *to, const struct machine_ramp *a, const struct machine_ramp *b,          \
                         const struct machine_warp *warp)                                                              \
    {                                                                                                                  \
        struct machine_ramp wide;                                                                                      \
        const struct machine_ramp *const rising = is_same(b) ? a : b, *const other = is_same(b) ? b : a;               \
        if (!widen_##sign(&wide, rising, warp)) return 0;                                                              \
        *to = scaled(&wide, wider_##sign(other->first));                                                               \
        return 1;                                                                                                      \
    }                                                                                                                  \
    RAMP(mul_wide_##sign)                                                                                              \
    {                                                                                                                  \
        struct machine_ramp to;                                                                                        \
        if (!wide_##sign(&to, FROM(0), FROM(1), strand->warp)) return MACHINE_UNEVEN;                                  \
        TO = to;                                                                                                       \
        return MACHINE_EVEN;                                                                                           \
    }                                                                                                                  \
    RAMP(mad_wide_##sign)                                                                                              \
    {                                                                                                                  \
        struct machine_ramp both;                                                                                      \
        if (!wide_##sign(&both, FROM(0), FROM(1), strand->warp)) return MACHINE_UNEVEN;                                \
        TO = sum(&both, FROM(2));                                                                                      \
        return MACHINE_EVEN;                                                                                           \
    }
WIDER(unsigned)
WIDER(signed)

// --- Bits ------------------------------------------------------------------------------------------------------------

// What of a ramp is in the bits of `mask`, which are the lowest. 0: lanes carry into the bits above, or borrow.
static bool low_bits(const struct machine_ramp *ramp, uint64_t mask, const struct machine_warp *warp,
                     struct machine_ramp *to)
{
    to->first = ramp->first & mask;
    to->step = ((uint64_t)ramp->step & mask) == 0 ? 0 : ramp->step;
    to->rise = ((uint64_t)ramp->rise & mask) == 0 ? 0 : ramp->rise;
    if (!is_small(to->step) || !is_small(to->rise) || mask > INT32_MAX) return false;
    const struct reach reach = reach_of(to, warp);
    return (int64_t)to->first + reach.least >= 0 && (int64_t)to->first + reach.greatest <= (int64_t)mask;
}

// A stretch of ones keeps what a ramp has up to its end, if there is nothing below it.
RAMP(bits_and)
{
    const uint64_t mask = FROM(1)->first, below = (mask & (0 - mask)) - 1, end = mask | below;
    const struct machine_ramp *const a = FROM(0);
    struct machine_ramp to = {.first = a->first & mask};
    if (!is_same(a)) {
        const uint64_t bits = a->first | (uint64_t)a->step | (uint64_t)a->rise;
        if (mask == 0 || (end & (end + 1)) != 0 || (bits & below) != 0) return MACHINE_UNEVEN;
        if (!low_bits(a, end, strand->warp, &to)) return MACHINE_UNEVEN;
    }
    TO = to;
    return MACHINE_EVEN;
}

// Nothing wraps, and the bits that go carry nothing into those that stay.
static bool shift_right(const struct machine_ramp *ramp, uint64_t by, uint64_t most, const struct machine_warp *warp,
                        struct machine_ramp *to)
{
    struct machine_ramp low;
    if (!is_small(ramp->step) || !is_small(ramp->rise) || ramp->first > most) return false;
    const struct reach reach = reach_of(ramp, warp);
    if (reach.least < 0 || ramp->first + (uint64_t)reach.greatest > most) return false;
    if (by >= 31 || !low_bits(ramp, (UINT64_C(1) << by) - 1, warp, &low)) return false;
    *to = (struct machine_ramp){ramp->first >> by, low.step != 0 ? 0 : ramp->step / (INT64_C(1) << by),
                                low.rise != 0 ? 0 : ramp->rise / (INT64_C(1) << by)};
    return true;
}

#define SHIFT_RIGHT(bits)                                                                                              \
    RAMP(shr_##bits)                                                                                                   \
    {                                                                                                                  \
        struct machine_ramp to = {0};                                                                                  \
        const uint64_t by = FROM(1)->first;                                                                            \
        if (is_same(FROM(0)))                                                                                          \
            to.first = by < bits ? FROM(0)->first >> by : 0;                                                           \
        else if (!shift_right(FROM(0), by, INT##bits##_MAX, strand->warp, &to))                                        \
            return MACHINE_UNEVEN;                                                                                     \
        TO = to;                                                                                                       \
        return MACHINE_EVEN;                                                                                           \
    }
SHIFT_RIGHT(32)
SHIFT_RIGHT(64)

// --- Parameters ------------------------------------------------------------------------------------------------------

RAMP(parameter_32)
{
    uint32_t value;
    memcpy(&value, strand->warp->cta->cluster->machine->parameters + as->add, sizeof value);
    TO = (struct machine_ramp){.first = value};
    return MACHINE_EVEN;
}

RAMP(parameter_64)
{
    uint64_t value;
    memcpy(&value, strand->warp->cta->cluster->machine->parameters + as->add, sizeof value);
    TO = (struct machine_ramp){.first = value};
    return MACHINE_EVEN;
}

// --- Comparisons -----------------------------------------------------------------------------------------------------

// All values of the lanes, as numbers that are compared without a sign. 0: they wrap.
struct range {
    uint64_t least, greatest;
};

LEAN bool range_of(const struct machine_ramp *ramp, const struct machine_warp *warp, const struct machine_compare *how,
                   struct range *range)
{
    const uint64_t first = how->is_wide ? ramp->first + how->bias : (uint32_t)(ramp->first + how->bias);
    *range = (struct range){first, first};
    if (is_same(ramp)) return true;
    if (!is_small(ramp->step) || !is_small(ramp->rise)) return false;
    const struct reach reach = reach_of(ramp, warp);
    range->least = first + (uint64_t)reach.least;
    range->greatest = first + (uint64_t)reach.greatest;
    const bool wraps = range->least > first || range->greatest < first;
    return !wraps && (how->is_wide || range->greatest <= UINT32_MAX);
}

// All ones, 0, or something else: it does not come out alike.
enum { DIFFERENT = 1 };

LEAN uint32_t less(const struct range *a, const struct range *b)
{
    return a->greatest < b->least ? UINT32_MAX : a->least >= b->greatest ? 0 : DIFFERENT;
}

LEAN uint32_t equal(const struct range *a, const struct range *b)
{
    if (a->greatest < b->least || b->greatest < a->least) return 0;
    return a->least == a->greatest && b->least == b->greatest ? UINT32_MAX : DIFFERENT;
}

LEAN uint32_t not_so(uint32_t mask)
{
    return mask == DIFFERENT ? DIFFERENT : ~mask;
}

LEAN uint32_t compared(enum ptx_word how, const struct range *a, const struct range *b)
{
    switch (how) {
    case PTX_EQ:
        return equal(a, b);
    case PTX_NE:
        return not_so(equal(a, b));
    case PTX_LT:
    case PTX_LO:
        return less(a, b);
    case PTX_GE:
    case PTX_HS:
        return not_so(less(a, b));
    case PTX_GT:
    case PTX_HI:
        return less(b, a);
    case PTX_LE:
    case PTX_LS:
        return not_so(less(b, a));
    default:
        return DIFFERENT;
    }
}

RAMP(compare)
{
    const struct machine_warp *warp = strand->warp;
    struct range a, b;
    if (!range_of(FROM(0), warp, &as->compare, &a) || !range_of(FROM(1), warp, &as->compare, &b))
        return MACHINE_BY_LANES;
    const uint32_t mask = compared((enum ptx_word)as->compare.how, &a, &b);
    if (mask == DIFFERENT) return MACHINE_BY_LANES;
    *(uint32_t *)machine_slot(strand, as->compare.slot) = mask;
    return MACHINE_EVEN;
}

// --- Which instruction is which --------------------------------------------------------------------------------------

static enum machine_evenness least(enum machine_evenness a, enum machine_evenness b)
{
    return a < b ? a : b;
}

static enum machine_evenness of_product(enum machine_evenness a, enum machine_evenness b)
{
    return a == MACHINE_SAME || b == MACHINE_SAME ? least(a, b) : MACHINE_UNLIKE;
}

// A parameter of the entry, as wide as its register.
static enum machine_evenness find_parameter(const struct machine_kernel *kernel, const struct machine_code *code,
                                            machine_ramp_function **run)
{
    const struct machine_transfer *transfer = code->transfer;
    const uint64_t bytes = kernel->facts.parameter_bytes, offset = (uint64_t)transfer->at->add;
    const bool is_there = transfer->is_parameter && offset <= bytes && transfer->whole_bytes <= bytes - offset;
    if (!is_there || !transfer->is_plain || transfer->parts != 1 || code->operands != 2) return MACHINE_UNLIKE;
    *run = transfer->bytes == sizeof(uint32_t) ? parameter_32 : transfer->bytes == 8 ? parameter_64 : NULL;
    return *run == NULL ? MACHINE_UNLIKE : MACHINE_SAME;
}

static enum machine_evenness find_conversion(const struct ptx_choice *choice, enum machine_evenness from,
                                             machine_ramp_function **run)
{
    const struct ptx_type_row *to = ptx_type_row((enum ptx_type)choice->type[0]),
                              *of = ptx_type_row((enum ptx_type)choice->type[1]);
    if (of->bits < 32 || to->bits < 32) return MACHINE_UNLIKE;
    if (to->bits > of->bits)
        *run = of->kind == PTX_KIND_SIGNED ? widen_signed_32 : widen_unsigned_32;
    else
        *run = to->bits == 32 ? copy_32 : copy_64;
    return from;
}

// How even the result is: as the first operand; as all; as a product, or one and a sum; as the first, if the second is
// the same in all lanes. SAME_LEFT: that, of numbers without a sign.
enum shape { AS_FIRST, AS_ALL, AS_PRODUCT, AS_PRODUCT_SUM, BY_SAME, SAME_LEFT };

// run: by the width of the type, or of products that are wider by whether it has a sign.
static const struct row {
    const char *form; // the name of its row of forms.def: what computes it is not compiled again for another row
    enum shape shape;
    machine_ramp_function *run[2];
} rows[] = {
    {"MOV", AS_FIRST, {copy_32, copy_64}},
    {"NEG_INT", AS_FIRST, {neg_32, neg_64}},
    {"ADD_INT", AS_ALL, {add_32, add_64}},
    {"SUB_INT", AS_ALL, {sub_32, sub_64}},
    {"SHL", BY_SAME, {shl_32, shl_64}},
    {"SHR", SAME_LEFT, {shr_32, shr_64}},
    {"AND", BY_SAME, {bits_and, bits_and}},
    {"MUL_LO", AS_PRODUCT, {mul_32, mul_64}},
    {"MAD_LO", AS_PRODUCT_SUM, {mad_32, mad_64}},
    {"MUL_WIDE", AS_PRODUCT, {mul_wide_unsigned, mul_wide_signed}},
    {"MAD_WIDE", AS_PRODUCT_SUM, {mad_wide_unsigned, mad_wide_signed}},
    {"SETP_INT", AS_ALL, {compare, compare}},
    {"SETP_BITS", AS_ALL, {compare, compare}},
    {"SETP_UNSIGNED", AS_ALL, {compare, compare}},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static enum machine_evenness even_of(enum shape shape, const enum machine_evenness from[3], bool is_signed)
{
    switch (shape) {
    case AS_ALL:
        return least(from[0], from[1]);
    case AS_PRODUCT:
        return of_product(from[0], from[1]);
    case AS_PRODUCT_SUM:
        return least(of_product(from[0], from[1]), from[2]);
    case SAME_LEFT:
        if (is_signed) return MACHINE_UNLIKE;
        return from[1] == MACHINE_SAME ? from[0] : MACHINE_UNLIKE;
    case BY_SAME:
        return from[1] == MACHINE_SAME ? from[0] : MACHINE_UNLIKE;
    default:
        return from[0];
    }
}

static bool is_form(const struct ptx_choice *choice, const char *name)
{
    return strcmp(ptx_form_row(choice->form)->name, name) == 0;
}

static enum machine_evenness find_arithmetic(const struct machine_code *code, const enum machine_evenness from[3],
                                             machine_ramp_function **run)
{
    const struct ptx_choice *choice = code->choice;
    const struct ptx_type_row *type = ptx_type_row((enum ptx_type)choice->type[0]);
    const bool is_wide = type->bits == 64, is_signed = type->kind == PTX_KIND_SIGNED;
    const bool by_sign = is_form(choice, "MUL_WIDE") || is_form(choice, "MAD_WIDE");
    if (type->bits != 32 && !is_wide) return MACHINE_UNLIKE;
    for (int i = 0; i < ROWS; i++) {
        if (!is_form(choice, rows[i].form)) continue;
        *run = rows[i].run[by_sign ? is_signed : is_wide];
        if (*run == compare && code->few[1] != MACHINE_LEFT_OUT) *run = NULL;
        return even_of(rows[i].shape, from, is_signed);
    }
    return MACHINE_UNLIKE;
}

enum machine_evenness machine_ramp_find(const struct machine_kernel *kernel, const struct machine_code *code,
                                        const enum machine_evenness from[3], machine_ramp_function **run)
{
    const struct ptx_choice *choice = code->choice;
    if (code->handler == machine_add_up) *run = code->operand[0].file == PTX_FILE_32 ? add_up_32 : add_up_64;
    if (code->handler == machine_add_up) return from[0];
    if (choice == NULL) return MACHINE_UNLIKE;
    if (code->handler == machine_run_transfer) return find_parameter(kernel, code, run);
    if (is_form(choice, "CVT_INT")) return find_conversion(choice, from[0], run);
    if (is_form(choice, "CVTA") || is_form(choice, "CVTA_TO")) {
        *run = copy_64;
        return choice->space[0] == PTX_GLOBAL ? from[0] : MACHINE_UNLIKE;
    }
    return find_arithmetic(code, from, run);
}
