// SPDX-License-Identifier: MIT
// Which works of streams (launches, copies, fills, frees) have accessed which global memory, as long as the host has
// not waited for them: which accesses of two works nothing orders. Each stream is a track, on which works come one
// behind the other. What orders tracks (events, waits, default streams) its owner says by joining their times.
#ifndef TMAREF_ORDER_HISTORY_H
#define TMAREF_ORDER_HISTORY_H

#include "shadow.h"

#pragma GCC visibility push(hidden)

// How many works of each track somebody is ordered behind. All 0: none.
struct history_times {
    uint32_t *time, count;
};

// 0 without memory.
bool history_join(struct history_times *to, const struct history_times *from);
void history_forget_times(struct history_times *times);

// A work: its track, which number it is there, and behind what it is; owner: whoever tells of it.
struct history_work {
    uint32_t track, time;
    struct history_times behind;
    void *owner;
};

// Bytes of one page that a work accesses in one way at one place: a bit for each, flags of shadow.h.
enum { HISTORY_WORDS = SHADOW_PAGE_BYTES / 64 };
struct history_access {
    uint32_t work, line, flags;
    uint64_t bytes[HISTORY_WORDS];
};

// The accesses of one work to one page.
enum { HISTORY_WAYS = 32 };
struct history_set {
    uint64_t page;
    uint32_t count;
    struct history_access access[HISTORY_WAYS];
};

// Two accesses that nothing orders; newer.work 0: of the host.
struct history_found {
    const struct history_access *older, *newer;
    uint64_t address;
    uint32_t bytes; // in this page
};

struct history_page;
enum { HISTORY_HASH = 1 << 14, HISTORY_MOST_PAGES = 1 << 18 };

// is_short: there was no memory for all; pages that are not there count as not accessed.
struct history {
    void *context;
    void (*found)(void *context, const struct history_found *found);
    void (*over)(void *context, void *owner); // a work is forgotten
    uint32_t tracks, works, room, pages;
    struct history_work *work;                      // from 1 on
    struct history_times now, host;                 // now: all works
    struct history_page *page[HISTORY_HASH], *free; // free: forgotten by themselves
    struct history_slab *slab;
    bool is_short;
};

struct history *history_open(void);
void history_close(struct history *history);
uint32_t history_track(struct history *history);

// A work begins on a track, whose times it raises. Its number, 0 without memory.
uint32_t history_begin(struct history *history, uint32_t track, struct history_times *times, void *owner);

// What a work accesses: `bytes` of the 64 from `address` on. Of a launch first the strong accesses of all pages are
// met, which order it behind the launches that it met there: two launches that speak by memory.
void history_add(struct history_set *set, uint32_t line, uint32_t flags, uint64_t address, uint64_t bytes);
void history_meet(struct history *history, uint32_t work, const struct history_set *set);
void history_take(struct history *history, uint32_t work, const struct history_set *set);
void history_range(struct history *history, uint32_t work, uint64_t address, uint64_t bytes, uint32_t flags);

// The host waits for what `times` says, NULL: for all.
void history_wait(struct history *history, const struct history_times *times);

// How many of these bytes work has accessed that the host has not waited for, by no strong access. `writes`: written.
uint64_t history_pending(const struct history *history, uint64_t address, uint64_t bytes, bool writes);

// Memory is new: what was accessed there before does not count.
void history_forget(struct history *history, uint64_t address, uint64_t bytes);

#pragma GCC visibility pop

#endif
