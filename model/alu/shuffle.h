// SPDX-License-Identifier: MIT
// Which lane a lane reads in a shuffle: for who computes it (warp.c), and for who asks whether that lane is there.
#ifndef TMAREF_ALU_SHUFFLE_H
#define TMAREF_ALU_SHUFFLE_H

#include <stdbool.h>

#include "ptx.h"

struct shuffle_source {
    uint32_t lane;
    bool is_valid;
};

// Where lane `lane` reads from: c has the last lane of a segment in bits 4..0, the segment's mask in bits 12..8.
static inline __attribute__((always_inline)) struct shuffle_source shuffle_source(enum ptx_word mode, uint32_t lane,
                                                                                  uint32_t b, uint32_t c)
{
    uint32_t step = b & 31, segment = c >> 8 & 31, last = (lane & segment) | (c & 31 & ~segment),
             least = lane & segment;
    struct shuffle_source source = {0, false};
    if (mode == PTX_UP)
        source = (struct shuffle_source){lane - step, (int32_t)(lane - step) >= (int32_t)last};
    else if (mode == PTX_DOWN)
        source = (struct shuffle_source){lane + step, lane + step <= last};
    else if (mode == PTX_BFLY)
        source = (struct shuffle_source){lane ^ step, (lane ^ step) <= last};
    else
        source = (struct shuffle_source){least | (step & ~segment), (least | (step & ~segment)) <= last};
    if (!source.is_valid) source.lane = lane;
    return source;
}

#endif
