// SPDX-License-Identifier: MIT
// The suite `wgmma_group`: fences, groups and waits of a warpgroup.
#include "rules/wgmma.h"
#include "wgmma_group.h"

// A wgmma that all four warps issue and commit.
static struct wgmma_operation committed(struct wgmma_groups *groups)
{
    struct wgmma_operation operation;
    ck_assert_int_eq(wgmma_issue(groups, &operation, NULL), RULE_OK);
    for (int warp = 0; warp < WGMMA_WARPS; warp++) wgmma_commit(groups, warp, NULL);
    return operation;
}

TEST(wgmma_fence__is_missed_by_the_warp_that_wrote)
{
    struct wgmma_groups groups = wgmma_groups_start();
    struct wgmma_operation operation;
    ck_assert_int_eq(wgmma_issue(&groups, &operation, NULL), RULE_OK);
    wgmma_write_registers(&groups, 2);
    wgmma_fence(&groups, 1, NULL);
    ck_assert_int_eq(wgmma_issue(&groups, &operation, NULL), RULE_WGMMA_FENCE);
    wgmma_fence(&groups, 2, NULL);
    ck_assert_int_eq(wgmma_issue(&groups, &operation, NULL), RULE_OK);
}

TEST(wgmma_wait__counts_the_groups_of_its_warp)
{
    struct wgmma_groups groups = wgmma_groups_start();
    struct wgmma_operation first = committed(&groups), second = committed(&groups);
    ck_assert_int_eq(wgmma_check_registers(&groups, &first, 0), RULE_WGMMA_WAIT);
    wgmma_wait(&groups, 0, 1, NULL);
    ck_assert_int_eq(wgmma_check_registers(&groups, &first, 0), RULE_OK);
    ck_assert_int_eq(wgmma_check_registers(&groups, &first, 1), RULE_WGMMA_WAIT);
    ck_assert_int_eq(wgmma_check_registers(&groups, &second, 0), RULE_WGMMA_WAIT);
    wgmma_wait(&groups, 0, 0, NULL);
    ck_assert_int_eq(wgmma_check_registers(&groups, &second, 0), RULE_OK);
}

TEST(wgmma_wait__does_not_cover_what_is_not_committed)
{
    struct wgmma_groups groups = wgmma_groups_start();
    struct wgmma_operation operation;
    wgmma_issue(&groups, &operation, NULL);
    wgmma_wait(&groups, 3, 0, NULL);
    ck_assert_int_eq(wgmma_check_registers(&groups, &operation, 3), RULE_WGMMA_WAIT);
    wgmma_commit(&groups, 3, NULL);
    wgmma_wait(&groups, 3, 0, NULL);
    ck_assert_int_eq(wgmma_check_registers(&groups, &operation, 3), RULE_OK);
}

TEST(wgmma_wait__leaves_async_groups_alone)
{
    struct wgmma_groups groups = wgmma_groups_start();
    struct async_operation copy = async_issue(&groups.warp[0], ASYNC_BULK, NULL);
    async_commit(&groups.warp[0], ASYNC_BULK, NULL);
    committed(&groups);
    wgmma_wait(&groups, 0, 0, NULL);
    ck_assert_int_eq(async_state(&groups.warp[0], copy), ASYNC_MAY);
}

TEST(wgmma_wait_shared__is_for_every_warp_that_reads)
{
    struct wgmma_groups groups = wgmma_groups_start();
    struct wgmma_operation operation = committed(&groups);
    wgmma_wait(&groups, 1, 0, NULL);
    ck_assert_int_eq(wgmma_check_shared(&groups, &operation, 1 << 1), RULE_OK);
    ck_assert_int_eq(wgmma_check_shared(&groups, &operation, 15), RULE_WGMMA_WAIT_SHARED);
    for (int warp = 0; warp < WGMMA_WARPS; warp++) wgmma_wait(&groups, warp, 0, NULL);
    ck_assert_int_eq(wgmma_check_shared(&groups, &operation, 15), RULE_OK);
}
