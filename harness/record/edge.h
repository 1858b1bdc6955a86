// SPDX-License-Identifier: MIT
// The two sides of a limit: a case that breaks a rule, moved to where one value decides, and its neighbour that does
// not fault.
#ifndef TMAREF_EDGE_H
#define TMAREF_EDGE_H

#include "family.h"

// Looks for a number of the case `fatal` (any but the seed), which breaks `rule`, whose change keeps it from faulting:
// by a power of two up or down, or cut to its lower bits, the least power first; then for a number of another random
// case, and then for a word of one, in the same place. Halves the change of a number for as long as the rule stays the
// same. `edge_case` takes the last case that breaks the rule, `near_case` the first that does not fault: they differ in
// one value.
//   returns  1, or 0 if no value alone decides; then neither is set
bool edge_find(const struct family *family, const void *fatal, enum rule rule, void *edge_case, void *near_case);

#endif
