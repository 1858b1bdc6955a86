// SPDX-License-Identifier: MIT
// Clusters that are followed each by itself: what two of them access, told in either order.
#include "apart.h"

#include <stdlib.h>
#include <string.h>

#include "undo.h"

enum { PAGE = 1 << 20, MOST = 2 };

struct step {
    uint64_t cta, address, bytes;
    enum access_kind kind;
    enum access_order order;
    uint32_t line;
};

static int untouched_asked;

static uint32_t untouched(void *context, uint64_t address, uint32_t pages)
{
    (void)context, (void)address;
    untouched_asked++;
    return (uint32_t)((UINT64_C(1) << pages) - 1);
}

static uint32_t none_untouched(void *context, uint64_t address, uint32_t pages)
{
    (void)context, (void)address, (void)pages;
    return 0;
}

static void found(void *context, const struct order_found *of)
{
    (void)of;
    ++*(int *)context;
}

// By a cluster of one CTA of one warp.
static void access_memory(struct clock_order *order, const struct step *step)
{
    struct event_origin who = {.cta = step->cta, .lanes = 1, .line = step->line};
    struct event event = {.kind = EVENT_ACCESS, .origin = &who};
    event.access = (struct access){.kind = step->kind,
                                   .space = SPACE_GLOBAL,
                                   .order = step->order,
                                   .scope = SCOPE_GPU,
                                   .address = step->address,
                                   .bytes = step->bytes};
    clock_order_cluster(order, &step->cta, 1);
    clock_order_hear(order, &event);
}

static void end_cluster(struct order_apart *apart, struct clock_order *order, uint64_t cta)
{
    const struct event_origin who = {.cta = cta, .lanes = 1};
    const struct event event = {.kind = EVENT_RUN, .origin = &who, .run = RUN_CTA_EXIT};
    clock_order_hear(order, &event);
    order_apart_take(apart, order);
    clock_order_again(order);
}

static void run(struct order_apart *apart, struct clock_order *order, const struct step *step)
{
    access_memory(order, step);
    end_cluster(apart, order, step->cta);
}

// Both orders, by one thread's clock_order or by two.
static bool is_over(const struct step step[MOST], int last_first, bool are_two)
{
    int mistakes = 0;
    struct order_apart *apart = order_apart_open(NULL, none_untouched);
    struct clock_order *order[MOST];
    for (int i = 0; i < MOST; i++) {
        order[i] = clock_order_open(1, &mistakes, found);
        order[i]->apart = apart;
    }
    for (int i = 0; i < MOST; i++) run(apart, order[are_two && i], &step[last_first ? MOST - 1 - i : i]);
    const bool over = order_apart_is_over(apart);
    for (int i = 0; i < MOST; i++) clock_order_close(order[i]);
    order_apart_close(apart);
    ck_assert_int_eq(mistakes, 0);
    return over;
}

#define WRITE ACCESS_WRITE, ORDER_WEAK
#define READ  ACCESS_READ, ORDER_WEAK
static const struct {
    const char *why;
    struct step step[MOST];
    bool is_over;
} pairs[] = {
    {"two reads", {{0, PAGE, 64, READ, 1}, {1, PAGE, 64, READ, 2}}, false},
    {"a write and a read", {{0, PAGE, 4, WRITE, 1}, {1, PAGE, 4, READ, 2}}, true},
    {"two writes", {{0, PAGE, 4, WRITE, 1}, {1, PAGE, 4, WRITE, 1}}, true},
    {"bytes side by side", {{0, PAGE + 1, 1, WRITE, 1}, {1, PAGE + 2, 1, WRITE, 2}}, false},
    {"one byte in common", {{0, PAGE + 60, 8, WRITE, 1}, {1, PAGE + 67, 1, READ, 2}}, true},
    {"over the end of a page", {{0, PAGE - 8, 16, WRITE, 1}, {1, PAGE + 7, 1, WRITE, 2}}, true},
    {"up to the end of a page", {{0, PAGE - 8, 8, WRITE, 1}, {1, PAGE, 8, WRITE, 2}}, false},
    {"one cluster", {{3, PAGE, 4, WRITE, 1}, {4, PAGE + 4096, 4, WRITE, 1}}, false},
    {"a strong read, which may order clusters",
     {{0, PAGE, 4, ACCESS_READ, ORDER_RELAXED, 1}, {1, PAGE + 64, 4, READ, 2}},
     true},
    {"a reduction", {{0, PAGE, 4, ACCESS_REDUCE, ORDER_RELAXED, 1}, {1, PAGE + 64, 4, READ, 2}}, true},
};

LOOP_TEST(clusters_clash_whoever_comes_first, 0, ROWS_OF(pairs))
{
    for (int i = 0; i < 4; i++)
        ck_assert_msg(is_over(pairs[_i].step, i & 1, i >> 1) == pairs[_i].is_over, "%s", pairs[_i].why);
}

// Of 17 pages of the host, of which 16 are asked of at once.
TEST(pages_that_lie_side_by_side_are_asked_for_once)
{
    enum { HOST = 4, FIRST = HOST * APART_ASKED };
    struct order_apart *apart = order_apart_open(NULL, untouched);
    apart->pages_of_host = HOST;
    untouched_asked = 0;
    for (uint64_t i = 0; i < FIRST + HOST; i++) ck_assert(order_apart_meet(apart, FIRST + i));
    ck_assert_int_eq(untouched_asked, 2);
    order_apart_close(apart);
}

TEST(of_each_byte_the_last_line_stays_and_a_write_before_reads)
{
    struct apart_page page = {.number = 1};
    struct shadow_way way[APART_MOST_WAYS];
    ck_assert(shadow_ways_add(&page.ways, 7, 0, 0, 0xff));
    ck_assert(shadow_ways_add(&page.ways, 9, 0, 0, 0xf0));
    ck_assert(shadow_ways_add(&page.ways, 3, SHADOW_WRITES, 0, 0x81));
    ck_assert_uint_eq(order_apart_ways(&page, way), 3);
    ck_assert(way[0].line == 3 && way[0].bytes[0] == 0x81);
    ck_assert(way[1].line == 7 && way[1].bytes[0] == 0x0e);
    ck_assert(way[2].line == 9 && way[2].bytes[0] == 0x70);
    free(page.ways.way);
}

// More pages than one piece of memory holds, and of each more lines than it has room for at first.
TEST(pages_come_by_rising_number_and_keep_all_their_ways)
{
    enum { PAGES = 3000, LINES = 5 };
    struct order_apart *apart = order_apart_open(NULL, none_untouched);
    struct shadow_way room[1], way[APART_MOST_WAYS];
    for (uint32_t line = 1; line <= LINES; line++)
        for (uint64_t i = 0; i < PAGES; i++) {
            struct shadow_ways ways = shadow_ways_lent(room, 1);
            order_apart_meet(apart, 1 + i * 7919 % PAGES);
            ck_assert(shadow_ways_add(&ways, line, SHADOW_WRITES, line, 0xff) == 2);
            order_apart_join(apart, 1 + i * 7919 % PAGES, &ways);
            shadow_ways_free(&ways);
        }
    uint32_t count;
    struct apart_item *item = order_apart_pages(apart, &count);
    ck_assert(!order_apart_is_over(apart) && count == PAGES);
    for (uint32_t i = 0; i < PAGES; i++) {
        ck_assert(item[i].number == i + 1 && item[i].page->number == i + 1);
        ck_assert_uint_eq(order_apart_ways(item[i].page, way), LINES);
        for (uint32_t line = 1; line <= LINES; line++)
            ck_assert(way[line - 1].line == line && way[line - 1].bytes[line] == 0xff);
    }
    free(item);
    order_apart_close(apart);
}

// Two clusters, each of which writes 20 words of a page at lines of its own, the one from `first` on before the other.
static uint32_t joined_line(uint32_t first, uint32_t second)
{
    struct order_apart *apart = order_apart_open(NULL, none_untouched);
    struct clock_order *order = clock_order_open(1, NULL, found);
    const uint32_t cluster[2] = {first, second};
    order->apart = apart;
    for (int c = 0; c < 2; c++) {
        for (uint32_t i = 0; i < 20; i++) {
            const struct step step = {cluster[c], PAGE + 80 * cluster[c] + 4 * i, 4, WRITE, 100 - 20 * cluster[c] + i};
            access_memory(order, &step);
        }
        end_cluster(apart, order, cluster[c]);
    }
    uint32_t count;
    struct shadow_way way[APART_MOST_WAYS];
    struct apart_item *item = order_apart_pages(apart, &count);
    ck_assert(!order_apart_is_over(apart) && count == 1);
    ck_assert_uint_eq(order_apart_ways(item[0].page, way), 1);
    const uint32_t line = way[0].line;
    free(item);
    clock_order_close(order);
    order_apart_close(apart);
    return line;
}

TEST(of_more_lines_than_there_is_room_for_the_lowest_stands_whoever_comes_first)
{
    ck_assert_uint_eq(joined_line(0, 1), 80);
    ck_assert_uint_eq(joined_line(1, 0), 80);
}

TEST(what_a_launch_wrote_is_undone_and_nothing_else)
{
    uint8_t bytes[2048], before[2048];
    for (size_t i = 0; i < sizeof bytes; i++) before[i] = bytes[i] = (uint8_t)(7 * i);
    const struct region region = {{bytes, PAGE + 512, sizeof bytes}, 0};
    const struct global_memory global = {&region, 1};
    struct undo *undo = undo_open();
    // The page begins before the memory does.
    undo_note(undo_page(undo, &global, PAGE / SHADOW_PAGE_BYTES), 512 + 60, 8);
    memset(bytes + 60, 0, 8);
    undo_note(undo_page(undo, &global, PAGE / SHADOW_PAGE_BYTES), 512 + 61, 1); // of another thread, behind it
    bytes[0] = before[0] = 99;                                                  // of the host, meanwhile
    undo_all(undo, &global);
    undo_close(undo);
    ck_assert(memcmp(bytes, before, sizeof bytes) == 0);
}
