// SPDX-License-Identifier: MIT
// The calls of the driver that this folder defines and the runtime (model/runtime) makes.
#ifndef TMAREF_CUDA_API_H
#define TMAREF_CUDA_API_H

#include "cuda_other_api.h"
#include "cuda_types.h"

enum cuda_result cuDevicePrimaryCtxRetain(struct CUctx_st **context, int device);
enum cuda_result cuDevicePrimaryCtxRelease_v2(int device);
enum cuda_result cuDevicePrimaryCtxReset_v2(int device);
enum cuda_result cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
enum cuda_result cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags);
enum cuda_result cuCtxCreate_v2(struct CUctx_st **context, unsigned flags, int device);
enum cuda_result cuCtxCreate_v4(struct CUctx_st **context, struct CUctxCreateParams_st *parameters, unsigned flags,
                                int device);
enum cuda_result cuCtxDestroy_v2(struct CUctx_st *context);
enum cuda_result cuCtxSynchronize(void);
enum cuda_result cuCtxGetDevice(int *device);
enum cuda_result cuCtxGetFlags(unsigned *flags);
enum cuda_result cuCtxSetFlags(unsigned flags);
enum cuda_result cuCtxGetSharedMemConfig(uint32_t *config);
enum cuda_result cuCtxSetSharedMemConfig(uint32_t config);
enum cuda_result cuFuncSetSharedMemConfig(struct CUfunc_st *function, uint32_t config);
enum cuda_result cuCtxRecordEvent(struct CUctx_st *context, struct CUevent_st *event);
enum cuda_result cuCtxWaitEvent(struct CUctx_st *context, struct CUevent_st *event);
enum cuda_result cuCtxEnablePeerAccess(struct CUctx_st *peer, unsigned flags);
enum cuda_result cuCtxDisablePeerAccess(struct CUctx_st *peer);
enum cuda_result cuDeviceGetP2PAttribute(int *value, uint32_t attribute, int device, int peer);
enum cuda_result cuDeviceGetExecAffinitySupport(int *value, uint32_t type, int device);
enum cuda_result cuDeviceGetLuid(char *luid, unsigned *mask, int device);
enum cuda_result cuDeviceGetHostAtomicCapabilities(unsigned *capabilities, const uint32_t *operation, unsigned count,
                                                   int device);
enum cuda_result cuDeviceGetProperties(struct CUdevprop_st *to, int device);
enum cuda_result cuFlushGPUDirectRDMAWrites(uint32_t target, uint32_t scope);
enum cuda_result cuKernelSetCacheConfig(struct CUkern_st *kernel, uint32_t config, int device);
enum cuda_result cuDeviceGetGraphMemAttribute(int device, uint32_t attribute, void *value);
enum cuda_result cuDeviceSetGraphMemAttribute(int device, uint32_t attribute, void *value);
enum cuda_result cuDeviceGraphMemTrim(int device);
enum cuda_result cuMemGetMemPool(struct CUmemPoolHandle_st **pool, struct cuda_mem_location *location, uint32_t type);
enum cuda_result cuMemGetDefaultMemPool(struct CUmemPoolHandle_st **pool, struct cuda_mem_location *location,
                                        uint32_t type);
enum cuda_result cuMemSetMemPool(struct cuda_mem_location *location, uint32_t type, struct CUmemPoolHandle_st *pool);
enum cuda_result cuStreamCopyAttributes(struct CUstream_st *to, struct CUstream_st *from);
enum cuda_result cuCtxGetId(struct CUctx_st *context, unsigned long long *id);
enum cuda_result cuCtxGetApiVersion(struct CUctx_st *context, unsigned *version);
enum cuda_result cuCtxGetLimit(size_t *value, uint32_t limit);
enum cuda_result cuCtxSetLimit(uint32_t limit, size_t value);
enum cuda_result cuCtxGetStreamPriorityRange(int *least, int *greatest);
enum cuda_result cuCtxGetCacheConfig(uint32_t *config);
enum cuda_result cuCtxSetCacheConfig(uint32_t config);
enum cuda_result cuCtxResetPersistingL2Cache(void);
enum cuda_result cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes,
                                      struct CUstream_st *stream);
enum cuda_result cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes);
enum cuda_result cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, struct CUstream_st *stream);
enum cuda_result cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes);
enum cuda_result cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes,
                                      struct CUstream_st *stream);
enum cuda_result cuMemcpyDtoD_v2(unsigned long long to, unsigned long long from, size_t bytes);
enum cuda_result cuMemcpyAsync(unsigned long long to, unsigned long long from, size_t bytes,
                               struct CUstream_st *stream);
enum cuda_result cuMemcpy(unsigned long long to, unsigned long long from, size_t bytes);
enum cuda_result cuMemcpyPeerAsync(unsigned long long to, struct CUctx_st *to_context, unsigned long long from,
                                   struct CUctx_st *from_context, size_t bytes, struct CUstream_st *stream);
enum cuda_result cuMemcpyPeer(unsigned long long to, struct CUctx_st *to_context, unsigned long long from,
                              struct CUctx_st *from_context, size_t bytes);
enum cuda_result cuMemcpy3DAsync_v2(const struct CUDA_MEMCPY3D_st *box, struct CUstream_st *stream);
enum cuda_result cuMemcpy3D_v2(const struct CUDA_MEMCPY3D_st *box);
enum cuda_result cuMemcpy2DAsync_v2(const struct CUDA_MEMCPY2D_st *box, struct CUstream_st *stream);
enum cuda_result cuMemcpy2D_v2(const struct CUDA_MEMCPY2D_st *box);
enum cuda_result cuMemcpy2DUnaligned_v2(const struct CUDA_MEMCPY2D_st *box);
enum cuda_result cuMemcpy3DPeerAsync(const struct CUDA_MEMCPY3D_PEER_st *from, struct CUstream_st *stream);
enum cuda_result cuMemcpy3DPeer(const struct CUDA_MEMCPY3D_PEER_st *from);
enum cuda_result cuMemcpyBatchAsync_v2(unsigned long long *to, unsigned long long *from, size_t *bytes, size_t count,
                                       struct CUmemcpyAttributes_st *attribute, size_t *attribute_from,
                                       size_t attributes, struct CUstream_st *stream);
enum cuda_result cuMemcpy3DBatchAsync_v2(size_t count, struct CUDA_MEMCPY3D_BATCH_OP_st *box, unsigned long long flags,
                                         struct CUstream_st *stream);
enum cuda_result cuMemsetD2D8Async(unsigned long long to, size_t pitch, unsigned char value, size_t width,
                                   size_t height, struct CUstream_st *stream);
enum cuda_result cuMemsetD8Async(unsigned long long to, unsigned char value, size_t count, struct CUstream_st *stream);
enum cuda_result cuMemsetD2D16Async(unsigned long long to, size_t pitch, unsigned short value, size_t width,
                                    size_t height, struct CUstream_st *stream);
enum cuda_result cuMemsetD16Async(unsigned long long to, unsigned short value, size_t count,
                                  struct CUstream_st *stream);
enum cuda_result cuMemsetD2D32Async(unsigned long long to, size_t pitch, unsigned value, size_t width, size_t height,
                                    struct CUstream_st *stream);
enum cuda_result cuMemsetD32Async(unsigned long long to, unsigned value, size_t count, struct CUstream_st *stream);
enum cuda_result cuDeviceGetCount(int *count);
enum cuda_result cuDeviceGet(int *device, int ordinal);
enum cuda_result cuDeviceGetName(char *name, int name_bytes, int device);
enum cuda_result cuDeviceTotalMem_v2(size_t *bytes, int device);
enum cuda_result cuDeviceGetAttribute(int *value, enum cuda_device_attribute attribute, int device);
enum cuda_result cuDeviceGetUuid_v2(struct CUuuid_st *uuid, int device);
enum cuda_result cuDeviceGetUuid(struct CUuuid_st *uuid, int device);
enum cuda_result cuDeviceGetPCIBusId(char *text, int text_bytes, int device);
enum cuda_result cuDeviceGetByPCIBusId(int *device, const char *text);
enum cuda_result cuDeviceCanAccessPeer(int *can, int device, int peer);
enum cuda_result cuDeviceComputeCapability(int *major, int *minor, int device);
enum cuda_result cuInit(unsigned flags);
enum cuda_result cuDriverGetVersion(int *version);
enum cuda_result cuProfilerInitialize(const char *config, const char *output, uint32_t mode);
enum cuda_result cuProfilerStart(void);
enum cuda_result cuProfilerStop(void);
enum cuda_result cuCtxSetCurrent(struct CUctx_st *context);
enum cuda_result cuCtxGetCurrent(struct CUctx_st **context);
enum cuda_result cuCtxPushCurrent_v2(struct CUctx_st *context);
enum cuda_result cuCtxPopCurrent_v2(struct CUctx_st **context);
enum cuda_result cuGetErrorName(enum cuda_result error, const char **name);
enum cuda_result cuGetErrorString(enum cuda_result error, const char **text);
enum cuda_result cuEventCreate(struct CUevent_st **event, unsigned flags);
enum cuda_result cuEventDestroy_v2(struct CUevent_st *event);
enum cuda_result cuEventQuery(struct CUevent_st *event);
enum cuda_result cuEventSynchronize(struct CUevent_st *event);
enum cuda_result cuEventElapsedTime_v2(float *milliseconds, struct CUevent_st *start, struct CUevent_st *end);
enum cuda_result cuEventElapsedTime(float *milliseconds, struct CUevent_st *start, struct CUevent_st *end);
enum cuda_result cuFuncGetAttribute(int *value, enum cuda_function_attribute attribute, struct CUfunc_st *function);
enum cuda_result cuKernelGetAttribute(int *value, enum cuda_function_attribute attribute, struct CUkern_st *kernel,
                                      int device);
enum cuda_result cuFuncSetAttribute(struct CUfunc_st *function, enum cuda_function_attribute attribute, int value);
enum cuda_result cuKernelSetAttribute(enum cuda_function_attribute attribute, int value, struct CUkern_st *kernel,
                                      int device);
enum cuda_result cuFuncSetCacheConfig(struct CUfunc_st *function, uint32_t config);
enum cuda_result cuFuncGetModule(struct CUmod_st **module, struct CUfunc_st *function);
enum cuda_result cuFuncGetName(const char **name, struct CUfunc_st *function);
enum cuda_result cuKernelGetName(const char **name, struct CUkern_st *kernel);
enum cuda_result cuFuncGetParamInfo(struct CUfunc_st *function, size_t index, size_t *offset, size_t *bytes);
enum cuda_result cuKernelGetParamInfo(struct CUkern_st *kernel, size_t index, size_t *offset, size_t *bytes);
enum cuda_result cuFuncIsLoaded(uint32_t *state, struct CUfunc_st *function);
enum cuda_result cuFuncLoad(struct CUfunc_st *function);
enum cuda_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas, struct CUfunc_st *function, int threads,
                                                             size_t dynamic_bytes);
enum cuda_result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *ctas, struct CUfunc_st *function,
                                                                      int threads, size_t dynamic_bytes,
                                                                      unsigned flags);
enum cuda_result cuOccupancyMaxPotentialBlockSize(int *grid, int *block, struct CUfunc_st *function,
                                                  size_t (*bytes_of)(int threads), size_t dynamic_bytes, int limit);
enum cuda_result cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, struct CUfunc_st *function,
                                                           size_t (*bytes_of)(int threads), size_t dynamic_bytes,
                                                           int limit, unsigned flags);
enum cuda_result cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, struct CUfunc_st *function, int ctas,
                                                         int threads);
enum cuda_result cuOccupancyMaxActiveClusters(int *clusters, struct CUfunc_st *function,
                                              const struct cuda_launch_config *config);
enum cuda_result cuOccupancyMaxPotentialClusterSize(int *ctas, struct CUfunc_st *function,
                                                    const struct cuda_launch_config *config);
enum cuda_result cuGraphCreate(struct CUgraph_st **graph, unsigned flags);
enum cuda_result cuGraphDestroy(struct CUgraph_st *graph);
enum cuda_result cuGraphClone(struct CUgraph_st **clone, struct CUgraph_st *graph);
enum cuda_result cuGraphNodeFindInClone(struct CUgraphNode_st **node, struct CUgraphNode_st *original,
                                        struct CUgraph_st *clone);
enum cuda_result cuGraphAddKernelNode_v2(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                         struct CUgraphNode_st *const *after, size_t count,
                                         const struct CUDA_KERNEL_NODE_PARAMS_v2_st *parameters);
enum cuda_result cuGraphAddMemcpyNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                      struct CUgraphNode_st *const *after, size_t count,
                                      const struct CUDA_MEMCPY3D_st *box, struct CUctx_st *context);
enum cuda_result cuGraphAddMemAllocNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                        struct CUgraphNode_st *const *after, size_t count,
                                        struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st *from);
enum cuda_result cuGraphAddMemFreeNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                       struct CUgraphNode_st *const *after, size_t count, unsigned long long address);
enum cuda_result cuGraphMemAllocNodeGetParams(struct CUgraphNode_st *node, struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st *to);
enum cuda_result cuGraphMemFreeNodeGetParams(struct CUgraphNode_st *node, unsigned long long *to);
enum cuda_result cuGraphAddMemsetNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                      struct CUgraphNode_st *const *after, size_t count,
                                      const struct CUDA_MEMSET_NODE_PARAMS_st *set, struct CUctx_st *context);
enum cuda_result cuGraphAddHostNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                    struct CUgraphNode_st *const *after, size_t count,
                                    const struct CUDA_HOST_NODE_PARAMS_st *host);
enum cuda_result cuGraphAddChildGraphNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                          struct CUgraphNode_st *const *after, size_t count, struct CUgraph_st *child);
enum cuda_result cuGraphAddEmptyNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                     struct CUgraphNode_st *const *after, size_t count);
enum cuda_result cuGraphAddEventRecordNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                           struct CUgraphNode_st *const *after, size_t count, struct CUevent_st *event);
enum cuda_result cuGraphAddEventWaitNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                         struct CUgraphNode_st *const *after, size_t count, struct CUevent_st *event);
enum cuda_result cuGraphAddDependencies_v2(struct CUgraph_st *graph, struct CUgraphNode_st *const *from,
                                           struct CUgraphNode_st *const *to, const struct CUgraphEdgeData_st *edges,
                                           size_t count);
enum cuda_result cuGraphGetNodes(struct CUgraph_st *graph, struct CUgraphNode_st **to, size_t *count);
enum cuda_result cuGraphGetRootNodes(struct CUgraph_st *graph, struct CUgraphNode_st **to, size_t *count);
enum cuda_result cuGraphGetEdges_v2(struct CUgraph_st *graph, struct CUgraphNode_st **from, struct CUgraphNode_st **to,
                                    struct CUgraphEdgeData_st *edges, size_t *count);
enum cuda_result cuGraphNodeGetType(struct CUgraphNode_st *node, uint32_t *type);
enum cuda_result cuGraphNodeGetDependencies_v2(struct CUgraphNode_st *node, struct CUgraphNode_st **to,
                                               struct CUgraphEdgeData_st *edges, size_t *count);
enum cuda_result cuGraphAddNode_v2(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                   struct CUgraphNode_st *const *after, const struct CUgraphEdgeData_st *edges,
                                   size_t count, struct CUgraphNodeParams_st *from);
enum cuda_result cuGraphAddBatchMemOpNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                          struct CUgraphNode_st *const *after, size_t count,
                                          const struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st *from);
enum cuda_result cuGraphBatchMemOpNodeGetParams(struct CUgraphNode_st *node,
                                                struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st *to);
enum cuda_result cuGraphBatchMemOpNodeSetParams(struct CUgraphNode_st *node,
                                                const struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st *from);
enum cuda_result cuGraphExecBatchMemOpNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                    const struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st *from);
enum cuda_result cuGraphDestroyNode(struct CUgraphNode_st *node);
enum cuda_result cuGraphRemoveDependencies_v2(struct CUgraph_st *graph, struct CUgraphNode_st *const *from,
                                              struct CUgraphNode_st *const *to, const struct CUgraphEdgeData_st *edges,
                                              size_t count);
enum cuda_result cuGraphNodeGetDependentNodes_v2(struct CUgraphNode_st *node, struct CUgraphNode_st **to,
                                                 struct CUgraphEdgeData_st *edges, size_t *count);
enum cuda_result cuGraphKernelNodeGetParams_v2(struct CUgraphNode_st *node, struct CUDA_KERNEL_NODE_PARAMS_v2_st *to);
enum cuda_result cuGraphMemcpyNodeGetParams(struct CUgraphNode_st *node, struct CUDA_MEMCPY3D_st *to);
enum cuda_result cuGraphMemcpyNodeSetParams(struct CUgraphNode_st *node, const struct CUDA_MEMCPY3D_st *box);
enum cuda_result cuGraphMemsetNodeGetParams(struct CUgraphNode_st *node, struct CUDA_MEMSET_NODE_PARAMS_st *to);
enum cuda_result cuGraphMemsetNodeSetParams(struct CUgraphNode_st *node, const struct CUDA_MEMSET_NODE_PARAMS_st *set);
enum cuda_result cuGraphHostNodeGetParams(struct CUgraphNode_st *node, struct CUDA_HOST_NODE_PARAMS_st *to);
enum cuda_result cuGraphHostNodeSetParams(struct CUgraphNode_st *node, const struct CUDA_HOST_NODE_PARAMS_st *host);
enum cuda_result cuGraphChildGraphNodeGetGraph(struct CUgraphNode_st *node, struct CUgraph_st **child);
enum cuda_result cuGraphEventRecordNodeGetEvent(struct CUgraphNode_st *node, struct CUevent_st **event);
enum cuda_result cuGraphEventRecordNodeSetEvent(struct CUgraphNode_st *node, struct CUevent_st *event);
enum cuda_result cuGraphEventWaitNodeGetEvent(struct CUgraphNode_st *node, struct CUevent_st **event);
enum cuda_result cuGraphEventWaitNodeSetEvent(struct CUgraphNode_st *node, struct CUevent_st *event);
enum cuda_result cuGraphNodeSetParams(struct CUgraphNode_st *node, struct CUgraphNodeParams_st *from);
enum cuda_result cuGraphExecNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                          struct CUgraphNodeParams_st *from);
enum cuda_result cuGraphExecChildGraphNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                    struct CUgraph_st *child);
enum cuda_result cuGraphExecEventRecordNodeSetEvent(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                    struct CUevent_st *event);
enum cuda_result cuGraphExecEventWaitNodeSetEvent(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                  struct CUevent_st *event);
enum cuda_result cuGraphKernelNodeGetAttribute(struct CUgraphNode_st *node, uint32_t attribute, void *value);
enum cuda_result cuGraphKernelNodeSetAttribute(struct CUgraphNode_st *node, uint32_t attribute, const void *value);
enum cuda_result cuGraphKernelNodeCopyAttributes(struct CUgraphNode_st *to, struct CUgraphNode_st *from);
enum cuda_result cuGraphDebugDotPrint(struct CUgraph_st *graph, const char *path, unsigned flags);
enum cuda_result cuUserObjectCreate(struct CUuserObject_st **to, void *user, void (*destroy)(void *user),
                                    unsigned references, unsigned flags);
enum cuda_result cuUserObjectRetain(struct CUuserObject_st *it, unsigned count);
enum cuda_result cuUserObjectRelease(struct CUuserObject_st *it, unsigned count);
enum cuda_result cuGraphRetainUserObject(struct CUgraph_st *graph, struct CUuserObject_st *it, unsigned count,
                                         unsigned flags);
enum cuda_result cuGraphReleaseUserObject(struct CUgraph_st *graph, struct CUuserObject_st *it, unsigned count);
enum cuda_result cuGraphExecGetFlags(struct CUgraphExec_st *exec, uint64_t *flags);
enum cuda_result cuGraphNodeGetEnabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node, unsigned *is_enabled);
enum cuda_result cuGraphInstantiateWithFlags(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                             unsigned long long flags);
enum cuda_result cuGraphInstantiateWithParams(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                              struct CUDA_GRAPH_INSTANTIATE_PARAMS_st *parameters);
enum cuda_result cuGraphLaunch(struct CUgraphExec_st *exec, struct CUstream_st *handle);
enum cuda_result cuGraphUpload(struct CUgraphExec_st *exec, struct CUstream_st *stream);
enum cuda_result cuGraphExecDestroy(struct CUgraphExec_st *exec);
enum cuda_result cuGraphExecKernelNodeSetParams_v2(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                   const struct CUDA_KERNEL_NODE_PARAMS_v2_st *parameters);
enum cuda_result cuGraphKernelNodeSetParams_v2(struct CUgraphNode_st *node,
                                               const struct CUDA_KERNEL_NODE_PARAMS_v2_st *parameters);
enum cuda_result cuGraphExecMemcpyNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                const struct CUDA_MEMCPY3D_st *box, struct CUctx_st *context);
enum cuda_result cuGraphExecMemsetNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                const struct CUDA_MEMSET_NODE_PARAMS_st *set, struct CUctx_st *context);
enum cuda_result cuGraphExecHostNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                              const struct CUDA_HOST_NODE_PARAMS_st *host);
enum cuda_result cuGraphNodeSetEnabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node, unsigned is_enabled);
enum cuda_result cuGraphExecUpdate_v2(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                                      struct CUgraphExecUpdateResultInfo_st *info);
enum cuda_result cuLaunchKernel(struct CUfunc_st *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                struct CUstream_st *stream, void **parameters, void **extra);
enum cuda_result cuLaunchCooperativeKernel(struct CUfunc_st *function, unsigned grid_x, unsigned grid_y,
                                           unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                                           unsigned shared_bytes, struct CUstream_st *stream, void **parameters);
enum cuda_result cuLaunchKernelEx(const struct cuda_launch_config *config, struct CUfunc_st *function,
                                  void **parameters, void **extra);
enum cuda_result cuMemAlloc_v2(unsigned long long *address, size_t bytes);
enum cuda_result cuMemAllocPitch_v2(unsigned long long *address, size_t *pitch, size_t width, size_t height,
                                    unsigned element_bytes);
enum cuda_result cuMemAllocManaged(unsigned long long *address, size_t bytes, unsigned flags);
enum cuda_result cuMemHostAlloc(void **address, size_t bytes, unsigned flags);
enum cuda_result cuMemAllocHost_v2(void **address, size_t bytes);
enum cuda_result cuMemFree_v2(unsigned long long address);
enum cuda_result cuMemFreeHost(void *address);
enum cuda_result cuMemGetInfo_v2(size_t *left, size_t *total);
enum cuda_result cuMemGetAddressRange_v2(unsigned long long *base, size_t *bytes, unsigned long long address);
enum cuda_result cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags);
enum cuda_result cuMemHostUnregister(void *address);
enum cuda_result cuMemHostGetDevicePointer_v2(unsigned long long *device, void *host, unsigned flags);
enum cuda_result cuMemHostGetFlags(unsigned *flags, void *host);
enum cuda_result cuMemPrefetchAsync_v2(unsigned long long address, size_t bytes, struct cuda_mem_location location,
                                       unsigned flags, struct CUstream_st *stream);
enum cuda_result cuMemPrefetchAsync(unsigned long long address, size_t bytes, int device, struct CUstream_st *stream);
enum cuda_result cuMemAdvise_v2(unsigned long long address, size_t bytes, uint32_t advice,
                                struct cuda_mem_location location);
enum cuda_result cuMemAdvise(unsigned long long address, size_t bytes, uint32_t advice, int device);
enum cuda_result cuModuleLoadDataEx(struct CUmod_st **module, const void *image, unsigned count, uint32_t *option,
                                    void **value);
enum cuda_result cuModuleLoadData(struct CUmod_st **module, const void *image);
enum cuda_result cuModuleLoadFatBinary(struct CUmod_st **module, const void *image);
enum cuda_result cuModuleLoad(struct CUmod_st **module, const char *path);
enum cuda_result cuModuleUnload(struct CUmod_st *module);
enum cuda_result cuModuleGetLoadingMode(uint32_t *mode);
enum cuda_result cuLinkCreate_v2(unsigned count, uint32_t *option, void **value, struct CUlinkState_st **link);
enum cuda_result cuLinkAddData_v2(struct CUlinkState_st *link, uint32_t type, void *data, size_t bytes,
                                  const char *name, unsigned count, uint32_t *option, void **value);
enum cuda_result cuLinkAddFile_v2(struct CUlinkState_st *link, uint32_t type, const char *path, unsigned count,
                                  uint32_t *option, void **value);
enum cuda_result cuLinkComplete(struct CUlinkState_st *link, void **image, size_t *bytes);
enum cuda_result cuLinkDestroy(struct CUlinkState_st *link);
enum cuda_result cuModuleGetFunction(struct CUfunc_st **function, struct CUmod_st *module, const char *name);
enum cuda_result cuModuleGetGlobal_v2(unsigned long long *address, size_t *bytes, struct CUmod_st *module,
                                      const char *name);
enum cuda_result cuModuleGetFunctionCount(unsigned *count, struct CUmod_st *module);
enum cuda_result cuModuleEnumerateFunctions(struct CUfunc_st **function, unsigned room, struct CUmod_st *module);
enum cuda_result cuLibraryLoadData(struct CUlib_st **library, const void *image, uint32_t *option, void **value,
                                   unsigned count, uint32_t *library_option, void **library_value,
                                   unsigned library_count);
enum cuda_result cuLibraryLoadFromFile(struct CUlib_st **library, const char *path, uint32_t *option, void **value,
                                       unsigned count, uint32_t *library_option, void **library_value,
                                       unsigned library_count);
enum cuda_result cuLibraryUnload(struct CUlib_st *library);
enum cuda_result cuLibraryGetKernel(struct CUkern_st **kernel, struct CUlib_st *library, const char *name);
enum cuda_result cuLibraryGetGlobal(unsigned long long *address, size_t *bytes, struct CUlib_st *library,
                                    const char *name);
enum cuda_result cuLibraryGetManaged(unsigned long long *address, size_t *bytes, struct CUlib_st *library,
                                     const char *name);
enum cuda_result cuLibraryGetModule(struct CUmod_st **module, struct CUlib_st *library);
enum cuda_result cuLibraryGetKernelCount(unsigned *count, struct CUlib_st *library);
enum cuda_result cuLibraryEnumerateKernels(struct CUkern_st **kernel, unsigned room, struct CUlib_st *library);
enum cuda_result cuKernelGetFunction(struct CUfunc_st **function, struct CUkern_st *kernel);
enum cuda_result cuKernelGetLibrary(struct CUlib_st **library, struct CUkern_st *kernel);
enum cuda_result cuPointerGetAttribute(void *to, uint32_t attribute, unsigned long long address);
enum cuda_result cuPointerGetAttributes(unsigned count, uint32_t *attribute, void **to, unsigned long long address);
enum cuda_result cuPointerSetAttribute(const void *value, uint32_t attribute, unsigned long long address);
enum cuda_result cuDeviceGetDefaultMemPool(struct CUmemPoolHandle_st **pool, int device);
enum cuda_result cuDeviceGetMemPool(struct CUmemPoolHandle_st **pool, int device);
enum cuda_result cuDeviceSetMemPool(int device, struct CUmemPoolHandle_st *pool);
enum cuda_result cuMemPoolCreate(struct CUmemPoolHandle_st **pool, const struct CUmemPoolProps_st *props);
enum cuda_result cuMemPoolDestroy(struct CUmemPoolHandle_st *pool);
enum cuda_result cuMemPoolTrimTo(struct CUmemPoolHandle_st *pool, size_t bytes);
enum cuda_result cuMemPoolSetAttribute(struct CUmemPoolHandle_st *pool, uint32_t attribute, void *value);
enum cuda_result cuMemPoolGetAttribute(struct CUmemPoolHandle_st *pool, uint32_t attribute, void *value);
enum cuda_result cuMemPoolSetAccess(struct CUmemPoolHandle_st *pool, const struct cuda_mem_access_desc *desc,
                                    size_t count);
enum cuda_result cuMemPoolGetAccess(uint32_t *flags, struct CUmemPoolHandle_st *pool,
                                    struct cuda_mem_location *location);
enum cuda_result cuMemAllocFromPoolAsync(unsigned long long *address, size_t bytes, struct CUmemPoolHandle_st *pool,
                                         struct CUstream_st *handle);
enum cuda_result cuMemAllocAsync(unsigned long long *address, size_t bytes, struct CUstream_st *stream);
enum cuda_result cuMemFreeAsync(unsigned long long address, struct CUstream_st *handle);
enum cuda_result cuGetProcAddress_v2(const char *symbol, void **function, int cuda_version, uint64_t flags,
                                     uint32_t *status);
enum cuda_result cuGetProcAddress(const char *symbol, void **function, int cuda_version, uint64_t flags);
enum cuda_result cuGetExportTable(const void **table, const struct CUuuid_st *id);
enum cuda_result cuStreamCreateWithPriority(struct CUstream_st **stream, unsigned flags, int priority);
enum cuda_result cuStreamCreate(struct CUstream_st **stream, unsigned flags);
enum cuda_result cuStreamDestroy_v2(struct CUstream_st *stream);
enum cuda_result cuStreamSynchronize(struct CUstream_st *stream);
enum cuda_result cuStreamQuery(struct CUstream_st *stream);
enum cuda_result cuStreamGetFlags(struct CUstream_st *handle, unsigned *flags);
enum cuda_result cuStreamGetPriority(struct CUstream_st *handle, int *priority);
enum cuda_result cuStreamGetId(struct CUstream_st *handle, unsigned long long *id);
enum cuda_result cuStreamGetCtx(struct CUstream_st *handle, struct CUctx_st **context);
enum cuda_result cuStreamGetDevice(struct CUstream_st *handle, int *device);
enum cuda_result cuStreamAttachMemAsync(struct CUstream_st *stream, unsigned long long address, size_t bytes,
                                        unsigned flags);
enum cuda_result cuStreamGetAttribute(struct CUstream_st *stream, uint32_t attribute, void *value);
enum cuda_result cuStreamSetAttribute(struct CUstream_st *stream, uint32_t attribute, const void *value);
enum cuda_result cuStreamBatchMemOp_v2(struct CUstream_st *stream, unsigned count,
                                       union CUstreamBatchMemOpParams_union *at, unsigned flags);
enum cuda_result cuStreamWaitValue32_v2(struct CUstream_st *stream, unsigned long long address, uint32_t value,
                                        unsigned flags);
enum cuda_result cuStreamWaitValue64_v2(struct CUstream_st *stream, unsigned long long address, uint64_t value,
                                        unsigned flags);
enum cuda_result cuStreamWriteValue32_v2(struct CUstream_st *stream, unsigned long long address, uint32_t value,
                                         unsigned flags);
enum cuda_result cuStreamWriteValue64_v2(struct CUstream_st *stream, unsigned long long address, uint64_t value,
                                         unsigned flags);
enum cuda_result cuEventRecord(struct CUevent_st *event, struct CUstream_st *handle);
enum cuda_result cuEventRecordWithFlags(struct CUevent_st *event, struct CUstream_st *stream, unsigned flags);
enum cuda_result cuStreamWaitEvent(struct CUstream_st *handle, struct CUevent_st *event, unsigned flags);
enum cuda_result cuStreamBeginCapture_v2(struct CUstream_st *stream, uint32_t mode);
enum cuda_result cuStreamBeginCaptureToGraph(struct CUstream_st *handle, struct CUgraph_st *graph,
                                             struct CUgraphNode_st *const *after,
                                             const struct CUgraphEdgeData_st *edges, size_t count, uint32_t mode);
enum cuda_result cuStreamEndCapture(struct CUstream_st *handle, struct CUgraph_st **graph);
enum cuda_result cuStreamIsCapturing(struct CUstream_st *handle, uint32_t *status);
enum cuda_result cuStreamGetCaptureInfo_v3(struct CUstream_st *handle, uint32_t *status, uint64_t *id,
                                           struct CUgraph_st **graph, struct CUgraphNode_st *const **after,
                                           const struct CUgraphEdgeData_st **edges, size_t *count);
enum cuda_result cuStreamGetCaptureInfo_v2(struct CUstream_st *handle, uint32_t *status, uint64_t *id,
                                           struct CUgraph_st **graph, struct CUgraphNode_st *const **after,
                                           size_t *count);
enum cuda_result cuStreamUpdateCaptureDependencies_v2(struct CUstream_st *handle, struct CUgraphNode_st **after,
                                                      const struct CUgraphEdgeData_st *edges, size_t count,
                                                      unsigned flags);
enum cuda_result cuThreadExchangeStreamCaptureMode(uint32_t *mode);
enum cuda_result cuLaunchHostFunc(struct CUstream_st *stream, void (*call)(void *user), void *user);
enum cuda_result cuStreamAddCallback(struct CUstream_st *handle,
                                     void (*call)(struct CUstream_st *stream, enum cuda_result error, void *user),
                                     void *user, unsigned flags);
enum cuda_result cuTensorMapEncodeTiled(struct tensormap_image *map, uint32_t data_type, uint32_t rank, void *address,
                                        const uint64_t *dim, const uint64_t *stride, const uint32_t *box,
                                        const uint32_t *estride, uint32_t interleave, uint32_t swizzle,
                                        uint32_t l2_promotion, uint32_t oob_fill);
enum cuda_result cuTensorMapEncodeIm2col(struct tensormap_image *map, uint32_t data_type, uint32_t rank, void *address,
                                         const uint64_t *dim, const uint64_t *stride, const int *lower,
                                         const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *estride,
                                         uint32_t interleave, uint32_t swizzle, uint32_t l2_promotion,
                                         uint32_t oob_fill);
enum cuda_result cuTensorMapEncodeIm2colWide(struct tensormap_image *map, uint32_t data_type, uint32_t rank,
                                             void *address, const uint64_t *dim, const uint64_t *stride,
                                             int lower_width, int upper_width, uint32_t channels, uint32_t pixels,
                                             const uint32_t *estride, uint32_t interleave, uint32_t mode,
                                             uint32_t swizzle, uint32_t l2_promotion, uint32_t oob_fill);
enum cuda_result cuTensorMapReplaceAddress(struct tensormap_image *map, void *address);
enum cuda_result cuMemGetAllocationGranularity(size_t *bytes, const struct cuda_mem_allocation_prop *prop,
                                               uint32_t option);
enum cuda_result cuMemAddressReserve(unsigned long long *address, size_t bytes, size_t alignment,
                                     unsigned long long hint, unsigned long long flags);
enum cuda_result cuMemAddressFree(unsigned long long address, size_t bytes);
enum cuda_result cuMemCreate(unsigned long long *handle, size_t bytes, const struct cuda_mem_allocation_prop *prop,
                             unsigned long long flags);
enum cuda_result cuMemRelease(unsigned long long handle);
enum cuda_result cuMemRetainAllocationHandle(unsigned long long *handle, void *address);
enum cuda_result cuMemGetAllocationPropertiesFromHandle(struct cuda_mem_allocation_prop *prop,
                                                        unsigned long long handle);
enum cuda_result cuMemExportToShareableHandle(void *to, unsigned long long handle, uint32_t type,
                                              unsigned long long flags);
enum cuda_result cuMemImportFromShareableHandle(unsigned long long *handle, void *shared, uint32_t type);
enum cuda_result cuMemGetAccess(unsigned long long *flags, const struct cuda_mem_location *location,
                                unsigned long long address);
enum cuda_result cuMemMap(unsigned long long address, size_t bytes, size_t offset, unsigned long long handle,
                          unsigned long long flags);
enum cuda_result cuMemUnmap(unsigned long long address, size_t bytes);
enum cuda_result cuMemSetAccess(unsigned long long address, size_t bytes, const struct cuda_mem_access_desc *desc,
                                size_t count);
enum cuda_result cuMemsetD8_v2(unsigned long long to, unsigned char value, size_t count);
enum cuda_result cuMemsetD2D8_v2(unsigned long long to, size_t pitch, unsigned char value, size_t width, size_t height);
enum cuda_result cuMemsetD16_v2(unsigned long long to, unsigned short value, size_t count);
enum cuda_result cuMemsetD2D16_v2(unsigned long long to, size_t pitch, unsigned short value, size_t width,
                                  size_t height);
enum cuda_result cuMemsetD32_v2(unsigned long long to, unsigned value, size_t count);
enum cuda_result cuMemsetD2D32_v2(unsigned long long to, size_t pitch, unsigned value, size_t width, size_t height);

#endif
