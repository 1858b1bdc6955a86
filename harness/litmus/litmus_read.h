// SPDX-License-Identifier: MIT
// Reads the text of a litmus test: Dat3M's syntax for PTX, with the asynchronous instructions of Hopper in it
// (docs/memory-model.md). Executors of tests start here; model/order/litmus.h is what they get.
#ifndef TMAREF_LITMUS_READ_H
#define TMAREF_LITMUS_READ_H

#include "litmus.h"
#include "text.h"

// Reads `bytes` bytes, behind which a NUL stands. 0 with FILE:LINE:COLUMN, the line and a caret in `why` if they are no
// test.
bool litmus_read(const char *name, const char *text, size_t bytes, struct litmus *test, struct text *why);

#endif
