// SPDX-License-Identifier: MIT
// Under DELAY and PCT: which warps and operations of a cluster are late now. Each has a level: 0, it goes on as under
// DEFAULT; else it waits until nobody with a smaller one can do anything. Under PCT all warps have one from their
// start, by the seed, each operation has one or none, and warps get a new one at some instructions; DELAY has what a
// list says. A kernel that reads a clock has no late warps: it may wait for a time.
#ifndef TMAREF_MACHINE_DELAY_H
#define TMAREF_MACHINE_DELAY_H

#include "delays.h"
#include "state.h"

#pragma GCC visibility push(hidden)

enum { MACHINE_DELAY_POINTS = 15 };

// What a delay saw of another warp when it began.
struct delay_seen {
    uint64_t executed;
    uint32_t line, called_at;
};

// A delay that has begun and not ended, of which the end is told. line: where what is late was.
struct delay_wait {
    struct delay_wait *next;
    struct machine_delay delay;
    uint32_t warp, line, called_at;
    struct delay_seen seen[]; // of each warp
};

//   next   how many instructions the warp has executed when its level becomes `then`; UINT64_MAX: never
struct delay_warp {
    uint64_t level, executed, next, then;
    uint32_t operations;
};

//   warp    of all CTAs, as the rounds number them; order: all of them, by rising level
//   point   of PCT: where warps get a new level
//   still   how many instructions the cluster had executed when something changed last
struct machine_delayed {
    uint64_t random;
    uint32_t warps, points;
    struct {
        uint32_t warp;
        uint64_t at;
    } point[MACHINE_DELAY_POINTS];
    struct delay_warp *warp;
    uint32_t *order;
    uint64_t changes, still;
    struct delay_wait *wait;
    struct turns_warp *turns; // NULL: no list of turns is followed
};

// At the begin and the end of a cluster. 0 if there is no memory. Under other policies there is nothing to do.
bool machine_delay_begin(struct machine_cluster *cluster);
void machine_delay_end(struct machine_cluster *cluster);

// How many instructions the turn of a warp may have, which without delays would have `most`; it has executed `used`.
uint32_t machine_delay_turn(const struct machine_warp *warp, uint32_t most);
void machine_delay_ran(struct machine_warp *warp, uint64_t used);

// The level of a warp now, by its number in the cluster.
uint64_t machine_delay_level(const struct machine_cluster *cluster, uint32_t warp);

// Has nothing changed for so long that even those that are late get turns?
bool machine_delay_is_over(struct machine_cluster *cluster);

// An operation of a warp is issued: its number among the warp's operations, and its level. It ends.
uint64_t machine_delay_issue(struct machine_warp *warp, uint32_t line, uint32_t *number);
void machine_delay_ends(struct machine_warp *warp, uint32_t number);

#pragma GCC visibility pop

#endif
