// SPDX-License-Identifier: MIT
// The language of barrier programs: steps on four barriers of a CTA, by its threads or by those of the other CTA of a
// cluster of two. What each step leaves, returns and breaks is the model's mbarrier_operate(); here are the names, what
// a program may say, and tokens by the step that got them. JSON reading, the command and the generator all use it.
#ifndef TMAREF_MBARRIER_STEP_H
#define TMAREF_MBARRIER_STEP_H

#include "../../../kernels/mbarrier_program.h"
#include "mbarrier_operate.h"

// The row of a step: of its instruction, or of "word". `opcode` < MBARRIER_STEP_OPS.
const struct mbarrier_op_row *mbarrier_step_row(uint32_t opcode);

// The opcode of a step named `name`, with or without "mbarrier." before it, or MBARRIER_STEP_OPS.
uint32_t mbarrier_step_find(const char *name);

// "cta", "self", "remote"; and back, MBARRIER_ISSUERS if there is none.
const char *mbarrier_issuer_name(uint32_t issuer);
uint32_t mbarrier_issuer_find(const char *name);

// NULL if step `index` of `program` can be executed, else a sentence that names what is wrong and what is legal.
const char *mbarrier_op_illegal(const struct mbarrier_op *program, int index);

// The barrier of lane `lane`, which differs where the step has a spread.
uint32_t mbarrier_lane_barrier(const struct mbarrier_op *op, int lane);

// What a step did. `word`: of the step's barrier, that of the lanes without a spread. `lane`: the token's high half, or
// the count, of each executing lane; 0 for the others. `ballot`: the lanes whose wait said true. `rule` is RULE_OK or
// the fault that ends the program; then `word` is as before.
struct mbarrier_event {
    struct mbarrier_op op;
    enum rule rule;
    uint64_t word, phases_before;
    uint32_t ballot, lane[MBARRIER_LANES];
};

// The whole state: the caller's memory, started by mbarrier_machine_start(); a copy of it is another. All four words
// start as 0; barrier i lies at shared address 8 * i of CTA 0. Contributions to a ledger have the step's index as line.
// `observer`: NULL, or who hears every event.
struct mbarrier_machine {
    const struct observer *observer;
    uint64_t word[2][MBARRIER_SLOTS];
    struct ledger page[MBARRIER_SLOTS];
    struct ledger_book ledgers;
    int events;
    struct mbarrier_event event[MBARRIER_MAX_OPS];
};

void mbarrier_machine_start(struct mbarrier_machine *machine);

// What the ledger knows of barrier `barrier`, NULL if nothing.
const struct ledger *mbarrier_machine_ledger(const struct mbarrier_machine *machine, uint32_t barrier);

// Executes one step, appends its event, and puts into `findings` (may be NULL) the fault and every use that PTX leaves
// undefined though an H200 has an answer; the index of each is the step's.
//   op       legal by mbarrier_op_illegal(), at most MBARRIER_MAX_OPS in all, none after a fault
//   returns  RULE_OK, or the rule whose fault ends the program
enum rule mbarrier_step(struct mbarrier_machine *machine, const struct mbarrier_op *op, struct findings *findings);

#endif
