// SPDX-License-Identifier: MIT
// The table of misreadings behind enum slow_mutant. Read slow_mutants.def.
#include "slow.h"

const struct slow_mutant_row *slow_mutant_row(enum slow_mutant mutant)
{
    static const struct slow_mutant_row rows[SLOW_COUNT] = {
        [SLOW_NONE] = {"NONE", RULE_OK, "the rules as they are", 1},
#define LOAD_MUTANT(id, rule, sentence)   [SLOW_##id] = {#id, RULE_##rule, sentence, 1},
#define ENCODE_MUTANT(id, rule, sentence) [SLOW_##id] = {#id, RULE_##rule, sentence, 0},
#include "slow_mutants.def"
    };
    return &rows[mutant];
}
