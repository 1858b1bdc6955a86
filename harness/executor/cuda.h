// SPDX-License-Identifier: MIT
// The real CUDA driver, loaded at run time: a table of pointers made from the rows of cuda_calls.h.
#ifndef TMAREF_CUDA_H
#define TMAREF_CUDA_H

#include "cuda_calls.h"
#include "result.h"

#define CUDA_MEMBER(name, parameters) name##_fn name;
struct cuda_driver {
    CUDA_CALL_ROWS(CUDA_MEMBER)
};
#undef CUDA_MEMBER

// Opens libcuda.so.1 and finds every call. Returns 0 with a sentence in `why` if that fails.
int cuda_load(struct cuda_driver *driver, struct text *why);

#endif
