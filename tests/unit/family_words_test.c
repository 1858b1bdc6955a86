// SPDX-License-Identifier: MIT
// The suite `family_words`: what families say, in two lists of JSON lines for all of them.
//   family_refused.jsonl  a case that cannot run is refused in a sentence that holds `why`
//   family_told.jsonl     of a result of the model in which byte `byte` of a window is XORed with `flip`, or which has
//                         another `status`, all of `says` is told
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { MOST_LINES = 1000, LINE_BYTES = 4096 };

struct list {
    const char *path;
    json_t *line[MOST_LINES];
    int count;
};
static struct list refused = {.path = TMAREF_UNIT "/family_refused.jsonl"};
static struct list told = {.path = TMAREF_UNIT "/family_told.jsonl"};

static int load(struct list *list)
{
    char line[LINE_BYTES];
    FILE *file = fopen(list->path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL && list->count < MOST_LINES)
        list->line[list->count++] = json_loads(line, 0, NULL);
    if (file != NULL) fclose(file);
    return list->count > 0 ? list->count : 1; // the first test says that there is no list
}

// The family and the case of a line.
static const struct family *open_line(const struct list *list, int i, const json_t **test_case)
{
    const json_t *line = list->line[i];
    ck_assert_msg(line != NULL, "%s:%d: not a JSON object", list->path, i + 1);
    const struct family *family = family_find(json_string_value(json_object_get(line, "family")));
    *test_case = json_object_get(line, "case");
    ck_assert_msg(family != NULL && *test_case != NULL, "%s:%d: no family, or no case", list->path, i + 1);
    return family;
}

LOOP_TEST(a_case_that_cannot_run_is_refused, 0, load(&refused))
{
    const json_t *json;
    const struct family *family = open_line(&refused, _i, &json);
    const char *why = json_string_value(json_object_get(refused.line[_i], "why"));
    void *taken = calloc(1, family->case_bytes);
    struct text said = {""};
    ck_assert_msg(!family_read(family, json, taken, &said), "%s:%d: taken", refused.path, _i + 1);
    ck_assert_msg(strstr(said.at, why) != NULL, "%s:%d: %s", refused.path, _i + 1, said.at);
    free(taken);
}

static struct window *window_of(struct result *result, const char *name)
{
    int i = 0;
    while (i < result->windows && strcmp(result->window[i].name, name) != 0) i++;
    ck_assert_msg(i < result->windows, "there is no window %s", name);
    return &result->window[i];
}

// Makes the result what the line says of it.
static void change(const json_t *line, struct result *found)
{
    const json_t *window = json_object_get(line, "window");
    const json_int_t byte = json_integer_value(json_object_get(line, "byte"));
    if (window == NULL) {
        found->status = (int)json_integer_value(json_object_get(line, "status"));
        return;
    }
    const struct window *changed = window_of(found, json_string_value(window));
    ck_assert_int_lt(byte, changed->size_bytes);
    changed->bytes[byte] ^= (uint8_t)json_integer_value(json_object_get(line, "flip"));
}

LOOP_TEST(a_mismatch_is_told, 0, load(&told))
{
    const json_t *json, *line = told.line[_i], *says = json_object_get(line, "says");
    const struct family *family = open_line(&told, _i, &json);
    void *test_case = calloc(1, family->case_bytes);
    struct text why = {""};
    char *said = NULL;
    size_t said_bytes, i;
    ck_assert_msg(family_read(family, json, test_case, &why), "%s:%d: %s", told.path, _i + 1, why.at);
    const size_t bytes = family_result_bytes(family, test_case) + 1;
    struct result expected = result_at(malloc(bytes)), found = result_at(malloc(bytes));
    family_run_model(family, test_case, &expected);
    family_run_model(family, test_case, &found);
    change(line, &found);
    FILE *out = open_memstream(&said, &said_bytes);
    family_explain(family, test_case, &expected, &found, out);
    fclose(out);
    json_array_foreach(says, i, json)
        ck_assert_msg(strstr(said, json_string_value(json)) != NULL, "%s:%d: '%s' is not in: %s", told.path, _i + 1,
                      json_string_value(json), said);
    ck_assert_uint_gt(i, 0);
    free(said);
    free(expected.first_bytes);
    free(found.first_bytes);
    free(test_case);
}
