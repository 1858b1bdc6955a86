// SPDX-License-Identifier: MIT
// Where CUDA 12 or 13 gave a name to another call: files that include this define the newer one, by the name that it
// had before, and old_calls.c the older.
#ifndef TMAREF_RUNTIME_NEWER_H
#define TMAREF_RUNTIME_NEWER_H

#include "runtime_api.h"

#if RUNTIME_RELEASE < 13
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#define cudaGraphAddNode        cudaGraphAddNode_v2
enum cudaError cudaGetDeviceProperties(struct cudaDeviceProp *to, int device);
#endif

#if RUNTIME_RELEASE < 12
#define cudaFuncGetAttributes   cudaFuncGetAttributes_v2
#define cudaGetDriverEntryPoint cudaGetDriverEntryPoint_v2
enum cudaError cudaFuncGetAttributes(struct cudaFuncAttributes *to, const void *function);
enum cudaError cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, uint32_t *status);
#endif

#endif
