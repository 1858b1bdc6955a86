// SPDX-License-Identifier: MIT
// What the wgmma kernel and the harness agree on: which instructions are compiled, what a job is, and what shared
// memory and registers hold before. Plain C, included by both.
#ifndef TMAREF_WGMMA_JOB_H
#define TMAREF_WGMMA_JOB_H

#include <stdint.h>

#include "../model/wgmma/wgmma_op.h"
#include "bulk_job.h"

enum {
    WGMMA_SHARED_START = BULK_SHARED_START,
    WGMMA_SHARED_BYTES = 65536, // dynamic shared memory of the launch
    WGMMA_SHARED_END = WGMMA_SHARED_START + WGMMA_SHARED_BYTES,
    WGMMA_MAX_STEPS = 3,
};

// The instructions that are compiled: X(D, A, B, d, a, b, k, n, variant). A variant is an operand source and
// immediates:
//   SS, RS        A from shared memory or from registers
//   TA, TB, TT    SS with A, B or both transposed (MN-major); RT: RS with B transposed
//   NA, NB, NN    SS with the sign of A, B or both flipped
//   SF, RF        SS and RS with .satfinite
// clang-format off
#define WGMMA_ALL_N(X, variant, ...)                                                                                   \
    X(__VA_ARGS__, 8, variant) X(__VA_ARGS__, 16, variant) X(__VA_ARGS__, 24, variant) X(__VA_ARGS__, 32, variant)     \
    X(__VA_ARGS__, 64, variant) X(__VA_ARGS__, 96, variant) X(__VA_ARGS__, 128, variant) X(__VA_ARGS__, 192, variant)  \
    X(__VA_ARGS__, 256, variant)
#define WGMMA_SOME_N(X, variant, ...)                                                                                  \
    X(__VA_ARGS__, 8, variant) X(__VA_ARGS__, 32, variant) X(__VA_ARGS__, 96, variant) X(__VA_ARGS__, 256, variant)
#define WGMMA_ONE_N(X, variant, ...) X(__VA_ARGS__, 16, variant)
// clang-format on
#define WGMMA_PLAIN(X, ...) WGMMA_ALL_N(X, SS, __VA_ARGS__) WGMMA_SOME_N(X, RS, __VA_ARGS__)
#define WGMMA_SIGNS(X, ...)                                                                                            \
    WGMMA_ONE_N(X, NA, __VA_ARGS__) WGMMA_ONE_N(X, NB, __VA_ARGS__) WGMMA_ONE_N(X, NN, __VA_ARGS__)
#define WGMMA_MAJORS(X, ...)                                                                                           \
    WGMMA_SOME_N(X, TA, __VA_ARGS__)                                                                                   \
    WGMMA_SOME_N(X, TB, __VA_ARGS__) WGMMA_SOME_N(X, TT, __VA_ARGS__) WGMMA_SOME_N(X, RT, __VA_ARGS__)
#define WGMMA_CLAMPS(X, ...) WGMMA_SOME_N(X, SF, __VA_ARGS__) WGMMA_ONE_N(X, RF, __VA_ARGS__)

// Row macros of wgmma_op.h get X as their first argument by way of these; each kind of types has an X of its own.
// clang-format off
#define WGMMA_INSTANCES(HALF, NARROW, INTEGER, BIT)                                                                    \
    WGMMA_ROWS_HALF(WGMMA_OF_HALF, HALF) WGMMA_ROWS_NARROW(WGMMA_OF_NARROW, NARROW)                                    \
    WGMMA_ROWS_INTEGER(WGMMA_OF_INTEGER, INTEGER) WGMMA_ROWS_BIT(WGMMA_PLAIN, BIT)
#define WGMMA_OF_HALF(X, ...)    WGMMA_PLAIN(X, __VA_ARGS__) WGMMA_SIGNS(X, __VA_ARGS__) WGMMA_MAJORS(X, __VA_ARGS__)
#define WGMMA_OF_NARROW(X, ...)  WGMMA_PLAIN(X, __VA_ARGS__) WGMMA_SIGNS(X, __VA_ARGS__)
#define WGMMA_OF_INTEGER(X, ...) WGMMA_PLAIN(X, __VA_ARGS__) WGMMA_CLAMPS(X, __VA_ARGS__)
// clang-format on

enum wgmma_instance {
#define X(D, A, B, d, a, b, k, n, variant) WGMMA_INSTANCE_##D##_##A##_##B##_##n##_##variant,
    WGMMA_INSTANCES(X, X, X, X)
#undef X
        WGMMA_INSTANCE_COUNT
};

// What a variant is to the model: whether A is in registers, .satfinite, transposes of A and B, signs of A and B.
#define WGMMA_VARIANT_SS                                                                                               \
    0, 0, {0, 0},                                                                                                      \
    {                                                                                                                  \
        0, 0                                                                                                           \
    }
#define WGMMA_VARIANT_RS                                                                                               \
    1, 0, {0, 0},                                                                                                      \
    {                                                                                                                  \
        0, 0                                                                                                           \
    }
#define WGMMA_VARIANT_TA                                                                                               \
    0, 0, {1, 0},                                                                                                      \
    {                                                                                                                  \
        0, 0                                                                                                           \
    }
#define WGMMA_VARIANT_TB                                                                                               \
    0, 0, {0, 1},                                                                                                      \
    {                                                                                                                  \
        0, 0                                                                                                           \
    }
#define WGMMA_VARIANT_TT                                                                                               \
    0, 0, {1, 1},                                                                                                      \
    {                                                                                                                  \
        0, 0                                                                                                           \
    }
#define WGMMA_VARIANT_RT                                                                                               \
    1, 0, {0, 1},                                                                                                      \
    {                                                                                                                  \
        0, 0                                                                                                           \
    }
#define WGMMA_VARIANT_NA                                                                                               \
    0, 0, {0, 0},                                                                                                      \
    {                                                                                                                  \
        1, 0                                                                                                           \
    }
#define WGMMA_VARIANT_NB                                                                                               \
    0, 0, {0, 0},                                                                                                      \
    {                                                                                                                  \
        0, 1                                                                                                           \
    }
#define WGMMA_VARIANT_NN                                                                                               \
    0, 0, {0, 0},                                                                                                      \
    {                                                                                                                  \
        1, 1                                                                                                           \
    }
#define WGMMA_VARIANT_SF                                                                                               \
    0, 1, {0, 0},                                                                                                      \
    {                                                                                                                  \
        0, 0                                                                                                           \
    }
#define WGMMA_VARIANT_RF                                                                                               \
    1, 1, {0, 0},                                                                                                      \
    {                                                                                                                  \
        0, 0                                                                                                           \
    }

// A job; `descriptor` of A (ignored where A is in registers) and B, `advance_bytes` added to their start
// for each further step. `a`, `b`: shared addresses (multiples of 16) that are filled before, A's first. Bit i of
// `scale_d` is that of step i. `metadata`, of sparse instructions: an enum wgmma_metadata_style. `output`: where D
// goes, in 32-bit words: register r of thread t is word 128 r + t.
struct wgmma_range {
    uint32_t start, end;
};

struct wgmma_job {
    uint64_t descriptor[2], output;
    uint32_t advance_bytes[2];
    struct wgmma_range range[2];
    uint32_t instance, seed, steps, scale_d, metadata;
};

// How elements of a float format lie in their bits; integers and bits have no exponent.
struct wgmma_layout {
    uint32_t width, exponent, fraction;
};

enum wgmma_salt { WGMMA_SALT_A, WGMMA_SALT_B, WGMMA_SALT_D, WGMMA_SALT_METADATA };

// Styles of contents, three bits of the seed for each of A, B and D: the least exponent, and how many more there are.
enum { WGMMA_STYLE_BITS = 3, WGMMA_STYLE_WIDE = 3, WGMMA_STYLE_ANY = 7 };

BULK_DEVICE static inline uint32_t wgmma_style(uint32_t seed, uint32_t salt)
{
    return seed >> (WGMMA_STYLE_BITS * salt) & 7;
}

// One float from as many random bits as it has; `pick` is random too.
BULK_DEVICE static inline uint32_t wgmma_float(struct wgmma_layout layout, uint32_t style, uint32_t bits, uint32_t pick)
{
    uint32_t most = (1u << layout.exponent) - 1, bias = most >> 1, field = bits >> layout.fraction & most;
    uint32_t sign = bits & 1u << (layout.width - 1), fraction = bits & ((1u << layout.fraction) - 1);
    if (style == WGMMA_STYLE_ANY || (pick & 0xff) == 0xf7) return bits;
    if ((pick & 15) == 0) return sign;
    switch (style) {
    case 0: // sums that round
        field = bias - 2 + (field & 3);
        break;
    case 1:
        field = bias - 1 + (field & 1);
        break;
    case 2: // with tiny ones: sums near the least exponent
        field = (bias > 12 ? bias - 12 : 0) + (field & 7);
        break;
    case 4: // subnormals and the least numbers
        field &= 3;
        break;
    case 5: // sums that overflow
        field = most - 4 + (field & 3);
        break;
    default: // any number
        if (field == most) field--;
    }
    return sign | field << layout.fraction | fraction;
}

// One integer of 8 or 32 bits: in half of the styles extremes, so that sums leave 32 bits.
BULK_DEVICE static inline uint32_t wgmma_integer(uint32_t width, uint32_t style, uint32_t bits, uint32_t pick)
{
    uint32_t sign = 1u << (width - 1);
    if (style < 4) return bits;
    if (width == 32) return (style & 1 ? sign : sign - 0x10000) + (bits & 0xffff);
    return (pick & 3) == 0 ? bits : (pick & 3) == 1 ? sign : (pick & 3) == 2 ? sign - 1 : 0xff;
}

// The 8 bytes of number `index` of what is filled.
BULK_DEVICE static inline uint64_t wgmma_word(struct wgmma_layout layout, uint32_t seed, uint32_t salt, uint32_t index)
{
    uint64_t bits = bulk_mix(((uint64_t)seed << 32 | index) * 4 + salt), picks = bulk_mix(bits + 1), word = 0;
    uint32_t style = wgmma_style(seed, salt);
    if (layout.width == 1) return bits;
    for (uint32_t at = 0; at < 64; at += layout.width) {
        uint32_t mask = 0xffffffff >> (32 - layout.width);
        uint32_t own = (uint32_t)(bits >> at) & mask, pick = (uint32_t)(picks >> at) & mask;
        uint32_t element = layout.exponent != 0 ? wgmma_float(layout, style, own, pick)
                                                : wgmma_integer(layout.width, style, own, pick);
        word |= (uint64_t)(element & mask) << at;
    }
    return word;
}

// The layouts of the formats, by their names in wgmma_op.h.
#define WGMMA_LAYOUT_F16                                                                                               \
    {                                                                                                                  \
        16, 5, 10                                                                                                      \
    }
#define WGMMA_LAYOUT_BF16                                                                                              \
    {                                                                                                                  \
        16, 8, 7                                                                                                       \
    }
#define WGMMA_LAYOUT_TF32                                                                                              \
    {                                                                                                                  \
        32, 8, 23                                                                                                      \
    }
#define WGMMA_LAYOUT_E4M3                                                                                              \
    {                                                                                                                  \
        8, 4, 3                                                                                                        \
    }
#define WGMMA_LAYOUT_E5M2                                                                                              \
    {                                                                                                                  \
        8, 5, 2                                                                                                        \
    }
#define WGMMA_LAYOUT_S8                                                                                                \
    {                                                                                                                  \
        8, 0, 0                                                                                                        \
    }
#define WGMMA_LAYOUT_U8                                                                                                \
    {                                                                                                                  \
        8, 0, 0                                                                                                        \
    }
#define WGMMA_LAYOUT_B1                                                                                                \
    {                                                                                                                  \
        1, 0, 0                                                                                                        \
    }
#define WGMMA_LAYOUT_F32                                                                                               \
    {                                                                                                                  \
        32, 8, 23                                                                                                      \
    }
#define WGMMA_LAYOUT_S32                                                                                               \
    {                                                                                                                  \
        32, 0, 0                                                                                                       \
    }

// Which numbers wgmma_word() is asked for: of shared memory by address, of registers by thread and step.
BULK_DEVICE static inline uint32_t wgmma_index_a(uint32_t step, uint32_t thread, uint32_t reg)
{
    return (1u << 20) + (step * WGMMA_THREADS + thread) * 4 + reg;
}

BULK_DEVICE static inline uint32_t wgmma_index_d(uint32_t thread, uint32_t reg)
{
    return reg * WGMMA_THREADS + thread;
}

// Sparsity metadata: every four bits legal and in order; any bits; or legal but for one in 16.
enum wgmma_metadata_style { WGMMA_METADATA_LEGAL, WGMMA_METADATA_ANY, WGMMA_METADATA_FEW, WGMMA_METADATA_STYLES };

// The metadata that a thread hands over at a step; `width` is that of A's elements in bits.
BULK_DEVICE static inline uint32_t wgmma_metadata(uint32_t style, uint32_t width, uint32_t seed, uint32_t step,
                                                  uint32_t thread)
{
    const struct wgmma_layout plain = {1, 0, 0};
    uint64_t bits = wgmma_word(plain, seed, WGMMA_SALT_METADATA, step * WGMMA_THREADS + thread);
    uint32_t metadata = 0;
    for (uint32_t at = 0; at < 32; at += 4) {
        uint32_t own = (uint32_t)(bits >> at) & 15, pick = (uint32_t)(bits >> (32 + at)) & 15;
        uint32_t legal = width == 32 ? (own & 1 ? 0xe : 0x4) : 0xed9c84u >> own % 6 * 4 & 15;
        int is_any = style == WGMMA_METADATA_ANY || (style == WGMMA_METADATA_FEW && pick == 7);
        metadata |= (is_any ? own : legal) << at;
    }
    return metadata;
}

// A descriptor whose start is `bytes` further; only the 14 bits of the field change.
BULK_DEVICE static inline uint64_t wgmma_advance(uint64_t descriptor, uint32_t bytes)
{
    return (descriptor & ~(uint64_t)0x3fff) | ((descriptor + bytes / 16) & 0x3fff);
}

#endif
