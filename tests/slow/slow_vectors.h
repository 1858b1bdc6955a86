// SPDX-License-Identifier: MIT
// The hand-chosen cases: each says in `why` what it can tell apart. Every misreading of slow_mutants.def must change
// at least one of them. Also the surroundings that vectors and random cases share.
#ifndef TMAREF_SLOW_VECTORS_H
#define TMAREF_SLOW_VECTORS_H

#include "slow.h"

// Global memory of every case: 64 KiB above 2^32; from SLOW_SPECIALS on 256 floats at the edges of TF32 rounding.
// Shared memory: 32 KiB at 1024.
#define SLOW_GMEM_BASE 0x300000000u
enum { SLOW_GMEM_BYTES = 65536, SLOW_SPECIALS = 0x8000, SLOW_SMEM_BASE = 1024, SLOW_SMEM_BYTES = 32768 };

// Random source of these tests: xorshift64*.
struct slow_random {
    uint64_t state;
};

uint64_t slow_random(struct slow_random *random);

// Uniform in low .. high.
int64_t slow_between(struct slow_random *random, int64_t low, int64_t high);

// True `percent` times in a hundred.
int slow_chance(struct slow_random *random, int percent);

// A float at or beside an edge: ties, subnormals, NaN, infinity, overflow.
uint32_t slow_special(struct slow_random *random);

// Fills `gmem` (SLOW_GMEM_BYTES) with bytes of `seed` and the specials.
void slow_fill_gmem(uint8_t *gmem, uint64_t seed);

// Load vector `i` into `tile`; returns its `why`, or NULL past the last.
const char *slow_load_vector(int i, struct slow_tile *tile);

// Encode vector `i` into `arguments`; returns its `why`, or NULL past the last.
const char *slow_encode_vector(int i, struct slow_encode *arguments);

// A random tiled load, biased to limits, of memory at SLOW_GMEM_BASE or at 2^56.
void slow_generate_load(struct slow_random *random, struct slow_tile *tile);

// Random arguments of an encode call, most legal but for up to two fields at a limit.
void slow_generate_encode(struct slow_random *random, struct slow_encode *arguments);

#endif
