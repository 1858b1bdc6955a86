// SPDX-License-Identifier: MIT
// The slots of a warp: constants, and the special registers that the kernel reads.
#ifndef TMAREF_MACHINE_SPECIAL_H
#define TMAREF_MACHINE_SPECIAL_H

#include "state.h"

#pragma GCC visibility push(hidden)

// All of them; and, of a warp that had the same rank and index in another CTA of the grid, those that differ there.
void machine_special_set(struct machine_warp *warp);
void machine_special_renew(struct machine_warp *warp);
// Of one that all lanes have the same of.
uint64_t machine_special_of_warp(const struct machine_warp *warp, const struct machine_special *special);
bool machine_special_differs(const struct machine_special *special);

#pragma GCC visibility pop

#endif
