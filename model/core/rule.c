// SPDX-License-Identifier: MIT
// The table of rules as data, and its look-ups. Read rules.def for the rows.
#include "rule.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <strings.h>

#include "rule_most.h"

static const struct rule_row rows[] = {
    [RULE_OK] = {"OK", OUTCOME_WORKS, OUTCOME_WORKS, 0, "No rule is broken.", "", "", ""},
#define RULE(number, id, documented, sm_90a, cuda_error, sentence, advice, source, evidence)                           \
    [number] = {#id, OUTCOME_##documented, OUTCOME_##sm_90a, cuda_error, sentence, advice, source, evidence},
#include "rules.def"
#undef RULE
};

enum { RULES = sizeof rows / sizeof rows[0] };
_Static_assert((int)RULES <= (int)RULE_MOST, "rule_most.h: arrays have a place for each rule");

static const uint16_t places[RULES] = {
    RULE_OK,
#define RULE(number, ...) number,
#include "rules.def"
#undef RULE
};

static const struct {
    int number;
    const char *name;
} cuda_errors[] = {
    {0, "CUDA_SUCCESS"},
    {1, "CUDA_ERROR_INVALID_VALUE"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE"},
    {719, "CUDA_ERROR_LAUNCH_FAILED"},
    {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE"},
};

int rule_count(void)
{
    return RULES;
}

enum rule rule_at(int place)
{
    assert(place >= 0 && place < RULES);
    return (enum rule)places[place];
}

const struct rule_row *rule_row(enum rule rule)
{
    assert((unsigned)rule < RULES);
    return &rows[rule];
}

int rule_cuda_error(enum rule rule)
{
    return rule_row(rule)->cuda_error;
}

static int lateness(enum rule rule)
{
    const int error = rule_cuda_error(rule);
    return error == 0 ? 1000 : error == 700 ? 718 : error;
}

enum rule rule_earlier(enum rule one, enum rule other)
{
    return lateness(one) <= lateness(other) ? one : other;
}

enum rule rule_find(const char *id)
{
    for (int i = 0; i < RULES; i++)
        if (strcasecmp(rows[i].id, id) == 0) return (enum rule)i;
    return RULE_NONE;
}

int rule_is_warning(enum rule rule)
{
    const struct rule_row *row = rule_row(rule);
    return row->sm_90a == OUTCOME_WORKS && row->documented != OUTCOME_WORKS && row->documented != OUTCOME_SILENT;
}

enum verdict rule_verdict(enum rule rule)
{
    enum { ERROR_CLUSTER_SIZE = 912 }; // of a launch
    const struct rule_row *row = rule_row(rule);
    if (rule_is_warning(rule)) return VERDICT_WARNS;
    switch (row->sm_90a) {
    case OUTCOME_INVALID:
        return row->cuda_error == ERROR_CLUSTER_SIZE ? VERDICT_LAUNCH_REFUSES : VERDICT_CALL_REFUSES;
    case OUTCOME_FAULT:
        return VERDICT_FAULTS;
    case OUTCOME_CRASH:
        return VERDICT_CRASHES;
    case OUTCOME_UNSUPPORTED:
        return row->documented == OUTCOME_INVALID ? VERDICT_ASSEMBLER_REFUSES : VERDICT_UNDEFINED;
    case OUTCOME_UNDEFINED:
        return VERDICT_UNDEFINED;
    default:
        return VERDICT_WORKS;
    }
}

int rule_is_refusal(enum rule rule)
{
    return rule_verdict(rule) > VERDICT_WARNS;
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {
        [VERDICT_WORKS] = "works",
        [VERDICT_WARNS] = "works on an H200, against the documents",
        [VERDICT_ASSEMBLER_REFUSES] = "is refused by the assembler",
        [VERDICT_CALL_REFUSES] = "is refused by the call",
        [VERDICT_LAUNCH_REFUSES] = "is refused by the launch",
        [VERDICT_FAULTS] = "ends the kernel",
        [VERDICT_CRASHES] = "ends the calling process",
        [VERDICT_UNDEFINED] = "is undefined",
    };
    assert((unsigned)verdict < sizeof names / sizeof names[0]);
    return names[verdict];
}

const char *outcome_name(enum outcome outcome)
{
    static const char *const names[] = {
        [OUTCOME_WORKS] = "WORKS",         [OUTCOME_INVALID] = "INVALID", [OUTCOME_FAULT] = "FAULT",
        [OUTCOME_UNDEFINED] = "UNDEFINED", [OUTCOME_CRASH] = "CRASH",     [OUTCOME_UNSUPPORTED] = "UNSUPPORTED",
        [OUTCOME_SILENT] = "SILENT",
    };
    assert((unsigned)outcome < sizeof names / sizeof names[0]);
    return names[outcome];
}

const char *cuda_error_name(int cuda_error)
{
    for (size_t i = 0; i < sizeof cuda_errors / sizeof cuda_errors[0]; i++)
        if (cuda_errors[i].number == cuda_error) return cuda_errors[i].name;
    return NULL;
}
