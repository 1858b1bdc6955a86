// SPDX-License-Identifier: MIT
// The suite `mbarrier_generic`: barriers by generic addresses.
#include <string.h>

#include "mbarrier_operate.h"
#include "rules/mbarrier.h"

enum { CTAS = 3, BASE = 1024, BYTES = 64 };
#define RANK(rank, offset) ((uint32_t)(rank) << 24 | (offset))

static _Alignas(8) uint8_t bytes[CTAS][BYTES];
static const struct memory memory[CTAS] = {{bytes[0], BASE, BYTES}, {bytes[1], BASE, BYTES}, {bytes[2], BASE, BYTES}};
static const struct cluster_memory cluster = {memory, CTAS, 1, 0}, alone = {memory, 1, 0, 0};

TEST(mbarrier_generic_space__is_shared_memory)
{
    const uint64_t offset[MBARRIER_LANES] = {1024, UINT64_MAX - 7, UINT64_C(1) << 32};
    struct mbarrier_instruction in = {.opcode = MBARRIER_OP_ARRIVE, .lanes = 7};
    struct findings findings;
    ck_assert_int_eq(mbarrier_set_generic(&cluster, &in, offset, &findings), RULE_MBARRIER_GENERIC_SPACE);
    ck_assert_int_eq(findings.count, 2);
    ck_assert_int_eq(findings.item[0].index, 1); // the lane
    ck_assert_uint_eq(findings.item[0].value, UINT64_MAX - 7);
    in.lanes = 1;
    ck_assert_int_eq(mbarrier_set_generic(&cluster, &in, offset, &findings), RULE_OK);
    ck_assert_int_eq(findings.count, 0);
}

// An operation on shared::cta takes the offset in the CTA alone, but for expect_tx in a cluster.
TEST(mbarrier_generic_space__has_the_own_cta_and_the_others)
{
    static const struct {
        uint32_t opcode, rank;
        int is_cluster;
        uint64_t offset[2];
        enum mbarrier_space space;
        uint32_t address[2];
    } rows[] = {
        {MBARRIER_OP_ARRIVE, 0, 0, {1024, 1032}, MBARRIER_SHARED_CTA, {1024, 1032}},
        {MBARRIER_OP_ARRIVE, 1, 1, {RANK(1, 1024), RANK(1, 1032)}, MBARRIER_SHARED_CTA, {1024, 1032}},
        {MBARRIER_OP_ARRIVE, 1, 1, {RANK(1, 1024), 1032}, MBARRIER_SHARED_CLUSTER, {RANK(1, 1024), 1032}},
        {MBARRIER_OP_EXPECT_TX, 1, 1, {RANK(1, 1024), 0}, MBARRIER_SHARED_CLUSTER, {RANK(1, 1024), 0}},
        {MBARRIER_OP_EXPECT_TX, 1, 1, {RANK(1, 24), RANK(1, 32)}, MBARRIER_SHARED_CTA, {RANK(1, 24), RANK(1, 32)}},
        {MBARRIER_OP_EXPECT_TX, 0, 0, {1024, 1032}, MBARRIER_SHARED_CTA, {1024, 1032}},
        {MBARRIER_OP_TRY_WAIT, 2, 1, {RANK(2, 1024), RANK(2, 1024)}, MBARRIER_SHARED_CTA, {1024, 1024}},
    };
    for (int i = 0; i < ROWS_OF(rows); i++) {
        const uint64_t offset[MBARRIER_LANES] = {rows[i].offset[0], rows[i].offset[1]};
        struct mbarrier_instruction in = {.opcode = rows[i].opcode, .rank = rows[i].rank, .lanes = 3};
        ck_assert_int_eq(mbarrier_set_generic(rows[i].is_cluster ? &cluster : &alone, &in, offset, NULL), RULE_OK);
        ck_assert_int_eq(in.space, rows[i].space);
        for (int lane = 0; lane < 2; lane++) ck_assert_uint_eq(in.address[lane], rows[i].address[lane]);
    }
}

// The word of a barrier that waits for two, after an arrive of CTA 0.
static uint64_t word_after(const struct mbarrier_instruction *arrive)
{
    const struct mbarrier_unit unit = {&cluster, NULL};
    const struct mbarrier_instruction init = {
        .opcode = MBARRIER_OP_INIT, .rank = 1, .lanes = 1, .address = {1024}, .operand = {2}};
    struct mbarrier_answer answer;
    uint64_t word;
    ck_assert_int_eq(mbarrier_operate(&unit, &init, NULL, &answer, NULL), RULE_OK);
    ck_assert_int_eq(mbarrier_operate(&unit, arrive, NULL, &answer, NULL), RULE_OK);
    memcpy(&word, bytes[1], sizeof word);
    return word;
}

TEST(mbarrier_generic_space__reaches_the_barrier)
{
    const uint64_t offset[MBARRIER_LANES] = {RANK(1, 1024)};
    struct mbarrier_instruction generic = {.opcode = MBARRIER_OP_ARRIVE, .lanes = 1, .operand = {1}}, named = generic;
    named.space = MBARRIER_SHARED_CLUSTER;
    named.address[0] = RANK(1, 1024);
    ck_assert_int_eq(mbarrier_set_generic(&cluster, &generic, offset, NULL), RULE_OK);
    uint64_t word = word_after(&generic);
    ck_assert_uint_eq(mbarrier_unpack(word).pending, 1);
    ck_assert_uint_eq(word, word_after(&named));
}
