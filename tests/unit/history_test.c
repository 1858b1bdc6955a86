// SPDX-License-Identifier: MIT
// Works of streams that access the same page, and memory that is new.
#include "history.h"

#include <string.h>

enum { PAGE = 1 << 20, READERS = 5 };

static void found(void *context, const struct history_found *of)
{
    *(uint32_t *)context |= 1u << of->older->work;
}

// A work of its own track.
static uint32_t begin(struct history *history)
{
    struct history_times times = {0};
    const uint32_t work = history_begin(history, history_track(history), &times, NULL);
    history_forget_times(&times);
    return work;
}

// More of them than a page has room for at first: none may be lost.
TEST(a_write_meets_each_of_the_works_that_read_before)
{
    struct history *history = history_open();
    uint32_t met = 0, readers = 0;
    history->context = &met;
    history->found = found;
    for (int i = 0; i < READERS; i++) {
        const uint32_t work = begin(history);
        readers |= 1u << work;
        history_range(history, work, PAGE, 64, 0);
    }
    ck_assert_uint_eq(met, 0);
    history_range(history, begin(history), PAGE, 64, SHADOW_WRITES);
    ck_assert_uint_eq(met, readers);
    history_close(history);
}

// Its page may be another one's now, which nobody has accessed.
TEST(what_is_forgotten_is_met_nowhere)
{
    struct history *history = history_open();
    uint32_t met = 0;
    history->context = &met;
    history->found = found;
    for (int i = 0; i < READERS; i++) history_range(history, begin(history), PAGE, 64, 0);
    history_forget(history, PAGE, SHADOW_PAGE_BYTES);
    history_range(history, begin(history), PAGE, 64, SHADOW_WRITES);
    history_forget(history, PAGE, SHADOW_PAGE_BYTES);
    const uint32_t other = begin(history);
    history_range(history, other, PAGE + SHADOW_PAGE_BYTES, 64, SHADOW_WRITES);
    ck_assert_uint_eq(met, 0);
    history_range(history, begin(history), PAGE + SHADOW_PAGE_BYTES, 64, 0);
    ck_assert_uint_eq(met, 1u << other);
    history_wait(history, NULL);
    history_range(history, begin(history), PAGE + SHADOW_PAGE_BYTES, 64, SHADOW_WRITES);
    ck_assert_uint_eq(met, 1u << other);
    history_close(history);
}
