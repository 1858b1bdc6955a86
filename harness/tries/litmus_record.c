// SPDX-License-Identifier: MIT
#include "litmus_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "json.h"
#include "litmus_read.h"

enum { RECORD_VERSION = 1 };
#define RECORD_MAX_BYTES ((size_t)64 << 20)

// --- Reading ---------------------------------------------------------------------------------------------------------

static int read_header(const char *line, struct litmus_record_header *header, struct text *why)
{
    json_error_t error;
    json_t *json = line == NULL ? NULL : json_parse(line, strlen(line), &error);
    struct json_reader reader = json_reader_open(json, "first line (header of recorded litmus tests)", why);
    json_read_between(&reader, "tmaref_litmus", RECORD_VERSION, RECORD_VERSION);
    json_read_text(&reader, "recorded_by", header->recorded_by, sizeof header->recorded_by);
    json_read_text(&reader, "device", header->device, sizeof header->device);
    json_read_text(&reader, "date", header->date, sizeof header->date);
    const int ok = json_reader_close(&reader);
    json_decref(json);
    return ok;
}

int litmus_record_open(const char *path, struct litmus_record *record, struct text *why)
{
    size_t size_bytes = 0;
    struct text reason = {""};
    char *bytes = read_file(path, RECORD_MAX_BYTES, &size_bytes, why);
    if (bytes == NULL) return 0;
    *record = (struct litmus_record){0};
    const bool ok =
        lines_parse(bytes, size_bytes, RECORD_MAX_BYTES, "recorded litmus tests", &record->lines, &reason) &&
        read_header(lines_next(&record->lines), &record->header, &reason);
    free(bytes);
    if (ok) return 1;
    litmus_record_close(record);
    return text_fail(why, "%.200s: %.300s", path, reason.at);
}

void litmus_record_close(struct litmus_record *record)
{
    lines_close(&record->lines);
}

static int read_ends(const json_t *ends, const struct litmus *test, const struct litmus_layout *layout,
                     struct litmus_counts *counts, struct text *why)
{
    uint64_t tries = counts->given_up;
    for (size_t i = 0; i < json_array_size(ends); i++) {
        struct json_reader reader = json_reader_open(json_array_get(ends, i), "an end", why);
        const json_t *end = json_read_object(&reader, "end");
        const uint64_t seen = json_read_u64(&reader, "tries", UINT64_MAX);
        uint64_t key = 0;
        if (!json_reader_close(&reader) || !litmus_key_read(test, layout, end, &key, why)) return 0;
        if (!litmus_counts_add(counts, key, seen)) return text_fail(why, "%.60s has too many ends", test->name);
        tries += seen;
    }
    if (tries == counts->tries) return 1;
    return text_fail(why, "%.60s: the ends do not add up to its tries", test->name);
}

static int read_test(const json_t *json, struct litmus *test, struct litmus_layout *layout,
                     struct litmus_counts *counts, struct text *why)
{
    struct json_reader reader = json_reader_open(json, "a recorded litmus test", why);
    const json_t *text = json_read_any(&reader, "test"), *ends = json_read_any(&reader, "ends");
    *counts = (struct litmus_counts){.tries = json_read_u64(&reader, "tries", UINT64_MAX),
                                     .given_up = json_read_u64(&reader, "given_up", UINT64_MAX)};
    if (!json_reader_close(&reader)) return 0;
    if (!json_is_string(text) || !json_is_array(ends))
        return text_fail(why, "\"test\" is no text, or \"ends\" no array");
    return litmus_read("test", json_string_value(text), json_string_length(text), test, why) &&
           litmus_layout_of(test, layout, why) && read_ends(ends, test, layout, counts, why);
}

int litmus_record_next(struct litmus_record *record, struct litmus *test, struct litmus_layout *layout,
                       struct litmus_counts *counts, char **text, struct text *why)
{
    json_error_t error;
    struct text reason = {"it is no JSON"};
    const char *line = lines_next(&record->lines);
    *why = (struct text){""};
    if (line == NULL) return 0;
    json_t *json = json_parse(line, strlen(line), &error);
    const bool ok = json != NULL && read_test(json, test, layout, counts, &reason);
    *text = ok ? strdup(json_string_value(json_object_get(json, "test"))) : NULL;
    json_decref(json);
    if (ok && *text != NULL) return 1;
    return text_fail(why, "line %" PRIu64 ": %.400s", record->lines.number, ok ? "not enough memory" : reason.at);
}

// --- Writing ---------------------------------------------------------------------------------------------------------

static int by_tries(const void *a, const void *b)
{
    const struct litmus_count *first = a, *second = b;
    if (first->tries != second->tries) return first->tries < second->tries ? 1 : -1;
    return (first->key > second->key) - (first->key < second->key);
}

json_t *litmus_ends_json(const struct litmus *test, const struct litmus_layout *layout,
                         const struct litmus_counts *counts)
{
    static struct litmus_counts sorted;
    json_t *list = json_array();
    sorted = *counts;
    qsort(sorted.count, (size_t)sorted.counts, sizeof sorted.count[0], by_tries);
    for (int i = 0; i < sorted.counts; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "end", litmus_key_json(test, layout, sorted.count[i].key),
                                              "tries", json_u64(sorted.count[i].tries)));
    return list;
}

int litmus_record_begin(struct trace_lines *lines, const struct litmus_record_header *header)
{
    *lines = (struct trace_lines){0};
    return trace_lines_add(lines, json_pack("{s:i, s:s, s:s, s:s}", "tmaref_litmus", RECORD_VERSION, "recorded_by",
                                            header->recorded_by, "device", header->device, "date", header->date));
}

json_t *litmus_record_json(const char *text, const struct litmus *test, const struct litmus_layout *layout,
                           const struct litmus_counts *counts)
{
    return json_pack("{s:s, s:o, s:o, s:o}", "test", text, "tries", json_u64(counts->tries), "given_up",
                     json_u64(counts->given_up), "ends", litmus_ends_json(test, layout, counts));
}

int litmus_record_save(struct trace_lines *lines, const char *path, struct text *why)
{
    int ok = lines->out != NULL && fflush(lines->out) == 0;
    if (!ok) text_set(why, "not enough memory");
    ok = ok && trace_save(path, lines->text, lines->size_bytes, why);
    trace_lines_free(lines);
    return ok;
}
