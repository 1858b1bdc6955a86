// SPDX-License-Identifier: MIT
// For the report of a hang: what a warp has and lacks that waits at setmaxnreg.
#ifndef TMAREF_MACHINE_TUNING_H
#define TMAREF_MACHINE_TUNING_H

#include "state.h"

#pragma GCC visibility push(hidden)

// Does the strand wait for registers? Then `wanted` are those of each thread that it asks for, and `free` those that it
// can have: its own, and what is free in its quarter of the SM.
bool machine_registers_wait(const struct machine_strand *strand, uint32_t *wanted, uint32_t *free);

#pragma GCC visibility pop

#endif
