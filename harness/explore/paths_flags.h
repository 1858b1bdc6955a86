// SPDX-License-Identifier: MIT
// Strong accesses to memory, which carry what no barrier does: their order is held as the run had it.
#ifndef TMAREF_EXPLORE_PATHS_FLAGS_H
#define TMAREF_EXPLORE_PATHS_FLAGS_H

#include "paths.h"

struct paths_flags;

// what: R, W, U or A, as model/look/sync_log.h has them.
struct paths_flag {
    uint32_t step, space, rank;
    uint64_t address, bytes;
    char what;
};

struct paths_flags *paths_flags_open(void); // NULL: there is no memory
void paths_flags_close(struct paths_flags *flags);

// The access of step flag->step, behind those before it. Steps of others that it must come after are added to
// program->after, as pairs of two: first who comes before, then who comes after. 0: there is no memory.
bool paths_flags_add(struct paths_flags *flags, struct paths_program *program, const struct paths_flag *flag);

// Adds such a pair.
bool paths_flags_hold(struct paths_program *program, uint32_t before, uint32_t behind);

#endif
