// SPDX-License-Identifier: MIT
// Which trace files a user means: files as they are, and all traces in a folder and the folders in it, by name.
#ifndef TMAREF_TRACE_PATHS_H
#define TMAREF_TRACE_PATHS_H

#include "result.h"

enum { TRACE_PATHS_MOST = 256, TRACE_PATH_BYTES = 4096 };

struct trace_paths {
    int count;
    char path[TRACE_PATHS_MOST][TRACE_PATH_BYTES];
};

// Adds what `path` names; 0 with `why` if it cannot be read or is one too many.
int trace_paths_add(struct trace_paths *paths, const char *path, struct text *why);

#endif
