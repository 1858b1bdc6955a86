// SPDX-License-Identifier: MIT
#include "finding.h"

#include <stdbool.h>
#include <stddef.h>

#include "broken.h"
#include "rules/instruction.h"

void findings_clear(struct findings *findings)
{
    if (findings != NULL) findings->count = 0;
}

void finding_add(struct findings *findings, struct finding finding)
{
    if (findings == NULL) return;
    if (findings->count < FINDINGS_MAX) findings->item[findings->count] = finding;
    findings->count++;
}

enum rule finding_of_form(struct findings *findings, const char *argument, uint64_t value)
{
    const bool is_signed = value > UINT64_MAX - (UINT64_C(1) << 31); // an int of the caller's, below 0
    finding_add(findings, FINDING(RULE_INSTRUCTION_FORM, argument, .is_signed = is_signed, .value = value));
    return RULE_INSTRUCTION_FORM;
}

void finding_broken(struct findings *findings, enum rule *first, struct finding finding)
{
    if (*first == RULE_OK && !rule_is_warning(finding.rule)) *first = finding.rule;
    finding_add(findings, finding);
}

struct finding finding_of_align(enum rule rule, const char *argument, uint64_t address, uint64_t align)
{
    return FINDING(rule, argument, .value = address, .limit = align, .nearest = address - address % align);
}

struct finding finding_of_bounds(enum rule rule, const char *argument, const struct memory *memory, uint64_t address,
                                 uint64_t bytes)
{
    uint64_t end = memory->base + memory->size_bytes;
    uint64_t nearest = address < memory->base || bytes > memory->size_bytes ? memory->base : end - bytes;
    return FINDING(rule, argument, .value = address, .limit = end, .nearest = nearest);
}

const struct finding *findings_of_rule(const struct findings *findings, enum rule rule)
{
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++)
        if (findings->item[i].rule == rule) return &findings->item[i];
    return findings->count > 0 ? &findings->item[0] : NULL;
}

enum rule findings_first_broken(const struct findings *findings)
{
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++)
        if (!rule_is_warning(findings->item[i].rule)) return findings->item[i].rule;
    return RULE_OK;
}
