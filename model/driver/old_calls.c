// SPDX-License-Identifier: MIT
// Earlier versions of calls, which programs built with an earlier CUDA make, where more than the parameters is another:
// driver_calls.def has the rest. Those of the time when addresses had 32 bits are not there.
#include <stddef.h>
#include <string.h>

#include "cuda_api.h"
#include "driver.h"

// --- Graphs ----------------------------------------------------------------------------------------------------------

// The first version of a kernel's parameters ends before `kern`.
static struct CUDA_KERNEL_NODE_PARAMS_v2_st latest(const struct CUDA_KERNEL_NODE_PARAMS_st *from)
{
    struct CUDA_KERNEL_NODE_PARAMS_v2_st to = {0};
    memcpy(&to, from, offsetof(struct CUDA_KERNEL_NODE_PARAMS_v2_st, kern));
    return to;
}

DRIVER_VISIBLE enum cuda_result cuGraphAddKernelNode(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                                     struct CUgraphNode_st *const *after, size_t count,
                                                     const struct CUDA_KERNEL_NODE_PARAMS_st *from)
{
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel = latest(from);
    return cuGraphAddKernelNode_v2(node, graph, after, count, &kernel);
}

DRIVER_VISIBLE enum cuda_result cuGraphKernelNodeSetParams(struct CUgraphNode_st *node,
                                                           const struct CUDA_KERNEL_NODE_PARAMS_st *from)
{
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel = latest(from);
    return cuGraphKernelNodeSetParams_v2(node, &kernel);
}

DRIVER_VISIBLE enum cuda_result cuGraphExecKernelNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                               const struct CUDA_KERNEL_NODE_PARAMS_st *from)
{
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel = latest(from);
    return cuGraphExecKernelNodeSetParams_v2(exec, node, &kernel);
}

DRIVER_VISIBLE enum cuda_result cuGraphKernelNodeGetParams(struct CUgraphNode_st *node,
                                                           struct CUDA_KERNEL_NODE_PARAMS_st *to)
{
    struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel;
    const enum cuda_result error = to == NULL ? CUDA_ERROR_INVALID_VALUE : cuGraphKernelNodeGetParams_v2(node, &kernel);
    if (error == CUDA_SUCCESS) memcpy(to, &kernel, offsetof(struct CUDA_KERNEL_NODE_PARAMS_v2_st, kern));
    return error;
}

DRIVER_VISIBLE enum cuda_result cuGraphInstantiate_v2(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                                      struct CUgraphNode_st **failed, char *log, size_t log_bytes)
{
    if (failed != NULL) *failed = NULL;
    if (log != NULL && log_bytes > 0) log[0] = '\0';
    return cuGraphInstantiateWithFlags(exec, graph, 0);
}

DRIVER_VISIBLE enum cuda_result cuGraphExecUpdate(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                                                  struct CUgraphNode_st **failed, uint32_t *result)
{
    struct CUgraphExecUpdateResultInfo_st info = {0};
    const enum cuda_result error = cuGraphExecUpdate_v2(exec, graph, &info);
    if (failed != NULL) *failed = info.errorNode;
    if (result != NULL) *result = info.result;
    return error;
}

// --- Lists of copies: which one failed is not known ------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuMemcpyBatchAsync(unsigned long long *to, unsigned long long *from, size_t *bytes,
                                                   size_t count, struct CUmemcpyAttributes_st *attribute,
                                                   size_t *attribute_from, size_t attributes, size_t *failed,
                                                   struct CUstream_st *stream)
{
    if (failed != NULL) *failed = SIZE_MAX;
    return cuMemcpyBatchAsync_v2(to, from, bytes, count, attribute, attribute_from, attributes, stream);
}

DRIVER_VISIBLE enum cuda_result cuMemcpy3DBatchAsync(size_t count, struct CUDA_MEMCPY3D_BATCH_OP_st *box,
                                                     size_t *failed, unsigned long long flags,
                                                     struct CUstream_st *stream)
{
    if (failed != NULL) *failed = SIZE_MAX;
    return cuMemcpy3DBatchAsync_v2(count, box, flags, stream);
}
