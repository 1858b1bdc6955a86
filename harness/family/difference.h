// SPDX-License-Identifier: MIT
// Where two results of a case differ, and what every family says of such a place in the same words.
#ifndef TMAREF_DIFFERENCE_H
#define TMAREF_DIFFERENCE_H

#include <stdio.h>

#include "result.h"

// The first byte in which a window of two results differs: byte `at` of window number `window`.
struct difference {
    const struct window *expected, *found;
    int window;
    uint32_t at;
};

// The number that holds the byte, on both sides.
struct difference_units {
    uint64_t expected, found;
};

// Looks in a window of both results, past the bytes that `is_open` marks (NULL: none); 0 if they are the same there.
// Which window it is of the result the caller sets.
bool difference_find(const struct window *expected, const struct window *found, const uint8_t *is_open,
                     struct difference *difference);

// Of units of `bytes` bytes, at most 8, from the window's start on.
struct difference_units difference_units(const struct difference *difference, uint32_t bytes);

// The byte is in a barrier's word: "phase 0, pending 1, tx 16, error 0 expected; ... found", and a line break.
void difference_print_barrier(const struct difference *difference, FILE *out);

// The same of the one mbarrier of a case, whose word `rule` decides; returns the rule.
enum rule difference_explain_barrier(const struct difference *difference, enum rule rule, FILE *out);

#endif
