// SPDX-License-Identifier: MIT
// The suite `mbarrier_operate`: instructions on barriers anywhere in the shared memories of a cluster. What the words
// become is held against the recordings by way of the family's programs; here: addresses, lanes on several barriers,
// events, landings, and random instructions against lanes summed one by one.
#include <string.h>

#include "mbarrier_operate.h"
#include "rules/cluster.h"
#include "rules/instruction.h"
#include "rules/mbarrier.h"

enum { CTAS = 3, BASE = 1024, BYTES = 2048, END = BASE + BYTES, PAGES = 64, MOST = 64 };
#define RANK(rank, offset) ((uint32_t)(rank) << 24 | (uint32_t)(offset))

static struct {
    uint8_t bytes[CTAS][BYTES];
    struct memory memory[CTAS];
    struct cluster_memory cluster;
    struct ledger page[PAGES];
    struct ledger_book book;
    struct mbarrier_unit unit;
    struct mbarrier_answer answer;
    struct findings findings;
    int events;
    struct event event[MOST];
    struct event_origin origin[MOST];
} t;

static void hear(void *context, const struct event *event)
{
    (void)context;
    ck_assert_int_lt(t.events, MOST);
    t.origin[t.events] = *event->origin;
    t.event[t.events++] = *event;
}

static const struct observer observer = {NULL, hear};
static const struct teller teller = {&observer, {.launch = 1, .warp = 2, .lanes = 0xffffffff, .line = 3}};

static void start(void)
{
    memset(&t, 0, sizeof t);
    for (int i = 0; i < CTAS; i++) t.memory[i] = (struct memory){t.bytes[i], BASE, BYTES};
    t.cluster = (struct cluster_memory){.cta = t.memory, .ctas = CTAS, .is_cluster = 1};
    ledger_book_start(&t.book, t.page, PAGES);
    t.unit = (struct mbarrier_unit){&t.cluster, &t.book};
}

static uint64_t word_of(uint32_t rank, uint32_t offset)
{
    uint64_t word;
    memcpy(&word, t.bytes[rank] + (offset - BASE), sizeof word);
    return word;
}

static enum rule operate(const struct mbarrier_instruction *in)
{
    return mbarrier_operate(&t.unit, in, &teller, &t.answer, &t.findings);
}

// One lane of CTA `rank`.
static enum rule one(uint32_t opcode, enum mbarrier_space space, uint32_t rank, uint32_t address, uint64_t operand)
{
    const struct mbarrier_instruction in = {
        .opcode = opcode, .space = space, .rank = rank, .lanes = 1, .address = {address}, .operand = {operand}};
    return operate(&in);
}

static enum rule cta(uint32_t opcode, uint32_t address, uint64_t operand)
{
    return one(opcode, MBARRIER_SHARED_CTA, 0, address, operand);
}

// --- Addresses -------------------------------------------------------------------------------------------------------

static const struct {
    uint32_t opcode;
    enum mbarrier_space space;
    int is_cluster;
    uint32_t address;
    enum rule rule;
    int error;
    const char *why;
} addresses[] = {
    {MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CTA, 1, 1032, RULE_OK, 0, "a barrier anywhere"},
    {MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CTA, 1, END - 8, RULE_OK, 0, "the last one"},
    {MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CTA, 1, END, RULE_MBARRIER_ADDRESS_BOUNDS, 700, "behind it"},
    {MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CTA, 1, BASE - 8, RULE_MBARRIER_ADDRESS_BOUNDS, 700, "before the first"},
    {MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CTA, 1, END + 4, RULE_MBARRIER_ADDRESS_ALIGN, 716, "716 before 700"},
    {MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CTA, 1, 0x40400, RULE_MBARRIER_ADDRESS_BOUNDS, 700, "no wrap at 2^18"},
    {MBARRIER_OP_TEST_WAIT, MBARRIER_SHARED_CTA, 1, RANK(1, 1025), RULE_MBARRIER_ADDRESS_WINDOW, 715, "715 before 716"},
    {MBARRIER_OP_INIT, MBARRIER_SHARED_CTA, 0, RANK(1, 1024), RULE_MBARRIER_ADDRESS_WINDOW, 715,
     "a rank in shared::cta"},
    {MBARRIER_OP_EXPECT_TX, MBARRIER_SHARED_CTA, 0, RANK(1, 1024), RULE_MBARRIER_ADDRESS_WINDOW, 715, "no cluster"},
    {MBARRIER_OP_EXPECT_TX, MBARRIER_SHARED_CTA, 1, RANK(1, 1024), RULE_OK, 0, "expect_tx reads the rank"},
    {MBARRIER_OP_EXPECT_TX, MBARRIER_SHARED_CTA, 1, RANK(3, 1024), RULE_CLUSTER_RANK_MISSING, 719, "of no CTA"},
    {MBARRIER_OP_EXPECT_TX, MBARRIER_SHARED_CTA, 1, RANK(3, 1025), RULE_MBARRIER_ADDRESS_ALIGN, 716, "716 before 719"},
    {MBARRIER_OP_EXPECT_TX, MBARRIER_SHARED_CTA, 1, RANK(32, 1025), RULE_CLUSTER_RANK_LIMIT, 715, "715 before 716"},
    {MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CLUSTER, 1, RANK(2, 1024), RULE_OK, 0, "another CTA"},
    {MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CLUSTER, 1, RANK(0, END), RULE_CLUSTER_LIMIT, 700, "the own end"},
    {MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CLUSTER, 1, RANK(2, END), RULE_CLUSTER_BOUNDS, 719, "another's end"},
    {MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CLUSTER, 1, RANK(2, 233472), RULE_CLUSTER_LIMIT, 700, "past an SM"},
    {MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CLUSTER, 1, RANK(1, 1024), RULE_CLUSTER_EXITED, 719, "has exited"},
    {MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CLUSTER, 0, RANK(1, 1024), RULE_CLUSTER_NONE, 715, "no cluster"},
    {MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CLUSTER, 0, RANK(0, 1024), RULE_OK, 0, "its own rank"},
    {MBARRIER_OP_INIT, MBARRIER_SHARED_CLUSTER, 1, RANK(0, 1024), RULE_INSTRUCTION_FORM, 0, "no such form"},
    {MBARRIER_OPS, MBARRIER_SHARED_CTA, 1, 1024, RULE_INSTRUCTION_FORM, 0, "no such operation"},
    {MBARRIER_OP_NONE, MBARRIER_SHARED_CTA, 1, 1024, RULE_INSTRUCTION_FORM, 0, "none"},
};

LOOP_TEST(mbarrier_address_window__align_and_bounds_in_the_order_of_the_hardware, 0, ROWS_OF(addresses))
{
    start();
    t.cluster.is_cluster = addresses[_i].is_cluster;
    if (addresses[_i].rule == RULE_CLUSTER_EXITED) t.cluster.exited = 2;
    if (!t.cluster.is_cluster) t.cluster.ctas = 1;

    for (uint32_t at = 0; at < CTAS * BYTES; at += 8) memcpy(&t.bytes[0][0] + at, &(uint64_t){mbarrier_init(9)}, 8);
    enum rule rule = one(addresses[_i].opcode, addresses[_i].space, 0, addresses[_i].address, 1);
    ck_assert_msg(rule == addresses[_i].rule, "%s: %s", addresses[_i].why, rule_row(rule)->id);
    ck_assert_int_eq(rule_cuda_error(rule), addresses[_i].error);
    ck_assert_int_eq(findings_first_broken(&t.findings), rule);
    if (rule != RULE_OK && rule != RULE_INSTRUCTION_FORM)
        ck_assert_uint_eq(t.findings.item[0].value, addresses[_i].address);
}

TEST(mbarrier_address_bounds__proposes_the_last_barrier)
{
    start();
    ck_assert_int_eq(cta(MBARRIER_OP_ARRIVE, END + 40, 1), RULE_MBARRIER_ADDRESS_BOUNDS);
    ck_assert_uint_eq(t.findings.item[0].nearest, END - 8);
}

TEST(mbarrier_address_align__of_the_lowest_lane_stops_all)
{
    start();
    struct mbarrier_instruction in = {
        .opcode = MBARRIER_OP_INIT, .lanes = 7, .address = {1024, 1036, RANK(1, 1024)}, .operand = {1, 1, 1}};
    ck_assert_int_eq(operate(&in), RULE_MBARRIER_ADDRESS_ALIGN); // 716 of lane 1 before 715 of lane 2
    ck_assert_int_eq(t.findings.item[0].rule, RULE_MBARRIER_ADDRESS_ALIGN);
    ck_assert_int_eq(t.findings.count, 3); // of lane 2 its bounds too
    ck_assert_uint_eq(word_of(0, 1024), 0);
    ck_assert_int_eq(t.events, 0);
}

// --- Lanes -----------------------------------------------------------------------------------------------------------

TEST(mbarrier_warp_sum__is_of_the_lanes_on_one_barrier)
{
    start();
    cta(MBARRIER_OP_INIT, 1024, 3);
    cta(MBARRIER_OP_INIT, 1040, 16);
    struct mbarrier_instruction in = {.opcode = MBARRIER_OP_ARRIVE, .lanes = 0xffffffff};
    for (int lane = 0; lane < 32; lane++) {
        in.address[lane] = lane % 2 ? 1024 : 1040;
        in.operand[lane] = lane % 2 ? lane == 5 || lane == 7 : 1;
    }
    ck_assert_int_eq(operate(&in), RULE_OK);
    ck_assert_uint_eq(mbarrier_unpack(word_of(0, 1024)).pending, 1);
    ck_assert_int_eq(mbarrier_unpack(word_of(0, 1040)).phase, 1);
    for (int lane = 0; lane < 32; lane++)
        ck_assert_uint_eq(t.answer.value[lane], mbarrier_token(mbarrier_init(lane % 2 ? 3 : 16)));
    ck_assert_int_eq(t.events, 4);
    ck_assert_uint_eq(t.origin[2].lanes, 0x55555555);
    ck_assert_uint_eq(t.event[2].barrier.address, 1040);
    ck_assert_uint_eq(t.origin[3].lanes, 0xaaaaaaaa);
    ck_assert_uint_eq(t.event[3].barrier.transaction.arrivals, 2);
}

// Lanes 0 and 2 arrive with 3, lane 1 with 1: on the second barrier lane 2 comes before lane 1. init goes by lanes.
TEST(mbarrier_lane_groups__of_nocomplete_go_by_count_over_all_barriers)
{
    start();
    cta(MBARRIER_OP_INIT, 1024, 8);
    cta(MBARRIER_OP_INIT, 1032, 8);
    struct mbarrier_instruction in = {
        .opcode = MBARRIER_OP_ARRIVE_NO_COMPLETE, .lanes = 7, .address = {1024, 1032, 1032}, .operand = {3, 1, 3}};
    ck_assert_int_eq(operate(&in), RULE_OK);
    ck_assert_uint_eq(mbarrier_pending_count(t.answer.value[2]), 8);
    ck_assert_uint_eq(mbarrier_pending_count(t.answer.value[1]), 5);
    in.opcode = MBARRIER_OP_INIT;
    ck_assert_int_eq(operate(&in), RULE_OK);
    ck_assert_uint_eq(word_of(0, 1032), mbarrier_init(3));
}

TEST(mbarrier_warp_sum__faults_on_one_barrier_after_another_went_through)
{
    start();
    cta(MBARRIER_OP_INIT, 1024, 1);
    cta(MBARRIER_OP_INIT, 1032, 1);
    const struct mbarrier_instruction in = {
        .opcode = MBARRIER_OP_ARRIVE, .lanes = 7, .address = {1024, 1032, 1032}, .operand = {1, 1, 1}};
    ck_assert_int_eq(operate(&in), RULE_MBARRIER_ARRIVALS);
    ck_assert_int_eq(mbarrier_unpack(word_of(0, 1024)).phase, 1);
    ck_assert_uint_eq(word_of(0, 1032), mbarrier_init(1));
}

TEST(mbarrier_wait_parity__of_lanes_on_different_barriers)
{
    start();
    cta(MBARRIER_OP_INIT, 1024, 1);
    cta(MBARRIER_OP_INIT, 1032, 1);
    cta(MBARRIER_OP_ARRIVE, 1032, 1);
    const struct mbarrier_instruction in = {.opcode = MBARRIER_OP_TRY_WAIT_PARITY,
                                            .lanes = 0xf0,
                                            .address = {[4] = 1024, [5] = 1032, [6] = 1024, [7] = 1032},
                                            .operand = {[4] = 0, [5] = 0, [6] = 1, [7] = 1}};
    t.events = 0;
    ck_assert_int_eq(operate(&in), RULE_OK);
    ck_assert_uint_eq(t.answer.ballot, 0x60);
    ck_assert_int_eq(t.events, 2);
    ck_assert_int_eq(t.event[1].barrier.step, BARRIER_WAIT);
    ck_assert_int_eq(t.event[1].barrier.order, ORDER_ACQUIRE);
    ck_assert_int_eq(t.event[0].barrier.phase, 1); // the phase before init's, which parity 1 asks for
    ck_assert_int_eq(t.event[1].barrier.phase, 0);
    ck_assert_uint_eq(t.origin[1].lanes, 0x20);
}

// --- The own CTA, another one, and what lands ------------------------------------------------------------------------

TEST(mbarrier_remote_error__of_another_cta_alone)
{
    start();
    one(MBARRIER_OP_INIT, MBARRIER_SHARED_CTA, 1, 1024, 1);
    ck_assert_int_eq(one(MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CLUSTER, 0, RANK(1, 1024), 2), RULE_OK);
    ck_assert_uint_eq(word_of(1, 1024), mbarrier_init(1) | MBARRIER_ERROR_BIT);
    ck_assert_int_eq(t.findings.item[0].rule, RULE_MBARRIER_REMOTE_ERROR);
    ck_assert_int_eq(t.event[1].barrier.step, BARRIER_ERROR);
    ck_assert_int_eq(ledger_find(&t.book, 1, 1024)->count, 0);
    one(MBARRIER_OP_INIT, MBARRIER_SHARED_CTA, 0, 1024, 1);
    ck_assert_int_eq(one(MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CLUSTER, 0, RANK(0, 1024), 2), RULE_MBARRIER_ARRIVALS);
}

TEST(mbarrier_token__is_given_by_shared_cta_alone)
{
    start();
    cta(MBARRIER_OP_INIT, 1024, 4);
    cta(MBARRIER_OP_ARRIVE, 1024, 1);
    ck_assert_uint_eq(t.answer.value[0], mbarrier_token(mbarrier_init(4)));
    one(MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CLUSTER, 0, RANK(0, 1024), 1);
    ck_assert_uint_eq(t.answer.value[0], 0);
}

TEST(cp_async_mbarrier_arrive__expects_one_of_each_lane)
{
    start();
    cta(MBARRIER_OP_INIT, 1024, 1);
    struct mbarrier_instruction in = {.opcode = MBARRIER_OP_COPIES_ARRIVE, .lanes = 0xf};
    for (int lane = 0; lane < 4; lane++) in.address[lane] = 1024;
    ck_assert_int_eq(operate(&in), RULE_OK);
    ck_assert_int_eq(mbarrier_unpack(word_of(0, 1024)).tx, 4);
    const struct mbarrier_transaction end = mbarrier_copies_end(4, 0);
    ck_assert_int_eq(mbarrier_land(&t.unit, 0, 1024, &end, &teller, NULL), RULE_OK);
    ck_assert_uint_eq(word_of(0, 1024), mbarrier_init(1));
}

TEST(cp_async_mbarrier_noinc__does_nothing_at_issue)
{
    start();
    const uint64_t done = 0; // a phase with nothing left to wait for, which any transaction would complete
    ck_assert_int_eq(cta(MBARRIER_OP_COPIES_ARRIVE_NOINC, 1024, 0), RULE_OK);
    ck_assert_uint_eq(word_of(0, 1024), done);
    ck_assert_int_eq(t.events, 0);
    cta(MBARRIER_OP_INIT, 1024, 1);
    const struct mbarrier_transaction end = mbarrier_copies_end(1, 1);
    ck_assert_int_eq(mbarrier_land(&t.unit, 0, 1024, &end, &teller, NULL), RULE_OK);
    ck_assert_int_eq(mbarrier_unpack(word_of(0, 1024)).phase, 1);
    ck_assert_int_eq(mbarrier_land(&t.unit, 0, 1024, &end, &teller, NULL), RULE_OK);
    const struct mbarrier_transaction many = mbarrier_copies_end(2, 1);
    ck_assert_int_eq(mbarrier_land(&t.unit, 0, 1024, &many, &teller, NULL), RULE_MBARRIER_ARRIVALS);
    ck_assert(word_of(0, 1024) & MBARRIER_ERROR_BIT);
}

TEST(operand_barrier_nowhere__lands_nowhere)
{
    const struct mbarrier_transaction end = {.complete_bytes = 16};
    start();
    ck_assert_int_eq(mbarrier_land(&t.unit, 0, END, &end, &teller, NULL), RULE_OK);
    ck_assert_int_eq(mbarrier_land(&t.unit, CTAS, 1024, &end, &teller, NULL), RULE_OK);
    ck_assert_int_eq(t.events, 0);
}

// --- Events and ledger -----------------------------------------------------------------------------------------------

TEST(every_step_is_told_with_its_phase)
{
    start();
    cta(MBARRIER_OP_INIT, 1024, 1);
    cta(MBARRIER_OP_ARRIVE_EXPECT_TX, 1024, 64);
    const struct mbarrier_transaction end = {.complete_bytes = 64};
    mbarrier_land(&t.unit, 0, 1024, &end, &teller, NULL);
    cta(MBARRIER_OP_TEST_WAIT_PARITY, 1024, 1); // false: not told
    cta(MBARRIER_OP_TEST_WAIT_PARITY, 1024, 0);
    cta(MBARRIER_OP_INVAL, 1024, 0);
    const enum barrier_step steps[] = {BARRIER_INIT, BARRIER_TRANSACTION, BARRIER_TRANSACTION, BARRIER_WAIT,
                                       BARRIER_INVAL};
    const enum access_order orders[] = {ORDER_WEAK, ORDER_RELEASE, ORDER_RELEASE, ORDER_ACQUIRE, ORDER_WEAK};
    const enum access_scope scopes[] = {SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_CTA, SCOPE_NONE};
    ck_assert_int_eq(t.events, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(t.event[i].kind, EVENT_BARRIER);
        ck_assert_int_eq(t.event[i].barrier.step, steps[i]);
        ck_assert_int_eq(t.event[i].barrier.order, orders[i]);
        ck_assert_int_eq(t.event[i].barrier.scope, scopes[i]);
        ck_assert_int_eq(t.event[i].barrier.completes, i == 2);
        ck_assert_int_eq(t.event[i].barrier.phase, 0);
        ck_assert_uint_eq(t.origin[i].warp, 2);
        ck_assert_uint_eq(t.origin[i].lanes, i == 2 ? 0xffffffff : 1); // what lands has no lane of its own
    }
    ck_assert_uint_eq(t.event[1].barrier.transaction.arrivals, 1);
    ck_assert_uint_eq(t.event[1].barrier.transaction.expect_bytes, 64);
    ck_assert_str_eq(event_name(&t.event[2]), "mbarrier.transaction");
}

TEST(order_and_scope_are_those_of_the_instruction)
{
    struct mbarrier_instruction in = {.opcode = MBARRIER_OP_ARRIVE,
                                      .space = MBARRIER_SHARED_CLUSTER,
                                      .lanes = 1,
                                      .address = {RANK(1, 1024)},
                                      .operand = {1}};
    start();
    one(MBARRIER_OP_INIT, MBARRIER_SHARED_CTA, 1, 1024, 9);
    operate(&in);
    in.order = ORDER_RELAXED;
    in.scope = SCOPE_CLUSTER;
    operate(&in);
    ck_assert_int_eq(t.event[1].barrier.order, ORDER_RELEASE); // PTX's defaults, of another CTA's barrier too
    ck_assert_int_eq(t.event[1].barrier.scope, SCOPE_CTA);
    ck_assert_int_eq(t.event[2].barrier.order, ORDER_RELAXED);
    ck_assert_int_eq(t.event[2].barrier.scope, SCOPE_CLUSTER);
    one(MBARRIER_OP_EXPECT_TX, MBARRIER_SHARED_CTA, 1, 1024, 16);
    ck_assert_int_eq(t.event[3].barrier.order, ORDER_RELAXED);
}

TEST(the_ledger_names_who_came_in_this_phase)
{
    start();
    cta(MBARRIER_OP_INIT, 2048, 2);
    cta(MBARRIER_OP_ARRIVE_EXPECT_TX, 2048, 64);
    one(MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CLUSTER, 1, 2048, 1);
    const struct ledger *page = ledger_find(&t.book, 0, 2048);
    ck_assert_int_eq(page->count, 1); // one origin: the teller's
    ck_assert_uint_eq(page->total.arrivals, 2);
    ck_assert_uint_eq(page->entry[0].origin.line, 3);
    ck_assert_uint_eq(page->entry[0].transaction.expect_bytes, 64);
    cta(MBARRIER_OP_COMPLETE_TX, 2048, 64);
    ck_assert_uint_eq(page->phases, 1);
    ck_assert_int_eq(page->count, 0);
}

TEST(mbarrier_unobserved__needs_a_ledger)
{
    start();
    for (int has_ledger = 1; has_ledger >= 0; has_ledger--) {
        if (!has_ledger) t.unit.ledgers = NULL;
        cta(MBARRIER_OP_INIT, 1024, 1);
        ck_assert_int_eq(t.findings.count, 0);
        cta(MBARRIER_OP_ARRIVE, 1024, 1);
        cta(MBARRIER_OP_ARRIVE, 1024, 1);
        ck_assert_int_eq(t.findings.count, has_ledger);
        cta(MBARRIER_OP_INIT, 1024, 1);
        ck_assert_int_eq(t.findings.count, has_ledger);
        cta(MBARRIER_OP_ARRIVE, 1032, 0);
        ck_assert_int_eq(t.findings.count, 1 + has_ledger); // a count of 0; of no barrier
    }
}

// --- Random instructions against lanes summed one by one -------------------------------------------------------------

static uint64_t seed;

static uint64_t draw(uint64_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % below;
}

static struct mbarrier_instruction random_arrive(void)
{
    struct mbarrier_instruction in = {.opcode = MBARRIER_OP_ARRIVE + (uint32_t)draw(8),
                                      .lanes = 1 + (uint32_t)draw(~0u)};
    for (int lane = 0; lane < 32; lane++) {
        in.address[lane] = 1024 + 8 * (uint32_t)draw(3);
        in.operand[lane] = draw(3);
    }
    return in;
}

// What barrier `address` must be after the instruction where nothing faults: each lane alone, the phase decided at the
// end. Only without .noComplete, which is one transaction for each operand.
static uint64_t expected_word(const struct mbarrier_instruction *in, uint32_t address, uint64_t before)
{
    struct mbarrier_fields fields = mbarrier_unpack(before);
    const struct mbarrier_op_row *row = mbarrier_op_row(in->opcode);
    int touched = 0;
    for (int lane = 0; lane < 32; lane++) {
        if (!(in->lanes >> lane & 1) || in->address[lane] != address) continue;
        uint32_t operand = (uint32_t)in->operand[lane], arrivals = row->does == MBARRIER_BOTH ? 1 : operand;
        touched = 1;
        if (row->does == MBARRIER_EXPECTS || row->does == MBARRIER_BOTH) fields.tx += (int32_t)operand;
        if (row->does == MBARRIER_COMPLETES) fields.tx -= (int32_t)operand;
        if (row->does == MBARRIER_ARRIVES || row->does == MBARRIER_BOTH) fields.pending -= arrivals;
        if (row->drop) fields.expected -= arrivals;
    }
    if (touched && fields.pending == 0 && fields.tx == 0)
        fields.phase = !fields.phase, fields.pending = fields.expected;
    return mbarrier_pack(&fields);
}

TEST(mbarrier_warp_sum__random_instructions)
{
    seed = 1;
    start();
    int compared = 0;
    for (int i = 0; i < 20000; i++) {
        uint64_t before[3];
        for (uint32_t b = 0; b < 3; b++) {
            const struct mbarrier_fields fields = {.phase = (int)draw(2),
                                                   .pending = 1 + (uint32_t)draw(90),
                                                   .expected = 100,
                                                   .tx = (int32_t)draw(40) - 20};
            before[b] = mbarrier_pack(&fields);
            memcpy(t.bytes[0] + 8 * b, &before[b], 8);
        }
        const struct mbarrier_instruction in = random_arrive();
        t.events = 0;
        if (mbarrier_op_row(in.opcode)->by_value || operate(&in) != RULE_OK) continue;
        compared++;
        for (uint32_t b = 0; b < 3; b++)
            ck_assert_uint_eq(word_of(0, 1024 + 8 * b), expected_word(&in, 1024 + 8 * b, before[b]));
    }
    ck_assert_int_gt(compared, 10000);
}
