// SPDX-License-Identifier: MIT
// A mismatch of the family "copy" in words: the first byte that differs, whose it is, and the rule that decides it.
#include <inttypes.h>
#include <string.h>

#include "copy_case.h"
#include "mbarrier.h"
#include "reduce.h"

// Shared memory of a CTA: which box of its tile.
static enum rule explain_tile(const struct copy_case *c, const struct copy_plan *plan, uint32_t at, FILE *out)
{
    uint32_t pitch = copy_is_stream(c) ? plan->job.tile_bytes : plan->job.dump_bytes, in_tile = at % pitch;
    uint32_t box = in_tile / plan->job.box_pitch_bytes, each = pitch;
    if (copy_is_stream(c)) each *= (plan->job.count + c->ctas - 1) / c->ctas;
    fprintf(out, "    CTA %u, tile %u of it, byte 0x%x of the tile: ", at / each, at % each / pitch, in_tile);
    if (box >= plan->job.boxes)
        fprintf(out, "behind its last box\n");
    else
        fprintf(out, "box %u of %u\n", box, plan->job.boxes);
    return c->operation == COPY_MULTICAST || c->operation == COPY_STREAM ? RULE_MULTICAST_SLICE : RULE_TILE_ADDRESS;
}

// What decides an element of the tensor that is written.
static enum rule rule_of_element(const struct copy_case *c)
{
    uint32_t reduction = copy_reduction(c);
    if (reduction == 0) return RULE_STORE_LAYOUT;
    if (!dtype_row((enum dtype)c->map.data_type)->is_float) return RULE_REDUCE_INTEGER;
    return reduction == 1 + REDUCE_ADD ? RULE_REDUCE_FLOAT_ADD : RULE_REDUCE_HALF_MIN_MAX;
}

// Memory: which element of the tensor, or that it is none.
static enum rule explain_tensor(const struct copy_case *c, const struct copy_plan *plan, uint64_t address, FILE *out)
{
    const struct tensormap *map = copy_has_two(c) ? &plan->machine.to : &plan->machine.map;
    uint64_t index[COPY_MAX_RANK] = {0}, offset = address - (copy_has_map(c) ? map->address : c->to);
    fprintf(out, "    byte %" PRId64 " of what is written", (int64_t)offset);
    int is_inside = copy_has_map(c) && (int64_t)offset >= 0;
    for (int i = map->rank - 1; i >= 0 && is_inside; i--) {
        index[i] = offset / map->stride[i];
        offset %= map->stride[i];
        is_inside = index[i] < map->dim[i];
    }
    if (is_inside) fprintf(out, ": element (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")", index[0], index[1], index[2]);
    fprintf(out, "\n");
    if (!copy_has_map(c)) return RULE_BULK_SIZE;
    return is_inside ? rule_of_element(c) : RULE_STORE_GRANULE;
}

enum rule copy_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct copy_case *c = test_case;
    struct copy_plan plan;
    if (copy_plan_of(c, &plan) != RULE_OK) return RULE_TILE_ADDRESS;
    if (strcmp(difference->expected->name, "tiles") == 0) return explain_tile(c, &plan, difference->at, out);
    if (strcmp(difference->expected->name, "barriers") != 0)
        return explain_tensor(c, &plan, plan.base + difference->at, out);
    fprintf(out, "    mbarrier of CTA %u: ", difference->at / 8);
    difference_print_barrier(difference, out);
    return RULE_MULTICAST_TX_BYTES;
}
