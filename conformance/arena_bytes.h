// SPDX-License-Identifier: MIT
// What the arena holds: the global memory that cases read, which no request holds (docs/conformance-kit.md). The lower
// half has 8 bytes at every multiple of 8 that are found nowhere else; the upper half floats at the limits of formats.
#ifndef TMAREF_ARENA_BYTES_H
#define TMAREF_ARENA_BYTES_H

#include <stdint.h>
#include <string.h>

#define ARENA_BASE          ((uint64_t)1 << 44)
#define ARENA_BYTES         ((uint64_t)32 << 20)
#define ARENA_SPECIAL_BYTES (ARENA_BYTES / 2)
#define ARENA_SALT          UINT64_C(0x746d61726566)

// 64 bits that depend on all bits of `x`; a bijection: the last step of SplitMix64.
static inline uint64_t arena_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// A float32 pattern from the places where formats end: NaNs, infinities, subnormals, halves of a tf32 step.
static inline uint32_t arena_special(uint64_t bits)
{
    static const uint32_t base[] = {0x00000000, 0x00000001, 0x00001000, 0x00002fff, 0x007fffff, 0x00800000,
                                    0x3f800000, 0x3f801000, 0x3f802fff, 0x7f7fefff, 0x7f7ff000, 0x7f7fffff,
                                    0x7f800000, 0x7f800001, 0x7f801000, 0x7fc00000, 0x7fffffff, 0x7ff77ff7};
    uint32_t low = (uint32_t)bits, sign = low & 0x80000000;
    switch (low & 7) {
    case 0:
        return sign | (low >> 3 & 0x007fffff); // subnormals
    case 1:
        return sign | 0x7f800000 | (low >> 3 & 0x007fffff); // NaN payloads
    case 2:
        return sign | (low >> 3 & 0x7fffe000 & 0x0fffffff) | 0x1000; // ties of the tf32 rounding
    case 3:
        return low; // anything
    default:
        return sign | base[(bits >> 32) % (sizeof base / sizeof base[0])];
    }
}

// Fills the ARENA_BYTES bytes of the arena.
static inline void arena_fill(uint8_t *bytes)
{
    for (uint64_t at = 0; at < ARENA_BYTES; at += 8) {
        uint64_t word = arena_mix(at / 8 + ARENA_SALT);
        if (at >= ARENA_BYTES - ARENA_SPECIAL_BYTES)
            word = (uint64_t)arena_special(word) << 32 | arena_special(arena_mix(word));
        memcpy(bytes + at, &word, sizeof word);
    }
}

#endif
