// SPDX-License-Identifier: MIT
// The suite `timeline`: spans as JSON for a viewer and as a picture; and the kernels that `tmaref run` knows by name.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "runnable.h"
#include "timeline.h"

// Two rows: a load, and a tile of each consumer with an epilogue.
static struct timeline example(void)
{
    struct timeline timeline = {.title = "a <title> & more", .subtitle = "below it", .unit = "clocks"};
    int producer = timeline_row(&timeline, "producer"), consumer = timeline_row(&timeline, "consumer %d", 1);
    const struct timeline_span spans[] = {{producer, TIMELINE_LOAD, 0, 3, 5000, 5100, "load"},
                                          {consumer, TIMELINE_FIRST, 0, -1, 5100, 9000, "tile 0"},
                                          {consumer, TIMELINE_EPILOGUE, 0, -1, 9000, 11000, "epilogue"}};
    for (int i = 0; i < ROWS_OF(spans); i++) ck_assert(timeline_add(&timeline, spans[i]));
    return timeline;
}

static char *printed(const struct timeline *timeline, bool is_svg, uint64_t first, uint64_t end)
{
    char *bytes = NULL;
    size_t size_bytes = 0;
    FILE *out = open_memstream(&bytes, &size_bytes);
    if (is_svg)
        timeline_svg(timeline, first, end, out);
    else
        timeline_json(timeline, out);
    fclose(out);
    return bytes;
}

TEST(timeline_json_is_trace_events)
{
    struct timeline timeline = example();
    char *text = printed(&timeline, false, 0, 0);
    json_t *json = json_loads(text, 0, NULL), *events = json_object_get(json, "traceEvents");
    ck_assert_ptr_nonnull(events);
    ck_assert_uint_eq(json_array_size(events), 1 + 2 + 3); // the process, its threads, the spans
    json_t *span = json_array_get(events, 4);
    ck_assert_str_eq(json_string_value(json_object_get(span, "ph")), "X");
    ck_assert_str_eq(json_string_value(json_object_get(span, "name")), "tile 0");
    ck_assert_int_eq(json_integer_value(json_object_get(span, "tid")), 1);
    ck_assert(json_real_value(json_object_get(span, "ts")) == 0.1); // 100 clocks after the first
    ck_assert(json_real_value(json_object_get(span, "dur")) == 3.9);
    ck_assert_ptr_null(json_object_get(json_object_get(span, "args"), "stage"));
    span = json_array_get(events, 3);
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(span, "args"), "stage")), 3);
    json_decref(json);
    free(text);
    timeline_free(&timeline);
}

static int count(const char *text, const char *what)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++) found++;
    return found;
}

// All spans, or those of a window; names that fit; nothing that XML would stumble over.
TEST(timeline_svg_draws_what_the_window_shows)
{
    struct timeline timeline = example();
    char *all = printed(&timeline, true, 0, 0), *part = printed(&timeline, true, 1000, 3000);
    ck_assert_int_eq(count(all, "<title>"), 3);
    ck_assert_int_eq(count(all, "a &lt;title> &amp; more"), 1);
    ck_assert_int_eq(count(all, ">tile 0</text>"), 1);
    ck_assert_int_eq(count(all, ">load</text>"), 0); // too narrow for its name
    ck_assert_int_eq(count(all, ">consumer 1</text>"), 1);
    for (int kind = 0; kind < TIMELINE_KINDS; kind++) ck_assert_int_eq(count(all, timeline_kinds[kind]), 1);
    ck_assert_int_eq(count(all, "</svg>"), 1);
    ck_assert_int_eq(count(part, "<title>"), 1);
    ck_assert_int_eq(count(part, "<title>tile 0: 3900</title>"), 1);
    ck_assert_int_eq(count(part, ">1.4</text>"), 1); // the axis tells thousands of clocks from the start
    free(all);
    free(part);
    timeline_free(&timeline);
}

// The defaults of every kernel, without what is null, are a case of its family.
TEST(runnable_defaults_are_cases)
{
    for (const struct runnable *row = runnables; row->name != NULL; row++) {
        const struct family *family = family_find(row->family);
        json_t *json = json_loads(row->defaults, 0, NULL), *value;
        const char *key;
        void *next;
        struct text why = {""};
        ck_assert_msg(family != NULL && json != NULL, "%s", row->name);
        json_object_foreach_safe(json, next, key, value) if (json_is_null(value)) json_object_del(json, key);
        void *test_case = calloc(1, family->case_bytes);
        ck_assert_msg(family_read(family, json, test_case, &why), "%s: %s", row->name, why.at);
        ck_assert_msg(row->time == NULL || row->work(test_case) > 0, "%s", row->name);
        ck_assert_ptr_eq(runnable_find(row->name), row);
        free(test_case);
        json_decref(json);
    }
    ck_assert_ptr_null(runnable_find("gemm"));
}
