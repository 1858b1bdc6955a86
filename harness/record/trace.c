// SPDX-License-Identifier: MIT
#include "trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "json.h"

static uint8_t line_digest(const uint8_t *bytes, uint32_t size_bytes)
{
    return (uint8_t)XXH3_64bits(bytes, size_bytes);
}

// One digest byte per 128-byte line of a window.
static uint32_t line_digests(const struct window *window, uint8_t *digests, uint32_t capacity)
{
    uint32_t lines = 0;
    for (uint32_t at = 0; at < window->size_bytes && lines < capacity; at += TRACE_LINE_BYTES, lines++) {
        uint32_t left = window->size_bytes - at;
        digests[lines] = line_digest(window->bytes + at, left < TRACE_LINE_BYTES ? left : TRACE_LINE_BYTES);
    }
    return lines;
}

enum { MAX_LINES = 4096 };

static json_t *window_write(const struct window *window)
{
    uint8_t digests[MAX_LINES];
    if (window->size_bytes <= TRACE_WHOLE_BYTES)
        return json_pack("{s:o, s:o}", "base", json_u64(window->base), "bytes",
                         json_hex(window->bytes, window->size_bytes));
    uint32_t lines = line_digests(window, digests, MAX_LINES);
    return json_pack("{s:o, s:I, s:o, s:o}", "base", json_u64(window->base), "size", (json_int_t)window->size_bytes,
                     "digest", json_sprintf("%016" PRIx64, XXH3_64bits(window->bytes, window->size_bytes)), "lines",
                     json_hex(digests, lines));
}

json_t *trace_write(const struct family *family, const void *test_case, const struct result *result,
                    enum trace_detail detail)
{
    json_t *windows = json_object();
    for (int i = 0; i < result->windows; i++)
        json_object_set_new(windows, result->window[i].name, window_write(&result->window[i]));
    json_t *json = json_pack("{s:o, s:i, s:o}", "case", family_write(family, test_case), "status", result->status,
                             "windows", windows);
    if (family->describe != NULL && (detail == TRACE_CURATED || family->restore != NULL))
        json_object_set_new(json, "text", family->describe(test_case, result));
    return json;
}

int trace_read(const struct family *family, const char *line, void *test_case, struct trace_entry *entry,
               struct text *why)
{
    json_error_t error;
    *entry = (struct trace_entry){.json = json_parse(line, strlen(line), &error)};
    if (entry->json == NULL) return text_fail(why, "%s (column %d)", error.text, error.column);
    struct json_reader reader = json_reader_open(entry->json, "trace line", why);
    const json_t *json = json_read_object(&reader, "case");
    entry->status = (int)json_read_i64(&reader, "status", -64, 999);
    entry->windows = json_read_object(&reader, "windows");
    entry->text = json_read_any(&reader, "text");
    if (json_reader_close(&reader) && family_read_recorded(family, json, test_case, why)) return 1;
    json_decref(entry->json);
    entry->json = NULL;
    return 0;
}

static void hex_of(const uint8_t *bytes, uint32_t count, char *text)
{
    for (uint32_t i = 0; i < count; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

// A window kept whole: names the first byte that differs, past those that `is_open` marks (NULL: none).
static int bytes_agree(const struct window *window, const char *recorded, const uint8_t *is_open,
                       struct trace_difference *difference)
{
    uint8_t bytes[TRACE_WHOLE_BYTES];
    if (window->size_bytes > TRACE_WHOLE_BYTES || !hex_parse(recorded, bytes, window->size_bytes))
        return text_fail(&difference->text, "%s: the window has %u bytes, the recorded one %zu", window->name,
                         window->size_bytes, strlen(recorded) / 2);
    for (uint32_t i = 0; i < window->size_bytes; i++) {
        if (bytes[i] == window->bytes[i] || (is_open != NULL && is_open[i])) continue;
        char want[17] = "", got[17] = "";
        uint32_t from = i & ~7u, count = window->size_bytes - from < 8 ? window->size_bytes - from : 8;
        hex_of(bytes + from, count, want);
        hex_of(window->bytes + from, count, got);
        difference->place = (struct place){window->name, window->base + from, count, window->bytes + from, true, {0}};
        memcpy(difference->place.recorded, bytes + from, count);
        return text_fail(&difference->text, "%s+0x%x: recorded %s, found %s (bytes in memory order)", window->name,
                         from, want, got);
    }
    return 1;
}

// Has the line no byte that `is_open` marks?
static bool is_closed(const struct window *window, const uint8_t *is_open, uint32_t line)
{
    uint32_t at = line * TRACE_LINE_BYTES, left = window->size_bytes - at;
    return is_open == NULL || memchr(is_open + at, 1, left < TRACE_LINE_BYTES ? left : TRACE_LINE_BYTES) == NULL;
}

// A window kept as digests: names the first line that differs. A line with an open byte cannot be compared.
static int digests_agree(const struct window *window, const json_t *recorded, const uint8_t *is_open,
                         struct trace_difference *difference)
{
    char digest[17];
    uint8_t found[MAX_LINES], lines[MAX_LINES];
    const char *want = json_string_value(json_object_get(recorded, "digest"));
    const char *line_text = json_string_value(json_object_get(recorded, "lines"));
    json_int_t size_bytes = json_integer_value(json_object_get(recorded, "size"));
    if (want == NULL || line_text == NULL || size_bytes != window->size_bytes)
        return text_fail(&difference->text, "%s: the window has %u bytes, the recorded one %lld", window->name,
                         window->size_bytes, (long long)size_bytes);
    snprintf(digest, sizeof digest, "%016" PRIx64, XXH3_64bits(window->bytes, window->size_bytes));
    if (strcmp(digest, want) == 0) return 1;
    uint32_t count = line_digests(window, found, MAX_LINES), line = 0;
    bool known = hex_parse(line_text, lines, count);
    while (known && line < count && (found[line] == lines[line] || !is_closed(window, is_open, line))) line++;
    if (known && line == count && is_open != NULL) return 1;
    if (!known || line == count) // one line in 256 has the digest byte of another
        return text_fail(&difference->text, "%s: differs, and the digests of its lines do not tell where",
                         window->name);
    uint32_t at = line * TRACE_LINE_BYTES, left = window->size_bytes - at;
    difference->place = (struct place){.window = window->name,
                                       .address = window->base + at,
                                       .size_bytes = left < TRACE_LINE_BYTES ? left : TRACE_LINE_BYTES,
                                       .found = window->bytes + at};
    return text_fail(&difference->text, "%s: first differs in the %d bytes at 0x%" PRIx64, window->name,
                     TRACE_LINE_BYTES, window->base + at);
}

static int window_agrees(const struct trace_entry *entry, const struct family *family, const void *test_case,
                         const struct window *window, struct trace_difference *difference)
{
    const json_t *recorded = json_object_get(entry->windows, window->name);
    const char *bytes = json_string_value(json_object_get(recorded, "bytes"));
    json_t *base = json_u64(window->base);
    bool is_there = recorded != NULL && json_equal(json_object_get(recorded, "base"), base);
    json_decref(base);
    if (!is_there)
        return text_fail(&difference->text, "window \"%s\" at 0x%" PRIx64 " was not recorded", window->name,
                         window->base);
    if (window->is_open) return 1;
    uint8_t *is_open = family_open_bytes(family, test_case, window);
    int agree = bytes != NULL ? bytes_agree(window, bytes, is_open, difference)
                              : digests_agree(window, recorded, is_open, difference);
    free(is_open);
    return agree;
}

// The words of a curated case, line by line.
static int text_agrees(const struct trace_entry *entry, const struct family *family, const void *test_case,
                       const struct result *result, struct trace_difference *difference)
{
    if (entry->text == NULL || family->describe == NULL) return 1;
    json_t *found = family->describe(test_case, result);
    size_t lines = json_array_size(entry->text), i = 0;
    if (json_array_size(found) > lines) lines = json_array_size(found);
    while (i < lines && json_equal(json_array_get(entry->text, i), json_array_get(found, i))) i++;
    if (i < lines) {
        const char *want = json_string_value(json_array_get(entry->text, i));
        const char *got = json_string_value(json_array_get(found, i));
        text_set(&difference->text, "recorded \"%s\", found \"%s\"", want != NULL ? want : "nothing more",
                 got != NULL ? got : "nothing more");
    }
    json_decref(found);
    return i == lines;
}

// A case whose result the hardware decides on its own: what was recorded, and what was found, are each possible.
static int is_possible(const struct trace_entry *entry, const struct family *family, const void *test_case,
                       const struct result *result, struct trace_difference *difference)
{
    uint8_t *bytes = calloc(1, family_result_bytes(family, test_case) + 1);
    struct result recorded = result_at(bytes);
    bool was_legal = bytes != NULL && family_restore(family, test_case, entry->text, &recorded) &&
                     family->is_legal(test_case, &recorded);
    int same = was_legal && family->is_legal(test_case, result);
    for (int i = 0; i < recorded.windows && same; i++)
        same = window_agrees(entry, family, test_case, &recorded.window[i], difference);
    if (!same)
        text_set(&difference->text, "what was %s is not a possible result",
                 was_legal ? "found (or the digest of what was recorded)" : "recorded");
    free(bytes);
    return same;
}

static int other_status(const struct trace_entry *entry, const struct result *result, struct text *why)
{
    const char *want = cuda_error_name(entry->status), *got = cuda_error_name(result->status);
    return text_fail(why, "recorded status %d %s, found %d %s%s%s", entry->status, want != NULL ? want : "",
                     result->status, got != NULL ? got : "", result->rule != RULE_OK ? " by rule " : "",
                     result->rule != RULE_OK ? rule_row(result->rule)->id : "");
}

int trace_agrees(const struct trace_entry *entry, const struct family *family, const void *test_case,
                 const struct result *result, struct trace_difference *difference)
{
    struct trace_difference bytes;
    difference->place = bytes.place = (struct place){0};
    if (result->end != RESULT_ANSWERED && (result->end != RESULT_CRASHED || result->status != entry->status))
        return text_fail(&difference->text, "recorded status %d, found none: %s: %.350s", entry->status,
                         result_end_name(result->end), result->told);
    if (!result_may_be(result, entry->status)) return other_status(entry, result, &difference->text);
    if (json_object_size(entry->windows) != (size_t)result->windows)
        return text_fail(&difference->text, "%zu windows recorded, %d found", json_object_size(entry->windows),
                         result->windows);
    if (family->varies != NULL && family->varies(test_case))
        return is_possible(entry, family, test_case, result, difference);
    int same_text = text_agrees(entry, family, test_case, result, difference);
    for (int i = 0; i < result->windows; i++) {
        if (window_agrees(entry, family, test_case, &result->window[i], &bytes)) continue;
        if (same_text) difference->text = bytes.text;
        difference->place = bytes.place;
        return 0;
    }
    return same_text;
}
