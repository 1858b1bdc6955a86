// SPDX-License-Identifier: MIT
// `tmaref explain --layout`: what a CuTe layout is, which tensor copies fill it, what wgmma reads of it, and its tiles.
#ifndef TMAREF_EXPLAIN_LAYOUT_H
#define TMAREF_EXPLAIN_LAYOUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "cute_box.h"
#include "cute_operand.h"

// The options as given; NULL or 0 where they were not. `cta` counts where has_cta is not 0.
struct explain_layout {
    const char *text, *dtype, *element, *tile;
    uint64_t cta;
    int modes;
    bool has_cta;
    int wants_table, json;
};

// Prints the answer. Returns the exit status: a layout that no tensor copies fill is a mismatch.
int explain_layout(const struct explain_layout *question);

// The layout with all that is known of it. Of what is not asked for the has_ is 0 and the reason empty.
//   box, operand  with their reason where there are none
//   tile, tiles   the tile that is asked for, and how many of it cover each mode
//   corner        the first element of the CTA's tile
struct layout_answer {
    const struct explain_layout *question;
    struct cute_layout layout, coalesced, zipped, tiled;
    char text[CUTE_TEXT_BYTES];
    enum dtype dtype;
    bool has_dtype, has_box, has_operand, has_element, has_tile;
    struct cute_box box;
    struct cute_operand operand;
    struct cute_error no_box, no_operand;
    int rank;
    uint64_t size[CUTE_MAX_LEAVES], element[CUTE_MAX_LEAVES];
    int tile_rank;
    uint64_t tile[CUTE_MAX_LEAVES], tiles[CUTE_MAX_LEAVES], all_tiles;
    uint64_t corner[CUTE_MAX_LEAVES];
};

// What is shown of the table of --table: rows of mode 0 and columns of mode 1, from the first on.
enum { LAYOUT_TABLE_ROWS = 32, LAYOUT_TABLE_COLUMNS = 16 };
uint64_t layout_table_rows(const struct layout_answer *answer);
uint64_t layout_table_columns(const struct layout_answer *answer);
uint64_t layout_table_index(const struct layout_answer *answer, uint64_t row, uint64_t column);

// The descriptor of the first step along K.
uint64_t layout_descriptor(const struct layout_answer *answer);

// The answer for people, and for programs.
void layout_print(const struct layout_answer *answer);
json_t *layout_json(const struct layout_answer *answer);

#endif
