// SPDX-License-Identifier: MIT
// What the files of this folder say of what they refuse.
#ifndef TMAREF_CUTE_REFUSE_H
#define TMAREF_CUTE_REFUSE_H

#include "cute.h"

// Fills the error. Returns 0, as the caller does.
int cute_refuse(struct cute_error *error, int column, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
