// SPDX-License-Identifier: MIT
// The arena: the global memory that cases read. The same bytes on every machine, filled so that a byte tells where it
// came from. The model sees it at ARENA_BASE; a GPU somewhere else, and addresses of cases are shifted by the
// difference.
#ifndef TMAREF_ARENA_H
#define TMAREF_ARENA_H

#include <stdint.h>

#include "arena_bytes.h"
#include "memory.h"

// The arena, filled at the first call; NULL bytes if there is no memory for it.
const struct memory *arena(void);

// Its memory, which may not be filled yet. Processes that are forked behind the first call of either function share it:
// the first of them that reads it fills it for all.
const struct memory *arena_share(void);

// The offset in the lower half at which the 64-bit word `word` lies, or -1: every word lies at one place at most.
int64_t arena_find(uint64_t word);

#endif
