// SPDX-License-Identifier: MIT
// A file of expectations: what an implementer knows of failures, at the release that is pinned.
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "score.h"

#define EXPECTATIONS_BYTES ((size_t)64 << 20)

// One line. `cases`: those of the run that fit; `agreeing` of them.
struct expectation {
    const char *name, *verdict, *reason;
    uint64_t cases, agreeing;
    bool is_pattern;
};

// Exact names are sorted, and come before the patterns.
struct expectations {
    char *text;
    size_t count, exact;
    struct expectation entry[];
};

static int by_name(const void *a, const void *b)
{
    const struct expectation *one = a, *other = b;
    if (one->is_pattern != other->is_pattern) return one->is_pattern - other->is_pattern;
    return strcmp(one->name, other->name);
}

static const char *word(char **at)
{
    char *start = *at + strspn(*at, " \t"), *end = start + strcspn(start, " \t");
    *at = end + (*end != '\0');
    *end = '\0';
    return start;
}

static bool is_word(const char *text, const char *const *words)
{
    while (*words != NULL && strcmp(text, *words) != 0) words++;
    return *words != NULL;
}

static size_t count_words(const char *const *words)
{
    size_t count = 0;
    while (words[count] != NULL) count++;
    return count;
}

// "CASE VERDICT REASON"; 0 with `why` for a line that is none.
static int read_line(char *line, size_t number, const char *const *verdicts, struct expectation *entry,
                     struct text *why)
{
    *entry = (struct expectation){.name = word(&line), .verdict = word(&line), .reason = line + strspn(line, " \t")};
    entry->is_pattern = strpbrk(entry->name, "*?[") != NULL;
    if (!is_word(entry->verdict, verdicts)) {
        struct text list = {""};
        const int words = (int)count_words(verdicts);
        for (int i = 0; i < words; i++) text_add_name(&list, verdicts[i], i, words);
        return text_fail(why, "line %zu: '%.80s' is no verdict: %.200s", number, entry->verdict, list.at);
    }
    if (entry->reason[0] == '\0')
        return text_fail(why, "line %zu: there is no reason behind '%.80s'", number, entry->verdict);
    return 1;
}

struct expectations *expectations_read(const char *path, const char *const *verdicts, struct text *why)
{
    size_t bytes, lines = 1, number = 0;
    struct text reason;
    char *text = read_file(path, EXPECTATIONS_BYTES, &bytes, why);
    if (text == NULL) return NULL;
    for (const char *at = text; *at != '\0'; at++) lines += *at == '\n';
    struct expectations *all = calloc(1, sizeof *all + lines * sizeof all->entry[0]);
    if (all == NULL) abort();
    all->text = text;
    for (char *line = text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) *next++ = '\0';
        number++;
        line[strcspn(line, "\r")] = '\0';
        line += strspn(line, " \t");
        if (*line == '\0' || *line == '#') continue;
        if (!read_line(line, number, verdicts, &all->entry[all->count++], &reason)) {
            text_set(why, "%.200s: %.300s", path, reason.at);
            expectations_free(all);
            return NULL;
        }
    }
    qsort(all->entry, all->count, sizeof all->entry[0], by_name);
    while (all->exact < all->count && !all->entry[all->exact].is_pattern) all->exact++;
    return all;
}

void expectations_free(struct expectations *expectations)
{
    if (expectations != NULL) free(expectations->text);
    free(expectations);
}

static struct expectation *find(struct expectations *expectations, const char *name)
{
    const struct expectation key = {.name = name};
    struct expectation *entry = bsearch(&key, expectations->entry, expectations->exact, sizeof key, by_name);
    for (size_t i = expectations->exact; entry == NULL && i < expectations->count; i++)
        if (fnmatch(expectations->entry[i].name, name, 0) == 0) entry = &expectations->entry[i];
    return entry;
}

const char *expectations_of(struct expectations *expectations, const char *name, const char **reason)
{
    const struct expectation *entry = find(expectations, name);
    *reason = entry != NULL ? entry->reason : "";
    return entry != NULL ? entry->verdict : NULL;
}

const char *expectations_take(struct expectations *expectations, const char *name, const char *verdict)
{
    struct expectation *entry = expectations != NULL ? find(expectations, name) : NULL;
    if (entry == NULL) return NULL;
    entry->cases++;
    entry->agreeing += strcmp(verdict, score_verdict_names[SCORE_AGREES]) == 0;
    return strcmp(entry->verdict, verdict) == 0 ? entry->reason : NULL;
}

static json_t *entries(const struct expectations *expectations, bool are_stale)
{
    json_t *list = json_array();
    for (size_t i = 0; expectations != NULL && i < expectations->count; i++) {
        const struct expectation *entry = &expectations->entry[i];
        const bool is_fixed = entry->cases > 0 && entry->agreeing == entry->cases;
        if (are_stale ? entry->cases == 0 : is_fixed)
            json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "case", entry->name, "verdict", entry->verdict,
                                                  "reason", entry->reason));
    }
    return list;
}

json_t *expectations_fixed(const struct expectations *expectations)
{
    return entries(expectations, false);
}

json_t *expectations_stale(const struct expectations *expectations)
{
    return entries(expectations, true);
}
