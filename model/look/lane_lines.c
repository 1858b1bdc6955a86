// SPDX-License-Identifier: MIT
#include "lane_lines.h"

#include <string.h>

#include "each.h"

enum { READ, WRITTEN, ATOMIC };

void lane_lines_forget(struct lane_lines *lines)
{
    memset(lines->used, 0, sizeof lines->used);
}

// Where lane 0 would be, if each lane goes on where the one before it ends; and how many bytes each has.
static inline uint64_t place_of(const struct lane_use *use)
{
    const uint32_t first = (uint32_t)__builtin_ctz(use->lanes), above = use->lanes >> first;
    if (use->rows != 1 || use->end - use->begin != (uint64_t)use->each * (uint32_t)__builtin_popcount(above))
        return LANE_LINES_MIXED;
    return (above & (above + 1)) == 0 ? (use->begin - (uint64_t)use->each * first) << 8 | use->each : LANE_LINES_MIXED;
}

static inline bool use_line(struct lane_lines *lines, uint64_t line, int kind, uint64_t place)
{
    const uint64_t bit = UINT64_C(1) << line % 64, at = line / 64;
    const uint64_t reads = lines->used[READ][at], writes = lines->used[WRITTEN][at], atomics = lines->used[ATOMIC][at];
    const bool is_new = ((reads | writes | atomics) & bit) == 0;
    const bool is_alike = is_new || (lines->place[line] == place && place != LANE_LINES_MIXED);
    const uint64_t others = writes | (kind != READ ? reads : 0) | (kind != ATOMIC ? atomics : 0);
    lines->used[kind][at] |= bit;
    lines->place[line] = is_alike ? place : LANE_LINES_MIXED;
    return !is_alike && (others & bit) != 0;
}

// The same of lanes that lie like no others.
static inline uint64_t mix_line(struct lane_lines *lines, uint64_t line, int kind)
{
    const uint64_t bit = UINT64_C(1) << line % 64, at = line / 64;
    const uint64_t reads = kind != READ ? lines->used[READ][at] : 0;
    const uint64_t others = lines->used[WRITTEN][at] | reads | (kind != ATOMIC ? lines->used[ATOMIC][at] : 0);
    lines->used[kind][at] |= bit;
    lines->place[line] = LANE_LINES_MIXED;
    return others & bit;
}

// Rows that are in one line each. Inline, for a kind that the compiler knows.
static inline __attribute__((always_inline)) bool mix_rows(struct lane_lines *lines, const struct lane_use *use,
                                                           int kind)
{
    uint64_t met = 0, at = use->begin;
    for (uint32_t left = use->rows; left > 0; left--, at += (uint64_t)(int64_t)use->rise)
        met |= mix_line(lines, at / LANE_LINES_BYTES, kind);
    return met != 0;
}

bool lane_lines_use(struct lane_lines *lines, const struct lane_use *use)
{
    const int kind = use->reduces ? ATOMIC : use->writes ? WRITTEN : READ;
    const uint64_t place = place_of(use), bytes = use->end - use->begin;
    const bool is_aligned = (bytes & (bytes - 1)) == 0 && (use->begin | (uint32_t)use->rise) % bytes == 0;
    if (use->rows > 1 && bytes <= LANE_LINES_BYTES && is_aligned)
        return kind == READ ? mix_rows(lines, use, READ) : mix_rows(lines, use, kind);
    uint64_t begin = use->begin, end = use->end;
    bool is_met = false;
    for (uint32_t left = use->rows; left > 0; left--) {
        for (uint64_t line = begin / LANE_LINES_BYTES; line <= (end - 1) / LANE_LINES_BYTES; line++)
            is_met |= use_line(lines, line, kind, place);
        begin += (uint64_t)(int64_t)use->rise;
        end += (uint64_t)(int64_t)use->rise;
    }
    return is_met;
}

bool lane_lines_add(struct lane_lines *lines, const struct lane_use *use, const uint64_t *address)
{
    uint64_t met = 0;
    for (EACH_BIT(lane, use->lanes)) {
        if (address[lane] > LANE_WORDS_BYTES - use->each) return true;
        const uint64_t line = address[lane] / LANE_LINES_BYTES,
                       last = (address[lane] + use->each - 1) / LANE_LINES_BYTES;
        if (last != line) met |= mix_line(lines, last, ATOMIC);
        met |= mix_line(lines, line, ATOMIC);
    }
    return met != 0;
}
