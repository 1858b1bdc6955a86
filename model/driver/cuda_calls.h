// SPDX-License-Identifier: MIT
// The calls that tmaref makes of any CUDA driver, as driver_calls.def has them (made_calls.def is a part of it):
// `cuInit_fn` and its like are the types of pointers to them.
#ifndef TMAREF_CUDA_CALLS_H
#define TMAREF_CUDA_CALLS_H

#include "cuda_abi.h"

#define MADE(name, since, streams, parameters)  typedef enum cuda_result(*name##_fn) parameters;
#define TIMED(name, since, streams, parameters) typedef enum cuda_result(*name##_fn) parameters;
#include "made_calls.def"

// Exported too, and not among these because tmaref asks no driver for it: cuGetProcAddress of CUDA 11.3 to 11.8.
typedef enum cuda_result (*cuGetProcAddress_fn)(const char *symbol, void **function, int cuda_version, uint64_t flags);

#endif
