// SPDX-License-Identifier: MIT
// A seeded random source for generators: SplitMix64, so that case `index` of `seed` is the same on every machine and
// can be made without making the cases before it.
#ifndef TMAREF_RANDOM_H
#define TMAREF_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

// 64 bits that depend on all bits of `x`; a bijection.
static inline uint64_t random_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// The source of case `index` under `seed`.
static inline struct random random_for(uint64_t seed, uint64_t index)
{
    return (struct random){random_mix(seed * 0x9e3779b97f4a7c15u + 1) ^ random_mix(index + 0x632be59bd9b4e019u)};
}

static inline uint64_t random_u64(struct random *random)
{
    random->state += 0x9e3779b97f4a7c15u;
    return random_mix(random->state);
}

// Uniform in 0 .. bound - 1 (bound > 0).
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)random_u64(random) * bound) >> 64);
}

// Uniform in low .. high, both included.
static inline int64_t random_range(struct random *random, int64_t low, int64_t high)
{
    return low + (int64_t)random_below(random, (uint64_t)(high - low) + 1);
}

// True `percent` times in a hundred.
static inline int random_chance(struct random *random, unsigned percent)
{
    return random_below(random, 100) < percent;
}

// One element of an array.
#define random_pick(random, array) ((array)[random_below((random), sizeof(array) / sizeof((array)[0]))])

#endif
