// SPDX-License-Identifier: MIT
// `tmaref litmus --executor sim|gpu|trace`: how litmus tests end on a device, each end held against the memory model.
#ifndef TMAREF_LITMUS_TRIES_H
#define TMAREF_LITMUS_TRIES_H

#include <jansson.h>
#include <stdint.h>

#include "litmus_files.h"
#include "memory_model.h"

enum litmus_executor { LITMUS_ON_MODEL, LITMUS_ON_SIM, LITMUS_ON_GPU, LITMUS_ON_TRACE };

// `tries` and `seconds` of each test, whichever takes longer; 0 tries: a number that suits the executor. `traces`: what
// LITMUS_ON_TRACE reads in place of `files`.
struct litmus_tries {
    enum litmus_executor executor;
    const struct litmus_files *files;
    const char *const *trace;
    int traces, json, quiet;
    uint64_t tries;
    double seconds;
    const char *record; // where the counts go, or NULL
    struct model_options model;
    void (*answer)(const void *context, json_t *answer); // prints it as JSON
    const void *answer_context;
};

// Runs them, prints, and returns the exit status.
int litmus_tries_run(const struct litmus_tries *to);

#endif
