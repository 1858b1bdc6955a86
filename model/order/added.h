// SPDX-License-Identifier: MIT
// Bytes of global memory that CTAs which are followed by themselves (apart.h) change by relaxed atomics, where barriers
// of all are the only order within a CTA (between.h). All may do so; who accesses such bytes otherwise, at any time of
// the launch, may be wrong. The scopes of the atomics reach all threads.
#ifndef TMAREF_ORDER_ADDED_H
#define TMAREF_ORDER_ADDED_H

#include "apart.h"

#pragma GCC visibility push(hidden)

struct order_added;

struct order_added *order_added_open(struct order_apart *apart); // NULL without memory
void order_added_close(struct order_added *added);

// An atomic of so many bytes by one thread. line: of the PTX. 0: nobody had touched the memory before the launch, or
// atomics of another size are near; or it cannot be known.
bool order_added_use(struct order_added *added, uint64_t address, uint64_t bytes, uint32_t line);

// All of them go to the launch's pages.
void order_added_give(struct order_added *added);

#pragma GCC visibility pop

#endif
