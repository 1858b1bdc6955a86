// SPDX-License-Identifier: MIT
// Fences: each form of PTX becomes an event. The model has no caches that a fence could empty, so a fence changes
// nothing in it. An observer learns from the event what is ordered.
#ifndef TMAREF_FENCE_H
#define TMAREF_FENCE_H

#include "event.h"

// What the instruction `ptx` orders: "fence.acq_rel.gpu", "fence.proxy.async.shared::cta", "membar.gl",
// "fence.proxy.tensormap::generic.acquire.sys", whose caller sets `address` and `bytes`. Returns 0 if PTX has none
// such.
//   source  PTX ISA 9.1 "membar/fence" (#parallel-synchronization-and-communication-instructions-membar)
int fence_find(const char *ptx, struct event_fence *fence);

// Executes it.
void fence_tell(const struct event_fence *fence, const struct teller *teller);

#endif
