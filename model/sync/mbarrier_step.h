// SPDX-License-Identifier: MIT
// Steps programs of mbarrier operations on four barriers: what each step leaves, returns and breaks. The table of
// operations is here too; JSON reading, the command and the generator all use it. Read mbarrier.h and mbarrier_op.h.
#ifndef TMAREF_MBARRIER_STEP_H
#define TMAREF_MBARRIER_STEP_H

#include "finding.h"
#include "mbarrier.h"
#include "mbarrier_op.h"

// What an operation takes beside the barrier, and what it gives back to each lane.
enum mbarrier_operand {
    MBARRIER_TAKES_NOTHING,
    MBARRIER_TAKES_COUNT,
    MBARRIER_TAKES_BYTES,
    MBARRIER_TAKES_PARITY,
    MBARRIER_TAKES_TOKEN,
    MBARRIER_TAKES_WORD,
};
enum mbarrier_result { MBARRIER_GIVES_NOTHING, MBARRIER_GIVES_TOKEN, MBARRIER_GIVES_PREDICATE, MBARRIER_GIVES_COUNT };

// One operation. `name` is what programs say, `ptx` the instruction, `ptx_cluster` its .shared::cluster form or NULL
// where there is none; `does` is the kind of transaction; `by_value`: the assembler makes one transaction per
// distinct operand value, lowest lane first, not one per warp (rule MBARRIER_LANE_GROUPS).
enum mbarrier_effect { MBARRIER_NO_EFFECT, MBARRIER_ARRIVES, MBARRIER_EXPECTS, MBARRIER_COMPLETES, MBARRIER_BOTH };
struct mbarrier_op_row {
    const char *name, *ptx, *ptx_cluster;
    enum mbarrier_operand operand;
    enum mbarrier_result result;
    enum mbarrier_effect does;
    int drop, no_complete, by_value;
};

// The row of an opcode < MBARRIER_OPS.
const struct mbarrier_op_row *mbarrier_op_row(uint32_t opcode);

// The opcode named `name` ("arrive.expect_tx"), with or without "mbarrier." before it, or MBARRIER_OPS.
uint32_t mbarrier_op_find(const char *name);

// "cta", "self", "remote"; and back, MBARRIER_ISSUERS if there is none.
const char *mbarrier_issuer_name(uint32_t issuer);
uint32_t mbarrier_issuer_find(const char *name);

// NULL if step `index` of `program` can be executed, else a sentence that names what is wrong and what is legal.
const char *mbarrier_op_illegal(const struct mbarrier_op *program, int index);

// What the documents would know of the 8 bytes; only warnings depend on it, never a word. The ledger names who came in
// this phase: the CTA (1: the other one), the lowest lane as thread, and the step's index as line.
enum mbarrier_life { MBARRIER_NONE, MBARRIER_LIVE, MBARRIER_INVALID };
struct mbarrier_slot {
    uint64_t word;
    enum mbarrier_life life;
    uint64_t phases; // completed so far
    int observed;    // a wait has seen the last one complete
    struct ledger ledger;
};

// What a step did. `lane`: the token's high half, or the count, of each executing lane; 0 for the others. `ballot`:
// the lanes whose wait said true. `rule` is RULE_OK or the fault that ends the program; then `word` is as before.
struct mbarrier_event {
    struct mbarrier_op op;
    enum rule rule;
    uint64_t word, phase_before;
    uint32_t ballot, lane[MBARRIER_LANES];
};

// The whole state: the caller's memory, started by mbarrier_machine_start(). All four words start as 0; barrier i lies
// at shared address 8 * i. `observer`: NULL, or who is told of every event.
struct mbarrier_machine {
    const struct observer *observer;
    struct mbarrier_slot slot[MBARRIER_SLOTS];
    int events;
    struct mbarrier_event event[MBARRIER_MAX_OPS];
};

void mbarrier_machine_start(struct mbarrier_machine *machine);

// Executes one step, appends its event, and adds to `findings` (may be NULL) the fault and every use that PTX leaves
// undefined though an H200 has an answer.
//   op       legal by mbarrier_op_illegal(), at most MBARRIER_MAX_OPS in all, none after a fault
//   returns  RULE_OK, or the rule whose fault ends the program; INSTRUCTION_FORM for an operation that is not legal or
//            one too many, which changes nothing
enum rule mbarrier_step(struct mbarrier_machine *machine, const struct mbarrier_op *op, struct findings *findings);

#endif
