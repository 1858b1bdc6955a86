// SPDX-License-Identifier: MIT
#include "shared_words.h"

#include <stdlib.h>
#include <string.h>

#include "clock_order.h"

// Words, or bytes where somebody has accessed a part of a word. written: a bit for each, since the CTA began; what
// follows, since part `part` began, which is over if it is not the CTA's: a bit for each warp that has used it so; and
// of so many how many bytes an atomic has, 0: there was none.
enum { KINDS = ACCESS_REDUCE + 1, UNITS = 64, NEAR = 16, WORD = SHADOW_WORD_BYTES, CHUNK = UNITS * WORD };
struct units {
    uint64_t part, written;
    uint32_t uses[KINDS][UNITS];
    uint8_t each[UNITS / NEAR];
    bool has_atomics;
};

// bytes: NULL, or of each of the WORD parts of its bytes, in place of words
struct chunk {
    struct units words, *bytes;
};

#define MOST_BYTES (UINT64_C(1) * ORDER_SHARED_PAGES * SHADOW_PAGE_BYTES)
struct order_words {
    struct chunk *chunk[MOST_BYTES / CHUNK];
};

struct order_words *order_words_open(void)
{
    return calloc(1, sizeof(struct order_words));
}

void order_words_close(struct order_words *words)
{
    if (words == NULL) return;
    for (uint32_t i = 0; i < MOST_BYTES / CHUNK; i++) {
        if (words->chunk[i] != NULL) free(words->chunk[i]->bytes);
        free(words->chunk[i]);
    }
    free(words);
}

// --- Units -----------------------------------------------------------------------------------------------------------

static __attribute__((noinline)) void renew(struct units *units, const struct words_use *use)
{
    if (units->part < use->first) units->written = 0;
    units->part = use->part;
    memset(units->uses, 0, (units->has_atomics ? KINDS : ACCESS_REDUCE) * sizeof units->uses[0]);
    if (units->has_atomics) memset(units->each, 0, sizeof units->each);
    units->has_atomics = false;
}

#define EACH static inline __attribute__((always_inline))

// Warps that use a unit so that it matters to one that does so by `kind`.
EACH uint32_t others(const struct units *units, uint32_t at, enum access_kind kind)
{
    const uint32_t writes = units->uses[ACCESS_WRITE][at];
    const uint32_t reads = kind != ACCESS_READ ? units->uses[ACCESS_READ][at] : 0;
    return writes | reads | (kind != ACCESS_REDUCE ? units->uses[ACCESS_REDUCE][at] : 0);
}

EACH uint32_t use_one(struct units *units, uint32_t at, uint32_t warp, enum access_kind kind)
{
    const uint32_t all = others(units, at, kind);
    units->uses[kind][at] |= warp;
    return all;
}

// All that use one of `count` units so. Several at once, where the compiler can.
EACH uint32_t use_some(struct units *units, uint32_t first, uint32_t count, uint32_t warp, enum access_kind kind)
{
    uint32_t all = 0;
    for (uint32_t i = first; i < first + count; i++) all |= use_one(units, i, warp, kind);
    return all;
}

EACH uint32_t use_by_atomics(struct units *units, uint32_t first, uint32_t count, uint32_t warp)
{
    units->has_atomics = true;
    return use_some(units, first, count, warp, ACCESS_REDUCE);
}

// Atomics of different sizes may be wrong.
static bool is_alike(struct units *units, uint32_t first, uint64_t bytes)
{
    uint8_t *each = &units->each[first / NEAR];
    const bool is = *each == 0 || *each == bytes;
    *each = (uint8_t)bytes;
    return is;
}

EACH bool use(struct units *units, const struct words_use *of, uint32_t first, uint32_t count)
{
    const uint64_t bits = UINT64_MAX >> (UNITS - count) << first;
    const uint32_t warp = UINT32_C(1) << of->warp;
    uint32_t all;
    if (units->part != of->part) renew(units, of);
    if (of->kind == ACCESS_WRITE) {
        units->written |= bits;
        return (use_some(units, first, count, warp, ACCESS_WRITE) & ~warp) == 0;
    }
    if (of->kind == ACCESS_REDUCE && !is_alike(units, first, of->bytes)) return false;
    all = of->kind == ACCESS_READ ? use_some(units, first, count, warp, ACCESS_READ)
                                  : use_by_atomics(units, first, count, warp);
    return (all & ~warp) == 0 && (bits & ~units->written) == 0;
}

static __attribute__((noinline)) bool use_many(struct units *units, const struct words_use *of, uint32_t first,
                                               uint32_t count)
{
    return use(units, of, first, count);
}

static inline bool use_units(struct units *units, const struct words_use *of, uint32_t first, uint32_t count)
{
    return count == 1 ? use(units, of, first, 1) : use_many(units, of, first, count);
}

// --- Words and bytes -------------------------------------------------------------------------------------------------

static void part_of(const struct units *words, uint32_t part, struct units *bytes)
{
    bytes->part = words->part;
    bytes->has_atomics = words->has_atomics;
    memset(bytes->each, words->each[part], sizeof bytes->each);
    for (uint32_t i = 0; i < UNITS; i++) {
        const uint32_t word = UNITS / WORD * part + i / WORD;
        bytes->written |= (words->written >> word & 1) << i;
        for (int kind = 0; kind < KINDS; kind++) bytes->uses[kind][i] = words->uses[kind][word];
    }
}

// From now on each byte is known. 0 without memory.
static bool split(struct chunk *chunk)
{
    chunk->bytes = calloc(WORD, sizeof *chunk->bytes);
    for (uint32_t part = 0; chunk->bytes != NULL && part < WORD; part++)
        part_of(&chunk->words, part, &chunk->bytes[part]);
    return chunk->bytes != NULL;
}

static __attribute__((noinline)) bool use_bytes(struct chunk *chunk, const struct words_use *use, uint32_t begin,
                                                uint32_t end)
{
    bool is_right = chunk->bytes != NULL || split(chunk);
    for (uint32_t past; begin < end && is_right; begin = past) {
        past = begin / UNITS * UNITS + UNITS < end ? begin / UNITS * UNITS + UNITS : end;
        is_right = use_units(&chunk->bytes[begin / UNITS], use, begin % UNITS, past - begin);
    }
    return is_right;
}

// Bytes of one chunk, whose number it is.
static inline bool use_chunk(struct order_words *words, const struct words_use *use, uint64_t number, uint32_t begin,
                             uint32_t end)
{
    struct chunk *chunk = words->chunk[number];
    if (chunk == NULL && (chunk = words->chunk[number] = calloc(1, sizeof *chunk)) == NULL) return false;
    if ((begin | end) % WORD != 0 || chunk->bytes != NULL) return use_bytes(chunk, use, begin, end);
    return use_units(&chunk->words, use, begin / WORD, (end - begin) / WORD);
}

static __attribute__((noinline)) bool use_long(struct order_words *words, const struct words_use *use, uint64_t at)
{
    const uint64_t end = at + use->bytes;
    bool is_right = true;
    for (uint64_t past; at < end && is_right; at = past) {
        const uint64_t start = at - at % CHUNK;
        past = start + CHUNK < end ? start + CHUNK : end;
        is_right = use_chunk(words, use, at / CHUNK, (uint32_t)(at - start), (uint32_t)(past - start));
    }
    return is_right;
}

static inline bool use_at(struct order_words *words, const struct words_use *use, uint64_t at)
{
    const uint64_t first = at % CHUNK;
    if (at > MOST_BYTES - use->bytes) return false;
    if (first + use->bytes > CHUNK) return use_long(words, use, at);
    return use_chunk(words, use, at / CHUNK, (uint32_t)first, (uint32_t)(first + use->bytes));
}

// Rows of one word each. Words that are known as such in this part need no more than their own bits.
EACH bool use_column(struct order_words *words, const struct words_use *use, uint64_t at, uint32_t rows, uint64_t rise,
                     enum access_kind kind)
{
    const uint32_t warp = UINT32_C(1) << use->warp;
    const uint64_t part = use->part;
    bool is_right = true;
    for (; rows > 0 && is_right; rows--, at += rise) {
        struct chunk *chunk = at < MOST_BYTES ? words->chunk[at / CHUNK] : NULL;
        const uint32_t unit = (uint32_t)(at % CHUNK / WORD);
        if (chunk == NULL || chunk->bytes != NULL || chunk->words.part != part) {
            is_right = use_at(words, use, at);
            continue;
        }
        if (kind == ACCESS_WRITE) chunk->words.written |= UINT64_C(1) << unit;
        is_right = (use_one(&chunk->words, unit, warp, kind) & ~warp) == 0 && (chunk->words.written >> unit & 1) != 0;
    }
    return is_right;
}

bool order_words_use(struct order_words *words, const struct words_use *use, uint64_t at, uint32_t rows, uint64_t rise)
{
    bool is_right = use->bytes <= MOST_BYTES;
    if (rows > 1 && use->bytes == WORD && (at | rise) % WORD == 0 && use->kind != ACCESS_REDUCE)
        return use->kind == ACCESS_READ ? use_column(words, use, at, rows, rise, ACCESS_READ)
                                        : use_column(words, use, at, rows, rise, ACCESS_WRITE);
    for (; rows > 0 && is_right; rows--, at += rise) is_right = use_at(words, use, at);
    return is_right;
}

bool order_words_lanes(struct order_words *words, const struct words_use *use, uint32_t lanes, const uint64_t *address)
{
    bool is_right = use->bytes <= MOST_BYTES;
    for (; lanes != 0 && is_right; lanes &= lanes - 1) is_right = use_at(words, use, address[__builtin_ctz(lanes)]);
    return is_right;
}
