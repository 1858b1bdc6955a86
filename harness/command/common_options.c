// SPDX-License-Identifier: MIT
#include "common_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "near_lists.h"

enum { DEFAULT_SEED = 1, DEFAULT_CASES = 1000 };
#define INPUT_MAX_BYTES ((size_t)256 << 20)

void take_executor(const struct command_option *option, void *to, char *value, struct argp_state *state)
{
    const struct executor *executor = executor_find(value);
    if (executor == NULL)
        argp_error(state, "there is no executor '%s'%s (there are %s)", value, near_names(value, near_executor).at,
                   near_all(near_executor).at);
    memcpy((char *)to + option->at, &executor, sizeof executor);
}

const struct family *parse_family(const char *name, struct argp_state *state)
{
    const struct family *family = family_find(name);
    if (family == NULL)
        argp_error(state, "there is no family '%s'%s ('tmaref list' shows them)", name,
                   near_names(name, near_family).at);
    return family;
}

char *names_filter(int key, const char *text, void *input)
{
    (void)key, (void)input;
    const char *words[] = {"FAMILIES", "EXECUTORS"}, *at = NULL;
    struct text names[] = {near_all(near_family), near_all(near_executor)};
    char *filled = NULL;
    for (int i = 0; i < 2 && text != NULL && at == NULL; i++) {
        at = strstr(text, words[i]);
        if (at == NULL) continue;
        if (asprintf(&filled, "%.*s%s%s", (int)(at - text), text, names[i].at, at + strlen(words[i])) < 0) return NULL;
    }
    return filled != NULL ? filled : (char *)text;
}

static void take_family(const struct command_option *option, void *to, char *value, struct argp_state *state)
{
    struct case_options *cases = to;
    (void)option;
    cases->is_all = strcmp(value, "all") == 0;
    cases->family = cases->is_all ? NULL : parse_family(value, state);
}

static void start(void *to)
{
    *(struct case_options *)to = (struct case_options){.seed = DEFAULT_SEED, .cases = UINT64_MAX};
}

#define TO    struct case_options
#define NAMED .group = 1, .named_at = offsetof(TO, given)
static const struct command_option options[] = {
    OPTION_TAKEN('f', "family", "NAME", take_family, "family of cases: FAMILIES", .value_at = near_family, NAMED),
    OPTION_NUMBER('s', "seed", "N", seed, 0, UINT64_MAX,
                  "seed of the random cases (default 1): the same seed, the same cases, everywhere", NAMED),
    OPTION_NUMBER('n', "cases", "N", cases, 0, UINT64_MAX, "how many cases (default 1000, or all lines of --input)",
                  NAMED),
    OPTION_NUMBER('i', "first", "N", first, 0, UINT64_MAX,
                  "number of the first random case (default 0), to repeat one case of a longer run", NAMED),
    OPTION_TEXT('I', "input", "FILE", input, "take the cases from JSON lines instead (- is standard input)",
                .group = 1),
    OPTION_JOBS(jobs, .group = 1),
    OPTION_END,
};

const struct command_line case_line = {.options = options, .start = start, .filter = names_filter};

// Are the bytes a trace, which looks like cases but is none? By its first key, or as a zstd frame.
static bool is_trace(const char *bytes)
{
    static const char key[] = "{\"tmaref_trace\"", frame[] = "\x28\xb5\x2f\xfd";
    return strncmp(bytes, key, sizeof key - 1) == 0 || strncmp(bytes, frame, sizeof frame - 1) == 0;
}

// Lines of text, and at least one of them.
static bool is_text(const char *lines, size_t size_bytes, const char *path, struct text *why)
{
    if (is_trace(lines))
        text_set(why, "%.300s: this is a trace, not a list of cases: use tmaref replay", path);
    else if (strlen(lines) != size_bytes)
        text_set(why, "%.300s: not JSON lines: it holds a NUL byte", path);
    else if (lines[strspn(lines, " \t\r\n")] == '\0')
        text_set(why, "%.300s: the file holds no case", path);
    else
        return true;
    return false;
}

int case_source(struct case_options *from, struct source *source, struct text *why)
{
    size_t size_bytes;
    if (from->family == NULL) {
        if (from->is_all) text_set(why, "--family=all is for diff of random cases; here it is one family");
        if (from->is_all) return 0;
        return text_fail(why, "--family is needed: %.300s", near_all(near_family).at);
    }
    *source = (struct source){
        .family = from->family, .seed = from->seed, .path = from->input, .jobs = side_by_side(from->jobs)};
    if (from->input != NULL) {
        from->lines = source->lines = read_file(from->input, INPUT_MAX_BYTES, &size_bytes, why);
        source->end = from->cases;
        return source->lines != NULL && is_text(source->lines, size_bytes, from->input, why);
    }
    uint64_t cases = from->cases == UINT64_MAX ? DEFAULT_CASES : from->cases;
    source->next = from->first;
    source->end = from->first + cases;
    if (source->end >= from->first) return 1;
    return text_fail(why, "--first and --cases together are too large");
}
