// SPDX-License-Identifier: MIT
// --lint-sync: which fences, waits and barriers no access of the launches that ran needs. Each is left out of the PTX,
// alone, and the launch is done again (remedy.h): if it comes to its end and nothing is found, nothing needed it.
#ifndef TMAREF_LOOK_SANITIZE_LINT_H
#define TMAREF_LOOK_SANITIZE_LINT_H

#include "sanitize_found.h"

#pragma GCC visibility push(hidden)

// Of all launches of a program. NULL without memory.
struct sanitize_lint;
struct sanitize_lint *sanitize_lint_open(const struct json_lines *lines);

// A launch is over. is_clean: it came to its end, and nothing was found but so much advice. Its kernel, sizes and trier
// are those of `found`.
struct sanitize_lint_seen {
    bool is_clean;
    uint32_t advice;
};
void sanitize_lint_launch(struct sanitize_lint *lint, const struct sanitize_found *found,
                          const struct look_tally *tally, const struct machine_module *module,
                          const struct sanitize_lint_seen *seen);

// Tells what nothing needed.
void sanitize_lint_close(struct sanitize_lint *lint);

#pragma GCC visibility pop

#endif
