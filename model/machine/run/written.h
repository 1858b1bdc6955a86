// SPDX-License-Identifier: MIT
// What a launch has written to global memory, with the bytes from before: so that a programmatic launch behind it can
// run as one that began before the writes were there. It begins with the bytes from before, and gets those of the
// launch in front when its threads have come to griddepcontrol.wait, or can do nothing else.
#ifndef TMAREF_MACHINE_WRITTEN_H
#define TMAREF_MACHINE_WRITTEN_H

#include "state.h"

#pragma GCC visibility push(hidden)

// A thread is about to write there. Threads of the host may call at once.
void machine_written_note(struct machine_written *written, uint64_t address, uint64_t bytes);

// An operation is about to write there, here and there: what is mapped of it is noted.
void machine_written_note_mapped(struct machine_written *written, const struct global_memory *global, uint64_t low,
                                 uint64_t end);

// Puts the bytes from before back; of a schedule that is random not all of them.
void machine_written_hide(struct machine_written *written, const struct machine_schedule *schedule);

// Puts the written bytes there. 0 if they were.
bool machine_written_show(struct machine_written *written);

// Are the bytes from before there?
static inline int machine_waits_for_grids(const struct machine *machine)
{
    return __atomic_load_n(&machine->is_before_hidden, __ATOMIC_RELAXED);
}

#pragma GCC visibility pop

#endif
