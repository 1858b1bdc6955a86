// SPDX-License-Identifier: MIT
#include "setmaxnreg_case.h"

#include <string.h>

#include "family.h"
#include "json.h"
#include "random.h"
#include "rules/setmaxnreg.h"

enum { CASES = 4000 };

#define STEP(op, count, warpgroup) "{\"op\": \"" #op "\", \"count\": " #count ", \"warpgroup\": " #warpgroup "}"
#define PROGRAM(steps)             "{\"warpgroups\": 4, \"steps\": [" steps "]}"

// Each thread starts with 128 registers.
static const struct {
    const char *json;
    enum setmaxnreg_end end;
    uint32_t first, last; // slots in which the last step's first and last warp are done
    const char *why;
} programs[] = {
    {PROGRAM(STEP(dec, 24, 0) "," STEP(inc, 232, 1)), SETMAXNREG_ENDS, 1, 1, "all that was given"},
    {PROGRAM(STEP(dec, 24, 0) "," STEP(inc, 240, 1)), SETMAXNREG_ENDS, 2, 2, "a unit more: only the end gives it"},
    {PROGRAM(STEP(inc, 136, 1)), SETMAXNREG_ENDS, 1, 1, "nobody has given; mutant: the SM's rest counts"},
    {PROGRAM(STEP(dec, 64, 0) "," STEP(dec, 64, 2) "," STEP(inc, 256, 1)), SETMAXNREG_ENDS, 2, 2, "from two"},
    {PROGRAM(STEP(inc, 120, 1)), SETMAXNREG_FAULTS, 0, 0, "inc below"},
    {PROGRAM(STEP(dec, 136, 1)), SETMAXNREG_FAULTS, 0, 0, "dec above"},
};

static int read(const char *text, struct setmaxnreg_case *c, struct text *why)
{
    json_t *json = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(json);
    int ok = family_read(family_find("setmaxnreg"), json, c, why);
    json_decref(json);
    return ok;
}

LOOP_TEST(setmaxnreg_pool__decides_in_which_slot_a_step_is_done, 0, ROWS_OF(programs))
{
    struct setmaxnreg_case c;
    struct text why = {""};
    ck_assert_msg(read(programs[_i].json, &c, &why), "%s: %s", programs[_i].why, why.at);
    struct setmaxnreg_run run = setmaxnreg_run(&c);
    ck_assert_msg(run.end == programs[_i].end, "%s", programs[_i].why);
    if (run.end != SETMAXNREG_ENDS) return;
    ck_assert_uint_eq(run.log.slot[c.count - 1][0], programs[_i].first);
    ck_assert_uint_eq(run.log.slot[c.count - 1][SETMAXNREG_WARPS - 1], programs[_i].last);
}

// Whether a step is done later than in its own slot.
static bool has_waited(const struct setmaxnreg_case *c, const struct setmaxnreg_run *run)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (run->log.slot[i][SETMAXNREG_WARPS - 1] > i) return true;
    return false;
}

TEST(setmaxnreg_generator_reaches_waits_and_both_faults)
{
    int waits = 0, below = 0, above = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(3, i);
        struct setmaxnreg_case c;
        setmaxnreg_generate(&random, &c);
        struct setmaxnreg_run run = setmaxnreg_run(&c);
        ck_assert(run.end == SETMAXNREG_ENDS || run.end == SETMAXNREG_FAULTS);
        waits += run.end == SETMAXNREG_ENDS && has_waited(&c, &run);
        below += run.rule == RULE_SETMAXNREG_INC_BELOW;
        above += run.rule == RULE_SETMAXNREG_DEC_ABOVE;
    }
    ck_assert_int_gt(waits, CASES / 5);
    ck_assert_int_gt(below, CASES / 1000);
    ck_assert_int_gt(above, CASES / 1000);
}
