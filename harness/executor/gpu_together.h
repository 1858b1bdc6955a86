// SPDX-License-Identifier: MIT
// Many faults at once: one launch runs as many cases as there is room for, each in a CTA of its own, and the core dump
// that the driver then writes tells of them all. A fault alone costs a third of a second, for the driver makes and ends
// contexts one after the other; a dump costs a second.
#ifndef TMAREF_GPU_TOGETHER_H
#define TMAREF_GPU_TOGETHER_H

#include "executor.h"

// Runs cases first .. first + count - 1 of the batch, those of one rule together, as often as it takes, and sets
// is_open of all that no dump tells of: late faults, cases that do not fault, families that share a launch out
// otherwise. 0 with `why` if the machine cannot run cases. At most `seconds` for a launch.
int gpu_together_run(struct batch *batch, int first, int count, const struct apart *apart, int seconds,
                     struct text *why);

void gpu_together_close(void);

#endif
