// SPDX-License-Identifier: MIT
// Who has written words of global memory that others may poll: a store or an atomic of one lane, as flags, locks and
// counters are written. Only reports depend on it. Words that share a place with a later one are forgotten.
#ifndef TMAREF_MACHINE_NOTED_H
#define TMAREF_MACHINE_NOTED_H

#include "state.h"

#pragma GCC visibility push(hidden)

//   value      what a store left there; has_value: 0, an atomic wrote it, or a store of several elements
//   writes     how many there were, of which this was the last
//   ctas       bit c: CTA c of the grid has written it, for the first 64
//   line, called_at  of the instruction, as in an event's origin
//   is_partial  another address had the place before: earlier writes of this one may be forgotten
struct machine_note {
    uint64_t address, value, writes, ctas, cta;
    uint32_t bytes, ctaid[3], warp, line, called_at;
    bool has_value, is_partial;
};

// Lane `lane` has executed a store or an atomic, which has written `bytes` bytes there. `value`: NULL, not known.
void machine_note_write(const struct machine_strand *strand, const struct machine_code *code, uint64_t address,
                        uint32_t bytes, const uint64_t *value);

// The last write that covers this byte, or NULL: none is known.
const struct machine_note *machine_noted(const struct machine *machine, uint64_t address);

// The written word nearest to it at most 64 bytes away, or NULL.
const struct machine_note *machine_noted_near(const struct machine *machine, uint64_t address);

// Where none is known: may there have been one that is forgotten?
bool machine_note_is_lost(const struct machine *machine, uint64_t address);

#pragma GCC visibility pop

#endif
