// SPDX-License-Identifier: MIT
// One box, or one im2col column, in shared memory, and what happens to it: what the parts of explain_box.c share.
// Everything is asked of the walks (tile.h, im2col.h, provenance.h); nothing is computed a second time here.
#ifndef TMAREF_EXPLAIN_BOX_H
#define TMAREF_EXPLAIN_BOX_H

#include "explain.h"
#include "finding.h"
#include "provenance.h"

// `tile` or `column` is what is walked, `walked` the tile's map: for stores dimension 0 ends with a whole 16-byte
// piece.
//   rule          the first that makes the copy fault
//   extent_bytes  of shared memory, gaps included; all_bytes without them
//   data_bytes    that move: in bounds, or for stores in a piece that is
//   past_bytes    of these, those past the last element of a row or the last channel
//   reach_bytes   of shared memory that a store reads, from the start
struct box {
    const struct explain *question;
    int is_im2col;
    struct tensormap walked;
    struct tile tile;
    struct im2col column;
    struct findings findings;
    enum rule rule;
    uint64_t extent_bytes, all_bytes, data_bytes, past_bytes, reach_bytes;
    const char *swizzle;
};

// A walk over the runs of the box, one pixel at a time in a column. It points into itself.
struct box_walk {
    const struct box *box;
    struct im2col single;
    struct tile_walk rows;
    struct im2col_walk pixels;
};

void box_walk_start(struct box_walk *walk, const struct box *box);
int box_walk_next(struct box_walk *walk, struct tile_run *run);

// Where a shared address, or an element, lies; 0 if the box does not hold it.
int box_place_of_shared(const struct box *box, uint32_t address, struct provenance *place);
int box_place_of_element(const struct box *box, const int64_t *index, struct provenance *place);

// What the box is and whether the copy works: printed, or as a JSON object.
void box_print_summary(const struct box *box);
json_t *box_summary_json(const struct box *box);

// The answers to --byte, --element and --table: printed, or added to `json` unless that is NULL. The first two return
// the exit status.
int box_answer_byte(const struct box *box, json_t *json);
int box_answer_element(const struct box *box, json_t *json);
void box_answer_table(const struct box *box, json_t *json);

#endif
