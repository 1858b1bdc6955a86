// SPDX-License-Identifier: MIT
// Graphs: nodes of work that depend on each other. Run one after the other, in an order that the dependencies allow.
#ifndef TMAREF_WORK_GRAPH_H
#define TMAREF_WORK_GRAPH_H

#include "work.h"

// Objects of the program that are kept (user_object.c).
struct kept_objects {
    struct kept_object {
        struct CUuserObject_st *object;
        uint64_t references;
    } * at;
    uint32_t count;
};

// One reference to each; 0 if there is no memory.
bool kept_copy(struct kept_objects *to, const struct kept_objects *from);
void kept_release(struct driver *driver, struct kept_objects *kept);

struct CUgraphNode_st {
    struct object object;
    struct CUgraph_st *graph;
    struct work work;
    struct CUgraphNode_st **after; // what it depends on
    uint32_t after_count;
    struct node_attributes *attributes; // of its kernel's launch, once somebody asked
    void **pointers;                    // to the parameters of its kernel, once somebody asked
    struct CUgraphNode_st *original;    // of a clone
    int mark;
    uint32_t first_step, end_step; // of what is instantiated of its graph now
};

struct CUgraph_st {
    struct object object;
    struct CUgraphNode_st **node;
    uint32_t count;
    struct CUgraph_st *original;
    bool is_child, is_body;    // a node has it; a conditional node has
    struct CUgraph_st *parent; // the graph of that node
    struct kept_objects kept;
};

struct CUgraphExec_st {
    struct object object;
    struct graph_step {
        struct CUgraphNode_st *node; // that it was made of
        struct work work;
        uint32_t after_count; // that the node had
        struct graph_steps {
            uint32_t first, end;
        } * behind; // steps, which come before it: from the first to before the end
        uint32_t behind_count;
        bool is_disabled;
        struct CUgraphExec_st **body; // of a conditional node
    } * step;
    uint32_t count, room;
    uint64_t flags;
    struct kept_objects kept;
    uint32_t *track; // of each step, and behind what it was launched last (sanitize_order.h)
    struct history_times times;
};

struct CUgraph_st *graph_new(struct driver *driver);
void graph_free(struct driver *driver, struct CUgraph_st *graph);
struct CUgraph_st *graph_duplicate(struct driver *driver, const struct CUgraph_st *graph);

// A new node with a copy of `work`, after `after_count` others; NULL if there is no memory.
struct CUgraphNode_st *graph_add(struct driver *driver, struct CUgraph_st *graph, struct CUgraphNode_st *const *after,
                                 uint32_t after_count, const struct work *work);

// One more node to depend on; 1 also if it was known.
bool graph_after(struct CUgraphNode_st ***after, uint32_t *count, struct CUgraphNode_st *node);

// It depends on that node no more; a node goes, and with it what depended on it.
void graph_not_after(struct CUgraphNode_st *node, const struct CUgraphNode_st *other);
void graph_remove(struct driver *driver, struct CUgraphNode_st *node);

// Marks these nodes of a graph and all that they depend on, and no others. Marks are nobody's between calls.
void graph_mark(struct CUgraph_st *graph, struct CUgraphNode_st *const *node, uint32_t count);

// CUDA_ERROR_INVALID_VALUE for a circle, with *exec NULL.
enum cuda_result graph_instantiate(struct driver *driver, const struct CUgraph_st *graph, struct CUgraphExec_st **exec);

// How many bodies a step has, if it is of a conditional node.
unsigned graph_bodies(const struct graph_step *step);

// What a node became of what was instantiated, NULL if nothing did.
struct graph_step *graph_step_of(struct CUgraphExec_st *exec, const struct CUgraphNode_st *node);
bool graph_can_disable(const struct graph_step *step);

// The steps alone, as they are now: what a launch runs, whatever is set meanwhile. 0 if there is no memory.
bool graph_steps_copy(struct driver *driver, struct CUgraphExec_st *to, const struct CUgraphExec_st *from);
void graph_steps_free(struct driver *driver, struct CUgraphExec_st *exec);
void graph_exec_free(struct driver *driver, struct CUgraphExec_st *exec);

#endif
