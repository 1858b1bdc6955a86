// SPDX-License-Identifier: MIT
// How a strand goes on before the eyes of a looker.
#ifndef TMAREF_MACHINE_SEEN_H
#define TMAREF_MACHINE_SEEN_H

#include "going.h"
#include "looker.h"

#pragma GCC visibility push(hidden)

// As machine_go_along(). Evenly, where the looker skips plain instructions.
enum machine_next machine_go_on_seen(struct machine_strand *strand, struct machine_going *going,
                                     const struct machine_looker *looker);

// One instruction, for `lanes`, of which there are some.
enum machine_next machine_run_seen(struct machine_strand *strand, struct machine_going *going, uint32_t lanes,
                                   const struct machine_looker *looker);

// A load or store by a ramp of an even warp.
enum machine_even machine_move_seen(struct machine_strand *strand, const struct machine_ramp_code *as,
                                    const struct machine_code *code, const struct machine_looker *looker);

// Who looks at a cluster that this thread of the host runs. 0 without memory.
bool machine_set_lookers(struct machine_cluster *cluster, uint32_t thread);

#pragma GCC visibility pop

#endif
