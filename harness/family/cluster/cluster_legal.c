// SPDX-License-Identifier: MIT
// Which steps can be run at all, and leave a result that does not depend on which CTA is faster. Breaking a rule of the
// machine is legal: that is what cluster_step() answers.
#include <stddef.h>

#include "cluster_step.h"

enum { COPY_BYTES = 16, MAX_OFFSET = SM_SHARED_BYTES + 1024 };

static bool is_one(uint32_t mask)
{
    return (mask & (mask - 1)) == 0;
}

static bool is_size(uint32_t size, uint32_t sizes)
{
    return size < 32 && sizes >> size & 1;
}

static const char *size_illegal(const struct cluster_step *step)
{
    const uint32_t narrow = 1 << 1 | 1 << 2, words = 1 << 4 | 1 << 8 | 1 << 16, size = step->size_bytes;
    switch (step->opcode) {
    case CLUSTER_OP_LD:
    case CLUSTER_OP_ST:
        return is_size(size, narrow | words) ? NULL : "size is 1, 2, 4, 8 or 16";
    case CLUSTER_OP_ST_ASYNC:
        return is_size(size, words) ? NULL : "size is 4, 8 or 16";
    case CLUSTER_OP_BULK:
    case CLUSTER_OP_MULTICAST:
        return size > 0 && size <= CLUSTER_DATA_BYTES && size % COPY_BYTES == 0 ? NULL
                                                                                : "size is a multiple of 16 up to 128";
    case CLUSTER_OP_STORE_EXIT:
    case CLUSTER_OP_COMMIT_EXIT:
    case CLUSTER_OP_REDUCE_EXIT:
        return size > 0 && size <= CLUSTER_FILLED_BYTES && size % COPY_BYTES == 0
                   ? NULL
                   : "size is a multiple of 16 up to 16384";
    default:
        return size == 0 ? NULL : "size is for ld, st, st.async, copies and stores";
    }
}

static const char *data_illegal(const struct cluster_step *step)
{
    uint32_t end = step->offset_bytes + cluster_data_bytes(step);
    if (!cluster_is(step->opcode, CLUSTER_WITH_DATA)) return step->offset_bytes == 0 ? NULL : "offset is for data";
    if (step->offset_bytes > MAX_OFFSET) return "offset is at most 234496";
    if (end > CLUSTER_DATA_BYTES && end <= CLUSTER_FILLED_BYTES) return "the data are 128 bytes, or past the end";
    return NULL;
}

static const char *target_illegal(const struct cluster_step *step, uint32_t ctas)
{
    if (step->opcode >= CLUSTER_OP_INIT) return step->target == 0 ? NULL : "target is for remote operations";
    if (step->opcode == CLUSTER_OP_MULTICAST)
        return step->target > 0 && step->target < 1 << CLUSTER_CTAS ? NULL : "target is a mask of 16 ranks, not 0";
    if (step->target & CLUSTER_RING)
        return (step->target ^ CLUSTER_RING) < ctas ? NULL : "ring is less than the CTAs of the cluster";
    return step->target < CLUSTER_RING ? NULL : "target is a rank, 0 to 255";
}

// Several issuers: each has a target of its own, or what they do to the one they share is the same in any order.
static const char *order_illegal(const struct cluster_step *step, uint32_t ctas)
{
    bool is_ring = (step->target & CLUSTER_RING) != 0 && step->opcode < CLUSTER_OP_MULTICAST;
    bool is_alone = is_one(step->issuers), is_self = cluster_target(step, 0, ctas) == 0;
    uint32_t rank = step->target;
    if (step->opcode == CLUSTER_OP_BULK && step->offset_bytes < step->size_bytes) {
        if (!is_alone) return "copies of several issuers write behind what they read";
        if (is_ring ? is_self : rank < ctas && (step->issuers >> rank & 1)) return "the copy overlaps itself";
    }
    if (is_alone || is_ring || step->opcode == CLUSTER_OP_LD || step->opcode == CLUSTER_OP_RED) return NULL;
    if (step->opcode >= CLUSTER_OP_INIT)
        return cluster_is(step->opcode, CLUSTER_STORES_AT_EXIT) ? "one CTA stores" : NULL;
    if (!cluster_is(step->opcode, CLUSTER_WITH_BARRIER) || cluster_is(step->opcode, CLUSTER_ASYNC))
        return "several issuers need a ring, or ld, red or a barrier operation";
    return rank < ctas && (step->issuers >> rank & 1) ? "a CTA does not share its own barrier with other issuers"
                                                      : NULL;
}

// The CTAs that have exited before step `index`.
static uint32_t gone_before(const struct cluster_step *program, int index)
{
    uint32_t gone = 0;
    for (int i = 0; i < index; i++)
        if (program[i].opcode == CLUSTER_OP_EXIT) gone |= program[i].issuers;
    return gone;
}

static const char *issuers_illegal(const struct cluster_step *program, int index, int count, uint32_t ctas)
{
    const struct cluster_step *step = &program[index];
    const uint32_t all = (UINT32_C(1) << ctas) - 1, gone = gone_before(program, index);
    if (step->issuers == 0 || (step->issuers & ~all) != 0) return "issuers is a mask of the cluster's ranks, not 0";
    if ((step->issuers & gone) != 0) return "an issuer has exited";
    if (step->opcode == CLUSTER_OP_EXIT && (gone | step->issuers) == all) return "one CTA stays to the end";
    if (cluster_is(step->opcode, CLUSTER_STORES_AT_EXIT) && index + 1 != count)
        return "a store at exit is the last step";
    return NULL;
}

static const char *operand_illegal(const struct cluster_step *step)
{
    bool is_wide = cluster_is(step->opcode, CLUSTER_WITH_DATA),
         has_barrier = cluster_is(step->opcode, CLUSTER_WITH_BARRIER);
    if (step->function >= ATOMIC_FUNCTION_COUNT) return "function is none that red and atom have";
    if (step->function != 0 && !cluster_is(step->opcode, CLUSTER_WITH_FUNCTION))
        return "function is for red, atom and red.async";
    if (step->opcode != CLUSTER_OP_ATOM && !atomic_row(step->function)->is_red) return "function is one of atom alone";
    if (step->barrier >= (has_barrier ? (uint32_t)CLUSTER_BARRIERS : 1))
        return "barrier is 0 to 3, for barrier operations";
    if (step->skew_bytes > 7) return "skew is 0 to 7 bytes";
    if (step->skew_bytes != 0 &&
        (!has_barrier || cluster_is(step->opcode, CLUSTER_ASYNC) || step->opcode == CLUSTER_OP_INIT))
        return "skew is for remote barrier operations";
    if (!is_wide && step->operand > UINT32_MAX) return "operand has 32 bits";
    if (step->opcode == CLUSTER_OP_MULTICAST && step->operand % COPY_BYTES != 0) return "operand is a multiple of 16";
    return step->meeting < CLUSTER_MEETING_COUNT ? NULL : "meeting is none of those there are";
}

const char *cluster_step_illegal(const struct cluster_step *program, int index, int count, uint32_t ctas)
{
    const struct cluster_step *step = &program[index];
    if (step->opcode >= CLUSTER_OPS) return "op is not the name of a step";
    const char *why = operand_illegal(step);
    if (why == NULL) why = size_illegal(step);
    if (why == NULL) why = data_illegal(step);
    if (why == NULL) why = target_illegal(step, ctas);
    if (why == NULL) why = issuers_illegal(program, index, count, ctas);
    return why != NULL ? why : order_illegal(step, ctas);
}
