// SPDX-License-Identifier: MIT
// What a barrier's word means, as a sentence.
#ifndef TMAREF_MBARRIER_READING_H
#define TMAREF_MBARRIER_READING_H

#include "line.h"
#include "mbarrier.h"

// Appends what the phase waits for: "Phase 0 waits for 1 arrival."
void mbarrier_reading(const struct mbarrier_fields *fields, struct line *line);

#endif
