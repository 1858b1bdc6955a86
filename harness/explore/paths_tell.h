// SPDX-License-Identifier: MIT
// Who makes a step, where, and what it is, in words.
#ifndef TMAREF_EXPLORE_PATHS_TELL_H
#define TMAREF_EXPLORE_PATHS_TELL_H

#include "paths.h"

enum { PATHS_LINE_BYTES = 512, PATHS_MOST_WAITS = 32 };

struct paths_line {
    char who[PATHS_LINE_BYTES], at[PATHS_LINE_BYTES], what[PATHS_LINE_BYTES];
};

// "warp 1 of CTA (0,0,0)", "ring.cu:27", "arrives at mbarrier full[1], and expects 1024 bytes".
void paths_tell_step(const struct paths_set *set, const struct paths_program *program, uint32_t step,
                     struct paths_line *line);

// The kernel's name, as its source has it.
void paths_kernel(const struct paths_set *set, const struct paths_program *program, char name[PATHS_LINE_BYTES]);

// A finding: its place, and a sentence.
//   waits   of a deadlock: who waits where for what, `of` as many as there are lines; else: who is missing from a phase
struct paths_told {
    char kernel[PATHS_LINE_BYTES], at[PATHS_LINE_BYTES], what[2 * PATHS_LINE_BYTES];
    uint32_t waits, of;
    struct paths_line wait[PATHS_MOST_WAITS];
};
void paths_tell(const struct paths_set *set, const struct paths_program *program, const struct paths_found *found,
                struct paths_told *told);

#endif
