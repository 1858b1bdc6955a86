// SPDX-License-Identifier: MIT
// Target `case`: the first line names a family, the rest are cases. A case that is read is the same when it is
// written and read again, and what its result takes is what it said.
#include <string.h>

#include "fuzz.h"
#include "source.h"

enum { MOST_CASES = 32 };

static char *text_of(const struct family *family, const void *test_case)
{
    json_t *json = family_write(family, test_case);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return text;
}

static void check_writing(const struct family *family, const void *test_case)
{
    struct text why;
    void *again = malloc(family->case_bytes);
    char *text = text_of(family, test_case), *text_again;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    fuzz_require(json != NULL && family_read(family, json, again, &why));
    text_again = text_of(family, again);
    fuzz_require(strcmp(text, text_again) == 0);
    json_decref(json);
    free(text_again);
    free(text);
    free(again);
}

static void check_running(const struct family *family, const void *test_case)
{
    size_t size_bytes = family_result_bytes(family, test_case);
    uint8_t *bytes = malloc(size_bytes);
    struct result result = result_at(bytes);
    family_run_model(family, test_case, &result);
    fuzz_require((size_t)(result.free_bytes - bytes) <= size_bytes);
    if (family->describe != NULL) json_decref(family->describe(test_case, &result));
    family_rule(family, test_case);
    free(bytes);
}

void fuzz_case(const uint8_t *bytes, size_t size_bytes)
{
    const uint8_t *newline = memchr(bytes, '\n', size_bytes);
    if (newline == NULL) return;
    char *name = strndup((const char *)bytes, (size_t)(newline - bytes));
    char *lines = strndup((const char *)newline + 1, size_bytes - (size_t)(newline + 1 - bytes));
    struct source source = {.family = family_find(name), .lines = lines, .end = MOST_CASES};
    void *test_case = source.family != NULL ? malloc(source.family->case_bytes) : NULL;
    struct text why;
    uint64_t index;
    for (int status; test_case != NULL && (status = source_next(&source, test_case, &index, &why)) != 0;) {
        if (status < 0) continue;
        check_writing(source.family, test_case);
        check_running(source.family, test_case);
    }
    free(test_case);
    free(lines);
    free(name);
}
