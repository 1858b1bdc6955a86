// SPDX-License-Identifier: MIT
// What moves lanes that lie here and there in memory, a part of each after the other: the right loop for the width of
// the register and of what is moved. Lanes side by side: alu/span.h.
#ifndef TMAREF_MACHINE_MOVERS_H
#define TMAREF_MACHINE_MOVERS_H

#include "handler.h"

#pragma GCC visibility push(hidden)

// `row`: the register's lanes. Those of `lanes` move, in ascending order, each from or to at + offset[lane].
typedef void machine_mover(void *row, uint32_t lanes, uint8_t *at, const int32_t *offset);

// NULL: there is none (128 bits, or a register that is narrower than what is moved).
machine_mover *machine_mover_of(const struct machine_transfer *transfer);

// A loop over spans goes on as it has begun: what comes some turns later is asked of memory now, for a load or store of
// `bytes` bytes at `at`; *last: where the one before was. It comes into the second level of the cache, for which there
// are more buffers than for the first.
static inline void machine_fetch_ahead(uintptr_t *last, uintptr_t at, uint64_t bytes)
{
    enum { LINE = 64, TURNS = 4 };
    const uintptr_t ahead = at + TURNS * (at - *last);
    const uint64_t lines = *last == 0 || *last == at ? 0 : (ahead % LINE + bytes + LINE - 1) / LINE;
    for (uint64_t i = 0; i < lines; i++) __builtin_prefetch((const void *)(ahead / LINE * LINE + i * LINE), 0, 2);
    *last = at;
}

// Moves what lanes have reached, as alu/span.h says it.
void machine_move_reached(const struct machine_strand *strand, const struct machine_transfer *transfer,
                          enum alu_reach reach, uint32_t lanes, struct machine_spots *spots);

// Where all lanes are, if they are where it is guessed, which it most often is; else ALU_OUTSIDE.
enum alu_reach machine_reach_guessed(const struct machine_strand *strand, const struct machine_transfer *transfer,
                                     struct machine_spots *spots);

// A load or store of all lanes at once, if they are where it is guessed; else 0, and nothing has been done.
bool machine_run_guessed(const struct machine_strand *strand, const struct machine_transfer *transfer);

#pragma GCC visibility pop

#endif
