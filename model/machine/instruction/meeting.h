// SPDX-License-Identifier: MIT
// Who waits for other lanes of his warp, and for the other CTAs of his cluster.
#ifndef TMAREF_MACHINE_MEETING_H
#define TMAREF_MACHINE_MEETING_H

#include "state.h"

#pragma GCC visibility push(hidden)

// Is the strand at an instruction of several lanes? Then `mask` says which have to come to it.
bool machine_lanes_wait(const struct machine_strand *strand, uint32_t *mask);

// Is it a vote, a shuffle or their like, which model/alu computes when all lanes of the mask are there? The mask is the
// last operand.
bool machine_lanes_meet(const struct machine_code *code);

// Does it wait at barrier.cluster?
bool machine_cluster_waits(const struct machine_strand *strand);

// Have all threads of the warp that live arrived in the phase of barrier.cluster under way?
bool machine_cluster_has_come(const struct machine_warp *warp);

#pragma GCC visibility pop

#endif
