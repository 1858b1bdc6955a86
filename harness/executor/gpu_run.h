// SPDX-License-Identifier: MIT
// What the executor and its fault lane share.
#ifndef TMAREF_GPU_RUN_H
#define TMAREF_GPU_RUN_H

#include "gpu_child.h"

enum { GPU_START_SECONDS = 60 };

// Errors that no case causes: the kernels are not there or not for this GPU, or its memory is taken.
int gpu_is_of_machine(int error, struct text *why);

#endif
