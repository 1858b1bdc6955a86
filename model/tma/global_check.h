// SPDX-License-Identifier: MIT
// Global memory that an operation reads or writes: is it there, and what a finding says where it is not. Private to
// model/tma.
#ifndef TMAREF_GLOBAL_CHECK_H
#define TMAREF_GLOBAL_CHECK_H

#include <stdbool.h>

#include "box.h"
#include "finding.h"
#include "memory.h"

// May these bytes be used so? One look-up where they lie in one region.
static inline bool global_is_usable(const struct global_memory *memory, uint64_t address, uint64_t count_bytes,
                                    enum memory_use use)
{
    if (region_at(region_find(memory, NULL, address), address, count_bytes, use) != NULL) return true;
    return global_usable_bytes(memory, address, count_bytes, use) == count_bytes;
}

// The finding that they may not: `argument` is their address as PTX spells the operand. The limit is the end of the
// region that is nearest at or below it, the nearest legal value its start, or the last place in it for so many bytes.
struct finding global_finding(const struct global_memory *memory, enum rule rule, const char *argument,
                              uint64_t address, uint64_t count_bytes);

// The same of one byte of a box that is not at an operand's address: the nearest legal value is the region's start.
struct finding global_byte_finding(const struct global_memory *memory, enum rule rule, const char *argument,
                                   uint64_t address);

// The first byte in bounds of the box that cannot be used so; 0 if there is none. Looks at rows that are alike together
// first, in the region of the last answer.
bool global_find_unusable(const struct box *box, const struct global_memory *memory, enum memory_use use,
                          uint64_t *address);

#endif
