// SPDX-License-Identifier: MIT
// One line of a trace: a case and what the hardware did with it. Small windows are kept whole, larger ones as a digest
// and one digest byte per 128-byte line, so that a replay without the hardware can still name the place of a mismatch;
// curated traces also say in words where every byte came from.
//   {"case": {...}, "status": 0, "windows": {"shared": {"base": n, "size": n, "digest": "16 hex",
//    "lines": "2 hex per line"} | {"base": n, "bytes": "hex"}}, "text"?: ["smem 0800+16 = gmem 1a40", ...]}
#ifndef TMAREF_TRACE_H
#define TMAREF_TRACE_H

#include "trace_file.h"

enum { TRACE_WHOLE_BYTES = 256, TRACE_LINE_BYTES = 128 };

// How a case is recorded: with words (where the family has them), or only digests.
enum trace_detail { TRACE_DIGEST, TRACE_CURATED };

json_t *trace_write(const struct family *family, const void *test_case, const struct result *result,
                    enum trace_detail detail);

// What a line says, parsed: `json` owns `windows` and `text`.
struct trace_entry {
    json_t *json;
    int status;
    const json_t *windows, *text;
};

// Parses a line into a case and an entry; 0 with `why` if it is no such line. Close the entry with json_decref().
int trace_read(const struct family *family, const char *line, void *test_case, struct trace_entry *entry,
               struct text *why);

// The first difference between a result and what was recorded: in words, and where it lies.
struct trace_difference {
    struct text text;
    struct place place;
};

// Compares a result with what was recorded: 1 if it agrees, else 0 with the first difference in `difference`, whose
// place points into the result.
int trace_agrees(const struct trace_entry *entry, const struct family *family, const void *test_case,
                 const struct result *result, struct trace_difference *difference);

#endif
