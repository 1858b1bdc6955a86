// SPDX-License-Identifier: MIT
// The suite `observe_step`: what the steps of cluster programs, and edits of tensor maps, tell an observer. For each
// operation the table says kind, proxy, scope and whose memory; a run of the step says which bytes really change.
#include <check.h>
#include <string.h>

#include "cluster_step.h"
#include "observe.h"

Suite *observe_step_suite(void);

enum { CTAS = 4, MOST = 16 };

static struct {
    int accesses, transactions;
    struct access access[MOST];
    struct event_barrier transaction[MOST];
} heard;

static void hear(void *context, const struct event *event)
{
    (void)context;
    ck_assert_int_lt(heard.accesses + heard.transactions, MOST);
    ck_assert_str_eq(event->origin->file, "user.cu");
    if (event->kind == EVENT_BARRIER)
        heard.transaction[heard.transactions++] = event->barrier;
    else
        heard.access[heard.accesses++] = event->access;
}

static const struct observer observer = {NULL, hear};
static const struct teller teller = {&observer, {.rank = 1, .file = "user.cu", .line = 7}};

// The last access that each step of CTA 1 tells (its destination), and how many accesses and transactions in all.
static const struct {
    struct cluster_step step;
    int accesses, transactions;
    struct access last;
    const char *why;
} vectors[] = {
    {{.opcode = CLUSTER_OP_LD, .target = 2, .size_bytes = 8, .offset_bytes = 16},
     1,
     0,
     {.kind = ACCESS_READ, .space = SPACE_SHARED, .rank = 2, .address = CLUSTER_DATA_START + 16, .bytes = 8},
     "a load reads the other CTA"},
    {{.opcode = CLUSTER_OP_ST, .target = 3, .size_bytes = 4, .operand = 5},
     1,
     0,
     {.kind = ACCESS_WRITE, .space = SPACE_SHARED, .rank = 3, .address = CLUSTER_DATA_START, .bytes = 4},
     "a store writes it"},
    {{.opcode = CLUSTER_OP_RED, .function = CLUSTER_ADD_U64, .target = CLUSTER_RING | 1, .operand = 5},
     1,
     0,
     {.kind = ACCESS_REDUCE,
      .scope = SCOPE_GPU,
      .space = SPACE_SHARED,
      .rank = 2,
      .address = CLUSTER_DATA_START,
      .bytes = 8},
     "red is relaxed at gpu scope, of the width of its function; the ring's next"},
    {{.opcode = CLUSTER_OP_ARRIVE, .target = 0, .barrier = 3, .operand = 1},
     0,
     1,
     {.kind = ACCESS_REDUCE,
      .scope = SCOPE_CLUSTER,
      .space = SPACE_SHARED,
      .address = CLUSTER_BARRIER_START + 24,
      .bytes = 8},
     "an arrive on another CTA"},
    {{.opcode = CLUSTER_OP_ARRIVE, .target = 1, .operand = 1},
     0,
     1,
     {.kind = ACCESS_REDUCE,
      .scope = SCOPE_CTA,
      .space = SPACE_SHARED,
      .rank = 1,
      .address = CLUSTER_BARRIER_START,
      .bytes = 8},
     "on its own"},
    {{.opcode = CLUSTER_OP_ST_ASYNC, .target = 2, .size_bytes = 16},
     1,
     1,
     {.kind = ACCESS_WRITE, .space = SPACE_SHARED, .rank = 2, .address = CLUSTER_DATA_START, .bytes = 16},
     "st.async takes the generic proxy"},
    {{.opcode = CLUSTER_OP_RED_ASYNC, .function = CLUSTER_ADD_U32, .target = 2, .operand = 3},
     1,
     1,
     {.kind = ACCESS_REDUCE,
      .scope = SCOPE_CLUSTER,
      .space = SPACE_SHARED,
      .rank = 2,
      .address = CLUSTER_DATA_START,
      .bytes = 4},
     "red.async.relaxed.cluster"},
    {{.opcode = CLUSTER_OP_BULK, .target = 3, .size_bytes = 64, .offset_bytes = 32},
     2,
     1,
     {.kind = ACCESS_WRITE,
      .proxy = PROXY_ASYNC,
      .space = SPACE_SHARED,
      .rank = 3,
      .address = CLUSTER_DATA_START + 32,
      .bytes = 64},
     "a bulk copy reads its own CTA first"},
    {{.opcode = CLUSTER_OP_MULTICAST, .target = 0xb, .size_bytes = 32, .operand = 64},
     4,
     3,
     {.kind = ACCESS_WRITE,
      .proxy = PROXY_ASYNC,
      .space = SPACE_SHARED,
      .rank = 3,
      .address = CLUSTER_DATA_START,
      .bytes = 32},
     "multicast reads once and writes each of the mask"},
    {{.opcode = CLUSTER_OP_INIT, .barrier = 1, .operand = 1},
     0,
     1,
     {.kind = ACCESS_WRITE, .space = SPACE_SHARED, .rank = 1, .address = CLUSTER_BARRIER_START + 8, .bytes = 8},
     "init writes the word"},
    {{.opcode = CLUSTER_OP_STORE_EXIT, .size_bytes = 128},
     2,
     0,
     {.kind = ACCESS_WRITE, .proxy = PROXY_ASYNC, .space = SPACE_GLOBAL, .address = 0x8000, .bytes = 128},
     "a store at exit"},
    {{.opcode = CLUSTER_OP_REDUCE_EXIT, .size_bytes = 128},
     2,
     0,
     {.kind = ACCESS_REDUCE,
      .proxy = PROXY_ASYNC,
      .scope = SCOPE_GPU,
      .space = SPACE_GLOBAL,
      .address = 0x8000,
      .bytes = 128},
     "a reduction at exit"},
    {{.opcode = CLUSTER_OP_EXIT_WARP}, 0, 0, {.bytes = 0}, "nothing is touched"},
};
enum { VECTORS = sizeof vectors / sizeof vectors[0] };

static void observe(const struct cluster_step *step)
{
    heard.accesses = heard.transactions = 0;
    cluster_observe(step, 1, CTAS, 0x4000, 0x8000, &teller);
}

START_TEST(every_step_tells_what_it_touches)
{
    const char *why = vectors[_i].why;
    observe(&vectors[_i].step);
    ck_assert_msg(heard.accesses == vectors[_i].accesses, "%s: %d accesses", why, heard.accesses);
    ck_assert_msg(heard.transactions == vectors[_i].transactions, "%s: %d transactions", why, heard.transactions);
    const struct access *want = &vectors[_i].last;
    if (heard.accesses == 0 && heard.transactions == 1) {
        ck_assert_int_eq(heard.transaction[0].scope, want->scope);
        ck_assert_uint_eq(heard.transaction[0].rank, want->rank);
        ck_assert_uint_eq(heard.transaction[0].address, want->address);
    }
    if (heard.accesses == 0) return;
    const struct access *last = &heard.access[heard.accesses - 1];
    ck_assert_msg(last->kind == want->kind && last->proxy == want->proxy && last->scope == want->scope, "%s: %s %s %s",
                  why, access_kind_name(last->kind), access_proxy_name(last->proxy), access_scope_name(last->scope));
    ck_assert_int_eq(last->order, want->scope == SCOPE_NONE ? ORDER_WEAK : ORDER_RELAXED);
    ck_assert_msg(last->space == want->space && last->rank == want->rank, "%s: CTA %u", why, last->rank);
    ck_assert_uint_eq(last->address, want->address);
    ck_assert_uint_eq(last->bytes, want->bytes);
}
END_TEST

// The step, run over data that is all `fill`; what it leaves.
static void run(const struct cluster_step *step, uint8_t fill, uint8_t data[CTAS][CLUSTER_FILLED_BYTES])
{
    static uint8_t arena_bytes[256], global_bytes[256];
    const struct memory arena = {arena_bytes, 0x4000, sizeof arena_bytes};
    const struct memory global = {global_bytes, 0x8000, sizeof global_bytes};
    struct cluster_machine machine = {.ctas = CTAS, .is_cluster = 1, .arena = &arena, .global = &global};
    struct cluster_answer answer;
    memset(data, fill, CTAS * CLUSTER_FILLED_BYTES);
    memset(data[1], 0x33, 64); // what a bulk copy reads
    for (int rank = 0; rank < CTAS; rank++) machine.cta[rank].data = data[rank];
    ck_assert_int_eq(cluster_step(&machine, step, &answer), RULE_OK);
}

START_TEST(cluster_access__bytes_that_change_are_told)
{
    static uint8_t a[CTAS][CLUSTER_FILLED_BYTES], b[CTAS][CLUSTER_FILLED_BYTES];
    struct cluster_step step = vectors[_i].step;
    int is_store = step.opcode == CLUSTER_OP_ST || step.opcode == CLUSTER_OP_ST_ASYNC ||
                   step.opcode == CLUSTER_OP_BULK || step.opcode == CLUSTER_OP_MULTICAST;
    step.issuers = 2;
    if (!is_store) return;
    observe(&step);
    run(&step, 0x11, a);
    run(&step, 0xee, b);
    for (uint32_t rank = 0; rank < CTAS; rank++) {
        uint64_t told = 0, changed = 0;
        for (int i = 0; i < heard.accesses; i++)
            if (heard.access[i].kind == ACCESS_WRITE && heard.access[i].rank == rank) told += heard.access[i].bytes;
        for (uint32_t i = rank == 1 ? 64 : 0; i < CLUSTER_FILLED_BYTES; i++) changed += a[rank][i] == b[rank][i];
        if (rank == 1 && step.opcode == CLUSTER_OP_MULTICAST) changed += step.size_bytes; // where both are 0x33 before
        ck_assert_uint_eq(told, changed);
    }
}
END_TEST

START_TEST(cluster_access__tells_the_barrier_what_the_step_brings)
{
    const struct cluster_step step = {
        .opcode = CLUSTER_OP_ARRIVE_EXPECT_TX, .target = 0, .barrier = 2, .operand = 512, .issuers = 2};
    observe(&step);
    ck_assert_uint_eq(heard.transaction[0].transaction.arrivals, 1);
    ck_assert_uint_eq(heard.transaction[0].transaction.expect_bytes, 512);
    ck_assert_uint_eq(heard.transaction[0].rank, 0);
    ck_assert_uint_eq(heard.transaction[0].address, CLUSTER_BARRIER_START + 16);
}
END_TEST

START_TEST(edits_of_a_map_touch_all_of_it)
{
    heard.accesses = heard.transactions = 0;
    map_replace_observe(SPACE_SHARED, 0x400, &teller);
    map_copy_observe(0x400, 0x10000, &teller);
    ck_assert_int_eq(heard.accesses, 4);
    const enum access_kind kind[] = {ACCESS_READ, ACCESS_WRITE, ACCESS_READ, ACCESS_WRITE};
    const enum access_space space[] = {SPACE_SHARED, SPACE_SHARED, SPACE_SHARED, SPACE_GLOBAL};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(heard.access[i].kind, kind[i]);
        ck_assert_int_eq(heard.access[i].space, space[i]);
        ck_assert_int_eq(heard.access[i].proxy, PROXY_GENERIC);
        ck_assert_uint_eq(heard.access[i].bytes, 128);
    }
    ck_assert_uint_eq(heard.access[3].address, 0x10000);
    ck_assert_uint_eq(heard.access[0].rank, 1);
}
END_TEST

// An image of 4 pixels of 16 bytes, packed: a column of it, and one that starts in no image.
START_TEST(im2col_walk__is_what_a_column_tells)
{
    const struct tensormap map = {.mode = TENSORMAP_IM2COL,
                                  .rank = 3,
                                  .dtype = DTYPE_UINT8,
                                  .address = 0x10000,
                                  .dim = {16, 4, 1},
                                  .stride = {1, 16, 64},
                                  .box = {16},
                                  .estride = {1, 1, 1},
                                  .pixels = 4};
    const uint16_t offset[3] = {0};
    const int32_t inside[] = {0, 0, 0}, outside[] = {0, 0, 1};
    struct tensor_operation operation = {
        .kind = TENSOR_LOAD, .map = &map, .coord = inside, .offset = offset, .shared = 0x400, .ctas = 2};
    heard.accesses = heard.transactions = 0;
    tensor_observe(&operation, &teller);
    ck_assert_int_eq(heard.accesses, 3);
    ck_assert_uint_eq(heard.access[1].address, 0x10000);
    ck_assert_uint_eq(heard.access[1].bytes, 64);
    ck_assert_uint_eq(heard.access[2].bytes, 64);
    ck_assert_uint_eq(heard.transaction[0].transaction.complete_bytes, 64);

    operation.coord = outside; // all fill: nothing is read, all of it is written
    heard.accesses = heard.transactions = 0;
    tensor_observe(&operation, &teller);
    ck_assert_int_eq(heard.accesses, 2);
    ck_assert_int_eq(heard.access[1].kind, ACCESS_WRITE);
    ck_assert_uint_eq(heard.transaction[0].transaction.complete_bytes, 64);

    operation.kind = TENSOR_STORE; // and a store touches nothing but the map
    heard.accesses = heard.transactions = 0;
    tensor_observe(&operation, &teller);
    ck_assert_int_eq(heard.accesses, 1);
    ck_assert_int_eq(heard.transactions, 0);
}
END_TEST

Suite *observe_step_suite(void)
{
    Suite *suite = suite_create("observe_step");
    TCase *steps = tcase_create("steps");
    tcase_add_loop_test(steps, every_step_tells_what_it_touches, 0, VECTORS);
    tcase_add_loop_test(steps, cluster_access__bytes_that_change_are_told, 0, VECTORS);
    tcase_add_test(steps, cluster_access__tells_the_barrier_what_the_step_brings);
    tcase_add_test(steps, edits_of_a_map_touch_all_of_it);
    tcase_add_test(steps, im2col_walk__is_what_a_column_tells);
    suite_add_tcase(suite, steps);
    return suite;
}
