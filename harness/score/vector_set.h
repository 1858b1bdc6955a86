// SPDX-License-Identifier: MIT
// The recordings as data that others take without our program: JSON files of vectors, each a case with what memory
// holds before and the result, and whether it must, may or must not be so. The bytes are the model's, where it agrees
// with the recording.
#ifndef TMAREF_VECTOR_SET_H
#define TMAREF_VECTOR_SET_H

#include <jansson.h>

#include "text.h"
#include "trace_batch.h"

// The vectors of at most `sample` cases of the recording at `path` (0: all); NULL with `why`, also if the model differs
// from a case of it.
json_t *vectors_of(const char *path, uint64_t sample, struct text *why);

#endif
