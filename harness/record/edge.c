// SPDX-License-Identifier: MIT
// A case is walked as JSON: whatever family it is of, its numbers are there, and reading it back checks it.
#include "edge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 128, BITS = 64, MOST_TRIES = 4000, NUMBER_BYTES = 24, WORD_BYTES = 32 };
enum { OTHER_SEED = 1, OTHER_CASES = 100 }; // whose values are borrowed

struct walk {
    const struct family *family;
    json_t *json, *number[MOST_NUMBERS];
    int numbers, tries;
    enum rule rule; // of the case that faults
    void *scratch;
};

// Text that is a number, as 64-bit values above INT64_MAX are.
static bool is_number(const json_t *json)
{
    const char *text = json_string_value(json);
    char *end;
    if (json_is_integer(json)) return true;
    if (text == NULL || *text < '0' || *text > '9') return false;
    strtoull(text, &end, 0);
    return *end == '\0';
}

// Text that is none; long text is a memory dump.
static bool is_word(const json_t *json)
{
    return json_is_string(json) && !is_number(json) && json_string_length(json) < WORD_BYTES;
}

static uint64_t value_of(const json_t *number)
{
    return json_is_integer(number) ? (uint64_t)json_integer_value(number)
                                   : strtoull(json_string_value(number), NULL, 0);
}

static void set_value(json_t *number, uint64_t value)
{
    char text[NUMBER_BYTES];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    if (json_is_integer(number))
        json_integer_set(number, (json_int_t)value);
    else
        json_string_set(number, text);
}

static void collect(struct walk *walk, json_t *json)
{
    const char *key;
    json_t *child;
    size_t i;
    if (is_number(json) && walk->numbers < MOST_NUMBERS) walk->number[walk->numbers++] = json;
    if (json_is_array(json)) json_array_foreach(json, i, child) collect(walk, child);
    if (!json_is_object(json)) return;
    json_object_foreach(json, key, child)
    {
        if (strcmp(key, "seed") != 0) collect(walk, child);
    }
}

// What becomes of the case as it is now: the rule it breaks, RULE_NONE if it is no case.
static enum rule try_case(struct walk *walk)
{
    struct text unused;
    walk->tries++;
    if (!family_read(walk->family, walk->json, walk->scratch, &unused)) return RULE_NONE;
    return family_rule(walk->family, walk->scratch);
}

static enum rule try_value(struct walk *walk, json_t *number, uint64_t value)
{
    set_value(number, value);
    return try_case(walk);
}

static bool is_near(enum rule rule)
{
    return rule != RULE_NONE && !family_is_fatal(rule);
}

// Brings both sides together: with `fatal` the case breaks the rule, with `near` it does not fault.
static void close_in(struct walk *walk, json_t *number, uint64_t *fatal, uint64_t *near)
{
    for (int64_t gap = (int64_t)(*near - *fatal) / 2; gap != 0; gap = (int64_t)(*near - *fatal) / 2) {
        uint64_t middle = *fatal + (uint64_t)gap;
        enum rule rule = try_value(walk, number, middle);
        if (!is_near(rule) && rule != walk->rule) return;
        *(is_near(rule) ? near : fatal) = middle;
    }
}

// Tries `near` in place of a number; both cases if it does.
static bool try_near(struct walk *walk, json_t *number, uint64_t near, void *edge_case, void *near_case)
{
    uint64_t fatal = value_of(number);
    bool found = near != fatal && is_near(try_value(walk, number, near));
    if (found) close_in(walk, number, &fatal, &near);
    if (found) try_value(walk, number, near);
    if (found) memcpy(near_case, walk->scratch, walk->family->case_bytes);
    try_value(walk, number, fatal);
    if (found) memcpy(edge_case, walk->scratch, walk->family->case_bytes);
    return found;
}

// A power of two further, a power of two nearer, or without the bits from there on.
static bool search(struct walk *walk, void *edge_case, void *near_case)
{
    for (int shift = 0; shift < BITS; shift++)
        for (int i = 0; i < walk->numbers && walk->tries < MOST_TRIES; i++) {
            json_t *number = walk->number[i];
            uint64_t value = value_of(number), step = UINT64_C(1) << shift;
            const uint64_t tries[] = {value + step, value - step, value & (step - 1)};
            for (int j = 0; j < 3; j++)
                if (try_near(walk, number, tries[j], edge_case, near_case)) return true;
        }
    return false;
}

// Where both cases are put: of a search among other cases.
struct pair {
    void *edge_case, *near_case;
    int words; // whether words are borrowed, or numbers
};

// Tries the word of another case in place of one.
static bool try_word(struct walk *walk, json_t *word, const json_t *other, const struct pair *pair)
{
    char *before = strdup(json_string_value(word));
    struct text unused;
    json_string_set(word, json_string_value(other));
    bool found = before != NULL && is_near(try_case(walk));
    if (found) memcpy(pair->near_case, walk->scratch, walk->family->case_bytes);
    if (before != NULL) json_string_set(word, before);
    free(before);
    return found && family_read(walk->family, walk->json, pair->edge_case, &unused);
}

// Borrows the first value of another case that keeps this one from faulting.
static bool borrow(struct walk *walk, json_t *json, const json_t *other, const struct pair *pair)
{
    const char *key;
    json_t *child;
    size_t i;
    if (walk->tries >= MOST_TRIES) return false;
    if (is_number(json) && is_number(other) && !pair->words)
        return try_near(walk, json, value_of(other), pair->edge_case, pair->near_case);
    if (is_word(json) && is_word(other) && pair->words && !json_equal(json, other))
        return try_word(walk, json, other, pair);
    if (json_is_array(json))
        json_array_foreach(json, i, child) if (borrow(walk, child, json_array_get(other, i), pair)) return true;
    if (!json_is_object(json)) return false;
    json_object_foreach(json, key, child)
    {
        if (strcmp(key, "seed") != 0 && borrow(walk, child, json_object_get(other, key), pair)) return true;
    }
    return false;
}

// A number of another case, or else a word.
static bool search_others(struct walk *walk, void *edge_case, void *near_case)
{
    void *other = calloc(1, walk->family->case_bytes);
    bool found = false;
    walk->tries = 0;
    for (int words = 0; other != NULL && words < 2; words++)
        for (uint64_t i = 0; i < OTHER_CASES && !found; i++) {
            struct random random = random_for(OTHER_SEED, i);
            const struct pair pair = {edge_case, near_case, words};
            family_generate(walk->family, &random, other);
            json_t *json = family_write(walk->family, other);
            found = borrow(walk, walk->json, json, &pair);
            json_decref(json);
        }
    free(other);
    return found;
}

bool edge_find(const struct family *family, const void *fatal, enum rule rule, void *edge_case, void *near_case)
{
    struct walk walk = {.family = family, .json = family_write(family, fatal), .rule = rule};
    walk.scratch = calloc(1, family->case_bytes);
    collect(&walk, walk.json);
    bool found =
        walk.scratch != NULL && (search(&walk, edge_case, near_case) || search_others(&walk, edge_case, near_case));
    free(walk.scratch);
    json_decref(walk.json);
    return found;
}
