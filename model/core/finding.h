// SPDX-License-Identifier: MIT
// What a check reports: one finding per broken rule, with the value, the limit and the nearest legal value.
// Memory is the caller's; a check never allocates. Read rule.h first.
#ifndef TMAREF_FINDING_H
#define TMAREF_FINDING_H

#include <stdint.h>

#include "rule.h"

enum { FINDINGS_MAX = 32 };

// One broken rule. `argument` names the value as the driver API or PTX spells it, `index` is its array index or -1.
// `value`, `limit`, `nearest` are signed 64-bit when `is_signed`, unsigned otherwise; `limit` is the bound that was
// passed (or the multiple that was missed) and `nearest` the closest legal value.
struct finding {
    enum rule rule;
    const char *argument;
    int index;
    int is_signed;
    uint64_t value, limit, nearest;
};

// All rules broken by one call, in the order found; `item` holds the first FINDINGS_MAX of them, `count` counts all.
// Need not be cleared before a call.
struct findings {
    int count;
    struct finding item[FINDINGS_MAX];
};

// Takes all findings out, as every call that takes findings does first; `findings` may be NULL.
void findings_clear(struct findings *findings);

// Appends a finding; `findings` may be NULL (then nothing is kept).
void finding_add(struct findings *findings, struct finding finding);

// Appends INSTRUCTION_FORM, because PTX has no instruction whose `argument` is `value`; returns that rule.
enum rule finding_of_form(struct findings *findings, const char *argument, uint64_t value);

// The first finding of a rule, or else the first one; NULL if there are none.
const struct finding *findings_of_rule(const struct findings *findings, enum rule rule);

// The first finding that is a refusal or a fault, RULE_OK if all are warnings or there are none.
enum rule findings_first_broken(const struct findings *findings);

#endif
