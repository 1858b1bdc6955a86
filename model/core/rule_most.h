// SPDX-License-Identifier: MIT
// For arrays and loops over all rules, in files that need not be compiled again when there is one more.
#ifndef TMAREF_RULE_MOST_H
#define TMAREF_RULE_MOST_H

#include "rule.h"

// Places of an array by rule: no fewer than there are rules.
enum { RULE_MOST = 512 };

// The number behind the last rule's.
static inline enum rule rule_end(void)
{
    return (enum rule)rule_count();
}

#endif
