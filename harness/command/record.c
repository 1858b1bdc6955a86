// SPDX-License-Identifier: MIT
// `tmaref record`: writes a trace of what an executor does, and its line in the MANIFEST beside it.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "command.h"
#include "common_options.h"
#include "gpu.h"
#include "json.h"
#include "manifest.h"
#include "progress.h"
#include "save.h"
#include "trace.h"

enum lane { LANE_NORMAL, LANE_FAULTS, LANE_ALL };

struct record_options {
    struct case_options cases;
    const struct executor *executor;
    const char *output;
    enum trace_detail detail;
    enum lane lane;
    uint64_t keep;
};

static const struct argp_option options[] = {
    {"executor", 'x', "NAME", 0, "EXECUTORS (default gpu; another only to try the command)", 0},
    {"output", 'o', "FILE", 0, "the trace; compressed if the name ends in .zst", 0},
    {"curated", 'c', NULL, 0, "say in words where every byte came from", 0},
    {"lane", 'l', "WHICH", 0,
     "normal (default): leave out cases predicted to kill their process; faults: only these; all", 0},
    {"keep", 'k', "N", 0, "stop after N recorded cases", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct record_options *to = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &to->cases;
        return 0;
    case 'x':
        to->executor = parse_executor(argument, state);
        return 0;
    case 'o':
        to->output = argument;
        return 0;
    case 'c':
        to->detail = TRACE_CURATED;
        return 0;
    case 'l':
        if (strcmp(argument, "normal") == 0)
            to->lane = LANE_NORMAL;
        else if (strcmp(argument, "faults") == 0)
            to->lane = LANE_FAULTS;
        else if (strcmp(argument, "all") == 0)
            to->lane = LANE_ALL;
        else
            argp_error(state, "--lane is normal, faults or all, not '%s'", argument);
        return 0;
    case 'k':
        if (!parse_u64(argument, UINT64_MAX, &to->keep)) argp_error(state, "--keep takes a whole number");
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "takes no argument '%s'", argument);
        return 0;
    case ARGP_KEY_END:
        if (to->output == NULL) argp_error(state, "--output is needed");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// A growing text.
struct lines {
    char *text;
    size_t size_bytes, capacity;
    uint64_t count;
};

static int lines_add(struct lines *lines, json_t *json)
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

static void first_line_of(const char *name, char *text, size_t text_bytes)
{
    char path[4096];
    FILE *file = gpu_kernel_path(name, path, sizeof path) ? fopen(path, "r") : NULL;
    if (file == NULL) return;
    if (fgets(text, (int)text_bytes, file) != NULL) text[strcspn(text, "\n")] = '\0';
    fclose(file);
}

static void digest_of(const char *name, char *text, size_t text_bytes)
{
    char path[4096];
    struct text why;
    size_t size_bytes;
    char *bytes =
        gpu_kernel_path(name, path, sizeof path) ? read_file(path, (size_t)64 << 20, &size_bytes, &why) : NULL;
    if (bytes != NULL) snprintf(text, text_bytes, "%016" PRIx64, XXH3_64bits(bytes, size_bytes));
    free(bytes);
}

static void make_header(const struct record_options *to, struct trace_header *header)
{
    char cubin[64];
    time_t now = time(NULL);
    struct tm day;
    *header = (struct trace_header){.family = to->cases.family, .seed = to->cases.seed};
    snprintf(header->recorded_by, sizeof header->recorded_by, "%s", to->executor->name);
    snprintf(header->device, sizeof header->device, "%s", to->executor->describe());
    strftime(header->date, sizeof header->date, "%Y-%m-%d", gmtime_r(&now, &day));
    if (to->executor != &executor_gpu || to->cases.family->kernel == NULL) return; // no kernel had a part in it
    snprintf(cubin, sizeof cubin, "%s.cubin", to->cases.family->kernel);
    first_line_of("toolkit.txt", header->toolkit, sizeof header->toolkit);
    digest_of(cubin, header->kernel, sizeof header->kernel);
}

// Runs one range of a filled batch and keeps its lines.
static int record_range(const struct record_options *to, struct batch *batch, int first, int count, int step,
                        struct lines *lines, struct text *why)
{
    for (int i = first; i < first + count && lines->count < to->keep; i += step) {
        int here = first + count - i < step ? first + count - i : step;
        if (!to->executor->run(batch, i, here, why)) return 0;
        for (int j = i; j < i + here && lines->count < to->keep; j++)
            if (!lines_add(lines, trace_write(batch->family, batch_case(batch, j), &batch->results[j], to->detail))) {
                text_set(why, "not enough memory");
                return 0;
            }
    }
    return 1;
}

static int record_all(const struct record_options *to, struct source *source, struct batch *batch, struct lines *lines,
                      struct text *why)
{
    static struct fill fill;
    struct progress progress = progress_start("record", to->keep < source->end ? to->keep : source->end);
    int count = 0, ok = 1;
    while (ok && lines->count < to->keep && (count = source_fill(source, batch, &fill, why)) > 0) {
        uint64_t before = lines->count;
        batch_prepare(batch);
        if (to->lane != LANE_FAULTS && fill.normal > 0)
            ok = record_range(to, batch, 0, fill.normal, fill.normal, lines, why);
        if (ok && to->lane != LANE_NORMAL)
            ok = record_range(to, batch, fill.normal, count - fill.normal, 1, lines, why);
        progress_add(&progress, lines->count - before);
    }
    progress_end(&progress);
    if (ok && count >= 0 && lines->count == 0) {
        text_set(why, "there is no case of this lane to record");
        return 0;
    }
    return ok && count >= 0;
}

// The header goes first, though it is known last.
static int save(const struct record_options *to, const struct lines *lines, struct trace_header *header,
                struct text *why)
{
    struct lines whole = {0};
    header->cases = lines->count;
    int ok = lines_add(&whole, trace_header_write(header));
    char *text = ok ? malloc(whole.size_bytes + lines->size_bytes) : NULL;
    if (text != NULL) {
        memcpy(text, whole.text, whole.size_bytes);
        memcpy(text + whole.size_bytes, lines->text, lines->size_bytes);
        ok = trace_save(to->output, text, whole.size_bytes + lines->size_bytes, why) &&
             (is_stream(to->output) || manifest_update(to->output, header, why));
    }
    free(text);
    free(whole.text);
    return ok && text != NULL;
}

int command_record(int argc, char **argv)
{
    struct record_options to = {.executor = &executor_gpu, .keep = UINT64_MAX};
    const struct argp_child children[] = {{&case_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        options,  parse,        NULL, "Writes a trace of what the hardware does with these cases.",
        children, names_filter, NULL};
    struct source source;
    struct trace_header header;
    struct lines lines = {0};
    struct batch batch = {0};
    struct text why = {"not enough memory"};
    argp_parse(&argp, argc, argv, 0, NULL, &to);
    int ok =
        case_source(&to.cases, &source, &why) && batch_open(&batch, source.family) && to.executor->open(&batch, &why);
    if (ok) make_header(&to, &header);
    ok = ok && record_all(&to, &source, &batch, &lines, &why) && save(&to, &lines, &header, &why);
    to.executor->close();
    if (batch.cases != NULL) batch_close(&batch);
    free(lines.text);
    free(to.cases.lines);
    if (!ok) return command_usage("record", "%s", why.at);
    fprintf(is_stream(to.output) ? stderr : stdout, "%s: %" PRIu64 " cases of family %s, recorded on %s\n", to.output,
            header.cases, header.family->name, header.device);
    return EXIT_AGREE;
}
