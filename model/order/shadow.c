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

static void drop_chunks(struct shadow_pool *pool, struct shadow_cell *cell)
{
    for (uint32_t number = cell->more, next; number != 0; number = next) {
        next = pool->chunk[number].more;
        pool->chunk[number].more = pool->free;
        pool->free = number;
    }
    memset(cell, 0, sizeof *cell);
}

void shadow_drop(struct shadow_pool *pool, struct shadow_page *page)
{
    for (int i = 0; i < SHADOW_PAGE_WIDES; i++) drop_chunks(pool, &page->wide[i]);
    for (int i = 0; page->cell != NULL && i < SHADOW_PAGE_CELLS; i++) drop_chunks(pool, &page->cell[i]);
    free(page->cell);
    page->cell = NULL;
    page->narrow = 0;
    memset(page->written, 0, sizeof page->written);
}

// --- One access ------------------------------------------------------------------------------------------------------

static bool is_same_kind(const struct shadow_entry *one, const struct shadow_entry *other)
{
    return one->actor == other->actor && one->time == other->time && one->flags == other->flags &&
           ((one->lane ^ other->lane) & SHADOW_SIZE) == 0;
}

// May one entry stand for both? At one line, or of the same 16 bytes; then its line is the last one's.
enum { MIXED = 1 << 7, PART_WORDS = SHADOW_CELL_BYTES / SHADOW_WORD_BYTES };
static inline bool is_one(const struct shadow_entry *older, const struct shadow_entry *newer, bool is_wide)
{
    if (!is_same_kind(older, newer)) return false;
    const uint32_t both = older->mask | newer->mask;
    return older->line == newer->line || !is_wide ||
           both >> __builtin_ctz(both) / PART_WORDS * PART_WORDS < 1u << PART_WORDS;
}

static void join(struct shadow_entry *older, const struct shadow_entry *newer)
{
    if (older->line != newer->line) older->lane |= MIXED;
    older->mask |= newer->mask;
    older->line = newer->line;
}

// Does the newer one stand for the older, so that whoever is ordered after it is ordered after both? A write for all
// before it, and for what it clashed with, which was reported; a read for reads of the same kind.
static bool stands_for(const struct shadow_entry *newer, const struct shadow_entry *older, bool is_ordered)
{
    const int same = (newer->flags ^ older->flags) & ~SHADOW_REDUCES;
    if (newer->flags & SHADOW_WRITES) return is_ordered || shadow_may_clash(newer, older);
    return is_ordered && same == 0 && ((newer->lane ^ older->lane) & SHADOW_SIZE) == 0;
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

// What adding looks for on its way: an entry to widen, a free one, and the last of `chunks` chunks. must_ask: of an
// older access the owner must be asked.
struct places {
    struct shadow_entry *same, *free;
    struct shadow_cell *last;
    uint32_t chunks;
    bool must_ask;
};

static bool is_weak_write(const struct shadow_entry *entry)
{
    return (entry->flags & (SHADOW_WRITES | SHADOW_STRONG)) == SHADOW_WRITES;
}

// Which entry may best stand for the newer one too: of its line, or of bytes that it has all.
static inline int fit_of(const struct shadow_entry *older, const struct shadow_entry *newer)
{
    return older->line == newer->line ? 2 : (older->mask & ~newer->mask) == 0;
}

static inline void note_same(struct places *places, struct shadow_entry *older, const struct shadow_entry *newer)
{
    if (places->same == NULL || fit_of(older, newer) > fit_of(places->same, newer)) places->same = older;
}

// A cell of 16 bytes keeps lines apart while there is room.
static inline bool joins(const struct places *places, const struct shadow_entry *newer, bool is_wide)
{
    return places->same != NULL && (is_wide || places->free == NULL || fit_of(places->same, newer) > 0);
}

static void pass(struct shadow_cell *chunk, struct places *places)
{
    places->last = chunk;
    places->chunks++;
}

// The entry of a full cell that may go.
static struct shadow_entry *spare_of(const struct shadow_pool *pool, struct shadow_cell *cell,
                                     const struct shadow_entry *newer)
{
    struct shadow_entry *spare = NULL;
    struct shadow_cell *chunk = cell;
    for (uint32_t chunks = 0;; chunks++, chunk = &pool->chunk[chunk->more]) {
        struct shadow_entry *any = &chunk->entry[(newer->actor + newer->time + chunks) % SHADOW_ENTRIES];
        if (spare == NULL || (((newer->actor + chunks) % 4 == 0 || is_weak_write(spare)) && !is_weak_write(any)))
            spare = any;
        if (chunk->more == 0) return spare;
    }
}

static void drop(struct shadow_entry *older, const struct shadow_entry *newer, struct places *places)
{
    older->mask &= (uint16_t)~newer->mask;
    if (older->mask == 0 && places->free == NULL) places->free = older;
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
        if (is_one(older, newer, judge->is_wide)) {
            note_same(places, older, newer);
            continue;
        }
        if ((older->mask & newer->mask) == 0) continue;
        if (judge->keeps_reads && older->actor != newer->actor && !((older->flags | newer->flags) & SHADOW_WRITES))
            continue;
        const enum known known = known_order(judge, older, newer);
        const bool is_ordered =
            known == UNKNOWN ? judge->is_before(judge->context, older, newer) : known == KNOWN_BEFORE;
        if (stands_for(newer, older, is_ordered)) drop(older, newer, places);
    }
    pass(chunk, places);
}

static bool is_weak_read(const struct shadow_entry *entry)
{
    return (entry->flags & (SHADOW_WRITES | SHADOW_STRONG)) == 0;
}

// Is the chunk full of reads of others, that all stay?
static inline bool is_kept(const struct shadow_cell *chunk, const struct shadow_entry *newer)
{
    for (int i = 0; i < SHADOW_ENTRIES; i++) {
        const struct shadow_entry *older = &chunk->entry[i];
        if (older->actor == newer->actor || older->mask == 0 || (older->flags & SHADOW_WRITES)) return false;
    }
    return true;
}

// The same of a weak read, as far as the owner need not be asked. 1: the same actor has read these bytes at the same
// time before; no write came between, for it would stand for that read.
static bool meet_read(struct shadow_cell *chunk, const struct shadow_entry *newer, const struct shadow_judge *judge,
                      struct places *places)
{
    for (int i = 0; i < SHADOW_ENTRIES; i++) {
        struct shadow_entry *older = &chunk->entry[i];
        if ((older->mask & newer->mask) == 0) {
            if (older->mask == 0 && places->free == NULL) places->free = older;
            if (older->mask != 0 && is_one(older, newer, judge->is_wide)) note_same(places, older, newer);
            continue;
        }
        if (judge->keeps_reads && older->actor != newer->actor && !(older->flags & SHADOW_WRITES)) continue;
        if (is_one(older, newer, judge->is_wide)) {
            note_same(places, older, newer);
            if ((newer->mask & ~older->mask) == 0 && older->line == newer->line && !(older->lane & MIXED)) return true;
            continue;
        }
        const enum known known = known_order(judge, older, newer);
        places->must_ask |= known == UNKNOWN;
        if (known == KNOWN_BEFORE && stands_for(newer, older, true)) drop(older, newer, places);
    }
    pass(chunk, places);
    return false;
}

// The whole cell. 1: it is there already.
static bool meet_reads(const struct shadow_pool *pool, struct shadow_cell *cell, const struct shadow_entry *newer,
                       const struct shadow_judge *judge, struct places *places)
{
    for (struct shadow_cell *chunk = cell;; chunk = &pool->chunk[chunk->more]) {
        if (judge->keeps_reads && is_kept(chunk, newer))
            pass(chunk, places);
        else if (meet_read(chunk, newer, judge, places))
            return true;
        if (chunk->more == 0) return false;
    }
}

static void meet_all(const struct shadow_pool *pool, struct shadow_cell *cell, const struct shadow_entry *newer,
                     const struct shadow_judge *judge, struct places *places)
{
    *places = (struct places){.chunks = 0};
    meet(cell, newer, judge, places);
    for (uint32_t number = cell->more; number != 0; number = pool->chunk[number].more)
        meet(&pool->chunk[number], newer, judge, places);
}

// Behind the last chunk. 0 without memory.
static bool add_chunk(struct shadow_pool *pool, struct shadow_cell *cell, struct shadow_cell *last,
                      const struct shadow_entry *newer)
{
    const bool is_own = last == cell;
    const uint32_t at = is_own ? 0 : (uint32_t)(last - pool->chunk), number = new_chunk(pool);
    if (number == 0) return false;
    *(is_own ? &cell->more : &pool->chunk[at].more) = number;
    pool->chunk[number].entry[0] = *newer;
    return true;
}

// Does an entry of a full cell say other words than the newer one?
static bool has_other_words(const struct shadow_pool *pool, const struct shadow_cell *cell,
                            const struct shadow_entry *newer)
{
    for (const struct shadow_cell *chunk = cell;; chunk = &pool->chunk[chunk->more]) {
        for (int i = 0; i < SHADOW_ENTRIES; i++)
            if (chunk->entry[i].mask != newer->mask) return true;
        if (chunk->more == 0) return false;
    }
}

enum shadow_added shadow_add(struct shadow_pool *pool, struct shadow_cell *cell, const struct shadow_entry *newer,
                             const struct shadow_judge *judge)
{
    struct places places = {.must_ask = !is_weak_read(newer)};
    if (!places.must_ask && meet_reads(pool, cell, newer, judge, &places)) return SHADOW_ADDED;
    if (places.must_ask) meet_all(pool, cell, newer, judge, &places);
    if (joins(&places, newer, judge->is_wide)) {
        join(places.same, newer);
        return SHADOW_ADDED;
    }
    if (places.free == NULL && places.chunks < judge->chunks) {
        if (add_chunk(pool, cell, places.last, newer)) return SHADOW_ADDED;
        cell->entry[0] = *newer;
        return SHADOW_NO_MEMORY;
    }
    if (places.free == NULL && judge->is_wide && has_other_words(pool, cell, newer)) return SHADOW_CROWDED;
    *(places.free != NULL ? places.free : spare_of(pool, cell, newer)) = *newer;
    return SHADOW_ADDED;
}

// --- Ways ------------------------------------------------------------------------------------------------------------

// The way at that line; if there is none, a new one of no bytes. NULL without memory.
static struct shadow_way *way_at(struct shadow_ways *ways, uint32_t line, uint32_t flags)
{
    for (uint32_t i = 0; i < ways->count; i++)
        if (ways->way[i].line == line && ways->way[i].flags == flags) return &ways->way[i];
    if (ways->count == ways->room) {
        const uint32_t room = ways->room == 0 ? 2 : ways->room * 2;
        struct shadow_way *more = realloc(ways->is_lent ? NULL : ways->way, room * sizeof *more);
        if (more == NULL) return NULL;
        if (ways->is_lent) memcpy(more, ways->way, ways->count * sizeof *more);
        ways->is_lent = false;
        ways->way = more;
        ways->room = room;
    }
    ways->way[ways->count] = (struct shadow_way){.line = line, .flags = flags};
    return &ways->way[ways->count++];
}

void shadow_ways_free(struct shadow_ways *ways)
{
    if (!ways->is_lent) free(ways->way);
    *ways = (struct shadow_ways){0};
}

int shadow_ways_add(struct shadow_ways *ways, uint32_t line, uint32_t flags, uint32_t wide, uint64_t bytes)
{
    struct shadow_way *const way = way_at(ways, line, flags);
    if (way == NULL) return 0;
    const uint64_t before = way->bytes[wide];
    way->bytes[wide] |= bytes;
    return way->bytes[wide] != before ? 2 : 1;
}

bool shadow_ways_join(struct shadow_ways *ways, const struct shadow_way *way)
{
    struct shadow_way *const to = way_at(ways, way->line, way->flags);
    for (int i = 0; to != NULL && i < SHADOW_PAGE_WIDES; i++) to->bytes[i] |= way->bytes[i];
    return to != NULL;
}

// --- Wide cells ------------------------------------------------------------------------------------------------------

// What an entry of a wide cell is in its `part`th cell of 16 bytes; mask 0: nothing.
static struct shadow_entry part_of(const struct shadow_entry *entry, uint32_t part)
{
    struct shadow_entry narrow = *entry;
    narrow.mask = (uint16_t)(shadow_bytes_of(entry->mask) >> SHADOW_CELL_BYTES * part);
    return narrow;
}

// Puts it behind those that are there. 0 without memory.
static bool append(struct shadow_pool *pool, struct shadow_cell *cell, const struct shadow_entry *entry)
{
    struct shadow_cell *last = cell;
    while (last->more != 0) last = &pool->chunk[last->more];
    for (int i = 0; i < SHADOW_ENTRIES; i++)
        if (last->entry[i].mask == 0) {
            last->entry[i] = *entry;
            return true;
        }
    return add_chunk(pool, cell, last, entry);
}

static bool narrow_chunk(struct shadow_pool *pool, struct shadow_cell chunk, struct shadow_cell *cells)
{
    for (int i = 0; i < SHADOW_ENTRIES; i++)
        for (uint32_t part = 0; part < SHADOW_WIDE_CELLS; part++) {
            const struct shadow_entry entry = part_of(&chunk.entry[i], part);
            if (entry.mask != 0 && !append(pool, &cells[part], &entry)) return false;
        }
    return true;
}

bool shadow_narrow(struct shadow_pool *pool, struct shadow_page *page, uint32_t wide)
{
    struct shadow_cell *from = &page->wide[wide];
    if (page->cell == NULL) page->cell = calloc(SHADOW_PAGE_CELLS, sizeof *page->cell);
    if (page->cell == NULL) return false;
    struct shadow_cell *cells = &page->cell[SHADOW_WIDE_CELLS * wide];
    bool is_whole = narrow_chunk(pool, *from, cells);
    for (uint32_t number = from->more; number != 0; number = pool->chunk[number].more)
        is_whole &= narrow_chunk(pool, pool->chunk[number], cells);
    drop_chunks(pool, from);
    page->narrow |= UINT32_C(1) << wide;
    return is_whole;
}

// Whom to call for the entries of a page.
struct page_call {
    shadow_page_caller *call;
    void *context;
};

bool shadow_put(struct shadow_pool *pool, struct shadow_page *page, uint32_t wide, uint64_t bytes,
                const struct shadow_entry *entry)
{
    struct shadow_entry part = *entry;
    if (!(page->narrow >> wide & 1) && !shadow_narrow(pool, page, wide)) return false;
    for (uint32_t i = SHADOW_WIDE_CELLS * wide; bytes != 0; bytes >>= SHADOW_CELL_BYTES, i++) {
        part.mask = (uint16_t)bytes;
        if (part.mask != 0 && !append(pool, &page->cell[i], &part)) return false;
    }
    return true;
}

void shadow_each_of(const struct shadow_pool *pool, const struct shadow_page *page, uint32_t cell, shadow_caller *call,
                    void *context)
{
    const uint64_t address = page->number * SHADOW_PAGE_BYTES + cell * SHADOW_CELL_BYTES;
    const uint32_t wide = cell / SHADOW_WIDE_CELLS, part = cell % SHADOW_WIDE_CELLS;
    const bool is_narrow = page->narrow >> wide & true;
    const struct shadow_cell *chunk = is_narrow ? &page->cell[cell] : &page->wide[wide];
    for (;; chunk = &pool->chunk[chunk->more]) {
        for (int e = 0; e < SHADOW_ENTRIES; e++) {
            const struct shadow_entry entry = is_narrow ? chunk->entry[e] : part_of(&chunk->entry[e], part);
            if (entry.mask != 0) call(context, address, &entry);
        }
        if (chunk->more == 0) return;
    }
}

// The entries of a cell; part: of a narrow one, where it begins among the 64 bytes.
static void call_cell(const struct shadow_pool *pool, const struct shadow_cell *cell, uint64_t address, int part,
                      const struct page_call *call)
{
    for (const struct shadow_cell *chunk = cell;; chunk = &pool->chunk[chunk->more]) {
        for (int e = 0; e < SHADOW_ENTRIES; e++) {
            const struct shadow_entry *entry = &chunk->entry[e];
            if (entry->mask == 0) continue;
            const uint64_t bytes = part < 0 ? shadow_bytes_of(entry->mask) : (uint64_t)entry->mask << part;
            call->call(call->context, address, bytes, entry);
        }
        if (chunk->more == 0) return;
    }
}

void shadow_each(const struct shadow_pool *pool, const struct shadow_page *page, shadow_page_caller *caller,
                 void *context)
{
    const struct page_call call = {caller, context};
    uint64_t address = page->number * SHADOW_PAGE_BYTES;
    for (uint32_t i = 0; i < SHADOW_PAGE_WIDES; i++, address += SHADOW_WIDE_BYTES) {
        const bool is_narrow = page->narrow >> i & true;
        if (!is_narrow) call_cell(pool, &page->wide[i], address, -1, &call);
        for (int part = 0; is_narrow && part < SHADOW_WIDE_CELLS; part++)
            call_cell(pool, &page->cell[SHADOW_WIDE_CELLS * i + (uint32_t)part], address, SHADOW_CELL_BYTES * part,
                      &call);
    }
}
