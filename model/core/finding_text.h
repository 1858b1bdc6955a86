// SPDX-License-Identifier: MIT
// A finding in words for people and as JSON for machines: the only printer of findings. Used by the
// command, by the libraries that stand before or in place of the driver, which is why it writes into a struct line and
// allocates nothing, and by other languages.
#ifndef TMAREF_FINDING_TEXT_H
#define TMAREF_FINDING_TEXT_H

#include <stdbool.h>

#include "finding.h"
#include "line.h"

// "refused, rule MAP_BOX_DIM: boxDim[0] is 257, must be at most 256" and, on lines of their own, the
// rule's sentence and advice.
void finding_text(const struct finding *finding, struct line *line);

// Its two parts, for who prints the second once: the first line, and the lines with sentence and advice.
void finding_head(const struct finding *finding, struct line *line);
void finding_advice(enum rule rule, struct line *line);

// "dstMem is 0x410, must be a multiple of 0x80, nearest legal value 0x480", as the first line has it; of an address,
// `is_limited` 0: up to the comma.
void finding_value(const struct finding *finding, bool is_limited, struct line *line);

// The same as one JSON object.
void finding_json(const struct finding *finding, struct line *line);

// All findings, one after the other (JSON: an array), and how many did not fit.
void findings_text(const struct findings *findings, struct line *line);
void findings_json(const struct findings *findings, struct line *line);

// "refused", "fault", "crash", "warning"; "odd" for bytes that no encoder would make.
const char *finding_severity(enum rule rule);

#endif
