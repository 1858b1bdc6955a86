// SPDX-License-Identifier: MIT
#include "common_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "near.h"

enum { DEFAULT_SEED = 1, DEFAULT_CASES = 1000 };
#define INPUT_MAX_BYTES ((size_t)256 << 20)

static const struct argp_option options[] = {
    {"family", 'f', "NAME", 0, "family of cases: FAMILIES", 1},
    {"seed", 's', "N", 0, "seed of the random cases (default 1): the same seed, the same cases, everywhere", 1},
    {"cases", 'n', "N", 0, "how many cases (default 1000, or all lines of --input)", 1},
    {"first", 'i', "N", 0, "number of the first random case (default 0): repeats one case of a longer run", 1},
    {"input", 'I', "FILE", 0, "take the cases from JSON lines instead (- is standard input)", 1},
    {0},
};

// Appends name `i` of `count` to a list.
static void add_name(struct text *list, const char *name, int i, int count)
{
    size_t used = strlen(list->at);
    snprintf(list->at + used, sizeof list->at - used, "%s%s", i == 0 ? "" : i == count - 1 ? " or " : ", ", name);
}

struct text family_names(void)
{
    struct text list = {""};
    int count = 0;
    while (families[count] != NULL) count++;
    for (int i = 0; i < count; i++) add_name(&list, families[i]->name, i, count);
    return list;
}

struct text executor_names(void)
{
    struct text list = {""};
    int count = 0;
    while (executors[count] != NULL) count++;
    for (int i = 0; i < count; i++) add_name(&list, executors[i]->name, i, count);
    return list;
}

const struct executor *parse_executor(const char *argument, struct argp_state *state)
{
    const struct executor *executor = executor_find(argument);
    if (executor == NULL)
        argp_error(state, "there is no executor '%s'%s (there are %s)", argument,
                   near_names(argument, near_executor).at, executor_names().at);
    return executor;
}

char *names_filter(int key, const char *text, void *input)
{
    (void)key, (void)input;
    const char *words[] = {"FAMILIES", "EXECUTORS"}, *at = NULL;
    struct text names[] = {family_names(), executor_names()};
    char *filled = NULL;
    for (int i = 0; i < 2 && text != NULL && at == NULL; i++) {
        at = strstr(text, words[i]);
        if (at == NULL) continue;
        if (asprintf(&filled, "%.*s%s%s", (int)(at - text), text, names[i].at, at + strlen(words[i])) < 0) return NULL;
    }
    return filled != NULL ? filled : (char *)text;
}

static void parse_number(struct argp_state *state, const char *name, const char *text, uint64_t *value)
{
    if (!parse_u64(text, UINT64_MAX, value)) argp_error(state, "--%s takes a whole number, not '%s'", name, text);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct case_options *to = state->input;
    for (const struct argp_option *row = options; row->name != NULL; row++)
        if (key == row->key && key != 'I') to->given = row->name;
    switch (key) {
    case ARGP_KEY_INIT:
        *to = (struct case_options){.seed = DEFAULT_SEED, .cases = UINT64_MAX};
        return 0;
    case 'f':
        to->family = family_find(argument);
        to->is_all = strcmp(argument, "all") == 0;
        if (to->family == NULL && !to->is_all)
            argp_error(state, "there is no family '%s'%s ('tmaref list' shows them)", argument,
                       near_names(argument, near_family).at);
        return 0;
    case 's':
        parse_number(state, "seed", argument, &to->seed);
        return 0;
    case 'n':
        parse_number(state, "cases", argument, &to->cases);
        return 0;
    case 'i':
        parse_number(state, "first", argument, &to->first);
        return 0;
    case 'I':
        to->input = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp case_argp = {options, parse, NULL, NULL, NULL, names_filter, NULL};

// Are the bytes a trace, which looks like cases but is none? By its first key, or as a zstd frame.
static int is_trace(const char *bytes)
{
    static const char key[] = "{\"tmaref_trace\"", frame[] = "\x28\xb5\x2f\xfd";
    return strncmp(bytes, key, sizeof key - 1) == 0 || strncmp(bytes, frame, sizeof frame - 1) == 0;
}

// Lines of text, and at least one of them.
static int is_text(const char *lines, size_t size_bytes, const char *path, struct text *why)
{
    if (is_trace(lines))
        text_set(why, "%.300s: this is a trace, not a list of cases: use tmaref replay", path);
    else if (strlen(lines) != size_bytes)
        text_set(why, "%.300s: not JSON lines: it holds a NUL byte", path);
    else if (lines[strspn(lines, " \t\r\n")] == '\0')
        text_set(why, "%.300s: there is no case in it", path);
    else
        return 1;
    return 0;
}

int case_source(struct case_options *from, struct source *source, struct text *why)
{
    size_t size_bytes;
    if (from->family == NULL) {
        if (from->is_all) text_set(why, "--family=all is for diff of random cases; here it is one family");
        if (from->is_all) return 0;
        text_set(why, "--family is needed: %.300s", family_names().at);
        return 0;
    }
    *source = (struct source){.family = from->family, .seed = from->seed, .path = from->input};
    if (from->input != NULL) {
        from->lines = source->lines = read_file(from->input, INPUT_MAX_BYTES, &size_bytes, why);
        source->end = from->cases;
        return source->lines != NULL && is_text(source->lines, size_bytes, from->input, why);
    }
    uint64_t cases = from->cases == UINT64_MAX ? DEFAULT_CASES : from->cases;
    source->next = from->first;
    source->end = from->first + cases;
    if (source->end >= from->first) return 1;
    text_set(why, "--first and --cases together are too large");
    return 0;
}
