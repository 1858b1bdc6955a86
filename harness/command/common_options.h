// SPDX-License-Identifier: MIT
// What run, diff and record share: which cases, which executor. Each command has these options in its --help through
// argp's children.
#ifndef TMAREF_COMMON_OPTIONS_H
#define TMAREF_COMMON_OPTIONS_H

#include <argp.h>

#include "source.h"

// --family, --seed, --cases, --first, --input. `lines` is the text of --input.
struct case_options {
    const struct family *family;
    uint64_t seed, first, cases;
    const char *input;
    char *lines;
};

// The child parser; its input is a struct case_options.
extern const struct argp case_argp;

// The source the options describe: 0 with a sentence in `why` if they are no use (no family, unreadable file).
int case_source(struct case_options *options, struct source *source, struct text *why);

#endif
