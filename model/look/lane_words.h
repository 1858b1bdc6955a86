// SPDX-License-Identifier: MIT
// Of each word of a CTA's shared memory, or each byte of one that was used in part: the last write, and the last read,
// with the count of instructions at which they were made.
#ifndef TMAREF_LOOK_LANE_WORDS_H
#define TMAREF_LOOK_LANE_WORDS_H

#include "lane_log.h"
#include "lane_parts.h"

#pragma GCC visibility push(hidden)

enum { LANE_WORDS_PAGES = 64, LANE_WORDS_BYTES = 1 << 18 };
struct lane_word;
struct lane_words {
    struct lane_word *page[LANE_WORDS_PAGES];
};

// A warp, the count at which it last met, that at which it executed an atomic or a fence, and the count of now. parts:
// where parts of it have met since; NULL: nowhere
struct lane_by {
    uint32_t warp;
    uint64_t met, stepped, now;
    const struct lane_parts *parts;
};

// Lanes of a warp use bytes. Returns how many clash with another lane in an earlier instruction, which the warp has not
// met behind: older[], of 32; -1 without memory.
int lane_words_use(struct lane_words *words, const struct lane_by *by, const struct lane_use *use,
                   struct sanitize_lane *older);
void lane_words_free(struct lane_words *words);

#pragma GCC visibility pop

#endif
