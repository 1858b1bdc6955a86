// SPDX-License-Identifier: MIT
// One step on the CTAs of a cluster: who is reached, what it leaves there, what faults. How a barrier's word changes
// is in mbarrier.c.
#include "cluster_step.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "mbarrier_form.h"

static const char *const opcode_names[] = {
#define NAME(id, name) name,
    CLUSTER_OPCODES(NAME)
#undef NAME
};

static const char *const meeting_names[] = {
#define NAME(id, name) name,
    CLUSTER_MEETINGS(NAME)
#undef NAME
};

static const struct {
    const char *name;
    uint32_t bytes;
    int is_red;
} functions[] = {
#define ROW(id, ptx, bytes, is_red) {ptx, bytes, is_red},
    CLUSTER_FUNCTIONS(ROW)
#undef ROW
};

// The barrier operation of each step that is one.
static const struct {
    enum cluster_opcode opcode;
    enum mbarrier_opcode barrier_opcode;
} barrier_ops[] = {
    {CLUSTER_OP_ARRIVE, MBARRIER_OP_ARRIVE},
    {CLUSTER_OP_ARRIVE_DROP, MBARRIER_OP_ARRIVE_DROP},
    {CLUSTER_OP_EXPECT_TX, MBARRIER_OP_EXPECT_TX},
    {CLUSTER_OP_COMPLETE_TX, MBARRIER_OP_COMPLETE_TX},
    {CLUSTER_OP_ARRIVE_EXPECT_TX, MBARRIER_OP_ARRIVE_EXPECT_TX},
    {CLUSTER_OP_ARRIVE_DROP_EXPECT_TX, MBARRIER_OP_ARRIVE_DROP_EXPECT_TX},
};

const char *cluster_opcode_name(uint32_t opcode)
{
    return opcode_names[opcode];
}

const char *cluster_function_name(uint32_t function)
{
    return functions[function].name;
}

const char *cluster_meeting_name(uint32_t meeting)
{
    return meeting_names[meeting];
}

uint32_t cluster_function_bytes(uint32_t function)
{
    return functions[function].bytes;
}

int cluster_function_is_red(uint32_t function)
{
    return functions[function].is_red;
}

int cluster_is_async(uint32_t opcode)
{
    return opcode >= CLUSTER_OP_ST_ASYNC && opcode <= CLUSTER_OP_MULTICAST;
}

int cluster_has_data(uint32_t opcode)
{
    return opcode <= CLUSTER_OP_ATOM || cluster_is_async(opcode);
}

int cluster_has_barrier(uint32_t opcode)
{
    return opcode >= CLUSTER_OP_ARRIVE && opcode <= CLUSTER_OP_INIT;
}

int cluster_has_function(uint32_t opcode)
{
    return opcode == CLUSTER_OP_RED || opcode == CLUSTER_OP_ATOM || opcode == CLUSTER_OP_RED_ASYNC;
}

int cluster_is_store_at_exit(uint32_t opcode)
{
    return opcode >= CLUSTER_OP_STORE_EXIT && opcode <= CLUSTER_OP_REDUCE_EXIT;
}

uint32_t cluster_data_bytes(const struct cluster_step *step)
{
    return cluster_has_function(step->opcode) ? cluster_function_bytes(step->function) : step->size_bytes;
}

uint32_t cluster_target(const struct cluster_step *step, uint32_t issuer, uint32_t ctas)
{
    if (step->opcode == CLUSTER_OP_MULTICAST) return (uint32_t)__builtin_ctz(step->target);
    if (step->target & CLUSTER_RING) return (issuer + (step->target ^ CLUSTER_RING)) % ctas;
    return step->opcode == CLUSTER_OP_BULK ? step->target & CLUSTER_MAX_RANK : step->target;
}

// --- What a step does to data ----------------------------------------------------------------------------------------

static uint64_t apply_32(uint32_t function, uint32_t old, uint32_t operand, uint32_t compare)
{
    switch (function) {
    case CLUSTER_ADD_U32:
        return old + operand;
    case CLUSTER_MIN_U32:
        return old < operand ? old : operand;
    case CLUSTER_MAX_U32:
        return old > operand ? old : operand;
    case CLUSTER_MIN_S32:
        return (int32_t)old < (int32_t)operand ? old : operand;
    case CLUSTER_MAX_S32:
        return (int32_t)old > (int32_t)operand ? old : operand;
    case CLUSTER_INC_U32:
        return old >= operand ? 0 : old + 1;
    case CLUSTER_DEC_U32:
        return old == 0 || old > operand ? operand : old - 1;
    case CLUSTER_AND_B32:
        return old & operand;
    case CLUSTER_OR_B32:
        return old | operand;
    case CLUSTER_XOR_B32:
        return old ^ operand;
    case CLUSTER_CAS_B32:
        return old == compare ? operand : old;
    default:
        return operand;
    }
}

uint64_t cluster_apply(uint32_t function, uint64_t old, uint64_t operand, uint64_t compare)
{
    switch (function) {
    case CLUSTER_ADD_U64:
        return old + operand;
    case CLUSTER_EXCH_B64:
        return operand;
    case CLUSTER_CAS_B64:
        return old == compare ? operand : old;
    default:
        return (uint32_t)apply_32(function, (uint32_t)old, (uint32_t)operand, (uint32_t)compare);
    }
}

// --- Whom it reaches -------------------------------------------------------------------------------------------------

// What is wrong with the rank itself, before the address is looked at: rules CLUSTER_NONE, CLUSTER_RANK_LIMIT.
static enum rule check_operand(const struct cluster_machine *machine, const struct cluster_step *step, uint32_t rank)
{
    int is_between_ctas = cluster_is_async(step->opcode) && step->opcode != CLUSTER_OP_MULTICAST;
    if (!machine->is_cluster && (rank != 0 || is_between_ctas)) return RULE_CLUSTER_NONE;
    return rank > CLUSTER_MAX_RANK ? RULE_CLUSTER_RANK_LIMIT : RULE_OK;
}

// Whether CTA `rank` can be reached at all: rules CLUSTER_RANK_MISSING, CLUSTER_EXITED.
static enum rule check_rank(const struct cluster_machine *machine, uint32_t rank)
{
    if (rank >= machine->ctas) return RULE_CLUSTER_RANK_MISSING;
    return machine->cta[rank].has_exited ? RULE_CLUSTER_EXITED : RULE_OK;
}

static enum rule check_data(const struct cluster_machine *machine, const struct cluster_step *step, uint32_t issuer,
                            uint32_t rank)
{
    uint32_t bytes = cluster_data_bytes(step), align = step->opcode >= CLUSTER_OP_BULK ? 16 : bytes;
    uint32_t end = CLUSTER_DATA_START + step->offset_bytes + bytes;
    enum rule rule = check_operand(machine, step, rank);
    if (rule == RULE_OK && step->offset_bytes % align != 0) rule = RULE_CLUSTER_ALIGN;
    if (rule == RULE_OK && end > SM_SHARED_BYTES) rule = RULE_CLUSTER_LIMIT;
    if (rule == RULE_OK) rule = check_rank(machine, rank);
    if (rule != RULE_OK || end <= CLUSTER_SHARED_END) return rule;
    return rank == issuer && !cluster_is_async(step->opcode) ? RULE_CLUSTER_LIMIT : RULE_CLUSTER_BOUNDS;
}

// --- The steps -------------------------------------------------------------------------------------------------------

static void access_data(struct cluster_cta *cta, const struct cluster_step *step, uint64_t got[2])
{
    uint8_t *at = cta->data + step->offset_bytes;
    uint64_t value[2] = {step->operand, step->compare}, old = 0;
    uint32_t bytes = cluster_data_bytes(step);
    if (step->opcode == CLUSTER_OP_LD) memcpy(got, at, bytes);
    if (step->opcode == CLUSTER_OP_LD) return;
    if (cluster_has_function(step->opcode)) {
        memcpy(&old, at, bytes);
        value[0] = cluster_apply(step->function, old, step->operand, step->compare);
        if (step->opcode == CLUSTER_OP_ATOM) got[0] = old;
    }
    memcpy(at, value, bytes);
}

static enum mbarrier_opcode barrier_opcode(uint32_t opcode)
{
    size_t i = 0;
    while (barrier_ops[i].opcode != opcode) i++;
    return barrier_ops[i].barrier_opcode;
}

struct mbarrier_transaction cluster_transaction(const struct cluster_step *step)
{
    const struct mbarrier_op_row *row = mbarrier_op_row(barrier_opcode(step->opcode));
    const uint32_t operand = (uint32_t)step->operand;
    struct mbarrier_transaction transaction = {.drop = row->drop};
    if (row->does == MBARRIER_ARRIVES) transaction.arrivals = operand;
    if (row->does == MBARRIER_BOTH) transaction.arrivals = 1;
    if (row->does == MBARRIER_BOTH || row->does == MBARRIER_EXPECTS) transaction.expect_bytes = operand;
    if (row->does == MBARRIER_COMPLETES) transaction.complete_bytes = operand;
    return transaction;
}

static enum rule operate_barrier(struct cluster_machine *machine, const struct cluster_step *step, uint32_t issuer,
                                 uint32_t rank)
{
    struct mbarrier_transaction transaction = cluster_transaction(step);
    enum rule rule = check_operand(machine, step, rank);
    if (rule == RULE_OK && step->skew_bytes != 0) rule = RULE_MBARRIER_ADDRESS_ALIGN;
    if (rule == RULE_OK) rule = check_rank(machine, rank);
    if (rule != RULE_OK) return rule;
    uint64_t *word = &machine->cta[rank].word[step->barrier];
    if (rank == issuer) return mbarrier_transact(word, &transaction);
    mbarrier_transact_remote(word, &transaction);
    return RULE_OK;
}

// What arrives at one CTA by an asynchronous operation, and its complete_tx.
static void deliver(struct cluster_machine *machine, const struct cluster_step *step, uint32_t issuer, uint32_t rank)
{
    struct cluster_cta *cta = &machine->cta[rank];
    uint32_t bytes = cluster_data_bytes(step);
    uint8_t *to = cta->data + step->offset_bytes;
    uint64_t nothing[2];
    if (step->opcode == CLUSTER_OP_BULK)
        memmove(to, machine->cta[issuer].data, bytes);
    else if (step->opcode == CLUSTER_OP_MULTICAST)
        memcpy(to, memory_at(machine->arena, machine->arena->base + step->operand, bytes), bytes);
    else
        access_data(cta, step, nothing);
    mbarrier_transact_remote(&cta->word[step->barrier], &(struct mbarrier_transaction){.complete_bytes = bytes});
}

static enum rule issue_async(struct cluster_machine *machine, const struct cluster_step *step, uint32_t issuer)
{
    uint32_t target = cluster_target(step, issuer, machine->ctas), ranks = UINT32_C(1) << (target & 31);
    enum rule rule = RULE_OK;
    if (step->opcode == CLUSTER_OP_MULTICAST) ranks = step->target;
    if (target > 31) return check_data(machine, step, issuer, target);
    for (uint32_t rank = 0; rank < 32 && rule == RULE_OK; rank++)
        if (ranks >> rank & 1) rule = check_data(machine, step, issuer, rank);
    for (uint32_t rank = 0; rank < 32 && rule == RULE_OK; rank++)
        if (ranks >> rank & 1) deliver(machine, step, issuer, rank);
    return rule;
}

static void store_at_exit(struct cluster_machine *machine, const struct cluster_step *step, uint32_t issuer)
{
    uint8_t *to = memory_at(machine->global, machine->global->base, step->size_bytes);
    const uint8_t *from = machine->cta[issuer].data;
    if (step->opcode != CLUSTER_OP_REDUCE_EXIT) {
        memcpy(to, from, step->size_bytes);
        return;
    }
    for (uint32_t at = 0; at < step->size_bytes; at += 4) {
        uint32_t a, b;
        memcpy(&a, to + at, sizeof a);
        memcpy(&b, from + at, sizeof b);
        a += b;
        memcpy(to + at, &a, sizeof a);
    }
}

static enum rule step_of_issuer(struct cluster_machine *machine, const struct cluster_step *step, uint32_t issuer,
                                uint64_t got[2])
{
    struct cluster_cta *cta = &machine->cta[issuer];
    if (step->opcode == CLUSTER_OP_EXIT_WARP) return RULE_OK;
    if (step->opcode == CLUSTER_OP_EXIT) cta->has_exited = 1;
    if (step->opcode == CLUSTER_OP_INIT) cta->word[step->barrier] = mbarrier_init((uint32_t)step->operand);
    if (cluster_is_store_at_exit(step->opcode)) store_at_exit(machine, step, issuer);
    if (step->opcode >= CLUSTER_OP_INIT) return RULE_OK;
    if (cluster_is_async(step->opcode)) return issue_async(machine, step, issuer);

    uint32_t rank = cluster_target(step, issuer, machine->ctas);
    if (cluster_has_barrier(step->opcode)) return operate_barrier(machine, step, issuer, rank);
    enum rule rule = check_data(machine, step, issuer, rank);
    if (rule == RULE_OK) access_data(&machine->cta[rank], step, got);
    return rule;
}

enum rule cluster_step(struct cluster_machine *machine, const struct cluster_step *step, struct cluster_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    enum rule rule = RULE_OK;
    for (uint32_t issuer = 0; issuer < machine->ctas && rule == RULE_OK; issuer++)
        if (step->issuers >> issuer & 1) rule = step_of_issuer(machine, step, issuer, answer->got[issuer]);
    return rule;
}
