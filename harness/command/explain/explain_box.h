// SPDX-License-Identifier: MIT
// One box, or one im2col column, in shared memory, and what happens to it: what the parts of explain_box.c share.
// Everything is asked of the walks (box.h, provenance.h); nothing is computed a second time here.
#ifndef TMAREF_EXPLAIN_BOX_H
#define TMAREF_EXPLAIN_BOX_H

#include "explain_command.h"
#include "finding.h"
#include "provenance.h"

// What happens to a box.
//   box           as the copy walks it: of a store, whose dimension 0 ends with a whole 16-byte piece
//   rule          the first that makes the copy fault
//   extent_bytes  of shared memory, gaps included; all_bytes without them
//   data_bytes    that move: in bounds, or for stores in a piece that is
//   past_bytes    of these, those past the last element of a row or the last channel
//   reach_bytes   of shared memory that a store reads, from the start
struct copy {
    const struct explain *question;
    bool is_im2col;
    struct box box;
    struct findings findings;
    enum rule rule;
    uint64_t extent_bytes, all_bytes, data_bytes, past_bytes, reach_bytes;
    const char *swizzle;
};

// What the box is and whether the copy works, and its text (answer.h) in front of the findings.
json_t *box_summary(const struct copy *copy);
extern const char box_summary_text[];

// Add the answers to --byte, --element and --table, whose text comes behind the findings. The first two return the exit
// status.
int box_add_byte(const struct copy *copy, json_t *json);
int box_add_element(const struct copy *copy, json_t *json);
void box_add_table(const struct copy *copy, json_t *json);
extern const char box_places_text[];

#endif
