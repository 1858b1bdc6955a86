// SPDX-License-Identifier: MIT
// What tensor loads, prefetches, stores and reductions, tiled and im2col, check before any byte moves: the map, the
// instruction, the place in shared memory, then global memory. Private to model/tma. Each call reports what is broken
// and keeps the first rule in `*first`.
#ifndef TMAREF_TRANSFER_CHECK_H
#define TMAREF_TRANSFER_CHECK_H

#include <stdbool.h>

#include "box.h"
#include "memory.h"
#include "reduce.h"

// A load and a store break rules of their own by the same mistake; `shared_operand` is the name of the operand.
struct transfer_rules {
    enum rule map_format, map_address, mode, rank, dim_limit, coord_align, smem_align, smem_bounds, unmapped;
    const char *shared_operand;
};

extern const struct transfer_rules load_rules, store_rules;

// What is being checked, and where the findings go; `findings` may be NULL.
struct transfer_report {
    const struct transfer_rules *rules;
    struct findings *findings;
    enum rule first;
};

// Starts a check: takes out what `findings` held.
struct transfer_report transfer_report_start(const struct transfer_rules *rules, struct findings *findings);

// Keeps the first rule that is no warning, and appends the finding.
void transfer_broken(struct transfer_report *report, struct finding finding);

// Is the map one that the hardware decodes at all? Its bits past the fields a transfer reads do not matter. If not, the
// rule map_format is broken and nothing else can be said. `mode` is the instruction's.
bool transfer_map_readable(struct transfer_report *report, const struct tensormap *map, enum tensormap_mode mode);

// The 715 faults of the map: rules mode, rank, dim_limit. Returns 0 where instruction and map do not fit: then there is
// no box, for the instruction has `dims` coordinates.
bool transfer_check_map(struct transfer_report *report, const struct tensormap *map, enum tensormap_mode mode,
                        int dims);

// The 715 fault of coordinate 0: rule coord_align. Nothing of an instruction without coordinates (`dims` below 1).
void transfer_check_coord(struct transfer_report *report, const struct tensormap *map, int dims, const int32_t *coord);

// The 716 fault of the map's own bits, for loads: rule map_address.
void transfer_check_address(struct transfer_report *report, const struct tensormap *map);

// A tensor load or prefetch, a store (`op` NO_OP) or a reduction, tiled or im2col, and the memories between which it
// runs. `offset` is of im2col loads and prefetches. Of a check `global_memory` may be NULL: nobody asks what is mapped.
struct transfer {
    int op;
    enum tensormap_mode mode;
    const struct tensormap *map;
    int dims;
    const int32_t *coord;
    const uint16_t *offset;
    const struct global_memory *global_memory;
    const struct memory *shared_memory;
    uint32_t shared;
};

enum { NO_OP = -1 };

// What `op` of a reduction is: REDUCE_OPS, which no type has, for any number that is no operation.
static inline int transfer_op(enum reduce_op op)
{
    return (unsigned)op < REDUCE_OPS ? (int)op : REDUCE_OPS;
}

// The 715 faults of stores alone: rule REDUCE_TYPE, and of coordinates below 0 STORE_COORD_NEGATIVE.
void transfer_check_type(struct transfer_report *report, const struct transfer *transfer);
void transfer_check_signs(struct transfer_report *report, const struct transfer *transfer);

// The operand in shared memory: 715 (rule OPERAND_RANK) before 716 (rule smem_align) before 700 (rule smem_bounds), and
// the warning OPERAND_NOWHERE; all propose the same place, where there is one. `extent` is the bytes from the first to
// the last one that moves, before swizzling, 0 where nobody knows. Returns 0 if that is more than all of shared memory.
bool transfer_check_shared(struct transfer_report *report, const struct tensormap *map, uint64_t extent,
                           const struct memory *shared_memory, uint32_t shared);

// The 715 fault of the start coordinates of an im2col load or store: rule IM2COL_START.
void transfer_check_start(struct transfer_report *report, const struct im2col *column);

// Reports the byte of global memory at `address`, which cannot be used so: rule unmapped.
void transfer_report_unmapped(struct transfer_report *report, const struct global_memory *memory, uint64_t address);

// The checks of whole instructions, in the hardware's order: 715 before 716 before 700.
//   box      made where the map has one
//   returns  RULE_OK or the first rule broken
enum rule transfer_check_load(const struct transfer *transfer, struct box *box, struct findings *findings);
enum rule transfer_check_prefetch(const struct transfer *transfer, struct box *box, struct findings *findings);
enum rule transfer_check_store(const struct transfer *transfer, struct box *box, struct findings *findings);

#endif
