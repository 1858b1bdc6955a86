// SPDX-License-Identifier: MIT
// Findings of --sanitize that the user knows and does not want told: a file with a rule and a place on each line.
#ifndef TMAREF_LOOK_SUPPRESS_H
#define TMAREF_LOOK_SUPPRESS_H

#include <stdbool.h>

#include "machine.h"

#pragma GCC visibility push(hidden)

struct suppressions;

// Reads the file; NULL with `why` if it cannot be read or a line is none: RULE FILE:LINE, RULE kernel:NAME or RULE *,
// where RULE is one of sanitize_kinds.c or *. `#` begins a comment. A path of "" has none.
struct suppressions *suppressions_open(const char *path, char *why, size_t why_bytes);
void suppressions_close(struct suppressions *suppressions);

// Is a finding of that rule and kernel, at these places, one of them? FILE is a name without folders, or the end of a
// path; NAME is the kernel's in PTX, or in C++ without its parameters. NULL: there are none.
bool suppressions_have(const struct suppressions *suppressions, const char *rule, const char *kernel,
                       const struct machine_where *const place[2]);

#pragma GCC visibility pop

#endif
