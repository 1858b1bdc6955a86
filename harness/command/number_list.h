// SPDX-License-Identifier: MIT
// Lists of numbers on the command line: 4096,4096 or 0x10,-3. The numbers themselves are command.h's.
#ifndef TMAREF_NUMBER_LIST_H
#define TMAREF_NUMBER_LIST_H

#include <stdint.h>

#include "result.h"

// Numbers between commas (blanks around them are fine), 1 to `max_count` of them, each within 0 .. max.
//   returns  how many there are, or 0 with a sentence in `why`
int parse_u64_list(const char *text, uint64_t max, int max_count, uint64_t *values, struct text *why);

// The same for signed numbers within min .. max.
int parse_i64_list(const char *text, int64_t min, int64_t max, int max_count, int64_t *values, struct text *why);

#endif
