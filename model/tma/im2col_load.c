// SPDX-License-Identifier: MIT
// The im2col load: bounds and alignment first (load_check.h), then the runs of the walk move (move.h).
#include "im2col_load.h"

#include "copy.h"
#include "load_check.h"
#include "move.h"

// The 715 fault of its own: rule IM2COL_START.
static void check_start(const struct im2col *column, struct findings *findings, enum rule *first)
{
    int k;
    if (im2col_start_in_box(column, &k)) return;
    int64_t start = column->start[k], nearest = start < column->lower[k] ? column->lower[k] : column->upper[k];
    load_broken(findings, first,
                (struct finding){RULE_IM2COL_START, "tensorCoords", column->spatial + k, 1, (uint64_t)start,
                                 (uint64_t)nearest, (uint64_t)nearest});
}

// The 700 faults of the source: rules LOAD_BASE_UNMAPPED, LOAD_UNMAPPED.
static void check_source(const struct im2col *column, const struct memory *memory, struct findings *findings,
                         enum rule *first)
{
    struct tile_run run;
    load_check_base(column->map, im2col_first_outside(column), memory, findings, first);
    for (struct im2col_walk walk = im2col_walk(column); im2col_next(&walk, &run);) {
        if (run.is_fill || memory_at(memory, run.address, run.bytes) != NULL) continue;
        load_report_unmapped(memory, run.address, findings, first);
        return;
    }
}

enum rule im2col_load_check(const struct tensormap *map, int dims, const int32_t *coord, const uint16_t *offset,
                            const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                            struct findings *findings)
{
    enum rule first = RULE_OK;
    if (!load_map_readable(map) || (map->mode == TENSORMAP_IM2COL && map->rank < 3)) {
        load_broken(findings, &first, (struct finding){RULE_LOAD_MAP_FORMAT, "tensorMap", -1, 0, 0, 0, 0});
        return first;
    }
    load_check_instruction(map, TENSORMAP_IM2COL, dims, coord, findings, &first);
    if (map->mode != TENSORMAP_IM2COL) {
        load_check_align(shared, findings, &first);
        return first;
    }
    struct im2col column = im2col_of(map, coord, offset);
    check_start(&column, findings, &first);
    load_check_align(shared, findings, &first);
    if (load_check_bounds(map, im2col_extent_bytes(&column), shared_memory, shared, findings, &first))
        check_source(&column, global_memory, findings, &first);
    return first;
}

enum rule im2col_load(const struct tensormap *map, int dims, const int32_t *coord, const uint16_t *offset,
                      const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                      uint32_t *transaction_bytes)
{
    enum rule rule = im2col_load_check(map, dims, coord, offset, global_memory, shared_memory, shared, NULL);
    if (rule != RULE_OK) return rule;

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
