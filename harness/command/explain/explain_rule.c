// SPDX-License-Identifier: MIT
// What a rule says, which rules can be behind a CUDA error, or which are broken without one.
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "command.h"
#include "explain.h"
#include "json.h"
#include "near.h"
#include "rule.h"

enum { MAX_NAME = 64, MAX_ERROR = 1000 };

static void print_rule(const struct rule_row *row)
{
    printf("%s\n  %s\n", row->id, row->sentence);
    if (row->advice[0] != '\0') printf("  %s\n", row->advice);
    printf("  documents: %s (%s)\n  sm_90a: %s", outcome_name(row->documented),
           row->source[0] == '\0' ? "none" : row->source, outcome_name(row->sm_90a));
    if (row->cuda_error != 0) printf(", %s (%d)", cuda_error_name(row->cuda_error), row->cuda_error);
    if (row->evidence[0] != '\0') printf(" (recorded in traces/sm_90a/%s)", row->evidence);
    printf("\n");
}

int explain_has_error(int i, int error)
{
    return error == 0 ? rule_is_warning((enum rule)i) : rule_row((enum rule)i)->cuda_error == error;
}

static int explain_error(int error, int json)
{
    json_t *rules = json_array();
    int count = 0;
    for (int i = RULE_OK + 1; i < rule_count(); i++) count += explain_has_error(i, error);
    if (!json) printf("%s (%d): ", cuda_error_name(error), error);
    if (!json && count == 0) printf("no rule that tmaref knows ends in this error.\n");
    if (!json && count != 0 && error != 0) printf("one of these %d rules is broken.\n", count);
    if (!json && error == 0) printf("no error, but these %d rules may be broken without one.\n", count);
    for (int i = RULE_OK + 1; i < rule_count() && count != 0; i++) {
        if (!explain_has_error(i, error)) continue;
        if (json) {
            json_array_append_new(rules, json_rule(rule_row((enum rule)i)));
            continue;
        }
        printf("\n");
        print_rule(rule_row((enum rule)i));
    }
    if (json)
        json_print(json_pack("{s:i, s:s, s:o}", "error", error, "name", cuda_error_name(error), "rules", rules),
                   JSON_INDENT(2));
    else
        json_decref(rules);
    return EXIT_AGREE;
}

// An error's name in letters only: CUDA_ERROR_LAUNCH_FAILED and cudaErrorLaunchFailed are both LAUNCHFAILED.
static void strip(const char *name, char letters[MAX_NAME])
{
    size_t count = 0;
    for (; *name != '\0' && count + 1 < MAX_NAME; name++)
        if (isalnum((unsigned char)*name)) letters[count++] = (char)toupper((unsigned char)*name);
    letters[count] = '\0';
    if (strncmp(letters, "CUDAERROR", 9) == 0) memmove(letters, letters + 9, count - 9 + 1);
}

int explain_find_error(const char *text)
{
    char wanted[MAX_NAME], name[MAX_NAME];
    uint64_t number;
    if (strcasecmp(text, "silent") == 0) return 0;
    if (parse_u64(text, MAX_ERROR - 1, &number)) return cuda_error_name((int)number) != NULL ? (int)number : -1;
    strip(text, wanted);
    if (strcmp(wanted, "LAUNCHFAILURE") == 0) strcpy(wanted, "LAUNCHFAILED"); // the runtime's name differs
    for (int error = 0; error < MAX_ERROR; error++) {
        if (cuda_error_name(error) == NULL) continue;
        strip(cuda_error_name(error), name);
        if (strcmp(name, wanted) == 0) return error;
    }
    return -1;
}

int explain_rule(const char *name, int json)
{
    uint64_t number;
    enum rule rule = rule_find(name);
    int error = explain_find_error(name);
    if (rule != RULE_NONE) {
        json ? json_print(json_rule(rule_row(rule)), JSON_INDENT(2)) : print_rule(rule_row(rule));
        return EXIT_AGREE;
    }
    if (error >= 0) return explain_error(error, json);
    if (parse_u64(name, UINT64_MAX, &number))
        return command_usage("explain", "no rule that tmaref knows ends in CUDA error %s", name);
    return command_usage("explain",
                         "'%.64s' is neither a rule nor a CUDA error%s ('tmaref list --rules' shows the rules)", name,
                         near_names(name, near_rule).at);
}
