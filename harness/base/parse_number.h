// SPDX-License-Identifier: MIT
// Whole numbers as people write them. Each returns 0, and leaves *value, on anything else: blanks, overflow and
// trailing characters included.
#ifndef TMAREF_PARSE_NUMBER_H
#define TMAREF_PARSE_NUMBER_H

#include <stdint.h>

#include "text.h"

// A whole unsigned number, decimal or 0x..., at most `max`; no sign.
int parse_u64(const char *text, uint64_t max, uint64_t *value);

// Numbers between commas (blanks around them are fine), 1 to `max_count` of them, each within 0 .. max.
//   returns  how many there are, or 0 with a sentence in `why`
int parse_u64_list(const char *text, uint64_t max, int max_count, uint64_t *values, struct text *why);

// The same for signed numbers within min .. max.
int parse_i64_list(const char *text, int64_t min, int64_t max, int max_count, int64_t *values, struct text *why);

#endif
