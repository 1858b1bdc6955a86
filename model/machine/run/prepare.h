// SPDX-License-Identifier: MIT
// Before the first cluster of a launch: what is refused, what is mapped, how many clusters run side by side.
#ifndef TMAREF_MACHINE_PREPARE_H
#define TMAREF_MACHINE_PREPARE_H

#include "state.h"

#pragma GCC visibility push(hidden)

// Fills in a machine that knows its launch and its outcome, which says why if this returns 0.
bool machine_prepare(struct machine *machine);
void machine_unprepare(struct machine *machine);

// One table of all that is mapped: what is given, the module's variables, the heap and the parameters. What was mapped
// before stays known to who has found it. 0 if there is no memory.
bool machine_map_memory(struct machine *machine, const struct global_memory *given);

// How many clusters an H200 runs at once, at least one: a launch whose CTAs wait for each other goes on.
uint32_t machine_most_residents(const struct machine *machine);

#pragma GCC visibility pop

#endif
