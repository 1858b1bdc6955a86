// SPDX-License-Identifier: MIT
// Nodes of graphs whose bodies, graphs themselves, run as a value says. Kernels set the value
// (cudaGraphSetConditional). A handle of the program is a number. The value stays while a graph, a node or something
// instantiated has it.
#ifndef TMAREF_GRAPH_CONDITION_H
#define TMAREF_GRAPH_CONDITION_H

#include <stdatomic.h>

#include "work_graph.h"

struct graph_condition {
    struct object object;
    uint64_t handle;
    struct CUgraph_st *graph; // that the handle was made for; NULL: it is gone
    uint32_t holders, flags, initial;
    bool has_node;
    atomic_uint value;
};

// What a node of these parameters does, without bodies yet.
enum cuda_result condition_work(struct driver *driver, const struct CUgraph_st *graph,
                                const struct CUDA_CONDITIONAL_NODE_PARAMS *from, struct work *work);

// Its bodies, empty graphs that are parts of `graph`; 0 if there is no memory.
bool condition_make_bodies(struct driver *driver, struct work_condition *work, struct CUgraph_st *graph);

// What a node of `graph` has in it, bodies and a child graph, is part of it.
void condition_adopt(struct CUgraph_st *graph, const struct work *work);

// Is it this graph, or a part of it?
bool graph_is_in(const struct CUgraph_st *graph, const struct CUgraph_st *whole);

// For work_duplicate() and work_release().
bool condition_duplicate(struct driver *driver, struct work_condition *to);
void condition_release(struct driver *driver, struct work_condition *work);

// The graph goes: so do handles that no node has.
void condition_forget_graph(struct driver *driver, struct CUgraph_st *graph);

// Has the graph, or a child graph in it, conditional nodes? Then it is not copied.
bool graph_has_conditions(const struct CUgraph_st *graph);

// May the graph be instantiated? Each handle has a node, and bodies have what they may have.
enum cuda_result condition_check(struct driver *driver, const struct CUgraph_st *graph);

// Before a launch: the values that handles have at first. `exec` may have bodies with conditions of their own.
void condition_start(const struct CUgraphExec_st *exec);

// Which body runs next, from 0; -1: none. What runs once has run then: `runs` counts.
int condition_body(const struct work_condition *work, uint64_t runs);

// machine_launch.set_condition, with the driver as context; 0 if there is no such handle.
int condition_set(void *driver, uint64_t handle, uint32_t value);

#endif
