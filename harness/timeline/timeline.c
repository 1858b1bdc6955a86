// SPDX-License-Identifier: MIT
// The spans themselves, and their way to a viewer of traces.
#include "timeline.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>

#include "array.h"

const char *const timeline_kinds[TIMELINE_KINDS] = {"waits", "loads", "consumer 0 multiplies", "consumer 1 multiplies",
                                                    "epilogue: D to shared memory, TMA store"};

int timeline_row(struct timeline *timeline, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(timeline->row[timeline->rows], TIMELINE_NAME_BYTES, format, arguments);
    va_end(arguments);
    return timeline->rows++;
}

int timeline_add(struct timeline *timeline, struct timeline_span span)
{
    return ARRAY_ADD(timeline->span, timeline->count, span);
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->span);
    *timeline = (struct timeline){0};
}

void timeline_range(const struct timeline *timeline, uint64_t *first, uint64_t *end)
{
    *first = timeline->count > 0 ? UINT64_MAX : 0;
    *end = 0;
    for (int i = 0; i < timeline->count; i++) {
        if (timeline->span[i].start < *first) *first = timeline->span[i].start;
        if (timeline->span[i].end > *end) *end = timeline->span[i].end;
    }
}

static json_t *thread_name(const struct timeline *timeline, int row)
{
    return json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "name", "thread_name", "ph", "M", "pid", 0, "tid", row, "args",
                     "name", timeline->row[row]);
}

// Viewers count in microseconds: a tick becomes a thousandth of one.
static json_t *event(const struct timeline_span *span, uint64_t origin)
{
    json_t *args = json_pack("{s:i}", "tile", span->tile);
    if (span->stage >= 0) json_object_set_new(args, "stage", json_integer(span->stage));
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:f, s:f, s:o}", "name", span->name, "cat", timeline_kinds[span->kind],
                     "ph", "X", "pid", 0, "tid", span->row, "ts", (double)(span->start - origin) / 1000, "dur",
                     (double)(span->end - span->start) / 1000, "args", args);
}

void timeline_json(const struct timeline *timeline, FILE *out)
{
    json_t *events = json_array();
    uint64_t first, end;
    timeline_range(timeline, &first, &end);
    json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:{s:s}}", "name", "process_name", "ph", "M", "pid", 0,
                                            "args", "name", timeline->title));
    for (int row = 0; row < timeline->rows; row++) json_array_append_new(events, thread_name(timeline, row));
    for (int i = 0; i < timeline->count; i++) json_array_append_new(events, event(&timeline->span[i], first));
    json_t *json = json_pack("{s:o, s:s, s:{s:s, s:s}}", "traceEvents", events, "displayTimeUnit", "ns", "otherData",
                             "title", timeline->title, "tick shown as 1 ns", timeline->unit);
    json_dumpf(json, out, JSON_COMPACT | JSON_REAL_PRECISION(12));
    fprintf(out, "\n");
    json_decref(json);
}
