// SPDX-License-Identifier: MIT
// cuGraph*: building, looking at, instantiating and launching graphs.
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "graph_memory.h"
#include "graph_node.h"
#include "turns.h"

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
    if (!object_is(graph, OBJECT_GRAPH) || graph->is_child) return CUDA_ERROR_INVALID_VALUE;
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
    if (graph_has_memory(graph)) return CUDA_ERROR_NOT_SUPPORTED;
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

// --- Edges -----------------------------------------------------------------------------------------------------------

static int are_nodes_of(const struct CUgraph_st *graph, const struct CUgraphNode_st *from,
                        const struct CUgraphNode_st *to)
{
    return object_is(from, OBJECT_NODE) && object_is(to, OBJECT_NODE) && from->graph == graph && to->graph == graph;
}

static int is_edge(const struct CUgraphNode_st *from, const struct CUgraphNode_st *to)
{
    for (uint32_t i = 0; i < to->after_count; i++)
        if (to->after[i] == from) return 1;
    return 0;
}

// Any other is of a kernel that lets the next one start early.
static int is_plain(const struct CUgraphEdgeData_st *edge)
{
    return edge->from_port == 0 && edge->to_port == 0 && edge->type == 0;
}

DRIVER_VISIBLE enum cuda_result cuGraphAddDependencies_v2(struct CUgraph_st *graph, struct CUgraphNode_st *const *from,
                                                          struct CUgraphNode_st *const *to,
                                                          const struct CUgraphEdgeData_st *edges, size_t count)
{
    DRIVER_USE(driver);
    if (!object_is(graph, OBJECT_GRAPH) || (count > 0 && (from == NULL || to == NULL))) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        if (!are_nodes_of(graph, from[i], to[i]) || from[i] == to[i] || is_edge(from[i], to[i]))
            return CUDA_ERROR_INVALID_VALUE;
        if (edges != NULL && !is_plain(&edges[i]) && from[i]->work.type != NODE_KERNEL) return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_edge(from[i], to[i])) return CUDA_ERROR_INVALID_VALUE; // twice in the list
        if (!graph_after(&to[i]->after, &to[i]->after_count, from[i])) return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuGraphRemoveDependencies_v2(struct CUgraph_st *graph,
                                                             struct CUgraphNode_st *const *from,
                                                             struct CUgraphNode_st *const *to,
                                                             const struct CUgraphEdgeData_st *edges, size_t count)
{
    DRIVER_USE(driver);
    (void)edges;
    if (!object_is(graph, OBJECT_GRAPH) || (count > 0 && (from == NULL || to == NULL))) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!are_nodes_of(graph, from[i], to[i]) || !is_edge(from[i], to[i])) return CUDA_ERROR_INVALID_VALUE;
    if (graph_has_memory(graph)) return CUDA_ERROR_NOT_SUPPORTED;
    for (size_t i = 0; i < count; i++) graph_not_after(to[i], from[i]);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuGraphDestroyNode(struct CUgraphNode_st *node)
{
    DRIVER_USE(driver);
    if (!object_is(node, OBJECT_NODE)) return CUDA_ERROR_INVALID_VALUE;
    if (graph_has_memory(node->graph)) return CUDA_ERROR_NOT_SUPPORTED;
    graph_remove(driver, node);
    return CUDA_SUCCESS;
}

// --- Launching -------------------------------------------------------------------------------------------------------

enum { AUTO_FREE = 1, UPLOAD = 2, DEVICE_LAUNCH = 4, NODE_PRIORITY = 8, ALL_FLAGS = 15 };

// What is launched from a kernel frees nothing by itself, and is not empty.
static int are_flags(const struct CUgraph_st *graph, unsigned long long flags)
{
    if (flags > ALL_FLAGS) return 0;
    return !(flags & DEVICE_LAUNCH) || (!(flags & AUTO_FREE) && graph->count > 0);
}

static enum cuda_result instantiate(struct driver *driver, struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                    unsigned long long flags)
{
    if (exec == NULL || !object_is(graph, OBJECT_GRAPH) || !are_flags(graph, flags)) return CUDA_ERROR_INVALID_VALUE;
    if (graph_memory_is_taken(driver, graph)) return CUDA_ERROR_NOT_SUPPORTED;
    const enum cuda_result error = graph_instantiate(driver, graph, exec);
    if (error == CUDA_SUCCESS) (*exec)->flags = flags & ~(unsigned long long)NODE_PRIORITY; // as an H200's driver says
    return error;
}

DRIVER_VISIBLE enum cuda_result cuGraphInstantiateWithFlags(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                                            unsigned long long flags)
{
    DRIVER_USE(driver);
    if (flags & UPLOAD) return CUDA_ERROR_INVALID_VALUE; // it needs a stream
    return instantiate(driver, exec, graph, flags);
}

DRIVER_VISIBLE enum cuda_result cuGraphInstantiateWithParams(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                                             struct CUDA_GRAPH_INSTANTIATE_PARAMS_st *parameters)
{
    enum { DONE, FAILED, BAD_STRUCTURE };
    DRIVER_USE(driver);
    if (parameters == NULL) return CUDA_ERROR_INVALID_VALUE;
    const int is_whole = object_is(graph, OBJECT_GRAPH) && are_flags(graph, parameters->flags);
    const enum cuda_result error = instantiate(driver, exec, graph, parameters->flags);
    parameters->hErrNode_out = NULL;
    parameters->result_out = error == CUDA_SUCCESS ? DONE : is_whole ? BAD_STRUCTURE : FAILED;
    return error;
}

static enum cuda_result run_steps(struct driver *driver, const struct CUgraphExec_st *exec)
{
    enum cuda_result error = graph_memory_start(driver, exec, (exec->flags & AUTO_FREE) != 0);
    for (uint32_t i = 0; i < exec->count && error == CUDA_SUCCESS && driver_usable(driver) == CUDA_SUCCESS; i++) {
        if (exec->step[i].is_disabled) continue;
        error = work_check(driver, "cuGraphLaunch", &exec->step[i].work);
        if (error == CUDA_SUCCESS) error = work_run(driver, &exec->step[i].work);
    }
    return error;
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
    struct turn turn;
    enum cuda_result error = turn_begin(driver, &turn, stream, exec);
    if (error != CUDA_SUCCESS) return error;
    error = run_steps(driver, exec);
    turn_end(driver, &turn);
    return error;
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
    turns_wait(driver, NULL);
    graph_exec_free(driver, exec);
    return CUDA_SUCCESS;
}

// --- Changing what is instantiated -----------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuGraphNodeSetEnabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                      unsigned is_enabled)
{
    DRIVER_USE(driver);
    struct graph_step *step = graph_step_of(exec, node);
    if (step == NULL || !graph_can_disable(step)) return CUDA_ERROR_INVALID_VALUE;
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
        if (node_set_work(driver, &exec->step[i].work, &made->step[i].work) != CUDA_SUCCESS)
            *info =
                (struct CUgraphExecUpdateResultInfo_st){.result = UPDATE_PARAMETERS, .errorNode = made->step[i].node};
    graph_exec_free(driver, made);
    return info->result == UPDATE_OK ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}
