// SPDX-License-Identifier: MIT
// One instruction with operands that may be wrong, as data. Addresses are the model's.
#ifndef TMAREF_MISUSE_CASE_H
#define TMAREF_MISUSE_CASE_H

#include "arena.h"
#include "family.h"
#include "misuse_job.h"
#include "tensormap.h"

// Where a global address of a case points: into the arena (arena.h) or near it, where nothing is mapped; into the
// case's own global memory; into the window of shared memory, at a shared address; to the case's own map. All others
// are what they are.
#define MISUSE_OWN    ((uint64_t)1 << 45)
#define MISUSE_WINDOW ((uint64_t)1 << 46)
#define MISUSE_MAPS   ((uint64_t)1 << 47)

enum {
    MISUSE_WINDOW_BYTES = 1 << 18,
    MISUSE_MAPS_BYTES = 64 + 64,        // a pointer to the map may be wrong by so much
    MISUSE_ARENA_MARGIN_BYTES = 1 << 30 // so far outside the arena nothing is mapped
};

// The maps that there are: X(id, name).
#define MISUSE_MAP_KINDS(X)                                                                                            \
    X(ROW, "row")       /* 1-D, 32 x u32 */                                                                            \
    X(PLANE, "plane")   /* 2-D, 32 x 4 x u32, boxes of 32 x 2: the one that loads and stores use */                    \
    X(VOLUME, "volume") /* 3-D */                                                                                      \
    X(COLUMN, "column") /* im2col, 3-D */                                                                              \
    X(HUGE, "huge")     /* a plane with a dimension of 2^32, which nothing takes */

enum { MISUSE_TILE_BYTES = 256 }; // of a box that loads and stores move

enum misuse_map_kind {
#define ID(id, name) MISUSE_MAP_##id,
    MISUSE_MAP_KINDS(ID)
#undef ID
        MISUSE_MAP_COUNT
};

// `operation` is an enum misuse_operation; operands that it does not take are 0. `cluster`: the launch has clusters of
// two CTAs. `global` is the data, or the tensor of the map of kind `map`; `dims` the .Nd of a tiled prefetch; `offset`
// the im2col offset.
struct misuse_case {
    uint64_t global, pointer, policy;
    uint32_t operation, cluster, has_hint;
    uint32_t shared, other, barrier, size_bytes;
    uint32_t map, dims, offset, seed;
    int32_t coord[3];
};

// The operands of an operation: bits of enum misuse_operand.
unsigned misuse_operands(uint32_t operation);

// Where MISUSE_PREFETCH_TILE and so on have their names; NULL ends both.
extern const char *const misuse_operation_names[], *const misuse_map_names[];

#endif
