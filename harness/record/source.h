// SPDX-License-Identifier: MIT
// Where cases come from: a seeded generator, or JSON lines. Fills batches, the cases an H200 survives first and those
// the model says it does not behind them.
#ifndef TMAREF_SOURCE_H
#define TMAREF_SOURCE_H

#include "executor.h"
#include "rule_most.h"

// Of each rule that can fault so many cases, those taken so far. A source with a quota gives only cases that break such
// a rule, every second one moved to the rule's limit, and with it the neighbour that does not fault (edge.h).
struct quota {
    uint64_t each, taken[RULE_MOST];
};

// A generator (`lines` NULL): cases `next` .. `end` - 1 of `seed`. Or text: one case object per line, `line` counts.
struct source {
    const struct family *family;
    uint64_t seed, next, end;
    const char *path; // of the text, for messages; may be NULL
    char *lines;
    uint64_t line;
    int jobs;            // threads that make cases, run the model and look for what a quota wants; 0: one
    struct quota *quota; // NULL: all cases
    struct finds *finds; // NULL: none were looked at yet
    double until;        // seconds_now() after which no more is looked for, 0: none; with it, batches are small
};

// A batch filled from a source: `normal` cases first, then the faulting ones; index[i] is the case's number in its
// source (for a file, its line); near[i] the rule whose limit it keeps by one step, or RULE_OK.
struct fill {
    int normal;
    uint64_t index[BATCH_CASES];
    enum rule near[BATCH_CASES];
};

// Takes the next case; 1 if there is one, 0 at the end, -1 with `why` for a line that is none.
int source_next(struct source *source, void *test_case, uint64_t *index, struct text *why);

// How many cases have not been taken yet: as many as it has, of text as many as there are lines.
uint64_t source_left(const struct source *source);

// Fills `batch`, with what the model leaves of each case as its result. Returns -1 with `why` for a bad line. A search
// for what a quota wants ends early when its time is up or Ctrl-C came.
int source_fill(struct source *source, struct batch *batch, struct fill *fill, struct text *why);

// Gives back what a quota has looked at.
void source_close(struct source *source);

#endif
