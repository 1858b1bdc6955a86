// SPDX-License-Identifier: MIT
// What the mma kernel and the harness agree on: what a job is, and what the registers of a warp hold before it. Plain
// C, included by both.
#ifndef TMAREF_MMA_JOB_H
#define TMAREF_MMA_JOB_H

#include "../model/mma/mma_op.h"
#include "wgmma_job.h"

// A job: `steps` instructions of `form` follow each other on the same D, each with an A and a B of its own. `output`:
// where D goes, in 32-bit words: register r of lane l is word 32 r + l (64-bit registers: two of them at 2 (32 r + l)).
// `selector`: of a sparse form its sparsity selector, else 0.
struct mma_job {
    uint64_t output;
    uint32_t form, seed, steps, selector;
};

enum { MMA_MAX_STEPS = 3, MMA_THREADS = 128 };

#define MMA_LAYOUT_S4                                                                                                  \
    {                                                                                                                  \
        4, 0, 0                                                                                                        \
    }
#define MMA_LAYOUT_U4                                                                                                  \
    {                                                                                                                  \
        4, 0, 0                                                                                                        \
    }
#define MMA_LAYOUT_F64                                                                                                 \
    {                                                                                                                  \
        64, 11, 52                                                                                                     \
    }
#define MMA_LAYOUT_F16  WGMMA_LAYOUT_F16
#define MMA_LAYOUT_BF16 WGMMA_LAYOUT_BF16
#define MMA_LAYOUT_TF32 WGMMA_LAYOUT_TF32
#define MMA_LAYOUT_E4M3 WGMMA_LAYOUT_E4M3
#define MMA_LAYOUT_E5M2 WGMMA_LAYOUT_E5M2
#define MMA_LAYOUT_S8   WGMMA_LAYOUT_S8
#define MMA_LAYOUT_U8   WGMMA_LAYOUT_U8
#define MMA_LAYOUT_B1   WGMMA_LAYOUT_B1
#define MMA_LAYOUT_F32  WGMMA_LAYOUT_F32
#define MMA_LAYOUT_S32  WGMMA_LAYOUT_S32

// Two bits of the seed above the styles of A, B and D say what is special about a job's floats.
enum mma_special {
    MMA_ORDINARY,
    MMA_ORDINARY_TOO,
    MMA_TINY,    // A near the least exponent and B a little below 1: sums near the exponent that none goes below
    MMA_CANCELS, // half of the products are pairs that cancel: what is left shows how far the terms were cut
};

BULK_DEVICE static inline uint32_t mma_special(uint32_t seed)
{
    return seed >> 3 * WGMMA_STYLE_BITS & 3;
}

// One f64, in the same styles as the other floats.
BULK_DEVICE static inline uint64_t mma_double(uint32_t style, uint64_t bits, uint64_t pick)
{
    const uint64_t sign = bits & (uint64_t)1 << 63, fraction = bits & (((uint64_t)1 << 52) - 1);
    uint64_t field = bits >> 52 & 0x7ff;
    if (style == WGMMA_STYLE_ANY || (pick & 0xff) == 0xf7) return pick >> 8 & 1 ? bulk_double(bits) : bits;
    if ((pick & 15) == 0) return sign;
    switch (style) {
    case 0:
        field = 1021 + (field & 3);
        break;
    case 1:
        field = 1022 + (field & 1);
        break;
    case 2:
        field = 973 + (field & 63);
        break;
    case 3: // products near the least exponent
        field = 500 + (field & 15);
        break;
    case 4:
        field &= 3;
        break;
    case 5:
        field = 2043 + (field & 3);
        break;
    default:
        if (field == 0x7ff) field--;
    }
    return sign | field << 52 | fraction;
}

// A float of 8 exponent bits whose products are tiny: of A from 2^-126 on, of B from 2^-27 on; D is zero, because any
// accumulator has a greater exponent.
BULK_DEVICE static inline uint32_t mma_tiny(struct wgmma_layout layout, uint32_t salt, uint32_t bits)
{
    uint32_t most = (1u << layout.exponent) - 1, field = bits >> layout.fraction & most;
    uint32_t sign = bits & 1u << (layout.width - 1), fraction = bits & ((1u << layout.fraction) - 1);
    if (salt == WGMMA_SALT_D) return sign;
    field = salt == WGMMA_SALT_A ? 1 + (field & 3) : 100 + (field & 7);
    return sign | field << layout.fraction | fraction;
}

// Number `index` of what A, B or D hold: the bits of a register (32 of them, or 64).
BULK_DEVICE static inline uint64_t mma_word(struct wgmma_layout layout, uint32_t seed, uint32_t salt, uint32_t index)
{
    uint64_t bits = bulk_mix(((uint64_t)seed << 32 | index) * 4 + salt), word = 0;
    if (layout.width == 64) return mma_double(wgmma_style(seed, salt), bits, bulk_mix(bits + 1));
    if (layout.exponent != 8 || mma_special(seed) != MMA_TINY)
        return wgmma_word(layout, seed, salt, index) & 0xffffffff;
    for (uint32_t at = 0; at < 32; at += layout.width)
        word |= (uint64_t)(mma_tiny(layout, salt, (uint32_t)(bits >> at)) & 0xffffffff >> (32 - layout.width)) << at;
    return word;
}

// A register of A, B or D of a lane in a step (D: 0). Lanes 4 i and 4 i + 1 hold the same rows and columns at other k;
// where products cancel, they have the same numbers, those of B with the other sign.
BULK_DEVICE static inline uint64_t mma_content(struct wgmma_layout layout, uint32_t seed, uint32_t salt, uint32_t step,
                                               uint32_t lane, uint32_t index)
{
    uint32_t is_pair = layout.exponent != 0 && salt != WGMMA_SALT_D && mma_special(seed) == MMA_CANCELS && !(lane & 2);
    uint32_t from = is_pair ? lane & ~1u : lane;
    uint64_t word = mma_word(layout, seed, salt, (step * MMA_LANES + from) * MMA_MAX_REGISTERS + index);
    if (!is_pair || salt != WGMMA_SALT_B || !(lane & 1)) return word;
    for (uint32_t at = layout.width - 1; at < (layout.width == 64 ? 64u : 32u); at += layout.width)
        word ^= (uint64_t)1 << at;
    return word;
}

// The metadata of a lane in a step: legal chunks, but in one job of eight any bits.
BULK_DEVICE static inline uint32_t mma_metadata(uint32_t seed, uint32_t step, uint32_t lane, uint32_t is_tf32)
{
    const uint32_t pairs[8] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe, 0x4, 0xe}; // 0 and 1, 0 and 2, 1 and 2, ...
    uint64_t bits = bulk_mix(((uint64_t)seed << 32 | (step * MMA_LANES + lane)) * 4 + 3);
    uint32_t word = 0;
    if ((seed >> 12 & 7) == 5) return (uint32_t)bits;
    for (int i = 0; i < 8; i++)
        word |= (is_tf32 ? pairs[bits >> 8 * i & 1 ? 0 : 5] : pairs[bits >> 8 * i & 7]) << 4 * i;
    return word;
}

#endif
