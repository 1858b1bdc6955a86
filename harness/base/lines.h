// SPDX-License-Identifier: MIT
// Text in memory, line by line: what a file of JSON lines holds, plain or compressed by zstd.
#ifndef TMAREF_LINES_H
#define TMAREF_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "text.h"

// next: the next unread line, cut out of `text`; number: of the last line that was read, from 1.
struct lines {
    char *text, *next;
    uint64_t number;
};

// Unpacks or copies `bytes`. 0 with `why` if they are damaged, hold a NUL byte, or make more than `most_bytes`: the
// file is then no `what` ("a trace").
int lines_parse(const char *bytes, size_t size_bytes, size_t most_bytes, const char *what, struct lines *lines,
                struct text *why);

// The next line, without its newline; NULL at the end.
char *lines_next(struct lines *lines);

void lines_close(struct lines *lines);

#endif
