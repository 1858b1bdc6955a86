// SPDX-License-Identifier: MIT
// Tables of vectors about rules: what fails names the rule and the row. A table holds both sides of each rule's limit.
#ifndef TMAREF_TESTS_VECTORS_H
#define TMAREF_TESTS_VECTORS_H

#include <check.h>
#include <stdio.h>

#include "rule.h"

// LOAD_RANK, ".1d": the rule that a row is about, and its `why`. Valid until the next call.
static inline const char *vector_name(enum rule about, const char *why)
{
    static char name[256];
    snprintf(name, sizeof name, "%s, \"%s\"", rule_row(about)->id, why);
    return name;
}

// Fails unless rows of the table `vectors` in the file `table` break the rule and others keep it.
static inline void vectors_are_of_both_sides(enum rule about, const char *table, int broken, int kept)
{
    ck_assert_msg(broken > 0 && kept > 0,
                  "%s: %d rows of the table `vectors` break it and %d keep it; add rows to %s, at least one of each",
                  rule_row(about)->id, broken, kept, table);
}

#endif
