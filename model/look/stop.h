// SPDX-License-Identifier: MIT
// A breakpoint, and what is shown there and where a kernel fails.
#ifndef TMAREF_LOOK_STOP_H
#define TMAREF_LOOK_STOP_H

#include "parts.h"

#pragma GCC visibility push(hidden)

// Bits of `what` is shown. THREAD: the registers of the thread; WARP: those of all its lanes.
enum { LOOK_SHOWS_THREAD = 1, LOOK_SHOWS_WARP = 2, LOOK_SHOWS_SHARED = 4, LOOK_SHOWS_BARRIERS = 8 };

struct look_stop;

// Is it the function's name as the PTX has it, or as the source does: load of _Z4loadPf?
bool look_is_function(const char *name, const struct ptx_name *function);

// NULL without memory. The options were checked.
struct look_stop *look_stop_open(const struct look_options *options);
// 1: the break was shown now.
bool look_stop_before(struct look_stop *stop, struct look_ran *ran, const struct machine_step *step);
void look_stop_ended(const struct look_stop *stop, const struct look_ran *ran, const struct machine_strand *strand,
                     const struct machine_code *code, uint32_t lane);
void look_stop_close(struct look_stop *stop);

// Shows the thread of a lane on standard error: registers as far as some instruction that has run writes them.
void look_show(const struct look_tally *tally, const struct machine_strand *strand, uint32_t lane, unsigned what);

#pragma GCC visibility pop

#endif
