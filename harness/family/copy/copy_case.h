// SPDX-License-Identifier: MIT
// A copy of a whole tensor as data: a launch of one kernel of copy.cu, and the plan of it: grid, job and windows.
#ifndef TMAREF_COPY_CASE_H
#define TMAREF_COPY_CASE_H

#include "copy_model.h"
#include "family.h"
#include "map_args.h"
#include "slice.h"

struct feature;

// What is launched: copy_load; copy_store with four operations; copy_multicast with and without multicast; copy_tiles;
// copy_ring; copy_stream with and without multicast; copy_bytes; copy_vector;
// copy_vector_add.
enum copy_operation {
    COPY_LOAD,
    COPY_STORE,
    COPY_ADD,
    COPY_MIN,
    COPY_MAX,
    COPY_MULTICAST,
    COPY_SEPARATE,
    COPY_TILES,
    COPY_RING,
    COPY_STREAM,
    COPY_STREAM_SEPARATE,
    COPY_BYTES,
    COPY_VECTOR,
    COPY_VECTOR_ADD,
    COPY_OPERATIONS
};

// The memory that is written lies here in the model; on a GPU somewhere else. Sources are in the arena.
#define COPY_GLOBAL_BASE ((uint64_t)1 << 46)
enum { COPY_GLOBAL_BYTES = 1 << 20, COPY_GUARD_BYTES = 256, COPY_SHARED_BYTES = 232448 };

// Entries that an operation does not have are 0.
//   map         of what is loaded (its address in the arena) or stored (at COPY_GLOBAL_BASE); its box is what one
//               instruction moves
//   to, to_strides   tiles, ring: the other tensor, of the same sizes and box; bytes, vectors: where they go
//   shared      address of the tile, or of the ring's first stage
//   fill, parts, is_waiting   as in struct copy_job
//   cut, cluster, along   multicast, separate, streams: boxes of a tile along each dimension; the cluster, the
//               directions (enum slice_direction) in which its CTAs share a tile; streams: all of them
//   slice       multicast: the box that each CTA of a group loads, in the order of slice_group_index()
//   ctas        ring: CTAs; streams: clusters
//   stagger     stream_separate: as in struct copy_job
//   reduce      tiles, ring: 0, or 1 + enum reduce_op
//   from, size_bytes, chunk_bytes   bytes, vectors
struct copy_case {
    struct map_args map;
    uint32_t operation, shared, seed;
    uint64_t to, to_strides[COPY_MAX_RANK - 1];
    uint32_t fill, parts, is_waiting;
    uint32_t cut[COPY_MAX_RANK], cluster[3], along, slice[COPY_GROUP];
    uint32_t ctas, stages, stagger, reduce;
    uint64_t from, size_bytes;
    uint32_t chunk_bytes;
};

// Kinds of operations, as bits.
enum {
    COPY_FLAT = 1 << COPY_BYTES | 1 << COPY_VECTOR | 1 << COPY_VECTOR_ADD,
    COPY_TENSORS = ~COPY_FLAT, // they have a map
    COPY_STORES = 1 << COPY_STORE | 1 << COPY_ADD | 1 << COPY_MIN | 1 << COPY_MAX,
    COPY_TWO = 1 << COPY_TILES | 1 << COPY_RING, // tensors
    COPY_STREAMS = 1 << COPY_STREAM | 1 << COPY_STREAM_SEPARATE,
    COPY_STAGED = 1 << COPY_RING | COPY_STREAMS,
    COPY_SHARED = 1 << COPY_MULTICAST | 1 << COPY_SEPARATE | COPY_STREAMS, // by a cluster with `cut`
    COPY_WRITES = ~(1 << COPY_LOAD | COPY_SHARED), // global memory: the result is the window "tensor"
};

static inline bool copy_is(const struct copy_case *c, int kinds)
{
    return (1 << c->operation & kinds) != 0;
}

// What is done to memory, of those that write a tensor: 0 a store, or 1 + enum reduce_op.
uint32_t copy_reduction(const struct copy_case *test_case);

// "load", "store", ...
const char *copy_operation_name(uint32_t operation);

// The arguments of the second map of tiles and ring.
struct map_args copy_to_args(const struct copy_case *test_case);

// The launch that a case is. Addresses in `job` and `flat` are the model's, those of dumps 0.
//   words_bytes, tiles_bytes   of the windows "barriers" and "tiles", 0 where there is none
//   base, tensor_bytes  of the window "tensor"
struct copy_plan {
    const char *kernel;
    struct copy_machine machine;
    uint32_t threads;
    struct copy_job job;
    struct copy_flat flat;
    uint64_t words_bytes, tiles_bytes, tensor_bytes, base;
};

// Returns RULE_OK, or the rule for which the driver refuses a map; a plan is then not made.
enum rule copy_plan_of(const struct copy_case *test_case, struct copy_plan *plan);

// What is wrong with the numbers of a case whose map is accepted: a sentence, or NULL. Those that pass have a plan that
// fits the memories of model and machine.
const char *copy_complaint(const void *test_case);

// What the window "tensor" holds before.
void copy_fill_tensor(const struct copy_case *test_case, const struct copy_plan *plan, uint8_t *bytes);

#endif
