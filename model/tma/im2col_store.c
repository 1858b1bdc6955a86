// SPDX-License-Identifier: MIT
// im2col stores and reductions: the checks first (transfer_check.h), then the runs of the walk move (take.h).
#include "im2col_store.h"

#include "im2col_check.h"
#include "operand.h"
#include "take.h"

// The 715 faults of the bounding box: rule IM2COL_STORE_CORNERS.
static void check_corners(struct transfer_report *report, const struct tensormap *map)
{
    for (int k = 0; k < map->rank - 2; k++) {
        uint64_t lower = (uint64_t)(int64_t)map->lower[k], upper = (uint64_t)(int64_t)map->upper[k];
        if (map->lower[k] < 0)
            transfer_broken(report,
                            (struct finding){RULE_IM2COL_STORE_CORNERS, "pixelBoxLowerCorner", k, 1, lower, 0, 0});
        if (map->upper[k] > 0)
            transfer_broken(report,
                            (struct finding){RULE_IM2COL_STORE_CORNERS, "pixelBoxUpperCorner", k, 1, upper, 0, 0});
    }
}

// The first pixel that is written and not all mapped; 0 if there is none.
static int find_unmapped(const struct transfer *t, const struct im2col *column, uint64_t *unmapped)
{
    struct tile_run run;
    struct im2col_walk walk = im2col_walk(column);
    for (uint32_t count; (count = im2col_next_pixels(&walk, &run)) > 0;) {
        struct rows rows = {count, run.bytes, column->pitch_bytes, column->step_bytes};
        if (!run.is_fill && take_find_unmapped(t, &rows, &run, unmapped)) return 1;
    }
    return 0;
}

static enum rule check(const struct transfer *t, struct findings *findings)
{
    struct transfer_report report = transfer_report_start(&store_rules, findings);
    if (!transfer_map_readable(&report, t->map, TENSORMAP_IM2COL)) return report.first;
    int has_box = transfer_check_map(&report, t->map, TENSORMAP_IM2COL, t->dims);
    struct im2col column;
    uint64_t unmapped;
    transfer_check_type(&report, t);
    transfer_check_coord(&report, t->map, t->dims, t->coord);
    transfer_check_signs(&report, t);
    if (t->map->mode == TENSORMAP_IM2COL) check_corners(&report, t->map);
    if (has_box) {
        column = im2col_of_store(t->map, t->coord);
        im2col_check_start(&report, &column);
    }
    int fits =
        transfer_check_shared(&report, t->map, has_box ? im2col_reach_bytes(&column) : 0, t->shared_memory, t->shared);
    if (has_box && fits && !operand_is_nowhere(t->shared) && find_unmapped(t, &column, &unmapped))
        transfer_report_unmapped(&report, t->global_memory, unmapped);
    return report.first;
}

static enum rule run(const struct transfer *t)
{
    enum rule rule = check(t, NULL);
    if (rule != RULE_OK || operand_is_nowhere(t->shared)) return rule;

    struct im2col column = im2col_of_store(t->map, t->coord);
    struct im2col_walk walk = im2col_walk(&column);
    struct tile_run run;
    for (uint32_t count; (count = im2col_next_pixels(&walk, &run)) > 0;) {
        struct rows rows = {count, run.bytes, column.pitch_bytes, column.step_bytes};
        if (!run.is_fill) take_rows(t, &rows, &run);
    }
    return RULE_OK;
}

enum rule im2col_store_check(const struct tensormap *map, int dims, const int32_t *coord,
                             const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                             struct findings *findings)
{
    const struct transfer t = {NO_OP, map, dims, coord, global_memory, shared_memory, shared};
    return check(&t, findings);
}

enum rule im2col_reduce_check(enum reduce_op op, const struct tensormap *map, int dims, const int32_t *coord,
                              const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                              struct findings *findings)
{
    const struct transfer t = {transfer_op(op), map, dims, coord, global_memory, shared_memory, shared};
    return check(&t, findings);
}

enum rule im2col_store(const struct tensormap *map, int dims, const int32_t *coord, const struct memory *global_memory,
                       const struct memory *shared_memory, uint32_t shared)
{
    const struct transfer t = {NO_OP, map, dims, coord, global_memory, shared_memory, shared};
    return run(&t);
}

enum rule im2col_reduce(enum reduce_op op, const struct tensormap *map, int dims, const int32_t *coord,
                        const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared)
{
    const struct transfer t = {transfer_op(op), map, dims, coord, global_memory, shared_memory, shared};
    return run(&t);
}
