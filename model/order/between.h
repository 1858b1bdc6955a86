// SPDX-License-Identifier: MIT
// CTAs that are followed by themselves (apart.h), one after the other, whose warps access memory by weak reads and
// writes and by relaxed atomics alone, and meet at barriers of the CTA. A barrier at which all have come that have
// accessed memory orders all before all behind it. So of each byte of shared memory it is enough to know who has
// accessed it since the last one; of global memory stamps.h knows as much. This says only whether something may be
// wrong: then the clusters are followed together (order_apart_end), by the cells, which say what. It knows of no other
// order: where warps make one, it may say so of a right program.
#ifndef TMAREF_ORDER_BETWEEN_H
#define TMAREF_ORDER_BETWEEN_H

#include "clock_order.h"

#pragma GCC visibility push(hidden)

struct order_between;

// warps: of each CTA, ORDER_MOST_WARPS at most. NULL without memory.
struct order_between *order_between_open(uint32_t warps, struct order_apart *apart);
void order_between_close(struct order_between *between);
struct order_stamps *order_between_stamps(const struct order_between *between);
void order_between_give(struct order_between *between); // all of global memory goes to the launch's pages

// Of an order with `between` and `apart`: an event, which no clocks hear; an access of as many bytes in each of `rows`
// rows, each `rise` behind the one before it. Lanes of global memory that lie side by side or at one place are one row,
// by the lanes of the event; of several rows, each is of as many lanes of the warp.
void order_between_hear(struct clock_order *order, const struct event *event);
void order_between_rows(struct clock_order *order, const struct event *event, uint32_t rows, uint64_t rise);

// The same of all lanes of `warps` warps from the event's on, each `warp_rise` behind the one before it, in global
// memory.
void order_between_warps(struct clock_order *order, const struct event *event, uint32_t rows, uint64_t rise,
                         uint32_t warps, uint64_t warp_rise);

// An access by lanes that lie anywhere: as many bytes of each, at its address.
void order_between_lanes(struct clock_order *order, const struct event *event, const uint64_t *address);

#pragma GCC visibility pop

#endif
