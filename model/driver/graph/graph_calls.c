// SPDX-License-Identifier: MIT
// cuGraph*: building, looking at, instantiating and launching graphs.
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "graph_condition.h"
#include "graph_memory.h"
#include "graph_node.h"
#include "later.h"
#include "sanitize_order.h"

DRIVER_VISIBLE enum cuda_result cuGraphCreate(struct CUgraph_st **graph, unsigned flags)
{
    DRIVER_USE_BARE_FAILED_OR_RETURN(driver);
    if (graph == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    *graph = graph_new(driver);
    return *graph != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

// Is a stream captured into this graph, or into a part of it?
static bool is_captured_into(const struct driver *driver, const struct CUgraph_st *graph)
{
    for (const struct object *object = driver->objects.live[OBJECT_STREAM]; object != NULL; object = object->next) {
        const struct CUgraph_st *into = ((const struct CUstream_st *)object)->capture;
        if (object_is(into, OBJECT_GRAPH) && graph_is_in(into, graph)) return true;
    }
    return false;
}

// The same of what a node has in it.
static bool is_node_captured_into(const struct driver *driver, const struct work *work)
{
    if (work->type == NODE_GRAPH) return is_captured_into(driver, work->of.graph);
    for (unsigned i = 0; work->type == NODE_CONDITIONAL && i < work->of.condition.size; i++)
        if (is_captured_into(driver, work->of.condition.body[i])) return true;
    return false;
}

static enum cuda_result refuse_captured(struct driver *driver, const char *call)
{
    return driver_refuse(driver, CUDA_ERROR_ILLEGAL_STATE, call,
                         "a stream is captured into this graph, or into a part of it: end the capture first");
}

DRIVER_VISIBLE enum cuda_result cuGraphDestroy(struct CUgraph_st *graph)
{
    DRIVER_USE_BARE_FAILED_OR_RETURN(driver);
    if (!object_is(graph, OBJECT_GRAPH) || graph->is_child) return CUDA_ERROR_INVALID_VALUE;
    if (is_captured_into(driver, graph)) return refuse_captured(driver, "cuGraphDestroy");
    graph_free(driver, graph);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuGraphClone(struct CUgraph_st **clone, struct CUgraph_st *graph)
{
    DRIVER_USE_OR_RETURN(driver);
    if (clone == NULL || !object_is(graph, OBJECT_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
    if (graph_has_memory(graph) || graph_has_conditions(graph)) return CUDA_ERROR_NOT_SUPPORTED;
    *clone = graph_duplicate(driver, graph);
    return *clone != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

DRIVER_VISIBLE enum cuda_result cuGraphNodeFindInClone(struct CUgraphNode_st **node, struct CUgraphNode_st *original,
                                                       struct CUgraph_st *clone)
{
    DRIVER_USE_OR_RETURN(driver);
    if (node == NULL || !object_is(clone, OBJECT_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < clone->count; i++) {
        if (clone->node[i]->original != original) continue;
        *node = clone->node[i];
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

// --- Edges -----------------------------------------------------------------------------------------------------------

static bool are_nodes_of(const struct CUgraph_st *graph, const struct CUgraphNode_st *from,
                         const struct CUgraphNode_st *to)
{
    return object_is(from, OBJECT_NODE) && object_is(to, OBJECT_NODE) && from->graph == graph && to->graph == graph;
}

static bool is_edge(const struct CUgraphNode_st *from, const struct CUgraphNode_st *to)
{
    for (uint32_t i = 0; i < to->after_count; i++)
        if (to->after[i] == from) return true;
    return false;
}

// Any other is of a kernel that lets the next one start early.
static bool is_plain(const struct CUgraphEdgeData_st *edge)
{
    return edge->from_port == 0 && edge->to_port == 0 && edge->type == 0;
}

DRIVER_VISIBLE enum cuda_result cuGraphAddDependencies_v2(struct CUgraph_st *graph, struct CUgraphNode_st *const *from,
                                                          struct CUgraphNode_st *const *to,
                                                          const struct CUgraphEdgeData_st *edges, size_t count)
{
    DRIVER_USE_OR_RETURN(driver);
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
    DRIVER_USE_OR_RETURN(driver);
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
    DRIVER_USE_OR_RETURN(driver);
    if (!object_is(node, OBJECT_NODE)) return CUDA_ERROR_INVALID_VALUE;
    if (graph_has_memory(node->graph)) return CUDA_ERROR_NOT_SUPPORTED;
    if (is_node_captured_into(driver, &node->work)) return refuse_captured(driver, "cuGraphDestroyNode");
    graph_remove(driver, node);
    return CUDA_SUCCESS;
}

// --- Launching -------------------------------------------------------------------------------------------------------

enum { AUTO_FREE = 1, UPLOAD = 2, DEVICE_LAUNCH = 4, NODE_PRIORITY = 8, ALL_FLAGS = 15 };

// What is launched from a kernel frees nothing by itself, is not empty, and has no conditional nodes.
static bool are_flags(const struct CUgraph_st *graph, unsigned long long flags)
{
    if (flags > ALL_FLAGS) return false;
    return !(flags & DEVICE_LAUNCH) || (!(flags & AUTO_FREE) && graph->count > 0 && !graph_has_conditions(graph));
}

static enum cuda_result instantiate(struct driver *driver, struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                    unsigned long long flags)
{
    if (exec == NULL || !object_is(graph, OBJECT_GRAPH) || !are_flags(graph, flags)) return CUDA_ERROR_INVALID_VALUE;
    if (graph_memory_is_taken(driver, graph)) return CUDA_ERROR_NOT_SUPPORTED;
    enum cuda_result error = condition_check(driver, graph);
    if (error == CUDA_SUCCESS) error = graph_instantiate(driver, graph, exec);
    if (error == CUDA_SUCCESS) (*exec)->flags = flags & ~(unsigned long long)NODE_PRIORITY; // as an H200's driver says
    return error;
}

DRIVER_VISIBLE enum cuda_result cuGraphInstantiateWithFlags(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                                            unsigned long long flags)
{
    DRIVER_USE_OR_RETURN(driver);
    if (flags & UPLOAD) return CUDA_ERROR_INVALID_VALUE; // it needs a stream
    return instantiate(driver, exec, graph, flags);
}

DRIVER_VISIBLE enum cuda_result cuGraphInstantiateWithParams(struct CUgraphExec_st **exec, struct CUgraph_st *graph,
                                                             struct CUDA_GRAPH_INSTANTIATE_PARAMS_st *parameters)
{
    enum { DONE, FAILED, BAD_STRUCTURE };
    DRIVER_USE_OR_RETURN(driver);
    if (parameters == NULL) return CUDA_ERROR_INVALID_VALUE;
    const bool is_whole = object_is(graph, OBJECT_GRAPH) && are_flags(graph, parameters->flags);
    const enum cuda_result error = instantiate(driver, exec, graph, parameters->flags);
    parameters->hErrNode_out = NULL;
    parameters->result_out = error == CUDA_SUCCESS ? DONE : is_whole ? BAD_STRUCTURE : FAILED;
    return error;
}

// A condition is looked at behind all that came before it, done later or not.
static enum cuda_result catch_up(struct driver *driver, struct turn *turn)
{
    if (!turns_are_later(driver, turn->stream, turn->exec)) return CUDA_SUCCESS;
    turn_end(driver, turn);
    turns_wait_for_later(driver, turn->stream, turn->exec);
    const enum cuda_result error = turn_begin(driver, turn, turn->stream, turn->exec);
    if (error != CUDA_SUCCESS) turn_add(driver, turn); // the launch ends it
    return error;
}

// A loop that nobody ends is stopped as a kernel is; the calls after the launch tell.
static void limit_loop(struct driver *driver, double since, unsigned long long runs)
{
    const double limit = (double)driver->options.limit_seconds;
    if (limit <= 0 || seconds_of_clock() - since < limit || driver->error != CUDA_SUCCESS) return;
    driver->error = CUDA_ERROR_LAUNCH_TIMEOUT;
    driver->is_of_gpu = false;
    driver_refuse(driver, driver->error, "cuGraphLaunch",
                  "the loop of a conditional node is stopped, since the limit of %g seconds is reached: its body has "
                  "run %llu times",
                  limit, runs);
}

static enum cuda_result run_steps(struct driver *driver, struct turn *turn, const struct CUgraphExec_st *exec,
                                  struct sanitize_graph *order);

static enum cuda_result run_step(struct driver *driver, struct turn *turn, const struct graph_step *step)
{
    enum cuda_result error = work_check(driver, "cuGraphLaunch", &step->work);
    if (step->body == NULL) return error == CUDA_SUCCESS ? later_run(driver, turn, &step->work) : error;
    if (error == CUDA_SUCCESS) error = catch_up(driver, turn);
    const double since = seconds_of_clock();
    for (uint64_t runs = 0; error == CUDA_SUCCESS && driver_usable(driver) == CUDA_SUCCESS; runs++) {
        const int body = condition_body(&step->work.of.condition, runs);
        if (body < 0) break;
        error = run_steps(driver, turn, step->body[body], NULL); // one behind the other, as far as --sanitize knows
        if (error == CUDA_SUCCESS) error = catch_up(driver, turn);
        turns_let(driver); // another thread may be what ends the loop
        limit_loop(driver, since, runs + 1);
    }
    return error;
}

static enum cuda_result run_steps(struct driver *driver, struct turn *turn, const struct CUgraphExec_st *exec,
                                  struct sanitize_graph *order)
{
    enum cuda_result error = CUDA_SUCCESS;
    for (uint32_t i = 0; i < exec->count && error == CUDA_SUCCESS && driver_usable(driver) == CUDA_SUCCESS; i++) {
        sanitize_graph_step(order, turn, i);
        if (!exec->step[i].is_disabled) error = run_step(driver, turn, &exec->step[i]);
    }
    return error;
}

static bool has_conditions(const struct CUgraphExec_st *exec)
{
    bool has = false;
    for (uint32_t i = 0; i < exec->count; i++) has |= exec->step[i].body != NULL;
    return has;
}

DRIVER_VISIBLE enum cuda_result cuGraphLaunch(struct CUgraphExec_st *exec, struct CUstream_st *handle)
{
    DRIVER_USE_OF_OR_RETURN(driver, handle);
    struct CUstream_st *stream = stream_of(driver, handle);
    if (!object_is(exec, OBJECT_GRAPH_EXEC)) return CUDA_ERROR_INVALID_VALUE;
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture != NULL) {
        capture_spoil(driver, stream->capture_id);
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    if (capture_holds(driver, stream)) return capture_refuse_held(driver, stream);
    struct turn turn;
    struct CUgraphExec_st launched;
    if (!graph_steps_copy(driver, &launched, exec)) return CUDA_ERROR_OUT_OF_MEMORY;
    enum cuda_result error = turn_begin(driver, &turn, stream, exec);
    if (error == CUDA_SUCCESS) {
        error = has_conditions(&launched) ? catch_up(driver, &turn) : CUDA_SUCCESS;
        if (error == CUDA_SUCCESS) error = graph_memory_start(driver, &launched, (launched.flags & AUTO_FREE) != 0);
        condition_start(&launched);
        struct sanitize_graph *order = sanitize_graph_begin(driver, &turn, exec, &launched);
        if (error == CUDA_SUCCESS) error = run_steps(driver, &turn, &launched, order);
        sanitize_graph_end(order, &turn);
        turn_end(driver, &turn);
    }
    graph_steps_free(driver, &launched);
    return error;
}

DRIVER_VISIBLE enum cuda_result cuGraphUpload(struct CUgraphExec_st *exec, struct CUstream_st *stream)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    if (stream_of(driver, stream) == NULL) return CUDA_ERROR_INVALID_HANDLE;
    return object_is(exec, OBJECT_GRAPH_EXEC) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_VISIBLE enum cuda_result cuGraphExecDestroy(struct CUgraphExec_st *exec)
{
    DRIVER_USE_BARE_FAILED_OR_RETURN(driver);
    if (!object_is(exec, OBJECT_GRAPH_EXEC)) return CUDA_ERROR_INVALID_VALUE;
    turns_wait_for_calls(driver, NULL);
    if (exec->kept.count > 0) turns_wait(driver, NULL);                       // what is done later has steps of its own
    if (!object_is(exec, OBJECT_GRAPH_EXEC)) return CUDA_ERROR_INVALID_VALUE; // another thread did the same
    graph_exec_free(driver, exec);
    return CUDA_SUCCESS;
}

// --- Changing what is instantiated -----------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuGraphNodeSetEnabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                      unsigned is_enabled)
{
    DRIVER_USE_OR_RETURN(driver);
    struct graph_step *step = graph_step_of(exec, node);
    if (step == NULL || !graph_can_disable(step)) return CUDA_ERROR_INVALID_VALUE;
    step->is_disabled = !is_enabled;
    return CUDA_SUCCESS;
}

enum { UPDATE_OK, UPDATE_ERROR, UPDATE_TOPOLOGY, UPDATE_NODE_TYPE, UPDATE_PARAMETERS = 5 };

// What keeps `made` from taking the place of `exec`, and at which node: both must have the same nodes in the same
// order.
static struct CUgraphExecUpdateResultInfo_st compare(const struct CUgraphExec_st *exec,
                                                     const struct CUgraphExec_st *made);

static struct CUgraphExecUpdateResultInfo_st compare_bodies(const struct graph_step *to, const struct graph_step *from)
{
    struct CUgraphExecUpdateResultInfo_st info = {.result = UPDATE_OK};
    if (to->work.of.condition.type != from->work.of.condition.type || graph_bodies(to) != graph_bodies(from))
        return (struct CUgraphExecUpdateResultInfo_st){.result = UPDATE_PARAMETERS, .errorNode = from->node};
    for (unsigned i = 0; i < graph_bodies(to) && info.result == UPDATE_OK; i++)
        info = compare(to->body[i], from->body[i]);
    return info;
}

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
        if (to->body == NULL) continue;
        const struct CUgraphExecUpdateResultInfo_st info = compare_bodies(to, from);
        if (info.result != UPDATE_OK) return info;
    }
    return (struct CUgraphExecUpdateResultInfo_st){.result = UPDATE_OK};
}

static void update(struct driver *driver, struct CUgraphExec_st *exec, const struct CUgraphExec_st *made,
                   struct CUgraphExecUpdateResultInfo_st *info)
{
    for (uint32_t i = 0; i < made->count && info->result == UPDATE_OK; i++) {
        struct graph_step *to = &exec->step[i];
        const struct graph_step *from = &made->step[i];
        for (unsigned body = 0; body < graph_bodies(to); body++) update(driver, to->body[body], from->body[body], info);
        if (info->result == UPDATE_OK && node_set_work(driver, &to->work, &from->work) != CUDA_SUCCESS)
            *info = (struct CUgraphExecUpdateResultInfo_st){.result = UPDATE_PARAMETERS, .errorNode = from->node};
    }
}

DRIVER_VISIBLE enum cuda_result cuGraphExecUpdate_v2(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                                                     struct CUgraphExecUpdateResultInfo_st *info)
{
    DRIVER_USE_OR_RETURN(driver);
    struct CUgraphExecUpdateResultInfo_st unasked;
    if (!object_is(exec, OBJECT_GRAPH_EXEC) || !object_is(graph, OBJECT_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
    if (info == NULL) info = &unasked;
    struct CUgraphExec_st *made;
    const enum cuda_result error = graph_instantiate(driver, graph, &made);
    if (error != CUDA_SUCCESS) return error;
    *info = compare(exec, made);
    update(driver, exec, made, info);
    graph_exec_free(driver, made);
    return info->result == UPDATE_OK ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}
