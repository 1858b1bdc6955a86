// SPDX-License-Identifier: MIT
// A finding as one line of JSON: for standard error, and for the file that `tmaref exec --sarif` reads.
#ifndef TMAREF_LOOK_JSON_LINE_H
#define TMAREF_LOOK_JSON_LINE_H

#include <stdbool.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)

// Where the lines go. `findings` is "" where no file is wanted.
struct json_lines {
    bool is_json; // to standard error
    const char *findings;
};

struct json_line {
    FILE *out; // what is printed here is the line
    char *text;
    size_t bytes;
};

// Is a line wanted, and can one be begun? Then it is to be told.
bool json_line_begin(struct json_line *line, const struct json_lines *to);
void json_line_tell(struct json_line *line, const struct json_lines *to);

#pragma GCC visibility pop

#endif
