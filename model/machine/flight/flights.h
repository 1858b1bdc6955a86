// SPDX-License-Identifier: MIT
// The asynchronous engine of a cluster: operations that were issued and are not done. Whoever runs the cluster opens
// it, gives it turns, and asks it when nobody else can go on; instructions issue into it and wait for it
// (flight_item.h).
//
// When an operation advances is the schedule's choice (machine.h):
//   DEFAULT   at each turn the oldest moves on by a piece
//   EARLY     all of it at its issue
//   LATE      when a wait demands it, or nobody else can go on
//   SHUFFLED  at some turns any of them moves on by a piece of any size; the copies of a multicast go apart
// A kernel that waits by the clock sees what an H200 has done by then: under every schedule an operation has ended when
// LATEST_CLOCKS (flights.c) have passed since its issue in which threads read a clock or slept.
#ifndef TMAREF_FLIGHTS_H
#define TMAREF_FLIGHTS_H

#include "state.h"

#pragma GCC visibility push(hidden)

// Opens the engine of a cluster whose CTAs and memories are in place, or the one that it had before its end, anew; 0 if
// there is no memory. The end drops what is under way; closing gives all back.
bool machine_flights_open(struct machine_cluster *cluster);
void machine_flights_end(struct machine_cluster *cluster);
void machine_flights_close(struct machine_cluster *cluster);

// A turn: a warp has run for a while, or has yielded.
void machine_flights_turn(struct machine_cluster *cluster);

// The CTAs of the cluster have met, which takes time.
void machine_flights_meet(struct machine_cluster *cluster);

// Under DELAY and PCT: the smallest level of what is under way and can move, UINT64_MAX: there is nothing; that one
// moves.
uint64_t machine_flights_level(const struct machine_cluster *cluster);
void machine_flights_move_late(struct machine_cluster *cluster);

// Under a list of turns: of those that can move now, the one of place `place`, as the number of its warp in the cluster
// and its number there. 0: there are not as many. And one moves, from its begin to its end; 0 if it cannot now.
bool machine_flights_ready(const struct machine_cluster *cluster, uint32_t place, uint32_t *warp, uint32_t *number);
bool machine_flights_move_one(struct machine_cluster *cluster, uint32_t warp, uint32_t number);

// Nobody can go on: something that is under way moves on. 0 if nothing can: then the cluster hangs.
bool machine_flights_force(struct machine_cluster *cluster);

// A round is over. A kernel has let so many clocks pass in it on purpose: it looked at the clock, or slept; else 0.
// What was issued long enough ago ends.
void machine_flights_age(struct machine_cluster *cluster, uint64_t clocks);

// Everything that is under way ends: all CTAs of the cluster have exited.
void machine_flights_finish(struct machine_cluster *cluster);

// The registers of `frame` go away: what is under way and has to do with them ends first.
void machine_flights_leave(struct machine_warp *warp, const struct machine_frame *frame);

// Does the strand wait for a product of its warpgroup? Then bit w of `missing`: warp w of the four has not come to it.
bool machine_products_wait(const struct machine_strand *strand, uint32_t *missing);

#pragma GCC visibility pop

#endif
