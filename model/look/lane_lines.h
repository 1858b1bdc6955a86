// SPDX-License-Identifier: MIT
// Lines of a CTA's shared memory that one warp has used since its lanes met. Where lanes of two accesses lie alike,
// each lane comes to its own bytes again.
#ifndef TMAREF_LOOK_LANE_LINES_H
#define TMAREF_LOOK_LANE_LINES_H

#include <stdbool.h>

#include "lane_words.h"

#pragma GCC visibility push(hidden)

// used: a bit for each line, by what was done there. place: of a line that was used, how the lanes of all accesses lie
// that came to it; LANE_LINES_MIXED: not all alike
enum { LANE_LINES_BYTES = 128, LANE_LINES = LANE_WORDS_BYTES / LANE_LINES_BYTES, LANE_LINES_KINDS = 3 };
#define LANE_LINES_MIXED UINT64_MAX
struct lane_lines {
    uint64_t used[LANE_LINES_KINDS][LANE_LINES / 64], place[LANE_LINES];
};

void lane_lines_forget(struct lane_lines *lines);

// Has the warp done something at the lines of the use that may clash with it? Marks them. All rows are in shared
// memory.
bool lane_lines_use(struct lane_lines *lines, const struct lane_use *use);

// The same of atomics of lanes that lie anywhere, use->each bytes of each lane at its address. 1 also where one is not
// in shared memory.
bool lane_lines_add(struct lane_lines *lines, const struct lane_use *use, const uint64_t *address);

#pragma GCC visibility pop

#endif
