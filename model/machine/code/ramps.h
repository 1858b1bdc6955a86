// SPDX-License-Identifier: MIT
// Which registers of a kernel are always ramps (code.h), as long as all lanes of a warp go together: those that are
// only ever made of %tid, %ctaid, parameters and constants, by what makes ramps of ramps. A warp keeps these as three
// numbers instead of 32 lanes, and computes with them; it writes the lanes where an instruction needs them
// (run/even.h).
#ifndef TMAREF_MACHINE_RAMPS_H
#define TMAREF_MACHINE_RAMPS_H

#include "code.h"

#pragma GCC visibility push(hidden)

// How even the lanes of a value are: here and there, a ramp, all the same.
enum machine_evenness { MACHINE_UNLIKE, MACHINE_RISING, MACHINE_SAME };

// How even the result is, if the operands are so; `*run`: what makes it. A comparison has no ramp for a result, and
// is as even as any. UNLIKE: it is no such instruction.
enum machine_evenness machine_ramp_find(const struct machine_kernel *kernel, const struct machine_code *code,
                                        const enum machine_evenness from[3], machine_ramp_function **run);

// What does a load or store whose address is a ramp. NULL: nothing does.
machine_ramp_function *machine_ramp_transfer_find(const struct machine_transfer *transfer);

// Where the first lane of a load or store is, if all lanes of all rows that the strand's warp has may be there; NULL:
// it is not so simple. And moves the lanes of the first rows, which do not lie side by side.
uint8_t *machine_ramp_place(const struct machine_strand *strand, const struct machine_ramp_code *as,
                            const struct machine_ramp *ramp);
void machine_ramp_move(const struct machine_strand *strand, const struct machine_transfer *transfer,
                       const struct machine_ramp *ramp, uint8_t *at);
void machine_ramp_move_some(const struct machine_strand *strand, const struct machine_transfer *transfer,
                            const struct machine_ramp *ramp, uint8_t *at, uint32_t lanes);

// `spellings`: of the program. Without memory the kernel has no ramps.
void machine_ramps_prepare(const struct machine_kernel *kernel, uint32_t spellings, struct machine_ramps *ramps);
void machine_ramps_free(struct machine_ramps *ramps);

#pragma GCC visibility pop

#endif
