// SPDX-License-Identifier: MIT
// The parts of a litmus test's text: declarations, one instruction, the question. litmus_read.h has the whole.
#ifndef TMAREF_LITMUS_PARTS_H
#define TMAREF_LITMUS_PARTS_H

#include "litmus.h"
#include "litmus_scan.h"

enum { LITMUS_LABELS = 16 };

// A label of a thread, and a branch that waits to learn where it goes.
struct litmus_label {
    const char *at;
    size_t bytes;
    int step, line, column;
};
struct litmus_labels {
    int labels, branches;
    struct litmus_label label[LITMUS_LABELS], branch[LITMUS_STEPS];
};

// A test while it is read.
struct litmus_reader {
    struct litmus_scan scan;
    struct litmus *test;
    struct litmus_labels jumps[LITMUS_THREADS];
    bool is_in_rows; // where a place that nothing declares is one more, of value 0
};

// Each returns 1, or 0 with a complaint.
bool litmus_read_declarations(struct litmus_reader *reader); // "{ ... }"
int litmus_read_threads(struct litmus_reader *reader);       // "P0@cta 0,gpu 0 | ... ;"
int litmus_read_instruction(struct litmus_reader *reader, int thread);
bool litmus_read_question(struct litmus_reader *reader); // filter, exists, ~exists, forall

// The place of the current word, or -1 with a complaint; goes on behind it. "x" and "[x]".
int litmus_read_place(struct litmus_reader *reader);

// The register of the current word, made if it is new; -1 with a complaint. Does the current word name one?
int litmus_read_register(struct litmus_reader *reader, int thread);
bool litmus_is_register(const struct litmus_scan *scan);

// The thread that "P1" or "1" names, which is there, or -1 with a complaint; goes on behind it.
int litmus_read_thread(struct litmus_reader *reader);

#endif
