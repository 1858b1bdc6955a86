// SPDX-License-Identifier: MIT
// What `tmaref exec` tells the libraries, in variables of the environment.
#ifndef TMAREF_DRIVER_OPTIONS_H
#define TMAREF_DRIVER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "note.h"

// X(member, variable, least, most) and X(member, variable, words): one row for each option. Numbers are decimal; the
// others are one of the words. `schedule` has them in the order of enum machine_policy, `device` in that of device.c.
#define DRIVER_NUMBER_ROWS(X)                                                                                          \
    X(seed, "TMAREF_SEED", 0, UINT64_MAX)                                                                              \
    X(threads, "TMAREF_THREADS", 0, 64)                                                                                \
    X(limit_instructions, "TMAREF_LIMIT_INSTRUCTIONS", 0, UINT64_MAX)                                                  \
    X(limit_seconds, "TMAREF_LIMIT_SECONDS", 0, UINT32_MAX)                                                            \
    X(limit_memory, "TMAREF_LIMIT_MEMORY", 0, UINT64_MAX)                                                              \
    X(json, "TMAREF_JSON", 0, 1)                                                                                       \
    X(quiet, "TMAREF_QUIET", 0, 1)                                                                                     \
    X(verbose, "TMAREF_VERBOSE", 0, 1)                                                                                 \
    X(stats, "TMAREF_STATS", 0, 1)                                                                                     \
    X(error_exitcode, "TMAREF_ERROR_EXITCODE", 0, 255)                                                                 \
    X(check, "TMAREF_CHECK", 0, 1)                                                                                     \
    X(sanitize, "TMAREF_SANITIZE", 0, 1)                                                                               \
    X(remedies, "TMAREF_REMEDIES", 0, 1)                                                                               \
    X(lint_sync, "TMAREF_LINT_SYNC", 0, 1)                                                                             \
    X(why_writes, "TMAREF_WHY_WRITES", 1, 64)                                                                          \
    X(depth, "TMAREF_DEPTH", 1, 16)                                                                                    \
    X(steps, "TMAREF_STEPS", 1, UINT64_MAX)                                                                            \
    X(cuda, "TMAREF_CUDA", 12000, 99990)                                                                               \
    X(hit, "TMAREF_BREAK_HIT", 1, UINT64_MAX)
#define DRIVER_WORD_ROWS(X)                                                                                            \
    X(schedule, "TMAREF_SCHEDULE", "default late early shuffled pct delay")                                            \
    X(device, "TMAREF_DEVICE", "h200 h100")                                                                            \
    X(bounds, "TMAREF_BOUNDS", "exact pages")                                                                          \
    X(eager, "TMAREF_EAGER", "cpu refuse") // read by harness/exec/eager

// X(member, variable): any text.
#define DRIVER_TEXT_ROWS(X)                                                                                            \
    X(trace, "TMAREF_TRACE")                                                                                           \
    X(write_sync, "TMAREF_WRITE_SYNC")                                                                                 \
    X(coverage, "TMAREF_COVERAGE")                                                                                     \
    X(notes, NOTE_VARIABLE)                                                                                            \
    X(findings, "TMAREF_FINDINGS")                                                                                     \
    X(delays, "TMAREF_DELAYS")                                                                                         \
    X(write_delays, "TMAREF_WRITE_DELAYS")                                                                             \
    X(suppressions, "TMAREF_SUPPRESSIONS")                                                                             \
    X(why, "TMAREF_WHY")                                                                                               \
    X(run, "TMAREF_RUN")                                                                                               \
    X(break_at, "TMAREF_BREAK") X(cta, "TMAREF_BREAK_CTA") X(thread, "TMAREF_BREAK_THREAD") X(dump, "TMAREF_DUMP")

struct driver_options {
#define DRIVER_NUMBER(member, variable, least, most) uint64_t member; // 0 if it was not set
#define DRIVER_WORD(member, variable, words)         int member; // which of the words, from 0; the first if it was not set
    DRIVER_NUMBER_ROWS(DRIVER_NUMBER)
#define DRIVER_TEXT(member, variable) const char *member; // "" if it was not set
    DRIVER_WORD_ROWS(DRIVER_WORD)
    DRIVER_TEXT_ROWS(DRIVER_TEXT)
#undef DRIVER_NUMBER
#undef DRIVER_WORD
#undef DRIVER_TEXT
};

// Reads `schedule` and `seed` again: a program may set others for its next launch. One that is not what it may be stays
// what it was.
void driver_options_schedule(struct driver_options *options);

// Reads them all. 0 if one is not what it may be: that one counts as not set, and `why` says which it was.
bool driver_options_read(struct driver_options *options, char *why, size_t why_bytes);

// The version of CUDA that the driver says it has, before cuInit too.
int driver_options_cuda(void);

// Which of `words` it is, from 0; -1 if it is none. They have one space between them.
static inline int driver_option_word(const char *words, const char *word)
{
    for (int number = 0; *words != '\0'; number++) {
        const size_t length = strcspn(words, " ");
        if (strlen(word) == length && memcmp(words, word, length) == 0) return number;
        words += length + (words[length] == ' ');
    }
    return -1;
}

#endif
