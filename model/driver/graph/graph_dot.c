// SPDX-License-Identifier: MIT
// A graph as text for Graphviz (cuGraphDebugDotPrint): a box for each node, an arrow for each edge.
#include <errno.h>
#include <string.h>

#include "work_graph.h"

static const char *word_of(const struct work *work)
{
    switch (work->type) {
    case NODE_KERNEL:
        return "KERNEL";
    case NODE_MEMCPY:
        return "MEMCPY";
    case NODE_MEMSET:
        return "MEMSET";
    case NODE_HOST:
        return "HOST";
    case NODE_GRAPH:
        return "GRAPH";
    case NODE_WAIT_EVENT:
        return "EVENT_WAIT";
    case NODE_EVENT_RECORD:
        return "EVENT_RECORD";
    case NODE_MEM_ALLOC:
        return "MEM_ALLOC";
    case NODE_MEM_FREE:
        return "MEM_FREE";
    case NODE_MEM_OPERATIONS:
        return "BATCH_MEM_OP";
    case NODE_CONDITIONAL:
        return "CONDITIONAL";
    default:
        return "EMPTY";
    }
}

static void print_node(FILE *file, const struct CUgraphNode_st *node, int graph, uint32_t number)
{
    const struct work *work = &node->work;
    fprintf(file, "\"graph_%d_node_%u\"[style=\"solid\" shape=\"rectangle\" label=\"%u\n%s\n", graph, number, number,
            word_of(work));
    if (work->type == NODE_KERNEL && object_is(work->of.kernel.function, OBJECT_FUNCTION))
        fprintf(file, "%s\ngrid %u,%u,%u block %u,%u,%u\n", work->of.kernel.function->name, work->of.kernel.grid[0],
                work->of.kernel.grid[1], work->of.kernel.grid[2], work->of.kernel.block[0], work->of.kernel.block[1],
                work->of.kernel.block[2]);
    if (work->type == NODE_MEMCPY) fprintf(file, "%zu bytes\n", work->of.copy.width);
    if (work->type == NODE_MEMSET) fprintf(file, "(%u,%u)\n", work->of.set.value, work->of.set.element_bytes);
    fputs("\"];\n\n", file);
}

static uint32_t number_of(const struct CUgraph_st *graph, const struct CUgraphNode_st *node)
{
    uint32_t number = 0;
    while (number < graph->count && graph->node[number] != node) number++;
    return number;
}

// `graphs` counts those that were begun: child graphs follow their parent, each with a number of its own.
static void print_graph(FILE *file, const struct CUgraph_st *graph, int *graphs)
{
    const int own = ++*graphs;
    fprintf(file, "subgraph cluster_%d {\nlabel=\"graph_%d\" graph[style=\"dashed\"];\n", own, own);
    for (uint32_t i = 0; i < graph->count; i++) print_node(file, graph->node[i], own, i);
    for (uint32_t i = 0; i < graph->count; i++)
        for (uint32_t j = 0; j < graph->node[i]->after_count; j++)
            fprintf(file, "\"graph_%d_node_%u\" -> \"graph_%d_node_%u\";\n", own,
                    number_of(graph, graph->node[i]->after[j]), own, i);
    fputs("}\n", file);
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct work *work = &graph->node[i]->work;
        if (work->type == NODE_GRAPH) print_graph(file, work->of.graph, graphs);
        for (unsigned body = 0; work->type == NODE_CONDITIONAL && body < work->of.condition.size; body++)
            print_graph(file, work->of.condition.body[body], graphs);
    }
}

// The flags ask for more words in each box, which are left out.
DRIVER_VISIBLE enum cuda_result cuGraphDebugDotPrint(struct CUgraph_st *graph, const char *path, unsigned flags)
{
    DRIVER_USE_OR_RETURN(driver);
    (void)flags;
    if (!object_is(graph, OBJECT_GRAPH) || path == NULL) return CUDA_ERROR_INVALID_VALUE;
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return driver_refuse(driver, CUDA_ERROR_OPERATING_SYSTEM, "cuGraphDebugDotPrint", "%s: %s", path,
                             strerror(errno));
    int graphs = 0;
    fputs("digraph dot {\n", file);
    print_graph(file, graph, &graphs);
    fputs("}\n", file);
    const bool is_written = !ferror(file);
    return fclose(file) == 0 && is_written ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}
