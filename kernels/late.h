// SPDX-License-Identifier: MIT
// What a kernel says of waits that it gave up: such a kernel goes on to its end, and what it left is worth nothing.
// Plain C, included by kernels and the host.
#ifndef TMAREF_LATE_H
#define TMAREF_LATE_H

#include <stdint.h>

#define LATE_SYMBOL "late_wait" // the variable in the kernels' module

// `waits`: how many threads gave up, 0: none. The rest is of the first of them: where it ran, and the parity that it
// waited for at the barrier at this shared address.
struct late {
    uint32_t waits, cta, thread, barrier, parity;
};

#endif
