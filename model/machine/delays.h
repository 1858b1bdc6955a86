// SPDX-License-Identifier: MIT
// Steps that come late: which warps and asynchronous operations of a launch have to wait, at which of their steps,
// until nobody else of their cluster can do anything. The policies DELAY and PCT run a launch so (docs/explore.md).
#ifndef TMAREF_MACHINE_DELAYS_H
#define TMAREF_MACHINE_DELAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)

// One of them.
//   launch        its number, from 1
//   at            of a warp: behind so many of its instructions; of an operation: which of its warp's, from 1
//   level         of two that are late, the one with the greater number comes later
struct machine_delay {
    uint64_t launch;
    uint32_t cta[3], warp;
    bool is_operation;
    uint64_t at, level;
};

// A choice: who makes the next step, a warp, or an operation of it (0: the warp itself). cluster: its number in the
// grid; warp: in the cluster, counted through its CTAs, warp 0 of each first.
struct machine_turn {
    uint64_t launch, cluster;
    uint32_t warp, operation;
};

//   is_weak   stores are hidden until a fence publishes them, and waits promise what PTX promises, as under LATE
//   of_warps, of_operations  the level of all warps from their start, and of all operations, that no item names; 0: none
//   item      by launch, CTA, warp, kind and `at`
//   are_turns nothing is late: warps and operations make one visible step at a time, as `turn` says, and behind its end in
//             turn (run/step_turns.h)
struct machine_delays {
    bool is_weak, are_turns;
    uint32_t turns;
    struct machine_turn *turn;
    uint64_t of_warps, of_operations;
    uint32_t count;
    struct machine_delay *item;
};

// Reads a file of delays. NULL, and `why` says the line and what is wrong with it, or there is no memory.
void machine_delays_free(struct machine_delays *delays);
struct machine_delays *machine_delays_load(const char *path, char *why, size_t why_bytes);

// The first line of such a file, and the line of a delay, without its end.
#define MACHINE_DELAYS_HEAD "tmaref delays 1"
enum { MACHINE_DELAY_BYTES = 160 };
void machine_delay_write(const struct machine_delay *delay, char text[MACHINE_DELAY_BYTES]);

#pragma GCC visibility pop

#endif
