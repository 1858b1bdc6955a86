// SPDX-License-Identifier: MIT
// A short message in place, for errors that a caller prints.
#ifndef TMAREF_TEXT_H
#define TMAREF_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { TEXT_BYTES = 512 };

struct text {
    char at[TEXT_BYTES];
};

// Appends name `i` of `count` to a list: "encode, load or mbarrier".
void text_add_name(struct text *list, const char *name, int i, int count);

// Numbers of any width in an array: NUMBERS(coord, rank).
struct numbers {
    const void *at;
    int count;
    bool is_signed;
    size_t bytes; // of each
};
#define NUMBERS(array, length)                                                                                         \
    ((struct numbers){array, length, (__typeof__((array)[0]))-1 < (__typeof__((array)[0]))1, sizeof(array)[0]})

// One of them, its sign extended.
unsigned long long numbers_at(struct numbers numbers, int i);

// "1, 2, 3", entry 0 first.
struct text text_numbers(struct numbers numbers, const char *between);

void text_set(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same; returns 0, for `return text_fail(...)` in functions that return 0 with a sentence.
int text_fail(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
