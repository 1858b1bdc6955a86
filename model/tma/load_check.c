// SPDX-License-Identifier: MIT
// The checks of tensor loads and prefetches, tiled and im2col.
#include "global_check.h"
#include "operand.h"
#include "rules/load.h"
#include "transfer_check.h"

// The part of dimension i that is in bounds: the least and greatest index; 0 if there is none.
static bool bounds_of(const struct tile *tile, int i, int64_t *least, int64_t *greatest)
{
    const struct tensormap *map = tile->map;
    int64_t by = i == 0 && map->interleave == INTERLEAVE_NONE ? 1 : map->estride[i];
    int64_t start = tile->coord[i], last = start + by * (int64_t)(tile->steps[i] - 1), dim = (int64_t)map->dim[i];
    *least = start >= 0 ? start : start + (-start + by - 1) / by * by;
    *greatest = last < dim ? last : start + (dim - 1 - start) / by * by;
    return *least < dim && *greatest >= *least; // and *least >= 0
}

// Does all that a tiled load reads lie between the least and the greatest element, and these in one region? Elements in
// bounds are a product of ranges, so that this is the whole answer unless addresses wrap, there are several regions or
// the answer is no. One look-up.
static bool is_surely_mapped(const struct tile *tile, const struct global_memory *memory)
{
    const struct tensormap *map = tile->map;
    unsigned __int128 low = map->address, high = map->address;
    for (int i = 0; i < map->rank; i++) {
        int64_t least, greatest;
        if (!bounds_of(tile, i, &least, &greatest)) return true;
        low += (unsigned __int128)(uint64_t)least * map->stride[i];
        high += (unsigned __int128)(uint64_t)greatest * map->stride[i];
    }
    const struct region *region = low >> 64 == 0 ? region_find(memory, NULL, (uint64_t)low) : NULL;
    if (region == NULL || low < region->memory.base) return false;
    return high + map->stride[0] <= (unsigned __int128)region->memory.base + region->memory.size_bytes;
}

// Is the first element of the box out of bounds?
static bool is_first_outside(const struct box *box)
{
    const struct tile *tile = &box->tile;
    bool outside = false;
    if (box->mode == TENSORMAP_IM2COL) return im2col_first_outside(&box->column);
    for (int i = 0; i < tile->map->rank; i++)
        outside |= tile->coord[i] < 0 || tile->coord[i] >= (int64_t)tile->map->dim[i];
    return outside;
}

// The 700 faults of the source: rules LOAD_BASE_UNMAPPED, LOAD_UNMAPPED. The box fits shared memory.
static void check_source(struct transfer_report *report, const struct box *box, const struct tensormap *map,
                         const struct global_memory *memory)
{
    uint64_t unmapped;
    if (memory == NULL) return;
    if (is_first_outside(box) && region_find(memory, NULL, map->address) == NULL)
        transfer_broken(report, global_byte_finding(memory, RULE_LOAD_BASE_UNMAPPED, "globalAddress", map->address));
    if (box->mode == TENSORMAP_TILED && is_surely_mapped(&box->tile, memory)) return;
    if (global_find_unusable(box, memory, MEMORY_READS, &unmapped)) transfer_report_unmapped(report, memory, unmapped);
}

// What loads and prefetches look at alike: map and coordinates, all 715. Returns 0 where there is no box.
static bool check_instruction(struct transfer_report *report, const struct transfer *t, struct box *box)
{
    bool has_box = transfer_check_map(report, t->map, t->mode, t->dims);
    transfer_check_coord(report, t->map, t->dims, t->coord);
    if (!has_box) return false;
    box_start(box, t->mode, t->map, t->coord, t->offset);
    if (t->mode == TENSORMAP_IM2COL) transfer_check_start(report, &box->column);
    return true;
}

enum rule transfer_check_load(const struct transfer *t, struct box *box, struct findings *findings)
{
    struct transfer_report report = transfer_report_start(&load_rules, findings);
    if (!transfer_map_readable(&report, t->map, t->mode)) return report.first;
    bool has_box = check_instruction(&report, t, box);
    transfer_check_address(&report, t->map);
    bool fits =
        transfer_check_shared(&report, t->map, has_box ? box_extent_bytes(box) : 0, t->shared_memory, t->shared);
    if (has_box && fits && !operand_is_nowhere(t->shared)) check_source(&report, box, t->map, t->global_memory);
    return report.first;
}

enum rule transfer_check_prefetch(const struct transfer *t, struct box *box, struct findings *findings)
{
    struct transfer_report report = transfer_report_start(&load_rules, findings);
    if (transfer_map_readable(&report, t->map, t->mode)) check_instruction(&report, t, box);
    return report.first;
}
