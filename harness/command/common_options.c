// SPDX-License-Identifier: MIT
#include "common_options.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

enum { DEFAULT_SEED = 1, DEFAULT_CASES = 1000 };
#define INPUT_MAX_BYTES ((size_t)256 << 20)

static const struct argp_option options[] = {
    {"family", 'f', "NAME", 0, "family of cases: encode, load, mbarrier", 1},
    {"seed", 's', "N", 0, "seed of the random cases (default 1): the same seed, the same cases, everywhere", 1},
    {"cases", 'n', "N", 0, "how many cases (default 1000, or all lines of --input)", 1},
    {"first", 'i', "N", 0, "number of the first random case (default 0): repeats one case of a longer run", 1},
    {"input", 'I', "FILE", 0, "take the cases from JSON lines instead (- is standard input)", 1},
    {0},
};

static void parse_number(struct argp_state *state, const char *name, const char *text, uint64_t *value)
{
    if (!parse_u64(text, UINT64_MAX, value)) argp_error(state, "--%s takes a whole number, not '%s'", name, text);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct case_options *to = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        *to = (struct case_options){.seed = DEFAULT_SEED, .cases = UINT64_MAX};
        return 0;
    case 'f':
        to->family = family_find(argument);
        if (to->family == NULL) argp_error(state, "there is no family '%s': 'tmaref list' shows them", argument);
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

const struct argp case_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

// Lines of text, and at least one of them.
static int is_text(const char *lines, size_t size_bytes, const char *path, struct text *why)
{
    if (strlen(lines) != size_bytes)
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
        text_set(why, "--family is needed: encode, load or mbarrier");
        return 0;
    }
    *source = (struct source){.family = from->family, .seed = from->seed};
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
