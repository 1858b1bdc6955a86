// SPDX-License-Identifier: MIT
// A part of the device's multiprocessors that a program has a context for.
#ifndef TMAREF_GREEN_H
#define TMAREF_GREEN_H

#include "driver.h"

struct CUgreenCtx_st {
    struct object object;
    unsigned count;           // of its multiprocessors
    struct CUctx_st *context; // what programs make current
};

// That of a stream, of the default ones that which is current; NULL: none.
struct CUgreenCtx_st *green_of_stream(const struct CUstream_st *stream);

#endif
