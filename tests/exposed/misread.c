// SPDX-License-Identifier: MIT
#include "misread.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rule_most.h"

enum { LINE_BYTES = 1024, MISREADINGS = 64, GROUPS = 10 };

static struct misreading {
    enum rule rule;
    regex_t pattern;
    char instead[320];
} misreadings[MISREADINGS];
static int misreadings_known;

static bool read_line(char *line)
{
    char *rest = line, *id = strsep(&rest, "\t"), *sentence = strsep(&rest, "\t"), *pattern = strsep(&rest, "\t");
    struct misreading *to = &misreadings[misreadings_known];
    if (sentence == NULL || pattern == NULL || rest == NULL || misreadings_known == MISREADINGS) return false;
    to->rule = rule_find(id);
    snprintf(to->instead, sizeof to->instead, "%s", rest);
    misreadings_known++;
    return to->rule != RULE_NONE && regcomp(&to->pattern, pattern, REG_EXTENDED) == 0;
}

bool misreadings_read(const char *path)
{
    char line[LINE_BYTES];
    bool ok = true;
    FILE *file = fopen(path, "r");
    if (file == NULL) perror(path);
    while (file != NULL && ok && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        ok = line[0] == '#' || read_line(line);
        if (!ok) fprintf(stderr, "%s: no rule, sentence, pattern and replacement: %s\n", path, line);
    }
    if (file != NULL) fclose(file);
    return ok && file != NULL;
}

// The text with the first match replaced, for the caller to free; NULL if there is none.
static char *changed(const struct misreading *misreading, const char *text)
{
    regmatch_t group[GROUPS];
    char *result = NULL;
    size_t bytes;
    if (regexec(&misreading->pattern, text, GROUPS, group, 0) != 0) return NULL;
    FILE *out = open_memstream(&result, &bytes);
    if (out == NULL) return NULL;
    fprintf(out, "%.*s", (int)group[0].rm_so, text);
    for (const char *at = misreading->instead; *at != '\0'; at++) {
        const regmatch_t *part = *at == '\\' ? &group[*++at - '0'] : NULL;
        if (part != NULL)
            fprintf(out, "%.*s", (int)(part->rm_eo - part->rm_so), text + part->rm_so);
        else
            fputc(*at, out);
    }
    fputs(text + group[0].rm_eo, out);
    fclose(out);
    return result;
}

// Is there a byte that differs, and that neither leaves open?
static bool window_differs(const struct family *family, const void *one, const struct window *a, const void *two,
                           const struct window *b)
{
    uint32_t i = 0;
    if (a->is_open || b->is_open) return false;
    if (a->size_bytes != b->size_bytes) return true;
    uint8_t *first = family_open_bytes(family, one, a), *second = family_open_bytes(family, two, b);
    while (i < a->size_bytes &&
           (a->bytes[i] == b->bytes[i] || (first != NULL && first[i] != 0) || (second != NULL && second[i] != 0)))
        i++;
    free(first);
    free(second);
    return i < a->size_bytes;
}

static bool result_differs(const struct family *family, const void *one, const struct result *a, const void *two,
                           const struct result *b)
{
    if (a->status != b->status || a->windows != b->windows) return true;
    for (int w = 0; w < a->windows; w++)
        if (window_differs(family, one, &a->window[w], two, &b->window[w])) return true;
    return false;
}

static bool is_exposed(const struct trace_batch *cases, int i, const char *other)
{
    const struct family *family = cases->batch.family;
    struct text why;
    json_t *json = json_loads(other, 0, NULL);
    void *test_case = calloc(1, family->case_bytes);
    bool exposed = false;
    if (json != NULL && test_case != NULL && family_read(family, json, test_case, &why)) {
        uint8_t *bytes = malloc(family_result_bytes(family, test_case));
        struct result result = result_at(bytes);
        if (bytes != NULL) family_run_model(family, test_case, &result);
        exposed = bytes != NULL &&
                  result_differs(family, batch_case(&cases->batch, i), &cases->batch.results[i], test_case, &result);
        free(bytes);
    }
    free(test_case);
    json_decref(json);
    return exposed;
}

void misreadings_count(const struct trace_batch *cases, int i, const char *text, uint32_t exposed[RULE_MOST])
{
    for (int m = 0; m < misreadings_known; m++) {
        enum rule rule = misreadings[m].rule;
        char *other = exposed[rule] < MISREAD_ENOUGH ? changed(&misreadings[m], text) : NULL;
        if (other != NULL) exposed[rule] += is_exposed(cases, i, other);
        free(other);
    }
}
