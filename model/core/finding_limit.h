// SPDX-License-Identifier: MIT
// What the `limit` of a finding is: the most, a multiple, the end of memory. The numbers alone do not say it. Read
// finding.h first; finding_text.c writes it in words.
#ifndef TMAREF_FINDING_LIMIT_H
#define TMAREF_FINDING_LIMIT_H

#include "finding.h"

enum finding_limit {
    LIMIT_NONE,     // no number that says more than the rule's sentence
    LIMIT_NEAREST,  // only the nearest legal value says something
    LIMIT_MULTIPLE, // of it the value must be
    LIMIT_EXACT,    // it must be the value
    LIMIT_MOST,
    LIMIT_LEAST,
    LIMIT_BELOW, // the least value that is too large
    LIMIT_END,   // of the memory that a range leaves
};

enum finding_limit finding_limit(const struct finding *finding);

#endif
