// SPDX-License-Identifier: MIT
// A barrier program, one warp instruction after another: why does this wait never end? The producer expects 1040 bytes
// where the copy brings 1024. The word says what is missing, the ledger who came.
#include <stdio.h>
#include <tmaref.h>

enum { BARRIER = 64, LANE_0 = 1, COPY_BYTES = 1024 };

static uint8_t shared[128];

// One instruction of lane 0 on the barrier.
static struct tmaref_mbarrier_answer operate(const struct tmaref_mbarrier_unit *unit,
                                             enum tmaref_mbarrier_opcode opcode, uint64_t operand, uint32_t line)
{
    const struct tmaref_mbarrier_instruction instruction = {
        .opcode = opcode, .lanes = LANE_0, .address = {BARRIER}, .operand = {operand}};
    const struct tmaref_teller teller = {NULL, {.lanes = LANE_0, .line = line}};
    struct tmaref_mbarrier_answer answer;
    struct tmaref_findings findings;
    if (tmaref_mbarrier_operate(unit, &instruction, &teller, &answer, &findings) != TMAREF_RULE_OK)
        printf("line %u faults: %s\n", line, tmaref_rule_row(findings.item[0].rule)->sentence);
    return answer;
}

static struct tmaref_mbarrier_fields fields(void)
{
    uint64_t word = 0;
    for (int i = 7; i >= 0; i--) word = word << 8 | shared[BARRIER + i];
    return tmaref_mbarrier_unpack(word);
}

int main(void)
{
    const struct tmaref_memory cta = {shared, 0, sizeof shared};
    const struct tmaref_cluster_memory cluster = tmaref_cluster_memory_alone(&cta);
    struct tmaref_ledger pages[4];
    struct tmaref_ledger_book book;
    const struct tmaref_mbarrier_unit unit = {&cluster, &book};
    tmaref_ledger_book_start(&book, pages, 4);

    operate(&unit, TMAREF_MBARRIER_OP_INIT, 1, 10);
    operate(&unit, TMAREF_MBARRIER_OP_ARRIVE_EXPECT_TX, COPY_BYTES + 16, 11);
    const struct tmaref_mbarrier_transaction copy = {.complete_bytes = COPY_BYTES};
    const struct tmaref_teller copier = {NULL, {.operation = 1, .line = 12}};
    tmaref_mbarrier_land(&unit, 0, BARRIER, &copy, &copier, NULL);
    int is_done = operate(&unit, TMAREF_MBARRIER_OP_TRY_WAIT_PARITY, 0, 13).ballot != 0;

    const struct tmaref_ledger *ledger = tmaref_ledger_find(&book, 0, BARRIER);
    printf("try_wait says %s: %d arrivals and %d bytes are missing\n", is_done ? "true" : "false", fields().pending,
           fields().tx);
    for (int i = 0; i < ledger->count; i++)
        printf("    line %u: %d arrivals, expects %d bytes, completes %d\n", ledger->entry[i].origin.line,
               (int)ledger->entry[i].transaction.arrivals, (int)ledger->entry[i].transaction.expect_bytes,
               (int)ledger->entry[i].transaction.complete_bytes);

    int was_stuck = !is_done && fields().tx == 16;
    operate(&unit, TMAREF_MBARRIER_OP_COMPLETE_TX, 16, 14);
    is_done = operate(&unit, TMAREF_MBARRIER_OP_TRY_WAIT_PARITY, 0, 15).ballot != 0;
    printf("with 16 bytes more it says %s, and phase %d is under way\n", is_done ? "true" : "false", fields().phase);
    return was_stuck && is_done && fields().phase == 1 ? 0 : 1;
}
