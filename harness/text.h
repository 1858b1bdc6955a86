// SPDX-License-Identifier: MIT
// A short message in place, for errors that a caller prints.
#ifndef TMAREF_TEXT_H
#define TMAREF_TEXT_H

enum { TEXT_BYTES = 512 };

struct text {
    char at[TEXT_BYTES];
};

void text_set(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
