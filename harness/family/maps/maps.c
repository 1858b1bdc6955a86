// SPDX-License-Identifier: MIT
// Family "maps": tensors whose maps come as a parameter, a constant or in global memory, made by the host or by a
// kernel. The result is, of each, the map's 128 bytes, shared memory around the box, and the tensor's memory.
#include <inttypes.h>
#include <string.h>

#include "family.h"
#include "json.h"
#include "maps_case.h"

static const char *const way_names[] = {"param", "constant", "global", "template", "zeros", NULL};

static json_t *maps_write(const void *test_case)
{
    const struct maps_case *c = test_case;
    json_t *json = json_object(), *tensors = json_array();
    json_object_set_new(json, "way", json_string(way_names[c->way]));
    for (uint32_t i = 0; i < c->count; i++) json_array_append_new(tensors, store_write(&c->tensor[i]));
    json_object_set_new(json, "tensors", tensors);
    return json;
}

static int maps_read(const json_t *json, void *test_case, struct text *why)
{
    struct maps_case *c = test_case;
    struct json_reader reader = json_reader_open(json, "maps case", why);
    *c = (struct maps_case){0};
    c->way = (uint32_t)json_read_name(&reader, "way", way_names);
    const json_t *tensors = json_read_any(&reader, "tensors");
    if (!json_reader_close(&reader)) return 0;
    c->count = (uint32_t)json_array_size(tensors);
    if (c->count == 0 || c->count > MAPS_BATCH) {
        text_set(why, "maps case: \"tensors\" is an array of 1 to %d", MAPS_BATCH);
        return 0;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        struct store_case *tensor = &c->tensor[i];
        if (!store_read_as(STORE_TILE, 1, json_array_get(tensors, i), tensor, why)) return 0;
        if (tensor->operation == 0 && tensor->map.function == MAP_TILED && tensor->map.misalign == 0) continue;
        text_set(why, "maps case: a tensor is a plain store with a map of cuTensorMapEncodeTiled");
        return 0;
    }
    return 1;
}

static void maps_run_model(const void *test_case, struct result *result)
{
    result->rule = maps_run(test_case, result);
    result->status = rule_cuda_error(result->rule);
    if (result->rule != RULE_OK) result->windows = 0;
}

static void maps_explain(const void *test_case, const struct result *expected, const struct result *found, FILE *out)
{
    const struct maps_case *c = test_case;
    for (int i = 0; i < expected->windows && i < found->windows; i++) {
        const struct window *want = &expected->window[i], *got = &found->window[i];
        uint32_t at = 0;
        while (at < want->size_bytes && want->bytes[at] == got->bytes[at]) at++;
        if (at == want->size_bytes) continue;
        const char *rule = i % MAPS_WINDOWS != MAPS_WINDOW_MAP ? "TILE_ADDRESS, or a map that was not acquired"
                           : c->way >= MAPS_TEMPLATE           ? "REPLACE_FIELD"
                                                               : "MAP_BITS_LAYOUT";
        fprintf(out, "    tensor %d of a batch, maps by %s: %s 0x%" PRIx64 ": expected %02x, found %02x; likely %s\n",
                i / MAPS_WINDOWS, way_names[c->way], want->name, want->base + at, want->bytes[at], got->bytes[at],
                rule);
        return;
    }
}

const struct family family_maps = {
    .name = "maps",
    .summary = "maps by parameter, constant or global memory, made by host or kernel: map, box and tensor",
    .case_bytes = sizeof(struct maps_case),
    .cost = 10,
    .generate = maps_generate,
    .write = maps_write,
    .read = maps_read,
    .result_bytes = maps_result_bytes,
    .run_model = maps_run_model,
    .run_gpu = maps_run_gpu,
    .kernels = "maps",
    .explain = maps_explain,
    .rule = RULE_MAP_LOCATION_WAYS,
};
