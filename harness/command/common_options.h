// SPDX-License-Identifier: MIT
// What run, diff and record share: which cases, which executor. Each command has these options in its --help through
// argp's children.
#ifndef TMAREF_COMMON_OPTIONS_H
#define TMAREF_COMMON_OPTIONS_H

#include <argp.h>

#include "source.h"

// --family, --seed, --cases, --first, --input. `lines` is the text of --input; `given` the last option given of the
// others, or NULL. `is_all`: --family=all, which is for diff to take apart.
struct case_options {
    const struct family *family;
    int is_all;
    uint64_t seed, first, cases;
    const char *input, *given;
    char *lines;
};

// The child parser; its input is a struct case_options.
extern const struct argp case_argp;

// The source the options describe: 0 with a sentence in `why` if they are no use (no family, unreadable file).
int case_source(struct case_options *options, struct source *source, struct text *why);

// "encode, load or mbarrier", "model or gpu": all there are.
struct text family_names(void);
struct text executor_names(void);

// The executor named `argument`; complains through argp if there is none.
const struct executor *parse_executor(const char *argument, struct argp_state *state);

// A help filter for argp: puts these names where the help says FAMILIES or EXECUTORS.
char *names_filter(int key, const char *text, void *input);

#endif
