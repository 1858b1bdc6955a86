// SPDX-License-Identifier: MIT
// The suite `async_case`: the family "async" around the model: programs that cannot be decided, what random programs
// lean to, and a barrier with arrivals on their way.
#include "async_barrier.h"
#include "async_case.h"
#include "family.h"
#include "rule_most.h"
#include "rules/cp.h"

enum { CASES = 20000, BYTES = 1 << 17 };

static int read_text(const char *text, struct async_case *c, struct text *why)
{
    json_t *json = json_loads(text, 0, NULL);
    ck_assert_msg(json != NULL, "%s", text);
    int ok = family_read(family_find("async"), json, c, why);
    json_decref(json);
    return ok;
}

// --- Programs --------------------------------------------------------------------------------------------------------

#define PROGRAM(threads, promise, ops)                                                                                 \
    "{\"threads\": \"" threads "\", \"promise\": \"" promise "\", \"init\": 1, \"seed\": 5, \"ops\": [" ops "]}"
#define OP(name)              "{\"op\": \"" name "\"}"
#define WAIT(name, n)         "{\"op\": \"" name "\", \"n\": " #n "}"
#define WAIT_BY(name, n, t)   "{\"op\": \"" name "\", \"n\": " #n ", \"thread\": " #t "}"
#define STORE(size)           "{\"op\": \"cp.async.bulk\", \"size\": " #size "}"
#define COPY(to)              "{\"op\": \"cp.async.ca\", \"size\": 4, \"from\": 17592186044416, \"to\": " #to "}"
#define BULK                  "cp.async.bulk.wait_group"
#define COMMIT                OP("cp.async.commit_group")
#define BULK_COMMIT           OP("cp.async.bulk.commit_group")
#define BARRIER(name, key, n) "{\"op\": \"mbarrier." name "\", \"" key "\": " #n "}"

// Of a recording it is taken: what the model then finds is a mismatch, not a trace that cannot be read.
TEST(async_program_that_cannot_be_decided_is_taken_from_a_trace)
{
    static const char text[] =
        PROGRAM("one", "ptx", "{\"op\": \"cp.async.ca\", \"size\": 4, \"from\": 17592219598848, \"to\": 1169}");
    struct async_case c;
    struct text why = {""};
    json_t *json = json_loads(text, 0, NULL);
    ck_assert_msg(family_read_recorded(family_find("async"), json, &c, &why), "%s", why.at);
    json_decref(json);
}

// What the last step, a wait, must see.
static const struct {
    const char *text;
    uint32_t must;
} waits[] = {
    {PROGRAM("one", "ptx", STORE(16) "," BULK_COMMIT "," WAIT(BULK, 0)), 1},
    {PROGRAM("one", "ptx", STORE(16) "," WAIT(BULK, 0)), 0},
    {PROGRAM("one", "sm_90a", STORE(16) "," WAIT(BULK, 0)), 0},
    {PROGRAM("one", "ptx", STORE(16) "," BULK_COMMIT "," WAIT(BULK ".read", 0)), 0},
    {PROGRAM("one", "sm_90a", STORE(16) "," BULK_COMMIT "," WAIT(BULK ".read", 0)), 1},
    {PROGRAM("one", "ptx", STORE(16) "," BULK_COMMIT "," WAIT("cp.async.wait_group", 0)), 0},
    {PROGRAM("one", "sm_90a", STORE(16) "," BULK_COMMIT "," WAIT("cp.async.wait_group", 0)), 1},
    {PROGRAM("one", "sm_90a", STORE(16) "," COMMIT "," WAIT("cp.async.wait_group", 0)), 0},
    {PROGRAM("one", "sm_90a", STORE(16) "," BULK_COMMIT "," OP("cp.async.wait_all")), 1},
    {PROGRAM("same_warp", "ptx", STORE(16) "," BULK_COMMIT "," WAIT_BY(BULK, 0, 1)), 0},
    {PROGRAM("same_warp", "sm_90a", STORE(16) "," BULK_COMMIT "," WAIT_BY(BULK, 0, 1)), 1},
    {PROGRAM("other_warp", "sm_90a", STORE(16) "," BULK_COMMIT "," WAIT_BY(BULK, 0, 1)), 0},
    {PROGRAM("same_warp", "ptx", STORE(16) "," BULK_COMMIT "," WAIT(BULK, 0) "," WAIT_BY(BULK, 0, 1)), 1},
    {PROGRAM("one", "ptx", COPY(1168) "," OP("cp.async.mbarrier.arrive.noinc") "," BARRIER("wait", "parity", 0)),
     ASYNC_ANSWER_BIT | 1},
    {PROGRAM("one", "ptx", COPY(1168) "," OP("cp.async.mbarrier.arrive") "," BARRIER("wait", "parity", 0)), 0},
    {PROGRAM("one", "ptx",
             COPY(1168) "," OP("cp.async.mbarrier.arrive") "," BARRIER("arrive", "count", 1) "," BARRIER("wait",
                                                                                                         "parity", 0)),
     ASYNC_ANSWER_BIT | 1},
};

LOOP_TEST(async_wait_must_see, 0, ROWS_OF(waits))
{
    static struct async_outcome outcome;
    struct async_case c;
    struct text why = {""};
    ck_assert_msg(read_text(waits[_i].text, &c, &why), "%s: %s", waits[_i].text, why.at);
    ck_assert_ptr_null(async_run(&c, &outcome));
    ck_assert_msg(outcome.waits[c.count - 1] == waits[_i].must, "%s: 0x%x", waits[_i].text, outcome.waits[c.count - 1]);
}

TEST(async_generate_meets_every_step_and_rule)
{
    static uint8_t bytes[BYTES];
    int steps[ASYNC_OPS] = {0}, rules[RULE_MOST] = {0}, faults = 0, seen = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(1, i);
        struct async_case c;
        async_generate(&random, &c);
        ck_assert_uint_le(family_result_bytes(family_find("async"), &c), sizeof bytes);
        struct result result = result_at(bytes);
        family_run_model(family_find("async"), &c, &result);
        ck_assert_uint_le((size_t)(result.free_bytes - bytes), family_result_bytes(family_find("async"), &c));
        rules[result.rule]++;
        faults += result.status != 0;
        for (uint32_t step = 0; step < c.count; step++) steps[c.op[step].opcode]++;
        for (uint32_t at = 0; result.status == 0 && at < result.window[1].size_bytes; at += 4)
            seen += result.window[1].bytes[at] != 0;
    }
    for (int opcode = 0; opcode < ASYNC_OPS; opcode++)
        ck_assert_msg(steps[opcode] > CASES / 100, "%s: %d", async_op_names[opcode], steps[opcode]);
    for (enum rule rule = RULE_CP_ASYNC_SRC_ALIGN; rule <= RULE_CP_ASYNC_UNMAPPED; rule++)
        ck_assert_msg(rules[rule] > 0, "%s", rule_row(rule)->id);
    ck_assert(faults > CASES / 100 && faults < CASES / 20);
    ck_assert_int_gt(seen, CASES / 2);
}

// --- A barrier with arrivals on their way ----------------------------------------------------------------------------

static const struct mbarrier_transaction one_arrival = {.arrivals = 1};

TEST(async_barrier_agrees_where_order_does_not_matter)
{
    struct async_barrier barrier;
    int complete;
    async_barrier_start(&barrier, 3);
    ck_assert_int_eq(async_barrier_copies_arrive(&barrier, 1), RULE_OK);
    ck_assert_int_eq(async_barrier_transact(&barrier, &one_arrival), RULE_OK);
    ck_assert(!async_barrier_is_settled(&barrier));
    ck_assert_int_eq(async_barrier_wait(&barrier, 0, &complete), RULE_OK);
    ck_assert(!complete && !barrier.open);
    ck_assert_int_eq(async_barrier_copies_arrive(&barrier, 1), RULE_OK);
    ck_assert_int_eq(async_barrier_wait(&barrier, 0, &complete), RULE_OK);
    ck_assert(complete && !barrier.open && async_barrier_is_settled(&barrier));
    ck_assert_uint_eq(barrier.state[0].word, mbarrier_init(3) | MBARRIER_PHASE_BIT);
}

TEST(async_barrier_is_open_where_a_fault_depends_on_order)
{
    const struct mbarrier_transaction expect = {.expect_bytes = 1};
    struct async_barrier barrier;
    async_barrier_start(&barrier, 1);
    async_barrier_transact(&barrier, &expect);
    async_barrier_copies_arrive(&barrier, true);
    ck_assert(!barrier.open);
    async_barrier_transact(&barrier, &one_arrival);
    ck_assert(barrier.open);
}

TEST(async_barrier_holds_the_phase_until_the_copies_are_there)
{
    struct async_barrier barrier;
    int complete;
    async_barrier_start(&barrier, 1);
    async_barrier_copies_arrive(&barrier, false);
    async_barrier_transact(&barrier, &one_arrival);
    ck_assert_int_eq(barrier.states, 2);
    async_barrier_wait(&barrier, 0, &complete);
    ck_assert(complete && !barrier.open && async_barrier_is_settled(&barrier));
}
