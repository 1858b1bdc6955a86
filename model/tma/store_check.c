// SPDX-License-Identifier: MIT
// The checks of tensor stores and reductions, tiled and im2col.
#include "broken.h"
#include "global_check.h"
#include "operand.h"
#include "rules/im2col.h"
#include "transfer_check.h"

// The 715 faults of an im2col store's bounding box: rule IM2COL_STORE_CORNERS.
static void check_corners(struct transfer_report *report, const struct tensormap *map)
{
    for (int k = 0; k < map->rank - 2; k++) {
        uint64_t lower = (uint64_t)(int64_t)map->lower[k], upper = (uint64_t)(int64_t)map->upper[k];
        if (map->lower[k] < 0)
            transfer_broken(report, FINDING_AT(RULE_IM2COL_STORE_CORNERS, "pixelBoxLowerCorner", k, .is_signed = 1,
                                               .value = lower));
        if (map->upper[k] > 0)
            transfer_broken(report, FINDING_AT(RULE_IM2COL_STORE_CORNERS, "pixelBoxUpperCorner", k, .is_signed = 1,
                                               .value = upper));
    }
}

enum rule transfer_check_store(const struct transfer *t, struct box *box, struct findings *findings)
{
    struct transfer_report report = transfer_report_start(&store_rules, findings);
    uint64_t unmapped;
    if (!transfer_map_readable(&report, t->map, t->mode)) return report.first;
    bool has_box = transfer_check_map(&report, t->map, t->mode, t->dims);
    transfer_check_type(&report, t);
    transfer_check_coord(&report, t->map, t->dims, t->coord);
    transfer_check_signs(&report, t);
    if (t->mode == TENSORMAP_IM2COL && t->map->mode == TENSORMAP_IM2COL) check_corners(&report, t->map);
    if (has_box) box_start_store(box, t->mode, t->map, t->coord);
    if (has_box && t->mode == TENSORMAP_IM2COL) transfer_check_start(&report, &box->column);
    bool fits = transfer_check_shared(&report, t->map, has_box ? box_reach_bytes(box) : 0, t->shared_memory, t->shared);
    if (has_box && fits && !operand_is_nowhere(t->shared) && t->global_memory != NULL &&
        global_find_unusable(box, t->global_memory, MEMORY_WRITES, &unmapped))
        transfer_report_unmapped(&report, t->global_memory, unmapped);
    return report.first;
}
