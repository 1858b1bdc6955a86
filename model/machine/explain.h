// SPDX-License-Identifier: MIT
// Sentences on mbarriers, for people. What a hang says of the barrier that a warp waits for: flights.h.
#ifndef TMAREF_MACHINE_EXPLAIN_H
#define TMAREF_MACHINE_EXPLAIN_H

#include "state.h"

#pragma GCC visibility push(hidden)

// All mbarriers of the CTA of rank `rank` that were made and not dropped, with their ledgers. Returns the length, 0 if
// there is none.
size_t machine_mbarriers_explain(struct machine_cluster *cluster, uint32_t rank, char *text, size_t bytes);

#pragma GCC visibility pop

#endif
