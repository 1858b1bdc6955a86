// SPDX-License-Identifier: MIT
// Prints docs/rules.md, the table of rules for people to read, or with --table one "id<TAB>evidence" line per rule for
// the other checks of this folder. Everything comes from rules.def; there is nothing to edit here when a rule changes.
#include <stdio.h>
#include <string.h>

#include "rule.h"

static void print_outcomes(const struct rule_row *row)
{
    printf("- documented %s, sm_90a %s", outcome_name(row->documented), outcome_name(row->sm_90a));
    if (row->cuda_error != 0) printf(": %d `%s`", row->cuda_error, cuda_error_name(row->cuda_error));
    printf("\n");
}

static void print_rule(enum rule rule)
{
    const struct rule_row *row = rule_row(rule);
    printf("\n## %s\n\n%s\n\n", row->id, row->sentence);
    print_outcomes(row);
    if (row->advice[0] != '\0') printf("- advice: %s\n", row->advice);
    printf("- source: %s\n", row->source);
    if (row->evidence[0] != '\0') printf("- evidence: `traces/sm_90a/%s`\n", row->evidence);
}

static void print_page(void)
{
    printf("# The rules of the machine\n\n"
           "Made from `model/core/rules.def` by the target `rules-page`; edit the table, not this page.\n\n"
           "Each rule has an outcome that the documents promise to a program that breaks it and one that an H200 was\n"
           "recorded to show. WORKS: it runs, as the sentence says. INVALID: the call refuses. FAULT: the kernel dies\n"
           "with the CUDA error. CRASH: the host process dies inside the driver. UNDEFINED: no promise. UNSUPPORTED:\n"
           "not for this architecture. SILENT: the documents do not speak of it. Where the documents forbid what an\n"
           "H200 does, tmaref warns and does not refuse.\n");
    for (int rule = RULE_OK + 1; rule < RULE_COUNT; rule++) print_rule((enum rule)rule);
}

static void print_table(void)
{
    for (int rule = RULE_OK + 1; rule < RULE_COUNT; rule++)
        printf("%s\t%s\n", rule_row((enum rule)rule)->id, rule_row((enum rule)rule)->evidence);
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        print_page();
    } else if (argc == 2 && strcmp(argv[1], "--table") == 0) {
        print_table();
    } else {
        fprintf(stderr, "rules_page: takes no argument, or --table\n");
        return 2;
    }
    return 0;
}
