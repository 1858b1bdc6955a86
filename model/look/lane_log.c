// SPDX-License-Identifier: MIT
#include "lane_log.h"

#include <stdbool.h>
#include <stdlib.h>

enum { ENTRIES = 1024, CHAIN_BITS = 8, CHAINS = 1 << CHAIN_BITS, LINE_BYTES = 128 };

// Entry n of all is at n % ENTRIES. older: the one behind it in its chain, 0: none
struct entry {
    struct lane_use use;
    uint64_t older;
};

struct lane_log {
    uint64_t count, newest[2][CHAINS];
    struct entry entry[ENTRIES];
};

struct lane_log *lane_log_open(void)
{
    return calloc(1, sizeof(struct lane_log));
}

static uint64_t chain_of(uint64_t line)
{
    return line * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CHAIN_BITS);
}

void lane_log_add(struct lane_log *log, const struct lane_use *use)
{
    for (uint64_t line = use->begin / LINE_BYTES; line <= (use->end - 1) / LINE_BYTES; line++) {
        uint64_t *newest = &log->newest[use->writes][chain_of(line)];
        log->entry[++log->count % ENTRIES] = (struct entry){*use, *newest};
        *newest = log->count;
    }
}

// The lowest and the highest lane that used a byte.
struct span {
    uint32_t low, high;
};

static bool is_by_all(const struct lane_use *use)
{
    return use->each == use->end - use->begin;
}

static struct span span_at(const struct lane_use *use, uint64_t byte)
{
    uint32_t lanes = use->lanes;
    if (is_by_all(use)) return (struct span){(uint32_t)__builtin_ctz(lanes), 31u - (uint32_t)__builtin_clz(lanes)};
    for (uint64_t before = (byte - use->begin) / use->each; before > 0; before--) lanes &= lanes - 1;
    return (struct span){(uint32_t)__builtin_ctz(lanes), (uint32_t)__builtin_ctz(lanes)};
}

static uint64_t end_of_piece(const struct lane_use *use, uint64_t byte)
{
    return byte + use->each - (byte - use->begin) % use->each;
}

// Two lanes that are not one, of those that used a byte of both.
static bool find_pair(const struct lane_use *older, const struct lane_use *newer, struct sanitize_lane *pair)
{
    const uint64_t begin = older->begin > newer->begin ? older->begin : newer->begin;
    const uint64_t end = older->end < newer->end ? older->end : newer->end;
    const bool is_same = older->begin == newer->begin && older->end == newer->end && older->lanes == newer->lanes &&
                         older->each == newer->each;
    if (begin >= end || (is_same && (!is_by_all(older) || (older->lanes & (older->lanes - 1)) == 0))) return false;
    for (uint64_t byte = begin; byte < end;) {
        const struct span old = span_at(older, byte), new = span_at(newer, byte);
        const uint32_t lane = old.low == new.low ? old.high : old.low, other = lane == new.low ? new.high : new.low;
        const bool is_update = !older->writes && new.low != new.high;
        *pair = (struct sanitize_lane){.at = older->at,
                                       .line = older->line,
                                       .lane = (uint8_t)lane,
                                       .newer_lane = (uint8_t)other,
                                       .writes = older->writes,
                                       .is_strong = older->is_strong,
                                       .is_update = (uint8_t)is_update};
        if (lane != other) return true;
        const uint64_t one = end_of_piece(older, byte), two = end_of_piece(newer, byte);
        byte = one < two ? one : two;
    }
    return false;
}

static bool clashes_in(const struct lane_log *log, uint64_t number, const struct lane_use *newer, uint64_t met,
                       struct sanitize_lane *pair)
{
    while (number != 0 && log->count - number < ENTRIES) {
        const struct entry *entry = &log->entry[number % ENTRIES];
        if (entry->use.at <= met) return false;
        const bool are_strong = entry->use.is_strong && newer->is_strong && (entry->use.reduces || newer->reduces);
        if (entry->use.at < newer->at && !are_strong && find_pair(&entry->use, newer, pair)) return true;
        number = entry->older;
    }
    return false;
}

int lane_log_clashes(const struct lane_log *log, const struct lane_use *newer, uint64_t met,
                     struct sanitize_lane *older)
{
    for (uint64_t line = newer->begin / LINE_BYTES; line <= (newer->end - 1) / LINE_BYTES; line++) {
        const uint64_t chain = chain_of(line);
        if (clashes_in(log, log->newest[1][chain], newer, met, older)) return 1;
        if (newer->writes && clashes_in(log, log->newest[0][chain], newer, met, older)) return 1;
    }
    return 0;
}
