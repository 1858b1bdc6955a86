// SPDX-License-Identifier: MIT
// What a mismatch of an im2col load means: the first byte that differs, which pixel it belongs to, and the rule that
// would explain the bytes found.
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "load_case.h"
#include "load_job.h"
#include "mbarrier.h"
#include "provenance.h"
#include "rules/im2col.h"
#include "rules/tile.h"
#include "swizzle.h"
#include "swizzle_names.h"

enum { PIECE_BYTES = 8 };

static void print_pixel(const struct im2col *column, const struct im2col_walk *place, const struct tile_run *run,
                        uint32_t offset, FILE *out)
{
    static const char names[] = "WHD";
    fprintf(out, "    expected: pixel %u", place->pixel);
    for (int k = 0; k < column->spatials; k++)
        fprintf(out, " %c %" PRId64 "+%u", names[k], place->at[k], column->offset[k]);
    fprintf(out, " N %" PRId64 ", byte %u of %u, ", place->n, offset - place->pixel * column->pitch_bytes,
            column->pixel_bytes);
    if (run->is_fill)
        fprintf(out, "out of bounds: fill\n");
    else
        fprintf(out, "global address +0x%" PRIx64 "\n", run->address + (offset - run->offset) - ARENA_BASE);
}

// The rule most likely misread by whoever gave the bytes found; `run` is NULL outside the column.
static enum rule likely_rule(const struct im2col *column, const struct tile_run *run, enum load_origin found)
{
    if (run == NULL) return RULE_IM2COL_PITCH;
    if (run->is_fill != (found == LOAD_FILL)) return RULE_IM2COL_BOUNDS;
    if (run->is_fill) return column->map->oob_fill == OOB_FILL_ZERO ? RULE_TILE_FILL_ZERO : RULE_TILE_FILL_NAN;
    if (found == LOAD_SOURCE)
        return column->map->swizzle != SWIZZLE_NONE ? swizzle_name(column->map->swizzle)->rule : RULE_IM2COL_WALK;
    if (found == LOAD_UNTOUCHED) return RULE_IM2COL_PITCH;
    return dtype_row(column->map->dtype)->is_tf32 ? RULE_TILE_TF32 : RULE_IM2COL_WALK;
}

static enum rule explain_byte(const struct load_case *c, const struct im2col *column, const struct window *found,
                              uint32_t index, FILE *out)
{
    static const char *const words[] = {"the bytes that were there before: never written", "a fill",
                                        "bytes of the source at +0x", "bytes that are nowhere in the source"};
    uint32_t piece = index / PIECE_BYTES * PIECE_BYTES, address = (uint32_t)found->base + index;
    uint32_t flat = swizzle_apply(column->map->swizzle, address);
    uint64_t source = 0;
    struct im2col_walk place;
    struct tile_run run;
    bool inside = flat >= c->shared && provenance_pixel(column, flat - c->shared, &place, &run);
    enum load_origin kind = load_origin_of((uint32_t)found->base + piece, found->bytes + piece, &source);
    if (inside)
        print_pixel(column, &place, &run, flat - c->shared, out);
    else
        fprintf(out, "    expected: no change, the byte is outside the column\n");
    fprintf(out, "    found:    %s", words[kind]);
    if (kind == LOAD_SOURCE) fprintf(out, "%" PRIx64, source - ARENA_BASE);
    fprintf(out, "\n");
    return likely_rule(column, inside ? &run : NULL, kind);
}

enum rule im2col_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct load_case *c = test_case;
    uint32_t address = (uint32_t)difference->found->base + difference->at;
    struct tensormap map;
    if (!map_args_made(&c->map, &map) || map.mode != TENSORMAP_IM2COL) return RULE_IM2COL_WALK;
    if (difference->window == 0) return difference_explain_barrier(difference, RULE_IM2COL_TX_BYTES, out);
    struct im2col column = im2col_of(&map, c->coord, c->offset);
    fprintf(out, "    bank %u\n", address / 4 % 32);
    return explain_byte(c, &column, difference->found, difference->at, out);
}
