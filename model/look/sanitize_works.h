// SPDX-License-Identifier: MIT
// What nothing orders between works of streams: told where it is found, each pair of places once.
#ifndef TMAREF_LOOK_SANITIZE_WORKS_H
#define TMAREF_LOOK_SANITIZE_WORKS_H

#include "sanitize_state.h"
#include "works.h"

#pragma GCC visibility push(hidden)

struct sanitize_works *sanitize_works_open(const struct look_options *options, const struct look_works_names *names,
                                           const struct suppressions *suppressions);
struct history *sanitize_works_history(struct sanitize_works *works);
void sanitize_works_close(struct sanitize_works *works);

// A launch has ended that is this work: how many findings it has against others.
uint32_t sanitize_works_launch(struct sanitize_works *works, uint32_t work, const struct look_sanitize *sanitize,
                               const struct look_tally *tally, const struct machine_module *module);

#pragma GCC visibility pop

#endif
