// SPDX-License-Identifier: MIT
// Vector clocks: how much of what each actor did somebody is ordered after. Actors are the slots of a CTA: its warps,
// and what operations complete on (mbarriers, groups). One clock holds the times of few CTAs: those it has heard of.
// Who has slots, and what they are worth, is clock_order.h's business.
#ifndef TMAREF_ORDER_CLOCK_H
#define TMAREF_ORDER_CLOCK_H

#include "access.h"

#pragma GCC visibility push(hidden)

//   seen     ordered after everything of that actor up to this time, except what it wrote
//   written  and after what it wrote
//   fenced   the part of that that has crossed a fence of the async proxy since, for each space of access.h
enum { CLOCK_SPACES = 2 };
struct clock_time {
    uint32_t seen, written, fenced[CLOCK_SPACES];
};

struct clock_part {
    uint32_t cta, slots, room;
    struct clock_time *time;
};

// Parts by rising CTA. All 0: it has heard of nobody. is_short: there was no memory for a part of it.
struct clock {
    uint32_t parts, room;
    int is_short;
    struct clock_part *part;
};

struct clock_time clock_time(const struct clock *clock, uint32_t cta, uint32_t slot);
struct clock_time *clock_at(struct clock *clock, uint32_t cta, uint32_t slot); // NULL without memory

// Raises all of a slot to `time`.
void clock_raise(struct clock *clock, uint32_t cta, uint32_t slot, uint32_t time);

void clock_join(struct clock *clock, const struct clock *other);
void clock_join_seen(struct clock *clock, const struct clock *other); // nothing of what was written
void clock_copy(struct clock *clock, const struct clock *other);
void clock_clear(struct clock *clock); // keeps its memory
void clock_free(struct clock *clock);

// What was written has crossed a fence, in the spaces of the mask.
void clock_fence(struct clock *clock, uint32_t spaces);

#pragma GCC visibility pop

#endif
