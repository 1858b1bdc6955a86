// SPDX-License-Identifier: MIT
// The text of an edit where the compiler has copied what it was made for: a copy has other registers and offsets.
#ifndef TMAREF_LOOK_REMEDY_NAMES_H
#define TMAREF_LOOK_REMEDY_NAMES_H

#include "remedy.h"

#pragma GCC visibility push(hidden)

// What stands for what: an operand of the line of a piece, and the one that the copy of the line has in its place.
struct remedy_names {
    uint32_t count;
    struct {
        char from[REMEDY_FROM_BYTES], to[REMEDY_FROM_BYTES];
    } item[REMEDY_PIECES * 16];
};

// Adds what the statement `one` has where its copy `other` has something else: operands in brackets, and registers.
void remedy_names_add(struct remedy_names *names, const char *one, const char *other);

// The text with the names of the copy; 0: it is too long.
bool remedy_names_put(const struct remedy_names *names, const char *text, char *renamed, uint32_t bytes);

#pragma GCC visibility pop

#endif
