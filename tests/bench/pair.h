// SPDX-License-Identifier: MIT
// Two pieces of work side by side in one run: alternating rounds, the ratio of their speeds in CPU time, its median and
// spread.
#ifndef TMAREF_PAIR_H
#define TMAREF_PAIR_H

#include <stddef.h>

// One side: does its whole work once. `context` is whatever it needs.
struct pair_side {
    const char *name;
    void (*work)(void *context);
};

// Runs `rounds` (odd, at most 99) alternating rounds after one to warm up. Prints a line: what, the rates of both sides
// in units per second (`units` of work a round), and how many times as fast `ours` is. Returns the median ratio.
double pair_measure(const char *what, struct pair_side ours, struct pair_side theirs, void *context, double units,
                    const char *unit, int rounds);

#endif
