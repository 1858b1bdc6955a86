// SPDX-License-Identifier: MIT
// Whose faults a core dump tells of.
#ifndef TMAREF_GPU_TOLD_H
#define TMAREF_GPU_TOLD_H

#include "gpu.h"

// After the last launch of a batch of `count` cases faulted: gives every case whose CTAs had an exception, and one kind
// of it only, its status; all others get 0. Returns how many have one.
int gpu_told(const struct gpu *gpu, int count, struct result *results);

#endif
