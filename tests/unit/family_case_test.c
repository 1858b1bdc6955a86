// SPDX-License-Identifier: MIT
// The suite `family_case`: the cases of every family as JSON, both ways. What the fields of a family say (field.h) is
// what its reader takes and refuses.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "family.h"
#include "family_checks.h"
#include "field.h"
#include "rule_most.h"

TEST_FILE(.seconds = 120);

enum { CASES = 500, ALTERED_CASES = 40, SEED = 31, THREAD_CASES = 24, MOST_TOLD_BYTES = 1 << 22 };

// How many likely rules the row of each family tells, 2 for more.
static const int likely_of[] = {
#define FAMILY(name, live, likely, first) likely,
#include "families.def"

#undef FAMILY
};

static const struct family *family;
static int likely;
static void *test_case, *again;

static void open_family(int i)
{
    family = families[i];
    likely = likely_of[i];
    test_case = calloc(1, family->case_bytes);
    again = calloc(1, family->case_bytes);
    ck_assert(test_case != NULL && again != NULL);
}

static void close_family(void)
{
    free(test_case);
    free(again);
}

void family_takes(const char *name, const char *text, void *object)
{
    struct text why = {""};
    json_t *json = json_loads(text, 0, NULL);
    ck_assert_msg(json != NULL, "%s", text);
    ck_assert_msg(family_read(family_find(name), json, object, &why), "%s: %s", text, why.at);
    json_decref(json);
}

static json_t *random_case(uint64_t i)
{
    struct random random = random_for(SEED, i);
    family_generate(family, &random, test_case);
    return family_write(family, test_case);
}

static int count_families(void)
{
    int count = 0;
    while (families[count] != NULL) count++;
    return count;
}

// Random cases of these families can have bytes that JSON leaves out. JSON has all bytes of the other families.
static bool leaves_bytes_out(void)
{
    static const char *const names[] = {"im2col", "store", "multicast", "diagnose"};
    int i = 0;
    while (i < ROWS_OF(names) && strcmp(family->name, names[i]) != 0) i++;
    return i < ROWS_OF(names);
}

LOOP_TEST(a_case_is_read_as_it_was_written, 0, count_families())
{
    open_family(_i);
    for (uint64_t i = 0; i < CASES; i++) {
        struct text why = {""};
        memset(test_case, 0, family->case_bytes);
        memset(again, 0, family->case_bytes);
        json_t *json = random_case(i), *other = NULL;
        ck_assert_msg(family_read(family, json, again, &why), "%s, case %" PRIu64 ": %s", family->name, i, why.at);
        other = family_write(family, again);
        ck_assert_msg(json_equal(json, other), "%s, case %" PRIu64, family->name, i);
        ck_assert_msg(leaves_bytes_out() || memcmp(test_case, again, family->case_bytes) == 0,
                      "%s, case %" PRIu64 ": JSON lacks bytes", family->name, i);
        json_decref(json);
        json_decref(other);
    }
    close_family();
}

// Refused, in a sentence that holds `part`.
static void refused(json_t *json, const char *part)
{
    struct text why = {""};
    char *text = json_dumps(json, JSON_COMPACT);
    ck_assert_msg(!family_read(family, json, again, &why), "%s: taken: %s", family->name, text);
    ck_assert_msg(strstr(why.at, part) != NULL, "%s: '%s' is not in '%s': %s", family->name, part, why.at, text);
    free(text);
}

// One key of a case: of the whole object, or of an object or an element of a list in it.
struct spot {
    json_t *whole, *object; // `object` is a part of `whole`, or `whole`
    const char *key;
    const struct field *field;
};

static const struct field *field_of(const struct fields *fields, const char *key)
{
    const struct field *field = fields->field;
    while (field->key != NULL && strcmp(field->key, key) != 0) field++;
    ck_assert_msg(field->key != NULL, "%s: %s is in no table", family->name, key);
    return field;
}

// Refused with `value` in spot of that of the key; NULL: without the key.
static void refused_with(const struct spot *spot, json_t *value, const char *part)
{
    json_t *before = json_deep_copy(spot->object);
    if (value != NULL)
        json_object_set_new(spot->object, spot->key, value);
    else
        json_object_del(spot->object, spot->key);
    refused(spot->whole, part);
    json_object_update(spot->object, before);
    json_decref(before);
}

// One step past the limits of a number.
static void exceed(const struct spot *spot)
{
    const struct field *field = spot->field;
    bool is_number = field->kind == FIELD_NUMBER && field->count == 0 && field->count_of == NULL &&
                     field->count_at == 0 && field->rows == NULL;
    if (is_number && field->most < UINT64_MAX) refused_with(spot, json_u64(field->most + 1), "is not in");
    if (is_number && field->least > 0) refused_with(spot, json_u64(field->least - 1), "is not in");
    if (is_number && field->multiple > 1)
        refused_with(spot, json_u64((field->least + field->most) / 2 | 1), "is a multiple of");
}

// The table has a row for every key of the object.
static void alter(json_t *whole, json_t *object, const struct fields *fields)
{
    json_t *copy = json_deep_copy(object), *value, *element;
    const char *key;
    size_t i;
    json_object_foreach(copy, key, value)
    {
        struct spot spot = {whole, object, key, field_of(fields, key)};
        refused_with(&spot, json_pack("{s:n}", "nothing"), "\"");
        if (spot.field->missing == FIELD_NEEDED && spot.field->presence_at == 0 && spot.field->flag == 0 &&
            !spot.field->may_be_like)
            refused_with(&spot, NULL, key);
        exceed(&spot);
        if (spot.field->kind == FIELD_OBJECT) alter(whole, json_object_get(object, key), spot.field->each);
        json_array_foreach(spot.field->kind == FIELD_LIST ? json_object_get(object, key) : NULL, i, element)
            alter(whole, element, spot.field->each);
    }
    refused_with(&(struct spot){whole, object, "nosuchkey", NULL}, json_true(), "nosuchkey");
    json_object_del(object, "nosuchkey");
    json_decref(copy);
}

LOOP_TEST(a_case_with_one_thing_wrong_is_refused_by_its_key, 0, count_families())
{
    open_family(_i);
    for (uint64_t i = 0; i < ALTERED_CASES; i++) {
        json_t *json = random_case(i);
        alter(json, json, family->fields);
        json_decref(json);
    }
    close_family();
}

// What is said of a result whose byte `at` of window `w` has one bit turned; to be freed.
static char *told_of(const struct result *expected, int w, uint32_t at)
{
    struct result found = *expected;
    struct window *window = &found.window[w];
    char *said = NULL;
    size_t said_bytes;
    FILE *out = open_memstream(&said, &said_bytes);
    window->bytes = memcpy(malloc(window->size_bytes), window->bytes, window->size_bytes);
    window->bytes[at] ^= 1;
    family_explain(family, test_case, expected, &found, out);
    fclose(out);
    free(window->bytes);
    return said;
}

// The last byte of a window that is compared; returns 0 if there is none.
static int check_told(const struct result *expected, int w)
{
    const struct window *window = &expected->window[w];
    uint8_t *is_open = family_open_bytes(family, test_case, window);
    uint32_t end = window->is_open ? 0 : window->size_bytes;
    while (end > 0 && is_open != NULL && is_open[end - 1]) end--;
    free(is_open);
    if (end == 0) return 0;
    char *said = told_of(expected, w, end - 1), want[64];
    snprintf(want, sizeof want, "window %s, 0x%" PRIx64 ":", window->name, window->base + end - 1);
    ck_assert_msg(strstr(said, want) != NULL, "%s: '%s' is not in '%s'", family->name, want, said);
    ck_assert_msg(likely == 0 || strstr(said, "\n    likely rule ") != NULL, "%s: no rule is named: %s", family->name,
                  said);
    free(said);
    return 1;
}

// A byte that differs, in each window of a case, is named by its window and its address, with a likely rule.
LOOP_TEST(a_mismatch_names_its_window_address_and_rule, 0, count_families())
{
    int told = 0;
    open_family(_i);
    for (uint64_t i = 0; i < CASES && told == 0; i++) {
        json_decref(random_case(i));
        size_t bytes = family_result_bytes(family, test_case);
        if (bytes >= MOST_TOLD_BYTES) continue;
        struct result expected = result_at(malloc(bytes + 1));
        family_run_model(family, test_case, &expected);
        for (int w = 0; w < expected.windows; w++) told += check_told(&expected, w);
        free(expected.first_bytes);
    }
    ck_assert_msg(told > 0, "%s: no case has a window", family->name);
    close_family();
}

// The likely rule that is told of a change in window `w`.
static enum rule likely_rule(struct result *expected, int w, uint32_t at_byte)
{
    char *said = told_of(expected, w, at_byte), id[64] = "";
    const char *at = strstr(said, "likely rule ");
    if (at != NULL) sscanf(at, "likely rule %63[A-Z0-9_]:", id);
    free(said);
    return rule_find(id);
}

// How many rules, beside those named before, are told of changes in four places of each window of a case.
static int count_likely(int named[RULE_MOST])
{
    size_t bytes = family_result_bytes(family, test_case);
    int count = 0;
    if (bytes >= MOST_TOLD_BYTES) return 0;
    struct result expected = result_at(malloc(bytes + 1));
    family_run_model(family, test_case, &expected);
    for (int w = 0; w < expected.windows; w++)
        for (uint32_t part = 0; part < 4 && expected.window[w].size_bytes > 0; part++) {
            const enum rule rule = likely_rule(&expected, w, expected.window[w].size_bytes / 4 * part);
            count += rule != RULE_NONE && named[rule]++ == 0;
        }
    free(expected.first_bytes);
    return count;
}

// The rule is that of the place: one for all places, or several, as the family's row says.
LOOP_TEST(likely_rules_depend_on_the_place, 0, count_families())
{
    int named[RULE_MOST] = {0}, rules = 0;
    open_family(_i);
    for (uint64_t i = 0; i < ALTERED_CASES && rules < 2; i++) {
        json_decref(random_case(i));
        rules += count_likely(named);
    }
    ck_assert_msg((rules < 2 ? rules : 2) == likely, "%s: %d rules", family->name, rules);
    close_family();
}

static void check_meanings(const struct fields *fields)
{
    for (const struct field *field = fields->field; field->key != NULL; field++) {
        ck_assert_msg(field->meaning != NULL, "%s: %s", fields->name, field->key);
        ck_assert_msg((field->is_there == NULL) == (field->where == NULL), "%s: %s", fields->name, field->key);
        if (field->each != NULL) check_meanings(field->each);
    }
}

// A page of the format is made of these.
LOOP_TEST(every_field_says_what_it_means, 0, count_families())
{
    check_meanings(families[_i]->fields);
}

// What the model leaves of the first cases, all windows and statuses in one number.
static int digest_cases(void *context)
{
    const struct family *of = context;
    uint32_t digest = 1;
    void *c = calloc(1, of->case_bytes);
    for (uint64_t i = 0; i < THREAD_CASES; i++) {
        struct random random = random_for(SEED, i);
        family_generate(of, &random, c);
        uint8_t *bytes = malloc(family_result_bytes(of, c) + 1);
        struct result result = result_at(bytes);
        family_run_model(of, c, &result);
        digest = digest * 31 + (uint32_t)result.status;
        for (int w = 0; w < result.windows; w++)
            for (uint32_t at = 0; at < result.window[w].size_bytes; at++)
                digest = digest * 31 + result.window[w].bytes[at];
        free(bytes);
    }
    free(c);
    return (int)digest;
}

LOOP_TEST(families_run_on_several_threads, 0, count_families())
{
    enum { THREADS = 3 };
    thrd_t thread[THREADS];
    int digest[THREADS], alone = digest_cases((void *)(uintptr_t)families[_i]);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(thrd_create(&thread[i], digest_cases, (void *)(uintptr_t)families[_i]), thrd_success);
    for (int i = 0; i < THREADS; i++) thrd_join(thread[i], &digest[i]);
    for (int i = 0; i < THREADS; i++) ck_assert_msg(digest[i] == alone, "%s, thread %d", families[_i]->name, i);
}
