// SPDX-License-Identifier: MIT
#include "graph_condition.h"

#include <stdlib.h>

enum { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH, CONDITION_TYPES };
enum { ASSIGN_DEFAULT = 1 };

static struct graph_condition *condition_of(const struct driver *driver, uint64_t handle)
{
    for (struct object *object = driver->objects.live[OBJECT_CONDITION]; object != NULL; object = object->next)
        if (((struct graph_condition *)object)->handle == handle) return (struct graph_condition *)object;
    return NULL;
}

DRIVER_VISIBLE enum cuda_result cuGraphConditionalHandleCreate(uint64_t *handle, struct CUgraph_st *graph,
                                                               struct CUctx_st *context, unsigned value, unsigned flags)
{
    static uint64_t handles;
    DRIVER_USE_OR_RETURN(driver);
    if (handle == NULL || !object_is(graph, OBJECT_GRAPH) || (flags & ~(unsigned)ASSIGN_DEFAULT))
        return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(context, OBJECT_CONTEXT)) return CUDA_ERROR_INVALID_CONTEXT;
    struct graph_condition *made = object_new(&driver->objects, OBJECT_CONDITION, sizeof *made);
    if (made == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    made->handle = *handle = ++handles;
    made->graph = graph;
    made->holders = 1;
    made->flags = flags;
    made->initial = value;
    return CUDA_SUCCESS;
}

static void let_go(struct driver *driver, struct graph_condition *condition)
{
    if (--condition->holders == 0) object_destroy(&driver->objects, condition);
}

void condition_forget_graph(struct driver *driver, struct CUgraph_st *graph)
{
    for (struct object *object = driver->objects.live[OBJECT_CONDITION], *next; object != NULL; object = next) {
        struct graph_condition *condition = (struct graph_condition *)object;
        next = object->next;
        if (condition->graph != graph) continue;
        condition->graph = NULL;
        let_go(driver, condition);
    }
}

// --- Nodes -----------------------------------------------------------------------------------------------------------

static bool is_size(uint32_t type, unsigned size)
{
    if (type == CONDITION_IF) return size == 1 || size == 2;
    return type == CONDITION_WHILE ? size == 1 : type < CONDITION_TYPES && size > 0;
}

bool graph_is_in(const struct CUgraph_st *graph, const struct CUgraph_st *whole)
{
    while (graph != NULL && graph != whole) graph = graph->parent;
    return graph != NULL;
}

enum cuda_result condition_work(struct driver *driver, const struct CUgraph_st *graph,
                                const struct CUDA_CONDITIONAL_NODE_PARAMS *from, struct work *work)
{
    struct graph_condition *condition = condition_of(driver, from->handle);
    *work = (struct work){.type = NODE_CONDITIONAL, .of.condition = {condition, from->type, from->size, NULL}};
    if (!is_size(from->type, from->size) || condition == NULL || condition->has_node) return CUDA_ERROR_INVALID_VALUE;
    if (!graph_is_in(graph, condition->graph)) return CUDA_ERROR_INVALID_VALUE;
    return object_is(from->ctx, OBJECT_CONTEXT) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static struct CUgraph_st *body_new(struct driver *driver, const struct CUgraph_st *from)
{
    struct CUgraph_st *body = from == NULL ? graph_new(driver) : graph_duplicate(driver, from);
    if (body != NULL) body->is_child = body->is_body = true;
    return body;
}

static bool make_bodies(struct driver *driver, struct work_condition *work, struct CUgraph_st *const *from)
{
    work->body = calloc(work->size, sizeof(struct CUgraph_st *));
    for (unsigned i = 0; work->body != NULL && i < work->size; i++) {
        work->body[i] = body_new(driver, from == NULL ? NULL : from[i]);
        if (work->body[i] == NULL) return false;
    }
    return work->body != NULL;
}

bool condition_duplicate(struct driver *driver, struct work_condition *to)
{
    struct CUgraph_st *const *from = to->body;
    to->body = NULL;
    to->condition->holders++;
    return from == NULL || make_bodies(driver, to, from);
}

bool condition_make_bodies(struct driver *driver, struct work_condition *work, struct CUgraph_st *graph)
{
    work->condition->has_node = true;
    if (!make_bodies(driver, work, NULL)) return false;
    condition_adopt(graph, &(struct work){.type = NODE_CONDITIONAL, .of.condition = *work});
    return true;
}

void condition_adopt(struct CUgraph_st *graph, const struct work *work)
{
    if (work->type == NODE_GRAPH) work->of.graph->parent = graph;
    if (work->type != NODE_CONDITIONAL || work->of.condition.body == NULL) return;
    for (unsigned i = 0; i < work->of.condition.size; i++) work->of.condition.body[i]->parent = graph;
}

void condition_release(struct driver *driver, struct work_condition *work)
{
    if (work->body != NULL) work->condition->has_node = false;
    for (unsigned i = 0; work->body != NULL && i < work->size; i++) graph_free(driver, work->body[i]);
    free(work->body);
    let_go(driver, work->condition);
}

static bool is_allowed(enum graph_node_type type)
{
    return type == NODE_KERNEL || type == NODE_MEMCPY || type == NODE_MEMSET || type == NODE_GRAPH ||
           type == NODE_EMPTY || type == NODE_CONDITIONAL;
}

// Memory of the program's own that was not registered is none that a device can copy by itself.
static bool is_of_device(const struct driver *driver, const struct work *work)
{
    if (work->type != NODE_MEMCPY) return true;
    return allocations_find(&driver->allocations, work->of.copy.to) != NULL &&
           allocations_find(&driver->allocations, work->of.copy.from) != NULL;
}

// All nodes of a body, and of child graphs in it.
static bool is_body_whole(const struct driver *driver, const struct CUgraph_st *body)
{
    for (uint32_t i = 0; i < body->count; i++) {
        const struct work *work = &body->node[i]->work;
        if (!is_allowed(work->type) || !is_of_device(driver, work)) return false;
        if (work->type == NODE_GRAPH && !is_body_whole(driver, work->of.graph)) return false;
    }
    return true;
}

bool graph_has_conditions(const struct CUgraph_st *graph)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct work *work = &graph->node[i]->work;
        if (work->type == NODE_CONDITIONAL || (work->type == NODE_GRAPH && graph_has_conditions(work->of.graph)))
            return true;
    }
    return false;
}

static bool are_handles_used(const struct driver *driver, const struct CUgraph_st *graph)
{
    for (const struct object *object = driver->objects.live[OBJECT_CONDITION]; object != NULL; object = object->next)
        if (((const struct graph_condition *)object)->graph == graph &&
            !((const struct graph_condition *)object)->has_node)
            return false;
    return true;
}

enum cuda_result condition_check(struct driver *driver, const struct CUgraph_st *graph)
{
    static const char call[] = "cuGraphInstantiate";
    if (graph->is_body) return CUDA_ERROR_NOT_SUPPORTED;
    if (!are_handles_used(driver, graph))
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call,
                             "a handle of cuGraphConditionalHandleCreate belongs to no conditional node of the graph");
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct work *work = &graph->node[i]->work;
        for (unsigned body = 0; work->type == NODE_CONDITIONAL && body < work->of.condition.size; body++)
            if (!is_body_whole(driver, work->of.condition.body[body]))
                return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call,
                                     "the body of a conditional node may have kernels, fills, copies of memory that "
                                     "CUDA knows, child graphs, empty and conditional nodes, and no others");
    }
    return CUDA_SUCCESS;
}

// --- Launches --------------------------------------------------------------------------------------------------------

void condition_start(const struct CUgraphExec_st *exec)
{
    for (uint32_t i = 0; i < exec->count; i++) {
        const struct graph_step *step = &exec->step[i];
        if (step->work.type != NODE_CONDITIONAL) continue;
        struct graph_condition *condition = step->work.of.condition.condition;
        if (condition->flags & ASSIGN_DEFAULT) atomic_store(&condition->value, condition->initial);
        for (unsigned body = 0; body < step->work.of.condition.size; body++) condition_start(step->body[body]);
    }
}

int condition_body(const struct work_condition *work, uint64_t runs)
{
    const unsigned value = atomic_load(&work->condition->value);
    if (work->type == CONDITION_WHILE) return value != 0 ? 0 : -1;
    const unsigned body = work->type == CONDITION_SWITCH ? value : value == 0;
    return runs == 0 && body < work->size ? (int)body : -1;
}

int condition_set(void *driver, uint64_t handle, uint32_t value)
{
    struct graph_condition *condition = condition_of(driver, handle);
    if (condition != NULL) atomic_store(&condition->value, value);
    return condition != NULL;
}
