// SPDX-License-Identifier: MIT
// For every row of forms.def instructions that it takes, and systematic mistakes beside them: a word put in, left out,
// said twice or in another place, another type, another operand, one too few or too many. What ptxas says of each is
// recorded in verdicts.txt; the front end must say the same.
#ifndef TMAREF_TESTS_PTX_CASES_H
#define TMAREF_TESTS_PTX_CASES_H

#include <stdbool.h>

#include "form.h"

// The text before and behind the cases, of which each is a line.
extern const char cases_head[], cases_tail[];

// Does the row have cases?
bool cases_are_told(int form);

// Calls tell() with each case of row `form`, always the same in the same order.
void cases_tell(int form, void (*tell)(void *to, const char *instruction), void *to);

#endif
