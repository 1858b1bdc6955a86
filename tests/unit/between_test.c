// SPDX-License-Identifier: MIT
// Shared memory of a CTA between two barriers: which accesses of its warps make the clusters be followed together.
#include "between.h"

#include "apart.h"

enum { WARPS = 3, MOST = 8 };

// What a warp does: reads, writes or adds by an atomic (of `rows` rows, `rise` from one to the next), arrives at
// barrier `address` or leaves it, in phase `bytes`.
enum doing { NOTHING, READS, WRITES, ADDS, COMES, LEAVES };
struct step {
    enum doing doing;
    uint32_t warp;
    uint64_t address, bytes;
    uint32_t rows;
    uint64_t rise;
};

static uint32_t untouched(void *context, uint64_t address, uint32_t pages)
{
    (void)context, (void)address, (void)pages;
    return 0;
}

static void found(void *context, const struct order_found *of)
{
    (void)context, (void)of;
}

static void do_step(struct clock_order *order, const struct step *step)
{
    const struct event_origin who = {.warp = step->warp, .lanes = 1, .line = 1};
    struct event event = {.kind = EVENT_ACCESS, .origin = &who};
    if (step->doing == COMES || step->doing == LEAVES) {
        event.kind = EVENT_MEETING;
        event.meeting = (struct event_meeting){.kind = MEETING_CTA,
                                               .step = step->doing == COMES ? MEETING_ARRIVE : MEETING_WAIT,
                                               .order = ORDER_ACQ_REL,
                                               .number = (uint32_t)step->address,
                                               .phase = step->bytes};
        clock_order_hear(order, &event);
        return;
    }
    static const enum access_kind kinds[] = {[READS] = ACCESS_READ, [WRITES] = ACCESS_WRITE, [ADDS] = ACCESS_REDUCE};
    event.access = (struct access){.kind = kinds[step->doing],
                                   .order = step->doing == ADDS ? ORDER_RELAXED : ORDER_WEAK,
                                   .space = SPACE_SHARED,
                                   .address = step->address,
                                   .bytes = step->bytes};
    order_between_rows(order, &event, step->rows != 0 ? step->rows : 1, step->rise);
}

static bool is_over(const struct step step[MOST])
{
    struct order_apart *apart = order_apart_open(NULL, untouched);
    struct clock_order *order = clock_order_open(WARPS, NULL, found);
    order->apart = apart;
    order->between = order_between_open(WARPS, apart);
    for (int i = 0; i < MOST && step[i].doing != NOTHING; i++) do_step(order, &step[i]);
    const bool over = order_apart_is_over(apart);
    clock_order_close(order);
    order_apart_close(apart);
    return over;
}

static const struct {
    const char *why;
    struct step step[MOST];
    bool is_over;
} runs[] = {
    {"its own bytes", {{WRITES, 0, 0, 64, 0, 0}, {READS, 0, 60, 4, 0, 0}}, false},
    {"bytes that nobody has written", {{READS, 0, 0, 4, 0, 0}}, true},
    {"one of eight bytes that nobody has written", {{WRITES, 0, 0, 7, 0, 0}, {READS, 0, 0, 8, 0, 0}}, true},
    {"a read behind another warp's write", {{WRITES, 0, 0, 4, 0, 0}, {READS, 1, 3, 1, 0, 0}}, true},
    {"bytes side by side", {{WRITES, 0, 0, 4, 0, 0}, {WRITES, 1, 4, 4, 0, 0}, {READS, 1, 4, 4, 0, 0}}, false},
    {"a byte of a word, once a byte beside it was used alone",
     {{WRITES, 0, 64, 4, 0, 0}, {WRITES, 1, 69, 1, 0, 0}, {READS, 1, 67, 1, 0, 0}},
     true},
    {"words, once a byte beside them was used alone",
     {{WRITES, 0, 64, 4, 0, 0}, {WRITES, 1, 69, 1, 0, 0}, {READS, 0, 64, 4, 0, 0}, {READS, 1, 69, 1, 0, 0}},
     false},
    {"two writes", {{WRITES, 0, 62, 4, 0, 0}, {WRITES, 1, 65, 1, 0, 0}}, true},
    {"over the end of a page", {{WRITES, 0, 1020, 8, 0, 0}, {WRITES, 1, 1024, 1, 0, 0}}, true},
    {"the second row", {{WRITES, 0, 0, 4, 2, 256}, {WRITES, 1, 256, 4, 0, 0}}, true},
    {"between two rows", {{WRITES, 0, 0, 4, 2, 256}, {WRITES, 1, 4, 4, 2, 256}}, false},
    {"a column of its own words", {{WRITES, 0, 0, 4, 3, 132}, {READS, 0, 0, 4, 3, 132}}, false},
    {"a column of which one word was not written", {{WRITES, 0, 0, 4, 2, 36}, {READS, 0, 0, 4, 3, 36}}, true},
    {"a column whose last word another warp has written",
     {{WRITES, 0, 0, 4, 2, 36}, {WRITES, 1, 72, 4, 0, 0}, {READS, 0, 0, 4, 3, 36}},
     true},
    {"a read of a column whose last word another warp reads",
     {{WRITES, 0, 0, 4, 3, 36},
      {COMES, 0, 0, 0, 0, 0},
      {COMES, 1, 0, 0, 0, 0},
      {LEAVES, 0, 0, 0, 0, 0},
      {LEAVES, 1, 0, 0, 0, 0},
      {READS, 1, 72, 4, 0, 0},
      {READS, 0, 0, 4, 3, 36}},
     false},
    {"a write of a column whose last word another warp reads",
     {{WRITES, 0, 0, 4, 3, 36},
      {COMES, 0, 0, 0, 0, 0},
      {COMES, 1, 0, 0, 0, 0},
      {LEAVES, 0, 0, 0, 0, 0},
      {LEAVES, 1, 0, 0, 0, 0},
      {READS, 1, 72, 4, 0, 0},
      {WRITES, 0, 0, 4, 3, 36}},
     true},
    {"a write of a column, a byte of which another warp has used alone",
     {{WRITES, 1, 73, 1, 0, 0}, {WRITES, 0, 0, 4, 3, 36}},
     true},
    {"its own write and atomics", {{WRITES, 0, 0, 4, 0, 0}, {ADDS, 0, 0, 4, 0, 0}, {READS, 0, 0, 4, 0, 0}}, false},
    {"atomics of two warps",
     {{WRITES, 0, 0, 4, 0, 0},
      {COMES, 0, 0, 0, 0, 0},
      {COMES, 1, 0, 0, 0, 0},
      {LEAVES, 0, 0, 0, 0, 0},
      {LEAVES, 1, 0, 0, 0, 0},
      {ADDS, 0, 0, 4, 0, 0},
      {ADDS, 1, 0, 4, 0, 0}},
     false},
    {"an atomic behind another warp's write", {{WRITES, 0, 0, 4, 0, 0}, {ADDS, 1, 0, 4, 0, 0}}, true},
    {"an atomic behind another warp's read",
     {{WRITES, 0, 0, 4, 0, 0},
      {COMES, 0, 0, 0, 0, 0},
      {COMES, 1, 0, 0, 0, 0},
      {LEAVES, 0, 0, 0, 0, 0},
      {LEAVES, 1, 0, 0, 0, 0},
      {READS, 0, 0, 4, 0, 0},
      {ADDS, 1, 0, 4, 0, 0}},
     true},
    {"a read behind another warp's atomic",
     {{WRITES, 0, 0, 4, 0, 0},
      {COMES, 0, 0, 0, 0, 0},
      {COMES, 1, 0, 0, 0, 0},
      {LEAVES, 0, 0, 0, 0, 0},
      {LEAVES, 1, 0, 0, 0, 0},
      {ADDS, 0, 0, 4, 0, 0},
      {READS, 1, 0, 4, 0, 0}},
     true},
    {"a read behind its own atomic and another warp's",
     {{WRITES, 0, 0, 4, 0, 0},
      {COMES, 0, 0, 0, 0, 0},
      {COMES, 1, 0, 0, 0, 0},
      {LEAVES, 0, 0, 0, 0, 0},
      {LEAVES, 1, 0, 0, 0, 0},
      {ADDS, 1, 0, 4, 0, 0},
      {ADDS, 0, 0, 4, 0, 0},
      {READS, 0, 0, 4, 0, 0}},
     true},
    {"a read behind its own atomic, and another warp's write",
     {{WRITES, 0, 0, 4, 0, 0}, {ADDS, 0, 0, 4, 0, 0}, {READS, 0, 0, 4, 0, 0}, {WRITES, 1, 2, 1, 0, 0}},
     true},
    {"an atomic where nobody has written", {{ADDS, 0, 0, 4, 0, 0}}, true},
    {"atomics of two sizes", {{WRITES, 0, 0, 8, 0, 0}, {ADDS, 0, 0, 4, 0, 0}, {ADDS, 0, 0, 8, 0, 0}}, true},
    {"a row behind the end", {{WRITES, 0, 0, 4, 2, 1 << 18}}, true},
    {"a write behind its own read",
     {{WRITES, 0, 0, 4, 0, 0},
      {COMES, 0, 0, 0, 0, 0},
      {LEAVES, 0, 0, 0, 0, 0},
      {READS, 0, 0, 4, 0, 0},
      {WRITES, 0, 0, 4, 0, 0}},
     false},
    {"a barrier of all that have accessed it",
     {{WRITES, 0, 0, 4, 0, 0},
      {COMES, 0, 0, 0, 0, 0},
      {COMES, 1, 0, 0, 0, 0},
      {LEAVES, 1, 0, 0, 0, 0},
      {WRITES, 1, 0, 4, 0, 0},
      {READS, 1, 0, 4, 0, 0}},
     false},
    {"behind the barrier both read, and one writes",
     {{WRITES, 0, 0, 4, 0, 0},
      {COMES, 0, 0, 0, 0, 0},
      {COMES, 1, 0, 0, 0, 0},
      {LEAVES, 1, 0, 0, 0, 0},
      {LEAVES, 0, 0, 0, 0, 0},
      {READS, 1, 0, 4, 0, 0},
      {READS, 0, 0, 4, 0, 0},
      {WRITES, 0, 0, 4, 0, 0}},
     true},
    {"a warp that has not left the barrier",
     {{WRITES, 0, 0, 4, 0, 0},
      {COMES, 0, 0, 0, 0, 0},
      {COMES, 1, 0, 0, 0, 0},
      {LEAVES, 0, 0, 0, 0, 0},
      {READS, 1, 0, 4, 0, 0}},
     true},
    {"a warp that has come to the barrier and goes on", {{COMES, 0, 0, 0, 0, 0}, {WRITES, 0, 0, 4, 0, 0}}, true},
    {"a warp that comes to the barrier again before it leaves", {{COMES, 0, 0, 0, 0, 0}, {COMES, 0, 0, 0, 0, 0}}, true},
    {"a warp that comes to the next barrier, and has not left the one before",
     {{COMES, 0, 0, 0, 0, 0}, {COMES, 1, 0, 0, 0, 0}, {LEAVES, 0, 0, 0, 0, 0}, {COMES, 1, 0, 1, 0, 0}},
     true},
    {"a warp that was not at the barrier",
     {{WRITES, 0, 0, 4, 0, 0}, {COMES, 0, 0, 0, 0, 0}, {LEAVES, 0, 0, 0, 0, 0}, {READS, 1, 0, 4, 0, 0}},
     true},
    {"a barrier without one that has accessed it",
     {{WRITES, 0, 0, 4, 0, 0},
      {WRITES, 1, 64, 4, 0, 0},
      {COMES, 1, 0, 0, 0, 0},
      {COMES, 2, 0, 0, 0, 0},
      {LEAVES, 1, 0, 0, 0, 0},
      {LEAVES, 2, 0, 0, 0, 0},
      {READS, 1, 0, 4, 0, 0}},
     true},
    {"two barriers, at each of which one is",
     {{WRITES, 0, 0, 4, 0, 0},
      {COMES, 0, 1, 0, 0, 0},
      {COMES, 1, 2, 0, 0, 0},
      {LEAVES, 1, 2, 0, 0, 0},
      {READS, 1, 0, 4, 0, 0}},
     true},
    {"a barrier of one phase, and one of the next",
     {{WRITES, 0, 0, 4, 0, 0},
      {COMES, 0, 0, 0, 0, 0},
      {COMES, 1, 0, 1, 0, 0},
      {LEAVES, 1, 0, 1, 0, 0},
      {READS, 1, 0, 4, 0, 0}},
     true},
};

LOOP_TEST(accesses_between_barriers, 0, ROWS_OF(runs))
{
    ck_assert_msg(is_over(runs[_i].step) == runs[_i].is_over, "%s", runs[_i].why);
}

// Two warps write words at `lane * step + at[warp]` of each of two lanes.
static const struct {
    const char *why;
    uint64_t at[2], step;
    bool is_over;
} scattered[] = {
    {"lanes of two warps that lie between each other's", {0, 4}, 132, false},
    {"the last lane of one where the first of the other is", {0, 132}, 132, true},
    {"half a word of a lane, over the end of 64 bytes", {0, 194}, 192, true},
    {"a lane behind the end", {0, (1 << 18) - 4}, 128, true},
};

LOOP_TEST(lanes_that_lie_anywhere, 0, ROWS_OF(scattered))
{
    struct order_apart *apart = order_apart_open(NULL, untouched);
    struct clock_order *order = clock_order_open(WARPS, NULL, found);
    order->apart = apart;
    order->between = order_between_open(WARPS, apart);
    for (uint32_t warp = 0; warp < 2; warp++) {
        const struct event_origin who = {.warp = warp, .lanes = 3u << 4, .line = 1};
        struct event event = {.kind = EVENT_ACCESS, .origin = &who};
        uint64_t address[32] = {[4] = scattered[_i].at[warp]};
        address[5] = address[4] + scattered[_i].step;
        event.access = (struct access){.kind = ACCESS_WRITE, .space = SPACE_SHARED, .bytes = 4, .each = 4};
        order_between_lanes(order, &event, address);
    }
    ck_assert_msg(order_apart_is_over(apart) == scattered[_i].is_over, "%s", scattered[_i].why);
    clock_order_close(order);
    order_apart_close(apart);
}

TEST(the_next_cta_has_written_nothing)
{
    static const struct step step[] = {{WRITES, 0, 0, 4, 0, 0}, {READS, 0, 0, 4, 0, 0}};
    struct order_apart *apart = order_apart_open(NULL, untouched);
    struct clock_order *order = clock_order_open(WARPS, NULL, found);
    order->apart = apart;
    order->between = order_between_open(WARPS, apart);
    do_step(order, &step[0]);
    do_step(order, &step[1]);
    const struct event_origin who = {.cta = 0}, next = {.cta = 1, .lanes = 1};
    const struct event exit = {.kind = EVENT_RUN, .origin = &who, .run = RUN_CTA_EXIT};
    struct event read = {.kind = EVENT_ACCESS, .origin = &next};
    read.access = (struct access){.kind = ACCESS_READ, .space = SPACE_SHARED, .bytes = 4};
    clock_order_hear(order, &exit);
    ck_assert(!order_apart_is_over(apart));
    clock_order_again(order);
    clock_order_hear(order, &read);
    ck_assert(order_apart_is_over(apart));
    clock_order_close(order);
    order_apart_close(apart);
}

// How two warps access global memory, each by 32 lanes of 4 bytes; and what a third one does then to the word `probe`.
enum { FIRST_WORD = (1 << 20) + 960, PROBES = 36 };
static const struct {
    const char *why;
    uint32_t rows;
    uint64_t bytes, rise, warp_rise;
} crowds[] = {
    {"each goes on where the one before it ends, over the end of a page", 1, 128, 0, 128},
    {"warps lie apart", 1, 128, 0, 512},
    {"rows of lanes, and warps between them", 2, 64, 1024, 64},
    {"all are at the same place", 1, 128, 0, 0},
    {"the lanes of each are at one place", 1, 4, 0, 4},
};

static bool is_met(int crowd, bool writes, bool at_once, uint64_t probe, bool probe_writes)
{
    struct order_apart *apart = order_apart_open(NULL, untouched);
    struct clock_order *order = clock_order_open(WARPS, NULL, found);
    struct event_origin who = {.lanes = UINT32_MAX, .line = 1};
    struct event event = {.kind = EVENT_ACCESS, .origin = &who};
    order->apart = apart;
    order->between = order_between_open(WARPS, apart);
    event.access = (struct access){.kind = writes ? ACCESS_WRITE : ACCESS_READ,
                                   .space = SPACE_GLOBAL,
                                   .address = FIRST_WORD,
                                   .bytes = crowds[crowd].bytes,
                                   .each = 4};
    if (at_once) order_between_warps(order, &event, crowds[crowd].rows, crowds[crowd].rise, 2, crowds[crowd].warp_rise);
    for (; !at_once && who.warp < 2; who.warp++, event.access.address += crowds[crowd].warp_rise)
        order_between_rows(order, &event, crowds[crowd].rows, crowds[crowd].rise);
    who = (struct event_origin){.warp = (uint32_t)(probe % WARPS), .lanes = 1, .line = 2};
    event.access = (struct access){.kind = probe_writes ? ACCESS_WRITE : ACCESS_READ,
                                   .space = SPACE_GLOBAL,
                                   .address = FIRST_WORD + 28 * (probe / WARPS),
                                   .bytes = 4};
    order_between_rows(order, &event, 1, 0);
    const bool over = order_apart_is_over(apart);
    clock_order_close(order);
    order_apart_close(apart);
    return over;
}

LOOP_TEST(warps_told_at_once_are_as_warps_told_one_by_one, 0, sizeof crowds / sizeof crowds[0])
{
    uint32_t met = 0;
    for (int how = 0; how < 4; how++)
        for (uint64_t probe = 0; probe < PROBES * WARPS; probe++) {
            const bool one_by_one = is_met(_i, how & 1, false, probe, how >> 1);
            ck_assert_msg(is_met(_i, how & 1, true, probe, how >> 1) == one_by_one, "%s: %d, %llu", crowds[_i].why, how,
                          (unsigned long long)probe);
            met += one_by_one;
        }
    ck_assert_uint_gt(met, 0);
}
