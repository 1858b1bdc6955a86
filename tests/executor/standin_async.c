// SPDX-License-Identifier: MIT
// The kernel async.cu of the stand-in GPU: its programs on a machine that does everything at once.
#include <string.h>

#include "async_job.h"
#include "bulk.h"
#include "cp_async.h"
#include "mbarrier.h"
#include "standin.h"

// One program on its memories.
struct machine {
    const struct async_job *job;
    struct memory shared, global;
    uint64_t word;
};

static void fill(uint8_t *bytes, uint64_t size_bytes, uint32_t seed, uint32_t salt, uint32_t address)
{
    for (uint32_t at = 0; at < size_bytes; at += 4) {
        uint32_t word = async_word(seed, salt, address + at);
        memcpy(bytes + at, &word, 4);
    }
}

static enum rule step_copy(struct machine *machine, const struct async_op *op)
{
    struct cp_async copy = {op->slow ? standin_far() : standin_mapped(),
                            &machine->shared,
                            (enum cp_async_form)op->form,
                            op->size_bytes,
                            op->number,
                            op->from,
                            op->to};
    return cp_async_copy(&copy);
}

static enum rule step_bulk(struct machine *machine, uint32_t step)
{
    const struct async_op *op = &machine->job->op[step];
    uint32_t from = ASYNC_SOURCES + step * ASYNC_SOURCE_BYTES, transaction_bytes;
    struct bulk bulk = {BULK_SHARED_TO_GLOBAL,      &machine->shared, &machine->global, from,
                        machine->job->global[step], op->size_bytes};
    fill(memory_at(&machine->shared, from, op->size_bytes), op->size_bytes, machine->job->seed, ASYNC_SALT_SOURCES,
         from);
    if (op->opcode == ASYNC_OP_STORE) return bulk_copy(&bulk, &transaction_bytes);
    return bulk_reduce(&bulk, REDUCE_ADD, DTYPE_UINT32, &transaction_bytes);
}

static enum rule step_barrier(struct machine *machine, const struct async_op *op, uint32_t *answer)
{
    struct mbarrier_transaction transaction = {0};
    int complete = 0, is_noinc = op->opcode == ASYNC_OP_COPIES_ARRIVE_NOINC;
    enum rule rule;
    switch (op->opcode) {
    case ASYNC_OP_COPIES_ARRIVE:
    case ASYNC_OP_COPIES_ARRIVE_NOINC:
        rule = mbarrier_copies_issue(&machine->word, 1, is_noinc);
        if (rule == RULE_OK) mbarrier_copies_done(&machine->word, 1, is_noinc);
        return rule;
    case ASYNC_OP_BARRIER_WAIT:
        rule = mbarrier_test_parity(machine->word, op->number, &complete);
        *answer |= complete ? ASYNC_ANSWER_BIT : 0;
        return rule;
    case ASYNC_OP_ARRIVE:
        transaction.arrivals = op->number;
        break;
    case ASYNC_OP_EXPECT_TX:
        transaction.expect_bytes = op->number;
        break;
    default:
        transaction.complete_bytes = op->number;
    }
    return mbarrier_transact(&machine->word, &transaction);
}

static enum rule run_step(struct machine *machine, uint32_t step, uint32_t *answer)
{
    const struct async_op *op = &machine->job->op[step];
    *answer = machine->job->must[step]; // everything is complete at once
    switch (op->opcode) {
    case ASYNC_OP_COPY_CA:
    case ASYNC_OP_COPY_CG:
        return step_copy(machine, op);
    case ASYNC_OP_STORE:
    case ASYNC_OP_REDUCE:
        return step_bulk(machine, step);
    case ASYNC_OP_COPIES_ARRIVE:
    case ASYNC_OP_COPIES_ARRIVE_NOINC:
    case ASYNC_OP_ARRIVE:
    case ASYNC_OP_EXPECT_TX:
    case ASYNC_OP_COMPLETE_TX:
    case ASYNC_OP_BARRIER_WAIT:
        return step_barrier(machine, op, answer);
    default: // commits and waits: nothing is left to wait for
        return RULE_OK;
    }
}

static enum rule run_job(const struct async_job *job, uint8_t *output)
{
    static _Alignas(16) uint8_t shared[ASYNC_SHARED_BYTES];
    uint8_t *global = output + async_windows_bytes(job->count);
    uint8_t *slots = shared + (ASYNC_SLOTS - ASYNC_SHARED_START);
    struct machine machine = {job, {shared, ASYNC_SHARED_START, sizeof shared}, {global, 0, job->global_bytes}, 0};
    enum rule rule = RULE_OK;
    meet_trouble(job->seed);
    fill(slots, ASYNC_SLOT_BYTES * job->count, job->seed, ASYNC_SALT_SLOTS, ASYNC_SLOTS);
    fill(global, job->global_bytes, job->seed, ASYNC_SALT_GLOBAL, 0);
    machine.word = mbarrier_init(job->init);
    for (uint32_t step = 0; step < job->count && rule == RULE_OK; step++) {
        uint32_t answer;
        rule = run_step(&machine, step, &answer);
        memcpy(output + 16 + 4 * step, &answer, 4);
    }
    memcpy(output, &machine.word, 8);
    memcpy(global - ASYNC_SLOT_BYTES * job->count, slots, ASYNC_SLOT_BYTES * job->count);
    return rule;
}

enum rule async_jobs(void **parameters)
{
    unsigned long long jobs, output;
    int count;
    enum rule rule = RULE_OK;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&count, parameters[1], sizeof count);
    memcpy(&output, parameters[2], sizeof output);
    for (int i = 0; i < count && rule == RULE_OK; i++) {
        const struct async_job *job = (const struct async_job *)(uintptr_t)jobs + i;
        rule = run_job(job, (uint8_t *)(uintptr_t)output + job->output);
    }
    return rule;
}
