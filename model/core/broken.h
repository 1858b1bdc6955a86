// SPDX-License-Identifier: MIT
// What the checks of the model share: they note what is broken in the hardware's order, and say how it would be right.
#ifndef TMAREF_BROKEN_H
#define TMAREF_BROKEN_H

#include "finding.h"
#include "memory.h"

// A finding about an argument, or about element `at` of it; the other members by their names.
#define FINDING(of, name, ...)        ((struct finding){.rule = (of), .argument = (name), .index = -1, __VA_ARGS__})
#define FINDING_AT(of, name, at, ...) ((struct finding){.rule = (of), .argument = (name), .index = (at), __VA_ARGS__})

// Appends a finding, and keeps in `*first` the first rule that is no warning.
void finding_broken(struct findings *findings, enum rule *first, struct finding finding);

// That `address` is no multiple of `align`: the nearest legal value is the multiple below.
struct finding finding_of_align(enum rule rule, const char *argument, uint64_t address, uint64_t align);

// That not all of the `bytes` bytes at `address` lie in `memory`: the limit is its end, the nearest legal value its
// start for what begins below or is too long, else the last place for so many bytes.
struct finding finding_of_bounds(enum rule rule, const char *argument, const struct memory *memory, uint64_t address,
                                 uint64_t bytes);

#endif
