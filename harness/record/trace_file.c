// SPDX-License-Identifier: MIT
#include "trace_file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <zstd.h>

#include "files.h"
#include "json.h"
#include "manifest.h"
#include "unpack.h"

enum { ZSTD_LEVEL = 19, HEADER_BYTES = 4096 };

static bool read_header(const char *line, struct trace_header *header, struct text *why)
{
    json_error_t error;
    json_t *json = line == NULL ? NULL : json_parse(line, strlen(line), &error);
    struct json_reader reader = json_reader_open(json, "first line (trace header)", why);
    char family[32] = "";
    *header = (struct trace_header){0};
    uint64_t version = json_read_u64(&reader, "tmaref_trace", UINT64_MAX);
    if (reader.ok && version != TRACE_VERSION) {
        reader.ok = false;
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
    *trace = (struct trace_text){0};
    if (!lines_parse(bytes, size_bytes, TRACE_MAX_BYTES, "a trace", &trace->lines, why)) return 0;
    if (read_header(lines_next(&trace->lines), &trace->header, why)) return 1;
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

bool trace_peek(const char *path, struct trace_header *header)
{
    char line[HEADER_BYTES + 1] = "";
    struct text why;
    size_t size_bytes;
    char *bytes = read_file(path, TRACE_MAX_BYTES, &size_bytes, &why);
    if (bytes == NULL) return false;
    ZSTD_inBuffer from = {bytes, size_bytes, 0};
    ZSTD_outBuffer to = {line, HEADER_BYTES, 0};
    ZSTD_DStream *stream = unpack_is_zstd(bytes, size_bytes) ? ZSTD_createDStream() : NULL;
    if (stream != NULL)
        ZSTD_decompressStream(stream, &to, &from);
    else
        memcpy(line, bytes, size_bytes < HEADER_BYTES ? size_bytes : HEADER_BYTES);
    ZSTD_freeDStream(stream);
    free(bytes);
    *strchrnul(line, '\n') = '\0';
    return read_header(line, header, &why);
}

void trace_close(struct trace_text *trace)
{
    lines_close(&trace->lines);
    *trace = (struct trace_text){0};
}

json_t *trace_header_write(const struct trace_header *header)
{
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "tmaref_trace", TRACE_VERSION, "family",
                     header->family->name, "recorded_by", header->recorded_by, "device", header->device, "toolkit",
                     header->toolkit, "kernel", header->kernel, "date", header->date, "seed", json_u64(header->seed),
                     "cases", json_u64(header->cases));
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

// --- While it is recorded --------------------------------------------------------------------------------------------

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

bool trace_header_make(const struct family *family, const struct executor *executor, uint64_t seed,
                       struct trace_header *header, struct text *why)
{
    time_t now = time(NULL);
    struct tm day;
    *header = (struct trace_header){.family = family, .seed = seed};
    snprintf(header->recorded_by, sizeof header->recorded_by, "%s", executor->name);
    snprintf(header->device, sizeof header->device, "%s", executor->describe());
    strftime(header->date, sizeof header->date, "%Y-%m-%d", gmtime_r(&now, &day));
    if (executor != &executor_gpu || family->kernels == NULL) return true; // no kernel had a part in it
    kernel_toolkit(header->toolkit, sizeof header->toolkit);
    return kernel_digest(family, header->kernel, why);
}

bool trace_lines_save(const struct trace_lines *lines, const char *path, struct trace_header *header, struct text *why)
{
    struct trace_lines whole = {0};
    header->cases = lines->count;
    bool ok = fflush(lines->out) == 0 && trace_lines_add(&whole, trace_header_write(header)) &&
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

// --- Which files a user means ----------------------------------------------------------------------------------------

static bool is_trace_name(const char *name)
{
    size_t length = strlen(name);
    return (length > 6 && strcmp(name + length - 6, ".jsonl") == 0) ||
           (length > 10 && strcmp(name + length - 10, ".jsonl.zst") == 0);
}

static int add_file(struct trace_paths *paths, const char *path, struct text *why)
{
    bool fits = paths->count < TRACE_PATHS_MOST, is_short = strlen(path) < TRACE_PATH_BYTES;
    if (fits && is_short) strcpy(paths->path[paths->count++], path);
    if (!is_short) text_set(why, "%.300s: too long a path", path);
    if (!fits) text_set(why, "%.300s: tmaref takes at most %d traces at once", path, TRACE_PATHS_MOST);
    return fits && is_short;
}

int trace_paths_add(struct trace_paths *paths, const char *path, struct text *why)
{
    struct stat info;
    struct dirent **entries;
    int found = stat(path, &info), ok = 1;
    if (found == 0 && !S_ISDIR(info.st_mode)) return add_file(paths, path, why);
    if (found == 0) found = scandir(path, &entries, NULL, alphasort);
    if (found < 0) return text_fail(why, "%.400s: %s", path, strerror(errno));
    for (int i = 0; i < found; i++) {
        char child[TRACE_PATH_BYTES];
        snprintf(child, sizeof child, "%s/%s", path, entries[i]->d_name);
        bool is_folder = stat(child, &info) == 0 && S_ISDIR(info.st_mode);
        if (ok && entries[i]->d_name[0] != '.' && (is_folder || is_trace_name(child)))
            ok = trace_paths_add(paths, child, why);
        free(entries[i]);
    }
    free(entries);
    if (ok && paths->count == 0) text_fail(why, "%.400s: the folder holds no trace", path);
    return ok;
}
