// SPDX-License-Identifier: MIT
// A progress bar on a terminal, nothing in a pipe; and Ctrl-C while it is drawn.
#ifndef TMAREF_PROGRESS_H
#define TMAREF_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

// `total` 0: the end is not known. Draws to stderr, at most ten times a second.
struct progress {
    const char *label;
    uint64_t total, done;
    bool is_terminal;
    double last_seconds, start_seconds;
};

struct progress progress_start(const char *label, uint64_t total);
void progress_add(struct progress *progress, uint64_t count);
void progress_end(struct progress *progress);

// Seconds on the monotonic clock.
double seconds_now(void);

// From now on SIGINT is kept for interrupted(), once; until interrupt_release(), which brings back what was before.
void interrupt_catch(void);
int interrupted(void);
void interrupt_release(void);

#endif
