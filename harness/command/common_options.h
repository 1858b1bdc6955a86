// SPDX-License-Identifier: MIT
// What run, diff and record share: which cases, which executor.
#ifndef TMAREF_COMMON_OPTIONS_H
#define TMAREF_COMMON_OPTIONS_H

#include "command_option.h"
#include "near_lists.h"
#include "source.h"
#include "workers.h"

// --family, --seed, --cases, --first, --input, --jobs. `lines` is the text of --input; `given` the last option given of
// the others, or NULL. `is_all`: --family=all, which is for diff to take apart.
struct case_options {
    const struct family *family;
    bool is_all;
    int jobs;
    uint64_t seed, first, cases;
    const char *input, *given;
    char *lines;
};

// These options; a part of the lines of commands.
extern const struct command_line case_line;

// The source the options describe: 0 with a sentence in `why` if they are no use (no family, unreadable file).
int case_source(struct case_options *options, struct source *source, struct text *why);

// For OPTION_TAKEN, with `at` the place of a const struct executor *: the executor of that name.
void take_executor(const struct command_option *option, void *to, char *value, struct argp_state *state);

// The family named so; complains through argp if there is none.
const struct family *parse_family(const char *name, struct argp_state *state);

#define OPTION_EXECUTOR(...)                                                                                           \
    OPTION_TAKEN('x', "executor", "NAME", take_executor, __VA_ARGS__, .value_at = near_executor, OPTION_AT(executor))

// How many jobs run side by side, as threads or processes (side_by_side()): of a part of the line, or of the line
// itself.
#define OPTION_JOBS(member, ...)                                                                                       \
    OPTION_NUMBER('J', "jobs", "N", member, 1, MOST_SIDE_BY_SIDE,                                                      \
                  "use N processors (default: all); the output does not depend on it", __VA_ARGS__)

// A help filter for argp: puts these names where the help says FAMILIES or EXECUTORS.
char *names_filter(int key, const char *text, void *input);

#endif
