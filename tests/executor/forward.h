// SPDX-License-Identifier: MIT
// The driver's own calls, by the name real_cu...
#ifndef TMAREF_FORWARD_H
#define TMAREF_FORWARD_H

#include "cuda_calls.h"

#define HIDDEN __attribute__((visibility("hidden")))

#define REAL(name, parameters) extern HIDDEN name##_fn real_##name;
CUDA_CALL_ROWS(REAL)
CUDA_GRAPH_CALL_ROWS(REAL)
#undef REAL

extern HIDDEN enum cuda_result (*real_cuFuncGetParamInfo)(struct CUfunc_st *function, size_t index, size_t *offset,
                                                          size_t *bytes);

#endif
