// SPDX-License-Identifier: MIT
#include "mbarrier_form.h"

#include <assert.h>
#include <stddef.h>
#include <strings.h>

#define CTA_ARRIVE     "mbarrier.arrive.shared::cta.b64 state, [addr], count"
#define CTA_NOCOMPLETE "mbarrier.arrive.noComplete.shared::cta.b64 state, [addr], count"
#define CTA_DROP       "mbarrier.arrive_drop.shared::cta.b64 state, [addr], count"
#define CTA_DROP_NC    "mbarrier.arrive_drop.noComplete.shared::cta.b64 state, [addr], count"
#define CTA_EXPECT     "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [addr], bytes"
#define CTA_COMPLETE   "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [addr], bytes"
#define CTA_BOTH       "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [addr], bytes"
#define CTA_DROP_BOTH  "mbarrier.arrive_drop.expect_tx.release.cta.shared::cta.b64 state, [addr], bytes"
#define CLU_ARRIVE     "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [addr], count"
#define CLU_DROP       "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [addr], count"
#define CLU_EXPECT     "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [addr], bytes"
#define CLU_COMPLETE   "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [addr], bytes"
#define CLU_BOTH       "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [addr], bytes"
#define CLU_DROP_BOTH  "mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster.b64 _, [addr], bytes"

#define TAKES(what) MBARRIER_TAKES_##what
#define GIVES(what) MBARRIER_GIVES_##what

// What is left out is nothing, none or 0.
static const struct mbarrier_op_row rows[MBARRIER_OPS] = {
    [MBARRIER_OP_INIT] = {.name = "init",
                          .ptx = "mbarrier.init.shared::cta.b64 [addr], count",
                          .operand = TAKES(COUNT),
                          .by_value = 1},
    [MBARRIER_OP_INVAL] = {.name = "inval", .ptx = "mbarrier.inval.shared::cta.b64 [addr]"},
    [MBARRIER_OP_ARRIVE] = {.name = "arrive",
                            .ptx = CTA_ARRIVE,
                            .ptx_cluster = CLU_ARRIVE,
                            .operand = TAKES(COUNT),
                            .result = GIVES(TOKEN),
                            .does = MBARRIER_ARRIVES},
    [MBARRIER_OP_ARRIVE_NO_COMPLETE] = {.name = "arrive.noComplete",
                                        .ptx = CTA_NOCOMPLETE,
                                        .operand = TAKES(COUNT),
                                        .result = GIVES(TOKEN),
                                        .does = MBARRIER_ARRIVES,
                                        .no_complete = 1,
                                        .by_value = 1},
    [MBARRIER_OP_ARRIVE_DROP] = {.name = "arrive_drop",
                                 .ptx = CTA_DROP,
                                 .ptx_cluster = CLU_DROP,
                                 .operand = TAKES(COUNT),
                                 .result = GIVES(TOKEN),
                                 .does = MBARRIER_ARRIVES,
                                 .drop = 1},
    [MBARRIER_OP_ARRIVE_DROP_NO_COMPLETE] = {.name = "arrive_drop.noComplete",
                                             .ptx = CTA_DROP_NC,
                                             .operand = TAKES(COUNT),
                                             .result = GIVES(TOKEN),
                                             .does = MBARRIER_ARRIVES,
                                             .drop = 1,
                                             .no_complete = 1,
                                             .by_value = 1},
    [MBARRIER_OP_EXPECT_TX] = {.name = "expect_tx",
                               .ptx = CTA_EXPECT,
                               .ptx_cluster = CLU_EXPECT,
                               .operand = TAKES(BYTES),
                               .does = MBARRIER_EXPECTS},
    [MBARRIER_OP_COMPLETE_TX] = {.name = "complete_tx",
                                 .ptx = CTA_COMPLETE,
                                 .ptx_cluster = CLU_COMPLETE,
                                 .operand = TAKES(BYTES),
                                 .does = MBARRIER_COMPLETES},
    [MBARRIER_OP_ARRIVE_EXPECT_TX] = {.name = "arrive.expect_tx",
                                      .ptx = CTA_BOTH,
                                      .ptx_cluster = CLU_BOTH,
                                      .operand = TAKES(BYTES),
                                      .result = GIVES(TOKEN),
                                      .does = MBARRIER_BOTH},
    [MBARRIER_OP_ARRIVE_DROP_EXPECT_TX] = {.name = "arrive_drop.expect_tx",
                                           .ptx = CTA_DROP_BOTH,
                                           .ptx_cluster = CLU_DROP_BOTH,
                                           .operand = TAKES(BYTES),
                                           .result = GIVES(TOKEN),
                                           .does = MBARRIER_BOTH,
                                           .drop = 1},
    [MBARRIER_OP_TEST_WAIT] = {.name = "test_wait",
                               .ptx = "mbarrier.test_wait.shared::cta.b64 p, [addr], state",
                               .operand = TAKES(TOKEN),
                               .result = GIVES(PREDICATE)},
    [MBARRIER_OP_TEST_WAIT_PARITY] = {.name = "test_wait.parity",
                                      .ptx = "mbarrier.test_wait.parity.shared::cta.b64 p, [addr], parity",
                                      .operand = TAKES(PARITY),
                                      .result = GIVES(PREDICATE)},
    [MBARRIER_OP_TRY_WAIT] = {.name = "try_wait",
                              .ptx = "mbarrier.try_wait.shared::cta.b64 p, [addr], state",
                              .operand = TAKES(TOKEN),
                              .result = GIVES(PREDICATE)},
    [MBARRIER_OP_TRY_WAIT_PARITY] = {.name = "try_wait.parity",
                                     .ptx = "mbarrier.try_wait.parity.shared::cta.b64 p, [addr], parity",
                                     .operand = TAKES(PARITY),
                                     .result = GIVES(PREDICATE)},
    [MBARRIER_OP_PENDING_COUNT] = {.name = "pending_count",
                                   .ptx = "mbarrier.pending_count.b64 count, state",
                                   .operand = TAKES(TOKEN),
                                   .result = GIVES(COUNT)},
    [MBARRIER_OP_COPIES_ARRIVE] = {.name = "cp.async.mbarrier.arrive",
                                   .ptx = "cp.async.mbarrier.arrive.shared::cta.b64 [addr]",
                                   .does = MBARRIER_EXPECTS_ONE},
    [MBARRIER_OP_COPIES_ARRIVE_NOINC] = {.name = "cp.async.mbarrier.arrive.noinc",
                                         .ptx = "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [addr]"},
};

const struct mbarrier_op_row *mbarrier_op_row(uint32_t opcode)
{
    assert(opcode > MBARRIER_OP_NONE && opcode < MBARRIER_OPS);
    return &rows[opcode];
}

uint32_t mbarrier_op_find(const char *name)
{
    if (strncasecmp(name, "mbarrier.", 9) == 0) name += 9;
    uint32_t opcode = MBARRIER_OP_NONE + 1;
    while (opcode < MBARRIER_OPS && strcasecmp(rows[opcode].name, name) != 0) opcode++;
    return opcode;
}
