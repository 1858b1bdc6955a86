// SPDX-License-Identifier: MIT
// `tmaref list`: what there is. Families and executors, or the table of rules.
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "answer.h"
#include "command.h"
#include "command_option.h"
#include "executor.h"
#include "explain_command.h"
#include "json.h"
#include "map_args.h"

// `error`: the CUDA error of the rules that are wanted, or ANY.
struct list_options {
    int rules, fields, json, error;
};

enum { ANY = -1 };

static void take_error(const struct command_option *option, void *line, char *value, struct argp_state *state)
{
    struct list_options *to = line;
    (void)option;
    int rules = 0;
    to->error = explain_find_error(value);
    to->rules = 1;
    for (int i = RULE_OK + 1; i < rule_count(); i++) rules += to->error != ANY && explain_has_error(i, to->error);
    if (rules == 0) argp_error(state, "--error: '%s' is not the CUDA error of a rule", value);
}

#define TO struct list_options
static const struct command_option options[] = {
    OPTION_FLAG('r', "rules", rules, "list the rules: id, the documents' verdict, the H200's, CUDA error"),
    OPTION_TAKEN('e', "error", "ERROR", take_error,
                 "only the rules behind this CUDA error, or 'silent' for rules broken without one"),
    OPTION_FLAG('f', "fields", fields, "list the fields of the cases of each family, as Markdown (docs/cases.md)"),
    OPTION_FLAG('j', "json", json, "as JSON"),
    OPTION_END,
};

static const char trace_summary[] =
    "what a machine did, from a file: tmaref replay FILE, or diff --input FILE trace model";

static json_t *parts(void)
{
    json_t *family_list = json_object(), *executor_list = json_object();
    for (int i = 0; families[i] != NULL; i++)
        json_object_set_new(family_list, families[i]->name, json_string(families[i]->summary));
    for (int i = 0; executors[i] != NULL; i++)
        json_object_set_new(executor_list, executors[i]->name, json_string(executors[i]->summary));
    json_object_set_new(executor_list, "trace", json_string(trace_summary));
    return json_pack("{s:o, s:o}", "families", family_list, "executors", executor_list);
}

static json_t *rules(int error)
{
    json_t *list = json_array();
    for (int i = RULE_OK + 1; i < rule_count(); i++)
        if (error == ANY || explain_has_error(i, error)) json_array_append_new(list, json_rule(rule_row((enum rule)i)));
    return list;
}

static const char text_of_parts[] = "families:\n{families*  {@:-12} {}\n}"
                                    "executors:\n{executors*  {@:-15} {}\n}"
                                    "'tmaref list --rules' lists the rules, 'tmaref explain RULE' explains one.\n";
static const char text_of_rules[] = "{*{id:-28} documents: {documented:-11} sm_90a: {sm_90a:-9} {cuda_error_name}\n}";

// A number, or the power of two that it is one less than, as people know it.
static void print_number(uint64_t number)
{
    if (number == UINT32_MAX || number == UINT64_MAX)
        printf("2^%d - 1", number == UINT32_MAX ? 32 : 64);
    else
        printf("%" PRIu64, number);
}

enum { MOST_SHOWN_NAMES = 40 };

static void print_names(const struct field *field)
{
    const char *name;
    uint32_t i = 0;
    for (; i < MOST_SHOWN_NAMES && (field->names != NULL || i <= field->most); i++) {
        if ((name = field->names != NULL ? field->names[i] : field->name_of(i)) == NULL) return;
        printf("%s`%s`", i > 0 ? ", " : "", name);
    }
    if (field->names == NULL && i <= field->most) printf(", ...");
}

static void print_numbers(const struct field *field)
{
    if (field->count > 0) printf("%u numbers ", field->count);
    if (field->count_of != NULL || field->count_at > 0) printf("numbers ");
    if (field->rows != NULL) {
        printf("as compiled");
        return;
    }
    printf("%" PRIu64 " to ", field->least);
    print_number(field->most);
    if (field->multiple > 0) printf(", multiples of %u", field->multiple);
}

// What a field may hold.
static void print_values(const struct field *field)
{
    switch (field->kind) {
    case FIELD_NUMBER:
        print_numbers(field);
        return;
    case FIELD_SIGNED:
        printf("numbers from -2^31 to 2^31 - 1");
        return;
    case FIELD_NAME:
        print_names(field);
        return;
    case FIELD_HEX:
        printf("%zu hex digits", 2 * field->bytes);
        return;
    case FIELD_OBJECT:
        printf(field->each == &map_fields ? "the arguments of an encode call: a case of `encode`"
                                          : "an object, see below");
        return;
    case FIELD_LIST:
        printf("%" PRIu64 " to %u objects, see below", field->least, field->count);
        return;
    }
}

// Prints the tables of the structs below `fields`, each once.
static void print_below(const struct fields *fields);

static void print_fields(const struct fields *fields)
{
    printf("\n| key | values | meaning |\n|---|---|---|\n");
    for (const struct field *field = fields->field; field->key != NULL; field++) {
        printf("| `%s` | ", field->key);
        print_values(field);
        printf(" | %s%s%s%s |\n", field->meaning, field->where != NULL ? "; only: " : "",
               field->where != NULL ? field->where : "", field->missing != FIELD_NEEDED ? "; may be left out" : "");
    }
    print_below(fields);
}

static void print_below(const struct fields *fields)
{
    const struct fields *last = NULL;
    for (const struct field *field = fields->field; field->key != NULL; field++) {
        if (field->each == NULL || field->each == &map_fields || field->each == last) continue;
        printf(field->kind == FIELD_LIST ? "\nEach of `%s`:\n" : "\n`%s`:\n", field->key);
        last = field->each;
        print_fields(last);
    }
}

static void list_fields(void)
{
    printf("# The cases of each family\n\nMade by `tmaref list --fields` from the tables of fields; edit those, not "
           "this page. A number may be a string\n(`\"0x1f\"`).\n");
    for (int i = 0; families[i] != NULL; i++) {
        printf("\n## %s\n\n%s.\n", families[i]->name, families[i]->summary);
        print_fields(families[i]->fields);
    }
}

int command_list(int argc, char **argv)
{
    static const struct command_line line = {
        .help = "Lists families, executors and rules, or the fields of cases.",
        .options = options,
    };
    struct list_options to = {.error = ANY};
    command_line_read(&line, argc, argv, &to);
    if (to.fields)
        list_fields();
    else if (to.rules)
        answer_print(rules(to.error), to.json ? NULL : text_of_rules, JSON_INDENT(1));
    else
        answer_print(parts(), to.json ? NULL : text_of_parts, JSON_INDENT(1));
    return EXIT_AGREE;
}
