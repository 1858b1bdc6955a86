// SPDX-License-Identifier: MIT
#include "native_report.h"

#include <string.h>

#include "finding_text.h"

_Static_assert(sizeof((struct native_report *)NULL)->text == TEXT_LINE_BYTES, "a report takes what a line holds");

void native_tell_nothing(struct native_report *report)
{
    report->rule = report->cuda_error = 0;
    report->text[0] = '\0';
    strcpy(report->json, "[]");
}

void native_tell(struct native_report *report, enum rule rule, const struct findings *findings)
{
    struct line line;
    native_tell_nothing(report);
    report->rule = (int)rule;
    report->cuda_error = rule_cuda_error(rule);
    if (findings->count == 0) return;
    line_start(&line);
    findings_text(findings, &line);
    strcpy(report->text, line.bytes);
    line_start(&line);
    findings_json(findings, &line);
    strcpy(report->json, line.bytes);
}
