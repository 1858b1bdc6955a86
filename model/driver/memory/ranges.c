// SPDX-License-Identifier: MIT
#include "ranges.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, DEVICE = CU_MEM_LOCATION_TYPE_DEVICE };

// The piece that begins at `at`, made by a cut if there is none.
static bool cut(struct ranges *ranges, uint64_t at, uint64_t end)
{
    uint32_t i = 0;
    while (i < ranges->count && ranges->at[i].end < at) i++;
    if (i < ranges->count && ranges->at[i].end == at) return true;
    struct range *more = realloc(ranges->at, (ranges->count + 1) * sizeof *more);
    if (more == NULL) return false;
    ranges->at = more;
    if (ranges->count == 0) {
        more[ranges->count++] = (struct range){.end = end};
        return at == end ? true : cut(ranges, at, end);
    }
    memmove(more + i + 1, more + i, (ranges->count - i) * sizeof *more);
    more[i].end = at;
    ranges->count++;
    return true;
}

static void change_state(struct range_state *state, enum range_change change, struct cuda_mem_location location)
{
    switch (change) {
    case RANGE_READ_MOSTLY:
    case RANGE_NOT_READ_MOSTLY:
        state->is_read_mostly = change == RANGE_READ_MOSTLY;
        return;
    case RANGE_PREFERRED:
        state->preferred = location;
        return;
    case RANGE_NOT_PREFERRED:
        state->preferred = (struct cuda_mem_location){0, 0};
        return;
    case RANGE_ACCESSED:
    case RANGE_NOT_ACCESSED:
        *(location.type == DEVICE ? &state->is_of_device : &state->is_of_host) = change == RANGE_ACCESSED;
        return;
    case RANGE_PREFETCHED:
        state->prefetched = location;
        return;
    }
}

bool ranges_change(struct ranges *ranges, uint64_t from, uint64_t to, uint64_t end, enum range_change change,
                   struct cuda_mem_location location)
{
    const uint64_t first = from / PAGE_BYTES * PAGE_BYTES, pages = (to + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    const uint64_t last = pages < end ? pages : end;
    if (!cut(ranges, first, end) || !cut(ranges, last, end)) return false;
    for (uint32_t i = 0; i < ranges->count; i++)
        if (ranges->at[i].end > first && ranges->at[i].end <= last)
            change_state(&ranges->at[i].state, change, location);
    return true;
}

static void join_location(struct cuda_mem_location *to, struct cuda_mem_location other)
{
    if (to->type != other.type || to->id != other.id) *to = (struct cuda_mem_location){0, 0};
}

struct range_state ranges_state(const struct ranges *ranges, uint64_t from, uint64_t to)
{
    struct range_state state = {false};
    bool is_first = true;
    uint64_t begin = 0;
    for (uint32_t i = 0; i < ranges->count && begin < to; begin = ranges->at[i++].end) {
        const struct range_state *other = &ranges->at[i].state;
        if (ranges->at[i].end <= from) continue;
        if (is_first) state = *other;
        is_first = false;
        state.is_read_mostly &= other->is_read_mostly;
        state.is_of_device &= other->is_of_device;
        state.is_of_host &= other->is_of_host;
        join_location(&state.preferred, other->preferred);
        join_location(&state.prefetched, other->prefetched);
    }
    return state;
}

void ranges_free(struct ranges *ranges)
{
    free(ranges->at);
    *ranges = (struct ranges){0};
}
