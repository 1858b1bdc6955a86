// SPDX-License-Identifier: MIT
// The report: files of results added up into one tree.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "score.h"

struct score {
    struct expectations *expectations;
    json_t *report, *header;
    json_t *seen; // the cases so far: a case is counted once
    uint64_t files;
};

static const char *const lists[] = {"families", "traces", "rules", "features", "unsupported", NULL};

static const char *const of_cases[] = {"failures", "known", "fixed", "stale", NULL}; // left out where they are empty

struct score *score_open(struct expectations *expectations)
{
    struct score *score = calloc(1, sizeof *score);
    if (score == NULL) abort();
    *score = (struct score){expectations, json_object(), NULL, json_object(), 0};
    json_object_set_new(score->report, "total", json_object());
    for (int i = 0; lists[i] != NULL; i++) json_object_set_new(score->report, lists[i], json_object());
    json_object_set_new(score->report, "failures", json_array());
    json_object_set_new(score->report, "known", json_array());
    return score;
}

// The object at `key` of an object, made where there is none.
static json_t *inside(json_t *of, const char *key)
{
    json_t *there = json_object_get(of, key);
    if (there == NULL) json_object_set_new(of, key, there = json_object());
    return there;
}

static void count(json_t *of, const char *key)
{
    json_object_set_new(of, key, json_integer(json_integer_value(json_object_get(of, key)) + 1));
}

static void count_verdict(json_t *of, const char *verdict, bool is_known)
{
    count(of, "cases");
    count(of, verdict);
    if (is_known) count(of, "known");
}

static void count_features(json_t *report, json_t *features, const char *verdict, bool is_known)
{
    const char *axis;
    json_t *value;
    json_object_foreach(features, axis, value)
    {
        char number[24];
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        const char *of = json_is_string(value) ? json_string_value(value) : number;
        count_verdict(inside(inside(inside(report, "features"), axis), of), verdict, is_known);
    }
}

static void add_record(struct score *score, const json_t *record)
{
    const char *name = json_string_value(json_object_get(record, "case"));
    const char *verdict = json_string_value(json_object_get(record, "verdict"));
    const char *rule = json_string_value(json_object_get(record, "rule"));
    const char *reason = expectations_take(score->expectations, name, verdict);
    const bool agrees = strcmp(verdict, score_verdict_names[SCORE_AGREES]) == 0;
    const bool is_unsupported = strcmp(verdict, score_verdict_names[SCORE_UNSUPPORTED]) == 0;
    json_t *report = score->report;
    char trace[256];
    snprintf(trace, sizeof trace, "%.*s", (int)strcspn(name, ":"), name);
    count_verdict(inside(report, "total"), verdict, reason != NULL);
    count_verdict(inside(inside(report, "families"), json_string_value(json_object_get(record, "family"))), verdict,
                  reason != NULL);
    count_verdict(inside(inside(report, "traces"), trace), verdict, reason != NULL);
    if (rule != NULL) count_verdict(inside(inside(report, "rules"), rule), verdict, reason != NULL);
    count_features(report, json_object_get(record, "feature"), verdict, reason != NULL);
    if (is_unsupported)
        count(inside(inside(report, "unsupported"), json_string_value(json_object_get(record, "why"))), "cases");
    if (agrees || (is_unsupported && reason == NULL)) return;
    json_t *copy = json_copy((json_t *)record);
    json_object_del(copy, "feature");
    if (reason != NULL) json_object_set_new(copy, "reason", json_string(reason));
    json_array_append_new(json_object_get(report, reason != NULL ? "known" : "failures"), copy);
}

static bool is_record(const json_t *json)
{
    const char *verdict = json_string_value(json_object_get(json, "verdict"));
    bool is_known = false;
    for (int i = 0; verdict != NULL && i < SCORE_VERDICTS; i++)
        is_known |= strcmp(verdict, score_verdict_names[i]) == 0;
    return is_known && json_is_string(json_object_get(json, "case")) &&
           json_is_string(json_object_get(json, "family")) &&
           (strcmp(verdict, score_verdict_names[SCORE_UNSUPPORTED]) != 0 ||
            json_is_string(json_object_get(json, "why")));
}

// The header of a file: of the first one it is kept, all others have to say the same but for their shard.
static int add_header(struct score *score, const json_t *header, struct text *why)
{
    static const char *const same[] = {"tmaref_score", "version", "program", "shards", NULL};
    if (!json_is_integer(json_object_get(header, "tmaref_score")))
        return text_fail(why, "it is no file of results: tmaref score --resume makes one");
    for (int i = 0; score->header != NULL && same[i] != NULL; i++) {
        if (json_equal(json_object_get(score->header, same[i]), json_object_get(header, same[i]))) continue;
        char *one = json_dumps(json_object_get(score->header, same[i]), JSON_ENCODE_ANY);
        char *other = json_dumps(json_object_get(header, same[i]), JSON_ENCODE_ANY);
        text_set(why, "\"%s\" is %.150s, and %.150s in the file before", same[i], other, one);
        free(one), free(other);
        return 0;
    }
    if (score->header == NULL) score->header = json_deep_copy(header);
    return 1;
}

// A last line that a run was cut off in is left out: its case has no verdict yet.
static int add_line(struct score *score, const char *line, bool is_whole, uint64_t number, struct text *why)
{
    json_error_t error;
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    int ok = number == 1 ? add_header(score, json, why) : is_record(json);
    if (json == NULL && !is_whole && number > 1) return 1;
    if (!ok && number > 1) text_set(why, "line %" PRIu64 " is no result", number);
    const char *name = json_string_value(json_object_get(json, "case"));
    if (ok && number > 1 && json_object_get(score->seen, name) == NULL) {
        json_object_set_new(score->seen, name, json_true());
        add_record(score, json);
    }
    json_decref(json);
    return ok;
}

int score_add(struct score *score, const char *path, struct text *why)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    uint64_t number = 0;
    struct text reason = {"it is empty"};
    if (file == NULL) return text_fail(why, "%.300s cannot be read", path);
    int ok = 1;
    for (ssize_t length; ok && (length = getline(&line, &room, file)) > 0;)
        ok = add_line(score, line, line[length - 1] == '\n', ++number, &reason);
    free(line);
    fclose(file);
    if (!ok || number == 0) return text_fail(why, "%.200s: %.300s", path, reason.at);
    score->files++;
    return 1;
}

static int by_case(const void *a, const void *b)
{
    const char *one = json_string_value(json_object_get(*(json_t *const *)a, "case"));
    const char *other = json_string_value(json_object_get(*(json_t *const *)b, "case"));
    const size_t length = strcspn(one, ":");
    const int names = strncmp(one, other, length > strcspn(other, ":") ? length : strcspn(other, ":"));
    if (names != 0) return names;
    const unsigned long long x = strtoull(one + length + 1, NULL, 10), y = strtoull(other + length + 1, NULL, 10);
    return (x > y) - (x < y);
}

// In the order of the recordings, whichever process was first.
static void sort(json_t *report, const char *key)
{
    json_t *list = json_object_get(report, key);
    const size_t length = json_array_size(list);
    json_t **at = calloc(length + 1, sizeof *at);
    for (size_t i = 0; i < length; i++) at[i] = json_incref(json_array_get(list, i));
    if (length > 0) qsort(at, length, sizeof *at, by_case);
    json_array_clear(list);
    for (size_t i = 0; i < length; i++) json_array_append_new(list, at[i]);
    free(at);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// An object with its keys in order, and those of the objects in it.
static json_t *sorted(json_t *of)
{
    const size_t length = json_object_size(of);
    const char **keys = calloc(length + 1, sizeof *keys), *key;
    json_t *value, *result = json_object();
    size_t i = 0;
    json_object_foreach(of, key, value) keys[i++] = key;
    if (length > 0) qsort(keys, length, sizeof *keys, by_text);
    for (i = 0; i < length; i++) {
        value = json_object_get(of, keys[i]);
        json_object_set_new(result, keys[i], json_is_object(value) ? sorted(value) : json_incref(value));
    }
    free(keys);
    return result;
}

json_t *score_close(struct score *score)
{
    json_t *report = score->report, *header = score->header;
    const bool is_part = score->files < (uint64_t)json_integer_value(json_object_get(header, "shards"));
    json_object_set(report, "program", json_object_get(header, "program"));
    json_object_set(report, "version", json_object_get(header, "version"));
    json_object_set_new(report, "shards",
                        json_pack("[I, O]", (json_int_t)score->files, json_object_get(header, "shards")));
    for (int i = 0; lists[i] != NULL; i++)
        json_object_set_new(report, lists[i], sorted(json_object_get(report, lists[i])));
    sort(report, "failures");
    sort(report, "known");
    json_object_set_new(report, "fixed", expectations_fixed(score->expectations));
    json_object_set_new(report, "stale", is_part ? json_array() : expectations_stale(score->expectations));
    for (int i = 0; of_cases[i] != NULL; i++)
        if (json_array_size(json_object_get(report, of_cases[i])) == 0) json_object_del(report, of_cases[i]);
    json_decref(score->header);
    json_decref(score->seen);
    free(score);
    return report;
}

uint64_t score_failures(const json_t *report)
{
    return json_array_size(json_object_get(report, "failures"));
}
