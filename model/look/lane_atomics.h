// SPDX-License-Identifier: MIT
// The latest atomics of one warp in shared memory that clashed with nothing: of lines that a plain access comes to,
// they are then told to the words (lane_words.h). Most warps that count never do.
#ifndef TMAREF_LOOK_LANE_ATOMICS_H
#define TMAREF_LOOK_LANE_ATOMICS_H

#include "lane_words.h"
#include "looker.h"

#pragma GCC visibility push(hidden)

// Atomic n of all since the warp met is at n % LANE_ATOMICS. use: of one of its lanes
enum { LANE_ATOMICS = 8 };
struct lane_atomics {
    uint64_t count;
    struct lane_atomic {
        struct lane_use use;
        uint64_t address[MACHINE_LANES];
    } atomic[LANE_ATOMICS];
};

// Lanes of an instruction, together with those of it that were noted before.
void lane_atomics_note(struct lane_atomics *atomics, const struct lane_use *use);

// The same of lanes that lie anywhere, use->each bytes at the address of each.
void lane_atomics_add(struct lane_atomics *atomics, const struct lane_use *use, const uint64_t *address);

// All of them use words, and are forgotten. 0 without memory.
bool lane_atomics_use(struct lane_atomics *atomics, struct lane_words *words, const struct lane_by *by);

#pragma GCC visibility pop

#endif
