// SPDX-License-Identifier: MIT
// Calls as CUDA 12 and 11 have them: with fewer parameters, or with shorter structs. Read runtime_release.h first.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtime.h"

#if RUNTIME_RELEASE < 13

// Here these names mean the older calls.
#undef cudaGetDeviceProperties
#undef cudaMemPrefetchAsync
#undef cudaMemAdvise
#undef cudaMemcpyBatchAsync
#undef cudaMemcpy3DBatchAsync
#undef cudaStreamGetCaptureInfo
#undef cudaStreamUpdateCaptureDependencies
#undef cudaGraphAddNode
#undef cudaGraphAddDependencies
#undef cudaGraphRemoveDependencies
#undef cudaGraphGetEdges
#undef cudaGraphNodeGetDependencies
#undef cudaGraphNodeGetDependentNodes
#undef cudaFuncGetAttributes
#undef cudaGetDriverEntryPoint
#undef cudaGraphInstantiate
#undef cudaGraphExecUpdate

// --- Devices ---------------------------------------------------------------------------------------------------------

// CUDA 11's struct ends before `hostRegisterSupported`; CUDA 12 has it by this name still.
RUNTIME_VISIBLE enum cudaError cudaGetDeviceProperties(struct cudaDeviceProp *to, int device)
{
    struct cudaDeviceProp all;
    const enum cudaError error = cudaGetDeviceProperties_v2(to == NULL ? NULL : &all, device);
    if (error == cudaSuccess) memcpy(to, &all, offsetof(struct cudaDeviceProp, hostRegisterSupported));
    return error;
}

// What they convert to is what the device computes with: double precision.
RUNTIME_CALL(cudaSetDoubleForDevice, (double *value), value == NULL ? cudaErrorInvalidValue : cudaSuccess)
RUNTIME_CALL(cudaSetDoubleForHost, (double *value), value == NULL ? cudaErrorInvalidValue : cudaSuccess)

// The names that the device had when it belonged to a thread.
RUNTIME_VISIBLE enum cudaError cudaThreadExit(void)
{
    return cudaDeviceReset();
}

RUNTIME_CALL(cudaThreadSynchronize, (void), cuCtxSynchronize())
RUNTIME_CALL(cudaThreadGetLimit, (size_t * value, uint32_t limit), cuCtxGetLimit(value, limit))
RUNTIME_CALL(cudaThreadSetLimit, (uint32_t limit, size_t value), cuCtxSetLimit(limit, value))
RUNTIME_CALL(cudaThreadGetCacheConfig, (uint32_t * config), cuCtxGetCacheConfig(config))
RUNTIME_CALL(cudaThreadSetCacheConfig, (uint32_t config), cuCtxSetCacheConfig(config))

// --- Memory and time -------------------------------------------------------------------------------------------------

RUNTIME_CALL(cudaMemPrefetchAsync, (const void *pointer, size_t bytes, int device, struct CUstream_st *stream),
             cuMemPrefetchAsync((uintptr_t)pointer, bytes, device, stream))
RUNTIME_CALL(cudaMemAdvise, (const void *pointer, size_t bytes, uint32_t advice, int device),
             cuMemAdvise((uintptr_t)pointer, bytes, advice, device))

// Which copy of a list failed is not known.
RUNTIME_VISIBLE enum cudaError cudaMemcpyBatchAsync(void **to, void **from, size_t *bytes, size_t count,
                                                    struct CUmemcpyAttributes_st *attribute, size_t *attribute_from,
                                                    size_t attributes, size_t *failed, struct CUstream_st *stream)
{
    if (failed != NULL) *failed = SIZE_MAX;
    return cudaMemcpyBatchAsync_v2(to, (const void *const *)from, bytes, count, attribute, attribute_from, attributes,
                                   stream);
}

RUNTIME_VISIBLE enum cudaError cudaMemcpy3DBatchAsync(size_t count, struct CUDA_MEMCPY3D_BATCH_OP_st *box,
                                                      size_t *failed, unsigned long long flags,
                                                      struct CUstream_st *stream)
{
    if (failed != NULL) *failed = SIZE_MAX;
    return cudaMemcpy3DBatchAsync_v2(count, box, flags, stream);
}

RUNTIME_CALL(cudaEventElapsedTime_v2, (float *milliseconds, struct CUevent_st *start, struct CUevent_st *end),
             cudaEventElapsedTime(milliseconds, start, end))

// --- Graphs: edges had no data ---------------------------------------------------------------------------------------

RUNTIME_CALL(cudaStreamGetCaptureInfo, (struct CUstream_st * stream, uint32_t *status, unsigned long long *id),
             cudaStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL))
RUNTIME_CALL(cudaStreamGetCaptureInfo_v2,
             (struct CUstream_st * stream, uint32_t *status, unsigned long long *id, struct CUgraph_st **graph,
              struct CUgraphNode_st *const **after, size_t *count),
             cuStreamGetCaptureInfo_v2(stream, status, (uint64_t *)id, graph, after, count))
RUNTIME_CALL(cudaStreamUpdateCaptureDependencies,
             (struct CUstream_st * stream, struct CUgraphNode_st **after, size_t count, unsigned flags),
             cudaStreamUpdateCaptureDependencies_v2(stream, after, NULL, count, flags))
RUNTIME_CALL(cudaGraphAddNode,
             (struct CUgraphNode_st * *node, struct CUgraph_st *graph, struct CUgraphNode_st *const *after,
              size_t count, struct cudaGraphNodeParams *from),
             cudaGraphAddNode_v2(node, graph, after, NULL, count, from))
RUNTIME_CALL(cudaGraphAddDependencies,
             (struct CUgraph_st * graph, struct CUgraphNode_st *const *from, struct CUgraphNode_st *const *to,
              size_t count),
             cudaGraphAddDependencies_v2(graph, from, to, NULL, count))
RUNTIME_CALL(cudaGraphRemoveDependencies,
             (struct CUgraph_st * graph, struct CUgraphNode_st *const *from, struct CUgraphNode_st *const *to,
              size_t count),
             cudaGraphRemoveDependencies_v2(graph, from, to, NULL, count))
RUNTIME_CALL(cudaGraphGetEdges,
             (struct CUgraph_st * graph, struct CUgraphNode_st **from, struct CUgraphNode_st **to, size_t *count),
             cudaGraphGetEdges_v2(graph, from, to, NULL, count))
RUNTIME_CALL(cudaGraphNodeGetDependencies, (struct CUgraphNode_st * node, struct CUgraphNode_st **to, size_t *count),
             cudaGraphNodeGetDependencies_v2(node, to, NULL, count))
RUNTIME_CALL(cudaGraphNodeGetDependentNodes, (struct CUgraphNode_st * node, struct CUgraphNode_st **to, size_t *count),
             cudaGraphNodeGetDependentNodes_v2(node, to, NULL, count))

#if RUNTIME_RELEASE < 12

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

RUNTIME_VISIBLE enum cudaError cudaGraphInstantiate(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                                    struct CUgraphNode_st **failed, char *log, size_t log_bytes)
{
    if (failed != NULL) *failed = NULL;
    if (log != NULL && log_bytes > 0) log[0] = '\0';
    return cudaGraphInstantiate_v2(exec, graph, 0);
}

RUNTIME_VISIBLE enum cudaError cudaGraphExecUpdate(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                                                   struct CUgraphNode_st **failed, uint32_t *result)
{
    struct CUgraphExecUpdateResultInfo_st info = {0};
    const enum cudaError error = cudaGraphExecUpdate_v2(exec, graph, &info);
    if (failed != NULL) *failed = info.errorNode;
    if (result != NULL) *result = info.result;
    return error;
}

#endif

#else
typedef int runtime_has_no_old_calls; // a file of C is never empty
#endif
