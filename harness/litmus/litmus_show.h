// SPDX-License-Identifier: MIT
// What the memory model says of a litmus test, for people and programs: the verdict, the outcomes, and one execution as
// text, as SVG or as JSON.
#ifndef TMAREF_LITMUS_SHOW_H
#define TMAREF_LITMUS_SHOW_H

#include <jansson.h>
#include <stdio.h>

#include "litmus.h"
#include "memory_model.h"

// A test with its text, and what was answered.
struct litmus_shown {
    const char *path, *text;
    size_t bytes;
    const struct litmus *test;
    const struct model_options *options;
    const struct model_answer *answer;
};

enum { LITMUS_EVENT_BYTES = 160, LITMUS_CYCLE_EDGES = 48 };

// "allowed", "forbidden", "always", "not always"; "ends", "can wait for ever".
const char *litmus_verdict(const struct litmus_shown *shown);

// "P0:5 st.release.gpu y, 1": the thread, the line of the test and its instruction, and what part of it an event is.
void litmus_event_text(const struct litmus_shown *shown, int event, char *to, size_t room);

void litmus_print(const struct litmus_shown *shown, FILE *out);
void litmus_print_outcomes(const struct litmus_shown *shown, FILE *out);
void litmus_write_svg(const void *shown, FILE *out); // of a struct litmus_shown, for save_written()
json_t *litmus_json(const struct litmus_shown *shown);

// The edges of the picture: the cycle that forbids the execution, or what its reads read. Returns how many.
int litmus_edges(const struct litmus_shown *shown, struct axiom_edge *edges);

#endif
