// SPDX-License-Identifier: MIT
// One step of a litmus test as PTX. Registers of thread t: %t<t>r<i> (b32). Addresses that the kernel has made for the
// thread's lane: %g<p> of place p in global memory (b64); in shared memory %s<p> of the own CTA, %m<p> of the owner
// (b32). %given becomes 1 where a loop was given up, %patience counts its rounds; %q and %u are scratch.
#ifndef TMAREF_LITMUS_EMIT_H
#define TMAREF_LITMUS_EMIT_H

#include <stdio.h>

#include "litmus_layout.h"

// Writes step `at` of the thread, with its label T<t>S<at>. Branches go to such labels, the end is T<t>S<steps>.
void litmus_emit_step(FILE *to, const struct litmus *test, const struct litmus_layout *layout, int thread, int at);

// Gives place `place` its initial value, by a thread of its owner. %again: this is not the first round, so that an
// mbarrier is there already.
void litmus_emit_initial(FILE *to, const struct litmus *test, const struct litmus_layout *layout, int place);

#endif
