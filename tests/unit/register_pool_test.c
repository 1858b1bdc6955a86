// SPDX-License-Identifier: MIT
#include "register_pool.h"

#include "rules/setmaxnreg.h"

enum { WARPS = 8, START = 128 };

static struct register_pool started(void)
{
    struct register_pool pool;
    register_pool_start(&pool, WARPS, START);
    return pool;
}

static const struct {
    uint32_t count;
    enum rule rule;
    const char *why;
} counts[] = {
    {16, RULE_SETMAXNREG_COUNT, "below the least"},
    {24, RULE_OK, "the least"},
    {28, RULE_SETMAXNREG_COUNT, "a multiple of 4 only"},
    {240, RULE_OK, "in between"},
    {256, RULE_OK, "the most"},
    {264, RULE_SETMAXNREG_COUNT, "above the most"},
};

LOOP_TEST(setmaxnreg_count__is_24_to_256_in_steps_of_8, 0, ROWS_OF(counts))
{
    struct register_pool pool = started();
    int granted;
    ck_assert_msg(register_count_check(counts[_i].count) == counts[_i].rule, "%s", counts[_i].why);
    if (counts[_i].rule == RULE_OK) return;
    ck_assert_int_eq(register_pool_decrease(&pool, 0, counts[_i].count), RULE_SETMAXNREG_COUNT);
    ck_assert_int_eq(register_pool_increase(&pool, 0, counts[_i].count, &granted), RULE_SETMAXNREG_COUNT);
}

TEST(setmaxnreg_inc_below__is_refused_one_unit_below_and_not_at_the_same_count)
{
    struct register_pool pool = started();
    int granted;
    ck_assert_int_eq(register_pool_increase(&pool, 3, START, &granted), RULE_OK);
    ck_assert_int_eq(granted, 1);
    ck_assert_int_eq(register_pool_increase(&pool, 3, START - 8, &granted), RULE_SETMAXNREG_INC_BELOW);
    ck_assert_uint_eq(pool.count[3], START);
}

TEST(setmaxnreg_dec_above__is_refused_one_unit_above_and_not_at_the_same_count)
{
    struct register_pool pool = started();
    ck_assert_int_eq(register_pool_decrease(&pool, 3, START), RULE_OK);
    ck_assert_int_eq(register_pool_decrease(&pool, 3, START + 8), RULE_SETMAXNREG_DEC_ABOVE);
    ck_assert_int_eq(register_pool_decrease(&pool, 3, START - 8), RULE_OK);
    ck_assert_int_eq(register_pool_decrease(&pool, 3, START), RULE_SETMAXNREG_DEC_ABOVE); // it counts from what it has
    ck_assert_uint_eq(pool.free[3], 8);
}

static const struct {
    uint32_t warp, count;
    int granted;
    const char *why;
} increases[] = {
    // warp 0 has given 16
    {4, START + 24, 0, "more than was given; mutant: what the SM has besides counts"},
    {1, START + 8, 0, "another part of the SM; mutant: one pool for the whole CTA"},
    {4, START + 16, 1, "all that was given, by the other warp of this part"},
    {0, START - 8, 0, "nothing is left; mutant: what was taken still counts"},
};

TEST(setmaxnreg_pool__gives_what_warps_of_the_same_part_gave)
{
    struct register_pool pool = started();
    int granted;
    ck_assert_int_eq(register_pool_decrease(&pool, 0, START - 16), RULE_OK);
    for (int i = 0; i < ROWS_OF(increases); i++) {
        uint32_t before = pool.count[increases[i].warp];
        ck_assert_int_eq(register_pool_increase(&pool, increases[i].warp, increases[i].count, &granted), RULE_OK);
        ck_assert_msg(granted == increases[i].granted, "%s", increases[i].why);
        ck_assert_uint_eq(pool.count[increases[i].warp], granted ? increases[i].count : before);
    }
}
