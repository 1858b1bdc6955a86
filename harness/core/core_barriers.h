// SPDX-License-Identifier: MIT
// All mbarriers of a core dump that the machine code names: where it initialises one, arrives at one or waits for one.
#ifndef TMAREF_CORE_BARRIERS_H
#define TMAREF_CORE_BARRIERS_H

#include "core_state.h"

struct core_barrier {
    uint32_t cta, address;
    uint64_t word;
};

struct core_barriers {
    struct core_barrier *barrier; // by CTA, then by address
    uint32_t barriers;
};

// Of an array with an index, each of its words is one. Only those whose word is in the dump. 0 if there is no memory.
bool core_barriers_open(struct core_barriers *barriers, const struct core_state *state);
void core_barriers_close(struct core_barriers *barriers);

#endif
