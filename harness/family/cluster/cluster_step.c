// SPDX-License-Identifier: MIT
// One step on the CTAs of a cluster, as instructions of the model; and what asynchronous ones deliver, all at once.
#include "cluster_step.h"

#include <stddef.h>
#include <string.h>

#include "cluster_access.h"
#include "operation.h"

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

// The barrier operation of each step that is one.
static const struct {
    enum cluster_opcode opcode;
    uint32_t barrier_opcode;
} barrier_ops[] = {
    {CLUSTER_OP_INIT, MBARRIER_OP_INIT},
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
    return atomic_row(function)->ptx;
}

const char *cluster_meeting_name(uint32_t meeting)
{
    return meeting_names[meeting];
}

uint32_t cluster_data_bytes(const struct cluster_step *step)
{
    return cluster_is(step->opcode, CLUSTER_WITH_FUNCTION) ? atomic_row(step->function)->bytes : step->size_bytes;
}

uint32_t cluster_target(const struct cluster_step *step, uint32_t issuer, uint32_t ctas)
{
    if (step->opcode == CLUSTER_OP_MULTICAST) return (uint32_t)__builtin_ctz(step->target);
    if (step->target & CLUSTER_RING) return (issuer + (step->target ^ CLUSTER_RING)) % ctas;
    return step->opcode == CLUSTER_OP_BULK ? step->target & SHARED_MOST_RANK : step->target;
}

// --- The steps -------------------------------------------------------------------------------------------------------

// The cluster as the model's memories: data and barriers lie apart here, in one CTA each between others' bytes.
struct apart {
    struct memory data[CLUSTER_CTAS], barriers[CLUSTER_CTAS];
    struct cluster_memory of_data, of_barriers;
};

static uint32_t exited_of(const struct cluster_machine *machine)
{
    uint32_t exited = 0;
    for (uint32_t rank = 0; rank < machine->ctas && rank < CLUSTER_CTAS; rank++)
        exited |= (uint32_t)(machine->cta[rank].has_exited != 0) << rank;
    return exited;
}

static void look_at(struct cluster_machine *machine, struct apart *apart)
{
    const uint32_t exited = exited_of(machine);
    for (uint32_t rank = 0; rank < machine->ctas; rank++) {
        struct cluster_cta *cta = &machine->cta[rank];
        apart->data[rank] = (struct memory){cta->data, CLUSTER_DATA_START, CLUSTER_FILLED_BYTES};
        apart->barriers[rank] = (struct memory){(uint8_t *)cta->word, CLUSTER_BARRIER_START, sizeof cta->word};
    }
    apart->of_data = (struct cluster_memory){apart->data, machine->ctas, machine->is_cluster, exited};
    apart->of_barriers = (struct cluster_memory){apart->barriers, machine->ctas, machine->is_cluster, exited};
}

static uint32_t data_address(const struct cluster_step *step, uint32_t rank)
{
    return cluster_mapa(CLUSTER_DATA_START + step->offset_bytes, rank);
}

static uint32_t barrier_address(const struct cluster_step *step)
{
    return CLUSTER_BARRIER_START + MBARRIER_BYTES * step->barrier + step->skew_bytes;
}

// ld, st, red and atom.
static enum rule access_data(const struct apart *apart, const struct cluster_step *step, uint32_t issuer, uint32_t rank,
                             uint64_t got[2])
{
    const struct cluster_access access = {&apart->of_data, issuer, data_address(step, rank), cluster_data_bytes(step)};
    const uint64_t value[2] = {step->operand, step->compare};
    uint64_t old;
    if (step->opcode == CLUSTER_OP_LD) return cluster_load(&access, got, NULL, NULL);
    if (step->opcode == CLUSTER_OP_ST) return cluster_store(&access, value, NULL, NULL);
    enum rule rule = cluster_atomic(&access, step->function, step->operand, step->compare, &old, NULL, NULL);
    if (rule == RULE_OK && step->opcode == CLUSTER_OP_ATOM) got[0] = old;
    return rule;
}

static uint32_t barrier_opcode(uint32_t opcode)
{
    size_t i = 0;
    while (barrier_ops[i].opcode != opcode) i++;
    return barrier_ops[i].barrier_opcode;
}

static enum rule operate_barrier(const struct apart *apart, const struct cluster_step *step, uint32_t issuer,
                                 uint32_t rank)
{
    const struct mbarrier_unit unit = {&apart->of_barriers, NULL};
    const bool is_init = step->opcode == CLUSTER_OP_INIT;
    const struct mbarrier_instruction in = {
        .opcode = barrier_opcode(step->opcode),
        .space = is_init ? MBARRIER_SHARED_CTA : MBARRIER_SHARED_CLUSTER,
        .rank = issuer,
        .lanes = 1,
        .address = {is_init ? barrier_address(step) : cluster_mapa(barrier_address(step), rank)},
        .operand = {step->operand}};
    struct mbarrier_answer answer;
    return mbarrier_operate(&unit, &in, NULL, &answer, NULL);
}

// What arrives at one CTA by an asynchronous operation, and its complete_tx.
static void deliver(const struct cluster_machine *machine, const struct apart *apart, const struct cluster_step *step,
                    uint32_t issuer, uint32_t rank)
{
    const struct mbarrier_unit unit = {&apart->of_barriers, NULL};
    const uint32_t bytes = cluster_data_bytes(step);
    const struct mbarrier_transaction end = {.complete_bytes = bytes};
    uint64_t value[2] = {step->operand, step->compare}, old = 0;
    uint8_t *to = machine->cta[rank].data + step->offset_bytes;
    const void *from = value;
    if (step->opcode == CLUSTER_OP_BULK) from = machine->cta[issuer].data;
    if (step->opcode == CLUSTER_OP_MULTICAST)
        from = memory_at(machine->arena, machine->arena->base + step->operand, bytes);
    if (step->opcode == CLUSTER_OP_RED_ASYNC) {
        memcpy(&old, to, bytes);
        value[0] = atomic_apply(step->function, old, step->operand, 0);
    }
    memmove(to, from, bytes);
    mbarrier_land(&unit, rank, barrier_address(step), &end, NULL, NULL);
}

// red.async is checked as the st.async of its bytes.
static struct operation operation_of(const struct cluster_machine *machine, const struct cluster_step *step,
                                     uint32_t issuer)
{
    const bool is_load = step->opcode == CLUSTER_OP_MULTICAST;
    const uint32_t target = is_load ? issuer : cluster_target(step, issuer, machine->ctas);
    struct operation operation = {.kind = OPERATION_ST_ASYNC,
                                  .issuer = issuer,
                                  .to = data_address(step, target),
                                  .size_bytes = cluster_data_bytes(step),
                                  .barrier = cluster_mapa(barrier_address(step), target)};
    if (step->opcode == CLUSTER_OP_BULK) {
        operation.kind = OPERATION_BULK_SEND;
        operation.from = CLUSTER_DATA_START;
    } else if (is_load) {
        operation.kind = OPERATION_BULK_LOAD;
        operation.from = machine->arena->base + step->operand;
        operation.is_multicast = 1;
        operation.mask = step->target;
    }
    return operation;
}

// Data and barriers are one memory for the check, which looks at no bytes.
static enum rule check_async(const struct cluster_machine *machine, const struct operation *operation)
{
    const struct region arena = {*machine->arena, 0};
    const struct global_memory global = {&arena, 1};
    struct memory shared[CLUSTER_CTAS];
    for (uint32_t rank = 0; rank < machine->ctas; rank++)
        shared[rank] = (struct memory){NULL, CLUSTER_BARRIER_START, CLUSTER_SHARED_END - CLUSTER_BARRIER_START};
    const struct cluster_memory cluster = {shared, machine->ctas, machine->is_cluster, exited_of(machine)};
    const struct memories memories = {&global, &cluster};
    return operation_check(operation, &memories, NULL);
}

static enum rule issue_async(const struct cluster_machine *machine, const struct apart *apart,
                             const struct cluster_step *step, uint32_t issuer)
{
    const struct operation operation = operation_of(machine, step, issuer);
    const enum rule rule = check_async(machine, &operation);
    for (uint32_t targets = operation_targets(&operation); rule == RULE_OK && targets != 0; targets &= targets - 1)
        deliver(machine, apart, step, issuer, (uint32_t)__builtin_ctz(targets));
    return rule;
}

static void store_at_exit(struct cluster_machine *machine, const struct cluster_step *step, uint32_t issuer)
{
    uint8_t *to = memory_at(machine->global, machine->global->base, step->size_bytes);
    const uint8_t *from = machine->cta[issuer].data;
    if (step->opcode == CLUSTER_OP_REDUCE_EXIT)
        reduce_apply(REDUCE_ADD, DTYPE_UINT32, to, from, step->size_bytes / 4);
    else
        memcpy(to, from, step->size_bytes);
}

static enum rule step_of_issuer(struct cluster_machine *machine, const struct cluster_step *step, uint32_t issuer,
                                uint64_t got[2])
{
    struct apart apart;
    look_at(machine, &apart);
    if (step->opcode == CLUSTER_OP_EXIT) machine->cta[issuer].has_exited = true;
    if (cluster_is(step->opcode, CLUSTER_STORES_AT_EXIT)) store_at_exit(machine, step, issuer);
    if (cluster_is(step->opcode, CLUSTER_ASYNC)) return issue_async(machine, &apart, step, issuer);

    uint32_t rank = cluster_target(step, issuer, machine->ctas);
    if (cluster_is(step->opcode, CLUSTER_WITH_BARRIER)) return operate_barrier(&apart, step, issuer, rank);
    return cluster_is(step->opcode, CLUSTER_WITH_DATA) ? access_data(&apart, step, issuer, rank, got) : RULE_OK;
}

enum rule cluster_step(struct cluster_machine *machine, const struct cluster_step *step, struct cluster_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    enum rule rule = RULE_OK;
    for (uint32_t issuer = 0; issuer < machine->ctas && rule == RULE_OK; issuer++)
        if (step->issuers >> issuer & 1) rule = step_of_issuer(machine, step, issuer, answer->got[issuer]);
    return rule;
}
