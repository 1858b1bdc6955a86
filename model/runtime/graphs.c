// SPDX-License-Identifier: MIT
// Graphs of the runtime, over the driver's.
#include "runtime.h"

RUNTIME_CALL(cudaGraphCreate, (struct CUgraph_st * *graph, unsigned flags), cuGraphCreate(graph, flags))
RUNTIME_CALL(cudaGraphDestroy, (struct CUgraph_st * graph), cuGraphDestroy(graph))
RUNTIME_CALL(cudaGraphClone, (struct CUgraph_st * *clone, struct CUgraph_st *graph), cuGraphClone(clone, graph))
static enum cuda_result make_handle(uint64_t *handle, struct CUgraph_st *graph, unsigned value, unsigned flags)
{
    struct CUctx_st *context = NULL;
    const enum cuda_result error = cuCtxGetCurrent(&context);
    return error != CUDA_SUCCESS ? error : cuGraphConditionalHandleCreate(handle, graph, context, value, flags);
}

RUNTIME_CALL(cudaGraphConditionalHandleCreate,
             (uint64_t * handle, struct CUgraph_st *graph, unsigned value, unsigned flags),
             make_handle(handle, graph, value, flags))
RUNTIME_CALL(cudaGraphNodeFindInClone,
             (struct CUgraphNode_st * *node, struct CUgraphNode_st *original, struct CUgraph_st *clone),
             cuGraphNodeFindInClone(node, original, clone))

// --- Edges, and what there is ----------------------------------------------------------------------------------------

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

RUNTIME_CALL(cudaGraphNodeGetDependentNodes,
             (struct CUgraphNode_st * node, struct CUgraphNode_st **to, struct CUgraphEdgeData_st *edges,
              size_t *count),
             cuGraphNodeGetDependentNodes_v2(node, to, edges, count))
RUNTIME_CALL(cudaGraphRemoveDependencies,
             (struct CUgraph_st * graph, struct CUgraphNode_st *const *from, struct CUgraphNode_st *const *to,
              const struct CUgraphEdgeData_st *edges, size_t count),
             cuGraphRemoveDependencies_v2(graph, from, to, edges, count))
RUNTIME_CALL(cudaGraphDestroyNode, (struct CUgraphNode_st * node), cuGraphDestroyNode(node))

// --- Launching -------------------------------------------------------------------------------------------------------

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
RUNTIME_CALL(cudaGraphNodeSetEnabled, (struct CUgraphExec_st * exec, struct CUgraphNode_st *node, unsigned is_enabled),
             cuGraphNodeSetEnabled(exec, node, is_enabled))
RUNTIME_CALL(cudaGraphNodeGetEnabled, (struct CUgraphExec_st * exec, struct CUgraphNode_st *node, unsigned *is_enabled),
             cuGraphNodeGetEnabled(exec, node, is_enabled))
RUNTIME_CALL(cudaGraphExecGetFlags, (struct CUgraphExec_st * exec, unsigned long long *flags),
             cuGraphExecGetFlags(exec, (uint64_t *)flags))
RUNTIME_CALL(cudaGraphDebugDotPrint, (struct CUgraph_st * graph, const char *path, unsigned flags),
             cuGraphDebugDotPrint(graph, path, flags))

// --- Objects of the program ------------------------------------------------------------------------------------------

RUNTIME_CALL(cudaUserObjectCreate,
             (struct CUuserObject_st * *to, void *user, void (*destroy)(void *user), unsigned references,
              unsigned flags),
             cuUserObjectCreate(to, user, destroy, references, flags))
RUNTIME_CALL(cudaUserObjectRetain, (struct CUuserObject_st * it, unsigned count), cuUserObjectRetain(it, count))
RUNTIME_CALL(cudaUserObjectRelease, (struct CUuserObject_st * it, unsigned count), cuUserObjectRelease(it, count))
RUNTIME_CALL(cudaGraphRetainUserObject,
             (struct CUgraph_st * graph, struct CUuserObject_st *it, unsigned count, unsigned flags),
             cuGraphRetainUserObject(graph, it, count, flags))
RUNTIME_CALL(cudaGraphReleaseUserObject, (struct CUgraph_st * graph, struct CUuserObject_st *it, unsigned count),
             cuGraphReleaseUserObject(graph, it, count))
