// SPDX-License-Identifier: MIT
// The suite `observe_step`: what everything but copies and mbarriers tells an observer: groups, fences, meetings,
// matrix operations, edits of tensor maps; and what im2col columns tell.
#include <string.h>

#include "cluster_barrier.h"
#include "descriptor.h"
#include "fence.h"
#include "flight.h"
#include "matrix.h"
#include "tell_map.h"
#include "wgmma.h"
#include "wgmma_group.h"

enum { MOST = 64 };

static struct {
    int accesses, transactions;
    struct access access[MOST];
    struct event_barrier transaction[MOST];
} heard;

static void hear(void *context, const struct event *event)
{
    (void)context;
    ck_assert_int_lt(heard.accesses + heard.transactions, MOST);
    ck_assert_str_eq(event->origin->file, "user.cu");
    if (event->kind == EVENT_BARRIER)
        heard.transaction[heard.transactions++] = event->barrier;
    else
        heard.access[heard.accesses++] = event->access;
}

static const struct observer observer = {NULL, hear};
static const struct teller teller = {&observer, {.rank = 1, .file = "user.cu", .line = 7}};

// --- What is no access -----------------------------------------------------------------------------------------------

static int events;
static struct event event_of[MOST];
static uint32_t warp_of[MOST];

static void hear_all(void *context, const struct event *event)
{
    (void)context;
    ck_assert_int_lt(events, MOST);
    warp_of[events] = event->origin->warp;
    event_of[events++] = *event;
}

static const struct observer all = {NULL, hear_all};
static const struct teller to_all = {&all, {.warp = 4, .operation = 9}};

static void expect_group(int i, enum async_kind kind, enum group_step step, uint32_t group, const char *name)
{
    ck_assert_int_eq(event_of[i].kind, EVENT_GROUP);
    ck_assert_int_eq(event_of[i].group.kind, kind);
    ck_assert_int_eq(event_of[i].group.step, step);
    ck_assert_uint_eq(event_of[i].group.group, group);
    ck_assert_str_eq(event_name(&event_of[i]), name);
}

TEST(async_group_order__is_told_by_the_numbers_of_groups)
{
    struct async_groups groups = {0};
    events = 0;
    async_issue(&groups, ASYNC_BULK, &to_all);
    async_commit(&groups, ASYNC_BULK, &to_all);
    async_commit(&groups, ASYNC_BULK, &to_all);
    async_wait_group_read(&groups, 0, &to_all);
    async_wait_group(&groups, ASYNC_BULK, 1, &to_all);
    async_wait_all(&groups, &to_all);
    expect_group(0, ASYNC_BULK, GROUP_ISSUE, 0, "cp.async.bulk");
    expect_group(1, ASYNC_BULK, GROUP_COMMIT, 0, "cp.async.bulk.commit_group");
    expect_group(2, ASYNC_BULK, GROUP_COMMIT, 1, "cp.async.bulk.commit_group");
    expect_group(3, ASYNC_BULK, GROUP_WAIT_READ, 2, "cp.async.bulk.wait_group.read");
    expect_group(4, ASYNC_BULK, GROUP_WAIT, 1, "cp.async.bulk.wait_group");
    expect_group(5, ASYNC_COPY, GROUP_COMMIT, 0, "cp.async.commit_group");
    expect_group(6, ASYNC_COPY, GROUP_WAIT, 1, "cp.async.wait_group");
    ck_assert_int_eq(events, 7);
}

TEST(wgmma_fence__and_groups_are_told_for_each_warp)
{
    struct wgmma_groups groups = wgmma_groups_start();
    struct wgmma_operation operation;
    events = 0;
    wgmma_fence(&groups, 0, &to_all);
    wgmma_issue(&groups, &operation, &to_all);
    wgmma_commit(&groups, 1, &to_all);
    wgmma_wait(&groups, 1, 0, &to_all);
    expect_group(0, ASYNC_WGMMA, GROUP_FENCE, 0, "wgmma.fence");
    for (int i = 0; i < 4; i++) {
        expect_group(1 + i, ASYNC_WGMMA, GROUP_ISSUE, 0, "wgmma.mma_async");
        ck_assert_uint_eq(warp_of[1 + i], 4 + (uint32_t)i);
    }
    expect_group(5, ASYNC_WGMMA, GROUP_COMMIT, 0, "wgmma.commit_group");
    expect_group(6, ASYNC_WGMMA, GROUP_WAIT, 1, "wgmma.wait_group");
    ck_assert_int_eq(events, 7);
}

TEST(cluster_barrier__is_told_with_its_phase_when_it_goes_through)
{
    struct cluster_barrier barrier;
    cluster_barrier_start(&barrier, 2);
    events = 0;
    cluster_barrier_wait(&barrier, 1, &to_all); // without an arrive: it waits for nobody
    ck_assert_int_eq(events, 0);
    cluster_barrier_arrive(&barrier, 0, ORDER_RELAXED, &to_all);
    cluster_barrier_wait(&barrier, 0, &to_all); // blocks
    ck_assert_int_eq(events, 1);
    cluster_barrier_arrive(&barrier, 1, ORDER_RELEASE, &to_all);
    cluster_barrier_wait(&barrier, 0, &to_all);
    cluster_barrier_arrive(&barrier, 0, ORDER_RELEASE, &to_all);
    cluster_barrier_exit(&barrier, 1, &to_all);
    const char *const names[] = {"barrier.cluster.arrive", "barrier.cluster.arrive", "barrier.cluster.wait",
                                 "barrier.cluster.arrive", "exit"};
    const enum access_order orders[] = {ORDER_RELAXED, ORDER_RELEASE, ORDER_ACQUIRE, ORDER_RELEASE};
    const uint64_t phases[] = {0, 0, 0, 1};
    ck_assert_int_eq(events, 5);
    for (int i = 0; i < 5; i++) ck_assert_str_eq(event_name(&event_of[i]), names[i]);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(event_of[i].meeting.order, orders[i]);
        ck_assert_uint_eq(event_of[i].meeting.phase, phases[i]);
    }
}

// Forms of fences as PTX spells them, and some that it has not.
static const struct {
    const char *ptx;
    int is_found;
    struct event_fence fence;
    const char *name;
} fences[] = {
    {"fence.sc.gpu", 1, {FENCE_MEMORY, ORDER_SC, SCOPE_GPU, PROXY_GENERIC, 3, 0, 0}, "fence"},
    {"fence.cta", 1, {FENCE_MEMORY, ORDER_ACQ_REL, SCOPE_CTA, PROXY_GENERIC, 3, 0, 0}, "fence"},
    {"fence.acquire.cluster", 1, {FENCE_MEMORY, ORDER_ACQUIRE, SCOPE_CLUSTER, PROXY_GENERIC, 3, 0, 0}, "fence"},
    {"membar.gl", 1, {FENCE_MEMORY, ORDER_SC, SCOPE_GPU, PROXY_GENERIC, 3, 0, 0}, "fence"},
    {"fence.proxy.async", 1, {FENCE_PROXY, ORDER_ACQ_REL, SCOPE_NONE, PROXY_ASYNC, 3, 0, 0}, "fence.proxy"},
    {"fence.proxy.async.shared::cta", 1, {FENCE_PROXY, ORDER_ACQ_REL, SCOPE_NONE, PROXY_ASYNC, 2, 0, 0}, "fence.proxy"},
    {"fence.proxy.tensormap::generic.release.gpu",
     1,
     {FENCE_PROXY, ORDER_RELEASE, SCOPE_GPU, PROXY_TENSORMAP, 3, 0, 0},
     "fence.proxy"},
    {"fence.proxy.tensormap::generic.acquire.sys",
     1,
     {FENCE_PROXY, ORDER_ACQUIRE, SCOPE_SYS, PROXY_TENSORMAP, 1, 0, 0},
     "fence.proxy"},
    {"fence.mbarrier_init.release.cluster",
     1,
     {FENCE_BARRIER_INIT, ORDER_RELEASE, SCOPE_CLUSTER, PROXY_GENERIC, 2, 0, 0},
     "fence.mbarrier_init"},
    {"fence.acquire.sync_restrict::shared::cluster.cluster",
     1,
     {FENCE_MEMORY, ORDER_ACQUIRE, SCOPE_CLUSTER, PROXY_GENERIC, 2, 0, 0},
     "fence"},
    {"fence", 0, {0}, ""},
    {"fence.sc", 0, {0}, ""},
    {"fence.none", 0, {0}, ""},
    {"fence.proxy.async.local", 0, {0}, ""},
    {"fence.proxy.tensormap::generic.acquire", 0, {0}, ""},
    {"bar.sync", 0, {0}, ""},
};

LOOP_TEST(fences_are_found_by_their_names, 0, ROWS_OF(fences))
{
    struct event_fence found;
    ck_assert_int_eq(fence_find(fences[_i].ptx, &found), fences[_i].is_found);
    if (!fences[_i].is_found) return;
    const struct event_fence *want = &fences[_i].fence;
    events = 0;
    fence_tell(&found, NULL);
    fence_tell(&found, &to_all);
    ck_assert_int_eq(events, 1);
    const struct event_fence *told = &event_of[0].fence;
    ck_assert_int_eq(told->kind, want->kind);
    ck_assert_int_eq(told->order, want->order);
    ck_assert_int_eq(told->scope, want->scope);
    ck_assert_int_eq(told->proxy, want->proxy);
    ck_assert_uint_eq(told->spaces, want->spaces);
    ck_assert_str_eq(event_name(&event_of[0]), fences[_i].name);
}

// --- Matrices --------------------------------------------------------------------------------------------------------

TEST(matrix_rows_are_told_lane_by_lane)
{
    uint32_t address[MATRIX_LANES];
    for (uint32_t lane = 0; lane < MATRIX_LANES; lane++) address[lane] = 0x800 + 64 * lane;
    heard.accesses = 0;
    matrix_observe(ACCESS_READ, address, 1, &teller);
    ck_assert_int_eq(heard.accesses, 8);
    for (uint32_t i = 0; i < 8; i++) {
        ck_assert_uint_eq(heard.access[i].address, address[i]);
        ck_assert_uint_eq(heard.access[i].bytes, 16);
        ck_assert_int_eq(heard.access[i].proxy, PROXY_GENERIC);
        ck_assert_uint_eq(heard.access[i].rank, 1);
    }
    matrix_observe(ACCESS_WRITE, address, 2, NULL);
    ck_assert_int_eq(heard.accesses, 8);
}

// 64 x 16 f16 without a swizzle: A packed tile by tile; B of N = 8 with a gap between its two columns of tiles.
TEST(wgmma_reads_its_operands_by_the_async_proxy)
{
    static uint8_t bytes[4096];
    const struct memory shared = {bytes, 1024, sizeof bytes};
    const struct wgmma_descriptor a = {.start_bytes = 1024, .leading_bytes = 128, .stride_bytes = 256};
    const struct wgmma_descriptor b = {.start_bytes = 3072, .leading_bytes = 512, .stride_bytes = 256};
    const struct wgmma wgmma = {.types = WGMMA_F32_F16_F16, .n = 8};
    struct wgmma in_registers = wgmma;
    const struct wgmma_operands operands = {.descriptor = {wgmma_descriptor_pack(&a), wgmma_descriptor_pack(&b)},
                                            .shared = &shared};
    uint64_t read[2] = {0, 0};
    events = 0;
    in_registers.a_in_registers = 1;
    wgmma_observe(&in_registers, &operands, &to_all);
    for (int i = 0; i < events; i++) {
        ck_assert_int_eq(event_of[i].access.proxy, PROXY_ASYNC);
        ck_assert_int_eq(event_of[i].access.kind, ACCESS_READ);
        ck_assert_int_eq(event_of[i].access.space, SPACE_SHARED);
        read[event_of[i].access.address >= 3072 + 512] += event_of[i].access.bytes;
    }
    ck_assert_uint_eq(read[0], 128);
    ck_assert_uint_eq(read[1], 128);
}

TEST(edits_of_a_map_touch_all_of_it)
{
    heard.accesses = heard.transactions = 0;
    map_replace_observe(SPACE_SHARED, 0x400, &teller);
    map_copy_observe(0x400, 0x10000, &teller);
    ck_assert_int_eq(heard.accesses, 4);
    const enum access_kind kind[] = {ACCESS_READ, ACCESS_WRITE, ACCESS_READ, ACCESS_WRITE};
    const enum access_space space[] = {SPACE_SHARED, SPACE_SHARED, SPACE_SHARED, SPACE_GLOBAL};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(heard.access[i].kind, kind[i]);
        ck_assert_int_eq(heard.access[i].space, space[i]);
        ck_assert_int_eq(heard.access[i].proxy, PROXY_GENERIC);
        ck_assert_uint_eq(heard.access[i].bytes, 128);
    }
    ck_assert_uint_eq(heard.access[3].address, 0x10000);
    ck_assert_uint_eq(heard.access[0].rank, 1);
}

static struct piece observe_piece(const struct operation *operation)
{
    struct flight flight = operation_issue(operation, NULL, &teller);
    heard.accesses = heard.transactions = 0;
    return flight_advance(&flight, UINT64_MAX);
}

// An image of 4 pixels of 16 bytes, packed: a column of it, and one that starts in no image.
TEST(im2col_walk__is_what_a_column_tells)
{
    const struct tensormap map = {.mode = TENSORMAP_IM2COL,
                                  .rank = 3,
                                  .dtype = DTYPE_UINT8,
                                  .address = 0x10000,
                                  .dim = {16, 4, 1},
                                  .stride = {1, 16, 64},
                                  .box = {16},
                                  .estride = {1, 1, 1},
                                  .pixels = 4};
    struct operation operation = {
        .kind = OPERATION_TENSOR_LOAD, .mode = TENSORMAP_IM2COL, .dims = 3, .map = map, .shared = 0x1000400};
    ck_assert_uint_eq(observe_piece(&operation).complete_bytes, 64);
    ck_assert_int_eq(heard.accesses, 3);
    ck_assert_uint_eq(heard.access[1].address, 0x10000);
    ck_assert_uint_eq(heard.access[1].bytes, 64);
    ck_assert_uint_eq(heard.access[2].bytes, 64);

    operation.coord[2] = 1; // all fill: nothing is read, all of it is written
    ck_assert_uint_eq(observe_piece(&operation).complete_bytes, 64);
    ck_assert_int_eq(heard.accesses, 2);
    ck_assert_int_eq(heard.access[1].kind, ACCESS_WRITE);

    operation.kind = OPERATION_TENSOR_STORE; // and a store touches nothing but the map
    operation.shared = 0x400;
    ck_assert_uint_eq(observe_piece(&operation).complete_bytes, 0);
    ck_assert_int_eq(heard.accesses, 1);
    ck_assert_int_eq(heard.transactions, 0);
}
