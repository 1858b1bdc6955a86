// SPDX-License-Identifier: MIT
// The suite `family_case`: the cases of every family as JSON, both ways. What the fields of a family say (field.h) is
// what its reader takes and refuses.
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "field.h"

Suite *family_case_suite(void);

enum { CASES = 300, ALTERED_CASES = 40, SEED = 31 };

static const struct family *family;
static void *test_case, *again;

static void open_family(int i)
{
    family = families[i];
    test_case = calloc(1, family->case_bytes);
    again = calloc(1, family->case_bytes);
    ck_assert(test_case != NULL && again != NULL);
}

static void close_family(void)
{
    free(test_case);
    free(again);
}

static json_t *random_case(uint64_t i)
{
    struct random random = random_for(SEED, i);
    family->generate(&random, test_case);
    return family_write(family, test_case);
}

START_TEST(a_case_is_read_as_it_was_written)
{
    open_family(_i);
    for (uint64_t i = 0; i < CASES; i++) {
        struct text why = {""};
        json_t *json = random_case(i), *other = NULL;
        ck_assert_msg(family_read(family, json, again, &why), "%s, case %" PRIu64 ": %s", family->name, i, why.at);
        other = family_write(family, again);
        ck_assert_msg(json_equal(json, other), "%s, case %" PRIu64, family->name, i);
        json_decref(json);
        json_decref(other);
    }
    close_family();
}
END_TEST

// Refused, in a sentence that holds `part`.
static void refused(json_t *json, const char *part)
{
    struct text why = {""};
    char *text = json_dumps(json, JSON_COMPACT);
    ck_assert_msg(!family_read(family, json, again, &why), "%s: taken: %s", family->name, text);
    ck_assert_msg(strstr(why.at, part) != NULL, "%s: '%s' is not in '%s': %s", family->name, part, why.at, text);
    free(text);
}

static const struct field *field_of(const char *key)
{
    const struct field *field = family->fields != NULL ? family->fields->field : NULL;
    while (field != NULL && field->key != NULL && strcmp(field->key, key) != 0) field++;
    return field != NULL && field->key != NULL ? field : NULL;
}

// The case with `value` in place of that of `key`.
static json_t *altered(json_t *json, const char *key, json_t *value)
{
    json_t *copy = json_copy(json);
    json_object_set_new(copy, key, value);
    return copy;
}

static void alter_type(json_t *json, const char *key)
{
    json_t *copy = altered(json, key, json_pack("{s:n}", "nothing"));
    refused(copy, key);
    json_decref(copy);
}

// A key that is missing is refused, or stands for a value of its own.
static void leave_out(json_t *json, const char *key)
{
    const struct field *field = field_of(key);
    json_t *copy = json_copy(json);
    json_object_del(copy, key);
    if (field != NULL && !field->is_optional && field->presence_at == 0) refused(copy, key);
    json_decref(copy);
}

// One step past the limits of a number.
static void exceed(json_t *json, const char *key)
{
    const struct field *field = field_of(key);
    int is_number = field != NULL && field->kind == FIELD_NUMBER && field->count == 0 && field->count_of == NULL;
    if (is_number && field->most < UINT64_MAX) {
        json_t *copy = altered(json, key, json_u64(field->most + 1));
        refused(copy, "is not in");
        json_decref(copy);
    }
    if (is_number && field->least > 0) {
        json_t *copy = altered(json, key, json_u64(field->least - 1));
        refused(copy, "is not in");
        json_decref(copy);
    }
}

START_TEST(a_case_with_one_thing_wrong_is_refused_by_its_key)
{
    open_family(_i);
    for (uint64_t i = 0; i < ALTERED_CASES; i++) {
        json_t *json = random_case(i), *value, *more;
        const char *key;
        json_object_foreach(json, key, value)
        {
            alter_type(json, key);
            leave_out(json, key);
            exceed(json, key);
        }
        refused(more = altered(json, "nosuchkey", json_true()), "nosuchkey");
        json_decref(more);
        json_decref(json);
    }
    close_family();
}
END_TEST

// A page of the format is made of these.
START_TEST(every_field_says_what_it_means)
{
    const struct fields *fields = families[_i]->fields;
    for (const struct field *field = fields != NULL ? fields->field : NULL; field != NULL && field->key != NULL;
         field++) {
        ck_assert_msg(field->meaning != NULL, "%s: %s", families[_i]->name, field->key);
        ck_assert_msg((field->is_there == NULL) == (field->where == NULL), "%s: %s", families[_i]->name, field->key);
    }
}
END_TEST

Suite *family_case_suite(void)
{
    int count = 0;
    while (families[count] != NULL) count++;
    Suite *suite = suite_create("family_case");
    TCase *tcase = tcase_create("family_case");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, a_case_is_read_as_it_was_written, 0, count);
    tcase_add_loop_test(tcase, a_case_with_one_thing_wrong_is_refused_by_its_key, 0, count);
    tcase_add_loop_test(tcase, every_field_says_what_it_means, 0, count);
    suite_add_tcase(suite, tcase);
    return suite;
}
