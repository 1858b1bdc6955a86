// SPDX-License-Identifier: MIT
// Text put together in a fixed buffer, to be written with one call: a report of one thread is not torn by another.
// No allocation and no stdio stream, because a watched program owns those.
#ifndef TMAREF_LINE_H
#define TMAREF_LINE_H

#include <stddef.h>

enum { TEXT_LINE_BYTES = 65536 };

// `used` bytes of `bytes` are filled; what does not fit is dropped.
struct line {
    size_t used;
    char bytes[TEXT_LINE_BYTES];
};

void line_start(struct line *line);
void line_add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Appends `text` as a JSON string, quotes included; NULL becomes null.
void line_add_json(struct line *line, const char *text);

// Writes everything to `fd`. Returns 0, or -1 with errno.
int line_write(const struct line *line, int fd);

#endif
