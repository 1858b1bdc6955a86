// SPDX-License-Identifier: MIT
// A program of setmaxnreg on the model: every warp has a place in the program of its warpgroup, and in each slot of
// time goes on as far as it can.
#include "register_pool.h"
#include "setmaxnreg_case.h"

enum { MOST_WARPS = SETMAXNREG_MAX_WARPGROUPS * SETMAXNREG_WARPS, NOBODY = SETMAXNREG_MAX_WARPGROUPS };

struct state {
    const struct setmaxnreg_case *c;
    struct setmaxnreg_run *run;
    struct register_pool pool;
    uint32_t next[MOST_WARPS]; // step; SETMAXNREG_STEPS + 1 for a warp that has given all
    uint32_t done[SETMAXNREG_STEPS];
    uint32_t waiting; // the warpgroup of which a warp waits
};

uint32_t setmaxnreg_start(uint32_t warpgroups)
{
    switch (warpgroups) {
#define START(groups, registers)                                                                                       \
    case groups:                                                                                                       \
        return registers;
        SETMAXNREG_LAUNCHES(START)
#undef START
    }
    return 0;
}

// The warp's first step from `step` on, or the count of steps.
static uint32_t step_of(const struct setmaxnreg_case *c, uint32_t warp, uint32_t step)
{
    while (step < c->count && c->step[step].warpgroup != warp / SETMAXNREG_WARPS) step++;
    return step;
}

static void note_waiting(struct state *s, uint32_t warpgroup)
{
    if (s->waiting != NOBODY && s->waiting != warpgroup && s->run->end == SETMAXNREG_ENDS)
        s->run->end = SETMAXNREG_TWO_WAIT;
    s->waiting = warpgroup;
}

// Tries the warp's next step, of which the slot has come. Returns whether it is done.
static bool try_step(struct state *s, uint32_t warp, uint32_t slot)
{
    uint32_t at = s->next[warp];
    const struct setmaxnreg_step *step = &s->c->step[at];
    int granted = 1;
    enum rule rule = step->op == SETMAXNREG_INC ? register_pool_increase(&s->pool, warp, step->count, &granted)
                                                : register_pool_decrease(&s->pool, warp, step->count);
    if (rule != RULE_OK && s->run->rule == RULE_OK) s->run->rule = rule;
    if (rule != RULE_OK || !granted) return false;
    s->run->log.slot[at][s->done[at]++] = slot;
    s->next[warp] = step_of(s->c, warp, at + 1);
    return true;
}

// One warp, once; at the end it gives what it has. Returns whether anything changed.
static bool advance(struct state *s, uint32_t warp, uint32_t slot)
{
    if (s->next[warp] < s->c->count) return s->next[warp] <= slot && try_step(s, warp, slot);
    if (slot < s->c->count || s->next[warp] > SETMAXNREG_STEPS) return false;
    register_pool_decrease(&s->pool, warp, SETMAXNREG_LEAST);
    s->next[warp] = SETMAXNREG_STEPS + 1;
    return true;
}

static void run_slot(struct state *s, uint32_t slot)
{
    bool changes = true;
    while (changes && s->run->rule == RULE_OK) {
        changes = false;
        for (uint32_t warp = 0; warp < s->pool.warps; warp++) changes |= advance(s, warp, slot);
    }
    s->waiting = NOBODY;
    for (uint32_t warp = 0; warp < s->pool.warps; warp++)
        if (s->next[warp] < s->c->count && s->next[warp] <= slot) note_waiting(s, warp / SETMAXNREG_WARPS);
}

struct setmaxnreg_run setmaxnreg_run(const struct setmaxnreg_case *c)
{
    struct setmaxnreg_run run = {.end = SETMAXNREG_ENDS, .rule = RULE_OK};
    struct state s = {.c = c, .run = &run, .waiting = NOBODY};
    register_pool_start(&s.pool, c->warpgroups * SETMAXNREG_WARPS, setmaxnreg_start(c->warpgroups));
    for (uint32_t warp = 0; warp < s.pool.warps; warp++) s.next[warp] = step_of(c, warp, 0);
    for (uint32_t slot = 0; slot <= c->count && run.rule == RULE_OK && run.end == SETMAXNREG_ENDS; slot++)
        run_slot(&s, slot);
    if (run.rule != RULE_OK)
        run.end = SETMAXNREG_FAULTS;
    else if (run.end == SETMAXNREG_ENDS && s.waiting != NOBODY)
        run.end = SETMAXNREG_FOREVER;
    return run;
}
