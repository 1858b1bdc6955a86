// SPDX-License-Identifier: MIT
// cuGraph*: building, looking at, instantiating and launching graphs.
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "work_graph.h"

struct where {
    struct CUgraphNode_st **node;
    struct CUgraph_st *graph;
    struct CUgraphNode_st *const *after;
    size_t count;
};

static enum cuda_result add(struct driver *driver, const struct where *where, const struct work *work)
{
    if (where->node == NULL || (where->count > 0 && where->after == NULL)) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(where->graph, OBJECT_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < where->count; i++)
        if (!object_is(where->after[i], OBJECT_NODE) || where->after[i]->graph != where->graph)
            return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = work_check(driver, "cuGraphAddNode", work);
    if (error != CUDA_SUCCESS) return error;
    *where->node = graph_add(driver, where->graph, where->after, (uint32_t)where->count, work);
    return *where->node != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

#define WHERE (&(struct where){node, graph, after, count})
#define WHERE_PARAMETERS                                                                                               \
    struct CUgraphNode_st **node, struct CUgraph_st *graph, struct CUgraphNode_st *const *after, size_t count

DRIVER_VISIBLE enum cuda_result cuGraphCreate(struct CUgraph_st **graph, unsigned flags)
{
    DRIVER_USE_BARE(driver);
    if (graph == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    *graph = graph_new(driver);
    return *graph != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static int is_captured_into(const struct driver *driver, const struct CUgraph_st *graph)
{
    for (const struct object *object = driver->objects.live[OBJECT_STREAM]; object != NULL; object = object->next)
        if (((const struct CUstream_st *)object)->capture == graph) return 1;
    return 0;
}

DRIVER_VISIBLE enum cuda_result cuGraphDestroy(struct CUgraph_st *graph)
{
    DRIVER_USE(driver);
    if (!object_is(graph, OBJECT_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
    if (is_captured_into(driver, graph))
        return driver_refuse(driver, CUDA_ERROR_ILLEGAL_STATE, "cuGraphDestroy",
                             "a stream is captured into this graph: end the capture first");
    graph_free(driver, graph);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuGraphClone(struct CUgraph_st **clone, struct CUgraph_st *graph)
{
    DRIVER_USE(driver);
    if (clone == NULL || !object_is(graph, OBJECT_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
    *clone = graph_duplicate(driver, graph);
    return *clone != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

DRIVER_VISIBLE enum cuda_result cuGraphNodeFindInClone(struct CUgraphNode_st **node, struct CUgraphNode_st *original,
                                                       struct CUgraph_st *clone)
{
    DRIVER_USE(driver);
    if (node == NULL || !object_is(clone, OBJECT_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < clone->count; i++) {
        if (clone->node[i]->original != original) continue;
        *node = clone->node[i];
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

// --- Nodes -----------------------------------------------------------------------------------------------------------

static enum cuda_result kernel_of(struct driver *driver, const struct CUDA_KERNEL_NODE_PARAMS_v2_st *from,
                                  struct work *work)
{
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    struct CUfunc_st *function = from->func != NULL ? from->func : (struct CUfunc_st *)from->kern;
    *work = (struct work){NODE_KERNEL,
                          {.kernel = {.function = function,
                                      .grid = {from->gridDimX, from->gridDimY, from->gridDimZ},
                                      .block = {from->blockDimX, from->blockDimY, from->blockDimZ},
                                      .shared_bytes = from->sharedMemBytes}}};
    const enum cuda_result error = kernel_gather(driver, &work->of.kernel, from->kernelParams, from->extra);
    if (error != CUDA_SUCCESS) free(work->of.kernel.parameters);
    return error;
}

DRIVER_VISIBLE enum cuda_result cuGraphAddKernelNode_v2(WHERE_PARAMETERS,
                                                        const struct CUDA_KERNEL_NODE_PARAMS_v2_st *parameters)
{
    DRIVER_USE(driver);
    struct work work;
    enum cuda_result error = kernel_of(driver, parameters, &work);
    if (error != CUDA_SUCCESS) return error;
    error = add(driver, WHERE, &work);
    free(work.of.kernel.parameters);
    return error;
}

DRIVER_VISIBLE enum cuda_result cuGraphAddMemcpyNode(WHERE_PARAMETERS, const struct CUDA_MEMCPY3D_st *box,
                                                     struct CUctx_st *context)
{
    DRIVER_USE(driver);
    (void)context;
    struct work work = {.type = NODE_MEMCPY};
    const enum cuda_result error = copy_of_box(box, &work.of.copy);
    return error != CUDA_SUCCESS ? error : add(driver, WHERE, &work);
}

static struct work work_of_set(const struct CUDA_MEMSET_NODE_PARAMS_st *set)
{
    return (struct work){NODE_MEMSET,
                         {.set = {set->dst, set->pitch, set->width, set->height, set->value, set->elementSize}}};
}

DRIVER_VISIBLE enum cuda_result cuGraphAddMemsetNode(WHERE_PARAMETERS, const struct CUDA_MEMSET_NODE_PARAMS_st *set,
                                                     struct CUctx_st *context)
{
    DRIVER_USE(driver);
    (void)context;
    if (set == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct work work = work_of_set(set);
    return add(driver, WHERE, &work);
}

DRIVER_VISIBLE enum cuda_result cuGraphAddHostNode(WHERE_PARAMETERS, const struct CUDA_HOST_NODE_PARAMS_st *host)
{
    DRIVER_USE(driver);
    if (host == NULL || host->fn == NULL) return CUDA_ERROR_INVALID_VALUE;
    return add(driver, WHERE, &(struct work){NODE_HOST, {.host = {host->fn, host->userData}}});
}

DRIVER_VISIBLE enum cuda_result cuGraphAddChildGraphNode(WHERE_PARAMETERS, struct CUgraph_st *child)
{
    DRIVER_USE(driver);
    if (!object_is(child, OBJECT_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
    return add(driver, WHERE, &(struct work){NODE_GRAPH, {.graph = child}});
}

DRIVER_VISIBLE enum cuda_result cuGraphAddEmptyNode(WHERE_PARAMETERS)
{
    DRIVER_USE(driver);
    return add(driver, WHERE, &(struct work){.type = NODE_EMPTY});
}

DRIVER_VISIBLE enum cuda_result cuGraphAddEventRecordNode(WHERE_PARAMETERS, struct CUevent_st *event)
{
    DRIVER_USE(driver);
    if (!object_is(event, OBJECT_EVENT)) return CUDA_ERROR_INVALID_VALUE;
    return add(driver, WHERE, &(struct work){NODE_EVENT_RECORD, {.event = event}});
}

DRIVER_VISIBLE enum cuda_result cuGraphAddEventWaitNode(WHERE_PARAMETERS, struct CUevent_st *event)
{
    DRIVER_USE(driver);
    if (!object_is(event, OBJECT_EVENT)) return CUDA_ERROR_INVALID_VALUE;
    return add(driver, WHERE, &(struct work){NODE_WAIT_EVENT, {.event = event}});
}

DRIVER_VISIBLE enum cuda_result cuGraphAddDependencies_v2(struct CUgraph_st *graph, struct CUgraphNode_st *const *from,
                                                          struct CUgraphNode_st *const *to,
                                                          const struct CUgraphEdgeData_st *edges, size_t count)
{
    DRIVER_USE(driver);
    (void)edges;
    if (!object_is(graph, OBJECT_GRAPH) || (count > 0 && (from == NULL || to == NULL))) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        if (!object_is(from[i], OBJECT_NODE) || !object_is(to[i], OBJECT_NODE)) return CUDA_ERROR_INVALID_VALUE;
        if (from[i]->graph != graph || to[i]->graph != graph) return CUDA_ERROR_INVALID_VALUE;
        if (!graph_after(&to[i]->after, &to[i]->after_count, from[i])) return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

// --- Looking ---------------------------------------------------------------------------------------------------------

// Writes those of the graph's nodes that are wanted: as many as fit, or only how many.
static enum cuda_result list_nodes(struct CUgraph_st *graph, struct CUgraphNode_st **to, size_t *count, int only_roots)
{
    if (!object_is(graph, OBJECT_GRAPH) || count == NULL) return CUDA_ERROR_INVALID_VALUE;
    size_t found = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        if (only_roots && graph->node[i]->after_count > 0) continue;
        if (to != NULL && found < *count) to[found] = graph->node[i];
        found++;
    }
    if (to != NULL)
        for (size_t i = found; i < *count; i++) to[i] = NULL;
    if (to == NULL || found < *count) *count = found;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuGraphGetNodes(struct CUgraph_st *graph, struct CUgraphNode_st **to, size_t *count)
{
    DRIVER_USE(driver);
    return list_nodes(graph, to, count, 0);
}

DRIVER_VISIBLE enum cuda_result cuGraphGetRootNodes(struct CUgraph_st *graph, struct CUgraphNode_st **to, size_t *count)
{
    DRIVER_USE(driver);
    return list_nodes(graph, to, count, 1);
}

DRIVER_VISIBLE enum cuda_result cuGraphGetEdges_v2(struct CUgraph_st *graph, struct CUgraphNode_st **from,
                                                   struct CUgraphNode_st **to, struct CUgraphEdgeData_st *edges,
                                                   size_t *count)
{
    DRIVER_USE(driver);
    if (!object_is(graph, OBJECT_GRAPH) || count == NULL) return CUDA_ERROR_INVALID_VALUE;
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

DRIVER_VISIBLE enum cuda_result cuGraphNodeGetType(struct CUgraphNode_st *node, uint32_t *type)
{
    DRIVER_USE(driver);
    if (!object_is(node, OBJECT_NODE) || type == NULL) return CUDA_ERROR_INVALID_VALUE;
    *type = node->work.type;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuGraphNodeGetDependencies_v2(struct CUgraphNode_st *node, struct CUgraphNode_st **to,
                                                              struct CUgraphEdgeData_st *edges, size_t *count)
{
    DRIVER_USE(driver);
    if (!object_is(node, OBJECT_NODE) || count == NULL) return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; to != NULL && i < *count; i++) {
        to[i] = i < node->after_count ? node->after[i] : NULL;
        if (edges != NULL) memset(&edges[i], 0, sizeof edges[i]);
    }
    if (to == NULL || node->after_count < *count) *count = node->after_count;
    return CUDA_SUCCESS;
}

// --- Launching -------------------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuGraphInstantiateWithFlags(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                                            unsigned long long flags)
{
    DRIVER_USE(driver);
    enum { DEVICE_LAUNCH = 4, ALL_FLAGS = 15 };
    if (exec == NULL || !object_is(graph, OBJECT_GRAPH) || flags > ALL_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    if (flags & DEVICE_LAUNCH)
        return driver_refuse(driver, CUDA_ERROR_NOT_SUPPORTED, "cuGraphInstantiate",
                             "tmaref exec does not launch graphs from kernels");
    const enum cuda_result error = graph_instantiate(driver, graph, exec);
    if (error == CUDA_SUCCESS) (*exec)->flags = flags;
    return error;
}

DRIVER_VISIBLE enum cuda_result cuGraphInstantiateWithParams(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                                             struct CUDA_GRAPH_INSTANTIATE_PARAMS_st *parameters)
{
    if (parameters == NULL) return CUDA_ERROR_INVALID_VALUE;
    return cuGraphInstantiateWithFlags(exec, graph, parameters->flags);
}

DRIVER_VISIBLE enum cuda_result cuGraphLaunch(struct CUgraphExec_st *exec, struct CUstream_st *handle)
{
    DRIVER_USE(driver);
    struct CUstream_st *stream = stream_of(driver, handle);
    if (!object_is(exec, OBJECT_GRAPH_EXEC)) return CUDA_ERROR_INVALID_VALUE;
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture != NULL) {
        capture_spoil(driver, stream->capture_id);
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    if (capture_holds(driver, stream)) return capture_refuse_held(driver, stream);
    for (uint32_t i = 0; i < exec->count && driver_usable(driver) == CUDA_SUCCESS; i++) {
        if (exec->step[i].is_disabled) continue;
        enum cuda_result error = work_check(driver, "cuGraphLaunch", &exec->step[i].work);
        if (error == CUDA_SUCCESS) error = work_run(driver, &exec->step[i].work);
        if (error != CUDA_SUCCESS) return error;
    }
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuGraphUpload(struct CUgraphExec_st *exec, struct CUstream_st *stream)
{
    DRIVER_USE(driver);
    if (stream_of(driver, stream) == NULL) return CUDA_ERROR_INVALID_HANDLE;
    return object_is(exec, OBJECT_GRAPH_EXEC) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_VISIBLE enum cuda_result cuGraphExecDestroy(struct CUgraphExec_st *exec)
{
    DRIVER_USE(driver);
    if (!object_is(exec, OBJECT_GRAPH_EXEC)) return CUDA_ERROR_INVALID_VALUE;
    graph_exec_free(driver, exec);
    return CUDA_SUCCESS;
}

// --- Changing what is instantiated -----------------------------------------------------------------------------------

static struct graph_step *step_of(struct CUgraphExec_st *exec, const struct CUgraphNode_st *node)
{
    for (uint32_t i = 0; object_is(exec, OBJECT_GRAPH_EXEC) && i < exec->count; i++)
        if (exec->step[i].node == node) return &exec->step[i];
    return NULL;
}

static enum cuda_result set_work(struct driver *driver, struct work *to, const struct work *from)
{
    struct work made;
    if (to == NULL || to->type != from->type) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = work_check(driver, "cuGraphExecNodeSetParams", from);
    if (error != CUDA_SUCCESS) return error;
    if (!work_duplicate(driver, &made, from)) return CUDA_ERROR_OUT_OF_MEMORY;
    work_release(driver, to);
    *to = made;
    return CUDA_SUCCESS;
}

static enum cuda_result set_kernel(struct driver *driver, struct work *to,
                                   const struct CUDA_KERNEL_NODE_PARAMS_v2_st *parameters)
{
    struct work work;
    enum cuda_result error = kernel_of(driver, parameters, &work);
    if (error != CUDA_SUCCESS) return error;
    error = set_work(driver, to, &work);
    free(work.of.kernel.parameters);
    return error;
}

DRIVER_VISIBLE enum cuda_result
cuGraphExecKernelNodeSetParams_v2(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                  const struct CUDA_KERNEL_NODE_PARAMS_v2_st *parameters)
{
    DRIVER_USE(driver);
    struct graph_step *step = step_of(exec, node);
    return step == NULL ? CUDA_ERROR_INVALID_VALUE : set_kernel(driver, &step->work, parameters);
}

DRIVER_VISIBLE enum cuda_result cuGraphKernelNodeSetParams_v2(struct CUgraphNode_st *node,
                                                              const struct CUDA_KERNEL_NODE_PARAMS_v2_st *parameters)
{
    DRIVER_USE(driver);
    return object_is(node, OBJECT_NODE) ? set_kernel(driver, &node->work, parameters) : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_VISIBLE enum cuda_result cuGraphExecMemcpyNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                               const struct CUDA_MEMCPY3D_st *box,
                                                               struct CUctx_st *context)
{
    DRIVER_USE(driver);
    (void)context;
    struct graph_step *step = step_of(exec, node);
    struct work work = {.type = NODE_MEMCPY};
    const enum cuda_result error = copy_of_box(box, &work.of.copy);
    if (step == NULL) return CUDA_ERROR_INVALID_VALUE;
    return error != CUDA_SUCCESS ? error : set_work(driver, &step->work, &work);
}

DRIVER_VISIBLE enum cuda_result cuGraphExecMemsetNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                               const struct CUDA_MEMSET_NODE_PARAMS_st *set,
                                                               struct CUctx_st *context)
{
    DRIVER_USE(driver);
    (void)context;
    struct graph_step *step = step_of(exec, node);
    if (step == NULL || set == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct work work = work_of_set(set);
    return set_work(driver, &step->work, &work);
}

DRIVER_VISIBLE enum cuda_result cuGraphExecHostNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                             const struct CUDA_HOST_NODE_PARAMS_st *host)
{
    DRIVER_USE(driver);
    struct graph_step *step = step_of(exec, node);
    if (step == NULL || host == NULL || host->fn == NULL) return CUDA_ERROR_INVALID_VALUE;
    return set_work(driver, &step->work, &(struct work){NODE_HOST, {.host = {host->fn, host->userData}}});
}

DRIVER_VISIBLE enum cuda_result cuGraphNodeSetEnabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                      unsigned is_enabled)
{
    DRIVER_USE(driver);
    struct graph_step *step = step_of(exec, node);
    if (step == NULL) return CUDA_ERROR_INVALID_VALUE;
    const uint32_t type = step->work.type;
    if (type != NODE_KERNEL && type != NODE_MEMCPY && type != NODE_MEMSET) return CUDA_ERROR_INVALID_VALUE;
    step->is_disabled = !is_enabled;
    return CUDA_SUCCESS;
}

enum { UPDATE_OK, UPDATE_ERROR, UPDATE_TOPOLOGY, UPDATE_NODE_TYPE, UPDATE_PARAMETERS = 5 };

// What keeps `made` from taking the place of `exec`, and at which node: both must have the same nodes in the same
// order.
static struct CUgraphExecUpdateResultInfo_st compare(const struct CUgraphExec_st *exec,
                                                     const struct CUgraphExec_st *made)
{
    if (made->count != exec->count) return (struct CUgraphExecUpdateResultInfo_st){.result = UPDATE_TOPOLOGY};
    for (uint32_t i = 0; i < made->count; i++) {
        const struct graph_step *to = &exec->step[i], *from = &made->step[i];
        if (from->work.type != to->work.type)
            return (struct CUgraphExecUpdateResultInfo_st){.result = UPDATE_NODE_TYPE, .errorNode = from->node};
        if (from->after_count != to->after_count)
            return (struct CUgraphExecUpdateResultInfo_st){.result = UPDATE_TOPOLOGY, .errorNode = from->node};
    }
    return (struct CUgraphExecUpdateResultInfo_st){.result = UPDATE_OK};
}

DRIVER_VISIBLE enum cuda_result cuGraphExecUpdate_v2(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                                                     struct CUgraphExecUpdateResultInfo_st *info)
{
    DRIVER_USE(driver);
    struct CUgraphExecUpdateResultInfo_st unasked;
    if (!object_is(exec, OBJECT_GRAPH_EXEC) || !object_is(graph, OBJECT_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
    if (info == NULL) info = &unasked;
    struct CUgraphExec_st *made;
    const enum cuda_result error = graph_instantiate(driver, graph, &made);
    if (error != CUDA_SUCCESS) return error;
    *info = compare(exec, made);
    for (uint32_t i = 0; i < made->count && info->result == UPDATE_OK; i++)
        if (set_work(driver, &exec->step[i].work, &made->step[i].work) != CUDA_SUCCESS)
            *info =
                (struct CUgraphExecUpdateResultInfo_st){.result = UPDATE_PARAMETERS, .errorNode = made->step[i].node};
    graph_exec_free(driver, made);
    return info->result == UPDATE_OK ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}
