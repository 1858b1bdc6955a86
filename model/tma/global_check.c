// SPDX-License-Identifier: MIT
#include "global_check.h"

#include "broken.h"

// What is mapped all the same is mapped read-only.
static const char *name_of(const struct region *region, const char *argument, uint64_t address)
{
    return region_at(region, address, 1, MEMORY_READS) != NULL && region->is_read_only ? "address, mapped read-only"
                                                                                       : argument;
}

struct finding global_byte_finding(const struct global_memory *memory, enum rule rule, const char *argument,
                                   uint64_t address)
{
    const struct region *region = region_nearest(memory, address);
    if (region == NULL) return FINDING(rule, argument, .value = address);
    uint64_t base = region->memory.base, end = base + region->memory.size_bytes;
    return FINDING(rule, name_of(region, argument, address), .value = address, .limit = end, .nearest = base);
}

struct finding global_finding(const struct global_memory *memory, enum rule rule, const char *argument,
                              uint64_t address, uint64_t count_bytes)
{
    const struct region *region = region_nearest(memory, address);
    struct finding finding = global_byte_finding(memory, rule, argument, address);
    if (region == NULL || address < region->memory.base || count_bytes > region->memory.size_bytes) return finding;
    finding.nearest = finding.limit - count_bytes;
    return finding;
}

// The first byte of one row that cannot be used so.
static bool find_in_row(const struct global_memory *memory, enum memory_use use, uint64_t row, uint32_t bytes,
                        uint64_t *address)
{
    uint64_t usable = global_usable_bytes(memory, row, bytes, use);
    *address = row + usable;
    return usable < bytes;
}

bool global_find_unusable(const struct box *box, const struct global_memory *memory, enum memory_use use,
                          uint64_t *address)
{
    const struct region *hit = NULL;
    struct box_walk walk = box_walk(box);
    uint64_t step = box_step_bytes(box);
    struct tile_run run;
    for (uint32_t rows; (rows = box_next_rows(box, &walk, &run)) > 0;) {
        if (run.is_fill) continue;
        hit = region_find(memory, hit, run.address);
        if (region_at(hit, run.address, (rows - 1) * step + run.bytes, use) != NULL) continue;
        for (uint32_t row = 0; row < rows; row++)
            if (find_in_row(memory, use, run.address + row * step, run.bytes, address)) return true;
    }
    return false;
}
