// SPDX-License-Identifier: MIT
// The suite `event`: names of events, and who is told: nobody, an observer, or ledgers alone.
#include "event.h"

static const struct {
    struct event event;
    const char *name;
} names[] = {
    {{.kind = EVENT_ACCESS, .access = {.kind = ACCESS_REDUCE}}, "reduce"},
    {{.kind = EVENT_FENCE, .fence = {.kind = FENCE_PROXY}}, "fence.proxy"},
    {{.kind = EVENT_BARRIER, .barrier = {.step = BARRIER_INVAL}}, "mbarrier.inval"},
    {{.kind = EVENT_MEETING, .meeting = {.kind = MEETING_WARP, .step = MEETING_WAIT}}, "bar.warp.wait"},
    {{.kind = EVENT_MEETING, .meeting = {.kind = MEETING_CTA}}, "barrier.cta.arrive"},
    {{.kind = EVENT_GROUP, .group = {.kind = ASYNC_ALONE}}, "asynchronous operation"},
    {{.kind = EVENT_GROUP, .group = {.kind = ASYNC_BULK, .step = GROUP_WAIT_READ}}, "cp.async.bulk.wait_group.read"},
    {{.kind = EVENT_GROUP, .group = {.kind = ASYNC_WGMMA, .step = GROUP_FENCE}}, "wgmma.fence"},
    {{.kind = EVENT_RUN, .run = RUN_KERNEL_BEGIN}, "kernel begin"},
    {{.kind = EVENT_RUN, .run = RUN_CTA_EXIT}, "CTA exit"},
    {{.kind = EVENT_RUN, .run = RUN_WAIT_FOR_GRIDS}, "griddepcontrol.wait"},
    {{.kind = EVENT_RUN, .run = RUN_SET_REGISTERS}, "setmaxnreg"},
};

LOOP_TEST(every_event_has_a_name, 0, ROWS_OF(names))
{
    ck_assert_str_eq(event_name(&names[_i].event), names[_i].name);
}

TEST(every_value_of_an_access_has_a_name)
{
    ck_assert_str_eq(access_kind_name(ACCESS_REDUCE), "reduce");
    ck_assert_str_eq(access_order_name(ORDER_MMIO), "mmio");
    ck_assert_str_eq(access_scope_name(SCOPE_SYS), "sys");
    ck_assert_str_eq(access_proxy_name(PROXY_ALIAS), "alias");
    ck_assert_str_eq(access_space_name(SPACE_SHARED), "shared");
}

static void count(void *context, const struct event *event)
{
    ck_assert_uint_eq(event->origin->launch, 3);
    ++*(int *)context;
}

TEST(an_access_is_told_to_whoever_listens)
{
    int heard = 0;
    const struct observer observer = {&heard, count};
    const struct teller teller = {&observer, {.launch = 3}}, silent = {NULL, {.launch = 3}};
    const struct access read = {.kind = ACCESS_READ};
    event_tell_access(NULL, read, 0, 8);
    event_tell_access(&silent, read, 0, 8);
    event_tell_access(&teller, read, 0, 0); // of no bytes
    ck_assert_int_eq(heard, 0);
    event_tell_access(&teller, read, 0, 8);
    ck_assert_int_eq(heard, 1);
    event_tell(&silent, (struct event){.kind = EVENT_RUN, .run = RUN_EXIT});
    ck_assert_int_eq(heard, 1);
}
