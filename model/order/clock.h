// SPDX-License-Identifier: MIT
// Vector clocks: how much of what each actor did somebody is ordered after. Actors are the slots of a CTA: its warps,
// and what operations complete on (mbarriers, groups). One clock holds the times of few CTAs: those it has heard of.
// Who has slots, and what they are worth, is clock_order.h's business.
#ifndef TMAREF_ORDER_CLOCK_H
#define TMAREF_ORDER_CLOCK_H

#include <stdbool.h>

#include "access.h"

#pragma GCC visibility push(hidden)

//   seen     ordered after everything of that actor up to this time, except what it wrote
//   written  and after what it wrote
//   fenced   the part of that that has crossed a fence since: of the async proxy, for each space of access.h; a release
//            of the tensormap proxy; such a release, and then an acquire; a fence that reaches the whole GPU
enum { CLOCK_SPACES = 2, CLOCK_MAP_RELEASED = CLOCK_SPACES, CLOCK_MAP_ACQUIRED, CLOCK_PUBLISHED, CLOCK_FENCES };
struct clock_time {
    uint32_t seen, written, fenced[CLOCK_FENCES];
};

struct clock_part {
    uint32_t cta, slots, room;
    struct clock_time *time;
};

// Parts by rising CTA. All 0: it has heard of nobody. is_short: there was no memory for a part of it.
struct clock {
    uint32_t parts, room;
    bool is_short;
    struct clock_part *part;
};

struct clock_time clock_time(const struct clock *clock, uint32_t cta, uint32_t slot);
// The part of a CTA; NULL: it has heard nothing of it.
const struct clock_part *clock_part(const struct clock *clock, uint32_t cta);

struct clock_time *clock_at(struct clock *clock, uint32_t cta, uint32_t slot); // NULL without memory

// Raises all of a slot to `time`, but for what is published; or what it saw and wrote alone, which no fence has
// crossed.
void clock_raise(struct clock *clock, uint32_t cta, uint32_t slot, uint32_t time);
void clock_raise_generic(struct clock *clock, uint32_t cta, uint32_t slot, uint32_t time);

void clock_join(struct clock *clock, const struct clock *other);
void clock_join_seen(struct clock *clock, const struct clock *other);      // nothing of what was written
void clock_join_published(struct clock *clock, const struct clock *other); // up to CLOCK_PUBLISHED
void clock_copy(struct clock *clock, const struct clock *other);
void clock_clear(struct clock *clock); // keeps its memory
void clock_free(struct clock *clock);

// What was written has crossed the fences of the mask.
void clock_fence(struct clock *clock, uint32_t fences);

// What a fence of the tensormap proxy has released is acquired.
void clock_acquire_maps(struct clock *clock);

#pragma GCC visibility pop

#endif
