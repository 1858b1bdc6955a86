// SPDX-License-Identifier: MIT
// The views of a swizzled box: text for a terminal, SVG for a page, JSON for machines. All take the same struct picture
// and compute nothing themselves: cells come from tile_layout.h, names from swizzle_names.h, wavefronts from bank.h.
#ifndef TMAREF_PICTURE_H
#define TMAREF_PICTURE_H

#include <stdio.h>

#include <jansson.h>

#include "swizzle_names.h"
#include "tile_layout.h"
#include "warp_access.h"

// What to show. `access` is NULL, or what the lanes read, with its wavefronts in this box and without swizzle.
struct picture {
    struct layout layout;
    const struct access *access;
    struct bank_report swizzled, unswizzled;
};

// One name of the mode elsewhere: "wgmma descriptor", "1 (bits 63..62)".
struct picture_name {
    const char *what;
    char value[96];
};
enum { PICTURE_NAMES = 8, PICTURE_LANES_BYTES = 128 };

// The names of the picture's mode, in the order to show them.
void picture_names(const struct layout *layout, struct picture_name names[PICTURE_NAMES]);

// The mode's one line of arithmetic: "address ^ (address >> 7 & 7) << 4".
void picture_formula(enum tensormap_swizzle mode, char *formula, size_t formula_bytes);

// A set of lanes (bit l: lane l) as "0-7, 9"; text[PICTURE_LANES_BYTES] holds every set.
void picture_lanes(uint32_t lanes, char *text);

// The lanes whose access touches this cell (bit l: lane l).
uint32_t picture_cell_lanes(const struct picture *picture, struct cell cell);

// Text; `colour` adds ANSI colours.
void picture_text(const struct picture *picture, bool colour, FILE *out);

// A self-contained SVG 1.1 document.
void picture_svg(const struct picture *picture, FILE *out);

// A JSON object that the caller frees; NULL when out of memory.
json_t *picture_json(const struct picture *picture);

#endif
