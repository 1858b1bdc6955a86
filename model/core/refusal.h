// SPDX-License-Identifier: MIT
// How the libraries that stand in for CUDA's, beside the driver, say on standard error why a call fails. All here is
// inline, as each of them needs a copy.
#ifndef TMAREF_REFUSAL_H
#define TMAREF_REFUSAL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "note.h"

static inline bool refusal_is_quiet(void)
{
    const char *quiet = getenv("TMAREF_QUIET"); // the driver's option
    return quiet != NULL && strcmp(quiet, "1") == 0;
}

// "tmaref: cublasCreate: ...", in one piece.
__attribute__((format(printf, 2, 0))) static inline void refusal_tell(const char *call, const char *format,
                                                                      va_list arguments)
{
    if (refusal_is_quiet()) return;
    fflush(stdout);
    flockfile(stderr);
    fprintf(stderr, "tmaref: %s: ", call);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    funlockfile(stderr);
}

__attribute__((format(printf, 2, 3))) static inline void refusal_say(const char *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refusal_tell(call, format, arguments);
    va_end(arguments);
}

// The same for a call that returns a status of its library.
__attribute__((format(printf, 3, 4))) static inline int refusal_as(const char *call, int status, const char *format,
                                                                   ...)
{
    va_list arguments;
    va_start(arguments, format);
    refusal_tell(call, format, arguments);
    va_end(arguments);
    return status;
}

// A call that the library has not: says so once, that it returns `status`, and why.
static inline void refusal_missing(const char *call, const char *status, const char *why, int *was_told)
{
    enum { NOT_SUPPORTED = 801 };
    if (*was_told) return;
    *was_told = 1;
    refusal_say(call, "tmaref exec does not have this call; it returns %s%s", status, why);
    note_add(note_path(), NOTE_REFUSED " %d %s: tmaref exec does not have this call; it returns %s%s", NOT_SUPPORTED,
             call, status, why);
}

#endif
