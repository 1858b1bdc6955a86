// SPDX-License-Identifier: MIT
#include "trace_batch.h"

#include <inttypes.h>
#include <stdlib.h>

static void clear(struct trace_batch *cases)
{
    for (int i = 0; i < cases->batch.count; i++) json_decref(cases->entry[i].json);
    batch_clear(&cases->batch);
}

// The next cases: how many, 0 at the end, -1 with `why` for a line that is none.
static int read_batch(struct trace_batch *cases, struct trace_text *trace, struct text *why)
{
    struct batch *batch = &cases->batch;
    for (clear(cases); !batch_is_full(batch);) {
        struct text reason;
        int i = batch->count;
        char *line = trace_next_line(trace);
        if (line == NULL) return batch->count;
        cases->line[i] = trace->line;
        if (trace_read(batch->family, line, batch_case(batch, i), &cases->entry[i], &reason) &&
            batch_add(batch, &reason))
            continue;
        text_set(why, "line %" PRIu64 ": %.400s", trace->line, reason.at);
        json_decref(cases->entry[i].json);
        return -1;
    }
    return batch->count;
}

static int run_batch(struct trace_batch *cases, const struct executor *executor, struct text *why)
{
    struct batch *batch = &cases->batch;
    batch_prepare(batch);
    for (int first = 0, last; first < batch->count; first = last) {
        int fatal = cases->entry[first].status != 0;
        for (last = first + 1; last < batch->count && !fatal && cases->entry[last].status == 0;) last++;
        if (!executor->run(batch, first, last - first, why)) return 0;
    }
    return 1;
}

// Is every case there that the header promises?
static int is_whole(const struct trace_header *header, uint64_t cases, struct text *why)
{
    if (cases != header->cases)
        text_set(why, "holds %" PRIu64 " cases, its header says %" PRIu64 ": cut short?", cases, header->cases);
    else if (cases == 0)
        text_set(why, "holds no case");
    else
        return 1;
    return 0;
}

static int run_open(struct trace_batch *cases, struct trace_text *trace, const struct executor *executor,
                    int (*visit)(const struct trace_batch *cases, int i, void *context), void *context,
                    struct text *why)
{
    uint64_t total = 0;
    int count = 0, ok = executor->open(&cases->batch, why);
    while (ok && (count = read_batch(cases, trace, why)) > 0) {
        ok = run_batch(cases, executor, why);
        for (int i = 0; i < count && ok; i++) ok = visit(cases, i, context);
        total += (uint64_t)count;
    }
    executor->close();
    return ok && count == 0 && is_whole(&trace->header, total, why);
}

int trace_run(const char *path, const struct executor *executor, struct trace_header *header,
              int (*visit)(const struct trace_batch *cases, int i, void *context), void *context, struct text *why)
{
    struct trace_text trace;
    struct text reason = {"not enough memory"};
    if (!trace_open(path, &trace, why)) return 0;
    *header = trace.header;
    struct trace_batch *cases = calloc(1, sizeof *cases);
    int ok = cases != NULL && batch_open(&cases->batch, trace.header.family);
    if (ok) {
        cases->path = path;
        ok = run_open(cases, &trace, executor, visit, context, &reason);
        clear(cases);
        batch_close(&cases->batch);
    }
    if (!ok) text_set(why, "%.200s: %.300s", path, reason.at);
    free(cases);
    trace_close(&trace);
    return ok;
}

int trace_batch_agrees(const struct trace_batch *cases, int i, FILE *out)
{
    const struct family *family = cases->batch.family;
    const void *test_case = batch_case(&cases->batch, i);
    struct trace_difference difference;
    if (trace_agrees(&cases->entry[i], family, test_case, &cases->batch.results[i], &difference)) return 1;
    if (out == NULL) return 0;
    json_t *json = family->write(test_case);
    char *text = json_dumps(json, JSON_COMPACT);
    fprintf(out, "%s:%" PRIu64 ": %s\n    case %s\n", cases->path, cases->line[i], difference.text.at,
            text != NULL ? text : "?");
    if (difference.place.window != NULL && family->explain_place != NULL)
        family->explain_place(test_case, &difference.place, out);
    free(text);
    json_decref(json);
    return 0;
}
