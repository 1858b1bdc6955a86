// SPDX-License-Identifier: MIT
#include "clock.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_PARTS = 2, SLOTS_AT_ONCE = 16 };

// Where the part of a CTA is, or would be. Most clocks have heard of one.
static inline uint32_t find(const struct clock *clock, uint32_t cta)
{
    if (clock->parts == 1) return clock->part[0].cta < cta;
    uint32_t low = 0, high = clock->parts;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (clock->part[middle].cta < cta)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct clock *clock, uint32_t at, uint32_t cta)
{
    return at < clock->parts && clock->part[at].cta == cta;
}

const struct clock_part *clock_part(const struct clock *clock, uint32_t cta)
{
    const uint32_t at = find(clock, cta);
    return is_at(clock, at, cta) ? &clock->part[at] : NULL;
}

struct clock_time clock_time(const struct clock *clock, uint32_t cta, uint32_t slot)
{
    const uint32_t at = find(clock, cta);
    if (!is_at(clock, at, cta) || slot >= clock->part[at].slots) return (struct clock_time){0, 0, {0}};
    return clock->part[at].time[slot];
}

// A part without memory behind the last holds room that clock_clear() kept: it goes to whoever comes next.
static struct clock_part *insert(struct clock *clock, uint32_t at, uint32_t cta)
{
    if (clock->parts == clock->room) {
        const uint32_t room = clock->room == 0 ? FEW_PARTS : clock->room * 2;
        struct clock_part *part = realloc(clock->part, room * sizeof *part);
        if (part == NULL) return NULL;
        memset(part + clock->room, 0, (room - clock->room) * sizeof *part);
        clock->part = part;
        clock->room = room;
    }
    const struct clock_part spare = clock->part[clock->parts];
    memmove(&clock->part[at + 1], &clock->part[at], (clock->parts - at) * sizeof *clock->part);
    clock->parts++;
    clock->part[at] = (struct clock_part){cta, 0, spare.room, spare.time};
    return &clock->part[at];
}

// The part with at least `slots` slots; NULL without memory.
static struct clock_part *part_of(struct clock *clock, uint32_t cta, uint32_t slots)
{
    const uint32_t at = find(clock, cta);
    struct clock_part *part = is_at(clock, at, cta) ? &clock->part[at] : insert(clock, at, cta);
    if (part != NULL && part->room < slots) {
        const uint32_t room = (slots + SLOTS_AT_ONCE - 1) / SLOTS_AT_ONCE * SLOTS_AT_ONCE;
        struct clock_time *time = realloc(part->time, room * sizeof *time);
        if (time == NULL) {
            clock->is_short = true;
            return NULL;
        }
        part->time = time;
        part->room = room;
    }
    if (part == NULL) {
        clock->is_short = true;
        return NULL;
    }
    if (part->slots < slots) {
        memset(part->time + part->slots, 0, (slots - part->slots) * sizeof *part->time);
        part->slots = slots;
    }
    return part;
}

struct clock_time *clock_at(struct clock *clock, uint32_t cta, uint32_t slot)
{
    struct clock_part *part = part_of(clock, cta, slot + 1);
    return part != NULL ? &part->time[slot] : NULL;
}

static uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void clock_raise_generic(struct clock *clock, uint32_t cta, uint32_t slot, uint32_t time)
{
    struct clock_time *at = clock_at(clock, cta, slot);
    if (at == NULL) return;
    at->seen = greater(at->seen, time);
    at->written = greater(at->written, time);
}

void clock_raise(struct clock *clock, uint32_t cta, uint32_t slot, uint32_t time)
{
    struct clock_time *at = clock_at(clock, cta, slot);
    if (at == NULL) return;
    clock_raise_generic(clock, cta, slot, time);
    for (int fence = 0; fence < CLOCK_PUBLISHED; fence++) at->fenced[fence] = greater(at->fenced[fence], time);
}

static void join_times(struct clock_time *to, const struct clock_time *from, uint32_t slots)
{
    for (uint32_t slot = 0; slot < slots; slot++) {
        to[slot].seen = greater(to[slot].seen, from[slot].seen);
        to[slot].written = greater(to[slot].written, from[slot].written);
        for (int fence = 0; fence < CLOCK_FENCES; fence++)
            to[slot].fenced[fence] = greater(to[slot].fenced[fence], from[slot].fenced[fence]);
    }
}

static void join_seen(struct clock_time *to, const struct clock_time *from, uint32_t slots)
{
    for (uint32_t slot = 0; slot < slots; slot++) to[slot].seen = greater(to[slot].seen, from[slot].seen);
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void join_published(struct clock_time *to, const struct clock_time *from, uint32_t slots)
{
    for (uint32_t slot = 0; slot < slots; slot++) {
        const uint32_t most = from[slot].fenced[CLOCK_PUBLISHED];
        struct clock_time part = from[slot];
        part.seen = part.written = most;
        for (int fence = 0; fence < CLOCK_FENCES; fence++) part.fenced[fence] = lesser(part.fenced[fence], most);
        join_times(&to[slot], &part, 1);
    }
}

static void join(struct clock *clock, const struct clock *other,
                 void (*each)(struct clock_time *to, const struct clock_time *from, uint32_t slots))
{
    clock->is_short |= other->is_short;
    for (uint32_t i = 0; i < other->parts; i++) {
        const struct clock_part *from = &other->part[i];
        struct clock_part *to = part_of(clock, from->cta, from->slots);
        if (to == NULL) return;
        each(to->time, from->time, from->slots);
    }
}

void clock_join(struct clock *clock, const struct clock *other)
{
    join(clock, other, join_times);
}

void clock_join_seen(struct clock *clock, const struct clock *other)
{
    join(clock, other, join_seen);
}

void clock_join_published(struct clock *clock, const struct clock *other)
{
    join(clock, other, join_published);
}

void clock_copy(struct clock *clock, const struct clock *other)
{
    clock_clear(clock);
    clock->is_short |= other->is_short;
    for (uint32_t i = 0; i < other->parts; i++) {
        struct clock_part *to = part_of(clock, other->part[i].cta, other->part[i].slots);
        if (to == NULL) return;
        memcpy(to->time, other->part[i].time, other->part[i].slots * sizeof *to->time);
    }
}

void clock_clear(struct clock *clock)
{
    clock->parts = 0;
}

void clock_free(struct clock *clock)
{
    for (uint32_t i = 0; i < clock->room; i++) free(clock->part[i].time);
    free(clock->part);
    *clock = (struct clock){0, 0, false, NULL};
}

static void fence_times(struct clock_time *time, uint32_t slots, uint32_t fences)
{
    for (uint32_t slot = 0; slot < slots; slot++)
        for (uint32_t fence = 0; fence < CLOCK_FENCES; fence++)
            if (fences >> fence & 1) time[slot].fenced[fence] = time[slot].written;
}

void clock_fence(struct clock *clock, uint32_t fences)
{
    for (uint32_t i = 0; i < clock->parts; i++) fence_times(clock->part[i].time, clock->part[i].slots, fences);
}

void clock_acquire_maps(struct clock *clock)
{
    for (uint32_t i = 0; i < clock->parts; i++)
        for (uint32_t slot = 0; slot < clock->part[i].slots; slot++) {
            uint32_t *fenced = clock->part[i].time[slot].fenced;
            fenced[CLOCK_MAP_ACQUIRED] = greater(fenced[CLOCK_MAP_ACQUIRED], fenced[CLOCK_MAP_RELEASED]);
        }
}
