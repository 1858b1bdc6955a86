// SPDX-License-Identifier: MIT
// What the files of this folder say of what they refuse.
#ifndef TMAREF_CUTE_REFUSE_H
#define TMAREF_CUTE_REFUSE_H

#include <stdarg.h>

#include "cute.h"

// Fills the error. Returns 0, as the caller does.
int cute_refuse(struct cute_error *error, int column, const char *format, ...) __attribute__((format(printf, 3, 4)));
int cute_refuse_list(struct cute_error *error, int column, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

// Whether so many parentheses in one another, and so many in all, are a layout's. Returns 1, or 0 with `error` filled.
int cute_check_nesting(int depth, int opens, struct cute_error *error, int column);

// Whether elements of `bytes` bytes are those that the layout's pointer speaks of, if it has one.
// Returns 1, or 0 with `error` filled.
int cute_check_bits(const struct cute_layout *layout, uint32_t bytes, struct cute_error *error);

#endif
