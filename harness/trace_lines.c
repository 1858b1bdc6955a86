// SPDX-License-Identifier: MIT
#include "trace_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "files.h"
#include "manifest.h"

int trace_lines_add(struct trace_lines *lines, json_t *json)
{
    if (lines->out == NULL) lines->out = open_memstream(&lines->text, &lines->size_bytes);
    int ok = lines->out != NULL && json_dumpf(json, lines->out, JSON_COMPACT) == 0 && fputc('\n', lines->out) != EOF;
    json_decref(json);
    lines->count += (uint64_t)ok;
    return ok;
}

void trace_lines_free(struct trace_lines *lines)
{
    if (lines->out != NULL) fclose(lines->out);
    free(lines->text);
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
    int ok = fflush(lines->out) == 0 && trace_lines_add(&whole, trace_header_write(header)) &&
             fwrite(lines->text, 1, lines->size_bytes, whole.out) == lines->size_bytes && fflush(whole.out) == 0;
    if (!ok) text_set(why, "not enough memory");
    ok = ok && trace_save(path, whole.text, whole.size_bytes, why) &&
         (is_stream(path) || manifest_update(path, header, why));
    trace_lines_free(&whole);
    return ok;
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
