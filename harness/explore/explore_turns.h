// SPDX-License-Identifier: MIT
// The steps of a run whose turns were chosen, as `tmaref exec --write-delays` has written them, and which of them may
// not change places.
#ifndef TMAREF_EXPLORE_TURNS_H
#define TMAREF_EXPLORE_TURNS_H

#include <stdint.h>

#include "text.h"

// More steps of a run, and more warps and operations of all runs, are not searched.
enum { TURNS_MOST_STEPS = 4096, TURNS_MOST_ACTORS = 1024 };

// As model/machine/run/step_turns.h has them.
struct turns_mark {
    char kind;
    uint32_t place, number;
    uint64_t from, bytes;
};

// actor: who made it; may: who might have, so many; is_full: it did more than there are marks for, or `may` is not
// whole
struct turns_step {
    uint32_t actor, marks, mays;
    bool is_full;
    struct turns_mark *mark;
    uint32_t *may;
};

// Warps and operations of all runs: their names, as "1/0/2/5" (launch, cluster, warp, operation).
struct turns_actors {
    char *name[TURNS_MOST_ACTORS];
    uint32_t count;
};

// is_timed: somebody went on by the number of its tries, or by a clock, because nobody else could
// vain: before which step something was chosen that could not make one; UINT32_MAX: it never was
struct turns_run {
    struct turns_step *step;
    uint32_t steps, vain;
    bool is_timed;
};

// Reads what a run has written. 0, and `why`: there is too much of it.
bool turns_read(const char *path, struct turns_actors *actors, struct turns_run *run, struct text *why);
void turns_run_free(struct turns_run *run);
void turns_step_free(struct turns_step *step);
void turns_actors_free(struct turns_actors *actors);

// A copy without `may`; it has no marks, and is_full, if there is no memory.
struct turns_step turns_step_copy(const struct turns_step *step);

// The actor of operation `number` of a warp; UINT32_MAX: it has made no step.
uint32_t turns_operation(const struct turns_actors *actors, uint32_t warp, uint32_t number);

// Are the steps of one cluster, so that a choice can change their order?
bool turns_are_beside(const struct turns_actors *actors, uint32_t a, uint32_t b);

// May they not change places? arrivals: on one phase of an mbarrier, without bytes, they may (0: not known).
enum turns_order { TURNS_FREE, TURNS_RACE, TURNS_FIXED };
enum turns_order turns_order_of(const struct turns_run *run, uint32_t first, uint32_t second);

// Did the first tell an mbarrier that the second waited for, and then saw two phases further?
bool turns_put_off(const struct turns_run *run, uint32_t first, uint32_t second);

// The same of steps of two runs, where more is not known: is there an order?
bool turns_depend(const struct turns_step *a, const struct turns_step *b);

#endif
