// SPDX-License-Identifier: MIT
// Threads of the host that stay between launches.
#include "crew.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>

#include "../tied_fork.h"

enum { MEMBERS = 5, ROUNDS = 50 };

static void double_it(void *number)
{
    *(uint32_t *)number *= 2;
}

// All at once, and each once. 1: all have done their work.
static bool work_together(void)
{
    uint32_t number[MEMBERS];
    struct crew_member *member[MEMBERS];
    bool is_done = true;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        number[i] = i + 1;
        member[i] = crew_call(double_it, &number[i]);
        if (member[i] == NULL) return false;
        for (uint32_t j = 0; j < i; j++) is_done &= member[i] != member[j];
    }
    for (uint32_t i = 0; i < MEMBERS; i++) {
        crew_wait(member[i]);
        is_done &= number[i] == 2 * (i + 1);
    }
    return is_done;
}

TEST(the_crew_works_again_and_again)
{
    for (int round = 0; round < ROUNDS; round++) ck_assert_msg(work_together(), "round %d", round);
}

TEST(a_new_process_has_a_crew_of_its_own)
{
    ck_assert(work_together());
    const pid_t child = tied_fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) _exit(work_together() ? 0 : 1);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert(work_together());
}
