// SPDX-License-Identifier: MIT
#include "trace_batch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static int run_batch(struct trace_batch *cases, const struct executor *executor, int together, struct text *why)
{
    struct batch *batch = &cases->batch;
    struct apart apart = {.together = together, .alone = UINT64_MAX};
    batch_prepare(batch);
    for (int first = 0, last; first < batch->count; first = last) {
        int fatal = cases->entry[first].status != 0;
        for (last = first + 1; last < batch->count && (cases->entry[last].status != 0) == fatal;) last++;
        if (!(fatal ? executor->run_apart(batch, first, last - first, &apart, why)
                    : executor->run(batch, first, last - first, why)))
            return 0;
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

static int run_open(struct trace_batch *cases, struct trace_text *trace, const struct executor *executor, int together,
                    int (*visit)(const struct trace_batch *cases, int i, void *context), void *context,
                    struct text *why)
{
    uint64_t total = 0;
    int count = 0, ok = executor->open(&cases->batch, why);
    while (ok && (count = read_batch(cases, trace, why)) > 0) {
        ok = run_batch(cases, executor, together, why);
        for (int i = 0; i < count && ok; i++) ok = visit(cases, i, context);
        total += (uint64_t)count;
    }
    executor->close();
    return ok && count == 0 && is_whole(&trace->header, total, why);
}

int trace_run(const char *path, const struct executor *executor, int together, struct trace_header *header,
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
        ok = run_open(cases, &trace, executor, together, visit, context, &reason);
        clear(cases);
        batch_close(&cases->batch);
    }
    if (!ok) text_set(why, "%.200s: %.300s", path, reason.at);
    free(cases);
    trace_close(&trace);
    return ok;
}

// What the family says of a recorded status, or of words that hold every byte.
static void explain_whole(const struct trace_entry *entry, const struct family *family, const void *test_case,
                          const struct result *found, FILE *out)
{
    uint8_t *bytes = calloc(1, family_result_bytes(family, test_case) + 64);
    struct result recorded = result_at(bytes);
    int is_known = entry->status != found->status;
    if (bytes != NULL && !is_known) is_known = family_restore(family, test_case, entry->text, &recorded);
    recorded.status = entry->status;
    if (bytes != NULL && is_known) family_explain(family, test_case, &recorded, found, out);
    free(bytes);
}

static int names_a_rule(const char *text)
{
    for (enum rule rule = RULE_OK + 1; rule < RULE_COUNT; rule++)
        if (strstr(text, rule_row(rule)->id) != NULL) return 1;
    return 0;
}

// The rules that end in `status`, and of them those whose evidence is a trace of this family, if there are such.
static void suggest_rules(const struct family *family, int status, FILE *out)
{
    const char *lead = "    rules that end so: ";
    for (int any = 0; any < 2 && lead[0] == ' '; any++)
        for (enum rule rule = RULE_OK + 1; rule < RULE_COUNT; rule++) {
            const struct rule_row *row = rule_row(rule);
            if (row->cuda_error != status || (!any && strncmp(row->evidence, family->name, strlen(family->name)) != 0))
                continue;
            fprintf(out, "%s%s", lead, row->id);
            lead = ", ";
        }
    if (lead[0] != ' ') fprintf(out, "\n");
}

static void suggest(const struct family *family, const struct trace_entry *entry, const struct result *found, FILE *out)
{
    const struct rule_row *row = rule_row(found->rule != RULE_OK ? found->rule : family->rule);
    if (entry->status != found->status && entry->status != 0)
        suggest_rules(family, entry->status, out);
    else if (row != rule_row(RULE_OK))
        fprintf(out, "    likely rule %s: %s\n", row->id, row->sentence);
}

static void explain_difference(const struct trace_batch *cases, int i, const struct trace_difference *difference,
                               FILE *out)
{
    const struct family *family = cases->batch.family;
    const void *test_case = batch_case(&cases->batch, i);
    const struct result *found = &cases->batch.results[i];
    char *text = NULL;
    size_t text_bytes;
    FILE *words = open_memstream(&text, &text_bytes);
    if (words == NULL) return;
    if (difference->place.window == NULL)
        explain_whole(&cases->entry[i], family, test_case, found, words);
    else
        family_explain_place(family, test_case, found, &difference->place, words);
    fclose(words);
    fputs(text, out);
    if (!names_a_rule(text)) suggest(family, &cases->entry[i], found, out);
    free(text);
}

int trace_batch_agrees(const struct trace_batch *cases, int i, FILE *out)
{
    const struct family *family = cases->batch.family;
    const void *test_case = batch_case(&cases->batch, i);
    struct trace_difference difference;
    if (trace_agrees(&cases->entry[i], family, test_case, &cases->batch.results[i], &difference)) return 1;
    if (out == NULL) return 0;
    json_t *json = family_write(family, test_case);
    char *text = json_dumps(json, JSON_COMPACT);
    fprintf(out, "%s:%" PRIu64 ": %s\n    case %s\n", cases->path, cases->line[i], difference.text.at,
            text != NULL ? text : "?");
    explain_difference(cases, i, &difference, out);
    free(text);
    json_decref(json);
    return 0;
}
