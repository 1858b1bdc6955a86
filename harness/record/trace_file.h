// SPDX-License-Identifier: MIT
// Trace files: JSON lines, plain or compressed by zstd (the name then ends in .zst). The first line says what was
// recorded, by whom and on what; each other line is one case with what the hardware did (see trace.h).
#ifndef TMAREF_TRACE_FILE_H
#define TMAREF_TRACE_FILE_H

#include "executor.h"
#include "family.h"
#include "lines.h"
#include "result.h"

// The first line. Texts are empty where unknown.
struct trace_header {
    const struct family *family;
    char recorded_by[16]; // the executor
    char device[256];     // "NVIDIA H200, driver 580.159.04, CUDA 13.0"
    char toolkit[64];     // of the kernels
    char kernel[32];      // digest of the kernel's cubin
    char date[16];        // YYYY-MM-DD
    uint64_t seed;
    uint64_t cases;
};

// A trace in memory: its lines behind the header.
struct trace_text {
    struct trace_header header;
    struct lines lines;
};

enum { TRACE_VERSION = 1 };

// The longest trace, as a file and as text; what reads one takes at most three times as much, whatever the file holds.
#define TRACE_MAX_BYTES ((size_t)128 << 20)

// Reads and checks a whole trace file and its header; 0 with `why` (which names the path) on any flaw.
int trace_open(const char *path, struct trace_text *trace, struct text *why);

// The same from bytes that the caller keeps: what the file holds.
int trace_parse(const char *bytes, size_t size_bytes, struct trace_text *trace, struct text *why);

// The header alone, of a trace that may be damaged behind it; 0 if there is none.
bool trace_peek(const char *path, struct trace_header *header);

void trace_close(struct trace_text *trace);

json_t *trace_header_write(const struct trace_header *header);

// Writes a trace file at once: compressed if the path ends in .zst, and never half of it. 0 with `why` on failure.
int trace_save(const char *path, const char *text, size_t size_bytes, struct text *why);

enum { TRACE_PATHS_MOST = 256, TRACE_PATH_BYTES = 4096 };

struct trace_paths {
    int count;
    char path[TRACE_PATHS_MOST][TRACE_PATH_BYTES];
};

// Adds what `path` names; 0 with `why` if it cannot be read or is one too many. While nothing was added, `why` says
// that the folder holds no trace.
int trace_paths_add(struct trace_paths *paths, const char *path, struct text *why);

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
bool trace_header_make(const struct family *family, const struct executor *executor, uint64_t seed,
                       struct trace_header *header, struct text *why);

// Writes header and lines to the trace at `path`, and its line in the MANIFEST of the folder, unless that is a stream.
// Counts the cases.
bool trace_lines_save(const struct trace_lines *lines, const char *path, struct trace_header *header, struct text *why);

// One line about a trace that was saved, or its header as JSON: to standard output, or where the trace went there, to
// standard error.
void trace_lines_tell(const char *path, const struct trace_header *header, int as_json);

#endif
