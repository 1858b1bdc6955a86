// SPDX-License-Identifier: MIT
// The suite `cluster_step`: what one step of a program does to the CTA that it reaches, which faults it has and in
// which order, and which steps are no case at all.
#include <string.h>

#include "cluster_step.h"
#include "rules/bulk.h"
#include "rules/cluster.h"
#include "rules/mbarrier.h"
#include "rules/multicast.h"

enum { CTAS = 4, PAST_END = CLUSTER_FILLED_BYTES };

static struct {
    struct cluster_machine machine;
    struct cluster_answer answer;
    struct memory arena, global;
    uint8_t data[CLUSTER_CTAS][CLUSTER_FILLED_BYTES], arena_bytes[256], global_bytes[CLUSTER_FILLED_BYTES];
} now;

static void start(void)
{
    memset(&now, 0, sizeof now);
    for (uint32_t i = 0; i < sizeof now.arena_bytes; i++) now.arena_bytes[i] = (uint8_t)(0x80 + i);
    for (uint32_t rank = 0; rank < CLUSTER_CTAS; rank++) {
        for (uint32_t at = 0; at < CLUSTER_FILLED_BYTES; at++) now.data[rank][at] = (uint8_t)(16 * rank + at % 13);
        now.machine.cta[rank].data = now.data[rank];
    }
    now.arena = (struct memory){now.arena_bytes, 0x1000, sizeof now.arena_bytes};
    now.global = (struct memory){now.global_bytes, 0, sizeof now.global_bytes};
    now.machine.ctas = CTAS;
    now.machine.is_cluster = 1;
    now.machine.arena = &now.arena;
    now.machine.global = &now.global;
}

static enum rule run(struct cluster_step step)
{
    const char *illegal = cluster_step_illegal(&step, 0, 1, now.machine.ctas);
    ck_assert_msg(illegal == NULL, "%s", illegal);
    return cluster_step(&now.machine, &step, &now.answer);
}

static uint64_t data_at(uint32_t rank, uint32_t offset)
{
    uint64_t word;
    memcpy(&word, now.data[rank] + offset, sizeof word);
    return word;
}

#define STEP(id, ...) ((struct cluster_step){.opcode = CLUSTER_OP_##id, __VA_ARGS__})

// --- what a step does ------------------------------------------------------------------------------------------------

TEST(cluster_access__loads_from_the_rank_of_the_address)
{
    start();
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = 2, .size_bytes = 16, .offset_bytes = 16)), RULE_OK);
    ck_assert_uint_eq(now.answer.got[0][0], data_at(2, 16));
    ck_assert_uint_eq(now.answer.got[0][1], data_at(2, 24));
    ck_assert_int_eq(run(STEP(LD, .issuers = 15, .target = CLUSTER_RING | 3, .size_bytes = 2)), RULE_OK);
    for (uint32_t rank = 0; rank < CTAS; rank++)
        ck_assert_uint_eq(now.answer.got[rank][0], data_at((rank + 3) % CTAS, 0) & 0xffff);
    ck_assert_uint_eq(now.answer.got[0][1], 0);
}

TEST(cluster_access__stores_nothing_but_its_bytes)
{
    start();
    uint64_t before = data_at(1, 8), other = data_at(0, 8);
    ck_assert_int_eq(run(STEP(ST, .issuers = 8, .target = 1, .size_bytes = 2, .offset_bytes = 10, .operand = ~0ull)),
                     RULE_OK);
    ck_assert_uint_eq(data_at(1, 8), before | UINT64_C(0xffff0000));
    ck_assert_uint_eq(data_at(0, 8), other);
    ck_assert_int_eq(run(STEP(ST, .issuers = 2, .target = 1, .size_bytes = 16, .operand = 5, .compare = 6)), RULE_OK);
    ck_assert_uint_eq(data_at(1, 0), 5);
    ck_assert_uint_eq(data_at(1, 8), 6);
}

static const struct {
    uint32_t function;
    uint64_t old, operand, compare, new;
} applied[] = {
    {ATOMIC_ADD_U32, 0xffffffff, 2, 0, 1},
    {ATOMIC_ADD_U64, 0xffffffff, 2, 0, 0x100000001},
    {ATOMIC_MIN_U32, 0x80000000, 1, 0, 1},
    {ATOMIC_MIN_S32, 0x80000000, 1, 0, 0x80000000},
    {ATOMIC_MIN_S32, 2, 1, 0, 1},
    {ATOMIC_MAX_U32, 0x80000000, 1, 0, 0x80000000},
    {ATOMIC_MAX_U32, 1, 2, 0, 2},
    {ATOMIC_MAX_S32, 0x80000000, 1, 0, 1},
    {ATOMIC_MIN_U32, 1, 2, 0, 1},
    {ATOMIC_MAX_S32, 3, 1, 0, 3},
    {ATOMIC_INC_U32, 4, 5, 0, 5},
    {ATOMIC_INC_U32, 5, 5, 0, 0},
    {ATOMIC_INC_U32, 6, 5, 0, 0},
    {ATOMIC_DEC_U32, 5, 5, 0, 4},
    {ATOMIC_DEC_U32, 6, 5, 0, 5},
    {ATOMIC_DEC_U32, 0, 5, 0, 5},
    {ATOMIC_AND_B32, 0xff00ff00, 0xf0f0f0f0, 0, 0xf000f000},
    {ATOMIC_OR_B32, 0xff00ff00, 0xf0f0f0f0, 0, 0xfff0fff0},
    {ATOMIC_XOR_B32, 0xff00ff00, 0xf0f0f0f0, 0, 0x0ff00ff0},
    {ATOMIC_EXCH_B32, 1, 2, 0, 2},
    {ATOMIC_EXCH_B64, 1, UINT64_MAX, 0, UINT64_MAX},
    {ATOMIC_CAS_B32, 7, 9, 7, 9},
    {ATOMIC_CAS_B32, 7, 9, 8, 7},
    {ATOMIC_CAS_B64, UINT64_C(7) << 32, 9, UINT64_C(7) << 32, 9},
    {ATOMIC_CAS_B64, UINT64_C(7) << 32, 9, 0, UINT64_C(7) << 32},
};

LOOP_TEST(cluster_access__applies_every_function, 0, ROWS_OF(applied))
{
    const uint32_t function = applied[_i].function, bytes = atomic_row(function)->bytes;
    start();
    memcpy(now.data[3] + 8, &applied[_i].old, sizeof applied[_i].old);
    ck_assert_int_eq(run(STEP(ATOM, .issuers = 1, .target = 3, .function = function, .offset_bytes = 8,
                              .operand = applied[_i].operand, .compare = applied[_i].compare)),
                     RULE_OK);
    uint64_t mask = bytes == 8 ? UINT64_MAX : UINT32_MAX;
    ck_assert_uint_eq(now.answer.got[0][0], applied[_i].old & mask);
    ck_assert_uint_eq(data_at(3, 8) & mask, applied[_i].new);
    ck_assert_uint_eq(data_at(3, 8) & ~mask, applied[_i].old & ~mask);
}

TEST(cluster_access__reaches_barriers_of_other_ctas)
{
    start();
    uint64_t *word = &now.machine.cta[2].word[3];
    ck_assert_int_eq(run(STEP(INIT, .issuers = 4, .barrier = 3, .operand = 3)), RULE_OK);
    ck_assert_uint_eq(*word, mbarrier_init(3));
    ck_assert_int_eq(run(STEP(ARRIVE, .issuers = 11, .target = 2, .barrier = 3, .operand = 1)), RULE_OK);
    ck_assert_int_eq(mbarrier_unpack(*word).phase, 1);
    ck_assert_int_eq(run(STEP(EXPECT_TX, .issuers = 1, .target = 2, .barrier = 3, .operand = 48)), RULE_OK);
    ck_assert_int_eq(run(STEP(COMPLETE_TX, .issuers = 2, .target = 2, .barrier = 3, .operand = 16)), RULE_OK);
    ck_assert_int_eq(mbarrier_unpack(*word).tx, 32);
    ck_assert_int_eq(run(STEP(ARRIVE_DROP_EXPECT_TX, .issuers = 4, .target = 2, .barrier = 3, .operand = 8)), RULE_OK);
    ck_assert_uint_eq(mbarrier_unpack(*word).expected, 2);
    ck_assert_int_eq(run(STEP(ARRIVE, .issuers = 1, .target = 2, .barrier = 3, .operand = 9)), RULE_OK);
    ck_assert_int_eq(mbarrier_unpack(*word).error, 1);
    ck_assert_int_eq(run(STEP(ARRIVE, .issuers = 4, .target = 2, .barrier = 3, .operand = 1)), RULE_MBARRIER_ERROR);
}

TEST(cluster_access__delivers_copies_and_their_bytes)
{
    start();
    ck_assert_int_eq(
        run(STEP(MULTICAST, .issuers = 1, .target = 10, .size_bytes = 32, .offset_bytes = 16, .operand = 48)), RULE_OK);
    for (uint32_t rank = 0; rank < CTAS; rank++) {
        int is_hit = rank == 1 || rank == 3;
        ck_assert_int_eq(memcmp(now.data[rank] + 16, now.arena_bytes + 48, 32) == 0, is_hit);
        ck_assert_int_eq(mbarrier_unpack(now.machine.cta[rank].word[0]).tx, is_hit ? -32 : 0);
    }
    uint64_t from = data_at(0, 0);
    ck_assert_int_eq(run(STEP(BULK, .issuers = 1, .target = 2, .size_bytes = 16, .offset_bytes = 64, .barrier = 1)),
                     RULE_OK);
    ck_assert_uint_eq(data_at(2, 64), from);
    ck_assert_int_eq(mbarrier_unpack(now.machine.cta[2].word[1]).tx, -16);
    ck_assert_int_eq(run(STEP(ST_ASYNC, .issuers = 1, .target = 2, .size_bytes = 8, .operand = 77)), RULE_OK);
    ck_assert_uint_eq(data_at(2, 0), 77);
    ck_assert_int_eq(run(STEP(RED_ASYNC, .issuers = 8, .target = 2, .function = ATOMIC_ADD_U64, .operand = 3)),
                     RULE_OK);
    ck_assert_uint_eq(data_at(2, 0), 80);
    ck_assert_int_eq(mbarrier_unpack(now.machine.cta[2].word[0]).tx, -16);
}

TEST(store_exit__completes)
{
    start();
    ck_assert_int_eq(run(STEP(STORE_EXIT, .issuers = 2, .size_bytes = 4096)), RULE_OK);
    ck_assert_mem_eq(now.global_bytes, now.data[1], 4096);
    ck_assert_uint_eq(now.global_bytes[4096], 0);
    ck_assert_int_eq(run(STEP(REDUCE_EXIT, .issuers = 2, .size_bytes = 16)), RULE_OK);
    uint32_t sum, one;
    memcpy(&sum, now.global_bytes + 4, sizeof sum);
    memcpy(&one, now.data[1] + 4, sizeof one);
    ck_assert_uint_eq(sum, 2 * one);
    ck_assert_mem_eq(now.global_bytes + 16, now.data[1] + 16, 4080);
    ck_assert_int_eq(run(STEP(EXIT_WARP, .issuers = 1)), RULE_OK);
}

// --- faults ----------------------------------------------------------------------------------------------------------

TEST(cluster_none__rank_0_alone_is_there)
{
    start();
    now.machine.is_cluster = 0;
    now.machine.ctas = 1;
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = 0, .size_bytes = 4)), RULE_OK);
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = 1, .size_bytes = 4)), RULE_CLUSTER_NONE);
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = 1, .size_bytes = 4, .offset_bytes = 2)), RULE_CLUSTER_NONE);
    ck_assert_int_eq(run(STEP(ARRIVE, .issuers = 1, .target = 1, .skew_bytes = 1)), RULE_CLUSTER_NONE);
    ck_assert_int_eq(run(STEP(ARRIVE, .issuers = 1)), RULE_OK);
    ck_assert_int_eq(run(STEP(MULTICAST, .issuers = 1, .target = 1, .size_bytes = 16)), RULE_OK);
    ck_assert_int_eq(run(STEP(ST_ASYNC, .issuers = 1, .size_bytes = 4)), RULE_CLUSTER_NONE);
    ck_assert_int_eq(run(STEP(RED_ASYNC, .issuers = 1)), RULE_CLUSTER_NONE);
    ck_assert_int_eq(run(STEP(BULK, .issuers = 1, .size_bytes = 16, .offset_bytes = 64)), RULE_CLUSTER_NONE);
    ck_assert_int_eq(rule_cuda_error(RULE_CLUSTER_NONE), 715);
    now.machine.is_cluster = 1;
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = 1, .size_bytes = 4)), RULE_CLUSTER_RANK_MISSING);
}

TEST(cluster_align__is_that_of_the_access)
{
    start();
    for (uint32_t size = 2; size <= 16; size *= 2) {
        struct cluster_step step = STEP(ST, .issuers = 1, .target = 1, .size_bytes = size, .offset_bytes = size / 2);
        ck_assert_int_eq(run(step), RULE_CLUSTER_ALIGN);
        step.offset_bytes = size;
        ck_assert_int_eq(run(step), RULE_OK);
    }
    ck_assert_int_eq(run(STEP(ST, .issuers = 1, .target = 1, .size_bytes = 1, .offset_bytes = 7)), RULE_OK);
    ck_assert_int_eq(run(STEP(BULK, .issuers = 1, .target = 1, .size_bytes = 32, .offset_bytes = 8)), RULE_BULK_ALIGN);
    ck_assert_int_eq(run(STEP(ST_ASYNC, .issuers = 1, .target = 1, .size_bytes = 8, .offset_bytes = 4)),
                     RULE_BULK_ASYNC_ALIGN);
    ck_assert_int_eq(run(STEP(ARRIVE, .issuers = 1, .target = 1, .skew_bytes = 4)), RULE_MBARRIER_ADDRESS_ALIGN);
}

TEST(cluster_rank_missing__is_719)
{
    start();
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = CTAS - 1, .size_bytes = 4)), RULE_OK);
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = CTAS, .size_bytes = 4)), RULE_CLUSTER_RANK_MISSING);
    ck_assert_int_eq(run(STEP(ARRIVE, .issuers = 1, .target = CTAS)), RULE_CLUSTER_RANK_MISSING);
    ck_assert_int_eq(run(STEP(ST_ASYNC, .issuers = 1, .target = CTAS, .size_bytes = 4)), RULE_CLUSTER_RANK_MISSING);
    ck_assert_int_eq(run(STEP(MULTICAST, .issuers = 1, .target = 1 << CTAS, .size_bytes = 16)), RULE_MULTICAST_MASK);
    ck_assert_int_eq(rule_cuda_error(RULE_CLUSTER_RANK_MISSING), 719);
}

TEST(cluster_rank_limit__is_31)
{
    start();
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = 31, .size_bytes = 4)), RULE_CLUSTER_RANK_MISSING);
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = 32, .size_bytes = 4)), RULE_CLUSTER_RANK_LIMIT);
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = 32, .size_bytes = 4, .offset_bytes = 2)),
                     RULE_CLUSTER_RANK_LIMIT);
    ck_assert_int_eq(run(STEP(ARRIVE, .issuers = 1, .target = 255, .skew_bytes = 1)), RULE_CLUSTER_RANK_LIMIT);
    ck_assert_int_eq(run(STEP(BULK, .issuers = 1, .target = 255, .size_bytes = 16)), RULE_CLUSTER_RANK_MISSING);
    ck_assert_int_eq(run(STEP(BULK, .issuers = 1, .target = 32 + 1, .size_bytes = 16, .barrier = 1)), RULE_OK);
    ck_assert_int_eq(rule_cuda_error(RULE_CLUSTER_RANK_LIMIT), 715);
}

TEST(cluster_exited__is_out_of_reach)
{
    start();
    uint8_t before[CLUSTER_DATA_BYTES];
    memcpy(before, now.data[2], sizeof before);
    ck_assert_int_eq(run(STEP(EXIT, .issuers = 4)), RULE_OK);
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = 2, .size_bytes = 4)), RULE_CLUSTER_EXITED);
    ck_assert_int_eq(run(STEP(ST, .issuers = 1, .target = 2, .size_bytes = 4)), RULE_CLUSTER_EXITED);
    ck_assert_int_eq(run(STEP(EXPECT_TX, .issuers = 1, .target = 2, .operand = 0)), RULE_CLUSTER_EXITED);
    ck_assert_int_eq(run(STEP(MULTICAST, .issuers = 1, .target = 6, .size_bytes = 16)), RULE_CLUSTER_EXITED);
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = 1, .size_bytes = 4)), RULE_OK);
    ck_assert_mem_eq(before, now.data[2], sizeof before);
    ck_assert_int_eq(rule_cuda_error(RULE_CLUSTER_EXITED), 719);
}

TEST(cluster_bounds__are_those_of_the_other_cta)
{
    start();
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = 1, .size_bytes = 4, .offset_bytes = PAST_END)),
                     RULE_CLUSTER_BOUNDS);
    ck_assert_int_eq(run(STEP(BULK, .issuers = 1, .target = 1, .size_bytes = 32, .offset_bytes = PAST_END - 16)),
                     RULE_BULK_REMOTE_BOUNDS);
    ck_assert_int_eq(rule_cuda_error(RULE_CLUSTER_BOUNDS), 719);
}

TEST(cluster_limit__is_700_past_the_sm_and_in_the_own_cta)
{
    start();
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = 0, .size_bytes = 4, .offset_bytes = PAST_END)),
                     RULE_CLUSTER_LIMIT);
    ck_assert_int_eq(
        run(STEP(LD, .issuers = 1, .target = 1, .size_bytes = 4, .offset_bytes = SM_SHARED_BYTES - CLUSTER_DATA_START)),
        RULE_CLUSTER_LIMIT);
    ck_assert_int_eq(run(STEP(LD, .issuers = 1, .target = 20, .size_bytes = 4,
                              .offset_bytes = SM_SHARED_BYTES - CLUSTER_DATA_START)),
                     RULE_CLUSTER_LIMIT); // before 719 of the CTA that is not there
    ck_assert_int_eq(run(STEP(BULK, .issuers = 1, .target = 0, .size_bytes = 16, .offset_bytes = PAST_END)),
                     RULE_BULK_REMOTE_BOUNDS); // a copy takes the way of other CTAs
    now.machine.is_cluster = 0;
    ck_assert_int_eq(run(STEP(MULTICAST, .issuers = 1, .target = 1, .size_bytes = 64, .offset_bytes = PAST_END)),
                     RULE_BULK_SMEM_BOUNDS); // without a cluster there is no such way
    now.machine.is_cluster = 1;
    ck_assert_int_eq(rule_cuda_error(RULE_CLUSTER_LIMIT), 700);
}

// --- what is no case -------------------------------------------------------------------------------------------------

static const struct {
    const char *why;
    struct cluster_step step;
} illegal[] = {
    {"no such step", {.opcode = CLUSTER_OPS, .issuers = 1}},
    {"nobody issues", STEP(LD, .target = 1, .size_bytes = 4)},
    {"an issuer that is not there", STEP(LD, .issuers = 16, .size_bytes = 4)},
    {"a load of 3 bytes", STEP(LD, .issuers = 1, .size_bytes = 3)},
    {"a load of 32 bytes", STEP(LD, .issuers = 1, .size_bytes = 32)},
    {"st.async of 1 byte", STEP(ST_ASYNC, .issuers = 1, .size_bytes = 1)},
    {"a copy of 24 bytes", STEP(BULK, .issuers = 1, .target = 1, .size_bytes = 24)},
    {"a store of nothing", STEP(STORE_EXIT, .issuers = 1)},
    {"a size for red", STEP(RED, .issuers = 1, .size_bytes = 4)},
    {"an offset for arrive", STEP(ARRIVE, .issuers = 1, .offset_bytes = 8)},
    {"an offset beyond all memory", STEP(LD, .issuers = 1, .size_bytes = 4, .offset_bytes = 300000)},
    {"data that nobody sees", STEP(LD, .issuers = 1, .size_bytes = 4, .offset_bytes = 128)},
    {"rank 256 + 4", STEP(LD, .issuers = 1, .size_bytes = 4, .target = CLUSTER_RING | 4)},
    {"rank 512", STEP(LD, .issuers = 1, .size_bytes = 4, .target = 512)},
    {"a mask of nobody", STEP(MULTICAST, .issuers = 1, .size_bytes = 16)},
    {"a target for exit", STEP(EXIT, .issuers = 1, .target = 1)},
    {"everybody exits", STEP(EXIT, .issuers = 15)},
    {"two store", STEP(STORE_EXIT, .issuers = 3, .size_bytes = 16)},
    {"two stores to one place", STEP(ST, .issuers = 3, .target = 2, .size_bytes = 4)},
    {"two atoms on one place", STEP(ATOM, .issuers = 3, .target = 2)},
    {"two asynchronous operations on one place", STEP(ST_ASYNC, .issuers = 3, .target = 2, .size_bytes = 4)},
    {"own arrive and another's", STEP(ARRIVE, .issuers = 3, .target = 1)},
    {"a copy on itself", STEP(BULK, .issuers = 2, .target = 1, .size_bytes = 32, .offset_bytes = 16)},
    {"a ring copy on itself", STEP(BULK, .issuers = 2, .target = CLUSTER_RING, .size_bytes = 32, .offset_bytes = 16)},
    {"copies behind copies", STEP(BULK, .issuers = 3, .target = CLUSTER_RING | 1, .size_bytes = 32)},
    {"a function that is not there", STEP(RED, .issuers = 1, .function = ATOMIC_FUNCTION_COUNT)},
    {"red does not exchange", STEP(RED, .issuers = 1, .function = ATOMIC_EXCH_B32)},
    {"a function for ld", STEP(LD, .issuers = 1, .size_bytes = 4, .function = 1)},
    {"a fifth barrier", STEP(ARRIVE, .issuers = 1, .barrier = 4)},
    {"a barrier for ld", STEP(LD, .issuers = 1, .size_bytes = 4, .barrier = 1)},
    {"a skew of a word", STEP(ARRIVE, .issuers = 1, .skew_bytes = 8)},
    {"a skew for init", STEP(INIT, .issuers = 1, .skew_bytes = 4)},
    {"33 bits for a count", STEP(ARRIVE, .issuers = 1, .operand = UINT64_C(1) << 32)},
    {"a source off by 8", STEP(MULTICAST, .issuers = 1, .target = 1, .size_bytes = 16, .operand = 8)},
    {"no such meeting", STEP(LD, .issuers = 1, .size_bytes = 4, .meeting = CLUSTER_MEETING_COUNT)},
};

LOOP_TEST(steps_that_are_no_case_are_told, 0, ROWS_OF(illegal))
{
    ck_assert_msg(cluster_step_illegal(&illegal[_i].step, 0, 1, CTAS) != NULL, "%s", illegal[_i].why);
}

TEST(steps_are_judged_in_their_program)
{
    const struct cluster_step program[] = {STEP(EXIT, .issuers = 6), STEP(LD, .issuers = 2, .size_bytes = 4),
                                           STEP(EXIT, .issuers = 9), STEP(STORE_EXIT, .issuers = 16, .size_bytes = 16)};
    ck_assert_ptr_null(cluster_step_illegal(program, 0, 4, CTAS));
    ck_assert_ptr_nonnull(cluster_step_illegal(program, 1, 4, CTAS)); // its issuer has exited
    ck_assert_ptr_nonnull(cluster_step_illegal(program, 2, 4, CTAS)); // nobody would be left
    ck_assert_ptr_null(cluster_step_illegal(program, 3, 4, 6));
    ck_assert_ptr_nonnull(cluster_step_illegal(program, 3, 5, 6)); // not the last step
}
