// SPDX-License-Identifier: MIT
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

// Cuts the next line that is not blank out of the text; NULL at the end.
static char *next_line(struct source *source)
{
    while (source->lines != NULL && *source->lines != '\0') {
        char *line = source->lines, *end = strchr(line, '\n');
        source->lines = end == NULL ? line + strlen(line) : end + 1;
        if (end != NULL) *end = '\0';
        source->line++;
        if (line[strspn(line, " \t\r")] != '\0') return line;
    }
    return NULL;
}

// "cases.jsonl: " in front of a complaint, or nothing.
static void name_path(const struct source *source, char *text, size_t text_bytes)
{
    text[0] = '\0';
    if (source->path != NULL) snprintf(text, text_bytes, "%s: ", source->path);
}

static int read_case(struct source *source, const char *line, void *test_case, struct text *why)
{
    json_error_t error;
    struct text reason;
    char path[200];
    name_path(source, path, sizeof path);
    json_t *json = json_parse(line, strlen(line), &error);
    int ok = json != NULL && source->family->read(json, test_case, &reason);
    if (json == NULL)
        text_set(why, "%sline %llu: %s (column %d)", path, (unsigned long long)source->line, error.text, error.column);
    else if (!ok)
        text_set(why, "%sline %llu: %.250s", path, (unsigned long long)source->line, reason.at);
    json_decref(json);
    return ok ? 1 : -1;
}

int source_next(struct source *source, void *test_case, uint64_t *index, struct text *why)
{
    if (source->next == source->end) return 0;
    if (source->lines != NULL) {
        const char *line = next_line(source);
        *index = source->line;
        source->next++;
        return line == NULL ? 0 : read_case(source, line, test_case, why);
    }
    *index = source->next++;
    struct random random = random_for(source->seed, *index);
    source->family->generate(&random, test_case);
    return 1;
}

int source_is_fatal(const struct family *family, const void *test_case)
{
    size_t bytes = family->result_bytes(test_case);
    uint8_t *scratch = malloc(bytes + 16);
    struct result result = {.free_bytes = scratch};
    if (scratch == NULL) return 0;
    family->run_model(test_case, &result);
    free(scratch);
    enum outcome outcome = rule_row(result.rule)->sm_90a;
    return outcome == OUTCOME_FAULT || outcome == OUTCOME_CRASH;
}

static void swap_cases(struct batch *batch, struct fill *fill, int i, int j, void *scratch)
{
    if (i == j) return;
    memcpy(scratch, batch_case(batch, i), batch->family->case_bytes);
    memcpy(batch_case(batch, i), batch_case(batch, j), batch->family->case_bytes);
    memcpy(batch_case(batch, j), scratch, batch->family->case_bytes);
    uint64_t index = fill->index[i];
    fill->index[i] = fill->index[j];
    fill->index[j] = index;
}

// Counts in the case that was read last. 0 with `why` if there can be no room for its result.
static int add_case(const struct source *source, struct batch *batch, struct text *why)
{
    struct text reason;
    char path[200];
    if (batch_add(batch, &reason)) return 1;
    name_path(source, path, sizeof path);
    text_set(why, "%sline %llu: %.250s", path, (unsigned long long)source->line, reason.at);
    return 0;
}

int source_fill(struct source *source, struct batch *batch, struct fill *fill, struct text *why)
{
    void *scratch = malloc(batch->family->case_bytes);
    batch_clear(batch);
    fill->normal = 0;
    int status = scratch == NULL ? -1 : 1;
    if (scratch == NULL) text_set(why, "not enough memory");
    while (status == 1 && !batch_is_full(batch)) {
        int i = batch->count;
        status = source_next(source, batch_case(batch, i), &fill->index[i], why);
        if (status == 1 && !add_case(source, batch, why)) status = -1;
        if (status == 1 && !source_is_fatal(source->family, batch_case(batch, i)))
            swap_cases(batch, fill, fill->normal++, i, scratch);
    }
    free(scratch);
    return status < 0 ? -1 : batch->count;
}
