// SPDX-License-Identifier: MIT
// What a node does, by parameters of any type.
#ifndef TMAREF_GRAPH_NODE_H
#define TMAREF_GRAPH_NODE_H

#include "cuda_api.h"
#include "work_graph.h"

// Where a new node goes.
struct node_place {
    struct CUgraphNode_st **node;
    struct CUgraph_st *graph;
    struct CUgraphNode_st *const *after;
    size_t count;
};

// Takes the place of what a node does, of the same type.
enum cuda_result node_set_work(struct driver *driver, struct work *to, const struct work *from);

#endif
