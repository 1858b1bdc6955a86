// SPDX-License-Identifier: MIT
// What the printers of a report share.
#ifndef TMAREF_SCORE_PRINT_H
#define TMAREF_SCORE_PRINT_H

#include <jansson.h>
#include <stdint.h>

// A count of a family, rule or feature; those that were compared; how many per cent of them agree.
uint64_t score_count(const json_t *of, const char *key);
uint64_t score_compared(const json_t *of);
double score_percent(const json_t *of);

// The string at a key, "" if there is none.
const char *score_text(const json_t *of, const char *key);

// Writes text into XML or HTML.
void score_escape(const char *text, FILE *out);

#endif
