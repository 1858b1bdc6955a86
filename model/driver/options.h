// SPDX-License-Identifier: MIT
// What `tmaref exec` tells the libraries, in variables of the environment.
#ifndef TMAREF_DRIVER_OPTIONS_H
#define TMAREF_DRIVER_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// X(member, variable, most) and X(member, variable, words): one row for each option. Numbers are decimal; the others
// are one of the words.
#define DRIVER_NUMBER_ROWS(X)                                                                                          \
    X(seed, "TMAREF_SEED", UINT64_MAX)                                                                                 \
    X(threads, "TMAREF_THREADS", 64)                                                                                   \
    X(limit_instructions, "TMAREF_LIMIT_INSTRUCTIONS", UINT64_MAX)                                                     \
    X(limit_seconds, "TMAREF_LIMIT_SECONDS", UINT32_MAX)                                                               \
    X(json, "TMAREF_JSON", 1)                                                                                          \
    X(quiet, "TMAREF_QUIET", 1)
#define DRIVER_WORD_ROWS(X)                                                                                            \
    X(schedule, "TMAREF_SCHEDULE", "default late early shuffled")                                                      \
    X(device, "TMAREF_DEVICE", "h200 h100")

struct driver_options {
#define DRIVER_NUMBER(member, variable, most) uint64_t member;
#define DRIVER_WORD(member, variable, words)  const char *member; // "" if it was not set
    DRIVER_NUMBER_ROWS(DRIVER_NUMBER)
    DRIVER_WORD_ROWS(DRIVER_WORD)
#undef DRIVER_NUMBER
#undef DRIVER_WORD
};

// Reads them all. 0 if one is not what it may be: that one counts as not set, and `why` says which it was.
int driver_options_read(struct driver_options *options, char *why, size_t why_bytes);

// Is it one of `words`, which have one space between them?
static inline int driver_option_is(const char *words, const char *word)
{
    const size_t length = strlen(word);
    if (length == 0 || strchr(word, ' ') != NULL) return 0;
    for (const char *at = strstr(words, word); at != NULL; at = strstr(at + 1, word))
        if ((at == words || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' ')) return 1;
    return 0;
}

#endif
