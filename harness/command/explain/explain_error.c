// SPDX-License-Identifier: MIT
// What a CUDA error means, which rules can be behind it, and what to type; or which rules are broken without one.
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "answer.h"
#include "command.h"
#include "explain_command.h"
#include "json.h"
#include "rule.h"

enum { MAX_LETTERS = 256, LEAST_LETTERS = 10 };

// Of an error that the driver does not have, `driver` is NULL, and so `runtime` of one that the runtime does not have.
static const struct cuda_error {
    int number;
    const char *driver, *runtime, *text;
} errors[] = {
#define CUDA_ERROR_ROW(number, driver, runtime, text) {number, #driver, #runtime, text},
#define DRIVER_ERROR_ROW(number, driver, text)        {number, #driver, NULL, text},
#define RUNTIME_ERROR_ROW(number, runtime, text)      {number, NULL, #runtime, text},
#include "errors.def"
};
enum { ERRORS = sizeof errors / sizeof errors[0] };

static const struct advice {
    int number;
    const char *advice;
} advices[] = {
#define ERROR_ADVICE(number, advice) {number, advice},
#include "explain_errors.def"
#undef ERROR_ADVICE
};
enum { ADVICES = sizeof advices / sizeof advices[0] };

static const struct cuda_error *row_of(int error)
{
    for (int i = 0; i < ERRORS; i++)
        if (errors[i].number == error) return &errors[i];
    return NULL;
}

static const char *advice_of(int error)
{
    for (int i = 0; i < ADVICES; i++)
        if (advices[i].number == error) return advices[i].advice;
    return "";
}

bool explain_has_error(int i, int error)
{
    return error == 0 ? rule_is_warning((enum rule)i) : rule_row((enum rule)i)->cuda_error == error;
}

static const char text_of_error[] =
    "{name} ({error}): {error!no error, but these {rules#} rules may be broken without one.}"
    "{error?{rules?one of these {rules#} rules is broken.}{rules!{meaning}. No rule that tmaref knows ends in it.}}\n"
    "{advice?{advice}\n}{rules*\n" EXPLAIN_RULE_TEXT "}";

int explain_error(int error, int json)
{
    const struct cuda_error *row = row_of(error);
    json_t *rules = json_array();
    for (int i = RULE_OK + 1; i < rule_count(); i++)
        if (explain_has_error(i, error)) json_array_append_new(rules, json_rule(rule_row((enum rule)i)));
    answer_print(json_pack("{s:i, s:s, s:s, s:s, s:o}", "error", error, "name",
                           row->driver != NULL ? row->driver : row->runtime, "meaning", row->text, "advice",
                           advice_of(error), "rules", rules),
                 json ? NULL : text_of_error, JSON_INDENT(2));
    return EXIT_AGREE;
}

// Letters and digits only, in capitals, without the beginning that names of errors share: CUDA_ERROR_LAUNCH_FAILED is
// LAUNCHFAILED.
static void strip(const char *text, char letters[MAX_LETTERS])
{
    size_t count = 0;
    for (; *text != '\0' && count + 1 < MAX_LETTERS; text++)
        if (isalnum((unsigned char)*text)) letters[count++] = (char)toupper((unsigned char)*text);
    letters[count] = '\0';
    if (strncmp(letters, "CUDAERROR", 9) == 0) memmove(letters, letters + 9, count - 9 + 1);
}

static bool is_name(const char *name, const char *wanted)
{
    char letters[MAX_LETTERS];
    if (name == NULL) return false;
    strip(name, letters);
    return strcmp(letters, wanted) == 0;
}

// How many letters of what CUDA prints for an error are in these, perhaps with other words around them.
static size_t printed_letters(const char *prints, const char *wanted)
{
    char letters[MAX_LETTERS];
    strip(prints, letters);
    const size_t count = strlen(letters);
    return count >= LEAST_LETTERS && strstr(wanted, letters) != NULL ? count : 0;
}

// The text of one error may be a part of another one's.
static int find_printed(const char *wanted)
{
    size_t most = 0;
    int number = -1;
    for (int i = 0; i < ERRORS; i++) {
        const size_t count = printed_letters(errors[i].text, wanted);
        if (count <= most) continue;
        most = count;
        number = errors[i].number;
    }
    return number;
}

int explain_find_error(const char *text)
{
    char wanted[MAX_LETTERS];
    uint64_t number;
    if (strcasecmp(text, "silent") == 0) return 0;
    if (parse_u64(text, INT32_MAX, &number)) return row_of((int)number) != NULL ? (int)number : -1;
    strip(text, wanted);
    for (int i = 0; i < ERRORS; i++)
        if (is_name(errors[i].driver, wanted) || is_name(errors[i].runtime, wanted)) return errors[i].number;
    const int printed = find_printed(wanted);
    for (int i = 0; i < ERRORS && printed < 0; i++)
        if (is_name(errors[i].text, wanted)) return errors[i].number;
    return printed;
}
