// SPDX-License-Identifier: MIT
// traces/<arch>/MANIFEST: one line per trace file, made by `tmaref record`: name, family, cases, device, toolkit,
// kernel digest, date, seed; separated by tabs.
#ifndef TMAREF_MANIFEST_H
#define TMAREF_MANIFEST_H

#include "trace_file.h"

// Replaces or adds the line of the trace at `path` in the MANIFEST of its folder.
int manifest_update(const char *path, const struct trace_header *header, struct text *why);

#endif
