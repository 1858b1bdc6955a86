// SPDX-License-Identifier: MIT
// Family "setmaxnreg": a program of setmaxnreg, each step by one warpgroup of a CTA and in a slot of time of its own.
// The result is the slots in which the warps of each step were done: later than the step's own where they had to wait.
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "family.h"
#include "field.h"
#include "gpu_jobs.h"
#include "register_pool.h"
#include "rules/setmaxnreg.h"
#include "setmaxnreg_case.h"

static const char *const op_names[] = {"inc", "dec", NULL};

// --- The model -------------------------------------------------------------------------------------------------------

static void setmaxnreg_windows(const void *test_case, struct result *result)
{
    const struct setmaxnreg_case *c = test_case;
    result_window(result, "slots", 0, (uint32_t)sizeof(uint32_t[SETMAXNREG_WARPS]) * c->count);
}

static enum rule setmaxnreg_run_model(const void *test_case, struct result *result)
{
    const struct setmaxnreg_run run = setmaxnreg_run(test_case);
    memcpy(result->window[0].bytes, run.log.slot, result->window[0].size_bytes);
    return run.rule;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

static int ascending(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static const struct {
    const char *kernel;
    uint32_t warpgroups;
} launches[] = {
#define LAUNCH(warpgroups, registers) {"setmaxnreg_" #warpgroups, warpgroups},
    SETMAXNREG_LAUNCHES(LAUNCH)
#undef LAUNCH
};
enum { LAUNCHES = sizeof launches / sizeof launches[0] };

static int make_job(const struct gpu_place *place, void *to)
{
    const struct setmaxnreg_case *c = place->test_case;
    struct setmaxnreg_job *job = to;
    *job = (struct setmaxnreg_job){.output = place->offset / sizeof(uint32_t), .count = c->count};
    memcpy(job->step, c->step, sizeof job->step);
    return CUDA_SUCCESS;
}

static uint32_t group_of(const void *test_case)
{
    uint32_t i = 0;
    while (launches[i].warpgroups != ((const struct setmaxnreg_case *)test_case)->warpgroups) i++;
    return i;
}

static int shape(struct gpu *gpu, uint32_t group, struct gpu_launch *launch, struct gpu_arguments *arguments)
{
    (void)gpu, (void)arguments;
    launch->kernel = launches[group].kernel;
    launch->block = launches[group].warpgroups * SETMAXNREG_WARPS * 32;
    return CUDA_SUCCESS;
}

static const struct gpu_jobs jobs = {.module = "setmaxnreg",
                                     .case_bytes = sizeof(struct setmaxnreg_case),
                                     .job_bytes = sizeof(struct setmaxnreg_job),
                                     .make = make_job,
                                     .groups = LAUNCHES,
                                     .group = group_of,
                                     .shape = shape};

static int setmaxnreg_run_gpu(struct gpu *gpu, const void *test_cases, int count, struct result *results)
{
    const struct setmaxnreg_case *cases = test_cases;
    int error = gpu_run_jobs(gpu, &jobs, cases, count, results);
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++)
        for (uint32_t step = 0; step < cases[i].count; step++)
            qsort(results[i].window[0].bytes + step * sizeof(uint32_t[SETMAXNREG_WARPS]), SETMAXNREG_WARPS,
                  sizeof(uint32_t), ascending);
    return error;
}

// --- In words --------------------------------------------------------------------------------------------------------

static void explain_step(const struct setmaxnreg_case *c, uint32_t i, const uint32_t want[SETMAXNREG_WARPS],
                         const uint32_t got[SETMAXNREG_WARPS], FILE *out)
{
    fprintf(out, "    step %u, %s to %u by warpgroup %u of %u that start with %u: its warps are done in slots", i,
            op_names[c->step[i].op], c->step[i].count, c->step[i].warpgroup, c->warpgroups,
            setmaxnreg_start(c->warpgroups));
    for (int warp = 0; warp < SETMAXNREG_WARPS; warp++) fprintf(out, " %u", want[warp]);
    fprintf(out, " expected,");
    for (int warp = 0; warp < SETMAXNREG_WARPS; warp++) fprintf(out, " %u", got[warp]);
    fprintf(out, " found\n");
}

enum rule setmaxnreg_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    uint32_t want[SETMAXNREG_WARPS], got[SETMAXNREG_WARPS];
    uint32_t step = difference->at / (uint32_t)sizeof want;
    memcpy(want, difference->expected->bytes + step * sizeof want, sizeof want);
    memcpy(got, difference->found->bytes + step * sizeof got, sizeof got);
    explain_step(test_case, step, want, got, out);
    return RULE_SETMAXNREG_POOL;
}

#define CASE struct setmaxnreg_step
static const struct field step_field[] = {
    FIELD_ONE_OF("op", op, op_names, "the instruction"),
    FIELD_NUMBER("count", count, REGISTER_COUNT_LEAST, REGISTER_COUNT_MOST, "registers of a thread",
                 .multiple = REGISTER_COUNT_UNIT),
    FIELD_NUMBER("warpgroup", warpgroup, 0, SETMAXNREG_MAX_WARPGROUPS - 1, "the warpgroup that executes it"),
    FIELD_END,
};
#undef CASE

static const struct fields step_fields = {
    .name = "setmaxnreg step", .field = step_field, .bytes = sizeof(struct setmaxnreg_step)};

static const char *warpgroups_illegal(const void *test_case)
{
    bool is_legal = setmaxnreg_start(((const struct setmaxnreg_case *)test_case)->warpgroups) != 0;
    return is_legal ? NULL : "\"warpgroups\" is 3, 4, 5, 6 or 8";
}

static const char *illegal(const void *test_case)
{
    const struct setmaxnreg_case *c = test_case;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->step[i].warpgroup >= c->warpgroups) return "a step has a \"warpgroup\" that is not there";
    enum setmaxnreg_end end = setmaxnreg_run(c).end;
    return end == SETMAXNREG_TWO_WAIT  ? "two warpgroups wait at once, and which of them is served first is open"
           : end == SETMAXNREG_FOREVER ? "a warpgroup waits for more registers than all the others can give"
                                       : NULL;
}

#define CASE struct setmaxnreg_case
static const struct field field[] = {
    FIELD_NUMBER("warpgroups", warpgroups, 3, SETMAXNREG_MAX_WARPGROUPS, "warpgroups of the CTA: 3, 4, 5, 6 or 8",
                 .illegal = warpgroups_illegal),
    FIELD_LIST_OF("steps", step, count, &step_fields, 1, SETMAXNREG_STEPS, "the instructions in order"),
    FIELD_END,
};
#undef CASE

// --- Random cases ----------------------------------------------------------------------------------------------------
// Random programs of setmaxnreg: warpgroups that take what others gave, exactly that or a unit more, and wait; equal
// counts; now and then a count on the wrong side of the present one, by a unit or by many.

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
    *c = (struct setmaxnreg_case){.warpgroups = random_pick(random, launches).warpgroups};
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

const struct family family_setmaxnreg = {
    FAMILY_CASES("setmaxnreg", struct setmaxnreg_case, field, .illegal = illegal),
    .summary = "setmaxnreg: which warpgroup has to wait for the registers of others",
    .generate = setmaxnreg_generate,
    .windows = setmaxnreg_windows,
    .run_model = setmaxnreg_run_model,
    .run_gpu = setmaxnreg_run_gpu,
    .kernels = "setmaxnreg",
    .explain = setmaxnreg_explain,
};
