// SPDX-License-Identifier: MIT
// What the check of an operation and its flight share. Private to model/tma.
#ifndef TMAREF_OPERATION_PART_H
#define TMAREF_OPERATION_PART_H

#include "box.h"
#include "operand.h"
#include "operation.h"

// An operation that is being checked. `box` takes the box of a tensor operation, where it has one; without
// `has_barrier` the barrier operand is not looked at.
struct question {
    const struct operation *operation;
    const struct memories *memories;
    struct box *box;
    bool has_barrier;
};

enum rule operation_question(const struct question *question, struct findings *findings);

// The two parts of a shared::cluster address: the rank of the CTA, and the offset in it.
static inline uint32_t operation_rank(uint32_t address)
{
    return address >> SHARED_RANK_SHIFT;
}

static inline uint32_t operation_place(uint32_t address)
{
    return address % (UINT32_C(1) << SHARED_RANK_SHIFT);
}

static inline bool operation_is_load(enum operation_kind kind)
{
    return kind == OPERATION_TENSOR_LOAD || kind == OPERATION_BULK_LOAD;
}

static inline bool operation_is_register(enum operation_kind kind)
{
    return kind == OPERATION_ST_ASYNC || kind == OPERATION_RED_ASYNC;
}

// The operand that names the destination in shared memory.
static inline uint32_t operation_destination(const struct operation *o)
{
    return o->kind == OPERATION_TENSOR_LOAD ? o->shared : (uint32_t)o->to;
}

// The CTA whose memory that is. A copy between CTAs takes the rank modulo 32: trace cluster_rank.
static inline uint32_t operation_destination_rank(const struct operation *o)
{
    bool is_copy = o->kind == OPERATION_BULK_SEND || o->kind == OPERATION_BULK_SEND_REDUCE;
    uint32_t rank = operation_rank(operation_destination(o));
    return is_copy ? rank % (SHARED_MOST_RANK + 1) : rank;
}

#endif
