// SPDX-License-Identifier: MIT
#include "arena.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "workers.h"

// A float32 pattern from the places where formats end: NaNs, infinities, subnormals, halves of a tf32 step.
static uint32_t special(uint64_t bits)
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

#define ARENA_SALT UINT64_C(0x746d61726566)

static void fill(uint8_t *bytes)
{
    for (uint64_t at = 0; at < ARENA_BYTES; at += 8) {
        uint64_t word = random_mix(at / 8 + ARENA_SALT);
        if (at >= ARENA_BYTES - ARENA_SPECIAL_BYTES) {
            uint64_t other = random_mix(word);
            word = (uint64_t)special(word) << 32 | special(other);
        }
        memcpy(bytes + at, &word, sizeof word);
    }
}

static struct memory memory = {NULL, ARENA_BASE, ARENA_BYTES};

static void make(void)
{
    memory.bytes = shared_memory(ARENA_BYTES); // shared: not copied for each process that is forked
    if (memory.bytes != NULL) fill(memory.bytes);
}

const struct memory *arena(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
    return &memory;
}

// x ^ x >> shift, undone.
static uint64_t unshift(uint64_t x, int shift)
{
    uint64_t y = x;
    for (int done = shift; done < 64; done += shift) y = x ^ y >> shift;
    return y;
}

// The inverse of an odd number modulo 2^64, by Newton's iteration.
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 6; i++) x *= 2 - odd * x;
    return x;
}

// random_mix() backwards.
static uint64_t unmix(uint64_t x)
{
    x = unshift(x, 31) * inverse(0x94d049bb133111ebu);
    x = unshift(x, 27) * inverse(0xbf58476d1ce4e5b9u);
    return unshift(x, 30);
}

int64_t arena_find(uint64_t word)
{
    uint64_t index = unmix(word) - ARENA_SALT;
    return index < (ARENA_BYTES - ARENA_SPECIAL_BYTES) / 8 ? (int64_t)(index * 8) : -1;
}
