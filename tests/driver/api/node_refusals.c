// SPDX-License-Identifier: MIT
// What nodes of graphs are refused for, and the shapes of graphs that other sections do not have.
#include "api.h"

enum { DEVICE = 1, HOST = 2 }; // types of places

static struct CUgraph_st *graph;
static struct CUgraphNode_st *node;
static unsigned long long memory;

static struct CUgraphNode_st *fill(struct CUgraph_st *of, unsigned value)
{
    const struct CUDA_MEMSET_NODE_PARAMS_st set = {
        .dst = memory, .value = value, .elementSize = 4, .width = 1, .height = 1};
    struct CUgraphNode_st *made;
    WORKS(cuGraphAddMemsetNode(&made, of, NULL, 0, &set, api_current()));
    return made;
}

// A fill is done in a context, a copy in any (as an H200's driver says).
static void refuse_no_context(struct CUgraph_st *of)
{
    const struct CUDA_MEMSET_NODE_PARAMS_st set = {.dst = memory, .elementSize = 4, .width = 1, .height = 1};
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddMemsetNode(&node, of, NULL, 0, &set, NULL));
}

static void refuse_types(void)
{
    enum { EXTERNAL_SIGNAL = 8, EXTERNAL_WAIT = 9 };
    struct CUgraphNodeParams_st params = {.type = EXTERNAL_SIGNAL};
    REFUSES(ERROR_NOT_SUPPORTED, cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params));
    SAYS("tmaref exec does not have semaphores of other APIs");
    params.type = EXTERNAL_WAIT;
    REFUSES(ERROR_NOT_SUPPORTED, cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params));
    SAYS("semaphores of other APIs");
    params = (struct CUgraphNodeParams_st){.type = NODE_EMPTY, .reserved2 = 1};
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params));
    for (int i = 0; i < 3; i++) {
        params = (struct CUgraphNodeParams_st){.type = NODE_EMPTY};
        params.reserved0[i] = 1;
        REFUSES(ERROR_INVALID_VALUE, cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params));
    }
    params = (struct CUgraphNodeParams_st){.type = NODE_EMPTY};
    WORKS(cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params));
}

static void refuse_operations(struct CUctx_st *context)
{
    enum { MOST = 256 };
    union CUstreamBatchMemOpParams_union write = {.value = {.operation = 2, .address = memory, .value64 = 7}};
    const struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st wrong[] = {
        {NULL, 1, &write, 0},    {(void *)graph, 1, &write, 0}, {context, MOST + 1, &write, 0},
        {context, 1, &write, 1}, {context, 1, NULL, 0},
    };
    const struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st none = {context, 0, NULL, 0};
    struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st got;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        REFUSES(ERROR_INVALID_VALUE, cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &wrong[i]));
    WORKS(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &none));
    WORKS(cuGraphBatchMemOpNodeGetParams(node, &got));
    REQUIRE(got.count == 0 && got.ctx == context);
    REFUSES(ERROR_INVALID_VALUE, cuGraphBatchMemOpNodeGetParams(fill(graph, 1), &got));
}

// Memory of the device, pinned, for nobody else.
static void refuse_memory(void)
{
    const struct cuda_mem_access_desc desc = {.location = {DEVICE, 0}, .flags = 3};
    const struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st right = {.poolProps = {.allocType = 1, .location = {DEVICE, 0}},
                                                           .accessDescs = &desc,
                                                           .accessDescCount = 1,
                                                           .bytesize = 64};
    struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st row[] = {right, right, right, right, right, right, right};
    const enum cuda_result error[] = {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE,
                                      CUDA_ERROR_NOT_SUPPORTED, CUDA_ERROR_NOT_SUPPORTED, CUDA_ERROR_INVALID_VALUE,
                                      CUDA_ERROR_INVALID_VALUE};
    struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st params = right, other = right;
    struct CUgraphNode_st *alloc, *freed;
    unsigned long long address;
    row[0].bytesize = 0;
    row[1].poolProps.allocType = 0;
    row[2].poolProps.location.id = 1;
    row[3].poolProps.location.type = HOST;
    row[4].poolProps.handleTypes = 1;
    row[5].accessDescCount = 2;
    row[6].accessDescs = NULL;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        api_expect(__FILE__, __LINE__, "cuGraphAddMemAllocNode",
                   (int)cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &row[i]), (int)error[i]);
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, NULL));
    WORKS(cuGraphAddMemAllocNode(&node, graph, NULL, 0, &other));
    WORKS(cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params));
    REQUIRE(params.dptr != 0 && params.dptr != other.dptr);
    WORKS(cuGraphAddMemFreeNode(&freed, graph, &node, 1, other.dptr));
    WORKS(cuGraphAddMemFreeNode(&freed, graph, &alloc, 1, params.dptr));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&node, graph, &alloc, 1, params.dptr)); // once
    WORKS(cuGraphMemFreeNodeGetParams(freed, &address));
    REQUIRE(address == params.dptr);
    REFUSES(ERROR_INVALID_VALUE, cuGraphMemFreeNodeGetParams(alloc, &address));
    REFUSES(ERROR_INVALID_VALUE, cuGraphMemAllocNodeGetParams(freed, &params));
    struct CUgraphNodeParams_st set = {.type = NODE_MEM_ALLOC, .alloc = right};
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeSetParams(alloc, &set));
    set = (struct CUgraphNodeParams_st){.type = NODE_MEM_FREE, .freed.dptr = address};
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeSetParams(freed, &set));
}

SECTION(node_refusals)
{
    struct CUctx_st *context = api_ready();
    memory = api_memory(64, 0);
    WORKS(cuGraphCreate(&graph, 0));
    refuse_no_context(graph);
    refuse_types();
    refuse_operations(context);
    refuse_memory();
}

// --- What is asked of a graph ----------------------------------------------------------------------------------------

static void show_edges(void)
{
    struct CUgraphNode_st *from = fill(graph, 1), *to = fill(graph, 2), *got[] = {NULL};
    const struct CUgraphEdgeData_st plain = {0}, early[] = {{.from_port = 1}, {.to_port = 1}, {.type = 1}};
    size_t count = 1;
    for (size_t i = 0; i < sizeof early / sizeof early[0]; i++)
        REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(graph, &from, &to, &early[i], 1)); // of kernels only
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(graph, &from, NULL, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphRemoveDependencies_v2(graph, &from, &to, NULL, 1)); // there is none yet
    WORKS(cuGraphAddDependencies_v2(graph, &from, &to, &plain, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphRemoveDependencies_v2(graph, &from, NULL, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphRemoveDependencies_v2(graph, &from, (void *)&graph, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphGetEdges_v2(graph, got, NULL, NULL, &count)); // both lists or none
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeGetDependencies_v2(to, NULL, NULL, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeGetDependentNodes_v2(from, NULL, NULL, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeGetDependentNodes_v2((void *)graph, NULL, NULL, &count));
    REFUSES(ERROR_INVALID_VALUE, cuGraphDestroyNode((void *)graph));
}

static void show_enabled(void)
{
    struct CUgraphNode_st *empty, *set = fill(graph, 1);
    struct CUgraphExec_st *exec;
    unsigned is_enabled = 7;
    WORKS(cuGraphAddEmptyNode(&empty, graph, NULL, 0));
    WORKS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    WORKS(cuGraphNodeGetEnabled(exec, set, &is_enabled));
    REQUIRE(is_enabled == 1);
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeGetEnabled(exec, empty, &is_enabled));
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeGetEnabled(exec, set, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeGetEnabled(exec, NULL, &is_enabled));
    REFUSES(ERROR_INVALID_VALUE, cuGraphNodeGetEnabled((void *)graph, set, &is_enabled));
}

// A file that cannot be written to its end, and a node whose kernel is no more.
static void show_gone_kernel(void)
{
    uint32_t word = 1;
    void *parameters[] = {&memory, &word};
    struct CUmod_st *module = api_module(ptx_put);
    struct CUfunc_st *put;
    WORKS(cuModuleGetFunction(&put, module, "put"));
    struct CUDA_KERNEL_NODE_PARAMS_v2_st params = api_node(put, parameters);
    WORKS(cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &params));
    const struct CUgraphEdgeData_st early = {.type = 1};
    struct CUgraphNode_st *next = fill(graph, 1);
    WORKS(cuGraphAddDependencies_v2(graph, &node, &next, &early, 1)); // it may start early behind a kernel
    WORKS(cuModuleUnload(module));
    REFUSES(ERROR_INVALID_HANDLE, cuGraphKernelNodeGetParams_v2(node, &params));
    REFUSES(ERROR_INVALID_VALUE, cuGraphDebugDotPrint(graph, NULL, 0));
    REFUSES(ERROR_OPERATING_SYSTEM, cuGraphDebugDotPrint(graph, "/dev/full", 0));
}

SECTION(graph_looks_refused)
{
    api_ready();
    memory = api_memory(64, 0);
    WORKS(cuGraphCreate(&graph, 0));
    show_edges();
    show_enabled();
    show_gone_kernel();
}

// --- Children of children --------------------------------------------------------------------------------------------

// A graph whose only node, then `node`, has this child.
static struct CUgraph_st *parent_of(struct CUgraph_st *inner)
{
    struct CUgraph_st *parent;
    WORKS(cuGraphCreate(&parent, 0));
    WORKS(cuGraphAddChildGraphNode(&node, parent, NULL, 0, inner));
    return parent;
}

static struct CUgraph_st *filling(unsigned value)
{
    struct CUgraph_st *made;
    WORKS(cuGraphCreate(&made, 0));
    fill(made, value);
    return made;
}

SECTION(graph_grandchildren)
{
    struct CUgraphExec_st *exec;
    struct CUgraph_st *empty;
    api_ready();
    memory = api_memory(64, 0);
    WORKS(cuGraphCreate(&empty, 0));
    graph = parent_of(parent_of(filling(3)));
    struct CUgraphNode_st *child = node;
    WORKS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    WORKS(cuGraphLaunch(exec, NULL));
    REQUIRE(api_word(memory) == 3);
    WORKS(cuGraphExecChildGraphNodeSetParams(exec, child, parent_of(filling(4))));
    WORKS(cuGraphLaunch(exec, NULL));
    REQUIRE(api_word(memory) == 4);
    struct CUgraph_st *deep = parent_of(parent_of(filling(5)));
    REFUSES(ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecChildGraphNodeSetParams(exec, child, filling(5))); // no child
    REFUSES(ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecChildGraphNodeSetParams(exec, child, deep));
    REFUSES(ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecChildGraphNodeSetParams(exec, child, empty));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecChildGraphNodeSetParams(exec, child, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecChildGraphNodeSetParams(exec, NULL, empty));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecChildGraphNodeSetParams(NULL, child, empty));
    WORKS(cuGraphLaunch(exec, NULL));
    REQUIRE(api_word(memory) == 4);
}

// --- Objects of the program ------------------------------------------------------------------------------------------

static void count_call(void *user)
{
    ++*(int *)user;
}

SECTION(object_refusals)
{
    struct CUuserObject_st *object, *other;
    int destroyed = 0;
    api_ready();
    WORKS(cuGraphCreate(&graph, 0));
    REFUSES(ERROR_INVALID_VALUE, cuUserObjectCreate(NULL, &destroyed, count_call, 1, 1));
    WORKS(cuUserObjectCreate(&object, &destroyed, count_call, 1, 1));
    WORKS(cuUserObjectCreate(&other, &destroyed, count_call, 1, 1));
    REFUSES(ERROR_INVALID_VALUE, cuUserObjectRelease(object, 0));
    REFUSES(ERROR_INVALID_VALUE, cuGraphRetainUserObject((void *)object, object, 1, 0));
    REFUSES(ERROR_INVALID_VALUE, cuGraphRetainUserObject(graph, object, 0, 0));
    WORKS(cuGraphRetainUserObject(graph, object, 1, 0));
    WORKS(cuGraphRetainUserObject(graph, other, 1, 1)); // the only one
    REFUSES(ERROR_INVALID_VALUE, cuGraphReleaseUserObject((void *)object, object, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphReleaseUserObject(graph, NULL, 1));
    WORKS(cuGraphReleaseUserObject(graph, other, 1));
    REQUIRE(destroyed == 1);
    WORKS(cuGraphReleaseUserObject(graph, object, 1));
    WORKS(cuGraphReleaseUserObject(graph, object, 1)); // what the graph does not have
    REQUIRE(destroyed == 1);
    WORKS(cuUserObjectRelease(object, 1));
    REQUIRE(destroyed == 2);
    WORKS(cuGraphDestroy(graph));
    REQUIRE(destroyed == 2);
}
