// SPDX-License-Identifier: MIT
// Global memory of CTAs that are followed by themselves: which accesses may be wrong, by the stamps of words.
#include "stamps.h"

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

static bool is_right(struct order_stamps *stamps, const struct step *step, bool by_lanes)
{
    const struct stamps_by by = {step->part, step->first, step->warp, 1};
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

TEST(a_word_that_is_read_again_and_again_is_counted)
{
    struct order_apart *apart = order_apart_open(NULL, untouched);
    struct order_stamps *stamps = order_stamps_open(apart);
    struct step step = {1, 1, 0, READS, PAGE, 4, 4, 1};
    for (int i = 0; i < 3; i++) ck_assert(is_right(stamps, &step, i & 1));
    ck_assert_uint_eq(order_stamps_again(stamps), 2);
    step.first = step.part = 2;
    ck_assert(is_right(stamps, &step, false));
    ck_assert_uint_eq(order_stamps_again(stamps), 0);
    order_stamps_close(stamps);
    order_apart_close(apart);
}
