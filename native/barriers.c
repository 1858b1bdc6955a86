// SPDX-License-Identifier: MIT
// Barriers, an instruction at a time, with their ledger.
#include <string.h>

#include "boundary.h"
#include "mbarrier_operate.h"
#include "mbarrier_reading.h"

enum { BARRIER_AT = 1024 };

// What lies in the room of a struct native_barrier.
struct book {
    struct ledger_book book;
    struct ledger page;
};
_Static_assert(sizeof(struct book) <= sizeof((struct native_barrier *)NULL)->ledger, "a ledger has room");

// The memory of a CTA that has this barrier alone.
struct place {
    struct memory cta;
    struct cluster_memory cluster;
    struct mbarrier_unit unit;
};

static const struct mbarrier_unit *unit_of(struct native_barrier *barrier, struct place *place)
{
    place->cta = (struct memory){(uint8_t *)&barrier->word, BARRIER_AT, MBARRIER_BYTES};
    place->cluster = cluster_memory_alone(&place->cta);
    place->unit = (struct mbarrier_unit){&place->cluster, &((struct book *)(void *)barrier->ledger)->book};
    return &place->unit;
}

void native_barrier_start(struct native_barrier *barrier)
{
    struct book *book = (struct book *)(void *)barrier->ledger;
    memset(barrier, 0, sizeof *barrier);
    ledger_book_start(&book->book, &book->page, 1);
}

int native_barrier_has(const char *opcode)
{
    return mbarrier_op_find(opcode) != MBARRIER_OPS;
}

void native_barrier_operate(struct native_barrier *barrier, const char *opcode, uint32_t lanes, const uint64_t *operand,
                            uint64_t *value, uint32_t *ballot, struct native_report *report)
{
    struct place place;
    struct mbarrier_instruction instruction = {.opcode = mbarrier_op_find(opcode), .lanes = lanes};
    struct mbarrier_answer answer = {0};
    struct findings findings;
    memset(value, 0, sizeof answer.value);
    *ballot = 0;
    if (!native_barrier_has(opcode)) {
        boundary_refuse(report, "opcode", (uint64_t)instruction.opcode);
        return;
    }
    for (int lane = 0; lane < MBARRIER_LANES; lane++) instruction.address[lane] = BARRIER_AT;
    memcpy(instruction.operand, operand, sizeof instruction.operand);
    enum rule rule = mbarrier_operate(unit_of(barrier, &place), &instruction, NULL, &answer, &findings);
    memcpy(value, answer.value, sizeof answer.value);
    *ballot = answer.ballot;
    native_tell(report, rule, &findings);
}

void native_barrier_land(struct native_barrier *barrier, uint32_t bytes, struct native_report *report)
{
    struct place place;
    const struct mbarrier_transaction transaction = {.complete_bytes = bytes};
    struct findings findings;
    enum rule rule = mbarrier_land(unit_of(barrier, &place), 0, BARRIER_AT, &transaction, NULL, &findings);
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

void native_barrier_reading(uint64_t word, struct native_report *report)
{
    const struct mbarrier_fields fields = mbarrier_unpack(word);
    struct line line;
    native_tell_nothing(report);
    line_start(&line);
    mbarrier_reading(&fields, &line);
    strcpy(report->text, line.bytes);
}
