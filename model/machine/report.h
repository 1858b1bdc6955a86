// SPDX-License-Identifier: MIT
// How a launch ends before its time: the first who says so is heard.
#ifndef TMAREF_MACHINE_REPORT_H
#define TMAREF_MACHINE_REPORT_H

#include "state.h"

#pragma GCC visibility push(hidden)

// Where lane `lane` of the strand is, at `code` (NULL: at its pc).
struct machine_where machine_where(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane);

// Ends the launch as `outcome` says (kind, rule, where, message), if nobody has.
void machine_end(struct machine *machine, const struct machine_outcome *outcome);

// Ends it as hung: who waits for what, of all clusters given.
void machine_hang(struct machine *machine, struct machine_cluster *const *cluster, uint32_t clusters);

#pragma GCC visibility pop

#endif
