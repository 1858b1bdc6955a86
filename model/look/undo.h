// SPDX-License-Identifier: MIT
// What a launch writes to global memory can be undone: of each page the bytes that lay there before its first write.
// Several threads of the host may call at once.
#ifndef TMAREF_LOOK_UNDO_H
#define TMAREF_LOOK_UNDO_H

#include <pthread.h>

#include "memory.h"
#include "shadow.h"

#pragma GCC visibility push(hidden)

// written: a bit for each byte that the launch writes, or may have written.
struct undo_page {
    struct undo_page *next, *older; // older: behind the same lock
    uint64_t number, written[SHADOW_PAGE_WIDES];
    uint8_t before[SHADOW_PAGE_BYTES];
};

// is_short: there was no memory for all of it, so it cannot be undone.
enum { UNDO_HASH = 1 << 14, UNDO_LOCKS = 64 };
struct undo {
    int is_short;
    pthread_mutex_t lock[UNDO_LOCKS];
    struct undo_page *page[UNDO_HASH], *made[UNDO_LOCKS];
};

struct undo *undo_open(void); // NULL without memory
void undo_close(struct undo *undo);

// The page of that number; the launch has not written it yet, unless it is there already. NULL without memory.
struct undo_page *undo_page(struct undo *undo, const struct global_memory *global, uint64_t number);

// The launch is about to write these bytes of the page: `bytes` of them from `at` on.
void undo_note(struct undo_page *page, uint32_t at, uint32_t bytes);

// Nobody writes any more: what was written is as it was before.
void undo_all(const struct undo *undo, const struct global_memory *global);

#pragma GCC visibility pop

#endif
