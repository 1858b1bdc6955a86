// SPDX-License-Identifier: MIT
// Family "maps": tensors whose maps come as a parameter, a constant or in global memory, made by the host or by a
// kernel. The result is, of each, the map's 128 bytes, shared memory around the box, and the tensor's memory.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "field.h"
#include "maps_case.h"
#include "rules/map.h"
#include "rules/replace.h"
#include "rules/tile.h"

static const char *const way_names[] = {"param", "constant", "global", "template", "zeros", NULL};

enum rule maps_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct maps_case *c = test_case;
    const bool is_map = difference->window % MAPS_WINDOWS == MAPS_WINDOW_MAP;
    fprintf(out, "    tensor %d of a batch, maps by %s%s\n", difference->window / MAPS_WINDOWS, way_names[c->way],
            is_map ? "" : "; or its map was not acquired");
    if (!is_map) return RULE_TILE_ADDRESS;
    return c->way >= MAPS_TEMPLATE ? RULE_REPLACE_FIELD : RULE_MAP_BITS_LAYOUT;
}

static const char *illegal(const void *test_case)
{
    const struct maps_case *c = test_case;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct store_case *tensor = &c->tensor[i];
        if (tensor->operation != 0 || tensor->map.function != MAP_TILED || tensor->map.misalign != 0)
            return "a tensor is a plain store with a map of cuTensorMapEncodeTiled";
    }
    return NULL;
}

#define CASE struct maps_case
static const struct field field[] = {
    FIELD_ONE_OF("way", way, way_names, "how the kernel gets the maps"),
    FIELD_LIST_OF("tensors", tensor, count, &store_fields, 1, MAPS_BATCH, "the stores, as in the family store"),
    FIELD_END,
};
#undef CASE

// --- Random cases ----------------------------------------------------------------------------------------------------
// Random batches: one to four tensors of any type, rank and size, with boxes that stick out, as the family store has
// them; each way of the maps as often as the others. Only what works: faults are the families' load, store and replace.

// Does the tensor work alone, in all its steps?
static bool works(const struct maps_case *c, uint32_t tensor)
{
    struct maps_case alone = {.way = c->way, .count = 1, .tensor = {c->tensor[tensor]}};
    const struct store_case *t = &alone.tensor[0];
    struct tensormap map;
    if (t->map.function != MAP_TILED || !map_args_made(&t->map, &map) ||
        family_result_bytes(&family_maps, &alone) > 4 * STORE_GLOBAL_BYTES)
        return false;
    return family_rule(&family_maps, &alone) == RULE_OK;
}

void maps_generate(struct random *random, void *test_case)
{
    struct maps_case *c = test_case;
    *c = (struct maps_case){.way = (uint32_t)random_below(random, MAPS_WAYS)};
    c->count = 1 + (uint32_t)random_below(random, MAPS_BATCH);
    for (uint32_t i = 0; i < c->count; i++) {
        do {
            store_generate(random, &c->tensor[i]);
            c->tensor[i].operation = 0;
        } while (!works(c, i));
    }
}

const struct family family_maps = {
    FAMILY_CASES("maps", struct maps_case, field, .illegal = illegal),
    .summary = "maps by parameter, constant or global memory, made by host or kernel: map, box and tensor",
    .cost = 10,
    .generate = maps_generate,
    .windows = maps_windows,
    .fill = maps_fill,
    .run_model = maps_run,
    .run_gpu = maps_run_gpu,
    .kernels = "maps",
    .explain = maps_explain,
};
