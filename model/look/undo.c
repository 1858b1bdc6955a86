// SPDX-License-Identifier: MIT
#include "undo.h"

#include <stdlib.h>

struct undo *undo_open(void)
{
    struct undo *undo = calloc(1, sizeof *undo);
    for (int i = 0; undo != NULL && i < UNDO_LOCKS; i++) pthread_mutex_init(&undo->lock[i], NULL);
    return undo;
}

void undo_close(struct undo *undo)
{
    if (undo == NULL) return;
    for (int i = 0; i < UNDO_LOCKS; i++) {
        for (struct undo_page *page = undo->made[i], *older; page != NULL; page = older) {
            older = page->older;
            free(page);
        }
        pthread_mutex_destroy(&undo->lock[i]);
    }
    free(undo);
}

// Calls for each run of bytes of the page that are mapped for that use.
static void each_run(struct undo_page *page, const struct global_memory *global, enum memory_use use,
                     void (*call)(struct undo_page *page, const struct global_memory *global, uint32_t at,
                                  uint32_t bytes))
{
    for (uint32_t at = 0; at < SHADOW_PAGE_BYTES;) {
        const uint64_t left = SHADOW_PAGE_BYTES - at,
                       usable = global_usable_bytes(global, page->number * SHADOW_PAGE_BYTES + at, left, use);
        if (usable > 0) call(page, global, at, (uint32_t)usable);
        at += usable > 0 ? (uint32_t)usable : 1;
    }
}

static void save(struct undo_page *page, const struct global_memory *global, uint32_t at, uint32_t bytes)
{
    global_read(global, page->number * SHADOW_PAGE_BYTES + at, page->before + at, bytes);
}

static struct undo_page *find(struct undo_page *page, uint64_t number)
{
    while (page != NULL && page->number != number) page = page->next;
    return page;
}

struct undo_page *undo_page(struct undo *undo, const struct global_memory *global, uint64_t number)
{
    const uint32_t hash = (uint32_t)((number ^ number >> 14) % UNDO_HASH);
    pthread_mutex_t *lock = &undo->lock[hash % UNDO_LOCKS];
    pthread_mutex_lock(lock);
    struct undo_page *page = find(undo->page[hash], number);
    if (page == NULL && (page = calloc(1, sizeof *page)) != NULL) {
        page->number = number;
        each_run(page, global, MEMORY_READS, save);
        page->next = undo->page[hash];
        page->older = undo->made[hash % UNDO_LOCKS];
        undo->made[hash % UNDO_LOCKS] = undo->page[hash] = page;
    }
    pthread_mutex_unlock(lock);
    if (page == NULL) __atomic_store_n(&undo->is_short, 1, __ATOMIC_RELAXED);
    return page;
}

void undo_note(struct undo_page *page, uint32_t at, uint32_t bytes)
{
    for (uint32_t end = at + bytes, step; at < end; at += step) {
        const uint32_t first = at % 64, left = 64 - first;
        step = left < end - at ? left : end - at;
        const uint64_t bits = (step == 64 ? UINT64_MAX : (UINT64_C(1) << step) - 1) << first;
        uint64_t *written = &page->written[at / 64];
        if ((__atomic_load_n(written, __ATOMIC_RELAXED) & bits) != bits)
            __atomic_fetch_or(written, bits, __ATOMIC_RELAXED);
    }
}

static bool is_written(const struct undo_page *page, uint32_t at)
{
    return (int)(page->written[at / 64] >> at % 64 & true);
}

static void restore(struct undo_page *page, const struct global_memory *global, uint32_t at, uint32_t bytes)
{
    const uint32_t end = at + bytes;
    for (uint32_t past; at < end; at = past) {
        past = at + 1;
        if (!is_written(page, at)) continue;
        while (past < end && is_written(page, past)) past++;
        global_write(global, page->number * SHADOW_PAGE_BYTES + at, page->before + at, past - at);
    }
}

void undo_all(const struct undo *undo, const struct global_memory *global)
{
    for (int i = 0; i < UNDO_HASH; i++)
        for (struct undo_page *page = undo->page[i]; page != NULL; page = page->next)
            each_run(page, global, MEMORY_WRITES, restore);
}
