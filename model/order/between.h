// SPDX-License-Identifier: MIT
// Shared memory of CTAs that are followed by themselves (apart.h), one after the other, where warps of the CTA alone
// access it, by weak reads and writes, and meet at barriers of the CTA. A barrier at which all have come that have
// accessed it orders all before all behind it. So of each byte it is enough to know who has accessed it since the last
// one. This says only whether something may be wrong: then the clusters are followed together (order_apart_end), by the
// cells, which say what. It knows of no other order: where warps make one, it may say so of a right program.
#ifndef TMAREF_ORDER_BETWEEN_H
#define TMAREF_ORDER_BETWEEN_H

#include "clock_order.h"

#pragma GCC visibility push(hidden)

struct order_between;

// warps: of each CTA, ORDER_MOST_WARPS at most. NULL without memory.
struct order_between *order_between_open(uint32_t warps);
void order_between_close(struct order_between *between);

// Of an order with `between` and `apart`: an access to shared memory, of as many bytes in each of `rows` rows, each
// `rise` behind the one before it; a meeting, before its clocks are joined; the CTA ends.
void order_between_rows(struct clock_order *order, const struct event *event, uint32_t rows, uint64_t rise);
void order_between_meet(struct clock_order *order, const struct event *event);
void order_between_exit(struct clock_order *order);

#pragma GCC visibility pop

#endif
