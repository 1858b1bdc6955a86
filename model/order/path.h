// SPDX-License-Identifier: MIT
// One way that one thread can run: what each of its loads reads is chosen beforehand, all else follows. Running it adds
// the thread's events to an execution, in program order; what an asynchronous operation does lies beside program order
// (PTX ISA "Asynchronous Operations").
#ifndef TMAREF_PATH_H
#define TMAREF_PATH_H

#include "execution.h"

enum { PATH_CHOICES = 24, PATH_VALUES = 16 };

// The values that a memory may hold, as far as is known; and how many writes of this memory each needs at least.
struct path_domain {
    int values;
    int64_t value[PATH_VALUES];
    int writes[PATH_VALUES];
};

// What the search is about.
struct path_limits {
    int unroll;       // how often a thread may branch back at one place
    bool is_progress; // also paths that spin or wait for ever
};

struct path {
    int choices;
    uint8_t choice[PATH_CHOICES];
};

enum path_end {
    PATH_ENDS,    // behind its last instruction
    PATH_ASKS,    // it needs one more choice, of `options`
    PATH_IS_CUT,  // it branches back once too often
    PATH_IS_IDLE, // it goes once more round a loop that changes nothing: a shorter path ends the same
    PATH_IS_LONG, // it has more events or choices than there is room for
    PATH_SPINS,   // it stays in a loop that changes nothing
    PATH_IS_STUCK // it waits for ever
};

struct path_result {
    enum path_end end;
    int options;
};

// Runs thread `thread` along `path`; adds its events to `x` and sets its registers in `x->end`.
struct path_result path_run(const struct path *path, int thread, const struct path_domain *domains,
                            const struct path_limits *limits, struct execution *x);

#endif
