// SPDX-License-Identifier: MIT
// What a mismatch of a store means: the first byte that differs, the elements that met there, and the rule that says
// what they make. The place comes from the model's walk, with every run tried.
#include <inttypes.h>
#include <string.h>

#include "reduce.h"
#include "rules/im2col.h"
#include "rules/reduce.h"
#include "rules/store.h"
#include "store.h"
#include "store_case.h"
#include "swizzle.h"

// Where the byte at a global address comes from: its shared address; 0 if the box does not write it.
static uint32_t source_of(const struct store_case *c, const struct tensormap *map, uint64_t address)
{
    const struct box box = store_box(c, map);
    struct box_walk walk = box_walk(&box);
    struct tile_run run;
    for (uint32_t rows; (rows = store_next_rows(&box, &walk, &run)) > 0;)
        for (uint32_t row = 0; row < rows; row++) {
            uint64_t byte = address - (run.address + row * box_step_bytes(&box));
            if (byte >= run.bytes) continue;
            return swizzle_apply(map->swizzle, c->shared + run.offset + row * box_pitch_bytes(&box) + (uint32_t)byte);
        }
    return 0;
}

static enum rule likely_rule(const struct store_case *c, const struct tensormap *map, bool is_written)
{
    bool is_im2col = c->mode == STORE_IM2COL;
    if (!is_written && map->interleave == INTERLEAVE_NONE) return RULE_STORE_GRANULE;
    if (!is_written) return is_im2col ? RULE_IM2COL_STORE_WALK : RULE_STORE_BOUNDS;
    if (c->operation == 0) return is_im2col ? RULE_IM2COL_STORE_WALK : RULE_STORE_LAYOUT;
    if (!dtype_row(map->dtype)->is_float) return RULE_REDUCE_INTEGER;
    if (map->dtype == DTYPE_FLOAT32_FTZ || map->dtype == DTYPE_TFLOAT32_FTZ) return RULE_REDUCE_FTZ;
    return c->operation == 1 + REDUCE_ADD ? RULE_REDUCE_FLOAT_ADD : RULE_REDUCE_HALF_MIN_MAX;
}

static void print_element(const char *what, const uint8_t *bytes, uint32_t size_bytes, FILE *out)
{
    fprintf(out, " %s ", what);
    for (uint32_t i = size_bytes; i > 0; i--) fprintf(out, "%02x", bytes[i - 1]);
}

// The element that holds byte `at` of the windows: before, in shared memory, and as each side has it.
static enum rule explain_element(const struct store_case *c, const struct tensormap *map, const struct window *expected,
                                 const struct window *found, uint32_t at, FILE *out)
{
    uint32_t size = dtype_row(map->dtype)->size_bytes, first = at / size * size;
    uint64_t address = expected->base + first;
    uint8_t before[8], source[8];
    uint32_t from = source_of(c, map, address);
    store_fill_global(c, address / 8 * 8, before, sizeof before);
    fprintf(out, "    global +0x%x, element of %s:", (uint32_t)(address - STORE_GLOBAL_BASE),
            dtype_row(map->dtype)->name);
    print_element("before", before + address % 8, size, out);
    if (from != 0) {
        store_fill_shared(c, from / 8 * 8, source, sizeof source);
        print_element("shared", source + from % 8, size, out);
    }
    print_element("expected", expected->bytes + first, size, out);
    print_element("found", found->bytes + first, size, out);
    if (from != 0)
        fprintf(out, "\n    from shared 0x%x by %s\n", from, store_operation_name(c->operation));
    else
        fprintf(out, "\n    the box does not write it\n");
    return likely_rule(c, map, from != 0);
}

enum rule store_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct store_case *c = test_case;
    struct tensormap map;
    if (!map_args_made(&c->map, &map) || !store_has_walk(c, &map))
        return c->mode == STORE_IM2COL ? RULE_IM2COL_STORE_WALK : RULE_STORE_LAYOUT;
    return explain_element(c, &map, difference->expected, difference->found, difference->at, out);
}
