// SPDX-License-Identifier: MIT
// The driver calls tmaref makes or answers, one row each: the exported name (version suffix included) and the
// parameters. Every call returns enum cuda_result. A loader makes its table of pointers, and its loop over names, from
// these rows; `cuInit_fn` and its like are the pointer types. Source: CUDA driver API 13.0.
#ifndef TMAREF_CUDA_CALLS_H
#define TMAREF_CUDA_CALLS_H

#include "cuda_abi.h"

// X(name, parameters)
#define CUDA_CALL_ROWS(X)                                                                                              \
    X(cuInit, (unsigned flags))                                                                                        \
    X(cuDriverGetVersion, (int *version))                                                                              \
    X(cuGetErrorName, (enum cuda_result error, const char **name))                                                     \
    X(cuGetProcAddress_v2, (const char *symbol, void **function, int cuda_version, uint64_t flags, uint32_t *status))  \
    X(cuDeviceGet, (int *device, int ordinal))                                                                         \
    X(cuDeviceGetName, (char *name, int name_bytes, int device))                                                       \
    X(cuDeviceGetAttribute, (int *value, enum cuda_device_attribute attribute, int device))                            \
    X(cuDevicePrimaryCtxRetain, (struct CUctx_st * *context, int device))                                              \
    X(cuCtxSetCurrent, (struct CUctx_st * context))                                                                    \
    X(cuCtxSynchronize, (void))                                                                                        \
    X(cuModuleLoadData, (struct CUmod_st * *module, const void *image))                                                \
    X(cuModuleGetFunction, (struct CUfunc_st * *function, struct CUmod_st * module, const char *name))                 \
    X(cuModuleGetGlobal_v2, (unsigned long long *address, size_t *bytes, struct CUmod_st *module, const char *name))   \
    X(cuFuncGetAttribute, (int *value, enum cuda_function_attribute attribute, struct CUfunc_st *function))            \
    X(cuFuncSetAttribute, (struct CUfunc_st * function, enum cuda_function_attribute attribute, int value))            \
    X(cuOccupancyMaxActiveClusters,                                                                                    \
      (int *clusters, struct CUfunc_st *function, const struct cuda_launch_config *config))                            \
    X(cuLaunchKernelEx,                                                                                                \
      (const struct cuda_launch_config *config, struct CUfunc_st *function, void **parameters, void **extra))          \
    X(cuMemAlloc_v2, (unsigned long long *address, size_t bytes))                                                      \
    X(cuMemFree_v2, (unsigned long long address))                                                                      \
    X(cuMemAllocHost_v2, (void **address, size_t bytes))                                                               \
    X(cuMemcpyHtoD_v2, (unsigned long long to, const void *from, size_t bytes))                                        \
    X(cuMemcpyDtoH_v2, (void *to, unsigned long long from, size_t bytes))                                              \
    X(cuMemcpyDtoDAsync_v2,                                                                                            \
      (unsigned long long to, unsigned long long from, size_t bytes, struct CUstream_st *stream))                      \
    X(cuMemsetD8Async, (unsigned long long to, unsigned char value, size_t bytes, struct CUstream_st *stream))         \
    X(cuEventCreate, (struct CUevent_st * *event, unsigned flags))                                                     \
    X(cuEventRecord, (struct CUevent_st * event, struct CUstream_st * stream))                                         \
    X(cuEventElapsedTime_v2, (float *milliseconds, struct CUevent_st *start, struct CUevent_st *end))                  \
    X(cuMemAddressReserve, (unsigned long long *address, size_t bytes, size_t alignment_bytes,                         \
                            unsigned long long hint, unsigned long long flags))                                        \
    X(cuMemCreate, (unsigned long long *handle, size_t bytes, const struct cuda_mem_allocation_prop *prop,             \
                    unsigned long long flags))                                                                         \
    X(cuMemMap, (unsigned long long address, size_t bytes, size_t offset_bytes, unsigned long long handle,             \
                 unsigned long long flags))                                                                            \
    X(cuMemSetAccess,                                                                                                  \
      (unsigned long long address, size_t bytes, const struct cuda_mem_access_desc *desc, size_t count))               \
    CUDA_TENSOR_MAP_CALL_ROWS(X)

// Streams and graphs, for those who time work on a device. Capture modes and flags travel as their numbers.
#define CUDA_GRAPH_CALL_ROWS(X)                                                                                        \
    X(cuStreamCreate, (struct CUstream_st * *stream, unsigned flags))                                                  \
    X(cuStreamSynchronize, (struct CUstream_st * stream))                                                              \
    X(cuStreamBeginCapture_v2, (struct CUstream_st * stream, uint32_t mode))                                           \
    X(cuStreamEndCapture, (struct CUstream_st * stream, struct CUgraph_st * *graph))                                   \
    X(cuGraphInstantiateWithFlags,                                                                                     \
      (struct CUgraphExec_st * *graph, struct CUgraph_st * captured, unsigned long long flags))                        \
    X(cuGraphLaunch, (struct CUgraphExec_st * graph, struct CUstream_st * stream))                                     \
    X(cuGraphExecDestroy, (struct CUgraphExec_st * graph))                                                             \
    X(cuGraphDestroy, (struct CUgraph_st * captured))                                                                  \
    X(cuEventQuery, (struct CUevent_st * event))

// The four tensor map calls; arrays and units as in tensormap.h. The enums travel as their numbers.
#define CUDA_TENSOR_MAP_CALL_ROWS(X)                                                                                   \
    X(cuTensorMapEncodeTiled,                                                                                          \
      (struct tensormap_image * map, uint32_t data_type, uint32_t rank, void *address, const uint64_t *dim,            \
       const uint64_t *stride, const uint32_t *box, const uint32_t *estride, uint32_t interleave, uint32_t swizzle,    \
       uint32_t l2_promotion, uint32_t oob_fill))                                                                      \
    X(cuTensorMapEncodeIm2col,                                                                                         \
      (struct tensormap_image * map, uint32_t data_type, uint32_t rank, void *address, const uint64_t *dim,            \
       const uint64_t *stride, const int *lower, const int *upper, uint32_t channels, uint32_t pixels,                 \
       const uint32_t *estride, uint32_t interleave, uint32_t swizzle, uint32_t l2_promotion, uint32_t oob_fill))      \
    X(cuTensorMapEncodeIm2colWide, (struct tensormap_image * map, uint32_t data_type, uint32_t rank, void *address,    \
                                    const uint64_t *dim, const uint64_t *stride, int lower_width, int upper_width,     \
                                    uint32_t channels, uint32_t pixels, const uint32_t *estride, uint32_t interleave,  \
                                    uint32_t mode, uint32_t swizzle, uint32_t l2_promotion, uint32_t oob_fill))        \
    X(cuTensorMapReplaceAddress, (struct tensormap_image * map, void *address))

#define CUDA_CALL_TYPE(name, parameters) typedef enum cuda_result(*name##_fn) parameters;
CUDA_CALL_ROWS(CUDA_CALL_TYPE)
CUDA_GRAPH_CALL_ROWS(CUDA_CALL_TYPE)
#undef CUDA_CALL_TYPE

// Exported too, and not in the rows because cuda.h hides it: cuGetProcAddress of CUDA 11.3 to 11.8, without a status.
typedef enum cuda_result (*cuGetProcAddress_fn)(const char *symbol, void **function, int cuda_version, uint64_t flags);

#endif
