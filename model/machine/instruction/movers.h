// SPDX-License-Identifier: MIT
// What moves lanes that lie here and there in memory, a part of each after the other: the right loop for the width of
// the register and of what is moved. Lanes side by side: alu/span.h.
#ifndef TMAREF_MACHINE_MOVERS_H
#define TMAREF_MACHINE_MOVERS_H

#include "code.h"

#pragma GCC visibility push(hidden)

// `row`: the register's lanes. Those of `lanes` move, in ascending order, each from or to at + offset[lane].
typedef void machine_mover(void *row, uint32_t lanes, uint8_t *at, const int32_t *offset);

// NULL: there is none (128 bits, or a register that is narrower than what is moved).
machine_mover *machine_mover_of(const struct machine_transfer *transfer);

#pragma GCC visibility pop

#endif
