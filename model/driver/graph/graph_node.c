// SPDX-License-Identifier: MIT
// What a node does: every call that adds a node, sets one or tells of one goes by struct CUgraphNodeParams_st, of
// whichever type the node is.
#include "graph_node.h"
#include "graph_condition.h"
#include "graph_memory.h"

#include <stdlib.h>
#include <string.h>

// --- From parameters to work -----------------------------------------------------------------------------------------

static enum cuda_result kernel_of(struct driver *driver, const struct CUDA_KERNEL_NODE_PARAMS_v2_st *from,
                                  struct work_kernel *kernel)
{
    *kernel = (struct work_kernel){.function = from->func != NULL ? from->func : (struct CUfunc_st *)from->kern,
                                   .grid = {from->gridDimX, from->gridDimY, from->gridDimZ},
                                   .block = {from->blockDimX, from->blockDimY, from->blockDimZ},
                                   .shared_bytes = from->sharedMemBytes};
    return kernel_gather(driver, kernel, from->kernelParams, from->extra);
}

static enum cuda_result set_of(const struct CUDA_MEMSET_NODE_PARAMS_st *from, struct work_set *set)
{
    *set = (struct work_set){from->dst, from->pitch, from->width, from->height, from->value, from->elementSize};
    return CUDA_SUCCESS;
}

static enum cuda_result host_of(const struct CUDA_HOST_NODE_PARAMS_st *from, struct work_host *host)
{
    *host = (struct work_host){.call = from->fn, .user = from->userData};
    return from->fn != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static bool are_operations(const struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st *from)
{
    return object_is(from->ctx, OBJECT_CONTEXT) && from->count <= MOST_STREAM_OPERATIONS && from->flags == 0 &&
           (from->paramArray != NULL || from->count == 0);
}

static enum cuda_result alloc_of(struct driver *driver, const struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st *from,
                                 struct work *work)
{
    const struct CUmemPoolProps_st *props = &from->poolProps;
    int is_on_host;
    if (from->bytesize == 0 || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
    if (location_check_new(props->location, 0, &is_on_host) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
    if (is_on_host || props->handleTypes != 0) return CUDA_ERROR_NOT_SUPPORTED;
    if (from->accessDescCount > 1 || (from->accessDescCount == 1 && from->accessDescs == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    unsigned long long address = 0;
    const enum cuda_result error = graph_memory_make(driver, "cuGraphAddMemAllocNode", from->bytesize, &address);
    work->of.address = address;
    return error;
}

static enum cuda_result refuse_type(struct driver *driver, uint32_t type)
{
    enum { EXTERNAL_SIGNAL = 8, EXTERNAL_WAIT = 9 };
    if (type != EXTERNAL_SIGNAL && type != EXTERNAL_WAIT) return CUDA_ERROR_INVALID_VALUE;
    return driver_refuse(driver, CUDA_ERROR_NOT_SUPPORTED, "cuGraphAddNode",
                         "tmaref exec does not have semaphores of other APIs");
}

// The node keeps a copy; what this fills in is the caller's to give back (forget).
static enum cuda_result work_of(struct driver *driver, const struct CUgraphNodeParams_st *from, struct work *work)
{
    *work = (struct work){.type = (enum graph_node_type)from->type};
    switch (from->type) {
    case NODE_KERNEL:
        return kernel_of(driver, &from->kernel, &work->of.kernel);
    case NODE_MEMCPY:
        return copy_of_box(&from->copy.params, &work->of.copy);
    case NODE_MEMSET:
        return set_of(&from->set.params, &work->of.set);
    case NODE_HOST:
        return host_of(&from->host, &work->of.host);
    case NODE_GRAPH:
        work->of.graph = from->child.graph;
        return object_is(from->child.graph, OBJECT_GRAPH) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case NODE_EMPTY:
        return CUDA_SUCCESS;
    case NODE_WAIT_EVENT:
    case NODE_EVENT_RECORD:
        work->of.event = from->event.event;
        return object_is(from->event.event, OBJECT_EVENT) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case NODE_MEM_ALLOC:
        return alloc_of(driver, &from->alloc, work);
    case NODE_MEM_FREE:
        work->of.address = from->freed.dptr;
        return graph_memory_at(driver, from->freed.dptr) != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case NODE_MEM_OPERATIONS:
        work->of.operations = (struct work_operations){from->operations.paramArray, from->operations.count};
        return are_operations(&from->operations) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    default:
        return refuse_type(driver, from->type);
    }
}

static void forget(struct work *work)
{
    if (work->type == NODE_KERNEL) free(work->of.kernel.parameters);
}

// --- Adding ----------------------------------------------------------------------------------------------------------

static bool is_place(const struct node_place *place)
{
    if (place->node == NULL || (place->count > 0 && place->after == NULL)) return false;
    if (!object_is(place->graph, OBJECT_GRAPH)) return false;
    for (size_t i = 0; i < place->count; i++) {
        if (!object_is(place->after[i], OBJECT_NODE) || place->after[i]->graph != place->graph) return false;
        for (size_t j = 0; j < i; j++)
            if (place->after[i] == place->after[j]) return false;
    }
    return true;
}

// What is reserved for later versions is zero.
static bool is_zero_behind(const struct CUgraphNodeParams_st *from)
{
    return from->reserved2 == 0 && from->reserved0[0] == 0 && from->reserved0[1] == 0 && from->reserved0[2] == 0;
}

// A graph frees memory once.
static bool is_freed_before(const struct CUgraph_st *graph, const struct work *work)
{
    for (uint32_t i = 0; i < graph->count && work->type == NODE_MEM_FREE; i++)
        if (graph->node[i]->work.type == NODE_MEM_FREE && graph->node[i]->work.of.address == work->of.address)
            return true;
    return false;
}

// The words of its operations are looked at when it is launched.
static enum cuda_result check_new(struct driver *driver, const struct CUgraph_st *graph, const struct work *work)
{
    if (is_freed_before(graph, work)) return CUDA_ERROR_INVALID_VALUE;
    if (work->type == NODE_GRAPH && (graph_has_memory(work->of.graph) || graph_has_conditions(work->of.graph)))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (work->type == NODE_GRAPH && work->of.graph->is_body) return CUDA_ERROR_NOT_SUPPORTED;
    return work->type == NODE_MEM_OPERATIONS ? CUDA_SUCCESS : work_check(driver, "cuGraphAddNode", work);
}

static enum cuda_result node_add(const struct node_place *place, const struct CUgraphNodeParams_st *from)
{
    DRIVER_USE_OR_RETURN(driver);
    struct work work;
    if (from == NULL || !is_place(place) || !is_zero_behind(from)) return CUDA_ERROR_INVALID_VALUE;
    enum cuda_result error = from->type == NODE_CONDITIONAL
                                 ? condition_work(driver, place->graph, &from->conditional, &work)
                                 : work_of(driver, from, &work);
    if (error == CUDA_SUCCESS) error = check_new(driver, place->graph, &work);
    if (error == CUDA_SUCCESS) {
        *place->node = graph_add(driver, place->graph, place->after, (uint32_t)place->count, &work);
        error = *place->node != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (error != CUDA_SUCCESS && work.type == NODE_MEM_ALLOC) graph_memory_release(driver, work.of.address);
    forget(&work);
    return error;
}

// The same for what tells where its memory is, and which its bodies are.
static enum cuda_result node_add_telling(const struct node_place *place, struct CUgraphNodeParams_st *from)
{
    DRIVER_USE_OR_RETURN(driver);
    const enum cuda_result error = node_add(place, from);
    if (error != CUDA_SUCCESS) return error;
    if (from->type == NODE_MEM_ALLOC) from->alloc.dptr = (*place->node)->work.of.address;
    if (from->type != NODE_CONDITIONAL) return CUDA_SUCCESS;
    struct work_condition *work = &(*place->node)->work.of.condition;
    if (!condition_make_bodies(driver, work, place->graph)) {
        graph_remove(driver, *place->node);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    from->conditional.phGraph_out = work->body;
    return CUDA_SUCCESS;
}

#define PLACE (&(struct node_place){node, graph, after, count})
#define PLACE_PARAMETERS                                                                                               \
    struct CUgraphNode_st **node, struct CUgraph_st *graph, struct CUgraphNode_st *const *after, size_t count

// Nodes of one type: the parameters that its own calls take, in the struct of all types.
#define NODE_PARAMS(number, member, value) (&(struct CUgraphNodeParams_st){.type = (number), .member = (value)})

DRIVER_CALL(cuGraphAddKernelNode_v2, (PLACE_PARAMETERS, const struct CUDA_KERNEL_NODE_PARAMS_v2_st *from),
            from == NULL ? CUDA_ERROR_INVALID_VALUE : node_add(PLACE, NODE_PARAMS(NODE_KERNEL, kernel, *from)))

DRIVER_VISIBLE enum cuda_result cuGraphAddMemcpyNode(PLACE_PARAMETERS, const struct CUDA_MEMCPY3D_st *box,
                                                     struct CUctx_st *context)
{
    (void)context;
    return box == NULL ? CUDA_ERROR_INVALID_VALUE : node_add(PLACE, NODE_PARAMS(NODE_MEMCPY, copy.params, *box));
}

DRIVER_CALL(cuGraphAddMemsetNode,
            (PLACE_PARAMETERS, const struct CUDA_MEMSET_NODE_PARAMS_st *set, struct CUctx_st *context),
            set == NULL || context == NULL ? CUDA_ERROR_INVALID_VALUE
                                           : node_add(PLACE, NODE_PARAMS(NODE_MEMSET, set.params, *set)))
DRIVER_CALL(cuGraphAddHostNode, (PLACE_PARAMETERS, const struct CUDA_HOST_NODE_PARAMS_st *host),
            host == NULL ? CUDA_ERROR_INVALID_VALUE : node_add(PLACE, NODE_PARAMS(NODE_HOST, host, *host)))
DRIVER_CALL(cuGraphAddChildGraphNode, (PLACE_PARAMETERS, struct CUgraph_st *child),
            node_add(PLACE, NODE_PARAMS(NODE_GRAPH, child.graph, child)))
DRIVER_CALL(cuGraphAddEmptyNode, (PLACE_PARAMETERS),
            node_add(PLACE, &(struct CUgraphNodeParams_st){.type = NODE_EMPTY}))
DRIVER_CALL(cuGraphAddEventRecordNode, (PLACE_PARAMETERS, struct CUevent_st *event),
            node_add(PLACE, NODE_PARAMS(NODE_EVENT_RECORD, event.event, event)))
DRIVER_CALL(cuGraphAddEventWaitNode, (PLACE_PARAMETERS, struct CUevent_st *event),
            node_add(PLACE, NODE_PARAMS(NODE_WAIT_EVENT, event.event, event)))

DRIVER_VISIBLE enum cuda_result cuGraphAddMemAllocNode(PLACE_PARAMETERS, struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st *from)
{
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    struct CUgraphNodeParams_st parameters = {.type = NODE_MEM_ALLOC, .alloc = *from};
    const enum cuda_result error = node_add_telling(PLACE, &parameters);
    if (error == CUDA_SUCCESS) from->dptr = parameters.alloc.dptr;
    return error;
}

DRIVER_CALL(cuGraphAddMemFreeNode, (PLACE_PARAMETERS, unsigned long long address),
            node_add(PLACE, NODE_PARAMS(NODE_MEM_FREE, freed.dptr, address)))

DRIVER_VISIBLE enum cuda_result cuGraphAddBatchMemOpNode(PLACE_PARAMETERS,
                                                         const struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st *from)
{
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    return node_add(PLACE, NODE_PARAMS(NODE_MEM_OPERATIONS, operations, *from));
}

DRIVER_VISIBLE enum cuda_result cuGraphAddNode_v2(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                                                  struct CUgraphNode_st *const *after,
                                                  const struct CUgraphEdgeData_st *edges, size_t count,
                                                  struct CUgraphNodeParams_st *from)
{
    (void)edges;
    return node_add_telling(PLACE, from);
}

// --- Setting ---------------------------------------------------------------------------------------------------------

enum cuda_result node_set_work(struct driver *driver, struct work *to, const struct work *from)
{
    struct work made;
    if (to->type != from->type) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = work_check(driver, "cuGraphExecNodeSetParams", from);
    if (error != CUDA_SUCCESS) return error;
    if (!work_duplicate(driver, &made, from)) return CUDA_ERROR_OUT_OF_MEMORY;
    work_release(driver, to);
    *to = made;
    return CUDA_SUCCESS;
}

// Of a node of the same type only. `to` is NULL where there is no such node.
static enum cuda_result set(struct driver *driver, struct work *to, const struct CUgraphNodeParams_st *from)
{
    struct work work;
    if (to == NULL || from == NULL || to->type != from->type) return CUDA_ERROR_INVALID_VALUE;
    if (from->type == NODE_CONDITIONAL) return CUDA_ERROR_NOT_SUPPORTED;
    if (from->type == NODE_MEM_ALLOC || from->type == NODE_MEM_FREE) return CUDA_ERROR_INVALID_VALUE;
    enum cuda_result error = work_of(driver, from, &work);
    if (error == CUDA_SUCCESS) error = node_set_work(driver, to, &work);
    forget(&work);
    return error;
}

static enum cuda_result set_node(struct CUgraphNode_st *node, const struct CUgraphNodeParams_st *from)
{
    DRIVER_USE_OR_RETURN(driver);
    return set(driver, object_is(node, OBJECT_NODE) ? &node->work : NULL, from);
}

static struct CUgraph_st *child_of(const struct CUgraphNode_st *node)
{
    return object_is(node, OBJECT_NODE) && node->work.type == NODE_GRAPH ? node->work.of.graph : NULL;
}

// A child graph is part of what was instantiated: each of its nodes takes what the same one of another graph does.
static enum cuda_result set_child(struct driver *driver, struct CUgraphExec_st *exec, const struct CUgraph_st *child,
                                  const struct CUgraph_st *from)
{
    if (from->count != child->count) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    for (uint32_t i = 0; i < child->count; i++) {
        const struct CUgraphNode_st *to = child->node[i], *other = from->node[i];
        struct graph_step *step = graph_step_of(exec, to);
        enum cuda_result error = CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
        if (child_of(to) != NULL && child_of(other) != NULL)
            error = set_child(driver, exec, child_of(to), child_of(other));
        else if (step != NULL && step->work.type == other->work.type)
            error = node_set_work(driver, &step->work, &other->work);
        if (error != CUDA_SUCCESS) return error;
    }
    return CUDA_SUCCESS;
}

static enum cuda_result set_exec(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                 const struct CUgraphNodeParams_st *from)
{
    DRIVER_USE_OR_RETURN(driver);
    if (from != NULL && from->type == NODE_GRAPH) {
        if (!object_is(exec, OBJECT_GRAPH_EXEC) || child_of(node) == NULL) return CUDA_ERROR_INVALID_VALUE;
        if (!object_is(from->child.graph, OBJECT_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
        return set_child(driver, exec, child_of(node), from->child.graph);
    }
    struct graph_step *step = graph_step_of(exec, node);
    return set(driver, step != NULL ? &step->work : NULL, from);
}

// Both calls of a type of node: that of the node, and that of what was instantiated.
#define SETTERS(name, exec_name, struct_name, number, member)                                                          \
    DRIVER_VISIBLE enum cuda_result name(struct CUgraphNode_st *node, const struct struct_name *from)                  \
    {                                                                                                                  \
        return from == NULL ? CUDA_ERROR_INVALID_VALUE : set_node(node, NODE_PARAMS(number, member, *from));           \
    }                                                                                                                  \
    DRIVER_VISIBLE enum cuda_result exec_name(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,                \
                                              const struct struct_name *from)                                          \
    {                                                                                                                  \
        return from == NULL ? CUDA_ERROR_INVALID_VALUE : set_exec(exec, node, NODE_PARAMS(number, member, *from));     \
    }

SETTERS(cuGraphKernelNodeSetParams_v2, cuGraphExecKernelNodeSetParams_v2, CUDA_KERNEL_NODE_PARAMS_v2_st, NODE_KERNEL,
        kernel)
SETTERS(cuGraphBatchMemOpNodeSetParams, cuGraphExecBatchMemOpNodeSetParams, CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st,
        NODE_MEM_OPERATIONS, operations)
SETTERS(cuGraphHostNodeSetParams, cuGraphExecHostNodeSetParams, CUDA_HOST_NODE_PARAMS_st, NODE_HOST, host)

DRIVER_CALL(cuGraphMemcpyNodeSetParams, (struct CUgraphNode_st * node, const struct CUDA_MEMCPY3D_st *box),
            box == NULL ? CUDA_ERROR_INVALID_VALUE : set_node(node, NODE_PARAMS(NODE_MEMCPY, copy.params, *box)))

DRIVER_VISIBLE enum cuda_result cuGraphExecMemcpyNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                               const struct CUDA_MEMCPY3D_st *box,
                                                               struct CUctx_st *context)
{
    (void)context;
    if (box == NULL) return CUDA_ERROR_INVALID_VALUE;
    return set_exec(exec, node, NODE_PARAMS(NODE_MEMCPY, copy.params, *box));
}

DRIVER_CALL(cuGraphMemsetNodeSetParams, (struct CUgraphNode_st * node, const struct CUDA_MEMSET_NODE_PARAMS_st *from),
            from == NULL ? CUDA_ERROR_INVALID_VALUE : set_node(node, NODE_PARAMS(NODE_MEMSET, set.params, *from)))

DRIVER_VISIBLE enum cuda_result cuGraphExecMemsetNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                               const struct CUDA_MEMSET_NODE_PARAMS_st *from,
                                                               struct CUctx_st *context)
{
    (void)context;
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    return set_exec(exec, node, NODE_PARAMS(NODE_MEMSET, set.params, *from));
}

DRIVER_CALL(cuGraphExecChildGraphNodeSetParams,
            (struct CUgraphExec_st * exec, struct CUgraphNode_st *node, struct CUgraph_st *child),
            set_exec(exec, node, NODE_PARAMS(NODE_GRAPH, child.graph, child)))
DRIVER_CALL(cuGraphEventRecordNodeSetEvent, (struct CUgraphNode_st * node, struct CUevent_st *event),
            set_node(node, NODE_PARAMS(NODE_EVENT_RECORD, event.event, event)))
DRIVER_CALL(cuGraphEventWaitNodeSetEvent, (struct CUgraphNode_st * node, struct CUevent_st *event),
            set_node(node, NODE_PARAMS(NODE_WAIT_EVENT, event.event, event)))
DRIVER_CALL(cuGraphExecEventRecordNodeSetEvent,
            (struct CUgraphExec_st * exec, struct CUgraphNode_st *node, struct CUevent_st *event),
            set_exec(exec, node, NODE_PARAMS(NODE_EVENT_RECORD, event.event, event)))
DRIVER_CALL(cuGraphExecEventWaitNodeSetEvent,
            (struct CUgraphExec_st * exec, struct CUgraphNode_st *node, struct CUevent_st *event),
            set_exec(exec, node, NODE_PARAMS(NODE_WAIT_EVENT, event.event, event)))
DRIVER_CALL(cuGraphNodeSetParams, (struct CUgraphNode_st * node, struct CUgraphNodeParams_st *from),
            set_node(node, from))
DRIVER_CALL(cuGraphExecNodeSetParams,
            (struct CUgraphExec_st * exec, struct CUgraphNode_st *node, struct CUgraphNodeParams_st *from),
            set_exec(exec, node, from))
