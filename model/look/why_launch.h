// SPDX-License-Identifier: MIT
// What --why keeps of a launch that runs: why_launch.c begins and ends it, and finds the place in it; why.c hears it.
#ifndef TMAREF_LOOK_WHY_LAUNCH_H
#define TMAREF_LOOK_WHY_LAUNCH_H

#include "why.h"

#pragma GCC visibility push(hidden)

// One launch. site: of each line of the PTX that wrote, its site plus 1. ended: the CTAs that ended last.
enum { WHY_LISTS = 256 };
struct look_why_launch {
    struct look_why *why;
    struct look_why_launch *next; // of those that are under way
    const struct machine *machine;
    const struct machine_cluster *cluster;
    uint64_t cluster_number;
    uint32_t facts, sites, ended_next;
    uint32_t *site;
    bool is_wanted, is_begun;
    struct why_cta *cta[WHY_LISTS];
    uint64_t ended[WHY_ENDED_CTAS];
    struct why_operation *live[WHY_LISTS];
    struct why_watch watch;
    const uint8_t *watched; // where the watched bytes are; NULL: not there
    const struct machine_cluster *watched_in;
};

void why_free_cta(struct look_why_launch *launch, uint64_t number);

#pragma GCC visibility pop

#endif
