// SPDX-License-Identifier: MIT
// Global memory of CTAs that are followed by themselves: which accesses may be wrong, by the stamps of words.
#include <stdlib.h>
#include <string.h>

#include "stamps_page.h"

enum { MOST = 6, PAGE = 1 << 20, FRESH = 1 << 21, FAR = 1 << 20 };

// A warp reads or writes (by ld.global.nc: CONSTANT) in part `part` of a CTA whose first part is `first`: bytes of
// lanes side by side, or all the same where `each` is `bytes`. Part 0: nothing.
enum doing { READS, WRITES, CONSTANT };
struct step {
    uint64_t first, part;
    uint32_t warp;
    enum doing doing;
    uint64_t begin, bytes, each;
    uint32_t lanes;
};

static uint32_t untouched(void *context, uint64_t address, uint32_t pages)
{
    (void)context, (void)pages;
    return address >= FRESH ? UINT32_MAX : 0;
}

static const struct {
    const char *why;
    struct step step[MOST]; // the last one is asked about, those before are right
    bool is_right;
} runs[] = {
    {"its own word", {{1, 1, 0, WRITES, PAGE, 4, 4, 1}, {1, 1, 0, READS, PAGE, 4, 4, 1}}, true},
    {"words side by side", {{1, 1, 0, WRITES, PAGE, 128, 4, ~0u}, {2, 2, 0, WRITES, PAGE + 128, 128, 4, ~0u}}, true},
    {"one word of 32 of an earlier CTA's",
     {{1, 1, 0, WRITES, PAGE, 128, 4, ~0u}, {2, 2, 0, READS, PAGE + 124, 4, 4, 1}},
     false},
    {"a write behind an earlier CTA's read",
     {{1, 1, 0, READS, PAGE, 4, 4, 1}, {2, 2, 0, WRITES, PAGE, 4, 4, 1}},
     false},
    {"reads of two CTAs, and a write of the second",
     {{1, 1, 0, READS, PAGE, 4, 4, 1}, {2, 2, 0, READS, PAGE, 4, 4, 1}, {2, 3, 0, WRITES, PAGE, 4, 4, 1}},
     false},
    {"reads of many CTAs", {{1, 1, 0, READS, PAGE, 4, 4, 1}, {2, 2, 0, READS, PAGE, 4, 4, 1}}, true},
    {"another warp in the same part", {{1, 1, 0, WRITES, PAGE, 4, 4, 1}, {1, 1, 1, READS, PAGE, 4, 4, 1}}, false},
    {"another warp in the next part",
     {{1, 1, 0, WRITES, PAGE, 4, 4, 1}, {1, 2, 1, READS, PAGE, 4, 4, 1}, {1, 3, 2, WRITES, PAGE, 4, 4, 1}},
     true},
    {"a write behind two warps' reads of the part before",
     {{1, 1, 0, READS, PAGE, 4, 4, 1}, {1, 1, 1, READS, PAGE, 4, 4, 1}, {1, 2, 2, WRITES, PAGE, 4, 4, 1}},
     true},
    {"a write behind another warp's read, which its own came behind",
     {{1, 1, 1, READS, PAGE, 4, 4, 1}, {1, 1, 0, READS, PAGE, 4, 4, 1}, {1, 1, 1, WRITES, PAGE, 4, 4, 1}},
     false},
    {"a read of this part does not hide one of another CTA",
     {{1, 1, 0, READS, PAGE, 4, 4, 1}, {2, 2, 0, READS, PAGE, 4, 4, 1}, {2, 2, 0, WRITES, PAGE, 4, 4, 1}},
     false},
    {"another lane of the warp", {{1, 1, 0, WRITES, PAGE, 128, 4, ~0u}, {1, 1, 0, READS, PAGE, 4, 4, 2}}, false},
    {"the same lane", {{1, 1, 0, READS, PAGE, 128, 4, ~0u}, {1, 1, 0, WRITES, PAGE + 4, 4, 4, 2}}, true},
    {"all lanes read one word, of which one writes it",
     {{1, 1, 0, READS, PAGE, 4, 4, ~0u}, {1, 1, 0, WRITES, PAGE, 4, 4, 1}},
     false},
    {"all lanes write one word twice", {{1, 1, 0, WRITES, PAGE, 4, 4, 3}, {1, 1, 0, WRITES, PAGE, 4, 4, 3}}, false},
    {"lanes of 8 bytes", {{1, 1, 0, WRITES, PAGE, 256, 8, ~0u}, {1, 1, 0, WRITES, PAGE + 8, 8, 8, 2}}, true},
    {"lanes with gaps", {{1, 1, 0, WRITES, PAGE, 8, 4, 5}, {1, 1, 0, READS, PAGE + 4, 4, 4, 4}}, true},
    {"another than the lane behind a gap",
     {{1, 1, 0, WRITES, PAGE, 8, 4, 5}, {1, 1, 0, READS, PAGE + 4, 4, 4, 2}},
     false},
    {"over the end of a page",
     {{1, 1, 0, WRITES, PAGE + 960, 128, 4, ~0u}, {1, 1, 0, READS, PAGE + 1024, 4, 4, 1 << 16}},
     true},
    {"a byte beside a byte of another CTA",
     {{1, 1, 0, WRITES, PAGE, 1, 1, 1}, {2, 2, 0, WRITES, PAGE + 1, 1, 1, 1}},
     true},
    {"a byte of another CTA's word", {{1, 1, 0, WRITES, PAGE, 4, 4, 1}, {2, 2, 0, READS, PAGE + 3, 1, 1, 1}}, false},
    {"a word of which another CTA has a byte",
     {{1, 1, 0, READS, PAGE + 3, 1, 1, 1}, {2, 2, 0, WRITES, PAGE, 4, 4, 1}},
     false},
    {"its own word beside one that an earlier CTA has read",
     {{1, 1, 0, READS, PAGE + 124, 4, 4, 1},
      {2, 2, 0, READS, PAGE + 64, 128, 4, ~0u},
      {2, 2, 0, WRITES, PAGE + 120, 4, 4, 1 << 14}},
     true},
    {"its own word, which an earlier CTA has read",
     {{1, 1, 0, READS, PAGE + 124, 4, 4, 1},
      {2, 2, 0, READS, PAGE + 64, 128, 4, ~0u},
      {2, 2, 0, WRITES, PAGE + 124, 4, 4, 1 << 15}},
     false},
    {"another lane's behind the end of 32 words",
     {{1, 1, 0, READS, PAGE + 64, 128, 4, ~0u}, {1, 1, 0, WRITES, PAGE + 128, 4, 4, 1 << 17}},
     false},
    {"its own of 16 bytes behind the end of 32 words",
     {{1, 1, 0, READS, PAGE + 64, 512, 16, ~0u}, {1, 1, 0, WRITES, PAGE + 140, 4, 4, 1 << 4}},
     true},
    {"what it has read since the barrier, and another lane before it",
     {{1, 1, 0, READS, PAGE, 4, 4, 2}, {1, 2, 0, READS, PAGE, 4, 4, 1}, {1, 2, 0, WRITES, PAGE, 4, 4, 1}},
     true},
    {"what nobody has written", {{1, 1, 0, READS, FRESH, 4, 4, 1}}, false},
    {"what the CTA has written", {{1, 1, 0, WRITES, FRESH, 4, 4, 1}, {1, 1, 0, READS, FRESH, 4, 4, 1}}, true},
    {"half of it", {{1, 1, 0, WRITES, FRESH, 4, 4, 1}, {1, 1, 0, READS, FRESH, 8, 8, 1}}, false},
    {"ld.global.nc of what the CTA has written",
     {{1, 1, 0, WRITES, PAGE, 4, 4, 1}, {1, 2, 1, CONSTANT, PAGE, 4, 4, 1}},
     false},
    {"ld.global.nc beside it", {{1, 1, 0, WRITES, PAGE, 4, 4, 1}, {1, 2, 1, CONSTANT, PAGE + 4, 4, 4, 1}}, true},
    {"a million parts later", {{1, 1, 0, WRITES, PAGE, 4, 4, 1}, {FAR, FAR, 0, READS, PAGE + 4, 4, 4, 1}}, true},
    {"a write of a million parts ago", {{1, 1, 0, WRITES, PAGE, 4, 4, 1}, {FAR, FAR, 0, READS, PAGE, 4, 4, 1}}, false},
    {"a read of a million parts ago", {{1, 1, 0, READS, PAGE, 4, 4, 1}, {FAR, FAR, 0, WRITES, PAGE, 4, 4, 1}}, false},
    {"more parts than have numbers", {{1, 1, 0, WRITES, PAGE, 4, 4, 1}, {1, FAR, 1, READS, PAGE, 4, 4, 1}}, false},
};

static bool is_right_by(struct order_stamps *stamps, const struct step *step, uint32_t line, bool by_lanes)
{
    const struct stamps_by by = {step->part, step->first, step->warp, line};
    const struct stamps_use use = {.begin = step->begin,
                                   .bytes = step->bytes,
                                   .each = step->each,
                                   .lanes = step->lanes,
                                   .writes = step->doing == WRITES,
                                   .is_constant = step->doing == CONSTANT};
    uint64_t address[32], at = step->begin;
    if (!by_lanes || (step->bytes == step->each && step->lanes != 1)) return order_stamps_use(stamps, &by, &use);
    for (uint32_t lane = 0; lane < 32; lane++) {
        address[lane] = at;
        if (step->lanes >> lane & 1) at += step->each;
    }
    return order_stamps_lanes(stamps, &by, &use, address);
}

static bool is_right(struct order_stamps *stamps, const struct step *step, bool by_lanes)
{
    return is_right_by(stamps, step, 1, by_lanes);
}

static void check(const char *why, const struct step step[MOST], bool expected, bool by_lanes)
{
    struct order_apart *apart = order_apart_open(NULL, untouched);
    struct order_stamps *stamps = order_stamps_open(apart);
    int last = 0;
    while (last + 1 < MOST && step[last + 1].part != 0) last++;
    for (int i = 0; i < last; i++) ck_assert_msg(is_right(stamps, &step[i], by_lanes), "%s: %d", why, i);
    ck_assert_msg(is_right(stamps, &step[last], by_lanes) == expected, "%s", why);
    order_stamps_close(stamps);
    order_apart_close(apart);
}

// Lanes side by side are told as a row, or one by one.
LOOP_TEST(what_may_be_wrong_by_the_stamps_of_words, 0, ROWS_OF(runs))
{
    check(runs[_i].why, runs[_i].step, runs[_i].is_right, false);
    check(runs[_i].why, runs[_i].step, runs[_i].is_right, true);
}

static bool gives_a_race(enum doing one, enum doing other, uint64_t beside)
{
    struct order_apart *apart = order_apart_open(NULL, untouched);
    const struct step step[2] = {{1, 1, 0, one, PAGE, 4, 4, 1}, {1, 1, 0, other, PAGE + beside, 4, 4, 1}};
    for (int i = 0; i < 2; i++) {
        struct order_stamps *stamps = order_stamps_open(apart);
        ck_assert(is_right(stamps, &step[i], false));
        order_stamps_give(stamps);
        order_stamps_close(stamps);
    }
    const bool is_over = order_apart_is_over(apart);
    order_apart_close(apart);
    return is_over;
}

TEST(what_two_threads_of_the_host_have_seen_clashes)
{
    ck_assert(gives_a_race(WRITES, READS, 0));
    ck_assert(gives_a_race(READS, WRITES, 0));
    ck_assert(!gives_a_race(READS, READS, 0));
    ck_assert(!gives_a_race(WRITES, READS, 4));
}

// As long as there is room in the list of what the CTA has accessed, nothing is counted.
TEST(a_word_that_is_read_again_and_again_is_counted)
{
    struct order_apart *apart = order_apart_open(NULL, untouched);
    struct order_stamps *stamps = order_stamps_open(apart);
    struct step step = {1, 1, 0, READS, PAGE, 4, 4, 1};
    for (int i = 0; i < STAMPS_MOST_LISTED; i++) ck_assert(is_right(stamps, &step, i & 1));
    const uint64_t before = order_stamps_again(stamps);
    for (int i = 0; i < 3; i++) ck_assert(is_right(stamps, &step, i & 1));
    ck_assert_uint_eq(order_stamps_again(stamps), before + 3);
    step.doing = WRITES;
    ck_assert(is_right(stamps, &step, false));
    ck_assert_uint_eq(order_stamps_again(stamps), 0);
    step.warp = 1;
    ck_assert(!is_right(stamps, &step, false));
    order_stamps_close(stamps);
    order_apart_close(apart);
}

// --- Random accesses, judged by all that came before --------------------------------------------------------------

enum { MOST_BEFORE = 40, SPAN = 384, REACH = SPAN + 512, WALKS = 2000 };
struct past {
    struct step step[MOST_BEFORE];
    uint32_t line[MOST_BEFORE], count, seed, lines;
};

static uint32_t pick(struct past *past, uint32_t below)
{
    past->seed = past->seed * 1664525 + 1013904223;
    return (past->seed >> 8) % below;
}

// The lane that accesses the byte; -1: none does, 32: several.
static int lane_of(const struct step *step, uint64_t at)
{
    if (at - step->begin >= step->bytes) return -1;
    const bool many = step->each == step->bytes && (step->lanes & (step->lanes - 1)) != 0;
    return many ? 32 : __builtin_ctz(step->lanes) + (int)((at - step->begin) / step->each);
}

static bool clash(const struct step *before, const struct step *step, uint64_t at)
{
    const int one = lane_of(before, at), other = lane_of(step, at);
    if (one < 0 || (before->doing != WRITES && step->doing != WRITES)) return false;
    if (before->first != step->first || step->doing == CONSTANT) return true;
    return before->part == step->part && (before->warp != step->warp || one != other || one == 32);
}

static bool may_be_wrong(const struct past *past, const struct step *step)
{
    bool wrong = false;
    for (uint64_t at = step->begin; at < step->begin + step->bytes; at++) {
        bool is_written = step->doing == WRITES || at < FRESH;
        for (uint32_t i = 0; i < past->count; i++) {
            wrong |= clash(&past->step[i], step, at);
            is_written |= past->step[i].doing == WRITES && lane_of(&past->step[i], at) >= 0;
        }
        wrong |= !is_written;
    }
    return wrong;
}

// Of the CTA and part of the one before it, or of the next ones; mostly where only that warp is.
static struct step random_step(struct past *past, uint64_t base)
{
    struct step step = past->count > 0 ? past->step[past->count - 1] : (struct step){.first = 1, .part = 1};
    const uint32_t lanes = pick(past, 4), shift = pick(past, 12), next = pick(past, 16);
    if (next < 3) step.part++;
    if (next < 1) step.first = step.part;
    step.warp = pick(past, 3);
    step.doing = pick(past, 12) == 0 ? CONSTANT : pick(past, 3) == 0 ? WRITES : READS;
    step.each = UINT64_C(1) << (shift < 5 ? shift : 2);
    step.lanes = lanes == 0   ? UINT32_MAX
                 : lanes == 1 ? UINT32_C(0xffff) << pick(past, 17)
                              : UINT32_C(1) << pick(past, 32);
    step.bytes = step.each * (uint32_t)__builtin_popcount(step.lanes);
    if (lanes == 0 && pick(past, 4) == 0) step.bytes = step.each;
    const uint32_t apart = pick(past, 8) == 0 ? 1 : 3;
    step.begin = base + (pick(past, SPAN / apart) + step.warp * (SPAN / 3) * (apart == 3)) / step.each * step.each;
    return step;
}

static bool has_way(const struct apart_page *page, const struct shadow_way *asked, uint32_t at)
{
    bool has = false;
    for (uint32_t i = 0; i < page->ways.count; i++) {
        const struct shadow_way *way = &page->ways.way[i];
        if (way->line == asked->line && way->flags == asked->flags)
            has |= way->bytes[at / SHADOW_WIDE_BYTES] >> at % SHADOW_WIDE_BYTES & 1;
    }
    return has;
}

static bool was_so(const struct past *past, const struct shadow_way *asked, uint64_t at)
{
    bool was = false;
    for (uint32_t i = 0; i < past->count; i++) {
        const struct step *step = &past->step[i];
        was |= past->line[i] == asked->line && (step->doing == WRITES) == asked->flags && lane_of(step, at) >= 0;
    }
    return was;
}

// The launch knows of each byte the lines that have read and written it, and no others.
static void check_ways(const struct past *past, struct order_apart *apart)
{
    uint32_t count;
    struct apart_item *item = order_apart_pages(apart, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t kind = 0; kind < 2 * past->lines; kind++)
            for (uint32_t at = 0; at < SHADOW_PAGE_BYTES; at++) {
                const struct shadow_way asked = {.line = kind / 2, .flags = kind % 2};
                ck_assert_int_eq(has_way(item[i].page, &asked, at),
                                 was_so(past, &asked, item[i].number * SHADOW_PAGE_BYTES + at));
            }
    free(item);
}

// What was told of pages that somebody had touched before: saved, and each byte that was written.
struct told {
    uint64_t base;
    uint32_t saved;
    bool written[REACH];
};

static void note_saved(void *context, uint64_t number)
{
    struct told *told = context;
    const uint32_t page = UINT32_C(1) << (number - told->base / SHADOW_PAGE_BYTES);
    ck_assert_uint_eq(told->saved & page, 0);
    told->saved |= page;
}

static void note_written(void *context, uint64_t address, uint32_t bytes)
{
    struct told *told = context;
    ck_assert_uint_ne(told->saved >> (address / SHADOW_PAGE_BYTES - told->base / SHADOW_PAGE_BYTES) & 1, 0);
    for (uint32_t i = 0; i < bytes; i++) told->written[address + i - told->base] = true;
}

static void check_written(const struct past *past, const struct order_stamps *stamps, struct told *told)
{
    order_stamps_written(stamps, told, note_written);
    for (uint64_t at = told->base; at < told->base + REACH; at++) {
        bool is_written = false;
        for (uint32_t i = 0; i < past->count; i++)
            is_written |= past->step[i].doing == WRITES && lane_of(&past->step[i], at) >= 0;
        ck_assert_int_eq(told->written[at - told->base], is_written && at < FRESH);
    }
}

// Until the first that may be wrong; but some of those are left out.
static uint32_t walk(struct past *past, uint64_t base, bool by_lanes)
{
    struct order_apart *apart = order_apart_open(NULL, untouched);
    struct order_stamps *stamps = order_stamps_open(apart);
    struct told told = {.base = base};
    order_stamps_watch(stamps, &told, note_saved);
    const uint32_t leaves_out = pick(past, 3) * 10;
    for (past->count = 0; past->count < MOST_BEFORE;) {
        const struct step step = random_step(past, base);
        const bool wrong = may_be_wrong(past, &step);
        if (wrong && pick(past, leaves_out + 1) > 0) continue;
        const uint32_t line = past->line[past->count] = pick(past, past->lines);
        ck_assert_msg(is_right_by(stamps, &step, line, by_lanes) == !wrong, "access %u, from seed %u on", past->count,
                      past->seed);
        if (wrong) break;
        past->step[past->count++] = step;
    }
    if (past->count == MOST_BEFORE) {
        order_stamps_give(stamps);
        check_ways(past, apart);
        check_written(past, stamps, &told);
    }
    order_stamps_close(stamps);
    order_apart_close(apart);
    return past->count;
}

TEST(random_accesses_may_be_wrong_where_two_before_clash)
{
    struct past *past = calloc(1, sizeof *past);
    uint32_t told = 0;
    for (uint32_t seed = 0; seed < WALKS; seed++) {
        past->seed = seed;
        past->lines = pick(past, 4) > 0 ? 1 + pick(past, 3) : 20;
        told += walk(past, (seed & 2 ? PAGE : FRESH) + SHADOW_PAGE_BYTES - SPAN / 2, seed & 1);
    }
    ck_assert_uint_gt(told, 10 * WALKS);
    free(past);
}
