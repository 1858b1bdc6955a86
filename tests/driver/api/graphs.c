// SPDX-License-Identifier: MIT
// Graphs that are built node by node, looked at, copied, changed.
#include "api.h"

static int one = 1, ten = 10;

static struct CUgraph_st *graph_new(void)
{
    struct CUgraph_st *graph;
    WORKS(cuGraphCreate(&graph, 0));
    return graph;
}

static struct CUDA_MEMSET_NODE_PARAMS_st fill_of(unsigned long long at, unsigned value)
{
    return (struct CUDA_MEMSET_NODE_PARAMS_st){.dst = at, .value = value, .width = 1, .height = 1, .elementSize = 4};
}

static struct CUDA_MEMCPY3D_st copy_of(unsigned long long to, unsigned long long from)
{
    return (struct CUDA_MEMCPY3D_st){.srcMemoryType = MEMORY_UNIFIED,
                                     .srcDevice = from,
                                     .dstMemoryType = MEMORY_UNIFIED,
                                     .dstDevice = to,
                                     .WidthInBytes = 4,
                                     .Height = 1,
                                     .Depth = 1};
}

enum { FILL, COPY, ADD, CALL, CHILD, RECORD, WAIT, EMPTY, NODES };

// fill 5, copy it to at + 8, add 1 there, then a call, a child that calls, an event that is recorded and waited for.
struct built {
    unsigned long long at;
    struct CUgraph_st *graph, *child;
    struct CUgraphNode_st *node[NODES];
    struct CUevent_st *event;
    struct CUfunc_st *put, *add;
};

static struct built build(void)
{
    struct built built = {.at = api_memory(64, 0), .graph = graph_new(), .child = graph_new()};
    struct CUgraphNode_st **node = built.node, *of_child;
    struct CUmod_st *module = api_module(ptx_put);
    unsigned long long to = built.at + 8;
    void *parameters[] = {&to};
    WORKS(cuModuleGetFunction(&built.put, module, "put"));
    WORKS(cuModuleGetFunction(&built.add, module, "add"));
    WORKS(cuEventCreate(&built.event, 0));
    const struct CUDA_MEMSET_NODE_PARAMS_st fill = fill_of(built.at, 5);
    const struct CUDA_MEMCPY3D_st copy = copy_of(built.at + 8, built.at);
    const struct CUDA_KERNEL_NODE_PARAMS_v2_st add = api_node(built.add, parameters);
    const struct CUDA_HOST_NODE_PARAMS_st host = {api_count_call, &one}, inner = {api_count_call, &ten};
    WORKS(cuGraphAddHostNode(&of_child, built.child, NULL, 0, &inner));
    WORKS(cuGraphAddMemsetNode(&node[FILL], built.graph, NULL, 0, &fill, api_current()));
    WORKS(cuGraphAddMemcpyNode(&node[COPY], built.graph, &node[FILL], 1, &copy, NULL));
    WORKS(cuGraphAddKernelNode_v2(&node[ADD], built.graph, &node[COPY], 1, &add));
    WORKS(cuGraphAddHostNode(&node[CALL], built.graph, &node[ADD], 1, &host));
    WORKS(cuGraphAddChildGraphNode(&node[CHILD], built.graph, &node[CALL], 1, built.child));
    WORKS(cuGraphAddEventRecordNode(&node[RECORD], built.graph, &node[CHILD], 1, built.event));
    WORKS(cuGraphAddEventWaitNode(&node[WAIT], built.graph, &node[RECORD], 1, built.event));
    WORKS(cuGraphAddEmptyNode(&node[EMPTY], built.graph, &node[CALL], 2)); // after the call and the child
    return built;
}

static void launch(struct CUgraphExec_st *exec)
{
    api_called = 0;
    WORKS(cuGraphLaunch(exec, NULL));
    WORKS(cuCtxSynchronize());
}

SECTION(graphs)
{
    api_ready();
    struct built built = build();
    struct CUgraphExec_st *exec;
    struct CUDA_GRAPH_INSTANTIATE_PARAMS_st with = {0};
    WORKS(cuGraphInstantiateWithFlags(&exec, built.graph, 0));
    launch(exec);
    REQUIRE(api_word(built.at) == 5 && api_word(built.at + 8) == 6 && api_called == 11);
    WORKS(cuGraphUpload(exec, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphUpload(NULL, NULL));
    WORKS(cuGraphExecDestroy(exec));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecDestroy(exec));
    REFUSES(ERROR_INVALID_VALUE, cuGraphLaunch(exec, NULL));
    WORKS(cuGraphInstantiateWithParams(&exec, built.graph, &with));
    REFUSES(ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&exec, built.graph, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(NULL, built.graph, 0));
    REFUSES(ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(&exec, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(&exec, built.graph, 16));
    REFUSES(ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(&exec, built.graph, 2)); // an upload needs a stream
    REFUSES(ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(&exec, built.graph, 5));
    REFUSES(ERROR_INVALID_VALUE, cuGraphCreate(NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuGraphCreate(&built.child, 1));

    // What the graph had of the program may go: its child does not matter any more, its event does.
    WORKS(cuGraphDestroy(built.child));
    REFUSES(ERROR_INVALID_VALUE, cuGraphDestroy(built.child));
    launch(exec);
    REQUIRE(api_called == 11);
    WORKS(cuEventDestroy_v2(built.event));
    REFUSES(ERROR_INVALID_HANDLE, cuGraphLaunch(exec, NULL));
    SAYS("the event to record was destroyed");

    // A kernel that fails ends the launch.
    const struct CUDA_KERNEL_NODE_PARAMS_v2_st fault = api_node(api_kernel(ptx_fault, "fault"), NULL);
    const struct CUDA_HOST_NODE_PARAMS_st host = {api_count_call, &one};
    struct CUgraph_st *failing = graph_new();
    struct CUgraphNode_st *node;
    WORKS(cuGraphAddKernelNode_v2(&node, failing, NULL, 0, &fault));
    WORKS(cuGraphAddHostNode(&node, failing, &node, 1, &host));
    WORKS(cuGraphInstantiateWithFlags(&exec, failing, 0));
    api_called = 0;
    WORKS(cuGraphLaunch(exec, NULL));
    REQUIRE(api_called == 0);
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

SECTION(graph_looks)
{
    api_ready();
    struct built built = build();
    struct CUgraphNode_st *node[16], *to[16];
    struct CUgraphEdgeData_st edges[16];
    static const uint32_t types[NODES] = {NODE_MEMSET, NODE_MEMCPY,       NODE_KERNEL,     NODE_HOST,
                                          NODE_GRAPH,  NODE_EVENT_RECORD, NODE_WAIT_EVENT, NODE_EMPTY};
    uint32_t type;
    size_t count = 16;
    WORKS(cuGraphGetNodes(built.graph, node, &count));
    REQUIRE(count == NODES && memcmp(node, built.node, sizeof built.node) == 0);
    count = 10;
    WORKS(cuGraphGetNodes(built.graph, node, &count));
    REQUIRE(count == NODES && node[NODES] == NULL && node[NODES + 1] == NULL);
    count = 2;
    WORKS(cuGraphGetNodes(built.graph, node, &count));
    REQUIRE(count == 2);
    WORKS(cuGraphGetRootNodes(built.graph, node, &count));
    REQUIRE(count == 1 && node[0] == built.node[FILL]);
    count = 16;
    WORKS(cuGraphGetEdges_v2(built.graph, node, to, edges, &count));
    REQUIRE(count == 8 && node[0] == built.node[FILL] && to[0] == built.node[COPY]);
    count = 3;
    WORKS(cuGraphGetEdges_v2(built.graph, node, to, NULL, &count));
    REQUIRE(count == 3);
    WORKS(cuGraphNodeGetDependencies_v2(built.node[EMPTY], NULL, NULL, &count));
    REQUIRE(count == 2);
    count = 4;
    WORKS(cuGraphNodeGetDependencies_v2(built.node[EMPTY], to, edges, &count));
    REQUIRE(count == 2 && to[0] == built.node[CALL] && to[1] == built.node[CHILD] && to[2] == NULL);
    count = 1;
    WORKS(cuGraphNodeGetDependencies_v2(built.node[EMPTY], to, NULL, &count));
    REQUIRE(count == 1);
    for (int i = 0; i < NODES; i++) {
        WORKS(cuGraphNodeGetType(built.node[i], &type));
        REQUIRE(type == types[i]);
    }
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeGetType(NULL, &type));
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeGetType(built.node[0], NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeGetDependencies_v2(NULL, to, NULL, &count));
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeGetDependencies_v2(built.node[0], to, NULL, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphGetNodes(NULL, node, &count));
    REFUSES(ERROR_INVALID_VALUE, cuGraphGetNodes(built.graph, node, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphGetEdges_v2(NULL, node, to, NULL, &count));
    REFUSES(ERROR_INVALID_VALUE, cuGraphGetEdges_v2(built.graph, node, to, NULL, NULL));
}

// Each way to add a node refuses what it does not know.
SECTION(graph_refusals)
{
    api_ready();
    struct built built = build();
    struct CUgraphNode_st *node, *foreign, *none = NULL;
    struct CUgraph_st *other = graph_new();
    void *parameters[] = {&built.at};
    const struct CUDA_HOST_NODE_PARAMS_st nobody = {NULL, NULL};
    struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel = api_node(built.add, parameters);
    struct CUDA_MEMCPY3D_st copy = copy_of(built.at, 64);
    struct CUDA_MEMSET_NODE_PARAMS_st fill = fill_of(64, 0);
    WORKS(cuGraphAddEmptyNode(&foreign, other, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddEmptyNode(NULL, built.graph, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&node, NULL, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&node, built.graph, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&node, built.graph, &foreign, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&node, built.graph, &none, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddKernelNode_v2(&node, built.graph, NULL, 0, NULL));
    kernel.gridDimX = 0;
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddKernelNode_v2(&node, built.graph, NULL, 0, &kernel));
    kernel.kernelParams = NULL;
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddKernelNode_v2(&node, built.graph, NULL, 0, &kernel));
    SAYS("add has 1 parameters, none are given");
    kernel.func = NULL;
    REFUSES(ERROR_INVALID_HANDLE, cuGraphAddKernelNode_v2(&node, built.graph, NULL, 0, &kernel));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddMemcpyNode(&node, built.graph, NULL, 0, NULL, NULL));
    copy.dstDevice = 0;
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddMemcpyNode(&node, built.graph, NULL, 0, &copy, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddMemsetNode(&node, built.graph, NULL, 0, NULL, api_current()));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddMemsetNode(&node, built.graph, NULL, 0, &fill, api_current()));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddHostNode(&node, built.graph, NULL, 0, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddHostNode(&node, built.graph, NULL, 0, &nobody));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddChildGraphNode(&node, built.graph, NULL, 0, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddEventRecordNode(&node, built.graph, NULL, 0, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddEventWaitNode(&node, built.graph, NULL, 0, NULL));

    WORKS(cuGraphAddDependencies_v2(built.graph, &built.node[FILL], &built.node[EMPTY], NULL, 1));
    WORKS(cuGraphAddDependencies_v2(built.graph, NULL, NULL, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(NULL, &built.node[0], &built.node[1], NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(built.graph, NULL, &built.node[1], NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(built.graph, &built.node[0], NULL, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(built.graph, &none, &built.node[1], NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(built.graph, &built.node[0], &none, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(built.graph, &foreign, &built.node[1], NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(built.graph, &built.node[0], &foreign, NULL, 1));
    // A circle is seen when the graph is instantiated.
    struct CUgraphExec_st *exec;
    WORKS(cuGraphAddDependencies_v2(built.graph, &built.node[EMPTY], &built.node[FILL], NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(&exec, built.graph, 0));
}

SECTION(graph_clones)
{
    api_ready();
    struct built built = build();
    struct CUgraph_st *clone;
    struct CUgraphNode_st *node;
    struct CUgraphExec_st *exec;
    WORKS(cuGraphClone(&clone, built.graph));
    WORKS(cuGraphNodeFindInClone(&node, built.node[ADD], clone));
    REQUIRE(node != built.node[ADD]);
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeFindInClone(&node, node, clone));
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeFindInClone(NULL, built.node[ADD], clone));
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeFindInClone(&node, built.node[ADD], NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphClone(NULL, built.graph));
    REFUSES(ERROR_INVALID_VALUE, cuGraphClone(&clone, NULL));
    WORKS(cuGraphDestroy(built.graph));
    WORKS(cuGraphInstantiateWithFlags(&exec, clone, 0)); // it stands alone
    launch(exec);
    REQUIRE(api_word(built.at + 8) == 6 && api_called == 11);
}

// --- Changing what is instantiated -----------------------------------------------------------------------------------

SECTION(graph_changes)
{
    api_ready();
    struct built built = build();
    struct CUgraphNode_st **node = built.node, *stranger = NULL;
    struct CUgraphExec_st *exec;
    unsigned long long to = built.at + 16;
    void *parameters[] = {&to};
    struct CUDA_KERNEL_NODE_PARAMS_v2_st add = api_node(built.add, parameters);
    const struct CUDA_MEMSET_NODE_PARAMS_st fill = fill_of(built.at, 9);
    const struct CUDA_MEMCPY3D_st copy = copy_of(built.at + 24, built.at);
    const struct CUDA_HOST_NODE_PARAMS_st host = {api_count_call, &ten}, nobody = {NULL, NULL};
    WORKS(cuGraphInstantiateWithFlags(&exec, built.graph, 0));
    WORKS(cuGraphExecKernelNodeSetParams_v2(exec, node[ADD], &add));
    WORKS(cuGraphExecMemsetNodeSetParams(exec, node[FILL], &fill, NULL));
    WORKS(cuGraphExecMemcpyNodeSetParams(exec, node[COPY], &copy, NULL));
    WORKS(cuGraphExecHostNodeSetParams(exec, node[CALL], &host));
    launch(exec);
    REQUIRE(api_word(built.at) == 9 && api_word(built.at + 8) == 0 && api_word(built.at + 16) == 1);
    REQUIRE(api_word(built.at + 24) == 9 && api_called == 20);
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeSetEnabled(exec, node[CALL], 0)); // kernels, copies and fills alone
    WORKS(cuGraphNodeSetEnabled(exec, node[ADD], 0));
    launch(exec);
    REQUIRE(api_word(built.at + 16) == 1);
    WORKS(cuGraphNodeSetEnabled(exec, node[ADD], 1));
    WORKS(cuGraphKernelNodeSetParams_v2(node[ADD], &add)); // of the graph itself: for what is instantiated next
    REFUSES(ERROR_INVALID_VALUE, cuGraphKernelNodeSetParams_v2(NULL, &add));
    REFUSES(ERROR_INVALID_VALUE, cuGraphKernelNodeSetParams_v2(node[FILL], &add));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecKernelNodeSetParams_v2(exec, stranger, &add));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecKernelNodeSetParams_v2(exec, node[ADD], NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecMemsetNodeSetParams(exec, node[FILL], NULL, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecMemsetNodeSetParams(exec, stranger, &fill, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecMemcpyNodeSetParams(exec, node[COPY], NULL, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecMemcpyNodeSetParams(exec, stranger, &copy, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecHostNodeSetParams(exec, node[CALL], NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecHostNodeSetParams(exec, node[CALL], &nobody));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecHostNodeSetParams(exec, stranger, &host));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecHostNodeSetParams(NULL, node[CALL], &host));
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeSetEnabled(exec, stranger, 1));
    add.gridDimX = 0;
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecKernelNodeSetParams_v2(exec, node[ADD], &add));
}

enum { UPDATED, TOPOLOGY = 2, NODE_TYPE, PARAMETERS = 5 };

// fill and copy, one after the other or side by side.
static struct CUgraph_st *pair(unsigned long long at, unsigned value, int is_chain)
{
    struct CUgraph_st *graph = graph_new();
    struct CUgraphNode_st *node[2];
    const struct CUDA_MEMSET_NODE_PARAMS_st fill = fill_of(at, value);
    const struct CUDA_MEMCPY3D_st copy = copy_of(at + 8, at);
    WORKS(cuGraphAddMemsetNode(&node[0], graph, NULL, 0, &fill, api_current()));
    WORKS(cuGraphAddMemcpyNode(&node[1], graph, node, (size_t)is_chain, &copy, NULL));
    return graph;
}

SECTION(graph_updates)
{
    struct CUgraphExecUpdateResultInfo_st info;
    struct CUgraphExec_st *exec;
    struct CUgraphNode_st *node;
    api_ready();
    const unsigned long long at = api_memory(64, 0);
    struct CUgraph_st *first = pair(at, 1, 1), *second = pair(at, 2, 1), *loose = pair(at, 3, 0),
                      *more = pair(at, 4, 1);
    WORKS(cuGraphInstantiateWithFlags(&exec, first, 0));
    WORKS(cuGraphExecUpdate_v2(exec, second, &info));
    REQUIRE(info.result == UPDATED && info.errorNode == NULL);
    launch(exec);
    REQUIRE(api_word(at + 8) == 2);
    REFUSES(ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(exec, loose, &info));
    REQUIRE(info.result == TOPOLOGY && info.errorNode != NULL);
    WORKS(cuGraphAddEmptyNode(&node, more, NULL, 0));
    REFUSES(ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(exec, more, &info));
    REQUIRE(info.result == TOPOLOGY && info.errorNode == NULL);
    struct CUgraph_st *others = graph_new();
    WORKS(cuGraphAddEmptyNode(&node, others, NULL, 0));
    WORKS(cuGraphAddEmptyNode(&node, others, &node, 1));
    REFUSES(ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(exec, others, &info));
    REQUIRE(info.result == NODE_TYPE && info.errorNode != NULL);
    const unsigned long long freed = api_memory(64, 0);
    struct CUgraph_st *stale = pair(freed, 5, 1);
    WORKS(cuMemFree_v2(freed));
    REFUSES(ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(exec, stale, &info));
    REQUIRE(info.result == PARAMETERS && info.errorNode != NULL);
    launch(exec);
    REQUIRE(api_word(at + 8) == 2); // as it was
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecUpdate_v2(NULL, first, &info));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecUpdate_v2(exec, NULL, &info));
    WORKS(cuGraphExecUpdate_v2(exec, first, NULL));
}
