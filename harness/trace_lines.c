// SPDX-License-Identifier: MIT
#include "trace_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel_digest.h"
#include "manifest.h"
#include "save.h"

int trace_lines_add(struct trace_lines *lines, json_t *json)
{
    char *line = json_dumps(json, JSON_COMPACT);
    size_t length = line == NULL ? 0 : strlen(line);
    json_decref(json);
    if (lines->size_bytes + length + 1 > lines->capacity) {
        size_t capacity = 2 * (lines->size_bytes + length + 1);
        char *more = realloc(lines->text, capacity);
        if (more == NULL)
            length = 0;
        else
            lines->text = more, lines->capacity = capacity;
    }
    if (length > 0) {
        memcpy(lines->text + lines->size_bytes, line, length);
        lines->text[lines->size_bytes + length] = '\n';
        lines->size_bytes += length + 1;
        lines->count++;
    }
    free(line);
    return length > 0;
}

int trace_header_make(const struct family *family, const struct executor *executor, uint64_t seed,
                      struct trace_header *header, struct text *why)
{
    time_t now = time(NULL);
    struct tm day;
    *header = (struct trace_header){.family = family, .seed = seed};
    snprintf(header->recorded_by, sizeof header->recorded_by, "%s", executor->name);
    snprintf(header->device, sizeof header->device, "%s", executor->describe());
    strftime(header->date, sizeof header->date, "%Y-%m-%d", gmtime_r(&now, &day));
    if (executor != &executor_gpu || family->kernels == NULL) return 1; // no kernel had a part in it
    kernel_toolkit(header->toolkit, sizeof header->toolkit);
    return kernel_digest(family, header->kernel, why);
}

int trace_lines_save(const struct trace_lines *lines, const char *path, struct trace_header *header, struct text *why)
{
    struct trace_lines whole = {0};
    header->cases = lines->count;
    int ok = trace_lines_add(&whole, trace_header_write(header));
    char *text = ok ? malloc(whole.size_bytes + lines->size_bytes) : NULL;
    if (text == NULL) text_set(why, "not enough memory");
    if (text != NULL) {
        memcpy(text, whole.text, whole.size_bytes);
        memcpy(text + whole.size_bytes, lines->text, lines->size_bytes);
        ok = trace_save(path, text, whole.size_bytes + lines->size_bytes, why) &&
             (is_stream(path) || manifest_update(path, header, why));
    }
    free(text);
    free(whole.text);
    return ok && text != NULL;
}

void trace_lines_tell(const char *path, const struct trace_header *header, int as_json)
{
    FILE *out = is_stream(path) ? stderr : stdout;
    if (as_json) {
        json_t *json = trace_header_write(header);
        json_object_set_new(json, "trace", json_string(path));
        json_dumpf(json, out, JSON_INDENT(1));
        fprintf(out, "\n");
        json_decref(json);
        return;
    }
    fprintf(out, "%s: %" PRIu64 " cases of family %s, recorded on %s\n", path, header->cases, header->family->name,
            header->device);
}
