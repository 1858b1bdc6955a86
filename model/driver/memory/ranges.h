// SPDX-License-Identifier: MIT
// What a program has said of parts of managed memory: advice, and where it was last prefetched to. Nothing moves.
#ifndef TMAREF_RANGES_H
#define TMAREF_RANGES_H

#include <stdbool.h>

#include "cuda_abi.h"

struct range_state {
    bool is_read_mostly;
    int is_of_device, is_of_host; // of: accessed by
    struct cuda_mem_location preferred, prefetched;
};

// Pieces of one allocation, one behind the other; all of it.
struct ranges {
    struct range {
        uint64_t end;
        struct range_state state;
    } * at;
    uint32_t count;
};

enum range_change {
    RANGE_READ_MOSTLY,
    RANGE_NOT_READ_MOSTLY,
    RANGE_PREFERRED,
    RANGE_NOT_PREFERRED,
    RANGE_ACCESSED,
    RANGE_NOT_ACCESSED,
    RANGE_PREFETCHED
};

// From the page of `from` to that of the last byte before `to`, of memory that ends at `end`; 0 if there is no memory.
bool ranges_change(struct ranges *ranges, uint64_t from, uint64_t to, uint64_t end, enum range_change change,
                   struct cuda_mem_location location);

// What is true of all bytes from `from` to `to`: locations that differ are none, of type 0.
struct range_state ranges_state(const struct ranges *ranges, uint64_t from, uint64_t to);

void ranges_free(struct ranges *ranges);

#endif
