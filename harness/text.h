// SPDX-License-Identifier: MIT
// A short message in place, for errors that a caller prints.
#ifndef TMAREF_TEXT_H
#define TMAREF_TEXT_H

enum { TEXT_BYTES = 512 };

struct text {
    char at[TEXT_BYTES];
};

// Appends name `i` of `count` to a list: "encode, load or mbarrier".
void text_add_name(struct text *list, const char *name, int i, int count);

void text_set(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same; returns 0, for `return text_fail(...)` in functions that return 0 with a sentence.
int text_fail(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
