// SPDX-License-Identifier: MIT
// Random programs of setmaxnreg: warpgroups that take what others gave, exactly that or a unit more, and wait; equal
// counts; now and then a count on the wrong side of the present one, by a unit or by many.
#include "draw.h"
#include "register_pool.h"
#include "setmaxnreg_case.h"

static const uint32_t launches[] = {
#define GROUPS(warpgroups, registers) warpgroups,
    SETMAXNREG_LAUNCHES(GROUPS)
#undef GROUPS
};

// Legal counts between two others.
#define COUNTS(least, most) BETWEEN(least, (most) + REGISTER_COUNT_UNIT - 1), .unit = REGISTER_COUNT_UNIT

// The registers of a warpgroup and those in the pool, for each thread of one, after the steps so far if none waits.
struct account {
    uint32_t count[SETMAXNREG_MAX_WARPGROUPS], free;
};

static struct account account_of(const struct setmaxnreg_case *c)
{
    struct account a = {{0}, 0};
    for (uint32_t i = 0; i < c->warpgroups; i++) a.count[i] = setmaxnreg_start(c->warpgroups);
    for (uint32_t i = 0; i < c->count; i++) {
        a.free += a.count[c->step[i].warpgroup] - c->step[i].count;
        a.count[c->step[i].warpgroup] = c->step[i].count;
    }
    return a;
}

// To what is there, a unit more or less, or anywhere.
static uint32_t pick_increase(struct random *random, uint32_t now, uint32_t free)
{
    uint32_t most = REGISTER_COUNT_MOST, fits = now + (free > most ? most : free);
    if (fits > most) fits = most;
    return (uint32_t)DRAW(random, {1, JUST(fits)}, {1, JUST(fits < most ? fits + REGISTER_COUNT_UNIT : most)},
                          {1, COUNTS(now, fits)}, {1, COUNTS(now, most)});
}

static struct setmaxnreg_step pick_step(struct random *random, const struct setmaxnreg_case *c)
{
    const struct account a = account_of(c);
    struct setmaxnreg_step step = {.op = (uint32_t)random_below(random, SETMAXNREG_OPS),
                                   .warpgroup = (uint32_t)random_below(random, c->warpgroups)};
    uint32_t now = a.count[step.warpgroup];
    if (step.op == SETMAXNREG_DEC)
        step.count = (uint32_t)DRAW(random, {25, JUST(REGISTER_COUNT_LEAST)}, {75, COUNTS(REGISTER_COUNT_LEAST, now)});
    else
        step.count = pick_increase(random, now, (int32_t)a.free < 0 ? 0 : a.free);
    return step;
}

// The last step's count past the present one, to the wrong side: by one unit or more.
static void spoil(struct random *random, struct setmaxnreg_case *c)
{
    struct setmaxnreg_step *last = &c->step[c->count - 1];
    c->count--;
    uint32_t now = account_of(c).count[last->warpgroup], unit = REGISTER_COUNT_UNIT;
    c->count++;
    if (last->op == SETMAXNREG_DEC && now < REGISTER_COUNT_MOST)
        last->count = (uint32_t)DRAW(random, {1, JUST(now + unit)}, {1, COUNTS(now + unit, REGISTER_COUNT_MOST)});
    else if (last->op == SETMAXNREG_INC && now > REGISTER_COUNT_LEAST)
        last->count = (uint32_t)DRAW(random, {1, JUST(now - unit)}, {1, COUNTS(REGISTER_COUNT_LEAST, now - unit)});
}

// Steps that leave it open who is served, or leave somebody waiting, are taken back.
void setmaxnreg_generate(struct random *random, void *test_case)
{
    struct setmaxnreg_case *c = test_case;
    *c = (struct setmaxnreg_case){.warpgroups = random_pick(random, launches)};
    uint32_t steps = (uint32_t)random_range(random, 1, SETMAXNREG_STEPS);
    for (uint32_t tries = 0; c->count < steps && tries < 4 * SETMAXNREG_STEPS; tries++) {
        c->step[c->count] = pick_step(random, c);
        c->count++;
        if (setmaxnreg_run(c).end != SETMAXNREG_ENDS) c->count--;
    }
    if (c->count > 0 && random_below(random, 1000) < 15) spoil(random, c);
    if (c->count == 0 || setmaxnreg_run(c).end == SETMAXNREG_TWO_WAIT || setmaxnreg_run(c).end == SETMAXNREG_FOREVER) {
        c->count = 1;
        c->step[0] = (struct setmaxnreg_step){SETMAXNREG_DEC, REGISTER_COUNT_LEAST, 0};
    }
}
