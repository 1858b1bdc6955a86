// SPDX-License-Identifier: MIT
// How many registers a function needs at once: the values that are still to be read, at the place where there are most.
// ptxas allocates about as many. It moves instructions and copies values, which this does not follow.
#ifndef TMAREF_PTX_LIVENESS_H
#define TMAREF_PTX_LIVENESS_H

#include "program.h"

// Registers of 32 bits; predicates are others. Constants, parameters of kernels and addresses of variables need none:
// instructions read them where they are. `callee` tells what a function that is called needs, by its number; a call
// through a register has UINT32_MAX. Returns 0 if there is no memory, or the function is too large for it.
uint32_t ptx_live_registers(const struct ptx_program *program, const struct ptx_function *function,
                            uint32_t (*callee)(void *context, uint32_t function), void *context);

#endif
