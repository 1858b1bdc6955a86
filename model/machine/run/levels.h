// SPDX-License-Identifier: MIT
// A round of a cluster, and one in which some warps and operations are late (delay.h).
#ifndef TMAREF_MACHINE_LEVELS_H
#define TMAREF_MACHINE_LEVELS_H

#include "state.h"

#pragma GCC visibility push(hidden)

// What came of a round in which each warp had a turn: the instructions of the longest, and of all rounds up to now.
//   has_run     somebody did something else than poll
//   has_worked  and somebody something else than read the clock; a short turn may just not have come to it
//   is_busy     somebody has run, and not looked at memory
//   is_cut      those that are late had none
struct machine_round {
    bool has_run, has_worked, is_busy, is_stopped, is_cut;
    uint64_t longest, used;
};

// A turn of the warp, if it can do anything (grid.c).
void machine_give_turn(struct machine_warp *warp, struct machine_round *round);

// Those that are not late have a turn each; if none of them gets on, the first of the others that does, by their
// levels.
void machine_levels_round(struct machine_cluster *cluster, uint32_t warps, struct machine_round *round);

#pragma GCC visibility pop

#endif
