// SPDX-License-Identifier: MIT
#include <string.h>

#include "why.h"

bool why_watch_meets(const struct why_watch *watch, enum access_space space, uint64_t address, uint64_t bytes)
{
    return watch->is_on && (space == SPACE_SHARED) == watch->is_shared && address < watch->address + watch->bytes &&
           watch->address < address + bytes;
}

void why_watch_see(struct why_watch *watch, const uint8_t *now)
{
    if (watch->is_open && watch->count > 0)
        memcpy(watch->entry[(watch->count - 1) % WHY_MOST_TOLD].after, now, watch->bytes);
    memcpy(watch->now, now, watch->bytes);
    watch->is_known = true;
    watch->is_open &= watch->is_remote;
}

void why_watch_add(struct why_watch *watch, const struct why_entry *entry, const uint8_t *after)
{
    struct why_entry *last = &watch->entry[(watch->count - 1) % WHY_MOST_TOLD];
    if (watch->count > 0 && last->step == entry->step) {
        last->lanes |= entry->lanes;
        last->writer = entry->writer;
        last->first = entry->first;
        last->is_stale |= entry->is_stale;
    } else {
        last = &watch->entry[watch->count++ % WHY_MOST_TOLD];
        *last = *entry;
        memcpy(last->before, watch->now, watch->bytes);
        memcpy(last->after, watch->now, watch->bytes);
    }
    watch->is_open = true;
    watch->is_remote = false;
    if (after != NULL) why_watch_see(watch, after);
}
