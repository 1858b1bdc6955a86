// SPDX-License-Identifier: MIT
// Recorded tries of litmus tests: JSON lines, plain or compressed by zstd. The first line says what ran the tests; each
// other line holds a test, as text, and how often it ended how. So a replay needs neither the device nor the files.
//   {"tmaref_litmus": 1, "recorded_by": "gpu", "device": "...", "date": "2026-11-28"}
//   {"test": "PTX mp\n...", "tries": n, "given_up": n, "ends": [{"end": {"P1:r0": 1, "x": 0}, "tries": n}, ...]}
#ifndef TMAREF_LITMUS_RECORD_H
#define TMAREF_LITMUS_RECORD_H

#include "litmus_device.h"
#include "litmus_ends.h"
#include "trace_file.h"

struct litmus_record_header {
    char recorded_by[16], device[256], date[16];
};

// A record in memory: its lines behind the header.
struct litmus_record {
    struct litmus_record_header header;
    struct lines lines;
};

// 0 with a sentence in `why`, which names the path.
int litmus_record_open(const char *path, struct litmus_record *record, struct text *why);
void litmus_record_close(struct litmus_record *record);

// The next test and its counts, and a copy of its text for the caller to free. 1; 0 at the end, or with `why` where
// that is not empty.
int litmus_record_next(struct litmus_record *record, struct litmus *test, struct litmus_layout *layout,
                       struct litmus_counts *counts, char **text, struct text *why);

// What is being recorded, into memory: the first line, and the line of a test.
int litmus_record_begin(struct trace_lines *lines, const struct litmus_record_header *header);
json_t *litmus_record_json(const char *text, const struct litmus *test, const struct litmus_layout *layout,
                           const struct litmus_counts *counts);

// Writes it to `path`, compressed if that ends in .zst; 0 with `why`. Either way it is let go.
int litmus_record_save(struct trace_lines *lines, const char *path, struct text *why);

// {"end": {...}, "tries": n} of each, the most frequent first.
json_t *litmus_ends_json(const struct litmus *test, const struct litmus_layout *layout,
                         const struct litmus_counts *counts);

#endif
