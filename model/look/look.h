// SPDX-License-Identifier: MIT
// What `tmaref exec` tells of kernels that run: statistics, which lines of the source ran. One struct look serves all
// launches of a program. It looks on through the machine's looker and observer (looker.h, core/event.h); where nothing
// is asked for there is none, and nothing is paid.
#ifndef TMAREF_LOOK_H
#define TMAREF_LOOK_H

#include "machine.h"

#pragma GCC visibility push(hidden)

// What is asked for. Texts are "" where nothing is.
//   stats      statistics of each kernel on standard error when the program ends: a table, or with is_json a line
//   coverage   the file that takes the coverage of lines, in the format of lcov
struct look_options {
    int stats, is_json;
    const char *coverage;
};

struct look;

// NULL if nothing is asked for (`why` is ""), or something is that cannot be (`why` says what).
struct look *look_open(const struct look_options *options, char *why, size_t why_bytes);

// Before and behind machine_run(). A look of NULL looks at nothing.
void look_begin(struct look *look, struct machine_launch *launch, const char *kernel);
void look_end(struct look *look, const struct machine_outcome *outcome);

// Writes what is left to write. 0 with `why` if a file cannot be written.
int look_close(struct look *look, char *why, size_t why_bytes);

#pragma GCC visibility pop

#endif
