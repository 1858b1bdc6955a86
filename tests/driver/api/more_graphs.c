// SPDX-License-Identifier: MIT
// What graphs keep besides nodes, how they are printed, and calls of earlier versions.
#include <unistd.h>

#include "api.h"

static struct CUgraph_st *graph;

// A node that stores `value` at `to`, on four CTAs.
static struct CUgraphNode_st *put_node(struct CUfunc_st *put, unsigned long long *to, uint32_t *value)
{
    void *parameters[] = {to, value};
    struct CUDA_KERNEL_NODE_PARAMS_v2_st params = api_node(put, parameters);
    struct CUgraphNode_st *node;
    params.gridDimX = 4;
    WORKS(cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &params));
    return node;
}

static void count(void *user)
{
    ++*(int *)user;
}

// What is printed of a graph with a node of each type, as Graphviz reads it.
static void expect_dot(void)
{
    static const char *const words[] = {"digraph dot {\n",
                                        "\"graph_1_node_0\"[",
                                        "KERNEL\nput\ngrid 4,1,1 block 1,1,1\n",
                                        "MEMSET\n(5,4)\n",
                                        "MEMCPY\n16 bytes\n",
                                        "HOST\n",
                                        "EVENT_RECORD\n",
                                        "EVENT_WAIT\n",
                                        "BATCH_MEM_OP\n",
                                        "MEM_ALLOC\n",
                                        "MEM_FREE\n",
                                        "GRAPH\n",
                                        "label=\"graph_2\"",
                                        "EMPTY\n",
                                        "\"graph_1_node_0\" -> \"graph_1_node_1\";\n"};
    char path[] = "/tmp/tmaref_dot_XXXXXX", text[4096];
    const int file = mkstemp(path);
    REQUIRE(file >= 0);
    WORKS(cudaGraphDebugDotPrint(graph, path, 0));
    const ssize_t bytes = read(file, text, sizeof text - 1);
    REQUIRE(bytes > 0);
    text[bytes] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(text, words[i]) == NULL) api_expect(__FILE__, __LINE__, words[i], 0, 1);
    int open = 0; // of each graph and of the whole
    for (const char *at = text; *at != '\0'; at++) open += (*at == '{') - (*at == '}');
    REQUIRE(open == 0);
    close(file);
    unlink(path);
}

SECTION(graph_dot)
{
    struct CUgraphNode_st *node;
    struct CUgraph_st *child;
    struct CUevent_st *event;
    uint32_t word = 1;
    struct CUctx_st *context = api_ready();
    unsigned long long to = api_memory(64, 0);
    struct CUDA_MEMSET_NODE_PARAMS_st set = {.dst = to, .value = 5, .elementSize = 4, .width = 1, .height = 1};
    struct CUDA_MEMCPY3D_st box = {.srcMemoryType = MEMORY_OF_DEVICE,
                                   .dstMemoryType = MEMORY_OF_DEVICE,
                                   .srcDevice = to,
                                   .dstDevice = to + 32,
                                   .WidthInBytes = 16,
                                   .Height = 1,
                                   .Depth = 1};
    struct CUDA_HOST_NODE_PARAMS_st host = {count, &word};
    union CUstreamBatchMemOpParams_union write = {.value = {.operation = 2, .address = to, .value64 = 7}};
    struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st operations = {.ctx = context, .count = 1, .paramArray = &write};
    struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st alloc = {.poolProps = {.allocType = 1, .location = {1, 0}}, .bytesize = 64};
    WORKS(cuGraphCreate(&graph, 0));
    WORKS(cuGraphCreate(&child, 0));
    WORKS(cuGraphAddEmptyNode(&node, child, NULL, 0));
    WORKS(cuEventCreate(&event, 0));
    struct CUgraphNode_st *first = put_node(api_kernel(ptx_put, "put"), &to, &word);
    WORKS(cuGraphAddMemsetNode(&node, graph, &first, 1, &set, context));
    WORKS(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &box, NULL));
    WORKS(cuGraphAddHostNode(&node, graph, NULL, 0, &host));
    WORKS(cuGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    WORKS(cuGraphAddEventRecordNode(&node, graph, NULL, 0, event));
    WORKS(cuGraphAddEventWaitNode(&node, graph, NULL, 0, event));
    WORKS(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &operations));
    WORKS(cuGraphAddMemAllocNode(&node, graph, NULL, 0, &alloc));
    WORKS(cuGraphAddMemFreeNode(&node, graph, &node, 1, alloc.dptr));
    expect_dot();
    REFUSES(ERROR_OPERATING_SYSTEM, cuGraphDebugDotPrint(graph, "/no/such/folder/file", 0));
    SAYS("/no/such/folder/file: No such file or directory");
    REFUSES(ERROR_INVALID_VALUE, cuGraphDebugDotPrint(NULL, "/no/such/folder/file", 0));
}
