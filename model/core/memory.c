// SPDX-License-Identifier: MIT
// Look-ups in the table of regions.
#include "memory.h"

#include <string.h>

// How many regions start at or below `address`.
static uint32_t regions_below(const struct global_memory *global, uint64_t address)
{
    uint32_t below = 0, above = global->count;
    while (below < above) {
        uint32_t middle = below + (above - below) / 2;
        if (global->region[middle].memory.base <= address)
            below = middle + 1;
        else
            above = middle;
    }
    return below;
}

const struct region *region_search(const struct global_memory *global, uint64_t address)
{
    uint32_t below = regions_below(global, address);
    if (global->count == 0) return NULL;
    const struct region *region = &global->region[(below == 0 ? global->count : below) - 1]; // the last may wrap
    return address - region->memory.base < region->memory.size_bytes ? region : NULL;
}

const struct region *region_nearest(const struct global_memory *global, uint64_t address)
{
    uint32_t below = regions_below(global, address);
    if (global->count == 0) return NULL;
    return &global->region[below == 0 ? 0 : below - 1];
}

// The bytes of `region` from `address`, which it holds, on; at most `most`.
static uint64_t bytes_here(const struct region *region, uint64_t address, uint64_t most)
{
    uint64_t here = region->memory.size_bytes - (address - region->memory.base);
    return here < most ? here : most;
}

uint64_t global_usable_bytes(const struct global_memory *global, uint64_t address, uint64_t count_bytes,
                             enum memory_use use)
{
    uint64_t done = 0;
    while (done < count_bytes) {
        const struct region *region = region_search(global, address + done);
        if (region == NULL || (use == MEMORY_WRITES && region->is_read_only)) break;
        done += bytes_here(region, address + done, count_bytes - done);
    }
    return done;
}

void global_read(const struct global_memory *global, uint64_t address, void *to, uint64_t count_bytes)
{
    for (uint64_t done = 0, here; done < count_bytes; done += here) {
        const struct region *region = region_search(global, address + done);
        here = bytes_here(region, address + done, count_bytes - done);
        memcpy((uint8_t *)to + done, memory_at(&region->memory, address + done, here), here);
    }
}

void global_write(const struct global_memory *global, uint64_t address, const void *from, uint64_t count_bytes)
{
    for (uint64_t done = 0, here; done < count_bytes; done += here) {
        const struct region *region = region_search(global, address + done);
        here = bytes_here(region, address + done, count_bytes - done);
        memcpy(memory_at(&region->memory, address + done, here), (const uint8_t *)from + done, here);
    }
}
