// SPDX-License-Identifier: MIT
// Whole-number expressions over a lane, such as "l % 8 ^ l / 8": numbers, l (or lane), chunks, + - * / % ^ & and
// parentheses, with C's precedence. What the value means is warp_access.h.
#ifndef TMAREF_EXPRESSION_H
#define TMAREF_EXPRESSION_H

#include <stdint.h>

#include "text.h"

enum { EXPRESSION_NO_LANE = -1 };

// The expression is text[begin .. end - 1]. `lane` is the value of l, or EXPRESSION_NO_LANE where l may not be used;
// `chunks` is the value of chunks (16-byte chunks of a row).
struct expression {
    const char *text;
    int begin, end;
    int lane, chunks;
};

// What is wrong, and at which column of the text (0 is the first), for a caret.
struct expression_error {
    int column;
    struct text why;
};

// Works out the value. Returns 1, or 0 with `error` filled: a syntax error, a division by zero, an overflow.
int expression_value(const struct expression *expression, int64_t *value, struct expression_error *error);

#endif
