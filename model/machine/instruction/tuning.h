// SPDX-License-Identifier: MIT
// For the report of a hang: what a warp has and lacks that waits at setmaxnreg.
#ifndef TMAREF_MACHINE_TUNING_H
#define TMAREF_MACHINE_TUNING_H

#include "state.h"

#pragma GCC visibility push(hidden)

// Empty if the strand is at another instruction. Returns the length.
size_t machine_registers_explain(const struct machine_strand *strand, char *text, size_t bytes);

#pragma GCC visibility pop

#endif
