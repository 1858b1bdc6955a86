// SPDX-License-Identifier: MIT
// Conversions of one number: integers to integers at once; those with floats in two steps, the source to a double
// (what a double cannot hold to odd), and the double to the result, so that nothing is rounded twice.
#include <math.h>

#include "narrow.h"
#include "table.h"

typedef __int128 wide;

// --- Integers --------------------------------------------------------------------------------------------------------

#define SLOT_uint8_t  uint16_t
#define SLOT_int8_t   uint16_t
#define SLOT_uint16_t uint16_t
#define SLOT_int16_t  uint16_t
#define SLOT_uint32_t uint32_t
#define SLOT_int32_t  uint32_t
#define SLOT_uint64_t uint64_t
#define SLOT_int64_t  uint64_t

#define LEAST_uint8_t     0
#define LEAST_uint16_t    0
#define LEAST_uint32_t    0
#define LEAST_uint64_t    0
#define LEAST_int8_t      INT8_MIN
#define LEAST_int16_t     INT16_MIN
#define LEAST_int32_t     INT32_MIN
#define LEAST_int64_t     INT64_MIN
#define GREATEST_uint8_t  UINT8_MAX
#define GREATEST_uint16_t UINT16_MAX
#define GREATEST_uint32_t UINT32_MAX
#define GREATEST_uint64_t UINT64_MAX
#define GREATEST_int8_t   INT8_MAX
#define GREATEST_int16_t  INT16_MAX
#define GREATEST_int32_t  INT32_MAX
#define GREATEST_int64_t  INT64_MAX

LANE_INLINE wide clamped(wide x, wide least, wide greatest)
{
    return x > greatest ? greatest : x < least ? least : x;
}

// From U to T, by their names t and u; what is narrower than its register is read from the low bits.
#define INTEGER(T, t, U, u)                                                                                            \
    UNARY(cvt_##t##_##u, SLOT_##T, SLOT_##U, (T)(U)a)                                                                  \
    UNARY(sat_##t##_##u, SLOT_##T, SLOT_##U, (T)clamped((U)a, LEAST_##T, GREATEST_##T))
#define FROM_EACH(T, t)                                                                                                \
    INTEGER(T, t, uint8_t, u8)                                                                                         \
    INTEGER(T, t, uint16_t, u16)                                                                                       \
    INTEGER(T, t, uint32_t, u32)                                                                                       \
    INTEGER(T, t, uint64_t, u64)                                                                                       \
    INTEGER(T, t, int8_t, s8)                                                                                          \
    INTEGER(T, t, int16_t, s16)                                                                                        \
    INTEGER(T, t, int32_t, s32)                                                                                        \
    INTEGER(T, t, int64_t, s64)
FROM_EACH(uint8_t, u8)
FROM_EACH(uint16_t, u16)
FROM_EACH(uint32_t, u32)
FROM_EACH(uint64_t, u64)
FROM_EACH(int8_t, s8)
FROM_EACH(int16_t, s16)
FROM_EACH(int32_t, s32)
FROM_EACH(int64_t, s64)

// --- From integers and floats to doubles -----------------------------------------------------------------------------

// Integers of 64 bits, to odd.
LANE_INLINE double odd_u64(uint64_t x)
{
    return x >> 53 == 0 ? (double)(int64_t)x : (double)(int64_t)(x >> 11 | ((x & 0x7ff) != 0)) * 0x1p11;
}

LANE_INLINE double odd_s64(int64_t x)
{
    return x < 0 ? -odd_u64(0 - (uint64_t)x) : odd_u64((uint64_t)x);
}

LANE_INLINE double read_f32(uint32_t bits, int flush)
{
    return f32_of(flush ? f32_flushed(bits) : bits);
}

#define EACH_TO_DOUBLE(T, expression)                                                                                  \
    {                                                                                                                  \
        const T *from = source;                                                                                        \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            T a = from[i];                                                                                             \
            to[i] = expression;                                                                                        \
        }                                                                                                              \
        break;                                                                                                         \
    }

LANE_SHARED void doubles_of(const void *source, int type, int flush, double to[LANES])
{
    switch (type) {
    case PTX_TYPE_u8:
        EACH_TO_DOUBLE(uint16_t, (uint8_t)a)
    case PTX_TYPE_s8:
        EACH_TO_DOUBLE(uint16_t, (int8_t)a)
    case PTX_TYPE_u16:
        EACH_TO_DOUBLE(uint16_t, a)
    case PTX_TYPE_s16:
        EACH_TO_DOUBLE(int16_t, a)
    case PTX_TYPE_u32:
        EACH_TO_DOUBLE(uint32_t, a)
    case PTX_TYPE_s32:
        EACH_TO_DOUBLE(int32_t, a)
    case PTX_TYPE_u64:
        EACH_TO_DOUBLE(uint64_t, odd_u64(a))
    case PTX_TYPE_s64:
        EACH_TO_DOUBLE(int64_t, odd_s64(a))
    case PTX_TYPE_f16:
        EACH_TO_DOUBLE(uint16_t, f16_to_f32(a))
    case PTX_TYPE_bf16:
        EACH_TO_DOUBLE(uint16_t, bf16_to_f32(a))
    case PTX_TYPE_f32:
        EACH_TO_DOUBLE(uint32_t, read_f32(a, flush))
    default:
        EACH_TO_DOUBLE(uint64_t, f64_of(a))
    }
}

// --- To whole numbers ------------------------------------------------------------------------------------------------

LANE_INLINE void round_whole(double x[LANES], enum ptx_word round)
{
    if (round == PTX_RNI)
        EACH_LANE x[i] = nearbyint(x[i]);
    else if (round == PTX_RZI)
        EACH_LANE x[i] = trunc(x[i]);
    else if (round == PTX_RMI)
        EACH_LANE x[i] = floor(x[i]);
    else if (round == PTX_RPI)
        EACH_LANE x[i] = ceil(x[i]);
}

// A NaN of f64 becomes the top bit alone, of other formats 0, but for integers of 64 bits.
LANE_INLINE uint64_t of_nan(bool from_f64, int bits)
{
    return from_f64 || bits == 64 ? (uint64_t)1 << (bits - 1) : 0;
}

#define EACH_CLAMPED(T, bits, below, above)                                                                            \
    {                                                                                                                  \
        T nan = (T)of_nan(from_f64, bits);                                                                             \
        SLOT_##T kept[LANES];                                                                                          \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            T inside = (T)(x[i] > below && x[i] < above ? x[i] : 0);                                                   \
            T whole = x[i] >= above ? (T)GREATEST_##T : x[i] <= below ? (T)LEAST_##T : inside;                         \
            kept[i] = (SLOT_##T)(x[i] != x[i] ? nan : whole);                                                          \
        }                                                                                                              \
        memcpy(d, kept, sizeof kept);                                                                                  \
        break;                                                                                                         \
    }

LANE_SHARED void integers_of(const double x[LANES], int type, bool from_f64, void *d)
{
    switch (type) {
    case PTX_TYPE_u8:
        EACH_CLAMPED(uint8_t, 8, 0, 0x1p8)
    case PTX_TYPE_s8:
        EACH_CLAMPED(int8_t, 8, -0x1p7, 0x1p7)
    case PTX_TYPE_u16:
        EACH_CLAMPED(uint16_t, 16, 0, 0x1p16)
    case PTX_TYPE_s16:
        EACH_CLAMPED(int16_t, 16, -0x1p15, 0x1p15)
    case PTX_TYPE_u32:
        EACH_CLAMPED(uint32_t, 32, 0, 0x1p32)
    case PTX_TYPE_s32:
        EACH_CLAMPED(int32_t, 32, -0x1p31, 0x1p31)
    case PTX_TYPE_u64:
        EACH_CLAMPED(uint64_t, 64, 0, 0x1p64)
    default:
        EACH_CLAMPED(int64_t, 64, -0x1p63, 0x1p63)
    }
}

// --- To floats -------------------------------------------------------------------------------------------------------

struct wanted {
    enum ptx_word round;
    int flush, saturate, relu, satfinite;
};

static struct wanted wanted_of(const struct ptx_choice *choice)
{
    return (struct wanted){rounding(choice), says_ftz(choice), says_sat(choice),
                           word_is(choice, PTX_CLASS_RELU, PTX_RELU),
                           word_is(choice, PTX_CLASS_SATFINITE, PTX_SATFINITE)};
}

LANE_INLINE uint32_t to_narrow(struct narrow format, double x, struct wanted wanted)
{
    uint32_t bits = narrow_round(format, x, wanted.round, 0), magnitude = bits & (format.sign - 1);
    if (wanted.satfinite && magnitude == format.infinity) bits -= format.infinity - format.finite;
    if (wanted.saturate) bits = narrow_saturated(format, bits);
    return wanted.relu ? narrow_relu(format, bits) : bits;
}

LANE_INLINE uint32_t to_f32(double x, struct wanted wanted)
{
    float f = (float)x;
    uint32_t bits = wanted.saturate ? f32_saturated(f) : f32_result(f);
    return wanted.flush && !HOST_FLUSHES ? f32_flushed(bits) : bits;
}

// A NaN of arithmetic on f32, widened.
#define F64_OF_F32_NAN 0x7fffffffe0000000u

LANE_INLINE uint64_t to_f64(double x, struct wanted wanted)
{
    if (wanted.saturate) x = x > 0 ? x < 1 ? x : 1 : 0;
    return x != x ? F64_OF_F32_NAN : bits_of_f64(x);
}

#define EACH_FROM_DOUBLE(T, expression)                                                                                \
    {                                                                                                                  \
        T *to = d;                                                                                                     \
        EACH_LANE to[i] = (T)(expression);                                                                             \
        break;                                                                                                         \
    }

// The loop where nothing is asked for but to round to nearest has no branches, and becomes vectors.
#define EACH_NARROW(format)                                                                                            \
    {                                                                                                                  \
        const struct wanted nearest = {PTX_RN, 0, 0, 0, 0};                                                            \
        const int is_plain = wanted.round == PTX_RN && !wanted.saturate && !wanted.relu && !wanted.satfinite;          \
        if (is_plain) EACH_FROM_DOUBLE(uint16_t, to_narrow(format, x[i], nearest))                                     \
        EACH_FROM_DOUBLE(uint16_t, to_narrow(format, x[i], wanted))                                                    \
    }

static void floats_of(const double x[LANES], int type, struct wanted wanted, void *d)
{
    switch (type) {
    case PTX_TYPE_f16:
        EACH_NARROW(NARROW_F16)
    case PTX_TYPE_bf16:
        EACH_NARROW(NARROW_BF16)
    case PTX_TYPE_f32:
        EACH_FROM_DOUBLE(uint32_t, to_f32(x[i], wanted))
    default:
        EACH_FROM_DOUBLE(uint64_t, to_f64(x[i], wanted))
    }
}

// --- NaNs that keep their payload ------------------------------------------------------------------------------------

// A NaN's upper payload bits, on top of 64, with its sign.
static uint64_t payload_of(const void *source, int type, int i)
{
    if (type == PTX_TYPE_f64) return ((const uint64_t *)source)[i];
    uint64_t half = ((const uint16_t *)source)[type == PTX_TYPE_f32 ? 0 : i];
    uint64_t single = type == PTX_TYPE_f32 ? ((const uint32_t *)source)[i] : half << 16;
    if (type == PTX_TYPE_f16) return (half & 0x8000) << 48 | F64_INF | (half & 0x3ff) << 42;
    return (single & 0x80000000) << 32 | F64_INF | (single & 0x7fffff) << 29;
}

static uint64_t nan_as(uint64_t bits, int type)
{
    bits |= F64_QUIET;
    if (type == PTX_TYPE_f64) return bits;
    uint64_t sign = bits >> 63;
    if (type == PTX_TYPE_f32) return sign << 31 | 0x7f800000 | (bits >> 29 & 0x7fffff);
    return type == PTX_TYPE_f16 ? sign << 15 | 0x7c00 | (bits >> 42 & 0x3ff)
                                : sign << 15 | 0x7f80 | (bits >> 45 & 0x7f);
}

// From and to f64 a NaN keeps what fits of it, and becomes quiet.
static bool keeps_payload(int to, int from)
{
    return to == PTX_TYPE_f64 || from == PTX_TYPE_f64;
}

static void keep_payloads(const void *source, int from, void *d, int to, const double x[LANES])
{
    for (int i = 0; i < LANES; i++) {
        if (x[i] == x[i]) continue;
        uint64_t nan = nan_as(payload_of(source, from, i), to);
        if (to == PTX_TYPE_f64)
            ((uint64_t *)d)[i] = nan;
        else if (to == PTX_TYPE_f32)
            ((uint32_t *)d)[i] = (uint32_t)nan;
        else
            ((uint16_t *)d)[i] = (uint16_t)nan;
    }
}

// --- Instructions ----------------------------------------------------------------------------------------------------

static void keep_of(void *d, int type, const void *from, uint32_t lanes)
{
    uint32_t bits = ptx_type_row((enum ptx_type)type)->bits;
    if (bits <= 16)
        keep_16(d, from, lanes);
    else if (bits == 32)
        keep_32(d, from, lanes);
    else
        keep_64(d, from, lanes);
}

ALU_FUNCTION(float_to_int)
{
    int to = choice->type[0], from = choice->type[1];
    double x[LANES];
    uint64_t d[LANES];
    struct environment environment = environment_enter(PTX_RN, 0, x);
    doubles_of(alu_at(registers, slot[1]), from, says_ftz(choice), x);
    round_whole(x, rounding(choice));
    integers_of(x, to, from == PTX_TYPE_f64, d);
    environment_leave(environment, x);
    keep_of(alu_at(registers, slot[0]), to, d, lanes);
}

static bool is_whole_rounding(enum ptx_word round)
{
    return round == PTX_RNI || round == PTX_RZI || round == PTX_RMI || round == PTX_RPI;
}

// Integers and floats to floats.
ALU_FUNCTION(any_to_float)
{
    int to = choice->type[0], from = choice->type[1];
    struct wanted wanted = wanted_of(choice);
    double x[LANES];
    uint64_t d[LANES];
    struct environment environment = environment_enter(PTX_RN, 0, x);
    doubles_of(alu_at(registers, slot[1]), from, wanted.flush && to != PTX_TYPE_f16, x);
    if (is_whole_rounding(wanted.round)) round_whole(x, wanted.round), wanted.round = PTX_RN;
    environment_leave(environment, x);

    environment = environment_enter(wanted.round, wanted.flush, d);
    floats_of(x, to, wanted, d);
    environment_leave(environment, d);
    if (keeps_payload(to, from) && !wanted.saturate && !(from == PTX_TYPE_f32 && wanted.flush))
        keep_payloads(alu_at(registers, slot[1]), from, d, to, x);
    keep_of(alu_at(registers, slot[0]), to, d, lanes);
}

// The common ones at once: f32 to s32, and back.
LANE_INLINE uint32_t s32_of_f32(float f)
{
    float inside = f >= -0x1p31f && f < 0x1p31f ? f : 0;
    return f >= 0x1p31f ? INT32_MAX : f < -0x1p31f ? (uint32_t)INT32_MIN : (uint32_t)(int32_t)inside;
}

#define EACH_WHOLE(whole) EACH_LANE d[i] = s32_of_f32(whole(f32_of(flush ? f32_flushed(as[i]) : as[i])))

ALU_FUNCTION(s32_from_f32)
{
    RESULT(uint32_t);
    const uint32_t *as = alu_at(registers, slot[1]);
    enum ptx_word round = rounding(choice);
    int flush = says_ftz(choice);
    struct environment environment = environment_enter(PTX_RN, 0, d);
    if (round == PTX_RZI)
        EACH_WHOLE(truncf);
    else if (round == PTX_RMI)
        EACH_WHOLE(floorf);
    else if (round == PTX_RPI)
        EACH_WHOLE(ceilf);
    else
        EACH_WHOLE(nearbyintf);
    environment_leave(environment, d);
    keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);
}

ALU_FUNCTION(f32_from_s32)
{
    RESULT(uint32_t);
    const int32_t *as = alu_at(registers, slot[1]);
    if (says_sat(choice)) {
        any_to_float(registers, slot, choice, lanes);
        return;
    }
    struct environment environment = environment_enter(rounding(choice), 0, d);
    EACH_LANE d[i] = bits_of_f32((float)as[i]);
    environment_leave(environment, d);
    keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);
}

// Integers of 64 bits to f64: two halves, each exact, are added once.
#define HALVES(name, T, high_type)                                                                                     \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        const T *as = alu_at(registers, slot[1]);                                                                      \
        double high[LANES], low[LANES];                                                                                \
        uint64_t d[LANES];                                                                                             \
        struct wanted wanted = wanted_of(choice);                                                                      \
        struct environment environment = environment_enter(PTX_RN, 0, high);                                           \
        EACH_LANE high[i] = (double)(high_type)(as[i] >> 32) * 0x1p32, low[i] = (double)(uint32_t)as[i];               \
        environment_leave(environment, low);                                                                           \
        environment = environment_enter(wanted.round, 0, d);                                                           \
        EACH_LANE d[i] = to_f64(high[i] + low[i], wanted);                                                             \
        environment_leave(environment, d);                                                                             \
        keep_64(alu_at(registers, slot[0]), d, lanes);                                                                 \
    }
HALVES(f64_of_u64, uint64_t, uint32_t)
HALVES(f64_of_s64, int64_t, int32_t)

// Between registers of f32 or f64 without a rounding: a move, but for .sat and .ftz.
ALU_FUNCTION(same_float)
{
    int type = choice->type[0];
    if (rounding(choice) != PTX_WORD_NONE || says_sat(choice) || says_ftz(choice))
        any_to_float(registers, slot, choice, lanes);
    else
        keep_of(alu_at(registers, slot[0]), type, alu_at(registers, slot[1]), lanes);
}

// The bits of a bf16 are the upper ones of an f32; with .ftz it is arithmetic.
LANE_INLINE uint32_t widened(uint32_t bits, int flush)
{
    return !flush ? bits << 16 : f32_is_nan(bits << 16) ? F32_NAN : f32_flushed(bits << 16);
}

UNARY(f32_of_bf16, uint32_t, uint16_t, widened(a, says_ftz(choice)))

// --- Rows ------------------------------------------------------------------------------------------------------------

#define INTEGER_ROWS(t)                                                                                                \
    ROW_2(CVT_INT, t, u8, cvt_##t##_u8), ROW_2(CVT_INT, t, u16, cvt_##t##_u16), ROW_2(CVT_INT, t, u32, cvt_##t##_u32), \
        ROW_2(CVT_INT, t, u64, cvt_##t##_u64), ROW_2(CVT_INT, t, s8, cvt_##t##_s8),                                    \
        ROW_2(CVT_INT, t, s16, cvt_##t##_s16), ROW_2(CVT_INT, t, s32, cvt_##t##_s32),                                  \
        ROW_2(CVT_INT, t, s64, cvt_##t##_s64)
#define SAT_ROWS(form, t)                                                                                              \
    ROW_2(form, t, u8, sat_##t##_u8), ROW_2(form, t, u16, sat_##t##_u16), ROW_2(form, t, u32, sat_##t##_u32),          \
        ROW_2(form, t, u64, sat_##t##_u64), ROW_2(form, t, s8, sat_##t##_s8), ROW_2(form, t, s16, sat_##t##_s16),      \
        ROW_2(form, t, s32, sat_##t##_s32), ROW_2(form, t, s64, sat_##t##_s64)

static const struct alu_row rows[] = {
    INTEGER_ROWS(u32),
    INTEGER_ROWS(s32),
    INTEGER_ROWS(u64),
    INTEGER_ROWS(s64),
    INTEGER_ROWS(u16),
    INTEGER_ROWS(s16),
    INTEGER_ROWS(u8),
    INTEGER_ROWS(s8),
    SAT_ROWS(CVT_SAT_U8, u8),
    SAT_ROWS(CVT_SAT_U16, u16),
    SAT_ROWS(CVT_SAT_U32, u32),
    SAT_ROWS(CVT_SAT_U64, u64),
    SAT_ROWS(CVT_SAT_S8, s8),
    SAT_ROWS(CVT_SAT_S16, s16),
    SAT_ROWS(CVT_SAT_S32, s32),
    SAT_ROWS(CVT_SAT_S64, s64),
    ROW(CVT_F32_TO_INT, s32, s32_from_f32),
    ROW_ANY(CVT_F32_TO_INT, float_to_int),
    ROW_ANY(CVT_FLOAT_TO_INT, float_to_int),
    ROW_ANY(CVT_BF16_TO_INT, float_to_int),
    ROW_2(CVT_INT_TO_F32, f32, s32, f32_from_s32),
    ROW_ANY(CVT_INT_TO_F32, any_to_float),
    ROW_2(CVT_INT_TO_FLOAT, f64, u64, f64_of_u64),
    ROW_2(CVT_INT_TO_FLOAT, f64, s64, f64_of_s64),
    ROW_ANY(CVT_INT_TO_FLOAT, any_to_float),
    ROW_ANY(CVT_F32_F32, same_float),
    ROW_ANY(CVT_F16_F16, any_to_float),
    ROW_ANY(CVT_F64_F64, same_float),
    ROW_ANY(CVT_BF16_BF16, any_to_float),
    ROW_ANY(CVT_F32_F16, any_to_float),
    ROW_ANY(CVT_F64_F16, any_to_float),
    ROW_ANY(CVT_F64_F32, any_to_float),
    ROW_ANY(CVT_F16_F32, any_to_float),
    ROW_ANY(CVT_F16_F64, any_to_float),
    ROW_ANY(CVT_F32_F64, any_to_float),
    ROW_ANY(CVT_F16_F32_RELU, any_to_float),
    ROW_ANY(CVT_F16_F32_SATFINITE, any_to_float),
    ROW_ANY(CVT_BF16_F32, any_to_float),
    ROW_ANY(CVT_BF16_F32_RELU, any_to_float),
    ROW_ANY(CVT_BF16_F32_SATFINITE, any_to_float),
    ROW_ANY(CVT_BF16_ANY, any_to_float),
    ROW_ANY(CVT_BF16_F16, any_to_float),
    ROW_ANY(CVT_F32_BF16, f32_of_bf16),
    ROW_ANY(CVT_F16_BF16, any_to_float),
    ROW_ANY(CVT_F64_BF16, any_to_float),
};
ALU_ROWS(alu_convert, rows);
