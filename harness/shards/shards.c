// SPDX-License-Identifier: MIT
#include "shards.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "version_text.h"

// What becomes of the keys of an answer, wherever they stand: those of `sums` are added up, or, where they are truth,
// are true if one is; of `lists` the entries are put behind each other. All others have to be the same. Objects of an
// array that is no such list are matched by `id`. `failures`: the keys whose sum, or length, makes the exit status 1.
static const struct kind {
    const char *command, *sums, *lists, *id, *failures;
} kinds[] = {
    {"explore", " runs schedules default late early shuffled pct delay cut every lists tried left ", " failures ", "",
     " failures "},
    {"litmus", " agree differ unread refused tries ", " tests ", "", " differ "},
    {"replay", " compared mismatches statusAlone unsupported ", "", "trace", " mismatches "},
    {"diff", " cases mismatches faults left_out not_begun unsupported seconds faultsAllowed interrupted either near ",
     "", "family", " mismatches "},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool has(const char *words, const char *word)
{
    char wanted[64];
    const int length = snprintf(wanted, sizeof wanted, " %s ", word);
    return length < (int)sizeof wanted && strstr(words, wanted) != NULL;
}

json_t *shard_answer(const struct shard *shard, const char *command, json_t *settings, json_t *answer)
{
    if (!shard->is_given) {
        json_decref(settings);
        return answer;
    }
    return json_pack("{s:s, s:s, s:{s:I, s:I}, s:o, s:o}", "command", command, "version", TMAREF_VERSION_TEXT, "shard",
                     "part", (json_int_t)shard->part, "parts", (json_int_t)shard->parts, "settings", settings, "answer",
                     answer);
}

// --- One file --------------------------------------------------------------------------------------------------------

// A part as it was read.
struct part {
    json_t *json;
    const char *path;
};

static const struct kind *kind_of(const json_t *json)
{
    const char *command = json_string_value(json_object_get(json, "command"));
    for (int i = 0; i < KINDS && command != NULL; i++)
        if (strcmp(kinds[i].command, command) == 0) return &kinds[i];
    return NULL;
}

static uint64_t number_of(const json_t *json, const char *key)
{
    const json_int_t number = json_integer_value(json_object_get(json_object_get(json, "shard"), key));
    return number > 0 && number <= SHARDS_MOST ? (uint64_t)number : 0;
}

static bool is_part(const json_t *json)
{
    return kind_of(json) != NULL && json_object_get(json, "answer") != NULL && number_of(json, "parts") > 0 &&
           number_of(json, "part") > 0 && number_of(json, "part") <= number_of(json, "parts");
}

bool shards_is_one(const char *path)
{
    json_t *json = json_load_file(path, 0, NULL);
    const bool is_one = is_part(json);
    json_decref(json);
    return is_one;
}

// --- Sums ------------------------------------------------------------------------------------------------------------

static int add(const struct kind *kind, json_t *to, json_t *from, struct text *why);

static json_t *sum_of(const json_t *a, const json_t *b)
{
    if (json_is_boolean(a)) return json_boolean(json_is_true(a) || json_is_true(b));
    if (json_is_integer(a) && json_is_integer(b)) return json_integer(json_integer_value(a) + json_integer_value(b));
    return json_real(json_number_value(a) + json_number_value(b));
}

static json_t *find_same(const json_t *list, const char *id, const json_t *entry)
{
    size_t i;
    json_t *other;
    json_array_foreach(list, i, other) if (json_equal(json_object_get(other, id), json_object_get(entry, id)))
    {
        return other;
    }
    return NULL;
}

// Entries that both have are added up, by the key that names them; the others stand behind.
static int add_entries(const struct kind *kind, json_t *to, json_t *from, struct text *why)
{
    size_t i;
    json_t *entry;
    json_array_foreach(from, i, entry)
    {
        const char *id = json_object_get(entry, kind->id) != NULL ? kind->id : "rule";
        json_t *same = find_same(to, id, entry);
        if (same == NULL || json_object_get(entry, id) == NULL)
            json_array_append(to, entry);
        else if (!add(kind, same, entry, why))
            return 0;
    }
    return 1;
}

// One key that both have.
static int add_key(const struct kind *kind, json_t *to, const char *key, json_t *from, struct text *why)
{
    json_t *now = json_object_get(to, key);
    if (has(kind->lists, key) && json_is_array(now) && json_is_array(from)) return json_array_extend(now, from) == 0;
    const bool is_sum = has(kind->sums, key) && !json_is_object(now) && !json_is_array(now);
    if (is_sum && json_typeof(now) != json_typeof(from) && !(json_is_boolean(now) && json_is_boolean(from)))
        return text_fail(why, "%.60s is no number", key);
    if (is_sum) return json_object_set_new(to, key, sum_of(now, from)) == 0;
    if (json_is_object(now) && json_is_object(from) && has(kind->sums, key)) return add(kind, now, from, why);
    if (json_is_array(now) && json_is_array(from) && strcmp(key, "rules") == 0)
        return add_entries(kind, now, from, why);
    return json_equal(now, from) || text_fail(why, "%.60s differs", key);
}

static int add(const struct kind *kind, json_t *to, json_t *from, struct text *why)
{
    const char *key;
    json_t *value;
    if (json_is_array(to) && json_is_array(from)) return add_entries(kind, to, from, why);
    if (!json_is_object(to) || !json_is_object(from)) return text_fail(why, "it is another kind of answer");
    json_object_foreach(from, key, value)
    {
        if (json_object_get(to, key) == NULL)
            json_object_set(to, key, value);
        else if (!add_key(kind, to, key, value, why))
            return 0;
    }
    return 1;
}

// What the keys of `failures` come to. Of a list of entries with a sum of all, that counts once.
static uint64_t failures_of(const struct kind *kind, const json_t *answer)
{
    uint64_t failures = 0;
    const char *key;
    size_t i;
    json_t *value, *entry;
    if (json_is_array(answer)) json_array_foreach(answer, i, entry) failures += failures_of(kind, entry);
    if (!json_is_object(answer)) return failures;
    json_object_foreach((json_t *)answer, key, value)
    {
        if (!has(kind->failures, key)) continue;
        failures += json_is_array(value) ? json_array_size(value) : (uint64_t)json_integer_value(value);
    }
    return failures;
}

// --- All files -------------------------------------------------------------------------------------------------------

static bool same(const struct part *a, const struct part *b, const char *key, struct text *why)
{
    json_t *of_a = json_object_get(a->json, key), *of_b = json_object_get(b->json, key);
    if (json_equal(of_a, of_b)) return true;
    char *text_a = json_dumps(of_a, JSON_COMPACT | JSON_ENCODE_ANY),
         *text_b = json_dumps(of_b, JSON_COMPACT | JSON_ENCODE_ANY);
    text_set(why, "they are no parts of one run: the %s of %.100s is %.80s, that of %.100s %.80s", key, a->path, text_a,
             b->path, text_b);
    free(text_a);
    free(text_b);
    return false;
}

// The settings, key by key, so that the one that differs is named.
static bool same_settings(const struct part *a, const struct part *b, struct text *why)
{
    const json_t *of_a = json_object_get(a->json, "settings"), *of_b = json_object_get(b->json, "settings");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)of_a, key, value)
    {
        const struct part inner_a = {(json_t *)of_a, a->path}, inner_b = {(json_t *)of_b, b->path};
        if (!same(&inner_a, &inner_b, key, why)) return false;
    }
    return same(a, b, "settings", why);
}

// Are they all of one run, and is each part there once? by_part[i]: the file of part i + 1.
static int order(const struct part *part, int count, const struct part **by_part, struct text *why)
{
    const uint64_t parts = number_of(part[0].json, "parts");
    for (int i = 0; i < count; i++) {
        const uint64_t number = number_of(part[i].json, "part"), of = number_of(part[i].json, "parts");
        if (of != parts)
            return text_fail(why, "%.150s is a part of %" PRIu64 ", %.150s one of %" PRIu64, part[0].path, parts,
                             part[i].path, of);
        if (!same(&part[0], &part[i], "command", why) || !same(&part[0], &part[i], "version", why) ||
            !same_settings(&part[0], &part[i], why))
            return 0;
        if (by_part[number - 1] != NULL)
            return text_fail(why, "part %" PRIu64 " stands twice: %.150s and %.150s", number, by_part[number - 1]->path,
                             part[i].path);
        by_part[number - 1] = &part[i];
    }
    for (uint64_t i = 0; i < parts; i++)
        if (by_part[i] == NULL) return text_fail(why, "part %" PRIu64 " of %" PRIu64 " is missing", i + 1, parts);
    return 1;
}

// Adds the parts up, in their order.
static json_t *sum_parts(const struct part **by_part, uint64_t parts, uint64_t *failures, struct text *why)
{
    const json_t *first = by_part[0]->json;
    const struct kind *kind = kind_of(first);
    json_t *answer = json_deep_copy(json_object_get(first, "answer"));
    for (uint64_t i = 1; i < parts; i++) {
        struct text what = {""};
        if (add(kind, answer, json_object_get(by_part[i]->json, "answer"), &what)) continue;
        text_set(why, "%.150s and %.150s: %.150s", by_part[0]->path, by_part[i]->path, what.at);
        json_decref(answer);
        return NULL;
    }
    *failures = failures_of(kind, answer);
    return json_pack("{s:O, s:O, s:I, s:O, s:o}", "command", json_object_get(first, "command"), "version",
                     json_object_get(first, "version"), "shards", (json_int_t)parts, "settings",
                     json_object_get(first, "settings"), "answer", answer);
}

json_t *shards_merge(const char *const *paths, int count, uint64_t *failures, struct text *why)
{
    static struct part part[SHARDS_MOST];
    static const struct part *by_part[SHARDS_MOST];
    json_t *sum = NULL;
    int ok = 1, read = 0;
    memset(by_part, 0, sizeof by_part);
    for (; ok && read < count; read++) {
        json_error_t error;
        part[read] = (struct part){json_load_file(paths[read], 0, &error), paths[read]};
        if (part[read].json == NULL)
            ok = text_fail(why, "%.200s: %.200s", paths[read], error.text);
        else if (!is_part(part[read].json))
            ok = text_fail(why, "%.300s is no part that --shard --json has printed", paths[read]);
    }
    ok = ok && order(part, count, by_part, why);
    if (ok) sum = sum_parts(by_part, number_of(part[0].json, "parts"), failures, why);
    for (int i = 0; i < read; i++) json_decref(part[i].json);
    return sum;
}
