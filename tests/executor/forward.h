// SPDX-License-Identifier: MIT
// The driver's own calls, by the name real_cu...
#ifndef TMAREF_FORWARD_H
#define TMAREF_FORWARD_H

#include "cuda_calls.h"

#define HIDDEN __attribute__((visibility("hidden")))

#define MADE(name, ...)  extern HIDDEN name##_fn real_##name;
#define TIMED(name, ...) extern HIDDEN name##_fn real_##name;
#include "made_calls.def"

extern HIDDEN enum cuda_result (*real_cuFuncGetParamInfo)(struct CUfunc_st *function, size_t index, size_t *offset,
                                                          size_t *bytes);

#endif
