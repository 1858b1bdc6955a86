// SPDX-License-Identifier: MIT
// What tiled and im2col loads check alike, before any byte moves: the map, the instruction, the place in shared memory.
// Stores share the first two functions. Private to model/tma. Each call reports what is broken and keeps the first rule
// in `*first`.
#ifndef TMAREF_LOAD_CHECK_H
#define TMAREF_LOAD_CHECK_H

#include "memory.h"
#include "tensormap.h"

#pragma GCC visibility push(hidden) // not for users of the shared library

// Keeps the first rule and appends the finding.
void load_broken(struct findings *findings, enum rule *first, struct finding finding);

// Is the map one that the hardware decodes at all? Its bits past the fields a load reads do not matter.
int load_map_readable(const struct tensormap *map);

// The 715 faults: rules LOAD_MODE, LOAD_RANK, LOAD_DIM_LIMIT, LOAD_COORD_ALIGN. `mode` is the instruction's.
void load_check_instruction(const struct tensormap *map, enum tensormap_mode mode, int dims, const int32_t *coord,
                            struct findings *findings, enum rule *first);

// The 716 fault: rule LOAD_SMEM_ALIGN.
void load_check_align(uint32_t shared, struct findings *findings, enum rule *first);

// The 700 fault of shared memory: rule LOAD_SMEM_BOUNDS. `extent` is the bytes from the first to the last written,
// before swizzling. Returns 0 if the box is larger than all of shared memory.
int load_check_bounds(const struct tensormap *map, uint64_t extent, const struct memory *shared_memory, uint32_t shared,
                      struct findings *findings, enum rule *first);

// The 700 fault of the base: rule LOAD_BASE_UNMAPPED. `first_outside`: the first element of the box is out of bounds.
void load_check_base(const struct tensormap *map, int first_outside, const struct memory *memory,
                     struct findings *findings, enum rule *first);

// Reports the first byte that is read and not mapped: rule LOAD_UNMAPPED. `address` is the run's that holds it.
void load_report_unmapped(const struct memory *memory, uint64_t address, struct findings *findings, enum rule *first);

#pragma GCC visibility pop

#endif
