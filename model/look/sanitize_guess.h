// SPDX-License-Identifier: MIT
// A plain read whose value its thread then gives to an atom.cas of the same bytes: the first guess of a loop, as CUDA's
// own examples have it. If it is old, the atom.cas fails and returns the new value.
#ifndef TMAREF_LOOK_SANITIZE_GUESS_H
#define TMAREF_LOOK_SANITIZE_GUESS_H

#include "sanitize_found.h"

#pragma GCC visibility push(hidden)

enum { SANITIZE_GUESSES = 64 };
struct sanitize_guesses {
    uint32_t count, line[SANITIZE_GUESSES]; // of such reads
};

// A warp executes atom.cas: what it has read of these bytes was a guess.
void sanitize_guess_note(struct sanitize_guesses *guesses, const struct clock_order *order, const struct event *event);

// Races of guesses with atomics become advice.
void sanitize_guess_forgive(const struct sanitize_guesses *guesses, struct sanitize_found *found);

#pragma GCC visibility pop

#endif
