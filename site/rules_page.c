// SPDX-License-Identifier: MIT
// Prints the page rules.md, the table of rules for people to read; with --faults faults.md, the same by what the user
// sees; with --table one "id<TAB>evidence<TAB>sm_90a<TAB>number" line per rule for tests/meta. Everything comes from
// rules.def; there is nothing to edit here when a rule changes.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "rule.h"
#include "rule_most.h"

static void print_outcomes(const struct rule_row *row)
{
    printf("- documented %s, sm_90a %s", outcome_name(row->documented), outcome_name(row->sm_90a));
    if (row->cuda_error != 0) printf(": %d `%s`", row->cuda_error, cuda_error_name(row->cuda_error));
    printf("\n");
}

// traces/sm_90a/EVIDENCE, which a test of the traces keeps: how many cases of the rule's evidence, a trace or the
// traces of a family, show the rule, and how they do.
static unsigned cases_that(const struct rule_row *row, const char *how)
{
    char line[256], id[64], trace[64], family[32], way[64];
    unsigned cases, sum = 0;
    FILE *file = fopen("traces/sm_90a/EVIDENCE", "r");
    if (file == NULL) return 0;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%63[^\t]\t%63[^\t]\t%31[^\t]\t%u\t%63[^\n]", id, trace, family, &cases, way) == 5 &&
            strcmp(id, row->id) == 0 && strcmp(way, how) == 0 &&
            (strcmp(trace, row->evidence) == 0 || strcmp(family, row->evidence) == 0))
            sum += cases;
    fclose(file);
    return sum;
}

// WHY no recorded case tells a misreading, by the third column of tests/exposed/speaks.tsv.
static const char *why_weak(const struct rule_row *row)
{
    static const char *const why[][2] = {
        {"nothing", "it says that something has no effect, and no other effect is named"},
        {"open", "a misreading and the rule do not decide the same bytes, so no recording can tell them apart"},
        {"unwritten", "no misreading of it is written down, as a slow model or as a change of the case"},
    };
    static char line[1024];
    const size_t length = strlen(row->id);
    FILE *file = fopen("tests/exposed/speaks.tsv", "r");
    const char *found = "";
    while (file != NULL && found[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, row->id, length) != 0 || line[length] != '\t') continue;
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 0; i < sizeof why / sizeof why[0]; i++)
            if (strcmp(strrchr(line, '\t') + 1, why[i][0]) == 0) found = why[i][1];
    }
    if (file != NULL) fclose(file);
    return found;
}

static void print_evidence(const struct rule_row *row)
{
    unsigned ends = cases_that(row, "end so"), exposes = cases_that(row, "expose a misreading"),
             speak = cases_that(row, "speak of it");
    printf("- evidence: ");
    if (row->sm_90a == OUTCOME_UNSUPPORTED) {
        printf("no recording can show it, the assembler refuses\n");
        return;
    }
    printf("`traces/sm_90a/%s`", row->evidence);
    if (ends > 0)
        printf(", %u case%s end%s so\n", ends, ends == 1 ? "" : "s", ends == 1 ? "s" : "");
    else if (exposes > 0)
        printf(", %u case%s of it rule out named misreadings\n", exposes, exposes == 1 ? "" : "s");
    else
        printf(", %u case%s of it speak%s of it; none tells a misreading: %s\n", speak, speak == 1 ? "" : "s",
               speak == 1 ? "s" : "", why_weak(row));
}

static void print_rule(enum rule rule)
{
    const struct rule_row *row = rule_row(rule);
    printf("\n## %s\n\n%s\n\n", row->id, row->sentence);
    print_outcomes(row);
    if (row->advice[0] != '\0') printf("- advice: %s\n", row->advice);
    printf("- source: %s\n", row->source);
    print_evidence(row);
}

// A rule's name as a link to its section of rules.md; `page` is "" on that page itself.
static void print_link(const struct rule_row *row, const char *page)
{
    printf("[%s](%s#", row->id, page);
    for (const char *at = row->id; *at != '\0'; at++) printf("%c", tolower((unsigned char)*at));
    printf(")");
}

// How much of an id its group has in common: up to the first underscore.
static int prefix_length(const char *id)
{
    return (int)strcspn(id, "_");
}

static void print_index_row(const struct rule_row *row)
{
    printf("| ");
    print_link(row, "");
    printf(" | %s | ", outcome_name(row->sm_90a));
    if (row->cuda_error != 0) printf("%d `%s`", row->cuda_error, cuda_error_name(row->cuda_error));
    printf(" |\n");
}

// All rules by the first word of their ids; a rule stands in the group of the first rule that begins so.
static void print_index(void)
{
    char listed[RULE_MOST] = {0};
    printf("\n## Index\n");
    for (int first = 1; first < rule_count(); first++) {
        const char *id = rule_row(rule_at(first))->id;
        int length = prefix_length(id);
        if (listed[first]) continue;
        printf("\n### %.*s\n\n| rule | on sm_90a | error |\n|---|---|---|\n", length, id);
        for (int i = first; i < rule_count(); i++) {
            const struct rule_row *row = rule_row(rule_at(i));
            if (prefix_length(row->id) != length || strncmp(row->id, id, (size_t)length) != 0) continue;
            print_index_row(row);
            listed[i] = 1;
        }
    }
}

static void print_page(void)
{
    printf("# The rules of the machine\n\n"
           "The build makes this page from `model/core/rules.def`.\n\n"
           "Each rule has an outcome that the documents promise to a program that breaks it and one that an H200 was\n"
           "recorded to show. WORKS: it runs, as the sentence says. INVALID: the call refuses. FAULT: the kernel dies\n"
           "with the CUDA error. CRASH: the host process dies inside the driver. UNDEFINED: no promise. UNSUPPORTED:\n"
           "not for this architecture. SILENT: the documents do not speak of it. Where the documents forbid what an\n"
           "H200 does, tmaref warns and does not refuse. The [index](#index) lists the rules by the first word of "
           "their ids.\n\n"
           "The evidence is counted by the test `conformance.evidence`, from the list `traces/sm_90a/EVIDENCE`: cases "
           "that\n"
           "the rule ends; or cases that a model with a named misreading of the rule gets wrong; or else cases that "
           "agree\n"
           "and have what the rule speaks of, by a pattern of `tests/exposed/speaks.tsv`. The last is the weakest: no "
           "test\n"
           "tells that such a case would differ without the rule; the rule says why.\n");
    print_index();
    for (int i = 1; i < rule_count(); i++) print_rule(rule_at(i));
}

// --- faults.md -------------------------------------------------------------------------------------------------------

// A cell of a table: a bar would end it.
static void print_cell(const char *text)
{
    for (printf(" "); *text != '\0'; text++) printf(*text == '|' ? "\\|" : "%c", *text);
    printf(" |");
}

// A rule as a row: its name as a link into rules.md, the sentence that is broken, the advice.
static void print_fault(const struct rule_row *row)
{
    printf("| ");
    print_link(row, "rules.md");
    printf(" |");
    print_cell(row->sentence);
    print_cell(row->advice);
    printf("\n");
}

static int fails_with(const struct rule_row *row, int error)
{
    return row->cuda_error == error && row->sm_90a != OUTCOME_CRASH;
}

static int is_crash(const struct rule_row *row, int unused)
{
    (void)unused;
    return row->sm_90a == OUTCOME_CRASH;
}

static int is_silent(const struct rule_row *row, int unused)
{
    (void)unused;
    return rule_is_warning(rule_find(row->id));
}

// Prints a section of the rules that `belongs` picks; nothing if there are none.
static void print_section(const char *title, const char *text, int (*belongs)(const struct rule_row *, int), int error)
{
    int count = 0;
    for (int i = 1; i < rule_count(); i++) {
        const struct rule_row *row = rule_row(rule_at(i));
        if (!belongs(row, error)) continue;
        if (count++ == 0)
            printf("\n## %s\n\n%s\n\n| broken rule | what it says | what to do, or what happens |\n|---|---|---|\n",
                   title, text);
        print_fault(row);
    }
}

// What all rules that end in this error have in common.
static const char *common_cause(int error)
{
    switch (error) {
    case 1:
        return "The host call refuses; nothing was launched, nothing is lost.";
    case 700:
        return "An address that is not there: past the CTA's shared memory, or global memory that is not mapped.";
    case 715:
        return "An operand that the instruction does not take, most often a coordinate or the tensor map.";
    case 716:
        return "An address that is there and is not aligned.";
    case 717:
        return "An address in a space that the instruction does not take.";
    case 719:
        return "A barrier whose counts were broken, or shared memory of a CTA that is not there.";
    case 912:
        return "The launch refuses; nothing ran, nothing is lost.";
    default:
        return "";
    }
}

static void print_faults(void)
{
    char title[80];
    printf(
        "# Faults: from the error to the misuse\n\n"
        "The build makes this page from `model/core/rules.def`.\n\n"
        "An error of a kernel (700 and above) comes from the next call that waits for it, says neither place nor\n"
        "cause, and ends the context: start over in a new process. This page lists what an H200 was recorded to do\n"
        "for every misuse that tmaref knows; `tmaref explain 716` prints the same for one error. A kernel that hangs\n"
        "or leaves wrong bytes without an error is under [silent](#silent).\n");
    for (int error = 1; error < 1000; error++) {
        if (cuda_error_name(error) == NULL) continue;
        snprintf(title, sizeof title, "%d %s", error, cuda_error_name(error));
        print_section(title, common_cause(error), fails_with, error);
    }
    print_section("The host process dies", "The driver itself crashes (SIGSEGV) in the call.", is_crash, 0);
    print_section("Silent", "The documents forbid or do not define these; an H200 raises no error. tmaref warns.",
                  is_silent, 0);
}

static void print_table(void)
{
    for (int i = 1; i < rule_count(); i++) {
        const struct rule_row *row = rule_row(rule_at(i));
        printf("%s\t%s\t%s\t%d\t", row->id, row->evidence, outcome_name(row->sm_90a), rule_at(i));
        printf("%s, %s %d\n", outcome_name(row->documented), outcome_name(row->sm_90a), row->cuda_error);
    }
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        print_page();
    } else if (argc == 2 && strcmp(argv[1], "--faults") == 0) {
        print_faults();
    } else if (argc == 2 && strcmp(argv[1], "--table") == 0) {
        print_table();
    } else {
        fprintf(stderr, "rules_page: takes no argument, --faults or --table\n");
        return 2;
    }
    return 0;
}
