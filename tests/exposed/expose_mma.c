// SPDX-License-Identifier: MIT
// The slow numbers of mma.sync on recorded cases: all elements of D of the last instruction, whose accumulator is the
// model's.
#include <string.h>

#include "exposed.h"
#include "mma_case.h"
#include "rules/mma.h"
#include "slow_mma.h"

static const char *mma_text(int mutant)
{
    return slow_mma_mutant_text((enum slow_mma_mutant)mutant);
}

static enum rule mma_rule(int mutant)
{
    static const struct misread rows[] = {
        {"FP8", RULE_MMA_FP8}, {"SATFINITE", RULE_MMA_INTEGER}, {"INTEGER", RULE_MMA_INTEGER}, {"BITS", RULE_MMA_BITS},
        {"F64", RULE_MMA_F64}, {"F64_NAN", RULE_MMA_F64_NAN},   {NULL, RULE_MMA_SUM}};
    return exposed_rule(rows, mma_text(mutant));
}

static void expose_element(const struct mma_case *c, const struct mma_state *state, int lane, int at,
                           const char *pending, char *exposed)
{
    struct mma_element element;
    struct slow_mma e = {.form = c->form};
    int parts = mma_parts(c->form, MMA_OF_D);
    mma_case_element(c, state, lane, at / parts, at % parts, &element);
    memcpy(e.a, element.a, sizeof e.a);
    memcpy(e.b, element.b, sizeof e.b);
    e.c = element.c;
    uint64_t right = slow_mma(&e, SLOW_MMA_RIGHT);
    for (int m = 1; m < SLOW_MMA_COUNT; m++)
        if (pending[m] && !exposed[m]) exposed[m] = slow_mma(&e, (enum slow_mma_mutant)m) != right;
}

static void expose_case(const void *test_case, int status, const char *pending, char *exposed)
{
    static struct mma_state state;
    const struct mma_case *c = test_case;
    if (status != 0 || c->steps == 0) return;
    mma_case_start(c, &state);
    for (uint32_t step = 0; step + 1 < c->steps; step++) mma_case_step(c, step, &state);
    mma_case_operands(c, c->steps - 1, &state);
    int parts = mma_row(c->form)->registers[MMA_OF_D] * mma_parts(c->form, MMA_OF_D);
    for (int lane = 0; lane < MMA_LANES; lane++)
        for (int at = 0; at < parts; at++) expose_element(c, &state, lane, at, pending, exposed);
}

const struct exposer expose_mma = {
    "numbers of mma.sync", {"mma"}, SLOW_MMA_COUNT, mma_text, mma_rule, NULL, expose_case,
};
