// SPDX-License-Identifier: MIT
// One visible step at a time: a list of delays with `turns` (delays.h) says which warp or operation makes the next one,
// and behind its end they take turns. A step is what a warp does up to its first access, arrival, meeting, issue or
// exit that others may see, or an operation from its begin to its end. Each is told as a line of such a list, with what
// it did as a comment (docs/explore.md).
#ifndef TMAREF_MACHINE_STEP_TURNS_H
#define TMAREF_MACHINE_STEP_TURNS_H

#include "delays.h"
#include "event.h"
#include "levels.h"
#include "state.h"

#pragma GCC visibility push(hidden)

enum { TURNS_MARKS = 96, TURNS_STATES = 8, TURNS_COMPLETES = 1, TURNS_BYTES = 2, TURNS_FAR = 4 };

// What a step did.
//   R W U  a read, a write, both as one, of `bytes` bytes from `from`; place: 0 is global memory, else the rank of the
//          shared memory plus 1; number: TURNS_FAR
//   T Q I  the same of an mbarrier: told, seen to be complete, made or dropped; number: TURNS_COMPLETES, TURNS_BYTES too
//   A M    came to barrier `number` of the CTA with the rank `place` in its phase `from`, left it; a m: the cluster's
//   E X    lanes of the CTA with the rank `place` ended, its last ones did
//   S      operation `number` of the warp began
struct turns_mark {
    char kind;
    uint32_t place, number;
    uint64_t from, bytes;
};

// Of a warp: the cluster's progress when it was found waiting, 0: it was not; what the cluster had changed when it came
// back to a state, plus 1; and its states since something changed.
struct turns_warp {
    uint64_t vain_at, spins_at, states_at, state[TURNS_STATES];
    uint32_t states;
};

//   observer  what the launch tells, which goes on to `next`
//   marks     of this step; is_full: there were more
//   chosen    of the list: the turn that is next; last: the warp that had the last one; is_vain: the one before `chosen`
//             could not be made yet
struct machine_turns {
    const struct machine *machine;
    struct observer observer;
    const struct observer *next;
    uint32_t marks, chosen, last;
    bool is_full, is_vain;
    struct turns_mark mark[TURNS_MARKS];
};

// NULL: no list of turns is asked for, or there is no memory. The launch then tells the observer of it.
struct machine_turns *machine_turns_open(const struct machine *machine, struct machine_launch *launch);

// One round, of one step.
void machine_turns_round(struct machine_cluster *cluster, uint32_t warps, struct machine_round *round);

// Nobody is left but operations: they end, one at a time.
void machine_turns_finish(struct machine_cluster *cluster);

// Operation `number` of a warp begins.
void machine_turns_issue(const struct machine_cluster *cluster, uint32_t number);

// A warp asks whether a phase is complete, and may do something else if it is not.
void machine_turns_ask(const struct machine_cluster *cluster);

#pragma GCC visibility pop

#endif
