// SPDX-License-Identifier: MIT
// The suite `wgmma_order`: the family of that name: JSON both ways, which cases are open, and which results may be.
#include <stdio.h>
#include <string.h>

#include "family.h"
#include "wgmma_order_case.h"

static uint8_t bytes[WGMMA_ORDER_OUTPUT_WORDS * 4];

static struct result run(const struct wgmma_order_case *c)
{
    struct result result = result_at(bytes);
    family_run_model(family_find("wgmma_order"), c, &result);
    return result;
}

static const struct {
    uint32_t newest, victim, target;
    unsigned open;
} verdicts[] = {
    {0, 3, WGMMA_ORDER_A_OWN, 0},    {3, 0, WGMMA_ORDER_A_OWN, 0},  {3, 1, WGMMA_ORDER_A_OWN, 15},
    {2, 1, WGMMA_ORDER_B_ALL, 0},    {2, 2, WGMMA_ORDER_B_ALL, 15}, {0, 0, WGMMA_ORDER_B_ALONE, 7},
    {3, 3, WGMMA_ORDER_B_ALONE, 15},
};

LOOP_TEST(wgmma_wait_shared__says_which_warps_may_see_it, 0, ROWS_OF(verdicts))
{
    struct wgmma_order_case c = {
        .newest = verdicts[_i].newest, .victim = verdicts[_i].victim, .target = verdicts[_i].target};
    ck_assert_uint_eq(wgmma_order_open_warps(&c), verdicts[_i].open);
}

static void put_word(uint32_t index, float value)
{
    memcpy(bytes + 4 * index, &value, sizeof value);
}

static float word_at(uint32_t index)
{
    float value;
    memcpy(&value, bytes + 4 * index, sizeof value);
    return value;
}

// The model's own result is legal in every case; one element that no mix gives is not, and a mix only where it is open.
TEST(wgmma_order_results_are_mixes_of_old_and_new)
{
    char text[4096] = "";
    struct wgmma_order_case c = {.newest = 3, .victim = 2, .target = WGMMA_ORDER_A_OWN, .seed = 11};
    struct result result = run(&c);
    uint32_t index = 2 * WGMMA_ORDER_REGISTERS * WGMMA_ORDER_THREADS + 37;
    float before = word_at(index);
    ck_assert(wgmma_order_is_legal(&c, &result));
    put_word(index, 4096);
    ck_assert(!wgmma_order_is_legal(&c, &result));
    int legal = 0, closed_legal = 0;
    struct wgmma_order_case closed = c;
    closed.newest = 0;
    for (int value = -2048; value <= 2048; value++) {
        put_word(index, (float)value);
        legal += wgmma_order_is_legal(&c, &result);
        closed_legal += wgmma_order_is_legal(&closed, &result);
    }
    ck_assert_int_gt(legal, 4);
    ck_assert_int_le(legal, 16);
    ck_assert_int_eq(closed_legal, 1);
    put_word(index, before + 1);
    FILE *out = fmemopen(text, sizeof text - 1, "w");
    static uint8_t expected_bytes[sizeof bytes];
    struct result expected = result_at(expected_bytes);
    family_run_model(family_find("wgmma_order"), &closed, &expected);
    family_explain(family_find("wgmma_order"), &closed, &expected, &result, out);
    fclose(out);
    ck_assert_msg(strstr(text, "group 2: D[17][2], thread 37, register 0") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "WGMMA_WAIT_SHARED") != NULL, "%s", text);
}

// Words and back, with an element that is half new.
TEST(wgmma_order_words_hold_every_element)
{
    struct wgmma_order_case c = {.newest = 3, .victim = 2, .target = WGMMA_ORDER_B_ALONE, .seed = 12};
    static uint8_t again_bytes[sizeof bytes];
    struct result result = run(&c), again = result_at(again_bytes);
    uint32_t index = 2 * WGMMA_ORDER_REGISTERS * WGMMA_ORDER_THREADS + 5;
    for (int value = -2048; value <= 2048; value++) { // the last mix there is
        float before = word_at(index);
        put_word(index, (float)value);
        if (!wgmma_order_is_legal(&c, &result)) put_word(index, before);
    }
    json_t *text = wgmma_order_describe(&c, &result);
    ck_assert_uint_eq(json_array_size(text), WGMMA_ORDER_GROUPS);
    ck_assert_str_eq(json_string_value(json_array_get(text, 0)), "old");
    ck_assert_int_ne(json_string_value(json_array_get(text, 2))[5], '0');
    ck_assert(family_restore(family_find("wgmma_order"), &c, text, &again));
    ck_assert_mem_eq(bytes, again_bytes, sizeof bytes);
    json_array_set_new(text, 3, json_string("new"));
    again = result_at(again_bytes);
    ck_assert(!family_restore(family_find("wgmma_order"), &c, text, &again));
    json_decref(text);
}

TEST(wgmma_order_omissions_leave_one_result)
{
    struct wgmma_order_case c = {.kind = WGMMA_ORDER_OMIT, .omission = WGMMA_ORDER_OMIT_ALL, .seed = 5}, other = c;
    struct result result = run(&c);
    float first = word_at(0);
    other.omission = WGMMA_ORDER_OMIT_NOTHING;
    result = run(&other);
    ck_assert(first == word_at(0) && result.status == 0);
    ck_assert(!family_find("wgmma_order")->varies(&c));
}
