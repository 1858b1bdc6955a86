// SPDX-License-Identifier: MIT
// What happened when in a kernel, measured by clock reads: rows of spans, for a viewer of traces (Perfetto) or as a
// picture. Who records them is elsewhere (family/gemm/gemm_timeline.c).
#ifndef TMAREF_TIMELINE_H
#define TMAREF_TIMELINE_H

#include <stdint.h>
#include <stdio.h>

enum { TIMELINE_MAX_ROWS = 24, TIMELINE_NAME_BYTES = 48 };

// What a span is coloured by; timeline_kinds[] says what each is called in the legend.
enum timeline_kind {
    TIMELINE_WAIT,     // somebody waits
    TIMELINE_LOAD,     // a copy is issued, or under way
    TIMELINE_FIRST,    // the first consumer multiplies, or its data are held
    TIMELINE_SECOND,   // the second one
    TIMELINE_EPILOGUE, // results are stored
    TIMELINE_KINDS
};
extern const char *const timeline_kinds[TIMELINE_KINDS];

// From `start` to `end` (ticks), in `row`; `tile` and `stage` (-1: none) for whoever points at it.
struct timeline_span {
    int row, kind, tile, stage;
    uint64_t start, end;
    char name[TIMELINE_NAME_BYTES];
};

// `unit` names the tick ("clocks"). Spans of a row may not overlap. Rows from `drawn` on (0: none) are for viewers
// alone, not in the picture. `span` belongs to the timeline.
struct timeline {
    char title[160], subtitle[160], unit[48];
    int rows, drawn;
    char row[TIMELINE_MAX_ROWS][TIMELINE_NAME_BYTES];
    int count;
    struct timeline_span *span;
};

// Adds a row, and a span to it. timeline_add() returns 0 without memory. timeline_free() keeps nothing.
int timeline_row(struct timeline *timeline, const char *format, ...) __attribute__((format(printf, 2, 3)));
int timeline_add(struct timeline *timeline, struct timeline_span span);
void timeline_free(struct timeline *timeline);

// The first start and the last end.
void timeline_range(const struct timeline *timeline, uint64_t *first, uint64_t *end);

// As JSON in the trace event format, which Perfetto (ui.perfetto.dev) and chrome://tracing load: a thread for each row;
// a tick is shown as a nanosecond.
void timeline_json(const struct timeline *timeline, FILE *out);

// As an SVG document: a line for each row, a legend, an axis in thousands of ticks; light and dark. Only what lies
// between `first` and `end` ticks after the start is drawn (0, 0: all).
void timeline_svg(const struct timeline *timeline, uint64_t first, uint64_t end, FILE *out);

#endif
