// SPDX-License-Identifier: MIT
// PTX in several parts, as one text: each part behind a line `.tmaref_unit "name";`. The front end links them when the
// text is loaded (model/ptx/link.c).
#ifndef TMAREF_DRIVER_UNITS_H
#define TMAREF_DRIVER_UNITS_H

#include <stdbool.h>
#include <stddef.h>

struct units {
    char *text; // ends in 0; NULL before there is one
    size_t bytes;
};

// Is this the beginning of such a text?
bool units_is(const char *text);

// Is there a part of this name?
bool units_has(const struct units *units, const char *name);

// Appends PTX of `bytes` bytes. What is such a text of units already keeps their names. 0 if there is no memory.
bool units_add(struct units *units, const char *name, const char *ptx, size_t bytes);

#endif
