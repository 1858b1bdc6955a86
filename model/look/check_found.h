// SPDX-License-Identifier: MIT
// What --check has found in one launch, and how it is told: each kind of mistake once for each pair of lines of the
// source. check.c finds.
#ifndef TMAREF_LOOK_CHECK_FOUND_H
#define TMAREF_LOOK_CHECK_FOUND_H

#include "json_line.h"
#include "parts.h"

#pragma GCC visibility push(hidden)

enum check_kind {
    CHECK_FENCE,
    CHECK_READ_EARLY,
    CHECK_REFILLED,
    CHECK_OPERATION_EARLY,
    CHECK_WRITTEN_UNDER,
    CHECK_SOURCE_WRITTEN,
    CHECK_SOURCE_COPIED,
    CHECK_NOT_INITIALISED,
    CHECK_INITIALISED_AGAIN,
    CHECK_UNEXPECTED,
    CHECK_MEETING,
};

// first, second: lines of the PTX, 0: none. address: in the shared memory of the CTA; of a meeting, the barrier.
struct check_finding {
    enum check_kind kind;
    uint32_t first, second;
    uint64_t cta, address;
};

// An unrolled loop has one line of the source at many lines of the PTX: there is room for more than are told.
enum { CHECK_KEPT = 2048, CHECK_SLOTS = 4096, CHECK_TOLD = 32 };

//   slot    where a finding is, plus 1, by what it is of
//   lost    how many had no room
//   notes   the file that takes a line where something is found; "": none
struct check_found {
    const char *kernel, *notes;
    uint32_t grid[3];
    struct json_lines lines;
    uint32_t count, lost;
    uint16_t slot[CHECK_SLOTS];
    struct check_finding item[CHECK_KEPT];
};

// Keeps it, unless one of the same lines is there.
void check_found_add(struct check_found *found, const struct check_finding *finding);

void check_found_tell(const struct check_found *found, const struct look_tally *tally,
                      const struct machine_module *module);

// --- Places, for every report of this folder ---------------------------------------------------------------------------

// Where a line of the PTX comes from, in any function of the launch.
struct machine_where look_where_of(const struct look_tally *tally, const struct machine_module *module, uint32_t line);
int look_is_same_place(const struct machine_where *one, const struct machine_where *other);
void look_print_key(FILE *out, const char *key, const char *text, size_t length); // of JSON, behind another
void look_print_json_place(FILE *out, const char *role, const struct machine_where *where, const char *before);

#pragma GCC visibility pop

#endif
