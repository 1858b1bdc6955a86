// SPDX-License-Identifier: MIT
// Calls as CUDA 12 and 11 have them, with shorter structs: the rest of the older calls are rows of runtime_calls.def.
#include <stddef.h>
#include <string.h>

#include "runtime.h"
#include "runtime_newer.h"

#if RUNTIME_RELEASE < 13

#undef cudaGetDeviceProperties

// CUDA 11's struct ends before `hostRegisterSupported`; CUDA 12 has it by this name still.
RUNTIME_VISIBLE enum cudaError cudaGetDeviceProperties(struct cudaDeviceProp *to, int device)
{
    struct cudaDeviceProp all;
    const enum cudaError error = cudaGetDeviceProperties_v2(to == NULL ? NULL : &all, device);
    if (error == cudaSuccess) memcpy(to, &all, offsetof(struct cudaDeviceProp, hostRegisterSupported));
    return error;
}

#endif
#if RUNTIME_RELEASE < 12

#undef cudaFuncGetAttributes
#undef cudaGetDriverEntryPoint

// The struct ended before the attributes of clusters.
RUNTIME_VISIBLE enum cudaError cudaFuncGetAttributes(struct cudaFuncAttributes *to, const void *function)
{
    struct cudaFuncAttributes all;
    const enum cudaError error = cudaFuncGetAttributes_v2(to == NULL ? NULL : &all, function);
    if (error == cudaSuccess) memcpy(to, &all, offsetof(struct cudaFuncAttributes, clusterDimMustBeSet));
    return error;
}

RUNTIME_VISIBLE enum cudaError cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags)
{
    uint32_t status;
    const enum cudaError error = cudaGetDriverEntryPoint_v2(symbol, function, flags, &status);
    return error == cudaSuccess && *function == NULL ? cudaErrorSymbolNotFound : error;
}

#endif
