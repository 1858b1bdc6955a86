// SPDX-License-Identifier: MIT
// Functional coverage: which points of the space of feature.h, and which rules, cases have exercised. Three kinds of
// cases are counted apart: those recorded on a machine, those that the generators make, and of the recorded ones those
// that another executor has answered as they were recorded.
#ifndef TMAREF_CROSS_H
#define TMAREF_CROSS_H

#include <stdint.h>
#include <stdio.h>

#include "family.h"
#include "feature.h"
#include "rule_most.h"

enum cross_source { CROSS_RECORDED, CROSS_GENERATED, CROSS_ANSWERED, CROSS_SOURCES };

// A point that fewer recorded cases than this have reached is a hole that a case may close.
enum { CROSS_ENOUGH = 3 };

// The axes, in the order of struct feature; the last two are crossed in pairs only.
enum cross_axis {
    AXIS_OPERATION,
    AXIS_MODE,
    AXIS_DTYPE,
    AXIS_RANK,
    AXIS_SWIZZLE,
    AXIS_INTERLEAVE,
    AXIS_BOUNDS,
    AXIS_ESTRIDE,
    AXES
};
enum {
    CROSS_CELLS =
        FEATURE_OPERATIONS * FEATURE_MODES * DTYPE_COUNT * FEATURE_RANKS * FEATURE_SWIZZLES * FEATURE_INTERLEAVES,
    AXIS_MOST = 13
};

// How often each point came up: the full cross of the first six axes, each pair of the last two with every axis
// (`pair[i][value][j][other]`: i 0 bounds, 1 element stride), and each rule as the verdict of a case. `is_asked`:
// another executor ran recorded cases; `partly` of them it answered as recorded, and not every byte was compared: these
// are not among the answered ones.
struct cross {
    uint32_t cell[CROSS_SOURCES][CROSS_CELLS];
    uint32_t pair[CROSS_SOURCES][2][AXIS_MOST][AXES][AXIS_MOST];
    uint32_t rule[CROSS_SOURCES][RULE_MOST];
    uint64_t cases[CROSS_SOURCES];
    uint64_t partly;
    bool is_asked;
};

// Counts one case of `family`, whose verdict on the model is `rule`.
void cross_count(struct cross *cross, enum cross_source source, const struct family *family, const void *test_case,
                 enum rule rule);

// Adds what `part` has counted.
void cross_add(struct cross *cross, const struct cross *part);

// Would this case, if it does not fault, reach a point or a pair that fewer than CROSS_ENOUGH recorded cases have
// reached?
bool cross_may_close_hole(const struct cross *cross, const struct family *family, const void *test_case);

// Does this case, whose verdict is `rule`, reach such a point, pair or rule?
int cross_closes_hole(const struct cross *cross, const struct family *family, const void *test_case, enum rule rule);

// How many points of a kind can be reached, were, and were by CROSS_ENOUGH recorded cases or more.
struct cross_total {
    uint32_t possible, hit[CROSS_SOURCES], enough;
};

// The full cross of one operation and mode; all of it with FEATURE_OPERATIONS.
struct cross_total cross_cells(const struct cross *cross, enum feature_operation operation, enum tensormap_mode mode);

// All pairs of bounds (0) or element stride (1) with every other axis.
struct cross_total cross_pairs(const struct cross *cross, int which);
bool cross_pair_is_possible(int which, int value, enum cross_axis axis, int other);

// Rules that end a case: refusals, faults and crashes. Other rules hold all the time; a test shows each.
struct cross_total cross_rules(const struct cross *cross);
bool cross_rule_ends_case(enum rule rule);

// Line `i` of the summary, 0 to CROSS_TOTALS - 1, and what it is called; the name holds until the next call.
enum { CROSS_TOTALS = FEATURE_OPERATIONS * FEATURE_MODES + 4 };
struct cross_total cross_total_at(const struct cross *cross, int i, const char **name);

// One point of the cross, and its count.
struct feature cross_feature(int cell);
bool cross_cell_is_possible(int cell);

int cross_axis_values(enum cross_axis axis);
const char *cross_axis_name(enum cross_axis axis);
const char *cross_value_name(enum cross_axis axis, int value);

// The summary: totals, then at most `holes` points that too few recorded cases reached, or no generated one.
void cross_write_text(const struct cross *cross, int holes, FILE *out);

// The same as JSON, with the count of every rule that ends a case.
void cross_write_json(const struct cross *cross, int holes, FILE *out);

// A page of its own: totals, a grid for each operation, pairs, rules, and every hole.
void cross_write_html(const struct cross *cross, FILE *out);

#endif
