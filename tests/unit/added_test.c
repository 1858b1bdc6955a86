// SPDX-License-Identifier: MIT
// Atomics of CTAs that are followed by themselves: which accesses of others make the clusters be followed together.
#include "added.h"
#include "between.h"

enum { MOST = 3, PAGE = 1 << 20, FRESH = 1 << 24 };

// One lane of a CTA; scope 0: it is weak.
struct step {
    uint64_t cta, address, bytes;
    enum access_kind kind;
    enum access_scope scope;
};

static uint32_t untouched(void *context, uint64_t address, uint32_t pages)
{
    (void)context;
    return address >= FRESH ? (uint32_t)((UINT64_C(1) << pages) - 1) : 0;
}

static void found(void *context, const struct order_found *of)
{
    (void)context, (void)of;
}

static void do_step(struct clock_order *order, const struct step *step)
{
    const struct event_origin who = {.cta = step->cta, .lanes = 1, .line = (uint32_t)step->kind + 1};
    const struct event exit = {.kind = EVENT_RUN, .origin = &who, .run = RUN_CTA_EXIT};
    struct event event = {.kind = EVENT_ACCESS, .origin = &who};
    event.access = (struct access){.kind = step->kind,
                                   .order = step->kind == ACCESS_REDUCE ? ORDER_RELAXED : ORDER_WEAK,
                                   .scope = step->scope,
                                   .space = SPACE_GLOBAL,
                                   .bytes = step->bytes,
                                   .each = step->bytes};
    order_between_lanes(order, &event, &step->address);
    clock_order_hear(order, &exit);
    clock_order_again(order);
}

static bool is_over(const struct step step[MOST])
{
    struct order_apart *apart = order_apart_open(NULL, untouched);
    struct clock_order *order = clock_order_open(1, NULL, found);
    order->apart = apart;
    order->between = order_between_open(1, apart);
    for (int i = 0; i < MOST && step[i].bytes != 0; i++) do_step(order, &step[i]);
    order_between_give(order->between);
    const bool over = order_apart_is_over(apart);
    clock_order_close(order);
    order_apart_close(apart);
    return over;
}

#define ADD   ACCESS_REDUCE, SCOPE_GPU
#define READ  ACCESS_READ, SCOPE_NONE
#define WRITE ACCESS_WRITE, SCOPE_NONE
static const struct {
    const char *why;
    struct step step[MOST];
    bool is_over;
} runs[] = {
    {"two CTAs add to one word", {{0, PAGE, 4, ADD}, {1, PAGE, 4, ADD}, {2, PAGE, 4, ADD}}, false},
    {"others read and write beside it", {{0, PAGE, 4, ADD}, {1, PAGE + 4, 4, READ}, {2, PAGE + 8, 4, WRITE}}, false},
    {"one reads it behind", {{0, PAGE, 4, ADD}, {1, PAGE + 3, 1, READ}}, true},
    {"one has read it", {{0, PAGE, 4, READ}, {1, PAGE, 4, ADD}}, true},
    {"one writes it behind", {{0, PAGE, 4, ADD}, {1, PAGE, 4, WRITE}}, true},
    {"one has written it", {{0, PAGE + 3, 1, WRITE}, {1, PAGE, 4, ADD}}, true},
    {"two sizes", {{0, PAGE, 8, ADD}, {1, PAGE + 4, 4, ADD}}, true},
    {"two sizes far apart", {{0, PAGE, 8, ADD}, {1, PAGE + 64, 4, ADD}}, false},
    {"a scope that does not reach the other", {{0, PAGE, 4, ACCESS_REDUCE, SCOPE_CTA}}, true},
    {"memory that nobody has written", {{0, FRESH, 4, ADD}}, true},
    {"over the end of 64 bytes", {{0, PAGE + 60, 8, ADD}}, true},
};

LOOP_TEST(clusters_add, 0, ROWS_OF(runs))
{
    ck_assert_msg(is_over(runs[_i].step) == runs[_i].is_over, "%s", runs[_i].why);
}
