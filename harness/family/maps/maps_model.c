// SPDX-License-Identifier: MIT
// A batch of tensors on the model: the map as it gets to the kernel, the load, the change, the store.
#include <string.h>

#include "copy.h"
#include "maps_case.h"
#include "replace_case.h"
#include "rules/load.h"
#include "store.h"

enum { ALIGN_BYTES = 256, GUARD_BYTES = 128 };

// --- Maps ------------------------------------------------------------------------------------------------------------

struct map_args maps_template(void)
{
    return (struct map_args){.function = MAP_TILED,
                             .data_type = DTYPE_UINT8,
                             .rank = 1,
                             .address = STORE_GLOBAL_BASE,
                             .dim = {16},
                             .box = {16},
                             .estride = {1}};
}

struct maps_fields maps_fields(const struct map_args *args)
{
    struct maps_fields fields = {.address = args->address,
                                 .rank = args->rank - 1,
                                 .elemtype = replace_elemtype((enum dtype)args->data_type),
                                 .interleave = args->interleave,
                                 .swizzle = args->swizzle,
                                 .fill = args->oob_fill};
    for (uint32_t i = 0; i < args->rank; i++) {
        fields.dim[i] = (uint32_t)args->dim[i];
        fields.box[i] = args->box[i];
        fields.estride[i] = args->estride[i];
        if (i > 0) fields.stride[i - 1] = args->strides[i - 1];
    }
    return fields;
}

// The 128 bytes that the kernel gets for a tensor; 0 if the encode of its map is refused.
static bool maps_image(const struct maps_case *c, uint32_t tensor, struct tensormap_image *image)
{
    const struct map_args start = maps_template();
    struct replace_op op[REPLACE_MAX_OPS];
    struct tensormap map;
    if (map_args_encode(&c->tensor[tensor].map, image, NULL) != RULE_OK) return false;
    if (c->way != MAPS_TEMPLATE && c->way != MAPS_ZEROS) return true;
    tensormap_decode(image, &map, NULL);
    *image = (struct tensormap_image){{0}};
    if (c->way == MAPS_TEMPLATE) map_args_encode(&start, image, NULL);
    for (uint32_t i = 0, count = replace_ops_of(&map, op); i < count; i++) tensormap_replace(image, &op[i], NULL);
    return true;
}

// --- What is where ---------------------------------------------------------------------------------------------------

struct maps_task maps_task(const struct maps_case *c, uint32_t tensor)
{
    const struct store_case *t = &c->tensor[tensor];
    struct maps_task task = {.dims = (int32_t)t->dims, .shared = t->shared};
    struct tensormap map;
    memcpy(task.coord, t->coord, sizeof task.coord);
    if (!map_args_made(&t->map, &map)) return task;
    struct tile tile = tile_of(&map, t->coord);
    task.expect_bytes = (uint32_t)tile_transaction_bytes(&tile);
    store_source(t, &map, &task.first, &task.end);
    task.window = task.first - MAPS_SHARED_START < GUARD_BYTES ? MAPS_SHARED_START : task.first - GUARD_BYTES;
    task.window_end = MAPS_SHARED_END - task.end < GUARD_BYTES ? MAPS_SHARED_END : task.end + GUARD_BYTES;
    return task;
}

void maps_windows(const void *test_case, struct result *result)
{
    static const char *const names[][MAPS_WINDOWS] = {{"map0", "shared0", "global0"},
                                                      {"map1", "shared1", "global1"},
                                                      {"map2", "shared2", "global2"},
                                                      {"map3", "shared3", "global3"}};
    const struct maps_case *c = test_case;
    for (uint32_t i = 0; i < c->count; i++) {
        struct maps_task task = maps_task(c, i);
        struct store_window window = store_window(&c->tensor[i]);
        result_window(result, names[i][MAPS_WINDOW_MAP], 0, TENSORMAP_BYTES);
        result_window(result, names[i][MAPS_WINDOW_SHARED], task.window, task.window_end - task.window);
        result_align(result, ALIGN_BYTES);
        result_window(result, names[i][MAPS_WINDOW_GLOBAL], window.base, window.size_bytes);
    }
}

void maps_fill(const void *test_case, const struct result *result)
{
    const struct maps_case *c = test_case;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct window *global = &result->window[i * MAPS_WINDOWS + MAPS_WINDOW_GLOBAL];
        store_fill_global(&c->tensor[i], global->base, global->bytes, global->size_bytes);
    }
}

// --- The model -------------------------------------------------------------------------------------------------------

static enum rule run_tensor(const struct maps_case *c, uint32_t tensor, const struct window windows[MAPS_WINDOWS])
{
    uint8_t cta[MAPS_SHARED_BYTES];
    const struct memory shared = {cta, MAPS_SHARED_START, sizeof cta};
    const struct window *window = &windows[MAPS_WINDOW_GLOBAL], *dump = &windows[MAPS_WINDOW_SHARED];
    const struct memory global = {window->bytes, window->base, window->size_bytes};
    struct maps_task task = maps_task(c, tensor);
    struct tensormap_image image;
    struct tensormap map;
    uint32_t moved, word;
    if (!maps_image(c, tensor, &image)) return RULE_LOAD_MAP_FORMAT;
    tensormap_decode(&image, &map, NULL);
    memcpy(windows[MAPS_WINDOW_MAP].bytes, image.word, TENSORMAP_BYTES);
    for (uint32_t at = task.window; at < task.window_end; at += 4)
        memcpy(memory_at(&shared, at, 4), &(uint32_t){maps_canary(at)}, 4);
    enum rule rule = tile_load(&map, task.dims, task.coord, &global, &shared, task.shared, &moved, NULL);
    for (uint32_t at = task.first; at < task.end; at += 4) {
        memcpy(&word, memory_at(&shared, at, 4), 4);
        memcpy(memory_at(&shared, at, 4), &(uint32_t){word + 1}, 4);
    }
    if (rule == RULE_OK) rule = tile_store(&map, task.dims, task.coord, &global, &shared, task.shared, NULL);
    memcpy(dump->bytes, memory_at(&shared, task.window, 0), dump->size_bytes);
    return rule;
}

enum rule maps_run(const void *test_case, struct result *result)
{
    const struct maps_case *c = test_case;
    enum rule rule = RULE_OK;
    for (uint32_t i = 0; i < c->count && rule == RULE_OK; i++)
        rule = run_tensor(c, i, &result->window[i * MAPS_WINDOWS]);
    return rule;
}
