// SPDX-License-Identifier: MIT
// The slow tiled stores, reductions and bulk operations: byte by byte, and sums by integers as long as the formats ask
// for, written from the documents and the measurements. Of model/ only the names of operations are used. Tests only;
// read slow.h first.
#ifndef TMAREF_SLOW_STORE_H
#define TMAREF_SLOW_STORE_H

#include "bulk_op.h"
#include "reduce.h"
#include "slow.h"
#include "slow_vectors.h"

// Does an H200 reduce tensors of `dtype` by `op`?
bool slow_reduce_is_legal(enum reduce_op op, enum dtype dtype, enum slow_mutant mutant);

// op(memory, source) of one element, as bits; only for legal pairs.
//   source    PTX ISA 9.1, "cp.reduce.async.bulk"; docs/hardware.md, "Stores, reductions, bulk operations"
uint64_t slow_reduce(enum reduce_op op, enum dtype dtype, uint64_t memory, uint64_t source, enum slow_mutant mutant);

// slow_reduce() of the `element_bytes` little-endian bytes at `memory` and `source`.
void slow_reduce_bytes(enum reduce_op op, enum dtype dtype, uint8_t *memory, const uint8_t *source,
                       uint32_t element_bytes, enum slow_mutant mutant);

// One tiled store, or the reduction `op` if `is_reduction`.
struct slow_store {
    struct slow_tile tile;
    int is_reduction;
    enum reduce_op op;
};

// Stores from `smem` to `gmem`.
//   returns   0, or the CUDA error 715, 716 or 700 (in this order); then nothing was written
//   source    PTX ISA 9.1, "Tensors", "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor"; docs/hardware.md
int slow_store(const struct slow_store *store, uint8_t *gmem, const uint8_t *smem, enum slow_mutant mutant);

// One operation without a map; a copy unless `is_reduction`. Source and destination are the memories that the form
// names, for the registers their bytes from address 0 on.
struct slow_bulk {
    enum bulk_form form;
    int is_reduction;
    enum reduce_op op;
    enum dtype dtype;
    uint64_t from, to;
    uint32_t size_bytes;
    uint64_t source_base, source_bytes;
    uint64_t destination_base, destination_bytes;
};

enum { SLOW_REFUSED = -1 }; // by the assembler

// Does `bulk` on the bytes of the two memories.
//   tx_bytes  what is signalled to the mbarrier of the destination's CTA; written only when 0 is returned    (bytes)
//   returns   0, SLOW_REFUSED, or the CUDA error 716, 700 or 719 (in this order); then nothing was written
//   source    PTX ISA 9.1, "cp.async.bulk", "cp.reduce.async.bulk", "st.async", "red.async"; docs/hardware.md
int slow_bulk(const struct slow_bulk *bulk, const uint8_t *source, uint8_t *destination, uint32_t *tx_bytes,
              enum slow_mutant mutant);

// Fills `bytes` with numbers of every format side by side, most of them at the edges of one: zeros, subnormals, NaNs,
// infinities, ties, small counts.
void slow_fill_numbers(struct slow_random *random, uint8_t *bytes, uint32_t count_bytes);

// Store vector `i`, or NULL past the last.
const char *slow_store_vector(int i, struct slow_store *store);

// Reduction vector `i`: one element.
const char *slow_reduce_vector(int i, enum reduce_op *op, enum dtype *dtype, uint64_t *memory, uint64_t *source);

const char *slow_bulk_vector(int i, struct slow_bulk *bulk);

// Random operations, biased to limits.
void slow_generate_store(struct slow_random *random, struct slow_store *store);
void slow_generate_bulk(struct slow_random *random, struct slow_bulk *bulk);

#endif
