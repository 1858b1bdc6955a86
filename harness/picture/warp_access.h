// SPDX-License-Identifier: MIT
// What each lane of a warp reads of a box: a pattern such as "row=l%8,chunk=l/8,bytes=16", or the name of one.
// How many wavefronts that takes is bank.h; what an expression may hold is expression.h.
#ifndef TMAREF_WARP_ACCESS_H
#define TMAREF_WARP_ACCESS_H

#include <stdint.h>

#include "bank.h"
#include "expression.h"
#include "tile_layout.h"

// Lane l reads `bytes` bytes from byte `byte[l]` of row `row[l]`; lanes from `lanes` on do nothing. `pattern` is the
// text, a name replaced by what it stands for; `rows` is the number of rows the lanes need.
struct access {
    const char *pattern;
    int lanes;
    uint32_t bytes, rows;
    uint32_t row[WARP_LANES], byte[WARP_LANES];
};

// A pattern with a name, and what it is good for.
struct access_preset {
    const char *name, *pattern, *use;
};

// The named patterns, ended by a NULL name.
extern const struct access_preset access_presets[];

// Reads `text`: a preset's name, or key=expression pairs between commas. Keys: row, chunk (16-byte chunk of the row),
// byte and element (added to it), bytes (1, 2, 4, 8 or 16; default 16), lanes (1 to 32; default 32).
//   layout   gives row_bytes and element_bytes; its rows are not looked at
//   returns  1, or 0 with a sentence and the column of `access->pattern` it speaks of (-1: the whole)
int access_parse(const char *text, const struct layout *layout, struct access *access, struct expression_error *error);

// Counts the wavefronts of `access` to the box; `layout->rows` are at least `access->rows`.
void access_count(const struct access *access, const struct layout *layout, struct bank_report *report);

// The same box without swizzle, as a tensor copy would lay it out.
struct layout access_unswizzled(const struct layout *layout);

#endif
