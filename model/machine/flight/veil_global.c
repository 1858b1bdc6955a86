// SPDX-License-Identifier: MIT
// A word has one place in the table, which it takes from whoever was there. What is hidden becomes regions of its own
// in a copy of the table of regions, so the engine reads it like any other memory.
#include "veil_global.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 4, PLACES = 1 << 14 };

//   at      the word's address, a multiple of 4
//   old     its bytes from before, of those in `mask`; last: what they are while they are away
//   stamp   when it was stored to last, 0: nobody is here; serial: of all stores, the how manieth that was
//   is_seen other clusters see it; is_away: memory has the bytes from before; is_used: it is in the list
struct hidden {
    uint64_t at;
    uint8_t old[WORD], last[WORD];
    uint32_t stamp, serial;
    uint16_t writer;
    uint8_t mask, is_seen, is_away, is_used;
};

// low, end: around all words in the table. used: the places that were taken. away: of them, those whose bytes are;
// turns: for how many turns there have been some.
struct veil_global {
    uint64_t low, end;
    uint32_t serial, count, away, turns;
    uint16_t used[PLACES];
    struct hidden place[PLACES];
};

struct veil_global *veil_global_open(void)
{
    return calloc(1, sizeof(struct veil_global));
}

void veil_global_close(struct veil_global *global)
{
    free(global);
}

static bool is_hidden(const struct hidden *hidden, const struct veil_times *times)
{
    return hidden->stamp != 0 && veil_times_hide(times, hidden->stamp, hidden->writer);
}

// --- Writing ---------------------------------------------------------------------------------------------------------

static void note_word(struct hidden *hidden, const struct veil_times *times, uint64_t word, uint32_t first,
                      uint32_t end)
{
    if (hidden->at != word || hidden->is_seen || !is_hidden(hidden, times)) hidden->mask = 0;
    hidden->at = word;
    for (uint32_t i = first; i < end; i++) {
        if (hidden->mask >> i & 1) continue;
        hidden->old[i] = __atomic_load_n((const uint8_t *)(uintptr_t)(word + i), __ATOMIC_RELAXED);
        hidden->mask = (uint8_t)(hidden->mask | 1u << i);
    }
}

void veil_global_note(struct veil_global *global, const struct veil_times *times, uint32_t now, uint32_t writer,
                      const uint8_t *at, uint64_t bytes)
{
    const uint64_t low = (uint64_t)(uintptr_t)at, end = low + bytes;
    if (global->low == global->end) global->low = global->end = low;
    if (low < global->low) global->low = low;
    if (end > global->end) global->end = end;
    global->serial++;
    for (uint64_t word = low / WORD * WORD; word < end; word += WORD) {
        struct hidden *hidden = &global->place[word / WORD % PLACES];
        note_word(hidden, times, word, word < low ? (uint32_t)(low - word) : 0,
                  end - word < WORD ? (uint32_t)(end - word) : WORD);
        hidden->stamp = now;
        hidden->serial = global->serial;
        hidden->writer = (uint16_t)writer;
        hidden->is_seen = 0;
        if (!hidden->is_used) global->used[global->count++] = (uint16_t)(word / WORD % PLACES);
        hidden->is_used = 1;
    }
}

void veil_global_lift(struct veil_global *global, uint64_t low, uint64_t end)
{
    if (end <= global->low || low >= global->end) return;
    for (uint32_t i = 0; i < PLACES; i++)
        if (global->place[i].at + WORD > low && global->place[i].at < end) global->place[i].stamp = 0;
}

void veil_global_lift_word(struct veil_global *global, uint64_t low, uint64_t end)
{
    for (uint64_t word = low / WORD * WORD; word < end; word += WORD)
        if (global->place[word / WORD % PLACES].at == word) global->place[word / WORD % PLACES].stamp = 0;
}

// --- Other clusters --------------------------------------------------------------------------------------------------

void veil_global_see(struct veil_global *global, uint64_t low, uint64_t end)
{
    for (uint64_t word = low / WORD * WORD; word < end; word += WORD)
        if (global->place[word / WORD % PLACES].at == word) global->place[word / WORD % PLACES].is_seen = 1;
}

static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return value ^ value >> 31;
}

// A cluster that only polls, by the clock, sees them in the end.
static bool is_late(const struct veil_global *global, const struct hidden *hidden, const struct veil_choice *choice)
{
    enum { MOST_TURNS = 256, PART = 4 };
    if (global->turns > MOST_TURNS) return false;
    return !choice->is_random || mixed(choice->seed + mixed(hidden->serial + ((uint64_t)global->turns << 32))) % PART;
}

static void put_away(struct hidden *hidden)
{
    for (uint32_t i = 0; i < WORD; i++) {
        uint8_t *at = (uint8_t *)(uintptr_t)(hidden->at + i);
        if (!(hidden->mask >> i & 1)) continue;
        hidden->last[i] = *at;
        *at = hidden->old[i];
    }
    hidden->is_away = 1;
}

bool veil_global_leave(struct veil_global *global, const struct veil_times *times, const struct veil_choice *choice)
{
    uint32_t left = 0, landed = 0;
    global->turns++;
    for (uint32_t i = 0; i < global->count; i++) {
        struct hidden *hidden = &global->place[global->used[i]];
        hidden->is_used = 0;
        if (hidden->is_seen || !is_hidden(hidden, times)) continue;
        hidden->is_seen = !is_late(global, hidden, choice);
        landed += hidden->is_seen;
        if (hidden->is_seen) continue;
        put_away(hidden);
        hidden->is_used = 1;
        global->used[left++] = global->used[i];
    }
    global->count = global->away = left;
    if (left == 0) global->turns = 0;
    return landed > 0;
}

// Where another has written meanwhile, its store is the later one.
static void bring_back(struct hidden *hidden)
{
    for (uint32_t i = 0; i < WORD; i++) {
        uint8_t *at = (uint8_t *)(uintptr_t)(hidden->at + i);
        if (hidden->mask >> i & 1 && *at == hidden->old[i]) *at = hidden->last[i];
    }
    hidden->is_away = 0;
}

bool veil_global_is_away(const struct veil_global *global)
{
    return global->away > 0;
}

bool veil_global_return(struct veil_global *global, bool is_for_good)
{
    const uint32_t away = global->away;
    for (uint32_t i = 0; i < global->count && away > 0; i++) {
        struct hidden *hidden = &global->place[global->used[i]];
        if (hidden->is_away) bring_back(hidden);
        if (is_for_good) hidden->is_seen = 1;
    }
    global->away = 0;
    return away > 0;
}

// --- Reading ---------------------------------------------------------------------------------------------------------

static int by_address(const void *a, const void *b)
{
    const struct hidden *one = *(const struct hidden *const *)a, *other = *(const struct hidden *const *)b;
    return one->at < other->at ? -1 : one->at > other->at;
}

// Those that are hidden and lie in the range, by address. Once nothing at all is hidden, the table is empty.
static uint32_t find_hidden(struct veil_global *global, const struct veil_times *times, uint64_t low, uint64_t end,
                            const struct hidden **found)
{
    uint32_t count = 0, all = 0;
    for (uint32_t i = 0; i < PLACES; i++) {
        const struct hidden *hidden = &global->place[i];
        if (!is_hidden(hidden, times)) continue;
        all++;
        if (hidden->at + WORD > low && hidden->at < end) found[count++] = hidden;
    }
    if (all == 0) global->low = global->end = 0;
    if (count > 0) qsort(found, count, sizeof(const struct hidden *), by_address);
    return count;
}

// A view under way: regions are added in rising order, and their bytes behind them.
struct view {
    struct global_memory global;
    struct region region[];
};

// The next bytes of the word that are in its mask, from `from` on; 0 if there are none.
static uint32_t next_bytes(const struct hidden *hidden, uint32_t *from)
{
    uint32_t bytes = 0;
    while (*from < WORD && !(hidden->mask >> *from & 1)) ++*from;
    while (*from + bytes < WORD && hidden->mask >> (*from + bytes) & 1) bytes++;
    return bytes;
}

static void add(struct view *view, const struct memory *memory, bool is_read_only)
{
    if (memory->size_bytes > 0) view->region[view->global.count++] = (struct region){*memory, is_read_only};
}

// Cuts the hidden bytes out of one region, and puts the old ones in their place.
static uint32_t cut_region(struct view *view, const struct region *region, const struct hidden **found, uint32_t count,
                           uint32_t next)
{
    struct memory left = region->memory;
    const uint64_t end = left.base + left.size_bytes;
    for (; next < count && found[next]->at < end; next++) {
        for (uint32_t from = 0, bytes; (bytes = next_bytes(found[next], &from)) > 0; from += bytes) {
            const uint64_t at = found[next]->at + from, before = at - left.base;
            if (at < left.base || at >= end) continue;
            add(view, &(struct memory){left.bytes, left.base, before}, region->is_read_only);
            add(view, &(struct memory){(uint8_t *)found[next]->old + from, at, bytes}, region->is_read_only);
            left = (struct memory){left.bytes + before + bytes, at + bytes, end - at - bytes};
        }
    }
    add(view, &left, region->is_read_only);
    return next;
}

struct global_memory *veil_global_view(struct veil_global *global, const struct veil_times *times,
                                       const struct global_memory *real, uint64_t low, uint64_t end)
{
    enum { REGIONS_OF_WORD = 4 }; // two runs of bytes at most, each with what is before it
    if (end <= global->low || low >= global->end) return NULL;
    const struct hidden **found = malloc(PLACES * sizeof(const struct hidden *));
    const uint32_t count = found == NULL ? 0 : find_hidden(global, times, low, end, found);
    struct view *view = NULL;
    if (count > 0) view = malloc(sizeof *view + (real->count + (size_t)count * REGIONS_OF_WORD) * sizeof *view->region);
    if (view != NULL) {
        view->global = (struct global_memory){view->region, 0};
        for (uint32_t i = 0, next = 0; i < real->count; i++)
            next = cut_region(view, &real->region[i], found, count, next);
    }
    free(found);
    return view == NULL ? NULL : &view->global;
}
