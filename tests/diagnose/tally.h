// SPDX-License-Identifier: MIT
// How often a diagnosis names a mistake that was made on purpose.
#ifndef TMAREF_TALLY_H
#define TMAREF_TALLY_H

#include "diagnose.h"

// The true cause is named first; not first, but as one that gives the same bytes or may; not; nor, and another is said
// to explain every byte; of two mistakes: one alone does.
enum { FIRST, TIE, MISSED, WRONG, MERGED, VERDICTS };

struct tally {
    unsigned count[2][VERDICTS]; // what was there before: not known, known
};

// `first`, `second`: the causes that say so, with | between them, "?" for "these bytes are not of this tensor";
// `second` is NULL for one mistake.
int tally_verdict(const struct diagnosis *answer, const char *first, const char *second);

// Prints the first explanations.
void tally_explain(const struct diagnosis *answer);

void tally_head(void);
void tally_print(const char *name, const struct tally *row);

// Prints the sum, and says whether it keeps what docs/diagnose.md promises.
bool tally_is_kept(const struct tally *all, bool is_two);

#endif
