// SPDX-License-Identifier: MIT
// A timeline of all launches, as a file that Perfetto loads.
#ifndef TMAREF_LOOK_TRACE_H
#define TMAREF_LOOK_TRACE_H

#include "parts.h"

#pragma GCC visibility push(hidden)

struct look_trace;
struct look_trace_launch; // one of its launches, of which several may be under way

// NULL if the file cannot be written, or there is no memory.
struct look_trace *look_trace_open(const char *path, const char *run);
struct look_trace_launch *look_trace_begin(struct look_trace *trace, const char *kernel, struct machine_module *module);
void look_trace_before(struct look_trace_launch *trace, const struct machine_step *step);
void look_trace_flight(struct look_trace_launch *trace, const struct machine_flight *flight, int begins);
void look_trace_hear(struct look_trace_launch *trace, const struct event *event);
void look_trace_end(struct look_trace_launch *trace);
bool look_trace_close(struct look_trace *trace, char *why, size_t why_bytes);

#pragma GCC visibility pop

#endif
