// SPDX-License-Identifier: MIT
// What libcudadevrt defines and CUDA's own compilers call by name, as PTX: the library itself has machine code alone.
// Calls that launch kernels are the machine's (model/machine/instruction/device_call.c).
#ifndef TMAREF_DRIVER_DEVICE_RUNTIME_H
#define TMAREF_DRIVER_DEVICE_RUNTIME_H

#include <stdbool.h>

#include "units.h"

// A part or member with nothing for this GPU, which libcudadevrt is, was left out: this stands in for it. 0 if there is
// no memory.
bool device_runtime_add(struct units *units);

#endif
