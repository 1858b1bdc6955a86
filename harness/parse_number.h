// SPDX-License-Identifier: MIT
// Whole numbers as people write them. Each returns 0, and leaves *value, on anything else: blanks, overflow and
// trailing characters included.
#ifndef TMAREF_PARSE_NUMBER_H
#define TMAREF_PARSE_NUMBER_H

#include <stdint.h>

// A whole unsigned number, decimal or 0x..., at most `max`; no sign.
int parse_u64(const char *text, uint64_t max, uint64_t *value);

// A whole signed number, decimal or 0x..., within min .. max.
int parse_i64(const char *text, int64_t min, int64_t max, int64_t *value);

#endif
