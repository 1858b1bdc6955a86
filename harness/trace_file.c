// SPDX-License-Identifier: MIT
#include "trace_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "command.h"
#include "json.h"
#include "save.h"

static const uint8_t zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
enum { ZSTD_LEVEL = 19 };

// The text of a compressed trace, NUL-terminated; NULL with `why` if it is damaged.
static char *decompress(const char *bytes, size_t size_bytes, size_t *text_bytes, struct text *why)
{
    unsigned long long content = ZSTD_getFrameContentSize(bytes, size_bytes);
    if (content == ZSTD_CONTENTSIZE_ERROR || content == ZSTD_CONTENTSIZE_UNKNOWN || content > TRACE_MAX_BYTES) {
        text_set(why, "damaged or oversized zstd frame");
        return NULL;
    }
    char *text = malloc((size_t)content + 1);
    size_t got = text == NULL ? 0 : ZSTD_decompress(text, (size_t)content, bytes, size_bytes);
    if (text != NULL && !ZSTD_isError(got) && got == content) {
        text[got] = '\0';
        *text_bytes = got;
        return text;
    }
    text_set(why, "damaged zstd frame: %s", text == NULL ? "not enough memory" : ZSTD_getErrorName(got));
    free(text);
    return NULL;
}

char *trace_next_line(struct trace_text *trace)
{
    if (trace->next == NULL || *trace->next == '\0') return NULL;
    char *line = trace->next, *end = strchr(line, '\n');
    trace->next = end == NULL ? line + strlen(line) : end + 1;
    if (end != NULL) *end = '\0';
    trace->line++;
    return line;
}

static int read_header(const char *line, struct trace_header *header, struct text *why)
{
    json_error_t error;
    json_t *json = line == NULL ? NULL : json_loads(line, JSON_REJECT_DUPLICATES, &error);
    struct json_reader reader = json_reader_open(json, "first line (trace header)", why);
    char family[32] = "";
    *header = (struct trace_header){0};
    uint64_t version = json_read_u64(&reader, "tmaref_trace", UINT64_MAX);
    if (reader.ok && version != TRACE_VERSION) {
        reader.ok = 0;
        text_set(why, "a trace of version %" PRIu64 "; this tmaref reads version %d", version, TRACE_VERSION);
    }
    json_read_text(&reader, "family", family, sizeof family);
    json_read_text(&reader, "recorded_by", header->recorded_by, sizeof header->recorded_by);
    json_read_text(&reader, "device", header->device, sizeof header->device);
    json_read_text(&reader, "toolkit", header->toolkit, sizeof header->toolkit);
    json_read_text(&reader, "kernel", header->kernel, sizeof header->kernel);
    json_read_text(&reader, "date", header->date, sizeof header->date);
    header->seed = json_read_u64_or(&reader, "seed", UINT64_MAX, 0);
    header->cases = json_read_u64(&reader, "cases", UINT64_MAX);
    header->family = family_find(family);
    int ok = json_reader_close(&reader);
    if (ok && header->family == NULL) text_set(why, "first line (trace header): there is no family \"%s\"", family);
    json_decref(json);
    return ok && header->family != NULL;
}

int trace_parse(const char *bytes, size_t size_bytes, struct trace_text *trace, struct text *why)
{
    size_t text_bytes = size_bytes;
    *trace = (struct trace_text){0};
    if (size_bytes >= sizeof zstd_magic && memcmp(bytes, zstd_magic, sizeof zstd_magic) == 0)
        trace->text = decompress(bytes, size_bytes, &text_bytes, why);
    else if ((trace->text = malloc(size_bytes + 1)) != NULL) {
        memcpy(trace->text, bytes, size_bytes);
        trace->text[size_bytes] = '\0';
    } else
        text_set(why, "not enough memory");
    if (trace->text == NULL) return 0;
    trace->next = trace->text;
    if (strlen(trace->text) != text_bytes)
        text_set(why, "not a trace: it holds a NUL byte");
    else if (read_header(trace_next_line(trace), &trace->header, why))
        return 1;
    trace_close(trace);
    return 0;
}

int trace_open(const char *path, struct trace_text *trace, struct text *why)
{
    size_t size_bytes;
    char *bytes = read_file(path, TRACE_MAX_BYTES, &size_bytes, why);
    if (bytes == NULL) return 0;
    struct text reason;
    int ok = trace_parse(bytes, size_bytes, trace, &reason);
    if (!ok) text_set(why, "%.200s: %.300s", path, reason.at);
    free(bytes);
    return ok;
}

void trace_close(struct trace_text *trace)
{
    free(trace->text);
    *trace = (struct trace_text){0};
}

json_t *trace_header_write(const struct trace_header *header)
{
    json_t *json = json_object();
    json_object_set_new(json, "tmaref_trace", json_integer(TRACE_VERSION));
    json_object_set_new(json, "family", json_string(header->family->name));
    json_object_set_new(json, "recorded_by", json_string(header->recorded_by));
    json_object_set_new(json, "device", json_string(header->device));
    json_object_set_new(json, "toolkit", json_string(header->toolkit));
    json_object_set_new(json, "kernel", json_string(header->kernel));
    json_object_set_new(json, "date", json_string(header->date));
    json_object_set_new(json, "seed", json_u64(header->seed));
    json_object_set_new(json, "cases", json_u64(header->cases));
    return json;
}

int trace_save(const char *path, const char *text, size_t size_bytes, struct text *why)
{
    size_t length = strlen(path);
    if (length < 4 || strcmp(path + length - 4, ".zst") != 0) return save_file(path, text, size_bytes, why);
    size_t bound = ZSTD_compressBound(size_bytes);
    char *packed = malloc(bound);
    size_t packed_bytes = packed == NULL ? 0 : ZSTD_compress(packed, bound, text, size_bytes, ZSTD_LEVEL);
    int ok = packed != NULL && !ZSTD_isError(packed_bytes);
    if (!ok) text_set(why, "cannot compress the trace");
    ok = ok && save_file(path, packed, packed_bytes, why);
    free(packed);
    return ok;
}
