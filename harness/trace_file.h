// SPDX-License-Identifier: MIT
// Trace files: JSON lines, plain or compressed by zstd (the name then ends in .zst). The first line says what was
// recorded, by whom and on what; each other line is one case with what the hardware did (see trace.h).
#ifndef TMAREF_TRACE_FILE_H
#define TMAREF_TRACE_FILE_H

#include "family.h"

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

// A trace in memory: `next` is the next unread line, cut out of `text`.
struct trace_text {
    struct trace_header header;
    char *text, *next;
    uint64_t line;
};

enum { TRACE_VERSION = 1 };

// The longest trace, as a file and as text; what reads one takes at most three times as much, whatever the file holds.
#define TRACE_MAX_BYTES ((size_t)128 << 20)

// Reads and checks a whole trace file and its header; 0 with `why` (which names the path) on any flaw.
int trace_open(const char *path, struct trace_text *trace, struct text *why);

// The same from bytes that the caller keeps: what the file holds.
int trace_parse(const char *bytes, size_t size_bytes, struct trace_text *trace, struct text *why);

// The header alone, of a trace that may be damaged behind it; 0 if there is none.
int trace_peek(const char *path, struct trace_header *header);

void trace_close(struct trace_text *trace);

// The next case line; NULL at the end.
char *trace_next_line(struct trace_text *trace);

json_t *trace_header_write(const struct trace_header *header);

// Writes a trace file at once: compressed if the path ends in .zst, and never half of it. 0 with `why` on failure.
int trace_save(const char *path, const char *text, size_t size_bytes, struct text *why);

#endif
