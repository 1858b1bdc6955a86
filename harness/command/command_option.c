// SPDX-License-Identifier: MIT
#include "command_option.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "command_help.h"
#include "command_near.h"
#include "near.h"

enum { FIRST_KEY = 256, MOST_ROWS = 64 };

// What argp hands to parse(): a line and the struct that it is read into; argp's form of its table.
struct reading {
    const struct command_line *line;
    void *to;
    struct reading *part;
    struct argp_option rows[MOST_ROWS];
    struct argp_child child[2];
    struct argp argp;
};

bool command_option_is_end(const struct command_option *option)
{
    return option->name == NULL && option->help == NULL;
}

// By which argp names the row: 0 for titles and aliases.
static int key_of(const struct command_option *options, int i)
{
    if (options[i].name == NULL || options[i].is_alias) return 0;
    return options[i].letter != 0 ? options[i].letter : FIRST_KEY + i;
}

uint64_t command_option_number(const char *name, uint64_t least, uint64_t most, const char *value,
                               struct argp_state *state)
{
    uint64_t number = least;
    if (parse_u64(value, most, &number) && number >= least) return number;
    if (most == UINT64_MAX && least != 0)
        argp_error(state, "--%s takes a whole number of at least %llu, not '%s'", name, (unsigned long long)least,
                   value);
    argp_error(state, "--%s takes a whole number from %llu to %llu, not '%s'", name, (unsigned long long)least,
               (unsigned long long)most, value);
    return least;
}

static void take_number(const struct command_option *option, char *member, const char *value, struct argp_state *state)
{
    const uint64_t number = command_option_number(option->name, option->least, option->most, value, state);
    const double real = (double)number;
    const uint32_t small = (uint32_t)number;
    const void *from = option->kind == OPTION_KIND_REAL    ? (const void *)&real
                       : option->bytes == sizeof(uint32_t) ? (const void *)&small
                                                           : (const void *)&number;
    memcpy(member, from, option->bytes);
}

static void take_word(const struct command_option *option, char *member, const char *value, struct argp_state *state)
{
    const char *const *words = option->words;
    struct text list = {""};
    int count = 0, word = 0;
    while (words[count] != NULL) count++;
    while (word < count && strcmp(words[word], value) != 0) word++;
    for (int i = 0; i < count; i++) text_add_name(&list, words[i], i, count);
    if (word == count) argp_error(state, "--%s is %s, not '%s'", option->name, list.at, value);
    memcpy(member, &word, sizeof word);
}

static void take(const struct command_option *option, void *to, char *value, struct argp_state *state)
{
    char *member = (char *)to + option->at;
    const int yes = 1;
    switch (option->kind) {
    case OPTION_KIND_FLAG:
        memcpy(member, &yes, sizeof yes);
        break;
    case OPTION_KIND_TEXT:
        memcpy(member, &value, sizeof value);
        break;
    case OPTION_KIND_NUMBER:
    case OPTION_KIND_REAL:
        take_number(option, member, value, state);
        break;
    case OPTION_KIND_WORD:
        take_word(option, member, value, state);
        break;
    case OPTION_KIND_TAKEN:
        option->take(option, to, value, state);
        break;
    }
}

// Notes that the option was given, where its row says so.
static void note(const struct command_option *option, void *to)
{
    char *counted = (char *)to + option->counted_at, *named = (char *)to + option->named_at;
    int count;
    if (option->named_at != 0) memcpy(named, &option->name, sizeof option->name);
    if (option->counted_at == 0) return;
    memcpy(&count, counted, sizeof count);
    count++;
    memcpy(counted, &count, sizeof count);
}

static void take_argument(const struct command_line *line, void *to, char *value, struct argp_state *state)
{
    const char **only = (const char **)(void *)((char *)to + line->argument_at);
    if (line->argument != NULL)
        line->argument(to, value, state);
    else if (line->twice == NULL)
        argp_error(state, "takes no argument '%s'", value);
    else if (*only != NULL)
        argp_error(state, line->twice, value);
    else
        *only = value;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    const struct reading *reading = state->input;
    const struct command_line *line = reading->line;
    switch (key) {
    case ARGP_KEY_INIT:
        if (line->part != NULL) state->child_inputs[0] = reading->part;
        return 0;
    case ARGP_KEY_ARG:
        take_argument(line, reading->to, value, state);
        return 0;
    case ARGP_KEY_END:
        if (line->end != NULL) line->end(reading->to, state);
        return 0;
    default:
        for (int i = 0; key > 0 && !command_option_is_end(&line->options[i]); i++) {
            if (key_of(line->options, i) != key) continue;
            take(&line->options[i], reading->to, value, state);
            note(&line->options[i], reading->to);
            return 0;
        }
        return ARGP_ERR_UNKNOWN;
    }
}

// The line as argp wants it.
static struct reading *reading_open(const struct command_line *line, void *to)
{
    struct reading *reading = calloc(1, sizeof *reading);
    if (reading == NULL) exit(command_usage("", "not enough memory"));
    for (int i = 0; !command_option_is_end(&line->options[i]) && i + 1 < MOST_ROWS; i++) {
        const struct command_option *row = &line->options[i];
        reading->rows[i] = (struct argp_option){row->name,     key_of(line->options, i),
                                                row->argument, row->is_alias ? OPTION_ALIAS : 0,
                                                row->help,     row->group};
    }
    if (line->start != NULL) line->start(to);
    if (line->part != NULL) {
        reading->part = reading_open(line->part, (char *)to + line->part_at);
        reading->child[0].argp = &reading->part->argp;
    }
    reading->line = line;
    reading->to = to;
    const bool has_rows = !command_option_is_end(&line->options[0]); // argp leaks what it makes of an empty list
    reading->argp = (struct argp){
        has_rows ? reading->rows : NULL, parse, line->usage, line->help, reading->child, line->filter, NULL};
    return reading;
}

static void reading_close(struct reading *reading)
{
    if (reading == NULL) return;
    reading_close(reading->part);
    free(reading);
}

// A text as the filter makes it; the caller frees it.
static char *filtered(const struct command_line *line, int key, const char *text)
{
    char *made = line->filter == NULL ? (char *)text : line->filter(key, text, NULL);
    return made != text || made == NULL ? made : strdup(text);
}

struct text command_option_help(const struct command_line *line, const struct command_option *option)
{
    struct text help;
    char *made = filtered(line, 1, option->help);
    text_set(&help, "%s", made == NULL ? "" : made);
    free(made);
    return help;
}

// argp parts the text by a vertical tab.
struct command_help command_help_open(const struct command_line *line)
{
    char *before = strdup(line->help), *after = before == NULL ? NULL : strchr(before, '\v');
    if (after != NULL) *after++ = '\0';
    struct command_help help = {filtered(line, ARGP_KEY_HELP_PRE_DOC, before),
                                filtered(line, ARGP_KEY_HELP_POST_DOC, after)};
    free(before);
    return help;
}

void command_help_close(struct command_help *help)
{
    free(help->before);
    free(help->after);
}

// What is asked of the table instead of the command. `argv` is the command's, as main() hands it over.
static bool answer(const struct command_line *line, int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], COMMAND_COMPLETE) == 0)
        command_complete(line, argc - 2, argv + 2);
    else if (argc > 2 && strcmp(argv[1], COMMAND_MAN) == 0)
        command_man(line, argv[0], argv[2]);
    else
        return false;
    return true;
}

void command_line_read(const struct command_line *line, int argc, char **argv, void *to)
{
    if (answer(line, argc, argv)) exit(EXIT_AGREE);
    const char *name = strncmp(argv[0], "tmaref ", strlen("tmaref ")) == 0 ? argv[0] + strlen("tmaref ") : argv[0];
    int status = command_near_check(line, name, argc, argv);
    if (status != 0) exit(status);
    struct reading *reading = reading_open(line, to);
    if (argp_parse(&reading->argp, argc, argv, line->is_program ? ARGP_IN_ORDER : 0, NULL, reading) != 0)
        exit(EXIT_USAGE);
    reading_close(reading);
}
