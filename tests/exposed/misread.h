// SPDX-License-Identifier: MIT
// Misreadings of rules, each as a change of the case: who misreads the rule so does with a recorded case what the model
// does with the changed one. The recording exposes it if that is something else, in bytes that both readings decide.
#ifndef TMAREF_MISREAD_H
#define TMAREF_MISREAD_H

#include "rule_most.h"
#include "trace_batch.h"

// Reads the file of misreadings: RULE<TAB>sentence<TAB>pattern<TAB>what stands in its place, where \1 to \9 are the
// pattern's groups; patterns are POSIX extended regular expressions for a case as one line of JSON. 0 and told, if a
// line is none.
bool misreadings_read(const char *path);

// Counts in `exposed`, by rule, the misreadings that case `i`, which agrees, exposes; `text` is the case. No more than
// MISREAD_ENOUGH of a rule are looked for.
enum { MISREAD_ENOUGH = 5 };
void misreadings_count(const struct trace_batch *cases, int i, const char *text, uint32_t exposed[RULE_MOST]);

#endif
