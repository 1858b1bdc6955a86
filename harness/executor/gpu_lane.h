// SPDX-License-Identifier: MIT
// The fault lane: cases that are predicted to kill their process, each in a child of its own, many children at a time.
// Starting a child and its context takes far longer than a case, and children start side by side.
#ifndef TMAREF_GPU_LANE_H
#define TMAREF_GPU_LANE_H

#include "executor.h"

// Runs the open cases of first .. first + count - 1, as many as may be run alone, in any order. A case that kills its
// child gets a status; a child whose case did not kill it takes the next. At most `seconds` for one case. Returns how
// many were run, or -1 with `why` if the machine cannot run cases at all.
int gpu_lane_run(struct batch *batch, int first, int count, const struct apart *apart, int seconds, struct text *why);

// Ends all children that are left. A child knows the batches that were there when it started: close before a new one.
void gpu_lane_close(void);

#endif
