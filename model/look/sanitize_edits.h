// SPDX-License-Identifier: MIT
// The edits that --remedies tries and that are made from the text around a finding: waits for the mbarrier of a copy,
// statements that move, pairs of fences, and what a CTA does before it ends.
#ifndef TMAREF_LOOK_SANITIZE_EDITS_H
#define TMAREF_LOOK_SANITIZE_EDITS_H

#include "ptx_body.h"
#include "remedy.h"
#include "sanitize_found.h"

#pragma GCC visibility push(hidden)

enum { SANITIZE_EDITS = 128 };
struct sanitize_edits {
    const struct sanitize_finding *finding;
    struct ptx_body body;
    uint32_t older, newer; // 0: it is in another function, or another launch
    uint32_t count;
    struct remedy_edit item[SANITIZE_EDITS];
};

// In the order in which they are tried, behind those that are there.
void sanitize_edits_make(struct sanitize_edits *edits, const struct sanitize_finding *finding, const char *text);

#pragma GCC visibility pop

#endif
