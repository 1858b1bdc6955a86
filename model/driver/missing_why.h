// SPDX-License-Identifier: MIT
// Why a call is not there, for both libraries: each has a copy, as neither shows more than the API's names.
#ifndef TMAREF_MISSING_WHY_H
#define TMAREF_MISSING_WHY_H

#include <string.h>

// A sentence for the user that begins with "; ", or "" if there is no more to say.
static inline const char *missing_why(const char *name)
{
    static const struct {
        const char *word, *why;
    } rows[] = {
#define MISSING_WHY(word, why) {word, "; " why},
#include "missing_why.def"
#undef MISSING_WHY
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strstr(name, rows[i].word) != NULL) return rows[i].why;
    return "";
}

#endif
