// SPDX-License-Identifier: MIT
// Shared memory of CTAs one after the other, where barriers of all are the only order (between.h): of each word, which
// warps have read it, written it and changed it by atomics since the last barrier; and whether the CTA has written it.
#ifndef TMAREF_ORDER_SHARED_WORDS_H
#define TMAREF_ORDER_SHARED_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"

#pragma GCC visibility push(hidden)

struct order_words;

struct order_words *order_words_open(void); // NULL without memory
void order_words_close(struct order_words *words);

// Who accesses how: a warp in part `part`, which goes from one barrier to the next; first: the first part of its CTA.
// bytes: side by side; of an atomic, those of one.
struct words_use {
    uint64_t part, first, bytes;
    uint32_t warp;
    enum access_kind kind;
};

// The bytes from `at` on, and as many in each of `rows` rows, each `rise` behind the one before it. 0: another warp has
// accessed one of them in this part, and one of the two accesses writes, not both by atomics; or one is read, and the
// CTA has not written it; or atomics of two sizes are near; or there is no memory.
bool order_words_use(struct order_words *words, const struct words_use *use, uint64_t at, uint32_t rows, uint64_t rise);

// The same of lanes that lie anywhere: as many bytes of each of `lanes` at its address.
bool order_words_lanes(struct order_words *words, const struct words_use *use, uint32_t lanes, const uint64_t *address);

#pragma GCC visibility pop

#endif
