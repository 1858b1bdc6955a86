// SPDX-License-Identifier: MIT
// The im2col load: bounds and alignment first (transfer_check.h), then the runs of the walk move (move.h).
#include "im2col_load.h"

#include "copy.h"
#include "im2col_check.h"
#include "move.h"
#include "operand.h"
#include "transfer_check.h"

// The 700 faults of the source: rules LOAD_BASE_UNMAPPED, LOAD_UNMAPPED.
static void check_source(struct transfer_report *report, const struct im2col *column, const struct memory *memory)
{
    struct tile_run run;
    transfer_check_base(report, column->map, im2col_first_outside(column), memory);
    for (struct im2col_walk walk = im2col_walk(column); im2col_next(&walk, &run);) {
        if (run.is_fill || memory_at(memory, run.address, run.bytes) != NULL) continue;
        transfer_report_unmapped(report, memory, run.address);
        return;
    }
}

enum rule im2col_load_check(const struct tensormap *map, int dims, const int32_t *coord, const uint16_t *offset,
                            const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                            struct findings *findings)
{
    struct transfer_report report = transfer_report_start(&load_rules, findings);
    if (!transfer_map_readable(&report, map, TENSORMAP_IM2COL)) return report.first;
    int has_box = transfer_check_map(&report, map, TENSORMAP_IM2COL, dims);
    struct im2col column;
    transfer_check_coord(&report, map, dims, coord);
    if (has_box) {
        column = im2col_of(map, coord, offset);
        im2col_check_start(&report, &column);
    }
    transfer_check_address(&report, map);
    int fits = transfer_check_shared(&report, map, has_box ? im2col_extent_bytes(&column) : 0, shared_memory, shared);
    if (has_box && fits && !operand_is_nowhere(shared)) check_source(&report, &column, global_memory);
    return report.first;
}

enum rule im2col_load(const struct tensormap *map, int dims, const int32_t *coord, const uint16_t *offset,
                      const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                      uint32_t *transaction_bytes)
{
    enum rule rule = im2col_load_check(map, dims, coord, offset, global_memory, shared_memory, shared, NULL);
    if (rule != RULE_OK) return rule;

    *transaction_bytes = 0;
    if (operand_is_nowhere(shared)) return RULE_OK;
    struct im2col column = im2col_of(map, coord, offset);
    struct im2col_walk walk = im2col_walk(&column);
    struct sink sink = {shared_memory->bytes, (uint32_t)shared_memory->base, map->swizzle};
    uint16_t fill = oob_fill_pattern(map->oob_fill);
    int is_tf32 = dtype_row(map->dtype)->is_tf32;
    struct tile_run run;
    for (uint32_t count; (count = im2col_next_pixels(&walk, &run)) > 0;) {
        struct rows rows = {count, run.bytes, column.pitch_bytes, column.step_bytes};
        uint32_t to = shared + run.offset;
        if (run.is_fill)
            put_fill_rows(&sink, &rows, fill, to);
        else
            put_rows(&sink, &rows, is_tf32, to, global_memory->bytes + (run.address - global_memory->base));
    }
    *transaction_bytes = (uint32_t)im2col_transaction_bytes(&column);
    return RULE_OK;
}
