// SPDX-License-Identifier: MIT
// The table of misreadings behind enum slow_mutant. Read slow_mutants.def.
#include "rules/all.h"
#include "slow.h"

const struct slow_mutant_row *slow_mutant_row(enum slow_mutant mutant)
{
    static const struct slow_mutant_row rows[SLOW_COUNT] = {
        [SLOW_NONE] = {"NONE", RULE_OK, "the rules as they are", SLOW_OF_BOX},
#define MUTANT(subject, id, rule, sentence) [SLOW_##id] = {#id, RULE_##rule, sentence, SLOW_OF_##subject},
#include "slow_mutants.def"
#undef MUTANT
    };
    return &rows[mutant];
}
