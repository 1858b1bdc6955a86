// SPDX-License-Identifier: MIT
// Which named misreadings of the slow second models a recorded case exposes: a model that reads the rule so leaves
// something else than was recorded. One struct exposer for each slow model; exposed.c walks the traces.
#ifndef TMAREF_EXPOSED_H
#define TMAREF_EXPOSED_H

#include "family.h"

struct exposer {
    const char *name;                // of the slow model,
    const char *families[3];         // and of the families whose cases it can read; NULL ends them
    int mutants;                     // 1 .. mutants - 1; 0 is the right reading
    const char *(*text)(int mutant); // "ID: sentence"
    enum rule (*rule)(int mutant);   // that is misread
    int (*is_of)(int mutant);        // does this slow model know the misreading? NULL: all
    // Sets exposed[m] for those of the misreadings with pending[m] that `test_case`, recorded with `status`, exposes.
    void (*expose)(const void *test_case, int status, const char *pending, char *exposed);
};

// For the readers of slow_mutants.def.
const char *exposed_slow_text(int mutant);
enum rule exposed_slow_rule(int mutant);

// The rule of the longest prefix that the misreading's text begins with; ends with a NULL prefix, whose rule is for all
// others.
struct misread {
    const char *prefix;
    enum rule rule;
};
enum rule exposed_rule(const struct misread *rows, const char *text);

// All of them.
enum { EXPOSERS = 9 };
extern const struct exposer *const exposers[EXPOSERS];

extern const struct exposer expose_load, expose_im2col, expose_store, expose_bulk, expose_encode, expose_wgmma,
    expose_sparse, expose_mma, expose_barrier;

#endif
