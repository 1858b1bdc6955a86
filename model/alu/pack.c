// SPDX-License-Identifier: MIT
// Conversions of two numbers into one register, or from one, and to tf32.
#include "narrow.h"
#include "table.h"

struct wanted {
    enum ptx_word round;
    int relu, satfinite;
};

LANE_INLINE struct wanted wanted_of(const struct ptx_choice *choice)
{
    return (struct wanted){rounding(choice), word_is(choice, PTX_CLASS_RELU, PTX_RELU),
                           word_is(choice, PTX_CLASS_SATFINITE, PTX_SATFINITE)};
}

LANE_INLINE uint32_t packed(struct narrow format, double x, struct wanted wanted)
{
    uint32_t bits = narrow_round(format, x, wanted.round, 0), magnitude = bits & (format.sign - 1);
    if (wanted.satfinite && x == x && magnitude >= format.infinity) bits -= format.infinity - format.finite;
    return wanted.relu ? narrow_relu(format, bits) : bits;
}

// Loops in the environment to nearest, which keeps subnormals. That where nothing is asked for but to round to nearest
// has no branches, and becomes vectors.
#define PACK_LOOP(A, B, D, ...)                                                                                        \
    EACH_LANE                                                                                                          \
    {                                                                                                                  \
        const A a = as[i];                                                                                             \
        MAY_IGNORE const B b = bs[i];                                                                                  \
        d[i] = (D)(__VA_ARGS__);                                                                                       \
    }
#define PACK(name, D, A, second, B, ...)                                                                               \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        RESULT(D);                                                                                                     \
        const A *as = alu_at(registers, slot[1]);                                                                      \
        const B *bs = alu_at(registers, slot[second]);                                                                 \
        const struct wanted words = wanted_of(choice);                                                                 \
        struct environment environment = environment_enter(PTX_RN, 0, d);                                              \
        if (words.round == PTX_RN && !words.relu && !words.satfinite) {                                                \
            const struct wanted wanted = {PTX_RN, 0, 0};                                                               \
            PACK_LOOP(A, B, D, __VA_ARGS__)                                                                            \
        } else {                                                                                                       \
            const struct wanted wanted = words;                                                                        \
            PACK_LOOP(A, B, D, __VA_ARGS__)                                                                            \
        }                                                                                                              \
        environment_leave(environment, d);                                                                             \
        keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);                                                   \
    }

// a in the upper half.
#define FROM_F32(name, D, format, bits)                                                                                \
    PACK(name, D, uint32_t, 2, uint32_t, packed(format, f32_of(a), wanted) << bits | packed(format, f32_of(b), wanted))
FROM_F32(f16x2_f32, uint32_t, NARROW_F16, 16)
FROM_F32(bf16x2_f32, uint32_t, NARROW_BF16, 16)
FROM_F32(e4m3x2_f32, uint16_t, NARROW_E4M3, 8)
FROM_F32(e5m2x2_f32, uint16_t, NARROW_E5M2, 8)

#define FROM_F16(name, format)                                                                                         \
    PACK(name, uint16_t, uint32_t, 1, uint32_t,                                                                        \
         packed(format, f16_to_f32(a >> 16), wanted) << 8 | packed(format, f16_to_f32(a & 0xffff), wanted))
FROM_F16(e4m3x2_f16, NARROW_E4M3)
FROM_F16(e5m2x2_f16, NARROW_E5M2)

// FP8 as f16, exact; a NaN is 7FFF.
LANE_INLINE uint32_t f16_of_e4m3(uint32_t bits)
{
    uint32_t sign = (bits & 0x80) << 8, magnitude = bits & 0x7f;
    float value = f16_to_f32(magnitude << 7) * 0x1p8f;
    return magnitude == 0x7f ? 0x7fff : sign | narrow_round(NARROW_F16, value, PTX_RN, 0);
}

LANE_INLINE uint32_t f16_of_e5m2(uint32_t bits)
{
    return (bits & 0x7f) > 0x7c ? 0x7fff : bits << 8;
}

LANE_INLINE uint32_t shown(uint32_t bits, struct wanted wanted)
{
    return wanted.relu ? narrow_relu(NARROW_F16, bits) : bits;
}

#define FROM_FP8(name, widen)                                                                                          \
    PACK(name, uint32_t, uint16_t, 1, uint16_t, shown(widen(a >> 8), wanted) << 16 | shown(widen(a & 0xff), wanted))
FROM_FP8(f16x2_e4m3x2, f16_of_e4m3)
FROM_FP8(f16x2_e5m2x2, f16_of_e5m2)

// --- tf32: the upper 19 bits of an f32 -------------------------------------------------------------------------------

// rna works on the bits, and .satfinite takes one unit off what has become infinite, or was no number.
LANE_INLINE uint32_t tf32_rna(uint32_t a, int satfinite)
{
    uint32_t magnitude = a & 0x7fffffff;
    if (magnitude < 0x7f800000) magnitude += 0x1000;
    magnitude &= 0xffffe000;
    if (satfinite && magnitude >= 0x7f800000) magnitude -= 0x2000;
    return (a & 0x80000000) | magnitude;
}

LANE_INLINE uint32_t tf32(uint32_t a, struct wanted wanted)
{
    uint32_t magnitude = a & 0x7fffffff, up = wanted.round == PTX_RN ? 0xfff + (magnitude >> 13 & 1) : 0;
    if (magnitude > 0x7f800000) return 0x7fffe000;
    if (wanted.relu && a >> 31) return 0;
    return (a & 0x80000000) | ((magnitude + up) & 0xffffe000);
}

PACK(cvt_tf32_rna, uint32_t, uint32_t, 1, uint32_t, tf32_rna(a, wanted.satfinite))
PACK(cvt_tf32, uint32_t, uint32_t, 1, uint32_t, tf32(a, wanted))

// --- cvt.pack --------------------------------------------------------------------------------------------------------

LANE_INLINE uint32_t clamped(int32_t x, int bits, bool is_signed)
{
    int32_t most = (int32_t)((1u << (bits - is_signed)) - 1), least = is_signed ? -most - 1 : 0;
    return (uint32_t)(x > most ? most : x < least ? least : x) & ((1u << bits) - 1);
}

#define PACK_BITS(name, bits, is_signed)                                                                               \
    TERNARY(name, uint32_t, int32_t, int32_t, uint32_t,                                                                \
            c << 2 * bits | clamped(a, bits, is_signed) << bits | clamped(b, bits, is_signed))
PACK_BITS(pack_u2, 2, 0)
PACK_BITS(pack_s2, 2, 1)
PACK_BITS(pack_u4, 4, 0)
PACK_BITS(pack_s4, 4, 1)
PACK_BITS(pack_u8, 8, 0)
PACK_BITS(pack_s8, 8, 1)
BINARY(pack_u16, uint32_t, int32_t, int32_t, clamped(a, 16, 0) << 16 | clamped(b, 16, 0))
BINARY(pack_s16, uint32_t, int32_t, int32_t, clamped(a, 16, 1) << 16 | clamped(b, 16, 1))

static const struct alu_row rows[] = {
    ROW(CVT_HALF2, f16x2, f16x2_f32),
    ROW(CVT_HALF2, bf16x2, bf16x2_f32),
    ROW(CVT_FP8_F32, e4m3x2, e4m3x2_f32),
    ROW(CVT_FP8_F32, e5m2x2, e5m2x2_f32),
    ROW(CVT_FP8_F16, e4m3x2, e4m3x2_f16),
    ROW(CVT_FP8_F16, e5m2x2, e5m2x2_f16),
    ROW_2(CVT_F16_FP8, f16x2, e4m3x2, f16x2_e4m3x2),
    ROW_2(CVT_F16_FP8, f16x2, e5m2x2, f16x2_e5m2x2),
    ROW_ANY(CVT_TF32_RNA, cvt_tf32_rna),
    ROW_ANY(CVT_TF32, cvt_tf32),
    ROW(CVT_PACK_HALF, u16, pack_u16),
    ROW(CVT_PACK_HALF, s16, pack_s16),
    ROW(CVT_PACK, u2, pack_u2),
    ROW(CVT_PACK, s2, pack_s2),
    ROW(CVT_PACK, u4, pack_u4),
    ROW(CVT_PACK, s4, pack_s4),
    ROW(CVT_PACK, u8, pack_u8),
    ROW(CVT_PACK, s8, pack_s8),
};
ALU_ROWS(alu_pack, rows);
