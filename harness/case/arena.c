// SPDX-License-Identifier: MIT
#include "arena.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "workers.h"

static struct memory memory = {NULL, ARENA_BASE, ARENA_BYTES};

static atomic_int *is_filled; // of all processes that share it

static void make(void)
{
    memory.bytes = shared_memory(ARENA_BYTES);
    is_filled = shared_memory(sizeof *is_filled);
    if (memory.bytes == NULL || is_filled == NULL) memory.bytes = NULL;
}

// Two processes that fill it at once write the same bytes.
static void fill(void)
{
    if (arena_share()->bytes == NULL || atomic_load(is_filled)) return;
    arena_fill(memory.bytes);
    atomic_store(is_filled, 1);
}

const struct memory *arena_share(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
    return &memory;
}

const struct memory *arena(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
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
