// SPDX-License-Identifier: MIT
// What the suites of barrier programs share: a machine with its findings, and short ways to write one operation.
#ifndef TMAREF_MBARRIER_BENCH_H
#define TMAREF_MBARRIER_BENCH_H

#include <check.h>

#include "mbarrier_step.h"

enum { MAX = MBARRIER_COUNT_MAX };
#define WARP UINT32_C(0xffffffff)

struct bench {
    struct mbarrier_machine machine;
    struct findings findings;
};

static inline struct mbarrier_op op(uint32_t opcode, uint32_t operand)
{
    return (struct mbarrier_op){.opcode = opcode, .lanes = 1, .operand = operand, .token = MBARRIER_TOKEN_OPERAND};
}

static inline struct mbarrier_op op_lanes(uint32_t opcode, uint32_t operand, uint32_t lanes)
{
    struct mbarrier_op made = op(opcode, operand);
    made.lanes = lanes;
    return made;
}

static inline struct mbarrier_op op_token(uint32_t opcode, uint32_t token)
{
    struct mbarrier_op made = op(opcode, 0);
    made.token = token;
    return made;
}

static inline struct mbarrier_op op_remote(uint32_t opcode, uint32_t operand)
{
    struct mbarrier_op made = op(opcode, operand);
    made.issuer = MBARRIER_ISSUER_REMOTE;
    return made;
}

static inline struct mbarrier_op op_word(uint64_t word)
{
    struct mbarrier_op made = op(MBARRIER_OP_WORD, 0);
    made.word = word;
    return made;
}

static inline const struct mbarrier_event *run(struct bench *bench, struct mbarrier_op next)
{
    const struct mbarrier_event *event = &bench->machine.event[bench->machine.events];
    if (bench->machine.events == 0) mbarrier_machine_start(&bench->machine);
    struct mbarrier_op program[MBARRIER_MAX_OPS];
    for (int i = 0; i < bench->machine.events; i++) program[i] = bench->machine.event[i].op;
    program[bench->machine.events] = next;
    ck_assert_ptr_null(mbarrier_op_illegal(program, bench->machine.events));
    mbarrier_step(&bench->machine, &next, &bench->findings);
    return event;
}

static inline struct mbarrier_fields fields_after(struct bench *bench, struct mbarrier_op next)
{
    return mbarrier_unpack(run(bench, next)->word);
}

// How often a rule was found so far.
static inline int found(const struct bench *bench, enum rule rule)
{
    int times = 0;
    for (int i = 0; i < bench->findings.count; i++) times += bench->findings.item[i].rule == rule;
    return times;
}

#endif
