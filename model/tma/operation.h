// SPDX-License-Identifier: MIT
// One asynchronous operation of the copy engine and its relatives: the instruction with its operands, and whether it
// may run. complete.h runs one from its check to its barriers in one call; flight.h issues one and moves its bytes in
// pieces. Tensor loads and stores alone, done at once, are in copy.h and store.h.
#ifndef TMAREF_OPERATION_H
#define TMAREF_OPERATION_H

#include "cluster_memory.h"
#include "cp_async_form.h"
#include "finding.h"
#include "im2col.h"
#include "location.h"
#include "reduce.h"

// SEND is the copy from shared::cta to shared::cluster; the ..._REDUCE are cp.reduce.async.bulk.
enum operation_kind {
    OPERATION_TENSOR_LOAD,
    OPERATION_TENSOR_STORE,
    OPERATION_TENSOR_REDUCE,
    OPERATION_TENSOR_PREFETCH,
    OPERATION_BULK_LOAD,
    OPERATION_BULK_STORE,
    OPERATION_BULK_STORE_REDUCE,
    OPERATION_BULK_SEND,
    OPERATION_BULK_SEND_REDUCE,
    OPERATION_BULK_PREFETCH,
    OPERATION_ST_ASYNC,
    OPERATION_RED_ASYNC,
    OPERATION_CP_ASYNC,
    OPERATION_KINDS
};

// The operands; what an instruction does not have is not looked at. Shared addresses are as in the register: a
// shared::cluster address has its rank in bits 31..24.
//   issuer       rank of the CTA that issues
//   mode, dims, map, coord, offset  of tensor operations: .tile or .im2col, .Nd, the map, its coordinates, and
//                im2colOffsets (rank - 2 entries)
//   map_address, map_location  where the map lies: its address, 0 if that is not to be looked at, and the state space.
//                Left out, that is global memory, in which the 128 bytes must be
//   shared       of tensor operations: dstMem of a load, srcMem of a store or reduction
//   from, to, size_bytes  of all others: a global or shared address, and size (cp-size of cp.async; 4, 8 or 16 of
//                st.async and red.async, which store `value`)
//   op, dtype    of reductions; the type of a tensor reduction is the map's
//   form, source_operand  of cp.async: its src-size, or 1 where ignore-src is true
//   barrier      of loads, SEND, st.async and red.async: mbar
//   is_multicast, mask    of loads: .multicast::cluster and ctaMask, 16 bits
//   has_policy, policy    .L2::cache_hint
struct operation {
    enum operation_kind kind;
    uint32_t issuer;
    enum tensormap_mode mode;
    int dims;
    struct tensormap map;
    uint64_t map_address;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint16_t offset[IM2COL_MAX_SPATIAL];
    uint32_t shared;
    uint64_t from, to;
    uint32_t size_bytes;
    uint32_t value[4];
    enum reduce_op op;
    enum dtype dtype;
    enum cp_async_form form;
    uint32_t source_operand;
    uint32_t barrier;
    int is_multicast;
    uint32_t mask;
    int has_policy;
    uint64_t policy;
    enum map_location map_location;
};

// Where operations run. Both belong to the caller and outlive every operation that is issued in them.
struct memories {
    const struct global_memory *global;
    const struct cluster_memory *cluster;
};

// The check of any operation: the place of its map, what the instruction breaks, its addresses, its barrier, its cache
// hint, and the CTAs that it reaches. The order of the findings is the hardware's: the map's place, then 715, 716, 700,
// 719. In loads to other CTAs the missing CTAs (719) come before the source (700), and the end of the destination comes
// last, unless the destination starts past the SM's shared memory.
//   findings  NULL, or takes every rule broken, and the warnings
//   returns   RULE_OK or the first rule broken, which rule_is_refusal(); rule_verdict() says who refuses it, and
//             rule_cuda_error() the error that an H200 raises for a fault
enum rule operation_check(const struct operation *operation, const struct memories *memories,
                          struct findings *findings);

// The CTAs whose shared memory an operation writes, each of them told on its own barrier: bit r is rank r; 0 where none
// is, or for a rank that no cluster has. Rules MULTICAST_TARGETS, MULTICAST_OFFSET, LOAD_OTHER_BARRIER.
uint32_t operation_targets(const struct operation *operation);

// Does it complete on an mbarrier? The others are in a group of the issuing thread, or nobody can wait for them.
int operation_has_barrier(enum operation_kind kind);

#endif
