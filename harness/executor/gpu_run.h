// SPDX-License-Identifier: MIT
// What the gpu executor is made of: ranges of a batch in one child (gpu_run.c), many faults in one launch
// (gpu_together.c), and the fault lane (gpu_lane.c), cases that are predicted to kill their process, each in a child of
// its own, many children at a time: starting a child and its context takes far longer than a case.
#ifndef TMAREF_GPU_RUN_H
#define TMAREF_GPU_RUN_H

#include "gpu_child.h"

enum { GPU_START_SECONDS = 60 };

// Errors that no case causes: the kernels are not there or not for this GPU, or its memory is taken.
bool gpu_is_of_machine(int error, struct text *why);

// Many faults at once: one launch runs as many cases as there is room for, each in a CTA of its own, and the core dump
// that the driver then writes tells of them all. A fault alone costs a third of a second, for the driver makes and ends
// contexts one after the other; a dump costs a second.

// Runs cases first .. first + count - 1 of the batch, those of one rule together, as often as it takes, and sets
// is_open of all that no dump tells of: late faults, cases that do not fault, families that share a launch out
// otherwise. 0 with `why` if the machine cannot run cases. At most `seconds` for a launch.
bool gpu_together_run(struct batch *batch, int first, int count, const struct apart *apart, int seconds,
                      struct text *why);

void gpu_together_close(void);

// Runs the open cases of first .. first + count - 1, as many as may be run alone, in any order. A case that kills its
// child gets a status; a child whose case did not kill it takes the next. At most `seconds` for one case. Returns how
// many were run, or -1 with `why` if the machine cannot run cases at all.
int gpu_lane_run(struct batch *batch, int first, int count, const struct apart *apart, int seconds, struct text *why);

// Ends all children that are left. A child knows the batches that were there when it started: close before a new one.
void gpu_lane_close(void);

#endif
