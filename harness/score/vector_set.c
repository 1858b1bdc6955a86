// SPDX-License-Identifier: MIT
#include "vector_set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "feature.h"
#include "json.h"
#include "score.h"

enum { VECTORS_VERSION = 1 };

struct flag {
    const char *name, *bug, *effect;
    int (*when)(const struct feature *f);
};

#define FLAG(name, when, bug, effect)                                                                                  \
    static int is_##name(const struct feature *f)                                                                      \
    {                                                                                                                  \
        return when;                                                                                                   \
    }
#include "flags.def"
#undef FLAG
static const struct flag flags[] = {
#define FLAG(name, when, bug, effect) {#name, bug, effect, is_##name},
#include "flags.def"
#undef FLAG
};

// What is made: a file of vectors, of which each flag is explained once.
struct making {
    json_t *vectors, *flags;
    struct text why;
};

static void add_flag(struct making *making, json_t *list, const char *name, const char *bug, const char *effect)
{
    json_array_append_new(list, json_string(name));
    if (json_object_get(making->flags, name) == NULL)
        json_object_set_new(making->flags, name, json_pack("{s:s, s:s}", "bug", bug, "effect", effect));
}

static void add_rule(struct making *making, json_t *list, const struct rule_row *row)
{
    struct text bug, effect;
    const char *error = row->cuda_error != 0 ? cuda_error_name(row->cuda_error) : NULL;
    text_set(&bug, "A case that breaks the rule is taken for legal: %s", row->sentence);
    text_set(&effect, "On an H200 it ends in %s. %s",
             row->sm_90a == OUTCOME_CRASH ? "a crash of the driver"
             : error != NULL              ? error
                                          : "nothing that is told",
             row->advice);
    add_flag(making, list, row->id, bug.at, effect.at);
}

static json_t *flags_of(struct making *making, const struct family *family, const void *test_case, enum rule rule)
{
    json_t *list = json_array();
    struct feature feature;
    if (rule != RULE_OK) add_rule(making, list, rule_row(rule));
    if (rule != RULE_OK || family->feature == NULL || !family->feature(test_case, &feature)) return list;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (flags[i].when(&feature)) add_flag(making, list, flags[i].name, flags[i].bug, flags[i].effect);
    return list;
}

// Does the documents' own text decide the result? Else it is what an H200 does, which others may do too.
static const char *verdict_of(const struct family *family, const void *test_case, const struct result *result)
{
    bool is_open = family->varies != NULL && family->varies(test_case);
    is_open |= family->ground != NULL && family->ground(test_case) != GROUND_PTX;
    for (int i = 0; i < result->windows; i++) is_open |= result->window[i].is_open || result->window[i].is_mixed;
    if (result->rule == RULE_OK) return is_open ? "may" : "must";
    const enum outcome documented = rule_row(result->rule)->documented;
    return documented == OUTCOME_INVALID || documented == OUTCOME_FAULT ? "must not" : "may";
}

// The bytes of a window that are not what they were before, in runs.
static json_t *changes_of(const struct window *window, const uint8_t *before)
{
    enum { JOINED = 8 }; // runs that lie closer are one
    json_t *list = json_array();
    for (uint32_t at = 0, end, same; at < window->size_bytes; at = end) {
        for (end = at; end < window->size_bytes && window->bytes[end] == before[end];) end++;
        at = end;
        for (same = 0; end < window->size_bytes && same < JOINED; end++)
            same = window->bytes[end] == before[end] ? same + 1 : 0;
        if (at < end)
            json_array_append_new(list, json_pack("{s:I, s:o}", "at", (json_int_t)at, "bytes",
                                                  json_hex(window->bytes + at, end - same - at)));
    }
    return list;
}

static json_t *result_of(const struct family *family, const void *test_case, const struct result *result)
{
    uint8_t *room = calloc(1, family_result_bytes(family, test_case) + FAMILY_BEFORE_BYTES);
    struct result before = result_at(room);
    json_t *json = json_pack("{s:i}", "status", result->status);
    if (room == NULL) abort();
    family_before(family, test_case, &before);
    for (int i = 0; i < result->windows; i++) {
        const struct window *window = &result->window[i];
        const uint8_t *old = NULL;
        for (int j = 0; j < before.windows; j++)
            if (strcmp(before.window[j].name, window->name) == 0) old = before.window[j].bytes;
        json_t *bytes = old != NULL ? json_pack("{s:o}", "changed", changes_of(window, old))
                                    : json_pack("{s:o}", "bytes", json_hex(window->bytes, window->size_bytes));
        if (!window->is_open) json_object_set(json, window->name, bytes);
        json_decref(bytes);
    }
    free(room);
    return json;
}

static int add_vector(const struct trace_batch *cases, int i, void *context)
{
    struct making *making = context;
    const struct family *family = cases->batch.family;
    const void *test_case = batch_case(&cases->batch, i);
    const struct result *result = &cases->batch.results[i];
    if (!trace_batch_agrees(cases, i, NULL))
        return text_fail(&making->why, "line %" PRIu64 ": the model differs from the recording", cases->line[i]);
    json_t *json = executor_request(family, json_array_size(making->vectors), test_case);
    json_object_del(json, "family");
    json_object_set_new(json, "id", json_sprintf("%s:%" PRIu64, score_trace_name(cases->path).at, cases->line[i]));
    json_object_set_new(json, "verdict", json_string(verdict_of(family, test_case, result)));
    json_object_set_new(json, "flags", flags_of(making, family, test_case, result->rule));
    json_object_set_new(json, "result", result_of(family, test_case, result));
    json_array_append_new(making->vectors, json);
    return 1;
}

json_t *vectors_of(const char *path, uint64_t sample, struct text *why)
{
    struct making making = {json_array(), json_object(), {""}};
    struct trace_header header;
    const struct trace_run run = {&executor_model, false, {.sample = sample}, add_vector, &making};
    const bool ok = trace_run(path, &run, &header, why);
    if (!ok && making.why.at[0] != '\0') text_set(why, "%.200s: %.300s", path, making.why.at);
    if (!ok) {
        json_decref(making.vectors), json_decref(making.flags);
        return NULL;
    }
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:o, s:o}", "tmaref_vectors", VECTORS_VERSION, "schema",
                     "vectors.schema.json", "family", header.family->name, "device", header.device, "date", header.date,
                     "flags", making.flags, "vectors", making.vectors);
}
