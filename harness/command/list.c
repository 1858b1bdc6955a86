// SPDX-License-Identifier: MIT
// `tmaref list`: what there is. Families and executors, or the table of rules.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "executor.h"
#include "explain.h"
#include "json.h"

// `error`: the CUDA error of the rules that are wanted, or ANY.
struct list_options {
    int rules, json, error;
};

enum { ANY = -1 };

static const struct argp_option options[] = {
    {"rules", 'r', NULL, 0, "the rules: id, what the documents say, what an H200 does, CUDA error", 0},
    {"error", 'e', "ERROR", 0, "only the rules behind this CUDA error, or 'silent': broken without one", 0},
    {"json", 'j', NULL, 0, "as JSON", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct list_options *to = state->input;
    if (key == 'r')
        to->rules = 1;
    else if (key == 'e' && (to->error = explain_find_error(argument)) == ANY)
        argp_error(state, "--error: '%s' is no CUDA error of a rule", argument);
    else if (key == 'e')
        to->rules = 1;
    else if (key == 'j')
        to->json = 1;
    else if (key == ARGP_KEY_ARG)
        argp_error(state, "takes no argument");
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static void list_rules(int error)
{
    for (int i = RULE_OK + 1; i < RULE_COUNT; i++) {
        if (error != ANY && !explain_has_error(i, error)) continue;
        const struct rule_row *row = rule_row((enum rule)i);
        printf("%-28s documents: %-11s sm_90a: %-9s %s\n", row->id, outcome_name(row->documented),
               outcome_name(row->sm_90a), row->cuda_error != 0 ? cuda_error_name(row->cuda_error) : "");
    }
}

static const char trace_summary[] =
    "what a machine did, from a file: tmaref replay FILE, or diff --input FILE trace model";

static void list_parts(void)
{
    printf("families:\n");
    for (int i = 0; families[i] != NULL; i++) printf("  %-12s %s\n", families[i]->name, families[i]->summary);
    printf("executors:\n");
    for (int i = 0; executors[i] != NULL; i++) printf("  %-12s %s\n", executors[i]->name, executors[i]->summary);
    printf("  %-12s %s\n", "trace", trace_summary);
    printf("'tmaref list --rules' lists the rules, 'tmaref explain RULE' tells one.\n");
}

static void add_parts(json_t *json)
{
    json_t *family_list = json_object(), *executor_list = json_object();
    for (int i = 0; families[i] != NULL; i++)
        json_object_set_new(family_list, families[i]->name, json_string(families[i]->summary));
    for (int i = 0; executors[i] != NULL; i++)
        json_object_set_new(executor_list, executors[i]->name, json_string(executors[i]->summary));
    json_object_set_new(executor_list, "trace", json_string(trace_summary));
    json_object_set_new(json, "families", family_list);
    json_object_set_new(json, "executors", executor_list);
}

static void list_json(const struct list_options *of)
{
    json_t *json = of->rules ? json_array() : json_object();
    for (int i = RULE_OK + 1; of->rules && i < RULE_COUNT; i++)
        if (of->error == ANY || explain_has_error(i, of->error))
            json_array_append_new(json, json_rule(rule_row((enum rule)i)));
    if (!of->rules) add_parts(json);
    json_dumpf(json, stdout, JSON_INDENT(1));
    printf("\n");
    json_decref(json);
}

int command_list(int argc, char **argv)
{
    struct list_options to = {.error = ANY};
    const struct argp argp = {options, parse, NULL, "Lists families, executors and rules.", NULL, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &to);
    if (to.json)
        list_json(&to);
    else if (to.rules)
        list_rules(to.error);
    else
        list_parts();
    return EXIT_AGREE;
}
