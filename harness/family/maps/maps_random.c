// SPDX-License-Identifier: MIT
// Random batches: one to four tensors of any type, rank and size, with boxes that stick out, as the family store has
// them; each way of the maps as often as the others. Only what works: faults are the families' load, store and replace.
#include <stdlib.h>

#include "family.h"
#include "maps_case.h"

// Does the tensor work alone, in all its steps?
static int works(const struct maps_case *c, uint32_t tensor)
{
    struct maps_case alone = {.way = c->way, .count = 1, .tensor = {c->tensor[tensor]}};
    const struct store_case *t = &alone.tensor[0];
    struct tensormap map;
    if (t->map.function != MAP_TILED || !map_args_made(&t->map, &map) ||
        family_result_bytes(&family_maps, &alone) > 4 * STORE_GLOBAL_BYTES)
        return 0;
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
