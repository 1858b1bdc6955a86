// SPDX-License-Identifier: MIT
// The tiled load: bounds and alignment first (transfer_check.h), then the runs of the walk move (move.h).
#include "copy.h"

#include "move.h"
#include "operand.h"
#include "transfer_check.h"

// The part of dimension i that is in bounds: the least and greatest index; 0 if there is none.
static int bounds_of(const struct tile *tile, int i, int64_t *least, int64_t *greatest)
{
    const struct tensormap *map = tile->map;
    int64_t by = i == 0 && map->interleave == INTERLEAVE_NONE ? 1 : map->estride[i];
    int64_t start = tile->coord[i], last = start + by * (int64_t)(tile->steps[i] - 1), dim = (int64_t)map->dim[i];
    *least = start >= 0 ? start : start + (-start + by - 1) / by * by;
    *greatest = last < dim ? last : start + (dim - 1 - start) / by * by;
    return *least < dim && *greatest >= *least; // and *least >= 0
}

// The first run that a load reads and that is not all mapped; 0 if there is none. Addresses wrap at 2^64.
static int find_unmapped(const struct tile *tile, const struct memory *memory, uint64_t *address)
{
    struct tile_run run;
    for (struct tile_walk walk = tile_walk(tile); tile_next(&walk, &run);) {
        if (run.is_fill || memory_at(memory, run.address, run.bytes) != NULL) continue;
        *address = run.address;
        return 1;
    }
    return 0;
}

// Does all that is read lie between the least and the greatest element, and these in mapped memory? Elements in bounds
// are a product of ranges, so that this is the whole answer unless addresses wrap or the answer is no.
static int is_surely_mapped(const struct tile *tile, const struct memory *memory)
{
    const struct tensormap *map = tile->map;
    unsigned __int128 low = map->address, high = map->address;
    for (int i = 0; i < map->rank; i++) {
        int64_t least, greatest;
        if (!bounds_of(tile, i, &least, &greatest)) return 1;
        low += (unsigned __int128)(uint64_t)least * map->stride[i];
        high += (unsigned __int128)(uint64_t)greatest * map->stride[i];
    }
    return low >= memory->base && high + map->stride[0] <= (unsigned __int128)memory->base + memory->size_bytes;
}

// The 700 faults of the source: rules LOAD_BASE_UNMAPPED, LOAD_UNMAPPED. The box fits shared memory.
static void check_source(struct transfer_report *report, const struct tile *tile, const struct memory *memory)
{
    const struct tensormap *map = tile->map;
    int first_outside = 0;
    uint64_t unmapped;
    for (int i = 0; i < map->rank; i++) first_outside |= tile->coord[i] < 0 || tile->coord[i] >= (int64_t)map->dim[i];
    transfer_check_base(report, map, first_outside, memory);
    if (!is_surely_mapped(tile, memory) && find_unmapped(tile, memory, &unmapped))
        transfer_report_unmapped(report, memory, unmapped);
}

enum rule tile_map_check(const struct tensormap *map, struct findings *findings)
{
    struct transfer_report report = transfer_report_start(&load_rules, findings);
    if (!transfer_map_readable(&report, map, map->mode)) return report.first;
    transfer_check_map(&report, map, map->mode, map->rank);
    transfer_check_address(&report, map);
    return report.first;
}

enum rule tile_load_check(const struct tensormap *map, int dims, const int32_t *coord,
                          const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                          struct findings *findings)
{
    struct transfer_report report = transfer_report_start(&load_rules, findings);
    if (!transfer_map_readable(&report, map, TENSORMAP_TILED)) return report.first;
    int has_box = transfer_check_map(&report, map, TENSORMAP_TILED, dims);
    struct tile tile;
    if (has_box) tile = tile_of(map, coord);
    transfer_check_coord(&report, map, dims, coord);
    transfer_check_address(&report, map);
    int fits = transfer_check_shared(&report, map, has_box ? tile_extent_bytes(&tile) : 0, shared_memory, shared);
    if (has_box && fits && !operand_is_nowhere(shared)) check_source(&report, &tile, global_memory);
    return report.first;
}

enum rule tile_load(const struct tensormap *map, int dims, const int32_t *coord, const struct memory *global_memory,
                    const struct memory *shared_memory, uint32_t shared, uint32_t *transaction_bytes)
{
    enum rule rule = tile_load_check(map, dims, coord, global_memory, shared_memory, shared, NULL);
    if (rule != RULE_OK) return rule;

    *transaction_bytes = 0;
    if (operand_is_nowhere(shared)) return RULE_OK;
    struct tile tile = tile_of(map, coord);
    struct tile_walk walk = tile_walk(&tile);
    struct sink sink = {shared_memory->bytes, (uint32_t)shared_memory->base, map->swizzle};
    uint16_t fill = oob_fill_pattern(map->oob_fill);
    int is_tf32 = dtype_row(map->dtype)->is_tf32;
    struct tile_run run;
    for (uint32_t count; (count = tile_next_rows(&walk, &run)) > 0;) {
        struct rows rows = {count, run.bytes, tile.pitch_bytes, tile.row_step_bytes};
        uint32_t to = shared + run.offset;
        if (run.is_fill)
            put_fill_rows(&sink, &rows, fill, to);
        else
            put_rows(&sink, &rows, is_tf32, to, global_memory->bytes + (run.address - global_memory->base));
    }
    *transaction_bytes = (uint32_t)tile_transaction_bytes(&tile);
    return RULE_OK;
}
