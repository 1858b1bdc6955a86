// SPDX-License-Identifier: MIT
// A trace while it is recorded: its case lines, and the header that is known last and goes first.
#ifndef TMAREF_TRACE_LINES_H
#define TMAREF_TRACE_LINES_H

#include "executor.h"
#include "trace_file.h"

struct trace_lines {
    FILE *out; // NULL: there is none yet
    char *text;
    size_t size_bytes;
    uint64_t count;
};

void trace_lines_free(struct trace_lines *lines);

// Appends one line, and lets go of `json`; 0 if there is no memory for it.
int trace_lines_add(struct trace_lines *lines, json_t *json);

// The header of a trace that `executor` records now: device, date, and what built the kernels, with their digest.
int trace_header_make(const struct family *family, const struct executor *executor, uint64_t seed,
                      struct trace_header *header, struct text *why);

// Writes header and lines to the trace at `path`, and its line in the MANIFEST of the folder, unless that is a stream.
// Counts the cases.
int trace_lines_save(const struct trace_lines *lines, const char *path, struct trace_header *header, struct text *why);

// One line about a trace that was saved, or its header as JSON: to standard output, or where the trace went there, to
// standard error.
void trace_lines_tell(const char *path, const struct trace_header *header, int as_json);

#endif
