// SPDX-License-Identifier: MIT
// Strands of a core dump that are alike: at the same place of the same kernel, waiting for the same in the same state,
// each in its own CTA. What is told of one goes for all.
#ifndef TMAREF_CORE_GROUP_H
#define TMAREF_CORE_GROUP_H

#include "core_state.h"

//   first     the strand that speaks for them
//   threads, strands, ctas   how many there are
struct core_group {
    const struct core_strand *first;
    uint64_t threads, strands;
    uint32_t ctas, last_cta;
};

struct core_groups {
    struct core_group *group;
    uint32_t groups;
    uint32_t *of; // of each strand
};

// The groups in the order in which they are told of: faults, then roots with the strongest reason first, then others.
// 0 if there is no memory.
bool core_groups_open(struct core_groups *groups, const struct core_state *state);
void core_groups_close(struct core_groups *groups);

#endif
