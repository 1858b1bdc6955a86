// SPDX-License-Identifier: MIT
// A recording as a CUDA program that checks itself: the kernel of the family, the jobs of some cases as the harness
// makes them, and the bytes that are expected. The harness runs here on a driver that writes down what it is told.
#ifndef TMAREF_EXPORT_H
#define TMAREF_EXPORT_H

#include <stdint.h>
#include <stdio.h>

#include "text.h"

// Writes the program of at most `sample` cases of the recording at `path` that end well. 0 with `why`: the family has
// no such program.
int export_program(const char *path, uint64_t sample, FILE *out, struct text *why);

#endif
