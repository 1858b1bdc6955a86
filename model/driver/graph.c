// SPDX-License-Identifier: MIT
#include "work_graph.h"

#include <stdlib.h>
#include <string.h>

struct CUgraph_st *graph_new(struct driver *driver)
{
    return object_new(&driver->objects, OBJECT_GRAPH, sizeof(struct CUgraph_st));
}

static void node_free(struct driver *driver, struct CUgraphNode_st *node)
{
    work_release(driver, &node->work);
    free(node->after);
    free(node->pointers);
    free(node->attributes);
    object_destroy(&driver->objects, node);
}

void graph_free(struct driver *driver, struct CUgraph_st *graph)
{
    if (graph == NULL) return;
    for (uint32_t i = 0; i < graph->count; i++) node_free(driver, graph->node[i]);
    free(graph->node);
    struct kept_objects kept = graph->kept;
    object_destroy(&driver->objects, graph);
    kept_release(driver, &kept);
}

int graph_after(struct CUgraphNode_st ***after, uint32_t *count, struct CUgraphNode_st *node)
{
    for (uint32_t i = 0; i < *count; i++)
        if ((*after)[i] == node) return 1;
    struct CUgraphNode_st **more = realloc(*after, (*count + 1) * sizeof *more);
    if (more == NULL) return 0;
    more[(*count)++] = node;
    *after = more;
    return 1;
}

static int keep_node(struct CUgraph_st *graph, struct CUgraphNode_st *node)
{
    if (graph->count == graph->room) {
        uint32_t room = graph->room == 0 ? 16 : 2 * graph->room;
        struct CUgraphNode_st **more = realloc(graph->node, room * sizeof(struct CUgraphNode_st *));
        if (more == NULL) return 0;
        graph->node = more;
        graph->room = room;
    }
    graph->node[graph->count++] = node;
    node->graph = graph;
    return 1;
}

struct CUgraphNode_st *graph_add(struct driver *driver, struct CUgraph_st *graph, struct CUgraphNode_st *const *after,
                                 uint32_t after_count, const struct work *work)
{
    struct CUgraphNode_st *node = object_new(&driver->objects, OBJECT_NODE, sizeof *node);
    if (node == NULL) return NULL;
    int ok = work_duplicate(driver, &node->work, work);
    for (uint32_t i = 0; i < after_count && ok; i++) ok = graph_after(&node->after, &node->after_count, after[i]);
    if (ok && keep_node(graph, node)) return node;
    node_free(driver, node);
    return NULL;
}

void graph_not_after(struct CUgraphNode_st *node, const struct CUgraphNode_st *other)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < node->after_count; i++)
        if (node->after[i] != other) node->after[kept++] = node->after[i];
    node->after_count = kept;
}

void graph_remove(struct driver *driver, struct CUgraphNode_st *node)
{
    struct CUgraph_st *graph = node->graph;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        graph_not_after(graph->node[i], node);
        if (graph->node[i] != node) graph->node[kept++] = graph->node[i];
    }
    graph->count = kept;
    node_free(driver, node);
}

static void unmark(const struct CUgraph_st *graph)
{
    for (uint32_t i = 0; i < graph->count; i++) graph->node[i]->mark = 0;
}

// Nodes mostly come behind what they depend on, so that one pass from the last to the first finds all but always.
void graph_mark(struct CUgraph_st *graph, struct CUgraphNode_st *const *node, uint32_t count)
{
    int more = 1;
    unmark(graph);
    for (uint32_t i = 0; i < count; i++) node[i]->mark = 1;
    while (more) {
        more = 0;
        for (uint32_t i = graph->count; i-- > 0;)
            for (uint32_t j = 0; graph->node[i]->mark && j < graph->node[i]->after_count; j++) {
                more |= !graph->node[i]->after[j]->mark;
                graph->node[i]->after[j]->mark = 1;
            }
    }
}

// The node of `copy` that was made of `node`.
static struct CUgraphNode_st *copy_of(const struct CUgraph_st *copy, const struct CUgraphNode_st *node)
{
    for (uint32_t i = 0; i < copy->count; i++)
        if (copy->node[i]->original == node) return copy->node[i];
    return NULL;
}

struct CUgraph_st *graph_duplicate(struct driver *driver, const struct CUgraph_st *graph)
{
    struct CUgraph_st *copy = graph_new(driver);
    int ok = copy != NULL && kept_copy(&copy->kept, &graph->kept);
    for (uint32_t i = 0; i < graph->count && ok; i++) {
        struct CUgraphNode_st *node = graph_add(driver, copy, NULL, 0, &graph->node[i]->work);
        if (node != NULL) node->original = graph->node[i];
        ok = node != NULL;
    }
    for (uint32_t i = 0; i < graph->count && ok; i++)
        for (uint32_t j = 0; j < graph->node[i]->after_count && ok; j++)
            ok = graph_after(&copy->node[i]->after, &copy->node[i]->after_count,
                             copy_of(copy, graph->node[i]->after[j]));
    if (ok) {
        copy->original = (struct CUgraph_st *)(uintptr_t)graph;
        return copy;
    }
    graph_free(driver, copy);
    return NULL;
}

// --- What can be launched --------------------------------------------------------------------------------------------

static enum cuda_result add_graph(struct driver *driver, struct CUgraphExec_st *exec, const struct CUgraph_st *graph);

static enum cuda_result add_step(struct driver *driver, struct CUgraphExec_st *exec, struct CUgraphNode_st *node)
{
    if (node->work.type == NODE_GRAPH) return add_graph(driver, exec, node->work.of.graph);
    if (exec->count == exec->room) {
        uint32_t room = exec->room == 0 ? 16 : 2 * exec->room;
        struct graph_step *more = realloc(exec->step, room * sizeof *more);
        if (more == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
        exec->step = more;
        exec->room = room;
    }
    exec->step[exec->count] = (struct graph_step){.node = node, .after_count = node->after_count};
    if (!work_duplicate(driver, &exec->step[exec->count].work, &node->work)) return CUDA_ERROR_OUT_OF_MEMORY;
    exec->count++;
    return CUDA_SUCCESS;
}

static int is_ready(const struct CUgraphNode_st *node)
{
    for (uint32_t i = 0; i < node->after_count; i++)
        if (!node->after[i]->mark) return 0;
    return 1;
}

// Each node behind all that it depends on, which is marked by then.
static enum cuda_result add_graph(struct driver *driver, struct CUgraphExec_st *exec, const struct CUgraph_st *graph)
{
    uint32_t left = graph->count, before = left + 1;
    unmark(graph);
    while (left > 0 && left < before) {
        before = left;
        for (uint32_t i = 0; i < graph->count; i++) {
            if (graph->node[i]->mark || !is_ready(graph->node[i])) continue;
            const enum cuda_result error = add_step(driver, exec, graph->node[i]);
            if (error != CUDA_SUCCESS) return error;
            graph->node[i]->mark = 1;
            left--;
        }
    }
    return left == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

enum cuda_result graph_instantiate(struct driver *driver, const struct CUgraph_st *graph, struct CUgraphExec_st **exec)
{
    *exec = object_new(&driver->objects, OBJECT_GRAPH_EXEC, sizeof **exec);
    if (*exec == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    enum cuda_result error = add_graph(driver, *exec, graph);
    if (error == CUDA_SUCCESS && !kept_copy(&(*exec)->kept, &graph->kept)) error = CUDA_ERROR_OUT_OF_MEMORY;
    if (error == CUDA_SUCCESS) return CUDA_SUCCESS;
    graph_exec_free(driver, *exec);
    *exec = NULL;
    return error;
}

struct graph_step *graph_step_of(struct CUgraphExec_st *exec, const struct CUgraphNode_st *node)
{
    for (uint32_t i = 0; object_is(exec, OBJECT_GRAPH_EXEC) && i < exec->count; i++)
        if (exec->step[i].node == node) return &exec->step[i];
    return NULL;
}

int graph_can_disable(const struct graph_step *step)
{
    return step->work.type == NODE_KERNEL || step->work.type == NODE_MEMCPY || step->work.type == NODE_MEMSET;
}

void graph_exec_free(struct driver *driver, struct CUgraphExec_st *exec)
{
    for (uint32_t i = 0; i < exec->count; i++) work_release(driver, &exec->step[i].work);
    free(exec->step);
    struct kept_objects kept = exec->kept;
    object_destroy(&driver->objects, exec);
    kept_release(driver, &kept);
}
