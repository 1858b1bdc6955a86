// SPDX-License-Identifier: MIT
// Random sweeps in pieces, each with a seed of its own: a test run does the first quarter of them, and all of them
// where TEST_LONG is set, as the tests of the label `long` have it.
#ifndef TMAREF_CHUNKS_H
#define TMAREF_CHUNKS_H

#include <stdlib.h>

static inline int chunks_of(int all)
{
    return getenv("TEST_LONG") != NULL ? all : (all + 3) / 4;
}

#endif
