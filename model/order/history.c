// SPDX-License-Identifier: MIT
#include "history.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

// access: in few[], as long as it has room for them.
enum { FEW = 2, SLAB = 64 };
struct history_page {
    struct history_page *next;
    uint64_t number;
    uint32_t count;
    struct history_access *access, few[FEW];
};

// Where pages are; those that were forgotten have no accesses.
struct history_slab {
    struct history_slab *next;
    uint32_t used;
    struct history_page page[SLAB];
};

// --- Times -----------------------------------------------------------------------------------------------------------

static bool reach(struct history_times *times, uint32_t count)
{
    if (times->count >= count) return true;
    uint32_t *more = realloc(times->time, count * sizeof *more);
    if (more == NULL) return false;
    memset(more + times->count, 0, (count - times->count) * sizeof *more);
    times->time = more;
    times->count = count;
    return true;
}

bool history_join(struct history_times *to, const struct history_times *from)
{
    if (!reach(to, from->count)) return false;
    for (uint32_t i = 0; i < from->count; i++)
        if (from->time[i] > to->time[i]) to->time[i] = from->time[i];
    return true;
}

void history_forget_times(struct history_times *times)
{
    free(times->time);
    *times = (struct history_times){0};
}

static bool is_behind(const struct history_times *times, const struct history_work *work)
{
    return work->track < times->count && times->time[work->track] >= work->time;
}

// --- Works -----------------------------------------------------------------------------------------------------------

struct history *history_open(void)
{
    return calloc(1, sizeof(struct history));
}

uint32_t history_track(struct history *history)
{
    return history->tracks++;
}

static void clear_page(struct history_page *page)
{
    if (page->access != page->few) free(page->access);
    page->access = page->few;
    page->count = 0;
}

static void forget_all(struct history *history)
{
    for (struct history_slab *slab = history->slab, *next; slab != NULL; slab = next) {
        next = slab->next;
        for (uint32_t i = 0; i < slab->used; i++) clear_page(&slab->page[i]);
        free(slab);
    }
    if (history->slab != NULL) memset(history->page, 0, sizeof history->page);
    history->slab = NULL;
    history->free = NULL;
    history->pages = 0;
    for (uint32_t i = 1; i <= history->works; i++) {
        history_forget_times(&history->work[i].behind);
        if (history->over != NULL) history->over(history->context, history->work[i].owner);
    }
    history->works = 0;
}

void history_close(struct history *history)
{
    if (history == NULL) return;
    forget_all(history);
    history_forget_times(&history->now);
    history_forget_times(&history->host);
    free(history->work);
    free(history);
}

static struct history_work *work_room(struct history *history)
{
    if (history->works + 1 >= history->room) {
        const uint32_t room = history->room == 0 ? 64 : 2 * history->room;
        struct history_work *more = realloc(history->work, room * sizeof *more);
        if (more == NULL) return NULL;
        history->work = more;
        history->room = room;
    }
    return &history->work[history->works + 1];
}

uint32_t history_begin(struct history *history, uint32_t track, struct history_times *times, void *owner)
{
    struct history_work *work = work_room(history);
    bool ok = work != NULL && reach(times, track + 1) && history_join(times, &history->host);
    if (ok) {
        *work = (struct history_work){.track = track, .time = ++times->time[track], .owner = owner};
        ok = history_join(&work->behind, times) && history_join(&history->now, times);
    }
    if (!ok) history->is_short = true;
    return ok ? ++history->works : 0;
}

// Once the host has waited for all, nothing is left that later works could meet.
void history_wait(struct history *history, const struct history_times *times)
{
    if (!history_join(&history->host, times != NULL ? times : &history->now)) history->is_short = true;
    for (uint32_t i = 0; i < history->now.count; i++)
        if (i >= history->host.count || history->host.time[i] < history->now.time[i]) return;
    forget_all(history);
}

// --- Pages -----------------------------------------------------------------------------------------------------------

static struct history_page **slot_of(struct history *history, uint64_t number)
{
    struct history_page **at = &history->page[(number ^ number >> 14) % HISTORY_HASH];
    while (*at != NULL && (*at)->number != number) at = &(*at)->next;
    return at;
}

// NULL without memory.
static struct history_page *new_page(struct history *history)
{
    struct history_slab *slab = history->slab;
    if (slab == NULL || slab->used == SLAB) {
        if ((slab = malloc(sizeof *slab)) == NULL) return NULL;
        slab->used = 0;
        slab->next = history->slab;
        history->slab = slab;
    }
    return &slab->page[slab->used++];
}

static struct history_page *page_of(struct history *history, uint64_t number)
{
    struct history_page **at = slot_of(history, number);
    if (*at != NULL || history->pages >= HISTORY_MOST_PAGES) return *at;
    struct history_page *page = history->free != NULL ? history->free : new_page(history);
    if (page == NULL) return NULL;
    if (page == history->free) history->free = page->next;
    page->next = NULL;
    page->number = number;
    page->count = 0;
    page->access = page->few;
    history->pages++;
    return *at = page;
}

static bool is_clear(const struct history_access *access)
{
    uint64_t any = 0;
    for (int i = 0; i < HISTORY_WORDS; i++) any |= access->bytes[i];
    return any == 0;
}

// The first byte that both touch, and how many; 0: none.
static uint32_t overlap(const struct history_access *one, const struct history_access *other, uint32_t *first)
{
    uint32_t count = 0;
    for (uint32_t i = HISTORY_WORDS; i-- > 0;) {
        const uint64_t both = one->bytes[i] & other->bytes[i];
        if (both != 0) *first = 64 * i + (uint32_t)__builtin_ctzll(both);
        count += (uint32_t)__builtin_popcountll(both);
    }
    return count;
}

// Where there is no room for one more, all leave few[]. 0 without memory.
static int keep_few(struct history_page *page, const struct history_access *access)
{
    if (page->count < FEW) {
        page->few[page->count++] = *access;
        return 1;
    }
    struct history_access *const all = malloc(sizeof page->few); // as many as an array of FEW has room for
    if (all == NULL) return 0;
    page->access = memcpy(all, page->few, sizeof page->few);
    return ARRAY_ADD(page->access, page->count, *access);
}

static int keep(struct history_page *page, const struct history_access *access)
{
    for (uint32_t i = 0; i < page->count; i++) {
        struct history_access *one = &page->access[i];
        if (one->work != access->work || one->line != access->line || one->flags != access->flags) continue;
        for (int w = 0; w < HISTORY_WORDS; w++) one->bytes[w] |= access->bytes[w];
        return 1;
    }
    return page->access == page->few ? keep_few(page, access) : ARRAY_ADD(page->access, page->count, *access);
}

static const struct history_times *times_of(const struct history *history, uint32_t work)
{
    return work != 0 ? &history->work[work].behind : &history->host;
}

static void judge(const struct history *history, const struct history_page *page, const struct history_access *older,
                  const struct history_access *newer)
{
    struct history_found found = {.older = older, .newer = newer};
    uint32_t first = 0;
    if (older->work == newer->work || !shadow_flags_clash(older->flags, newer->flags)) return;
    if (is_behind(times_of(history, newer->work), &history->work[older->work])) return;
    found.bytes = overlap(older, newer, &first);
    found.address = page->number * SHADOW_PAGE_BYTES + first;
    if (found.bytes > 0 && history->found != NULL) history->found(history->context, &found);
}

// A write stands for what it comes behind, a read for reads of the same kind; what the host has waited for is over.
static void drop_older(const struct history *history, struct history_page *page, const struct history_access *newer)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < page->count; i++) {
        struct history_access *one = &page->access[i];
        const struct history_work *work = &history->work[one->work];
        const bool may_stand = (newer->flags & SHADOW_WRITES) || newer->flags == one->flags,
                   stands = may_stand && one->work != newer->work && is_behind(times_of(history, newer->work), work);
        for (int w = 0; stands && w < HISTORY_WORDS; w++) one->bytes[w] &= ~newer->bytes[w];
        if (is_clear(one) || is_behind(&history->host, work)) continue;
        page->access[kept++] = *one;
    }
    page->count = kept;
}

void history_take(struct history *history, uint32_t work, const struct history_set *set)
{
    struct history_page *page = *slot_of(history, set->page);
    for (uint32_t i = 0; page != NULL && i < set->count; i++)
        for (uint32_t k = 0; k < page->count; k++) judge(history, page, &page->access[k], &set->access[i]);
    if (work == 0) return;
    page = page_of(history, set->page);
    if (page == NULL) {
        history->is_short = true;
        return;
    }
    for (uint32_t i = 0; i < set->count; i++) drop_older(history, page, &set->access[i]);
    for (uint32_t i = 0; i < set->count; i++)
        if (!keep(page, &set->access[i])) history->is_short = true;
}

void history_meet(struct history *history, uint32_t work, const struct history_set *set)
{
    const struct history_page *page = *slot_of(history, set->page);
    struct history_work *met = &history->work[work];
    for (uint32_t i = 0; page != NULL && i < set->count; i++)
        for (uint32_t k = 0; k < page->count; k++) {
            const struct history_access *older = &page->access[k], *newer = &set->access[i];
            uint32_t first;
            const bool speak = (older->flags & newer->flags & SHADOW_STRONG) &&
                               ((older->flags | newer->flags) & SHADOW_WRITES) && older->work != work &&
                               overlap(older, newer, &first) > 0;
            if (speak && !history_join(&met->behind, &history->work[older->work].behind)) history->is_short = true;
        }
}

// --- Accesses --------------------------------------------------------------------------------------------------------

// Beyond HISTORY_WAYS places the last stands for all of its kind.
void history_add(struct history_set *set, uint32_t line, uint32_t flags, uint64_t address, uint64_t bytes)
{
    struct history_access *found = NULL;
    const uint32_t at = (uint32_t)(address % SHADOW_PAGE_BYTES);
    for (uint32_t i = 0; i < set->count; i++) {
        struct history_access *one = &set->access[i];
        if (one->flags == flags && (one->line == line || (set->count == HISTORY_WAYS && found == NULL))) found = one;
    }
    if (found == NULL && set->count < HISTORY_WAYS) {
        found = &set->access[set->count++];
        *found = (struct history_access){.line = line, .flags = flags};
    }
    if (found != NULL) found->bytes[at / 64] |= bytes;
}

// Bits `from` up to before `to` of a page.
static void fill(uint64_t bytes[HISTORY_WORDS], uint64_t from, uint64_t to)
{
    for (uint64_t i = 0; i < HISTORY_WORDS; i++) {
        const uint64_t low = from > 64 * i ? from - 64 * i : 0, high = to > 64 * i ? to - 64 * i : 0;
        if (low >= 64 || high <= low) continue;
        const uint64_t below = high >= 64 ? UINT64_MAX : (UINT64_C(1) << high) - 1;
        bytes[i] |= below & ~((UINT64_C(1) << low) - 1);
    }
}

void history_range(struct history *history, uint32_t work, uint64_t address, uint64_t bytes, uint32_t flags)
{
    struct history_set set;
    set.count = 1;
    for (uint64_t done = 0, step; done < bytes; done += step) {
        const uint64_t at = (address + done) % SHADOW_PAGE_BYTES;
        step = SHADOW_PAGE_BYTES - at < bytes - done ? SHADOW_PAGE_BYTES - at : bytes - done;
        set.page = (address + done) / SHADOW_PAGE_BYTES;
        set.access[0] = (struct history_access){.work = work, .flags = flags};
        fill(set.access[0].bytes, at, at + step);
        history_take(history, work, &set);
    }
}

// Of the 64 bytes of a word of the page, those that work which the host has not waited for has accessed.
static uint64_t pending_of(const struct history *history, const struct history_page *page, int word, bool writes)
{
    uint64_t pending = 0, strong = 0;
    for (uint32_t i = 0; i < page->count; i++) {
        const struct history_access *one = &page->access[i];
        if (is_behind(&history->host, &history->work[one->work])) continue;
        if (!writes || (one->flags & SHADOW_WRITES)) pending |= one->bytes[word];
        if (one->flags & SHADOW_STRONG) strong |= one->bytes[word];
    }
    return pending & ~strong;
}

uint64_t history_pending(const struct history *history, uint64_t address, uint64_t bytes, bool writes)
{
    uint64_t found = 0;
    for (uint64_t done = 0, step; done < bytes; done += step) {
        const uint64_t at = (address + done) % SHADOW_PAGE_BYTES, number = (address + done) / SHADOW_PAGE_BYTES;
        const struct history_page *page = history->page[(number ^ number >> 14) % HISTORY_HASH];
        uint64_t asked[HISTORY_WORDS] = {0};
        step = SHADOW_PAGE_BYTES - at < bytes - done ? SHADOW_PAGE_BYTES - at : bytes - done;
        fill(asked, at, at + step);
        while (page != NULL && page->number != number) page = page->next;
        for (int w = 0; page != NULL && w < HISTORY_WORDS; w++)
            found += (uint64_t)__builtin_popcountll(asked[w] & pending_of(history, page, w, writes));
    }
    return found;
}

void history_forget(struct history *history, uint64_t address, uint64_t bytes)
{
    const uint64_t first = address / SHADOW_PAGE_BYTES, last = (address + bytes - 1) / SHADOW_PAGE_BYTES;
    for (uint32_t i = 0; history->pages > 0 && bytes > 0 && i < HISTORY_HASH; i++)
        for (struct history_page **at = &history->page[i]; *at != NULL;) {
            struct history_page *page = *at;
            if (page->number < first || page->number > last) {
                at = &page->next;
                continue;
            }
            *at = page->next;
            clear_page(page);
            page->next = history->free;
            history->free = page;
            history->pages--;
        }
}
