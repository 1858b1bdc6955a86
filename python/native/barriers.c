// SPDX-License-Identifier: MIT
// Barriers, an instruction at a time, on a word of the caller's.
#include <string.h>

#include "mbarrier_operate.h"
#include "report.h"

enum { BARRIER_AT = 1024 };

void native_barrier(uint64_t *word, const char *opcode, uint32_t lanes, const uint64_t *operand, uint64_t *value,
                    uint32_t *ballot, struct native_report *report)
{
    const struct memory cta = {(uint8_t *)word, BARRIER_AT, MBARRIER_BYTES};
    const struct cluster_memory cluster = cluster_memory_alone(&cta);
    const struct mbarrier_unit unit = {&cluster, NULL};
    struct mbarrier_instruction instruction = {.opcode = mbarrier_op_find(opcode), .lanes = lanes};
    struct mbarrier_answer answer = {0};
    struct findings findings;
    for (int lane = 0; lane < MBARRIER_LANES; lane++) instruction.address[lane] = BARRIER_AT;
    memcpy(instruction.operand, operand, sizeof instruction.operand);
    enum rule rule = mbarrier_operate(&unit, &instruction, NULL, &answer, &findings);
    memcpy(value, answer.value, sizeof answer.value);
    *ballot = answer.ballot;
    native_tell(report, rule, &findings);
}

void native_barrier_land(uint64_t *word, uint32_t bytes, struct native_report *report)
{
    const struct memory cta = {(uint8_t *)word, BARRIER_AT, MBARRIER_BYTES};
    const struct cluster_memory cluster = cluster_memory_alone(&cta);
    const struct mbarrier_unit unit = {&cluster, NULL};
    const struct mbarrier_transaction transaction = {.complete_bytes = bytes};
    struct findings findings;
    enum rule rule = mbarrier_land(&unit, 0, BARRIER_AT, &transaction, NULL, &findings);
    native_tell(report, rule, &findings);
}

void native_barrier_fields(uint64_t word, int64_t *fields)
{
    struct mbarrier_fields f = mbarrier_unpack(word);
    fields[0] = f.phase;
    fields[1] = f.error;
    fields[2] = f.pending;
    fields[3] = f.expected;
    fields[4] = f.tx;
}
