// SPDX-License-Identifier: MIT
// Tiled stores and reductions: the checks first (transfer_check.h), then the runs of the walk move (take.h).
#include "store.h"

#include "operand.h"
#include "take.h"
#include "transfer_check.h"

// The first row that is written and not all mapped; 0 if there is none.
static int find_unmapped(const struct transfer *t, const struct tile *tile, uint64_t *unmapped)
{
    struct tile_run run;
    struct tile_walk walk = tile_walk(tile);
    for (uint32_t count; (count = tile_next_rows(&walk, &run)) > 0;) {
        struct rows rows = {count, run.bytes, tile->pitch_bytes, tile->row_step_bytes};
        if (!run.is_fill && take_find_unmapped(t, &rows, &run, unmapped)) return 1;
    }
    return 0;
}

static enum rule check(const struct transfer *t, struct findings *findings)
{
    struct transfer_report report = transfer_report_start(&store_rules, findings);
    if (!transfer_map_readable(&report, t->map, TENSORMAP_TILED)) return report.first;
    int has_box = transfer_check_map(&report, t->map, TENSORMAP_TILED, t->dims);
    struct tile tile;
    uint64_t unmapped;
    if (has_box) tile = tile_of_store(t->map, t->coord);
    transfer_check_type(&report, t);
    transfer_check_coord(&report, t->map, t->dims, t->coord);
    transfer_check_signs(&report, t);
    int fits =
        transfer_check_shared(&report, t->map, has_box ? tile_reach_bytes(&tile) : 0, t->shared_memory, t->shared);
    if (has_box && fits && !operand_is_nowhere(t->shared) && find_unmapped(t, &tile, &unmapped))
        transfer_report_unmapped(&report, t->global_memory, unmapped);
    return report.first;
}

static enum rule run(const struct transfer *t)
{
    enum rule rule = check(t, NULL);
    if (rule != RULE_OK || operand_is_nowhere(t->shared)) return rule;

    struct tile tile = tile_of_store(t->map, t->coord);
    struct tile_walk walk = tile_walk(&tile);
    struct tile_run run;
    for (uint32_t count; (count = tile_next_rows(&walk, &run)) > 0;) {
        struct rows rows = {count, run.bytes, tile.pitch_bytes, tile.row_step_bytes};
        if (!run.is_fill) take_rows(t, &rows, &run);
    }
    return RULE_OK;
}

enum rule tile_store_check(const struct tensormap *map, int dims, const int32_t *coord,
                           const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                           struct findings *findings)
{
    const struct transfer t = {NO_OP, map, dims, coord, global_memory, shared_memory, shared};
    return check(&t, findings);
}

enum rule tile_reduce_check(enum reduce_op op, const struct tensormap *map, int dims, const int32_t *coord,
                            const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                            struct findings *findings)
{
    const struct transfer t = {transfer_op(op), map, dims, coord, global_memory, shared_memory, shared};
    return check(&t, findings);
}

enum rule tile_store(const struct tensormap *map, int dims, const int32_t *coord, const struct memory *global_memory,
                     const struct memory *shared_memory, uint32_t shared)
{
    const struct transfer t = {NO_OP, map, dims, coord, global_memory, shared_memory, shared};
    return run(&t);
}

enum rule tile_reduce(enum reduce_op op, const struct tensormap *map, int dims, const int32_t *coord,
                      const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared)
{
    const struct transfer t = {transfer_op(op), map, dims, coord, global_memory, shared_memory, shared};
    return run(&t);
}
