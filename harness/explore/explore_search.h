// SPDX-License-Identifier: MIT
// What the runs of a search share.
#ifndef TMAREF_EXPLORE_SEARCH_H
#define TMAREF_EXPLORE_SEARCH_H

#include "explore.h"

// steps: of a warp, as the first run with PCT has said; 0: it has not yet
struct search {
    const struct explore_plan *plan;
    struct explore_result *result;
    struct text *why;
    uint64_t steps;
    double begun;
};

// Is there budget for another run?
bool explore_may_go_on(const struct search *search);

// One run, counted; 0 if it cannot be.
int explore_once(struct search *search, struct explore_how *how);

// Tries every order of steps, up to the first that fails. 0 if it cannot be.
int explore_all_orders(struct search *search, struct explore_how *how);

// The first run of a plan with `paths`, and then the search of what synchronises in it. 0 if it cannot be.
int explore_paths_once(struct search *search, struct explore_how *how);
int explore_paths_search(struct search *search);

#endif
