// SPDX-License-Identifier: MIT
// Registers of wgmma: a product writes D, and reads A where A is in registers, until its warp waits for its group; and
// a register that the warp has used since is a product's only behind wgmma.fence (PTX ISA, Asynchronous wgmma
// instructions).
#ifndef TMAREF_LOOK_SANITIZE_REGISTERS_H
#define TMAREF_LOOK_SANITIZE_REGISTERS_H

#include "sanitize_found.h"

#pragma GCC visibility push(hidden)

// Of all warps of a launch. NULL without memory.
struct sanitize_registers;
struct sanitize_registers *sanitize_registers_open(void);

// The instruction that a warp is about to execute. Returns 0 where there is no memory for what has to be kept.
bool sanitize_registers_before(struct sanitize_registers *registers, const struct machine_step *step,
                               struct sanitize_found *found);

// A warp's wgmma.fence, commit and wait; a CTA that ends.
void sanitize_registers_hear(struct sanitize_registers *registers, const struct event *event);
void sanitize_registers_close(struct sanitize_registers *registers);

#pragma GCC visibility pop

#endif
