// SPDX-License-Identifier: MIT
// The calls of the runtime that this folder defines, and those that nvcc's objects make.
#ifndef TMAREF_RUNTIME_API_H
#define TMAREF_RUNTIME_API_H

#include "runtime_types.h"

enum cudaError cudaPeekAtLastError(void);
enum cudaError cudaGetLastError(void);
const char *cudaGetErrorName(enum cudaError error);
const char *cudaGetErrorString(enum cudaError error);
void **__cudaRegisterFatBinary(void *image);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            void *tid, void *bid, void *block, void *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern, size_t bytes,
                       int is_constant, int is_global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int is_extern, size_t bytes,
                              int is_constant, int is_global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared_bytes,
                                     struct CUstream_st *stream);
enum cudaError __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared_bytes, void *stream);
enum cudaError __cudaGetKernel(struct CUkern_st **kernel, const void *function);
enum cudaError cudaGetKernel(struct CUkern_st **kernel, const void *function);
enum cudaError cudaGetFuncBySymbol(struct CUfunc_st **function, const void *symbol);
enum cudaError __cudaLaunchKernel(struct CUkern_st *kernel, struct dim3 grid, struct dim3 block, void **parameters,
                                  size_t shared_bytes, struct CUstream_st *stream);
enum cudaError cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **parameters,
                                size_t shared_bytes, struct CUstream_st *stream);
enum cudaError cudaLaunchKernelExC(const struct cudaLaunchConfig_st *config, const void *function, void **parameters);
enum cudaError cudaLaunchCooperativeKernel(const void *function, struct dim3 grid, struct dim3 block, void **parameters,
                                           size_t shared_bytes, struct CUstream_st *stream);
enum cudaError cudaFuncGetAttributes(struct cudaFuncAttributes *to, const void *function);
enum cudaError cudaFuncSetAttribute(const void *function, uint32_t attribute, int value);
enum cudaError cudaFuncSetCacheConfig(const void *function, uint32_t config);
enum cudaError cudaFuncGetName(const char **name, const void *function);
enum cudaError cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes);
enum cudaError cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas, const void *function, int threads,
                                                             size_t dynamic_bytes);
enum cudaError cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *ctas, const void *function, int threads,
                                                                      size_t dynamic_bytes, unsigned flags);
enum cudaError cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int ctas, int threads);
enum cudaError cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                              const struct cudaLaunchConfig_st *config);
enum cudaError cudaOccupancyMaxPotentialClusterSize(int *ctas, const void *function,
                                                    const struct cudaLaunchConfig_st *config);
enum cudaError cudaDriverGetVersion(int *version);
enum cudaError cudaGetDeviceCount(int *count);
enum cudaError cudaDeviceGetAttribute(int *value, uint32_t attribute, int device);
enum cudaError cudaDeviceSynchronize(void);
enum cudaError cudaDeviceGetLimit(size_t *value, uint32_t limit);
enum cudaError cudaDeviceSetLimit(uint32_t limit, size_t value);
enum cudaError cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
enum cudaError cudaDeviceGetPCIBusId(char *text, int bytes, int device);
enum cudaError cudaDeviceGetByPCIBusId(int *device, const char *text);
enum cudaError cudaDeviceCanAccessPeer(int *can, int device, int peer);
enum cudaError cudaDeviceGetCacheConfig(uint32_t *config);
enum cudaError cudaDeviceSetCacheConfig(uint32_t config);
enum cudaError cudaCtxResetPersistingL2Cache(void);
enum cudaError cudaProfilerStart(void);
enum cudaError cudaProfilerStop(void);
enum cudaError cudaRuntimeGetVersion(int *version);
enum cudaError cudaSetDevice(int device);
enum cudaError cudaInitDevice(int device, unsigned device_flags, unsigned flags);
enum cudaError cudaSetDeviceFlags(unsigned flags);
enum cudaError cudaDeviceEnablePeerAccess(int peer, unsigned flags);
enum cudaError cudaGetDevice(int *device);
enum cudaError cudaGetDeviceFlags(unsigned *flags);
enum cudaError cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted);
enum cudaError cudaDeviceReset(void);
enum cudaError cudaGetDeviceProperties(struct cudaDeviceProp *to, int device);
enum cudaError cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                                unsigned long long flags, uint32_t *status);
enum cudaError cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, uint32_t *status);
enum cudaError cudaLibraryLoadData(struct CUlib_st **library, const void *image, uint32_t *option, void **value,
                                   unsigned count, uint32_t *library_option, void **library_value,
                                   unsigned library_count);
enum cudaError cudaLibraryLoadFromFile(struct CUlib_st **library, const char *path, uint32_t *option, void **value,
                                       unsigned count, uint32_t *library_option, void **library_value,
                                       unsigned library_count);
enum cudaError cudaLibraryUnload(struct CUlib_st *library);
enum cudaError cudaLibraryGetKernel(struct CUkern_st **kernel, struct CUlib_st *library, const char *name);
enum cudaError cudaLibraryGetGlobal(void **address, size_t *bytes, struct CUlib_st *library, const char *name);
enum cudaError cudaLibraryGetManaged(void **address, size_t *bytes, struct CUlib_st *library, const char *name);
enum cudaError cudaLibraryGetKernelCount(unsigned *count, struct CUlib_st *library);
enum cudaError cudaLibraryEnumerateKernels(struct CUkern_st **kernel, unsigned room, struct CUlib_st *library);
enum cudaError cudaMalloc(void **pointer, size_t bytes);
enum cudaError cudaMallocManaged(void **pointer, size_t bytes, unsigned flags);
enum cudaError cudaMallocHost(void **pointer, size_t bytes);
enum cudaError cudaHostAlloc(void **pointer, size_t bytes, unsigned flags);
enum cudaError cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
enum cudaError cudaMalloc3D(struct cudaPitchedPtr *to, struct cudaExtent extent);
enum cudaError cudaFree(void *pointer);
enum cudaError cudaFreeHost(void *pointer);
enum cudaError cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
enum cudaError cudaHostUnregister(void *pointer);
enum cudaError cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
enum cudaError cudaHostGetFlags(unsigned *flags, void *pointer);
enum cudaError cudaMemGetInfo(size_t *left, size_t *total);
enum cudaError cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cuda_mem_location location,
                                    unsigned flags, struct CUstream_st *stream);
enum cudaError cudaMemAdvise(const void *pointer, size_t bytes, uint32_t advice, struct cuda_mem_location location);
enum cudaError cudaMallocAsync(void **pointer, size_t bytes, struct CUstream_st *stream);
enum cudaError cudaMallocFromPoolAsync(void **pointer, size_t bytes, struct CUmemPoolHandle_st *pool,
                                       struct CUstream_st *stream);
enum cudaError cudaFreeAsync(void *pointer, struct CUstream_st *stream);
enum cudaError cudaDeviceGetDefaultMemPool(struct CUmemPoolHandle_st **pool, int device);
enum cudaError cudaDeviceGetMemPool(struct CUmemPoolHandle_st **pool, int device);
enum cudaError cudaDeviceSetMemPool(int device, struct CUmemPoolHandle_st *pool);
enum cudaError cudaMemPoolCreate(struct CUmemPoolHandle_st **pool, const struct CUmemPoolProps_st *props);
enum cudaError cudaMemPoolDestroy(struct CUmemPoolHandle_st *pool);
enum cudaError cudaMemPoolTrimTo(struct CUmemPoolHandle_st *pool, size_t bytes);
enum cudaError cudaMemPoolSetAttribute(struct CUmemPoolHandle_st *pool, uint32_t attribute, void *value);
enum cudaError cudaMemPoolGetAttribute(struct CUmemPoolHandle_st *pool, uint32_t attribute, void *value);
enum cudaError cudaMemPoolSetAccess(struct CUmemPoolHandle_st *pool, const struct cuda_mem_access_desc *desc,
                                    size_t count);
enum cudaError cudaPointerGetAttributes(struct cudaPointerAttributes *to, const void *pointer);
enum cudaError cudaMemcpy(void *to, const void *from, size_t bytes, uint32_t kind);
enum cudaError cudaMemcpyAsync(void *to, const void *from, size_t bytes, uint32_t kind, struct CUstream_st *stream);
enum cudaError cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
enum cudaError cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                   struct CUstream_st *stream);
enum cudaError cudaMemcpy3D(const struct cudaMemcpy3DParms *from);
enum cudaError cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *from, struct CUstream_st *stream);
enum cudaError cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            uint32_t kind);
enum cudaError cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                 size_t height, uint32_t kind, struct CUstream_st *stream);
enum cudaError cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, uint32_t kind);
enum cudaError cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, uint32_t kind,
                                       struct CUstream_st *stream);
enum cudaError cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, uint32_t kind);
enum cudaError cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, uint32_t kind,
                                         struct CUstream_st *stream);
enum cudaError cudaGetSymbolAddress(void **address, const void *symbol);
enum cudaError cudaGetSymbolSize(size_t *bytes, const void *symbol);
enum cudaError cudaMemset(void *to, int value, size_t bytes);
enum cudaError cudaMemsetAsync(void *to, int value, size_t bytes, struct CUstream_st *stream);
enum cudaError cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
enum cudaError cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                 struct CUstream_st *stream);
enum cudaError cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent);
enum cudaError cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                                 struct CUstream_st *stream);
enum cudaError cudaStreamCreate(struct CUstream_st **stream);
enum cudaError cudaStreamCreateWithFlags(struct CUstream_st **stream, unsigned flags);
enum cudaError cudaStreamCreateWithPriority(struct CUstream_st **stream, unsigned flags, int priority);
enum cudaError cudaStreamDestroy(struct CUstream_st *stream);
enum cudaError cudaStreamSynchronize(struct CUstream_st *stream);
enum cudaError cudaStreamQuery(struct CUstream_st *stream);
enum cudaError cudaStreamWaitEvent(struct CUstream_st *stream, struct CUevent_st *event, unsigned flags);
enum cudaError cudaStreamGetFlags(struct CUstream_st *stream, unsigned *flags);
enum cudaError cudaStreamGetPriority(struct CUstream_st *stream, int *priority);
enum cudaError cudaStreamGetId(struct CUstream_st *stream, unsigned long long *id);
enum cudaError cudaStreamGetDevice(struct CUstream_st *stream, int *device);
enum cudaError cudaStreamAttachMemAsync(struct CUstream_st *stream, void *pointer, size_t bytes, unsigned flags);
enum cudaError cudaStreamSetAttribute(struct CUstream_st *stream, uint32_t attribute, const void *value);
enum cudaError cudaStreamBeginCapture(struct CUstream_st *stream, uint32_t mode);
enum cudaError cudaStreamBeginCaptureToGraph(struct CUstream_st *stream, struct CUgraph_st *graph,
                                             struct CUgraphNode_st *const *after,
                                             const struct CUgraphEdgeData_st *edges, size_t count, uint32_t mode);
enum cudaError cudaStreamEndCapture(struct CUstream_st *stream, struct CUgraph_st **graph);
enum cudaError cudaStreamIsCapturing(struct CUstream_st *stream, uint32_t *status);
enum cudaError cudaStreamGetCaptureInfo(struct CUstream_st *stream, uint32_t *status, unsigned long long *id,
                                        struct CUgraph_st **graph, struct CUgraphNode_st *const **after,
                                        const struct CUgraphEdgeData_st **edges, size_t *count);
enum cudaError cudaStreamUpdateCaptureDependencies(struct CUstream_st *stream, struct CUgraphNode_st **after,
                                                   const struct CUgraphEdgeData_st *edges, size_t count,
                                                   unsigned flags);
enum cudaError cudaThreadExchangeStreamCaptureMode(uint32_t *mode);
enum cudaError cudaEventCreate(struct CUevent_st **event);
enum cudaError cudaEventCreateWithFlags(struct CUevent_st **event, unsigned flags);
enum cudaError cudaEventDestroy(struct CUevent_st *event);
enum cudaError cudaEventRecord(struct CUevent_st *event, struct CUstream_st *stream);
enum cudaError cudaEventRecordWithFlags(struct CUevent_st *event, struct CUstream_st *stream, unsigned flags);
enum cudaError cudaEventQuery(struct CUevent_st *event);
enum cudaError cudaEventSynchronize(struct CUevent_st *event);
enum cudaError cudaEventElapsedTime(float *milliseconds, struct CUevent_st *start, struct CUevent_st *end);
enum cudaError cudaLaunchHostFunc(struct CUstream_st *stream, void (*call)(void *user), void *user);
enum cudaError cudaStreamAddCallback(struct CUstream_st *stream,
                                     void (*call)(struct CUstream_st *stream, enum cuda_result error, void *user),
                                     void *user, unsigned flags);
enum cudaError cudaGraphCreate(struct CUgraph_st **graph, unsigned flags);
enum cudaError cudaGraphDestroy(struct CUgraph_st *graph);
enum cudaError cudaGraphClone(struct CUgraph_st **clone, struct CUgraph_st *graph);
enum cudaError cudaGraphNodeFindInClone(struct CUgraphNode_st **node, struct CUgraphNode_st *original,
                                        struct CUgraph_st *clone);
enum cudaError cudaGraphAddKernelNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                      struct CUgraphNode_st *const *after, size_t count,
                                      const struct cudaKernelNodeParams *from);
enum cudaError cudaGraphAddMemcpyNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                      struct CUgraphNode_st *const *after, size_t count,
                                      const struct cudaMemcpy3DParms *from);
enum cudaError cudaGraphAddMemcpyNode1D(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                        struct CUgraphNode_st *const *after, size_t count, void *to, const void *from,
                                        size_t bytes, uint32_t kind);
enum cudaError cudaGraphAddMemAllocNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                        struct CUgraphNode_st *const *after, size_t count,
                                        struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st *from);
enum cudaError cudaGraphAddMemFreeNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                       struct CUgraphNode_st *const *after, size_t count, void *address);
enum cudaError cudaGraphMemAllocNodeGetParams(struct CUgraphNode_st *node, struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st *to);
enum cudaError cudaGraphMemFreeNodeGetParams(struct CUgraphNode_st *node, void **to);
enum cudaError cudaGraphAddMemsetNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                      struct CUgraphNode_st *const *after, size_t count,
                                      const struct cudaMemsetParams *from);
enum cudaError cudaGraphAddHostNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                    struct CUgraphNode_st *const *after, size_t count,
                                    const struct cudaHostNodeParams *from);
enum cudaError cudaGraphAddChildGraphNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                          struct CUgraphNode_st *const *after, size_t count, struct CUgraph_st *child);
enum cudaError cudaGraphAddEmptyNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                     struct CUgraphNode_st *const *after, size_t count);
enum cudaError cudaGraphAddEventRecordNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                           struct CUgraphNode_st *const *after, size_t count, struct CUevent_st *event);
enum cudaError cudaGraphAddEventWaitNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                         struct CUgraphNode_st *const *after, size_t count, struct CUevent_st *event);
enum cudaError cudaGraphAddDependencies(struct CUgraph_st *graph, struct CUgraphNode_st *const *from,
                                        struct CUgraphNode_st *const *to, const struct CUgraphEdgeData_st *edges,
                                        size_t count);
enum cudaError cudaGraphGetNodes(struct CUgraph_st *graph, struct CUgraphNode_st **to, size_t *count);
enum cudaError cudaGraphGetRootNodes(struct CUgraph_st *graph, struct CUgraphNode_st **to, size_t *count);
enum cudaError cudaGraphGetEdges(struct CUgraph_st *graph, struct CUgraphNode_st **from, struct CUgraphNode_st **to,
                                 struct CUgraphEdgeData_st *edges, size_t *count);
enum cudaError cudaGraphNodeGetType(struct CUgraphNode_st *node, uint32_t *type);
enum cudaError cudaGraphNodeGetDependencies(struct CUgraphNode_st *node, struct CUgraphNode_st **to,
                                            struct CUgraphEdgeData_st *edges, size_t *count);
enum cudaError cudaGraphInstantiate(struct CUgraphExec_st **exec, struct CUgraph_st *graph, unsigned long long flags);
enum cudaError cudaGraphInstantiateWithFlags(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                             unsigned long long flags);
enum cudaError cudaGraphInstantiateWithParams(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                              struct CUDA_GRAPH_INSTANTIATE_PARAMS_st *parameters);
enum cudaError cudaGraphLaunch(struct CUgraphExec_st *exec, struct CUstream_st *stream);
enum cudaError cudaGraphUpload(struct CUgraphExec_st *exec, struct CUstream_st *stream);
enum cudaError cudaGraphExecDestroy(struct CUgraphExec_st *exec);
enum cudaError cudaGraphExecUpdate(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                                   struct CUgraphExecUpdateResultInfo_st *info);
enum cudaError cudaGraphExecKernelNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                const struct cudaKernelNodeParams *from);
enum cudaError cudaGraphKernelNodeSetParams(struct CUgraphNode_st *node, const struct cudaKernelNodeParams *from);
enum cudaError cudaGraphExecMemcpyNodeSetParams1D(struct CUgraphExec_st *exec, struct CUgraphNode_st *node, void *to,
                                                  const void *from, size_t bytes, uint32_t kind);
enum cudaError cudaGraphExecMemsetNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                const struct cudaMemsetParams *from);
enum cudaError cudaGraphNodeSetEnabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node, unsigned is_enabled);
enum cudaError cudaGraphAddNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                struct CUgraphNode_st *const *after, const struct CUgraphEdgeData_st *edges,
                                size_t count, struct cudaGraphNodeParams *from);
enum cudaError cudaGraphExecChildGraphNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                    struct CUgraph_st *child);
enum cudaError cudaGraphEventRecordNodeSetEvent(struct CUgraphNode_st *node, struct CUevent_st *event);
enum cudaError cudaGraphEventWaitNodeSetEvent(struct CUgraphNode_st *node, struct CUevent_st *event);
enum cudaError cudaGraphExecEventRecordNodeSetEvent(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                    struct CUevent_st *event);
enum cudaError cudaGraphExecEventWaitNodeSetEvent(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                  struct CUevent_st *event);
enum cudaError cudaGraphMemcpyNodeSetParams1D(struct CUgraphNode_st *node, void *to, const void *from, size_t bytes,
                                              uint32_t kind);
enum cudaError cudaGraphAddMemcpyNodeToSymbol(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                              struct CUgraphNode_st *const *after, size_t count, const void *symbol,
                                              const void *from, size_t bytes, size_t offset, uint32_t kind);
enum cudaError cudaGraphAddMemcpyNodeFromSymbol(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                                struct CUgraphNode_st *const *after, size_t count, void *to,
                                                const void *symbol, size_t bytes, size_t offset, uint32_t kind);
enum cudaError cudaGraphMemcpyNodeSetParamsToSymbol(struct CUgraphNode_st *node, const void *symbol, const void *from,
                                                    size_t bytes, size_t offset, uint32_t kind);
enum cudaError cudaGraphMemcpyNodeSetParamsFromSymbol(struct CUgraphNode_st *node, void *to, const void *symbol,
                                                      size_t bytes, size_t offset, uint32_t kind);
enum cudaError cudaGraphExecMemcpyNodeSetParamsToSymbol(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                        const void *symbol, const void *from, size_t bytes,
                                                        size_t offset, uint32_t kind);
enum cudaError cudaGraphExecMemcpyNodeSetParamsFromSymbol(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                          void *to, const void *symbol, size_t bytes, size_t offset,
                                                          uint32_t kind);
enum cudaError cudaGraphKernelNodeGetParams(struct CUgraphNode_st *node, struct cudaKernelNodeParams *to);
enum cudaError cudaGraphMemcpyNodeGetParams(struct CUgraphNode_st *node, struct cudaMemcpy3DParms *to);
enum cudaError cudaGraphMemsetNodeGetParams(struct CUgraphNode_st *node, struct cudaMemsetParams *to);
enum cudaError cudaGraphHostNodeGetParams(struct CUgraphNode_st *node, struct cudaHostNodeParams *to);
enum cudaError cudaGraphChildGraphNodeGetGraph(struct CUgraphNode_st *node, struct CUgraph_st **child);
enum cudaError cudaGraphEventRecordNodeGetEvent(struct CUgraphNode_st *node, struct CUevent_st **event);
enum cudaError cudaGraphEventWaitNodeGetEvent(struct CUgraphNode_st *node, struct CUevent_st **event);
enum cudaError cudaGraphMemcpyNodeSetParams(struct CUgraphNode_st *node, const struct cudaMemcpy3DParms *from);
enum cudaError cudaGraphExecMemcpyNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                const struct cudaMemcpy3DParms *from);
enum cudaError cudaGraphMemsetNodeSetParams(struct CUgraphNode_st *node, const struct cudaMemsetParams *from);
enum cudaError cudaGraphHostNodeSetParams(struct CUgraphNode_st *node, const struct cudaHostNodeParams *from);
enum cudaError cudaGraphExecHostNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                              const struct cudaHostNodeParams *from);
enum cudaError cudaGraphNodeSetParams(struct CUgraphNode_st *node, const struct cudaGraphNodeParams *from);
enum cudaError cudaGraphExecNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                          const struct cudaGraphNodeParams *from);
enum cudaError cudaGraphNodeGetDependentNodes(struct CUgraphNode_st *node, struct CUgraphNode_st **to,
                                              struct CUgraphEdgeData_st *edges, size_t *count);
enum cudaError cudaGraphRemoveDependencies(struct CUgraph_st *graph, struct CUgraphNode_st *const *from,
                                           struct CUgraphNode_st *const *to, const struct CUgraphEdgeData_st *edges,
                                           size_t count);
enum cudaError cudaGraphDestroyNode(struct CUgraphNode_st *node);
enum cudaError cudaGraphNodeGetEnabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node, unsigned *is_enabled);
enum cudaError cudaGraphExecGetFlags(struct CUgraphExec_st *exec, unsigned long long *flags);
enum cudaError cudaDeviceDisablePeerAccess(int peer);
enum cudaError cudaDeviceGetSharedMemConfig(uint32_t *config);
enum cudaError cudaDeviceSetSharedMemConfig(uint32_t config);
enum cudaError cudaDeviceFlushGPUDirectRDMAWrites(uint32_t target, uint32_t scope);
enum cudaError cudaDeviceGetGraphMemAttribute(int device, uint32_t attribute, void *value);
enum cudaError cudaDeviceSetGraphMemAttribute(int device, uint32_t attribute, void *value);
enum cudaError cudaDeviceGraphMemTrim(int device);
enum cudaError cudaFuncSetSharedMemConfig(const void *function, uint32_t config);
enum cudaError cudaKernelSetAttributeForDevice(const void *function, uint32_t attribute, int value, int device);
enum cudaError cudaMemPoolGetAccess(uint32_t *flags, struct CUmemPoolHandle_st *pool,
                                    struct cuda_mem_location *location);
enum cudaError cudaMemGetMemPool(struct CUmemPoolHandle_st **pool, struct cuda_mem_location *location, uint32_t type);
enum cudaError cudaMemGetDefaultMemPool(struct CUmemPoolHandle_st **pool, struct cuda_mem_location *location,
                                        uint32_t type);
enum cudaError cudaMemSetMemPool(struct cuda_mem_location *location, uint32_t type, struct CUmemPoolHandle_st *pool);
enum cudaError cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                                    struct CUmemcpyAttributes_st *attribute, size_t *attribute_from, size_t attributes,
                                    struct CUstream_st *stream);
enum cudaError cudaMemcpy3DBatchAsync(size_t count, struct CUDA_MEMCPY3D_BATCH_OP_st *box, unsigned long long flags,
                                      struct CUstream_st *stream);
enum cudaError cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *from);
enum cudaError cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *from, struct CUstream_st *stream);
enum cudaError cudaStreamGetAttribute(struct CUstream_st *stream, uint32_t attribute, void *value);
enum cudaError cudaStreamCopyAttributes(struct CUstream_st *to, struct CUstream_st *from);
enum cudaError cudaDeviceGetP2PAttribute(int *value, uint32_t attribute, int device, int peer);
enum cudaError cudaDeviceGetHostAtomicCapabilities(unsigned *capabilities, const uint32_t *operation, unsigned count,
                                                   int device);
enum cudaError cudaSetValidDevices(int *device, int count);
enum cudaError cudaGraphKernelNodeGetAttribute(struct CUgraphNode_st *node, uint32_t attribute, void *value);
enum cudaError cudaGraphKernelNodeSetAttribute(struct CUgraphNode_st *node, uint32_t attribute, const void *value);
enum cudaError cudaGraphKernelNodeCopyAttributes(struct CUgraphNode_st *to, struct CUgraphNode_st *from);
enum cudaError cudaGraphDebugDotPrint(struct CUgraph_st *graph, const char *path, unsigned flags);
enum cudaError cudaUserObjectCreate(struct CUuserObject_st **to, void *user, void (*destroy)(void *user),
                                    unsigned references, unsigned flags);
enum cudaError cudaUserObjectRetain(struct CUuserObject_st *it, unsigned count);
enum cudaError cudaUserObjectRelease(struct CUuserObject_st *it, unsigned count);
enum cudaError cudaGraphRetainUserObject(struct CUgraph_st *graph, struct CUuserObject_st *it, unsigned count,
                                         unsigned flags);
enum cudaError cudaGraphReleaseUserObject(struct CUgraph_st *graph, struct CUuserObject_st *it, unsigned count);
enum cudaError cudaMemRangeGetAttribute(void *to, size_t bytes, uint32_t attribute, const void *address, size_t count);
enum cudaError cudaMemRangeGetAttributes(void **to, size_t *bytes, uint32_t *attribute, size_t attributes,
                                         const void *address, size_t count);
enum cudaError cudaMemPrefetchBatchAsync(void **address, size_t *bytes, size_t count, struct cuda_mem_location *place,
                                         size_t *place_from, size_t places, unsigned long long flags,
                                         struct CUstream_st *stream);
enum cudaError cudaMemDiscardBatchAsync(void **address, size_t *bytes, size_t count, unsigned long long flags,
                                        struct CUstream_st *stream);
enum cudaError cudaMemDiscardAndPrefetchBatchAsync(void **address, size_t *bytes, size_t count,
                                                   struct cuda_mem_location *place, size_t *place_from, size_t places,
                                                   unsigned long long flags, struct CUstream_st *stream);
enum cudaError cudaLogsRegisterCallback(void (*call)(void *user, uint32_t level, char *text, size_t bytes), void *user,
                                        struct CUlogsCallbackEntry_st **callback);
enum cudaError cudaLogsUnregisterCallback(struct CUlogsCallbackEntry_st *callback);
enum cudaError cudaLogsCurrent(unsigned *iterator, unsigned flags);
enum cudaError cudaLogsDumpToFile(unsigned *iterator, const char *path, unsigned flags);
enum cudaError cudaLogsDumpToMemory(unsigned *iterator, char *to, size_t *bytes, unsigned flags);
enum cudaError cudaIpcGetEventHandle(struct CUipcEventHandle_st *handle, struct CUevent_st *event);
enum cudaError cudaIpcOpenEventHandle(struct CUevent_st **event, struct CUipcEventHandle_st handle);
enum cudaError cudaIpcGetMemHandle(struct CUipcMemHandle_st *handle, void *address);
enum cudaError cudaIpcOpenMemHandle(void **address, struct CUipcMemHandle_st handle, unsigned flags);
enum cudaError cudaIpcCloseMemHandle(void *address);
enum cudaError cudaGraphConditionalHandleCreate(uint64_t *handle, struct CUgraph_st *graph, unsigned value,
                                                unsigned flags);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, uint32_t kind);
enum cudaError cudaDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const uint32_t *operation, unsigned count,
                                                  int from, int to);
enum cudaError cudaDeviceRegisterAsyncNotification(int device,
                                                   void (*call)(struct CUasyncNotificationInfo_st *info, void *user,
                                                                struct CUasyncCallbackEntry_st *callback),
                                                   void *user, struct CUasyncCallbackEntry_st **callback);
enum cudaError cudaDeviceUnregisterAsyncNotification(int device, struct CUasyncCallbackEntry_st *callback);
enum cudaError cudaLibraryGetUnifiedFunction(void **function, struct CUlib_st *library, const char *symbol);
enum cudaError cudaMemPoolExportToShareableHandle(void *handle, struct CUmemPoolHandle_st *pool, uint32_t type,
                                                  unsigned flags);
enum cudaError cudaMemPoolImportFromShareableHandle(struct CUmemPoolHandle_st **pool, void *handle, uint32_t type,
                                                    unsigned flags);
enum cudaError cudaMemPoolExportPointer(struct CUmemPoolPtrExportData_st *to, void *address);
enum cudaError cudaMemPoolImportPointer(void **address, struct CUmemPoolHandle_st *pool,
                                        struct CUmemPoolPtrExportData_st *from);

#endif
