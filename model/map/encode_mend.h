// SPDX-License-Identifier: MIT
// What arguments of an encode call should have been: looks at them with the checks, which know nothing of this. Private
// to model/map.
#ifndef TMAREF_ENCODE_MEND_H
#define TMAREF_ENCODE_MEND_H

#include "encode_check.h"

// Makes the proposals of `findings`, which tensormap_check() has found in `request`, legal together: the call with all
// of them in place is accepted. Appends what they bring to light. The first entries of the arrays of a rank that is too
// large are read, at most five; entries that a greater rank needs, and arrays that are NULL, count as legal ones.
void tensormap_mend(struct findings *findings, const struct request *request);

// Behind each warning of `findings` whose proposal would break a rule: what is to be changed beside it, by the rule of
// the warning. With the stride of dimension 0 that a copy ignores the driver counts a smaller box; a swizzle has a
// span.
void tensormap_mend_warnings(struct findings *findings, const struct request *request);

#endif
