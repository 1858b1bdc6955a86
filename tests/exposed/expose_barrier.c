// SPDX-License-Identifier: MIT
// The slow barriers on recorded programs: the log of every step, and the words at the end.
#include <string.h>

#include "exposed.h"
#include "mbarrier_case.h"
#include "slow_barrier.h"

static void expose_program(const void *test_case, int status, const char *pending, char *exposed)
{
    static struct slow_barrier_outcome right, wrong;
    const struct mbarrier_case *c = test_case;
    slow_barrier(c->op, c->count, SLOW_BARRIER_RIGHT, &right);
    if (right.status != status) return;
    for (int m = 1; m < SLOW_BARRIER_COUNT; m++) {
        if (!pending[m]) continue;
        slow_barrier(c->op, c->count, (enum slow_barrier_mutant)m, &wrong);
        exposed[m] = right.status != wrong.status ||
                     (right.status == 0 && memcmp(&right.log, &wrong.log, sizeof right.log) != 0);
    }
}

const struct exposer expose_barrier = {
    "barriers", {"mbarrier"},   SLOW_BARRIER_COUNT, slow_barrier_mutant_text, slow_barrier_mutant_rule,
    NULL,       expose_program,
};
