// SPDX-License-Identifier: MIT
// Which accesses of a warp's lanes to the same lines are asked about lane by lane.
#include "lane_lines.h"

enum { MOST = 3 };

static const struct {
    const char *why;
    struct lane_use use[MOST];
    bool is_asked; // the last
} runs[] = {
    {"a read and a write by the same lanes",
     {{.begin = 64, .end = 192, .each = 4, .lanes = UINT32_MAX, .rows = 1},
      {.begin = 64, .end = 192, .each = 4, .lanes = UINT32_MAX, .rows = 1, .writes = 1}},
     false},
    {"some of the lanes, at their places",
     {{.begin = 64, .end = 192, .each = 4, .lanes = UINT32_MAX, .rows = 1},
      {.begin = 72, .end = 80, .each = 4, .lanes = 3 << 2, .rows = 1, .writes = 1}},
     false},
    {"a word further",
     {{.begin = 64, .end = 192, .each = 4, .lanes = UINT32_MAX, .rows = 1},
      {.begin = 68, .end = 196, .each = 4, .lanes = UINT32_MAX, .rows = 1, .writes = 1}},
     true},
    {"other lanes at the same words",
     {{.begin = 64, .end = 72, .each = 4, .lanes = 3, .rows = 1},
      {.begin = 64, .end = 72, .each = 4, .lanes = 3 << 1, .rows = 1, .writes = 1}},
     true},
    {"lanes that leave one out",
     {{.begin = 64, .end = 72, .each = 4, .lanes = 3, .rows = 1},
      {.begin = 64, .end = 72, .each = 4, .lanes = 5, .rows = 1, .writes = 1}},
     true},
    {"twice as many bytes a lane",
     {{.begin = 0, .end = 64, .each = 4, .lanes = 0xffff, .rows = 1},
      {.begin = 0, .end = 64, .each = 8, .lanes = 0xff, .rows = 1, .writes = 1}},
     true},
    {"all lanes at one word",
     {{.begin = 64, .end = 68, .each = 4, .lanes = UINT32_MAX, .rows = 1},
      {.begin = 64, .end = 68, .each = 4, .lanes = UINT32_MAX, .rows = 1, .writes = 1}},
     true},
    {"rows",
     {{.begin = 0, .end = 64, .each = 4, .lanes = UINT32_MAX, .rows = 2, .rise = 64},
      {.begin = 0, .end = 64, .each = 4, .lanes = UINT32_MAX, .rows = 2, .rise = 64, .writes = 1}},
     true},
    {"two reads, a word further",
     {{.begin = 64, .end = 192, .each = 4, .lanes = UINT32_MAX, .rows = 1},
      {.begin = 68, .end = 196, .each = 4, .lanes = UINT32_MAX, .rows = 1}},
     false},
    {"the same lanes again, where others have read between",
     {{.begin = 64, .end = 192, .each = 4, .lanes = UINT32_MAX, .rows = 1},
      {.begin = 68, .end = 196, .each = 4, .lanes = UINT32_MAX, .rows = 1},
      {.begin = 64, .end = 192, .each = 4, .lanes = UINT32_MAX, .rows = 1, .writes = 1}},
     true},
};

LOOP_TEST(accesses_are_asked_about, 0, ROWS_OF(runs))
{
    static struct lane_lines lines;
    bool is_asked = false;
    lane_lines_forget(&lines);
    for (int i = 0; i < MOST && runs[_i].use[i].rows != 0; i++) is_asked = lane_lines_use(&lines, &runs[_i].use[i]);
    ck_assert_msg(is_asked == runs[_i].is_asked, "%s", runs[_i].why);
}

TEST(atomics_are_asked_about_where_others_have_read)
{
    static struct lane_lines lines;
    const struct lane_use read = {.begin = 0, .end = 4, .each = 4, .lanes = 1, .rows = 1};
    const struct lane_use add = {.each = 4, .lanes = 3, .rows = 1, .writes = 1, .reduces = 1};
    const uint64_t far[32] = {256, 512}, near[32] = {256, 64}, outside[32] = {256, LANE_WORDS_BYTES};
    lane_lines_forget(&lines);
    ck_assert(!lane_lines_use(&lines, &read));
    ck_assert(!lane_lines_add(&lines, &add, far));
    ck_assert(!lane_lines_add(&lines, &add, far)); // behind its own atomics
    ck_assert(lane_lines_add(&lines, &add, near));
    ck_assert(lane_lines_add(&lines, &add, outside));
}
