// SPDX-License-Identifier: MIT
// Sentences on mbarriers, for people. What a hang says of them: hang_text.c.
#ifndef TMAREF_MACHINE_EXPLAIN_H
#define TMAREF_MACHINE_EXPLAIN_H

#include "state.h"

#pragma GCC visibility push(hidden)

// All mbarriers of the CTA of rank `rank` that were made and not dropped, with their ledgers. Returns the length, 0 if
// there is none.
size_t machine_mbarriers_explain(struct machine_cluster *cluster, uint32_t rank, char *text, size_t bytes);

// The mbarrier at which an instruction of the strand broke `rule`, before the instruction: its state and its ledger,
// each line behind a new line. Returns the length, 0 if there are no bytes of a barrier.
size_t machine_mbarrier_fault_explain(const struct machine_strand *strand, uint32_t rank, uint32_t address,
                                      enum rule rule, char *text, size_t bytes);

#pragma GCC visibility pop

#endif
