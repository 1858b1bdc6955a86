// SPDX-License-Identifier: MIT
#include "finding.h"

#include <stddef.h>

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
    finding_add(findings, (struct finding){RULE_INSTRUCTION_FORM, argument, -1, 0, value, 0, 0});
    return RULE_INSTRUCTION_FORM;
}

enum rule findings_first_broken(const struct findings *findings)
{
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++)
        if (!rule_is_warning(findings->item[i].rule)) return findings->item[i].rule;
    return RULE_OK;
}
