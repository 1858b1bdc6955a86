// SPDX-License-Identifier: MIT
#include "shadow.h"

#include <stdlib.h>
#include <string.h>

// --- The pool --------------------------------------------------------------------------------------------------------

static uint32_t new_chunk(struct shadow_pool *pool)
{
    uint32_t number = pool->free;
    if (number != 0) {
        pool->free = pool->chunk[number].more;
    } else {
        if (pool->count + 1 >= pool->room) {
            const uint32_t room = pool->room == 0 ? 256 : pool->room * 2;
            struct shadow_cell *chunk = realloc(pool->chunk, room * sizeof *chunk);
            if (chunk == NULL) return 0;
            pool->chunk = chunk;
            pool->room = room;
        }
        number = ++pool->count;
    }
    memset(&pool->chunk[number], 0, sizeof pool->chunk[number]);
    return number;
}

void shadow_drop(struct shadow_pool *pool, struct shadow_page *page)
{
    for (int i = 0; i < SHADOW_PAGE_CELLS; i++)
        for (uint32_t number = page->cell[i].more, next; number != 0; number = next) {
            next = pool->chunk[number].more;
            pool->chunk[number].more = pool->free;
            pool->free = number;
        }
    memset(page->cell, 0, sizeof page->cell);
    memset(page->written, 0, sizeof page->written);
}

// --- One access ------------------------------------------------------------------------------------------------------

static int is_same_kind(const struct shadow_entry *one, const struct shadow_entry *other)
{
    return one->actor == other->actor && one->time == other->time && one->flags == other->flags;
}

// Does the newer one stand for the older, so that whoever is ordered after it is ordered after both? A write for all
// before it, and for what it clashed with, which was reported; a read for reads of the same kind.
static int stands_for(const struct shadow_entry *newer, const struct shadow_entry *older, int is_ordered)
{
    const int same = (newer->flags ^ older->flags) & ~SHADOW_REDUCES;
    if (newer->flags & SHADOW_WRITES) return is_ordered || shadow_may_clash(newer, older);
    return is_ordered && same == 0;
}

// Is the older one ordered before the newer? UNKNOWN: the owner must be asked.
enum known { KNOWN_APART, KNOWN_BEFORE, UNKNOWN };
static enum known known_order(const struct shadow_judge *judge, const struct shadow_entry *older,
                              const struct shadow_entry *newer)
{
    const uint32_t slot = older->actor - judge->first;
    if (slot >= judge->actors) return UNKNOWN;
    const struct clock_time *time = &judge->time[slot];
    if ((older->flags & SHADOW_WRITES ? time->written : time->seen) >= older->time) return KNOWN_BEFORE;
    return (older->flags | newer->flags) & SHADOW_WRITES ? UNKNOWN : KNOWN_APART;
}

// Has the same actor read these bytes at the same time before? No write came between: it would stand for that read.
static int is_again(const struct shadow_pool *pool, struct shadow_cell *cell, const struct shadow_entry *newer)
{
    if (newer->flags & (SHADOW_WRITES | SHADOW_STRONG)) return 0;
    for (struct shadow_cell *chunk = cell;; chunk = &pool->chunk[chunk->more]) {
        for (int i = 0; i < SHADOW_ENTRIES; i++) {
            struct shadow_entry *older = &chunk->entry[i];
            if (older->actor != newer->actor || (newer->mask & ~older->mask) != 0 || !is_same_kind(older, newer))
                continue;
            older->line = newer->line;
            return 1;
        }
        if (chunk->more == 0) return 0;
    }
}

// What adding looks for on its way: an entry to widen, a free one, one that may go, and the last of `chunks` chunks.
struct places {
    struct shadow_entry *same, *free, *spare;
    struct shadow_cell *last;
    uint32_t chunks;
};

static int is_weak_write(const struct shadow_entry *entry)
{
    return (entry->flags & (SHADOW_WRITES | SHADOW_STRONG)) == SHADOW_WRITES;
}

static void meet(struct shadow_cell *chunk, const struct shadow_entry *newer, const struct shadow_judge *judge,
                 struct places *places)
{
    for (int i = 0; i < SHADOW_ENTRIES; i++) {
        struct shadow_entry *older = &chunk->entry[i];
        if (older->mask == 0) {
            if (places->free == NULL) places->free = older;
            continue;
        }
        if (is_same_kind(older, newer)) {
            if (places->same == NULL) places->same = older;
            continue;
        }
        if ((older->mask & newer->mask) == 0) continue;
        if (judge->keeps_reads && older->actor != newer->actor && !((older->flags | newer->flags) & SHADOW_WRITES))
            continue;
        const enum known known = known_order(judge, older, newer);
        const int is_ordered =
            known == UNKNOWN ? judge->is_before(judge->context, older, newer) : known == KNOWN_BEFORE;
        if (!stands_for(newer, older, is_ordered)) continue;
        older->mask &= (uint16_t)~newer->mask;
        if (older->mask == 0 && places->free == NULL) places->free = older;
    }
    const uint32_t any = (newer->actor + newer->time + places->chunks) % SHADOW_ENTRIES;
    if (places->spare == NULL || (newer->actor + places->chunks) % 4 == 0 || is_weak_write(places->spare))
        if (places->spare == NULL || !is_weak_write(&chunk->entry[any])) places->spare = &chunk->entry[any];
    places->last = chunk;
    places->chunks++;
}

int shadow_add(struct shadow_pool *pool, struct shadow_cell *cell, const struct shadow_entry *newer,
               const struct shadow_judge *judge)
{
    struct places places = {NULL, NULL, NULL, NULL, 0};
    if (is_again(pool, cell, newer)) return 1;
    meet(cell, newer, judge, &places);
    for (uint32_t number = cell->more; number != 0; number = pool->chunk[number].more)
        meet(&pool->chunk[number], newer, judge, &places);
    if (places.same != NULL) {
        places.same->mask |= newer->mask;
        places.same->line = newer->line;
        return 1;
    }
    if (places.free != NULL) {
        *places.free = *newer;
        return 1;
    }
    if (places.chunks >= judge->chunks) {
        *places.spare = *newer;
        return 1;
    }
    const int is_own = places.last == cell;
    const uint32_t last = is_own ? 0 : (uint32_t)(places.last - pool->chunk), number = new_chunk(pool);
    if (number == 0) {
        cell->entry[0] = *newer;
        return 0;
    }
    *(is_own ? &cell->more : &pool->chunk[last].more) = number;
    pool->chunk[number].entry[0] = *newer;
    return 1;
}

void shadow_each(const struct shadow_pool *pool, const struct shadow_page *page,
                 void (*call)(void *context, uint64_t address, const struct shadow_entry *entry), void *context)
{
    for (uint32_t i = 0; i < SHADOW_PAGE_CELLS; i++) {
        const uint64_t address = page->number * SHADOW_PAGE_BYTES + i * SHADOW_CELL_BYTES;
        const struct shadow_cell *chunk = &page->cell[i];
        for (;; chunk = &pool->chunk[chunk->more]) {
            for (int e = 0; e < SHADOW_ENTRIES; e++)
                if (chunk->entry[e].mask != 0) call(context, address, &chunk->entry[e]);
            if (chunk->more == 0) break;
        }
    }
}
