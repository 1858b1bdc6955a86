// SPDX-License-Identifier: MIT
// Who looks on while a launch runs, instruction by instruction: statistics, coverage, timelines, breakpoints
// (model/look). It costs one branch where nobody looks; where somebody does, instructions run one at a time (but for
// those that he skips), on one thread of the host unless each has a looker (struct machine_views). What memory and
// barriers see is told to observers (core/event.h).
#ifndef TMAREF_MACHINE_LOOKER_H
#define TMAREF_MACHINE_LOOKER_H

#include "state.h"

#pragma GCC visibility push(hidden)

struct machine_flight;

// One instruction of a warp, and the lanes that execute it.
struct machine_step {
    const struct machine_strand *strand; // not valid any more in after()
    const struct machine_warp *warp;
    const struct machine_function *function;
    const struct machine_code *code;
    uint32_t lanes;
};

// Rows of an access, and warps that do the same, each `warp_rise` behind the one before it.
struct machine_rows {
    uint32_t rows, warps;
    uint64_t rise, warp_rise;
};

//   before   the instruction is about to be executed
//   after    it was, or it waits and comes again (MACHINE_WAIT)
//   flight   an asynchronous operation is issued (begins), or is done
//   skips_plain  before() and after() may leave out instructions that only compute, for all lanes of a strand
//   rows     NULL, or it hears, in place of the observer, the weak reads and writes of lanes: `rows` times what the event
//            says, each `rise` behind the one before, by all lanes in their order; or one row, by the event's `lanes`.
//            Of global memory also the same of several warps, from the event's on. Then CTAs may take courses (course.h)
//   lanes    NULL, or the same of lanes that lie anywhere: the bytes that the event says at the address of each; also
//            of relaxed atomics
//   ended    the launch ends before its time at `code` of this strand (NULL: at its pc), for the thread of `lane`; or
//            in a hang, where this strand waits
struct machine_looker {
    void *context;
    bool skips_plain;
    void (*before)(void *context, const struct machine_step *step);
    void (*after)(void *context, const struct machine_step *step, enum machine_next next);
    void (*flight)(void *context, const struct machine_flight *flight, int begins);
    void (*rows)(void *context, const struct event *event, const struct machine_rows *rows);
    void (*lanes)(void *context, const struct event *event, const uint64_t *address);
    void (*ended)(void *context, const struct machine_strand *strand, const struct machine_code *code, uint32_t lane);
};

// The looker of the cluster, NULL if there is none.
static inline const struct machine_looker *machine_looker(const struct machine_cluster *cluster)
{
    return cluster->looker;
}

// Does somebody hear of or look at all instructions of the launch, also those that only compute?
static inline bool machine_shows_plain(const struct machine_launch *launch)
{
    return launch->looker != NULL ? !launch->looker->skips_plain : launch->observer != NULL;
}

// The line of the PTX that issued it.
uint32_t machine_flight_line(const struct machine_flight *flight);

// The cluster's clock at the instruction that is executed now. Warps run side by side: what one warp does may bear an
// earlier time than what another did in its turn before, in the same round.
static inline uint64_t machine_now(const struct machine_cluster *cluster)
{
    return cluster->time + cluster->ahead;
}

#pragma GCC visibility pop

#endif
