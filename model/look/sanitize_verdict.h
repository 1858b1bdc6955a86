// SPDX-License-Identifier: MIT
// The last lines of a launch that --sanitize looked at: its verdict, and what became of it under other schedules.
#ifndef TMAREF_SANITIZE_VERDICT_H
#define TMAREF_SANITIZE_VERDICT_H

#include "sanitize_found.h"

// What is not told: for want of room; because the user does not want it; because a launch in front has told it.
struct sanitize_untold {
    uint32_t out, suppressed, again;
};

// count: of findings that are no advice. incomplete: why the launch was not seen whole, or NULL.
void sanitize_verdict_tell(const struct sanitize_found *found, uint32_t count, const struct sanitize_untold *untold,
                           const char *incomplete);

struct sanitize_confirm;
void sanitize_verdict_confirm(const struct sanitize_found *found, const struct sanitize_confirm *confirm);

#endif
