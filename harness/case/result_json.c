// SPDX-License-Identifier: MIT
#include "result_json.h"

#include "json.h"

json_t *result_windows_write(const struct result *result)
{
    json_t *json = json_object();
    for (int i = 0; i < result->windows; i++) {
        const struct window *window = &result->window[i];
        json_object_set_new(json, window->name,
                            json_pack("{s:o, s:o}", "base", json_u64(window->base), "bytes",
                                      json_hex(window->bytes, window->size_bytes)));
    }
    return json;
}

json_t *result_write(const struct result *result)
{
    json_t *json = json_pack("{s:i}", "status", result->status), *windows = result_windows_write(result);
    if (result->rule != RULE_OK) json_object_set_new(json, "rule", json_string(rule_row(result->rule)->id));
    if (result->told[0] != '\0') json_object_set_new(json, "told", json_string(result->told));
    if (result->end != RESULT_ANSWERED) json_object_set_new(json, "end", json_string(result_end_name(result->end)));
    json_object_update(json, windows);
    json_decref(windows);
    return json;
}
