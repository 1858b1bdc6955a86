// SPDX-License-Identifier: MIT
// Random programs of the machine's suites: numbers, and the text that they are written to.
#ifndef TMAREF_RANDOM_TEXT_H
#define TMAREF_RANDOM_TEXT_H

#include <check.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

enum { RANDOM_TEXT_BYTES = 1 << 14 };

struct random {
    uint64_t state;
};

static uint32_t draw(struct random *random, uint32_t below)
{
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random->state >> 33) % below);
}

struct text {
    char at[RANDOM_TEXT_BYTES];
    size_t used;
    int labels;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int more = vsnprintf(text->at + text->used, sizeof text->at - text->used, format, arguments);
    va_end(arguments);
    text->used += (size_t)more;
    ck_assert(text->used < sizeof text->at);
}

#endif
