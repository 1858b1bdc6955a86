// SPDX-License-Identifier: MIT
// What nodes do: each call turns the runtime's parameters into the driver's, of a node of any type, and back.
#include <string.h>

#include "runtime.h"
#include "runtime_newer.h"

#define WHERE node, graph, after, count
#define WHERE_PARAMETERS                                                                                               \
    struct CUgraphNode_st **node, struct CUgraph_st *graph, struct CUgraphNode_st *const *after, size_t count

// --- To the driver's parameters --------------------------------------------------------------------------------------

static enum cudaError of_kernel(const struct cudaKernelNodeParams *from, struct CUgraphNodeParams_st *to)
{
    struct CUkern_st *kernel;
    const enum cudaError error = runtime_kernel_of("a kernel node", from->func, &kernel);
    to->type = NODE_KERNEL;
    to->kernel = (struct CUDA_KERNEL_NODE_PARAMS_v2_st){.func = (struct CUfunc_st *)kernel,
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

static enum cudaError of_flat_copy(void *to, const void *from, size_t bytes, struct CUgraphNodeParams_st *params)
{
    params->type = NODE_MEMCPY;
    params->copy.params = (struct CUDA_MEMCPY3D_st){.srcMemoryType = MEMORY_UNIFIED,
                                                    .srcDevice = (unsigned long long)(uintptr_t)from,
                                                    .dstMemoryType = MEMORY_UNIFIED,
                                                    .dstDevice = (unsigned long long)(uintptr_t)to,
                                                    .WidthInBytes = bytes,
                                                    .Height = 1,
                                                    .Depth = 1};
    return cudaSuccess;
}

static enum cudaError of_copy(const struct cudaMemcpy3DParms *from, struct CUgraphNodeParams_st *to)
{
    of_flat_copy(from->dstPtr.ptr, from->srcPtr.ptr, from->extent.width, to);
    struct CUDA_MEMCPY3D_st *box = &to->copy.params;
    const size_t from_texel = from->srcArray != NULL ? runtime_texel_bytes(from->srcArray) : 1;
    const size_t to_texel = from->dstArray != NULL ? runtime_texel_bytes(from->dstArray) : 1;
    if (from->srcArray != NULL) box->srcMemoryType = MEMORY_OF_ARRAY;
    if (from->dstArray != NULL) box->dstMemoryType = MEMORY_OF_ARRAY;
    box->srcArray = (struct CUarray_st *)from->srcArray;
    box->dstArray = (struct CUarray_st *)from->dstArray;
    box->WidthInBytes = from->extent.width * (from->srcArray != NULL ? from_texel : to_texel);
    box->srcXInBytes = from->srcPos.x * from_texel;
    box->srcY = from->srcPos.y;
    box->srcZ = from->srcPos.z;
    box->srcPitch = from->srcPtr.pitch;
    box->srcHeight = from->srcPtr.ysize;
    box->dstXInBytes = from->dstPos.x * to_texel;
    box->dstY = from->dstPos.y;
    box->dstZ = from->dstPos.z;
    box->dstPitch = from->dstPtr.pitch;
    box->dstHeight = from->dstPtr.ysize;
    box->Height = from->extent.height;
    box->Depth = from->extent.depth;
    return cudaSuccess;
}

static enum cudaError of_set(const struct cudaMemsetParams *from, struct CUgraphNodeParams_st *to)
{
    to->type = NODE_MEMSET;
    to->set.params = (struct CUDA_MEMSET_NODE_PARAMS_st){(unsigned long long)(uintptr_t)from->dst,
                                                         from->pitch,
                                                         from->value,
                                                         from->elementSize,
                                                         from->width,
                                                         from->height};
    return cudaSuccess;
}

static enum cudaError of_host(const struct cudaHostNodeParams *from, struct CUgraphNodeParams_st *to)
{
    to->type = NODE_HOST;
    to->host = (struct CUDA_HOST_NODE_PARAMS_st){from->fn, from->userData};
    return cudaSuccess;
}

// Those of any type: all but kernels, copies and fills are laid out as the driver's.
static enum cudaError of_any(const struct cudaGraphNodeParams *from, struct CUgraphNodeParams_st *to)
{
    _Static_assert(sizeof *from == sizeof *to, "the parameters of both APIs are as long");
    switch (from->type) {
    case NODE_KERNEL:
        return of_kernel(&from->kernel, to);
    case NODE_MEMCPY:
        return of_copy(&from->copy.params, to);
    case NODE_MEMSET:
        return of_set(&from->set, to);
    case NODE_CONDITIONAL:
        memcpy(to, from, sizeof *to);
        return (enum cudaError)cuCtxGetCurrent(&to->conditional.ctx);
    default:
        memcpy(to, from, sizeof *to);
        return cudaSuccess;
    }
}

// --- Adding and setting ----------------------------------------------------------------------------------------------

static enum cudaError add_any(WHERE_PARAMETERS, struct cudaGraphNodeParams *from)
{
    struct CUgraphNodeParams_st to = {0};
    if (from == NULL) return cudaErrorInvalidValue;
    enum cudaError error = of_any(from, &to);
    if (error == cudaSuccess) error = (enum cudaError)cuGraphAddNode_v2(node, graph, after, NULL, count, &to);
    if (error == cudaSuccess && from->type == NODE_MEM_ALLOC) from->alloc.dptr = to.alloc.dptr;
    if (error == cudaSuccess && from->type == NODE_CONDITIONAL)
        from->conditional.phGraph_out = to.conditional.phGraph_out;
    return error;
}

RUNTIME_CALL(cudaGraphAddNode,
             (struct CUgraphNode_st * *node, struct CUgraph_st *graph, struct CUgraphNode_st *const *after,
              const struct CUgraphEdgeData_st *edges, size_t count, struct cudaGraphNodeParams *from),
             ((void)edges, add_any(WHERE, from)))

// Calls whose parameters `convert` turns into the driver's: that which adds a node, and the two that set one.
#define ADD_CALL(name, struct_name, convert)                                                                           \
    static enum cudaError add_##convert(WHERE_PARAMETERS, const struct struct_name *from)                              \
    {                                                                                                                  \
        struct CUgraphNodeParams_st to = {0};                                                                          \
        const enum cudaError error = from == NULL ? cudaErrorInvalidValue : convert(from, &to);                        \
        if (error != cudaSuccess) return error;                                                                        \
        return (enum cudaError)cuGraphAddNode_v2(node, graph, after, NULL, count, &to);                                \
    }                                                                                                                  \
    RUNTIME_CALL(name, (WHERE_PARAMETERS, const struct struct_name *from), add_##convert(WHERE, from))
#define SET_CALLS(name, exec_name, type, convert)                                                                      \
    static enum cudaError set_##convert(struct CUgraphExec_st *exec, struct CUgraphNode_st *node, type *from,          \
                                        int is_of_exec)                                                                \
    {                                                                                                                  \
        struct CUgraphNodeParams_st to = {0};                                                                          \
        const enum cudaError error = from == NULL ? cudaErrorInvalidValue : convert(from, &to);                        \
        if (error != cudaSuccess) return error;                                                                        \
        return (enum cudaError)(is_of_exec ? cuGraphExecNodeSetParams(exec, node, &to)                                 \
                                           : cuGraphNodeSetParams(node, &to));                                         \
    }                                                                                                                  \
    RUNTIME_CALL(name, (struct CUgraphNode_st * node, type * from), set_##convert(NULL, node, from, 0))                \
    RUNTIME_CALL(exec_name, (struct CUgraphExec_st * exec, struct CUgraphNode_st * node, type * from),                 \
                 set_##convert(exec, node, from, 1))

ADD_CALL(cudaGraphAddKernelNode, cudaKernelNodeParams, of_kernel)
ADD_CALL(cudaGraphAddMemcpyNode, cudaMemcpy3DParms, of_copy)
ADD_CALL(cudaGraphAddMemsetNode, cudaMemsetParams, of_set)
ADD_CALL(cudaGraphAddHostNode, cudaHostNodeParams, of_host)
SET_CALLS(cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams, const struct cudaKernelNodeParams, of_kernel)
SET_CALLS(cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams, const struct cudaMemcpy3DParms, of_copy)
SET_CALLS(cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams, const struct cudaMemsetParams, of_set)
SET_CALLS(cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams, const struct cudaHostNodeParams, of_host)
SET_CALLS(cudaGraphNodeSetParams, cudaGraphExecNodeSetParams, struct cudaGraphNodeParams, of_any)

// --- Copies of bytes in a row, to and from variables of the program too ----------------------------------------------

static enum cudaError add_flat(WHERE_PARAMETERS, void *to, const void *from, size_t bytes)
{
    struct CUgraphNodeParams_st params = {0};
    of_flat_copy(to, from, bytes, &params);
    return (enum cudaError)cuGraphAddNode_v2(node, graph, after, NULL, count, &params);
}

static enum cudaError set_flat(struct CUgraphNode_st *node, void *to, const void *from, size_t bytes)
{
    struct CUgraphNodeParams_st params = {0};
    of_flat_copy(to, from, bytes, &params);
    return (enum cudaError)cuGraphNodeSetParams(node, &params);
}

static enum cudaError set_exec_flat(struct CUgraphExec_st *exec, struct CUgraphNode_st *node, void *to,
                                    const void *from, size_t bytes)
{
    struct CUgraphNodeParams_st params = {0};
    of_flat_copy(to, from, bytes, &params);
    return (enum cudaError)cuGraphExecNodeSetParams(exec, node, &params);
}

// A call whose one side is a part of a variable: `call` has its address in `part`.
#define SYMBOL_CALL(name, parameters, call)                                                                            \
    RUNTIME_VISIBLE enum cudaError name parameters                                                                     \
    {                                                                                                                  \
        void *part;                                                                                                    \
        (void)kind;                                                                                                    \
        enum cudaError error = runtime_ready();                                                                        \
        if (error == cudaSuccess) error = runtime_symbol_part(symbol, offset, bytes, &part);                           \
        return runtime_keep(error != cudaSuccess ? (int)error : (int)(call));                                          \
    }

RUNTIME_CALL(cudaGraphAddMemcpyNode1D, (WHERE_PARAMETERS, void *to, const void *from, size_t bytes, uint32_t kind),
             ((void)kind, add_flat(WHERE, to, from, bytes)))
RUNTIME_CALL(cudaGraphMemcpyNodeSetParams1D,
             (struct CUgraphNode_st * node, void *to, const void *from, size_t bytes, uint32_t kind),
             ((void)kind, set_flat(node, to, from, bytes)))
RUNTIME_CALL(cudaGraphExecMemcpyNodeSetParams1D,
             (struct CUgraphExec_st * exec, struct CUgraphNode_st *node, void *to, const void *from, size_t bytes,
              uint32_t kind),
             ((void)kind, set_exec_flat(exec, node, to, from, bytes)))
SYMBOL_CALL(cudaGraphAddMemcpyNodeToSymbol,
            (WHERE_PARAMETERS, const void *symbol, const void *from, size_t bytes, size_t offset, uint32_t kind),
            add_flat(WHERE, part, from, bytes))
SYMBOL_CALL(cudaGraphAddMemcpyNodeFromSymbol,
            (WHERE_PARAMETERS, void *to, const void *symbol, size_t bytes, size_t offset, uint32_t kind),
            add_flat(WHERE, to, part, bytes))
SYMBOL_CALL(cudaGraphMemcpyNodeSetParamsToSymbol,
            (struct CUgraphNode_st * node, const void *symbol, const void *from, size_t bytes, size_t offset,
             uint32_t kind),
            set_flat(node, part, from, bytes))
SYMBOL_CALL(cudaGraphMemcpyNodeSetParamsFromSymbol,
            (struct CUgraphNode_st * node, void *to, const void *symbol, size_t bytes, size_t offset, uint32_t kind),
            set_flat(node, to, part, bytes))
SYMBOL_CALL(cudaGraphExecMemcpyNodeSetParamsToSymbol,
            (struct CUgraphExec_st * exec, struct CUgraphNode_st *node, const void *symbol, const void *from,
             size_t bytes, size_t offset, uint32_t kind),
            set_exec_flat(exec, node, part, from, bytes))
SYMBOL_CALL(cudaGraphExecMemcpyNodeSetParamsFromSymbol,
            (struct CUgraphExec_st * exec, struct CUgraphNode_st *node, void *to, const void *symbol, size_t bytes,
             size_t offset, uint32_t kind),
            set_exec_flat(exec, node, to, part, bytes))

// --- What a node does ------------------------------------------------------------------------------------------------

static enum cudaError tell_kernel(struct CUgraphNode_st *node, struct cudaKernelNodeParams *to)
{
    struct CUDA_KERNEL_NODE_PARAMS_v2_st got;
    const enum cuda_result error = to == NULL ? CUDA_ERROR_INVALID_VALUE : cuGraphKernelNodeGetParams_v2(node, &got);
    if (error != CUDA_SUCCESS) return (enum cudaError)error;
    *to = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)runtime_host_of((struct CUkern_st *)got.func),
                                        .gridDim = {got.gridDimX, got.gridDimY, got.gridDimZ},
                                        .blockDim = {got.blockDimX, got.blockDimY, got.blockDimZ},
                                        .sharedMemBytes = got.sharedMemBytes,
                                        .kernelParams = got.kernelParams};
    return cudaSuccess;
}

static enum cudaError tell_copy(struct CUgraphNode_st *node, struct cudaMemcpy3DParms *to)
{
    struct CUDA_MEMCPY3D_st got;
    const enum cuda_result error = to == NULL ? CUDA_ERROR_INVALID_VALUE : cuGraphMemcpyNodeGetParams(node, &got);
    if (error != CUDA_SUCCESS) return (enum cudaError)error;
    *to = (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)(uintptr_t)got.srcDevice, got.srcPitch, got.WidthInBytes, got.srcHeight},
        .dstPtr = {(void *)(uintptr_t)got.dstDevice, got.dstPitch, got.WidthInBytes, got.dstHeight},
        .extent = {got.WidthInBytes, got.Height, got.Depth},
        .kind = COPY_BY_POINTERS};
    return cudaSuccess;
}

static enum cudaError tell_set(struct CUgraphNode_st *node, struct cudaMemsetParams *to)
{
    struct CUDA_MEMSET_NODE_PARAMS_st got;
    const enum cuda_result error = to == NULL ? CUDA_ERROR_INVALID_VALUE : cuGraphMemsetNodeGetParams(node, &got);
    if (error != CUDA_SUCCESS) return (enum cudaError)error;
    *to = (struct cudaMemsetParams){
        (void *)(uintptr_t)got.dst, got.pitch, got.value, got.elementSize, got.width, got.height};
    return cudaSuccess;
}

RUNTIME_CALL(cudaGraphKernelNodeGetParams, (struct CUgraphNode_st * node, struct cudaKernelNodeParams *to),
             tell_kernel(node, to))
RUNTIME_CALL(cudaGraphMemcpyNodeGetParams, (struct CUgraphNode_st * node, struct cudaMemcpy3DParms *to),
             tell_copy(node, to))
RUNTIME_CALL(cudaGraphMemsetNodeGetParams, (struct CUgraphNode_st * node, struct cudaMemsetParams *to),
             tell_set(node, to))
