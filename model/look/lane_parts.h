// SPDX-License-Identifier: MIT
// Where lanes of a warp meet without the others: bar.warp.sync with a mask that leaves some out. Says which lane is
// then behind which other one, also by way of a third.
#ifndef TMAREF_LOOK_LANE_PARTS_H
#define TMAREF_LOOK_LANE_PARTS_H

#include <stdbool.h>

#include "looker.h"

#pragma GCC visibility push(hidden)

struct lane_parts;

// The warp is about to execute a form at which lanes meet, the launch's `count`th instruction. Makes *parts, which is
// NULL before the warp's first such meeting, for free() to end. 0: all of the warp meets there, as far as lanes meet
// at all; or there is no memory.
bool lane_parts_meet(struct lane_parts **parts, const struct machine_step *step, uint64_t count);

// Is lane `newer` behind what lane `older` did at the count `at`? parts: NULL, it is not. MACHINE_LANES for `older`
// stands for several: behind any of them counts.
bool lane_parts_behind(const struct lane_parts *parts, uint32_t newer, uint32_t older, uint64_t at);

// The count of the last such meeting, 0 before the first.
uint64_t lane_parts_last(const struct lane_parts *parts);

#pragma GCC visibility pop

#endif
