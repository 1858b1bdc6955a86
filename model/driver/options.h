// SPDX-License-Identifier: MIT
// What `tmaref exec` tells the libraries, in variables of the environment.
#ifndef TMAREF_DRIVER_OPTIONS_H
#define TMAREF_DRIVER_OPTIONS_H

#include <stdint.h>

// X(member, variable): one row for each option. Numbers are decimal; the others are words.
#define DRIVER_NUMBER_ROWS(X)                                                                                          \
    X(seed, "TMAREF_SEED")                                                                                             \
    X(threads, "TMAREF_THREADS")                                                                                       \
    X(limit_instructions, "TMAREF_LIMIT_INSTRUCTIONS")                                                                 \
    X(limit_seconds, "TMAREF_LIMIT_SECONDS")                                                                           \
    X(json, "TMAREF_JSON")                                                                                             \
    X(quiet, "TMAREF_QUIET")
#define DRIVER_WORD_ROWS(X)                                                                                            \
    X(schedule, "TMAREF_SCHEDULE")                                                                                     \
    X(device, "TMAREF_DEVICE")

struct driver_options {
#define DRIVER_NUMBER(member, variable) uint64_t member;
#define DRIVER_WORD(member, variable)   const char *member; // "" if it was not set
    DRIVER_NUMBER_ROWS(DRIVER_NUMBER)
    DRIVER_WORD_ROWS(DRIVER_WORD)
#undef DRIVER_NUMBER
#undef DRIVER_WORD
};

void driver_options_read(struct driver_options *options);

#endif
