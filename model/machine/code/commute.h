// SPDX-License-Identifier: MIT
// Does what a kernel computes depend on the order in which its clusters run? Then one thread of the host runs them.
#ifndef TMAREF_MACHINE_COMMUTE_H
#define TMAREF_MACHINE_COMMUTE_H

#include "code.h"

#pragma GCC visibility push(hidden)

// 1 if no cluster of a correct program can tell what another has done: the kernel and what it may call have no atomic,
// no reduction and no strong access in global memory, no fence of scope .gpu or .sys, and call nothing that prints,
// allocates or launches. Weak accesses of two clusters to one address are a race of the program. may_add: relaxed
// atomics and reductions may be there, by which clusters tell each other of nothing else.
bool machine_kernel_commutes(const struct machine_kernel *kernel, const struct ptx_program *program, bool may_add);

// A load from global memory that other clusters may answer, or an atomic there with a result.
bool machine_is_look(const struct ptx_choice *choice);

#pragma GCC visibility pop

#endif
