// SPDX-License-Identifier: MIT
// Text of a user's files and names, for a terminal: control characters are written out, so that a name of PTX cannot
// move the cursor, change colours or the title of a window. New lines and tabs stay.
#ifndef TMAREF_PLAIN_H
#define TMAREF_PLAIN_H

#include <stdarg.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)

// Prints `length` bytes of `text`: ESC as \x1b, DEL as \x7f, the C1 control characters of UTF-8 as \u009b.
void plain_print(FILE *out, const char *text, size_t length);

// The same of what printf would print. Without memory the text is left out.
void plain_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void plain_vprintf(FILE *out, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

#pragma GCC visibility pop

#endif
