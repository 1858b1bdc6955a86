// SPDX-License-Identifier: MIT
#include "graph_condition.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

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
    condition_forget_graph(driver, graph);
    struct kept_objects kept = graph->kept;
    object_destroy(&driver->objects, graph);
    kept_release(driver, &kept);
}

bool graph_after(struct CUgraphNode_st ***after, uint32_t *count, struct CUgraphNode_st *node)
{
    for (uint32_t i = 0; i < *count; i++)
        if ((*after)[i] == node) return true;
    struct CUgraphNode_st **more = realloc(*after, (*count + 1) * sizeof *more);
    if (more == NULL) return false;
    more[(*count)++] = node;
    *after = more;
    return true;
}

static int keep_node(struct CUgraph_st *graph, struct CUgraphNode_st *node)
{
    node->graph = graph;
    return ARRAY_ADD(graph->node, graph->count, node);
}

struct CUgraphNode_st *graph_add(struct driver *driver, struct CUgraph_st *graph, struct CUgraphNode_st *const *after,
                                 uint32_t after_count, const struct work *work)
{
    struct CUgraphNode_st *node = object_new(&driver->objects, OBJECT_NODE, sizeof *node);
    if (node == NULL) return NULL;
    bool ok = work_duplicate(driver, &node->work, work);
    for (uint32_t i = 0; i < after_count && ok; i++) ok = graph_after(&node->after, &node->after_count, after[i]);
    if (ok) condition_adopt(graph, &node->work);
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
    bool more = true;
    unmark(graph);
    for (uint32_t i = 0; i < count; i++) node[i]->mark = 1;
    while (more) {
        more = false;
        for (uint32_t i = graph->count; i-- > 0;)
            for (uint32_t j = 0; graph->node[i]->mark && j < graph->node[i]->after_count; j++) {
                more |= !graph->node[i]->after[j]->mark;
                graph->node[i]->after[j]->mark = 1;
            }
    }
}

// The dependencies of a node, which are marked with their places in its graph, as those of its copy.
static bool copy_dependencies(const struct CUgraph_st *copy, struct CUgraphNode_st *to,
                              const struct CUgraphNode_st *from)
{
    to->after = malloc((from->after_count + 1u) * sizeof(struct CUgraphNode_st *));
    for (uint32_t i = 0; to->after != NULL && i < from->after_count; i++)
        to->after[to->after_count++] = copy->node[from->after[i]->mark];
    return to->after != NULL;
}

struct CUgraph_st *graph_duplicate(struct driver *driver, const struct CUgraph_st *graph)
{
    struct CUgraph_st *copy = graph_new(driver);
    bool ok = copy != NULL && kept_copy(&copy->kept, &graph->kept);
    for (uint32_t i = 0; i < graph->count && ok; i++) {
        struct CUgraphNode_st *node = graph_add(driver, copy, NULL, 0, &graph->node[i]->work);
        if (node != NULL) node->original = graph->node[i];
        ok = node != NULL;
        graph->node[i]->mark = (int)i;
    }
    for (uint32_t i = 0; i < graph->count && ok; i++) ok = copy_dependencies(copy, copy->node[i], graph->node[i]);
    if (ok) {
        copy->original = (struct CUgraph_st *)(uintptr_t)graph;
        return copy;
    }
    graph_free(driver, copy);
    return NULL;
}

// --- What can be launched --------------------------------------------------------------------------------------------

// What all nodes of a graph are behind.
struct front {
    const struct graph_steps *at;
    uint32_t count;
};

static enum cuda_result add_graph(struct driver *driver, struct CUgraphExec_st *exec, const struct CUgraph_st *graph,
                                  const struct front *front);

static bool copy_behind(struct graph_step *step, const struct graph_steps *from, uint32_t count)
{
    step->behind = malloc((count + 1u) * sizeof *step->behind);
    step->behind_count = step->behind != NULL ? count : 0;
    if (step->behind != NULL && count > 0) memcpy(step->behind, from, count * sizeof *step->behind);
    return step->behind != NULL;
}

// A conditional node's bodies are instantiated for themselves.
static enum cuda_result add_bodies(struct driver *driver, struct graph_step *step, const struct work_condition *from)
{
    step->body = calloc(from->size, sizeof(struct CUgraphExec_st *));
    if (step->body == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    for (unsigned i = 0; i < from->size; i++) {
        const enum cuda_result error = graph_instantiate(driver, from->body[i], &step->body[i]);
        if (error != CUDA_SUCCESS) return error;
    }
    return CUDA_SUCCESS;
}

static enum cuda_result add_step(struct driver *driver, struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                 const struct front *front)
{
    if (node->work.type == NODE_GRAPH) return add_graph(driver, exec, node->work.of.graph, front);
    if (exec->count == exec->room) {
        uint32_t room = exec->room == 0 ? 16 : 2 * exec->room;
        struct graph_step *more = realloc(exec->step, room * sizeof *more);
        if (more == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
        exec->step = more;
        exec->room = room;
    }
    struct graph_step *step = &exec->step[exec->count];
    struct work work = node->work;
    if (work.type == NODE_CONDITIONAL) work.of.condition.body = NULL;
    *step = (struct graph_step){.node = node, .after_count = node->after_count};
    if (!work_duplicate(driver, &step->work, &work)) return CUDA_ERROR_OUT_OF_MEMORY;
    exec->count++;
    if (!copy_behind(step, front->at, front->count)) return CUDA_ERROR_OUT_OF_MEMORY;
    return work.type == NODE_CONDITIONAL ? add_bodies(driver, step, &node->work.of.condition) : CUDA_SUCCESS;
}

static bool is_ready(const struct CUgraphNode_st *node)
{
    for (uint32_t i = 0; i < node->after_count; i++)
        if (!node->after[i]->mark) return false;
    return true;
}

// A node, behind what its graph is behind and those that it depends on.
static enum cuda_result add_node(struct driver *driver, struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                 const struct front *front)
{
    struct graph_steps *behind = malloc((front->count + node->after_count + 1u) * sizeof *behind);
    struct front own = {behind, 0};
    if (behind == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < front->count; i++) behind[own.count++] = front->at[i];
    for (uint32_t i = 0; i < node->after_count; i++)
        behind[own.count++] = (struct graph_steps){node->after[i]->first_step, node->after[i]->end_step};
    node->first_step = exec->count;
    const enum cuda_result error = add_step(driver, exec, node, &own);
    node->end_step = exec->count;
    free(behind);
    return error;
}

// Each node behind all that it depends on, which is marked by then.
static enum cuda_result add_graph(struct driver *driver, struct CUgraphExec_st *exec, const struct CUgraph_st *graph,
                                  const struct front *front)
{
    uint32_t left = graph->count, before = left + 1;
    unmark(graph);
    while (left > 0 && left < before) {
        before = left;
        for (uint32_t i = 0; i < graph->count; i++) {
            if (graph->node[i]->mark || !is_ready(graph->node[i])) continue;
            const enum cuda_result error = add_node(driver, exec, graph->node[i], front);
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
    enum cuda_result error = add_graph(driver, *exec, graph, &(struct front){NULL, 0});
    if (error == CUDA_SUCCESS && !kept_copy(&(*exec)->kept, &graph->kept)) error = CUDA_ERROR_OUT_OF_MEMORY;
    if (error == CUDA_SUCCESS) return CUDA_SUCCESS;
    graph_exec_free(driver, *exec);
    *exec = NULL;
    return error;
}

unsigned graph_bodies(const struct graph_step *step)
{
    return step->body != NULL ? step->work.of.condition.size : 0;
}

struct graph_step *graph_step_of(struct CUgraphExec_st *exec, const struct CUgraphNode_st *node)
{
    for (uint32_t i = 0; object_is(exec, OBJECT_GRAPH_EXEC) && i < exec->count; i++) {
        struct graph_step *step = &exec->step[i], *found = step->node == node ? step : NULL;
        for (unsigned body = 0; found == NULL && body < graph_bodies(step); body++)
            found = graph_step_of(step->body[body], node);
        if (found != NULL) return found;
    }
    return NULL;
}

bool graph_can_disable(const struct graph_step *step)
{
    return step->work.type == NODE_KERNEL || step->work.type == NODE_MEMCPY || step->work.type == NODE_MEMSET;
}

// A body of its own for each of a step's.
static bool copy_bodies(struct driver *driver, struct graph_step *to, const struct graph_step *from)
{
    if (from->body == NULL) return true;
    to->body = calloc(from->work.of.condition.size, sizeof(struct CUgraphExec_st *));
    for (unsigned i = 0; to->body != NULL && i < graph_bodies(from); i++) {
        struct CUgraphExec_st steps;
        to->body[i] = object_new(&driver->objects, OBJECT_GRAPH_EXEC, sizeof *to->body[i]);
        if (to->body[i] == NULL || !graph_steps_copy(driver, &steps, from->body[i])) return false;
        to->body[i]->step = steps.step;
        to->body[i]->count = to->body[i]->room = steps.count;
    }
    return to->body != NULL;
}

bool graph_steps_copy(struct driver *driver, struct CUgraphExec_st *to, const struct CUgraphExec_st *from)
{
    bool ok = true;
    *to = (struct CUgraphExec_st){.flags = from->flags, .room = from->count};
    to->step = malloc((from->count + 1u) * sizeof *to->step);
    while (ok && to->step != NULL && to->count < from->count) {
        struct graph_step *step = &to->step[to->count];
        *step = from->step[to->count];
        step->body = NULL;
        step->behind = NULL;
        ok = work_duplicate(driver, &step->work, &from->step[to->count].work);
        if (ok) ok = copy_behind(step, from->step[to->count].behind, from->step[to->count].behind_count);
        if (ok) ok = copy_bodies(driver, step, &from->step[to->count++]);
    }
    if (ok && to->step != NULL) return true;
    graph_steps_free(driver, to);
    return false;
}

void graph_steps_free(struct driver *driver, struct CUgraphExec_st *exec)
{
    for (uint32_t i = 0; i < exec->count; i++) {
        struct graph_step *step = &exec->step[i];
        for (unsigned body = 0; body < graph_bodies(step) && step->body[body] != NULL; body++)
            graph_exec_free(driver, step->body[body]);
        free(step->body);
        free(step->behind);
        work_release(driver, &step->work);
    }
    free(exec->step);
}

void graph_exec_free(struct driver *driver, struct CUgraphExec_st *exec)
{
    graph_steps_free(driver, exec);
    struct kept_objects kept = exec->kept;
    free(exec->track);
    history_forget_times(&exec->times);
    object_destroy(&driver->objects, exec);
    kept_release(driver, &kept);
}
