// SPDX-License-Identifier: MIT
// Which edit mends a finding: those of sanitize_remedies.def and then those of sanitize_edits.c are tried, until one
// does.
#ifndef TMAREF_LOOK_SANITIZE_REMEDY_H
#define TMAREF_LOOK_SANITIZE_REMEDY_H

#include "remedy.h"
#include "sanitize_found.h"

#pragma GCC visibility push(hidden)

// NOT_TRIED: there is no edit for it. MENDS_ALL: with `edit` the launch is clean. MENDS_IT: with it the
// finding is gone, and `errors` others stay. MENDS_NOT: none of `tried` edits did.
enum sanitize_mended { SANITIZE_NOT_TRIED, SANITIZE_MENDS_ALL, SANITIZE_MENDS_IT, SANITIZE_MENDS_NOT };
struct sanitize_remedy {
    enum sanitize_mended mended;
    struct remedy_edit edit;
    uint32_t tried, errors;
};

// Adds what the tries of its edits gave to what those before it did: of each at its own line, or at all copies of it.
// text: of the PTX; errors: how many findings the launch has without any edit.
void sanitize_remedy_find(const struct remedy_trier *trier, const struct sanitize_finding *finding, const char *text,
                          uint32_t errors, bool at_copies, struct sanitize_remedy *remedy);

#pragma GCC visibility pop

#endif
