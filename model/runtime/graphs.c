// SPDX-License-Identifier: MIT
// Graphs of the runtime, over the driver's.
#include "runtime.h"

#define WHERE node, graph, after, count
#define WHERE_PARAMETERS                                                                                               \
    struct CUgraphNode_st **node, struct CUgraph_st *graph, struct CUgraphNode_st *const *after, size_t count

RUNTIME_CALL(cudaGraphCreate, (struct CUgraph_st * *graph, unsigned flags), cuGraphCreate(graph, flags))
RUNTIME_CALL(cudaGraphDestroy, (struct CUgraph_st * graph), cuGraphDestroy(graph))
RUNTIME_CALL(cudaGraphClone, (struct CUgraph_st * *clone, struct CUgraph_st *graph), cuGraphClone(clone, graph))
RUNTIME_CALL(cudaGraphNodeFindInClone,
             (struct CUgraphNode_st * *node, struct CUgraphNode_st *original, struct CUgraph_st *clone),
             cuGraphNodeFindInClone(node, original, clone))

// --- Nodes -----------------------------------------------------------------------------------------------------------

static enum cudaError driver_kernel(const struct cudaKernelNodeParams *from, struct CUDA_KERNEL_NODE_PARAMS_v2_st *to)
{
    struct CUkern_st *kernel;
    if (from == NULL) return cudaErrorInvalidValue;
    const enum cudaError error = runtime_kernel(from->func, &kernel);
    *to = (struct CUDA_KERNEL_NODE_PARAMS_v2_st){.func = (struct CUfunc_st *)kernel,
                                                 .gridDimX = from->gridDim.x,
                                                 .gridDimY = from->gridDim.y,
                                                 .gridDimZ = from->gridDim.z,
                                                 .blockDimX = from->blockDim.x,
                                                 .blockDimY = from->blockDim.y,
                                                 .blockDimZ = from->blockDim.z,
                                                 .sharedMemBytes = from->sharedMemBytes,
                                                 .kernelParams = from->kernelParams,
                                                 .extra = from->extra};
    return error;
}

static enum cudaError add_kernel(WHERE_PARAMETERS, const struct cudaKernelNodeParams *from)
{
    struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel;
    const enum cudaError error = driver_kernel(from, &kernel);
    return error != cudaSuccess ? error : (enum cudaError)cuGraphAddKernelNode_v2(WHERE, &kernel);
}

static struct CUDA_MEMCPY3D_st driver_copy(void *to, const void *from, size_t bytes)
{
    return (struct CUDA_MEMCPY3D_st){.srcMemoryType = MEMORY_UNIFIED,
                                     .srcDevice = (unsigned long long)(uintptr_t)from,
                                     .dstMemoryType = MEMORY_UNIFIED,
                                     .dstDevice = (unsigned long long)(uintptr_t)to,
                                     .WidthInBytes = bytes,
                                     .Height = 1,
                                     .Depth = 1};
}

static enum cuda_result add_flat_copy(WHERE_PARAMETERS, void *to, const void *from, size_t bytes)
{
    const struct CUDA_MEMCPY3D_st box = driver_copy(to, from, bytes);
    return cuGraphAddMemcpyNode(WHERE, &box, NULL);
}

static enum cudaError driver_box(const struct cudaMemcpy3DParms *from, struct CUDA_MEMCPY3D_st *box)
{
    if (from == NULL) return cudaErrorInvalidValue;
    *box = driver_copy(from->dstPtr.ptr, from->srcPtr.ptr, from->extent.width);
    if (from->srcArray != NULL) box->srcMemoryType = MEMORY_OF_ARRAY;
    if (from->dstArray != NULL) box->dstMemoryType = MEMORY_OF_ARRAY;
    box->srcXInBytes = from->srcPos.x;
    box->srcY = from->srcPos.y;
    box->srcZ = from->srcPos.z;
    box->srcPitch = from->srcPtr.pitch;
    box->srcHeight = from->srcPtr.ysize;
    box->dstXInBytes = from->dstPos.x;
    box->dstY = from->dstPos.y;
    box->dstZ = from->dstPos.z;
    box->dstPitch = from->dstPtr.pitch;
    box->dstHeight = from->dstPtr.ysize;
    box->Height = from->extent.height;
    box->Depth = from->extent.depth;
    return cudaSuccess;
}

static enum cudaError add_copy(WHERE_PARAMETERS, const struct cudaMemcpy3DParms *from)
{
    struct CUDA_MEMCPY3D_st box;
    const enum cudaError error = driver_box(from, &box);
    return error != cudaSuccess ? error : (enum cudaError)cuGraphAddMemcpyNode(WHERE, &box, NULL);
}

static struct CUDA_MEMSET_NODE_PARAMS_st driver_set(const struct cudaMemsetParams *from)
{
    return (struct CUDA_MEMSET_NODE_PARAMS_st){(unsigned long long)(uintptr_t)from->dst,
                                               from->pitch,
                                               from->value,
                                               from->elementSize,
                                               from->width,
                                               from->height};
}

static enum cuda_result add_set(WHERE_PARAMETERS, const struct cudaMemsetParams *from)
{
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct CUDA_MEMSET_NODE_PARAMS_st set = driver_set(from);
    return cuGraphAddMemsetNode(WHERE, &set, NULL);
}

static enum cuda_result add_host(WHERE_PARAMETERS, const struct cudaHostNodeParams *from)
{
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct CUDA_HOST_NODE_PARAMS_st host = {from->fn, from->userData};
    return cuGraphAddHostNode(WHERE, &host);
}

RUNTIME_CALL(cudaGraphAddKernelNode, (WHERE_PARAMETERS, const struct cudaKernelNodeParams *from),
             add_kernel(WHERE, from))
RUNTIME_CALL(cudaGraphAddMemcpyNode, (WHERE_PARAMETERS, const struct cudaMemcpy3DParms *from), add_copy(WHERE, from))
RUNTIME_CALL(cudaGraphAddMemcpyNode1D, (WHERE_PARAMETERS, void *to, const void *from, size_t bytes, uint32_t kind),
             ((void)kind, add_flat_copy(WHERE, to, from, bytes)))
RUNTIME_CALL(cudaGraphAddMemsetNode, (WHERE_PARAMETERS, const struct cudaMemsetParams *from), add_set(WHERE, from))
RUNTIME_CALL(cudaGraphAddHostNode, (WHERE_PARAMETERS, const struct cudaHostNodeParams *from), add_host(WHERE, from))
RUNTIME_CALL(cudaGraphAddChildGraphNode, (WHERE_PARAMETERS, struct CUgraph_st *child),
             cuGraphAddChildGraphNode(WHERE, child))
RUNTIME_CALL(cudaGraphAddEmptyNode, (WHERE_PARAMETERS), cuGraphAddEmptyNode(WHERE))
RUNTIME_CALL(cudaGraphAddEventRecordNode, (WHERE_PARAMETERS, struct CUevent_st *event),
             cuGraphAddEventRecordNode(WHERE, event))
RUNTIME_CALL(cudaGraphAddEventWaitNode, (WHERE_PARAMETERS, struct CUevent_st *event),
             cuGraphAddEventWaitNode(WHERE, event))
RUNTIME_CALL(cudaGraphAddDependencies,
             (struct CUgraph_st * graph, struct CUgraphNode_st *const *from, struct CUgraphNode_st *const *to,
              const struct CUgraphEdgeData_st *edges, size_t count),
             cuGraphAddDependencies_v2(graph, from, to, edges, count))

RUNTIME_CALL(cudaGraphGetNodes, (struct CUgraph_st * graph, struct CUgraphNode_st **to, size_t *count),
             cuGraphGetNodes(graph, to, count))
RUNTIME_CALL(cudaGraphGetRootNodes, (struct CUgraph_st * graph, struct CUgraphNode_st **to, size_t *count),
             cuGraphGetRootNodes(graph, to, count))
RUNTIME_CALL(cudaGraphGetEdges,
             (struct CUgraph_st * graph, struct CUgraphNode_st **from, struct CUgraphNode_st **to,
              struct CUgraphEdgeData_st *edges, size_t *count),
             cuGraphGetEdges_v2(graph, from, to, edges, count))
RUNTIME_CALL(cudaGraphNodeGetType, (struct CUgraphNode_st * node, uint32_t *type), cuGraphNodeGetType(node, type))
RUNTIME_CALL(cudaGraphNodeGetDependencies,
             (struct CUgraphNode_st * node, struct CUgraphNode_st **to, struct CUgraphEdgeData_st *edges,
              size_t *count),
             cuGraphNodeGetDependencies_v2(node, to, edges, count))

// --- Launching -------------------------------------------------------------------------------------------------------

static enum cudaError set_kernel(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                 const struct cudaKernelNodeParams *from)
{
    struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel;
    const enum cudaError error = driver_kernel(from, &kernel);
    if (error != cudaSuccess) return error;
    return (enum cudaError)(exec != NULL ? cuGraphExecKernelNodeSetParams_v2(exec, node, &kernel)
                                         : cuGraphKernelNodeSetParams_v2(node, &kernel));
}

static enum cuda_result set_flat_copy(struct CUgraphExec_st *exec, struct CUgraphNode_st *node, void *to,
                                      const void *from, size_t bytes)
{
    const struct CUDA_MEMCPY3D_st box = driver_copy(to, from, bytes);
    return cuGraphExecMemcpyNodeSetParams(exec, node, &box, NULL);
}

static enum cuda_result set_set(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                const struct cudaMemsetParams *from)
{
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct CUDA_MEMSET_NODE_PARAMS_st set = driver_set(from);
    return cuGraphExecMemsetNodeSetParams(exec, node, &set, NULL);
}

RUNTIME_CALL(cudaGraphInstantiate, (struct CUgraphExec_st * *exec, struct CUgraph_st *graph, unsigned long long flags),
             cuGraphInstantiateWithFlags(exec, graph, flags))
RUNTIME_CALL(cudaGraphInstantiateWithFlags,
             (struct CUgraphExec_st * *exec, struct CUgraph_st *graph, unsigned long long flags),
             cuGraphInstantiateWithFlags(exec, graph, flags))
RUNTIME_CALL(cudaGraphInstantiateWithParams,
             (struct CUgraphExec_st * *exec, struct CUgraph_st *graph,
              struct CUDA_GRAPH_INSTANTIATE_PARAMS_st *parameters),
             cuGraphInstantiateWithParams(exec, graph, parameters))
RUNTIME_CALL(cudaGraphLaunch, (struct CUgraphExec_st * exec, struct CUstream_st *stream), cuGraphLaunch(exec, stream))
RUNTIME_CALL(cudaGraphUpload, (struct CUgraphExec_st * exec, struct CUstream_st *stream), cuGraphUpload(exec, stream))
RUNTIME_CALL(cudaGraphExecDestroy, (struct CUgraphExec_st * exec), cuGraphExecDestroy(exec))
RUNTIME_CALL(cudaGraphExecUpdate,
             (struct CUgraphExec_st * exec, struct CUgraph_st *graph, struct CUgraphExecUpdateResultInfo_st *info),
             cuGraphExecUpdate_v2(exec, graph, info))
RUNTIME_CALL(cudaGraphExecKernelNodeSetParams,
             (struct CUgraphExec_st * exec, struct CUgraphNode_st *node, const struct cudaKernelNodeParams *from),
             set_kernel(exec, node, from))
RUNTIME_CALL(cudaGraphKernelNodeSetParams, (struct CUgraphNode_st * node, const struct cudaKernelNodeParams *from),
             set_kernel(NULL, node, from))
RUNTIME_CALL(cudaGraphExecMemcpyNodeSetParams1D,
             (struct CUgraphExec_st * exec, struct CUgraphNode_st *node, void *to, const void *from, size_t bytes,
              uint32_t kind),
             ((void)kind, set_flat_copy(exec, node, to, from, bytes)))
RUNTIME_CALL(cudaGraphExecMemsetNodeSetParams,
             (struct CUgraphExec_st * exec, struct CUgraphNode_st *node, const struct cudaMemsetParams *from),
             set_set(exec, node, from))
RUNTIME_CALL(cudaGraphNodeSetEnabled, (struct CUgraphExec_st * exec, struct CUgraphNode_st *node, unsigned is_enabled),
             cuGraphNodeSetEnabled(exec, node, is_enabled))
