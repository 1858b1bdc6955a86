// SPDX-License-Identifier: MIT
// A lane that executes an instruction whose membermask leaves it out, which PTX leaves open. And a shuffle that reads
// the register of a lane of its mask that does not execute it: what it gets is left open. The lane has exited, because
// the machine waits for those that have not, as a GPU does. Who reads a lane outside of the mask is silent: many
// kernels do, and do not use the value.
#ifndef TMAREF_LOOK_SANITIZE_SHUFFLE_H
#define TMAREF_LOOK_SANITIZE_SHUFFLE_H

#include "sanitize_found.h"

#pragma GCC visibility push(hidden)

// The instruction is about to be executed. It has a membermask.
void sanitize_shuffle_before(const struct machine_step *step, struct sanitize_found *found);

#pragma GCC visibility pop

#endif
