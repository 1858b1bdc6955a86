// SPDX-License-Identifier: MIT
// What a graph has: its nodes, its edges, and what a node does.
#include <stdlib.h>
#include <string.h>

#include "graph_memory.h"
#include "graph_node.h"

// --- Lists -----------------------------------------------------------------------------------------------------------

// A list that the caller has room for: `count` of it, of which `found` are used so far. NULL counts only.
struct list {
    struct CUgraphNode_st **to;
    struct CUgraphEdgeData_st *edges; // plain ones, all zero; may be NULL
    size_t *count, found;
};

static void list_add(struct list *list, struct CUgraphNode_st *node)
{
    if (list->to != NULL && list->found < *list->count) {
        list->to[list->found] = node;
        if (list->edges != NULL) memset(&list->edges[list->found], 0, sizeof *list->edges);
    }
    list->found++;
}

// What is left of the room is NULL. The count is what there was, or what fitted.
static enum cuda_result list_end(const struct list *list)
{
    if (list->to != NULL)
        for (size_t i = list->found; i < *list->count; i++) list->to[i] = NULL;
    if (list->to == NULL || list->found < *list->count) *list->count = list->found;
    return CUDA_SUCCESS;
}

static enum cuda_result list_nodes(const struct CUgraph_st *graph, struct CUgraphNode_st **to, size_t *count,
                                   bool only_roots)
{
    struct list list = {.to = to, .count = count};
    if (!object_is(graph, OBJECT_GRAPH) || count == NULL) return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < graph->count; i++)
        if (!only_roots || graph->node[i]->after_count == 0) list_add(&list, graph->node[i]);
    return list_end(&list);
}

DRIVER_USE_CALL(cuGraphGetNodes, (struct CUgraph_st * graph, struct CUgraphNode_st **to, size_t *count),
                list_nodes(graph, to, count, 0))
DRIVER_USE_CALL(cuGraphGetRootNodes, (struct CUgraph_st * graph, struct CUgraphNode_st **to, size_t *count),
                list_nodes(graph, to, count, 1))

DRIVER_VISIBLE enum cuda_result cuGraphGetEdges_v2(struct CUgraph_st *graph, struct CUgraphNode_st **from,
                                                   struct CUgraphNode_st **to, struct CUgraphEdgeData_st *edges,
                                                   size_t *count)
{
    DRIVER_USE_OR_RETURN(driver);
    if (!object_is(graph, OBJECT_GRAPH) || count == NULL || (from == NULL) != (to == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    size_t found = 0;
    for (uint32_t i = 0; i < graph->count; i++)
        for (uint32_t j = 0; j < graph->node[i]->after_count; j++, found++) {
            if (from == NULL || to == NULL || found >= *count) continue;
            from[found] = graph->node[i]->after[j];
            to[found] = graph->node[i];
            if (edges != NULL) memset(&edges[found], 0, sizeof edges[found]);
        }
    if (from == NULL || found < *count) *count = found;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuGraphNodeGetDependencies_v2(struct CUgraphNode_st *node, struct CUgraphNode_st **to,
                                                              struct CUgraphEdgeData_st *edges, size_t *count)
{
    DRIVER_USE_OR_RETURN(driver);
    struct list list = {.to = to, .edges = edges, .count = count};
    if (!object_is(node, OBJECT_NODE) || count == NULL) return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < node->after_count; i++) list_add(&list, node->after[i]);
    return list_end(&list);
}

static bool is_after(const struct CUgraphNode_st *node, const struct CUgraphNode_st *other)
{
    for (uint32_t i = 0; i < node->after_count; i++)
        if (node->after[i] == other) return true;
    return false;
}

DRIVER_VISIBLE enum cuda_result cuGraphNodeGetDependentNodes_v2(struct CUgraphNode_st *node, struct CUgraphNode_st **to,
                                                                struct CUgraphEdgeData_st *edges, size_t *count)
{
    DRIVER_USE_OR_RETURN(driver);
    struct list list = {.to = to, .edges = edges, .count = count};
    if (!object_is(node, OBJECT_NODE) || count == NULL) return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < node->graph->count; i++)
        if (is_after(node->graph->node[i], node)) list_add(&list, node->graph->node[i]);
    return list_end(&list);
}

// --- What a node does ------------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuGraphNodeGetType(struct CUgraphNode_st *node, uint32_t *type)
{
    DRIVER_USE_OR_RETURN(driver);
    if (!object_is(node, OBJECT_NODE) || type == NULL) return CUDA_ERROR_INVALID_VALUE;
    *type = node->work.type;
    return CUDA_SUCCESS;
}

// The work of a node of that type, NULL if it is none or nobody takes the answer.
static const struct work *work_at(const struct CUgraphNode_st *node, enum graph_node_type type, const void *to)
{
    return to != NULL && object_is(node, OBJECT_NODE) && node->work.type == type ? &node->work : NULL;
}

// The first line of a call that tells what a node of one type does.
#define WORK_OR_RETURN(work, type)                                                                                     \
    DRIVER_USE_OR_RETURN(driver);                                                                                      \
    const struct work *work = work_at(node, type, to);                                                                 \
    if (work == NULL) return CUDA_ERROR_INVALID_VALUE

// Where the parameters of a kernel lie, as long as the node keeps them; NULL if there is no memory.
static void **pointers_of(struct CUgraphNode_st *node)
{
    const struct work_kernel *kernel = &node->work.of.kernel;
    const struct machine_kernel_facts *facts = &kernel->function->facts;
    void **pointers = realloc(node->pointers, (facts->parameters + 1) * sizeof *pointers);
    if (pointers == NULL) return NULL;
    node->pointers = pointers;
    for (uint32_t i = 0; i < facts->parameters; i++) pointers[i] = kernel->parameters + facts->parameter[i].offset;
    return pointers;
}

DRIVER_VISIBLE enum cuda_result cuGraphKernelNodeGetParams_v2(struct CUgraphNode_st *node,
                                                              struct CUDA_KERNEL_NODE_PARAMS_v2_st *to)
{
    WORK_OR_RETURN(work, NODE_KERNEL);
    const struct work_kernel *kernel = &work->of.kernel;
    if (!object_is(kernel->function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    void **pointers = pointers_of(node);
    if (pointers == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    *to = (struct CUDA_KERNEL_NODE_PARAMS_v2_st){.func = kernel->function,
                                                 .gridDimX = kernel->grid[0],
                                                 .gridDimY = kernel->grid[1],
                                                 .gridDimZ = kernel->grid[2],
                                                 .blockDimX = kernel->block[0],
                                                 .blockDimY = kernel->block[1],
                                                 .blockDimZ = kernel->block[2],
                                                 .sharedMemBytes = kernel->shared_bytes,
                                                 .kernelParams = pointers,
                                                 .ctx = driver_context()};
    return CUDA_SUCCESS;
}

#define NODE_CALL(name, node_type, type, ...)                                                                          \
    DRIVER_VISIBLE enum cuda_result name(struct CUgraphNode_st *node, type *to)                                        \
    {                                                                                                                  \
        WORK_OR_RETURN(work, node_type);                                                                               \
        *to = __VA_ARGS__;                                                                                             \
        return CUDA_SUCCESS;                                                                                           \
    }

NODE_CALL(cuGraphMemcpyNodeGetParams, NODE_MEMCPY, struct CUDA_MEMCPY3D_st, copy_box(&work->of.copy))
NODE_CALL(cuGraphMemsetNodeGetParams, NODE_MEMSET, struct CUDA_MEMSET_NODE_PARAMS_st,
          (struct CUDA_MEMSET_NODE_PARAMS_st){work->of.set.to, work->of.set.pitch, work->of.set.value,
                                              work->of.set.element_bytes, work->of.set.width, work->of.set.height})
NODE_CALL(cuGraphHostNodeGetParams, NODE_HOST, struct CUDA_HOST_NODE_PARAMS_st,
          (struct CUDA_HOST_NODE_PARAMS_st){work->of.host.call, work->of.host.user})
NODE_CALL(cuGraphMemFreeNodeGetParams, NODE_MEM_FREE, unsigned long long, work->of.address)
NODE_CALL(cuGraphBatchMemOpNodeGetParams, NODE_MEM_OPERATIONS, struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st,
          (struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st){
              .ctx = driver_context(), .count = work->of.operations.count, .paramArray = work->of.operations.at})
NODE_CALL(cuGraphChildGraphNodeGetGraph, NODE_GRAPH, struct CUgraph_st *, work->of.graph)
NODE_CALL(cuGraphEventRecordNodeGetEvent, NODE_EVENT_RECORD, struct CUevent_st *, work->of.event)
NODE_CALL(cuGraphEventWaitNodeGetEvent, NODE_WAIT_EVENT, struct CUevent_st *, work->of.event)

// The place and the kind are those of all memory of graphs.
DRIVER_VISIBLE enum cuda_result cuGraphMemAllocNodeGetParams(struct CUgraphNode_st *node,
                                                             struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st *to)
{
    DRIVER_USE_OR_RETURN(driver);
    const struct work *work = work_at(node, NODE_MEM_ALLOC, to);
    const struct allocation *memory = work == NULL ? NULL : graph_memory_at(driver, work->of.address);
    if (memory == NULL) return CUDA_ERROR_INVALID_VALUE;
    *to = (struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st){.bytesize = memory->size_bytes, .dptr = memory->address};
    to->poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    to->poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return CUDA_SUCCESS;
}

// --- What was instantiated -------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuGraphExecGetFlags(struct CUgraphExec_st *exec, uint64_t *flags)
{
    DRIVER_USE_OR_RETURN(driver);
    if (!object_is(exec, OBJECT_GRAPH_EXEC) || flags == NULL) return CUDA_ERROR_INVALID_VALUE;
    *flags = exec->flags;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuGraphNodeGetEnabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                      unsigned *is_enabled)
{
    DRIVER_USE_OR_RETURN(driver);
    const struct graph_step *step = graph_step_of(exec, node);
    if (step == NULL || is_enabled == NULL || !graph_can_disable(step)) return CUDA_ERROR_INVALID_VALUE;
    *is_enabled = !step->is_disabled;
    return CUDA_SUCCESS;
}
