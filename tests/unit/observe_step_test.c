// SPDX-License-Identifier: MIT
// The suite `observe_step`: what edits of tensor maps and im2col columns tell an observer.
#include <check.h>
#include <string.h>

#include "observe.h"

Suite *observe_step_suite(void);

enum { MOST = 16 };

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
    tcase_add_test(steps, edits_of_a_map_touch_all_of_it);
    tcase_add_test(steps, im2col_walk__is_what_a_column_tells);
    suite_add_tcase(suite, steps);
    return suite;
}
