// SPDX-License-Identifier: MIT
// Memory that nodes of graphs allocate and free. It has its address from the moment that the node is made. Between the
// launch of that node and a free of the memory, by a node or by a call, it is there; else it is hidden from kernels.
#ifndef TMAREF_GRAPH_MEMORY_H
#define TMAREF_GRAPH_MEMORY_H

#include "work_graph.h"

// New memory for a node.
enum cuda_result graph_memory_make(struct driver *driver, const char *call, size_t bytes, unsigned long long *address);

// The memory of a node at this address, or NULL; is it there?
struct allocation *graph_memory_at(struct driver *driver, uint64_t address);

// One node, or step of what is instantiated, more or less that allocates it. With the last one it goes, unless it is
// there: then with the call that frees it.
void graph_memory_hold(struct driver *driver, uint64_t address);
void graph_memory_release(struct driver *driver, uint64_t address);

// What a node does when it is launched. Frees by calls of the program are the same as those of nodes.
enum cuda_result graph_memory_show(struct driver *driver, uint64_t address);
enum cuda_result graph_memory_free(struct driver *driver, uint64_t address);

// Before a graph is launched: memory that its nodes allocate is not there, or is freed now.
enum cuda_result graph_memory_start(struct driver *driver, const struct CUgraphExec_st *exec, bool is_freed);

// Does something that was instantiated allocate the memory of the graph's nodes?
bool graph_memory_is_taken(struct driver *driver, const struct CUgraph_st *graph);

// Has the graph nodes that allocate or free? Then it is not copied and loses no node.
bool graph_has_memory(const struct CUgraph_st *graph);

#endif
