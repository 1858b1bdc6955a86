// SPDX-License-Identifier: MIT
// What --check tells of a launch: of what the sanitizer found (sanitize_found.h), what concerns copies, operations and
// mbarriers in shared memory, under names and in words of its own.
#ifndef TMAREF_LOOK_CHECK_FOUND_H
#define TMAREF_LOOK_CHECK_FOUND_H

#include <stdbool.h>

#include "sanitize_found.h"

#pragma GCC visibility push(hidden)

// Is it one that --check tells?
bool check_tells(const struct sanitize_finding *finding);

// Each once for each pair of lines of the source.
void check_found_tell(const struct sanitize_found *found, const struct look_tally *tally,
                      const struct machine_module *module);

// --- Places, for every report of this folder ---------------------------------------------------------------------------

// Where a line of the PTX comes from, in any function of the launch.
struct machine_where look_where_of(const struct look_tally *tally, const struct machine_module *module, uint32_t line);
bool look_is_same_place(const struct machine_where *one, const struct machine_where *other);
void look_print_key(FILE *out, const char *key, const char *text, size_t length); // of JSON, behind another
void look_print_json_place(FILE *out, const char *role, const struct machine_where *where, const char *before);

#pragma GCC visibility pop

#endif
