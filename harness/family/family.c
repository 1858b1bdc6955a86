// SPDX-License-Identifier: MIT
#include "family.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "rule_most.h"

enum { MOST_WINDOWS_TOLD = 3 };

const struct family *const families[] = {
#define FAMILY(name, live, likely, first) &family_##name,
#include "families.def"
#undef FAMILY
    NULL,
};

const struct family *family_find(const char *name)
{
    for (int i = 0; families[i] != NULL; i++)
        if (strcmp(families[i]->name, name) == 0) return families[i];
    return NULL;
}

void family_generate(const struct family *family, struct random *random, void *test_case)
{
    if (family->generate != NULL)
        family->generate(random, test_case);
    else
        fields_draw(random, family->fields, test_case);
}

json_t *family_write(const struct family *family, const void *test_case)
{
    return fields_write(family->fields, test_case);
}

int family_read_recorded(const struct family *family, const json_t *json, void *test_case, struct text *why)
{
    return fields_read(family->fields, json, test_case, why);
}

int family_read(const struct family *family, const json_t *json, void *test_case, struct text *why)
{
    if (!family_read_recorded(family, json, test_case, why)) return 0;
    const char *undecided = family->undecided != NULL ? family->undecided(test_case) : NULL;
    if (undecided != NULL) text_set(why, "%s case: %s", family->name, undecided);
    return undecided == NULL;
}

void family_open(const struct family *family, const void *test_case, struct result *result)
{
    family->windows(test_case, result);
    if (family->fill != NULL) family->fill(test_case, result);
}

size_t family_result_bytes(const struct family *family, const void *test_case)
{
    struct result result = result_at((uint8_t *)RESULT_ALIGNMENT); // nobody looks at the bytes
    family->windows(test_case, &result);
    return (size_t)(result.free_bytes - result.first_bytes);
}

void family_before(const struct family *family, const void *test_case, struct result *result)
{
    if (family->before != NULL)
        family->before(test_case, result);
    else if (family->fill != NULL)
        family_open(family, test_case, result);
}

uint8_t *family_open_bytes(const struct family *family, const void *test_case, const struct window *window)
{
    if (!window->is_mixed) return NULL;
    uint8_t *is_open = calloc(1, window->size_bytes);
    if (is_open == NULL) abort();
    family->open_bytes(test_case, window, is_open);
    return is_open;
}

bool family_windows_agree(const struct family *family, const void *test_case, const struct window *expected,
                          const struct window *found)
{
    struct difference at;
    if (expected->base != found->base || expected->size_bytes != found->size_bytes) return false;
    if (expected->is_open || memcmp(expected->bytes, found->bytes, expected->size_bytes) == 0) return true;
    uint8_t *is_open = family_open_bytes(family, test_case, expected);
    bool differs = difference_find(expected, found, is_open, &at);
    free(is_open);
    return !differs;
}

void family_open_grounded(const struct family *family, struct result *result)
{
    for (int i = 0; i < result->windows; i++) result->window[i].is_open |= (int)(family->grounded >> i & true);
}

// What a rule does to whoever breaks it: a crash is a signal, not an error number.
static int status_of(enum rule rule)
{
    return rule_row(rule)->sm_90a == OUTCOME_CRASH ? -SIGSEGV : rule_cuda_error(rule);
}

void family_run_model(const struct family *family, const void *test_case, struct result *result)
{
    family_open(family, test_case, result);
    result->rule = family->run_model(test_case, result);
    if (result->rule != RULE_OK) result->status = status_of(result->rule);
    if (result->status != 0) result_close(result);
}

bool family_restore(const struct family *family, const void *test_case, const json_t *text, struct result *result)
{
    if (family->restore == NULL || text == NULL) return false;
    family_open(family, test_case, result);
    if (family->restore(test_case, text, result)) return true;
    result_close(result);
    return false;
}

static void print_rule(enum rule rule, FILE *out)
{
    if (rule == RULE_OK) return;
    fprintf(out, "    likely rule %s: %s\n", rule_row(rule)->id, rule_row(rule)->sentence);
}

// The rules that end in `status`, and of them those whose evidence is a trace of this family, if there are such.
static void suggest_rules(const struct family *family, int status, FILE *out)
{
    int count = 0;
    for (int any = 0; any < 2 && count == 0; any++)
        for (enum rule rule = RULE_OK + 1; rule < rule_end(); rule++) {
            const struct rule_row *row = rule_row(rule);
            if (row->cuda_error != status || (!any && strncmp(row->evidence, family->name, strlen(family->name)) != 0))
                continue;
            if (count++ == 0)
                fprintf(out, "    rules that end in %d: %s", status, row->id);
            else
                fprintf(out, ", %s", row->id);
        }
    if (count > 0) fprintf(out, "\n");
}

// What the executor sim says of the launch that failed, under the rule that it names.
static void print_told(const char *side, const struct result *result, FILE *out)
{
    if (result->told[0] == '\0') return;
    fprintf(out, "    %s by the machine, by rule %s:\n", side, rule_row(result->rule)->id);
    for (const char *line = result->told; *line != '\0';) {
        const int length = (int)strcspn(line, "\n");
        fprintf(out, "      %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
}

// The rule is the first that the case breaks by the model; what another status may come from is open.
static void explain_status(const struct family *family, const void *test_case, const struct result *expected,
                           const struct result *found, FILE *out)
{
    const enum rule rule = family_rule(family, test_case);
    if (found->end != RESULT_ANSWERED) return; // there is nothing to compare
    fprintf(out, "    status: %d expected, %d found\n", expected->status, found->status);
    print_told("expected", expected, out);
    print_told("found", found, out);
    print_rule(rule, out);
    for (int i = 0; i < 2; i++) {
        const int status = i == 0 ? expected->status : found->status;
        if (status > 0 && status != status_of(rule)) suggest_rules(family, status, out);
    }
}

void family_explain(const struct family *family, const void *test_case, const struct result *expected,
                    const struct result *found, FILE *out)
{
    bool are_there = expected->windows > 0 && expected->windows == found->windows;
    if (expected->status != found->status || !are_there) {
        explain_status(family, test_case, expected, found, out);
        return;
    }
    for (int i = 0, told = 0; i < expected->windows && told < MOST_WINDOWS_TOLD; i++) {
        struct difference at;
        if (expected->window[i].is_open) continue;
        uint8_t *is_open = family_open_bytes(family, test_case, &expected->window[i]);
        bool differs = difference_find(&expected->window[i], &found->window[i], is_open, &at);
        free(is_open);
        if (!differs) continue;
        at.window = i;
        fprintf(out, "    window %s, 0x%" PRIx64 ": %02x expected, %02x found\n", at.expected->name,
                at.expected->base + at.at, at.expected->bytes[at.at], at.found->bytes[at.at]);
        if (family->explain != NULL) print_rule(family->explain(test_case, &at, out), out);
        told++;
    }
}

void family_explain_place(const struct family *family, const void *test_case, const struct result *found,
                          const struct place *place, FILE *out)
{
    struct result recorded = *found;
    int i = 0;
    while (i < found->windows && strcmp(found->window[i].name, place->window) != 0) i++;
    if (!place->is_known && family->explain_place != NULL) {
        print_rule(family->explain_place(test_case, place, out), out);
        return;
    }
    if (i == found->windows) return;
    struct window *window = &recorded.window[i];
    uint64_t at = place->address - window->base;
    window->bytes = malloc(window->size_bytes);
    if (window->bytes == NULL) return;
    memcpy(window->bytes, found->window[i].bytes, window->size_bytes);
    if (place->is_known) memcpy(window->bytes + at, place->recorded, place->size_bytes);
    if (!place->is_known) window->bytes[at] ^= 1;
    if (!place->is_known)
        fprintf(out,
                "    the recording has a digest of these bytes; this is the first of them, with one bit changed:\n");
    family_explain(family, test_case, &recorded, found, out);
    free(window->bytes);
}

// How a case ends by the model; what it leaves is not kept.
static struct result end_by_model(const struct family *family, const void *test_case)
{
    uint8_t *scratch = malloc(family_result_bytes(family, test_case) + 1);
    struct result result = result_at(scratch);
    if (scratch != NULL) family_run_model(family, test_case, &result);
    free(scratch);
    return result;
}

enum rule family_rule(const struct family *family, const void *test_case)
{
    return end_by_model(family, test_case).rule;
}

bool family_may_end(const struct family *family, const void *test_case, int status, int other)
{
    const struct result result = end_by_model(family, test_case);
    return result_may_be(&result, status) && result_may_be(&result, other);
}

bool family_is_fatal(enum rule rule)
{
    enum outcome outcome = rule_row(rule)->sm_90a;
    return outcome == OUTCOME_FAULT || outcome == OUTCOME_CRASH;
}
