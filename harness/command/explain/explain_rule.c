// SPDX-License-Identifier: MIT
// What a rule says. explain_error.c has the rules behind a CUDA error.
#include <stdio.h>

#include "command.h"
#include "explain_command.h"
#include "json.h"
#include "near_lists.h"
#include "rule.h"

void explain_print_rule(const struct rule_row *row)
{
    printf("%s\n  %s\n", row->id, row->sentence);
    if (row->advice[0] != '\0') printf("  %s\n", row->advice);
    printf("  documents: %s (%s)\n  sm_90a: %s", outcome_name(row->documented),
           row->source[0] == '\0' ? "none" : row->source, outcome_name(row->sm_90a));
    if (row->cuda_error != 0) printf(", %s (%d)", cuda_error_name(row->cuda_error), row->cuda_error);
    if (row->evidence[0] != '\0') printf(" (recorded in traces/sm_90a/%s)", row->evidence);
    printf("\n");
}

int explain_rule(const char *name, int json)
{
    uint64_t number;
    enum rule rule = rule_find(name);
    int error = explain_find_error(name);
    if (rule != RULE_NONE) {
        json ? json_print(json_rule(rule_row(rule)), JSON_INDENT(2)) : explain_print_rule(rule_row(rule));
        return EXIT_AGREE;
    }
    if (error >= 0) return explain_error(error, json);
    if (parse_u64(name, UINT64_MAX, &number)) return command_usage("explain", "CUDA has no error %s", name);
    return command_usage("explain",
                         "'%.64s' is neither a rule nor a CUDA error%s ('tmaref list --rules' shows the rules)", name,
                         near_names(name, near_rule).at);
}
