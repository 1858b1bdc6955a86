// SPDX-License-Identifier: MIT
// Lanes of one warp that touch the same bytes of the CTA's shared memory, or of global memory, with nothing between
// them that lanes wait at. The clocks of model/order take a warp for one thread; this file looks inside. An instruction
// at which lanes wait for each other (bar.warp.sync, and any shuffle, vote, barrier or mma too) is taken for an order,
// so that what compilers and older code rely on is silent. An atomic, and a fence of several lanes, is a step: behind
// it lanes that go together are in order, and others not. A strong write by one lane that releases, or stands behind a
// fence, is an order for who reads by a strong access and acquires.
#ifndef TMAREF_LOOK_SANITIZE_LANES_H
#define TMAREF_LOOK_SANITIZE_LANES_H

#include "lane_log.h"
#include "sanitize_found.h"

#pragma GCC visibility push(hidden)

// Of all CTAs of a launch. NULL without memory.
struct sanitize_lanes;
struct sanitize_lanes *sanitize_lanes_open(void);

// Do lanes that execute an instruction of that form meet there?
bool sanitize_lanes_meet(uint16_t form);

// What the clocks of model/order ask of the instruction of `step`: is it .aligned; and if the kernel `releases`, who
// executes it, and which lanes have met before. A fence, an atomic, a vote or shuffle and an instruction of an mbarrier
// are no meetings there.
void sanitize_lanes_gather(struct clock_order *order, const struct machine_step *step, bool releases);

// The instruction that a warp is about to execute, the launch's `count`th; an access of lanes, with how many of them
// another lane's clashes with, or -1 without memory; a CTA that ends. older: MACHINE_LANES of them
void sanitize_lanes_before(struct sanitize_lanes *lanes, const struct machine_step *step, uint64_t count);
int sanitize_lanes_hear(struct sanitize_lanes *lanes, const struct event *event, struct sanitize_lane *older);
// The same of the rows of weak accesses to shared memory that a looker hears (looker.h).
int sanitize_lanes_rows(struct sanitize_lanes *lanes, const struct event *event, uint32_t rows, uint64_t rise,
                        struct sanitize_lane *older);
// The same of weak accesses and relaxed atomics to shared memory by lanes that lie anywhere.
int sanitize_lanes_apart(struct sanitize_lanes *lanes, const struct event *event, const uint64_t *address,
                         struct sanitize_lane *older);
void sanitize_lanes_close(struct sanitize_lanes *lanes);

#pragma GCC visibility pop

#endif
