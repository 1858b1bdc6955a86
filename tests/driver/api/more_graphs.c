// SPDX-License-Identifier: MIT
// What graphs keep besides nodes, how they are printed, and calls of earlier versions.
#include <unistd.h>

#include "api.h"

enum { COOPERATIVE = 2, CLUSTER = 4, PRIORITY = 8, DOMAINS = 9 };

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

SECTION(graph_attributes)
{
    unsigned value[16] = {2, 1, 1};
    uint32_t word = 3;
    struct CUgraphNode_st *empty;
    struct CUgraphExec_st *exec;
    api_ready();
    unsigned long long to = api_memory(64, 0);
    struct CUfunc_st *put = api_kernel(ptx_put, "put");
    WORKS(cuGraphCreate(&graph, 0));
    struct CUgraphNode_st *node = put_node(put, &to, &word), *other = put_node(put, &to, &word);
    WORKS(cuGraphAddEmptyNode(&empty, graph, NULL, 0));
    WORKS(cuGraphKernelNodeSetAttribute(node, CLUSTER, value));
    WORKS(cuGraphKernelNodeCopyAttributes(other, node));
    memset(value, 0, sizeof value);
    WORKS(cuGraphKernelNodeGetAttribute(other, CLUSTER, value));
    REQUIRE(value[0] == 2 && value[1] == 1 && value[2] == 1);
    WORKS(cuGraphKernelNodeGetAttribute(other, DOMAINS, value));
    REQUIRE(value[0] == 0x100); // domain 0 for the default, 1 for remote memory
    value[0] = 3;
    REFUSES(ERROR_INVALID_CLUSTER_SIZE, cuGraphKernelNodeSetAttribute(node, CLUSTER, value)); // 4 CTAs
    value[0] = 1;
    WORKS(cuGraphKernelNodeSetAttribute(node, COOPERATIVE, value));
    WORKS(cuGraphKernelNodeGetAttribute(node, COOPERATIVE, value));
    REQUIRE(value[0] == 1);
    REFUSES(ERROR_INVALID_VALUE, cuGraphKernelNodeSetAttribute(empty, PRIORITY, value));
    REFUSES(ERROR_INVALID_VALUE, cuGraphKernelNodeSetAttribute(node, 99, value));
    REFUSES(ERROR_INVALID_VALUE, cuGraphKernelNodeSetAttribute(node, PRIORITY, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphKernelNodeGetAttribute(node, PRIORITY, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphKernelNodeGetAttribute(node, 0, value));
    REFUSES(ERROR_INVALID_VALUE, cuGraphKernelNodeCopyAttributes(empty, node));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphKernelNodeCopyAttributes(node, NULL));
    WORKS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    WORKS(cuGraphLaunch(exec, NULL));
    REQUIRE(api_word(to) == 3);
}

static void count(void *user)
{
    ++*(int *)user;
}

SECTION(user_objects)
{
    struct CUuserObject_st *object;
    struct CUgraph_st *clone;
    struct CUgraphExec_st *exec;
    int destroyed = 0;
    api_ready();
    REFUSES(ERROR_INVALID_VALUE, cuUserObjectCreate(&object, &destroyed, NULL, 1, 1));
    REFUSES(ERROR_INVALID_VALUE, cuUserObjectCreate(&object, &destroyed, count, 0, 1));
    REFUSES(ERROR_INVALID_VALUE, cuUserObjectCreate(&object, &destroyed, count, 1, 0));
    WORKS(cudaUserObjectCreate(&object, &destroyed, count, 1, 1));
    WORKS(cuGraphCreate(&graph, 0));
    WORKS(cudaUserObjectRetain(object, 1));
    WORKS(cudaGraphRetainUserObject(graph, object, 1, 1)); // the graph takes one of ours
    WORKS(cuGraphRetainUserObject(graph, object, 2, 0));
    WORKS(cudaGraphReleaseUserObject(graph, object, 2));
    REFUSES(ERROR_INVALID_VALUE, cuGraphRetainUserObject(graph, object, 1, 2));
    REFUSES(ERROR_INVALID_VALUE, cuGraphRetainUserObject(graph, NULL, 1, 0));
    REFUSES(ERROR_INVALID_VALUE, cuGraphReleaseUserObject(graph, object, 0));
    REFUSES(ERROR_INVALID_VALUE, cuUserObjectRetain(object, 0));
    REFUSES(ERROR_INVALID_VALUE, cuUserObjectRelease(NULL, 1));
    WORKS(cudaUserObjectRelease(object, 9)); // more than there are
    WORKS(cuUserObjectRelease(object, 1));
    WORKS(cuGraphClone(&clone, graph));
    WORKS(cuGraphDestroy(graph));
    WORKS(cuGraphInstantiateWithFlags(&exec, clone, 0));
    WORKS(cuGraphDestroy(clone));
    REQUIRE(destroyed == 0); // what was instantiated still has it
    WORKS(cuGraphExecDestroy(exec));
    REQUIRE(destroyed == 1);
    REFUSES(ERROR_INVALID_VALUE, cuUserObjectRetain(object, 1));
    WORKS(cuUserObjectCreate(&object, &destroyed, count, 1, 1));
    WORKS(cuGraphCreate(&graph, 0));
    WORKS(cuGraphRetainUserObject(graph, object, 1, 1));
    WORKS(cuGraphReleaseUserObject(graph, object, 5)); // all that the graph has
    REQUIRE(destroyed == 2);
    WORKS(cuGraphDestroy(graph));
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

// --- Earlier versions ------------------------------------------------------------------------------------------------

struct CUDA_KERNEL_NODE_PARAMS_st;
enum cuda_result cuGraphAddKernelNode(struct CUgraphNode_st **node, struct CUgraph_st *of,
                                      struct CUgraphNode_st *const *after, size_t after_count,
                                      const struct CUDA_KERNEL_NODE_PARAMS_st *from);
enum cuda_result cuGraphKernelNodeSetParams(struct CUgraphNode_st *node, const struct CUDA_KERNEL_NODE_PARAMS_st *from);
enum cuda_result cuGraphExecKernelNodeSetParams(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                                const struct CUDA_KERNEL_NODE_PARAMS_st *from);
enum cuda_result cuGraphKernelNodeGetParams(struct CUgraphNode_st *node, struct CUDA_KERNEL_NODE_PARAMS_st *to);
enum cuda_result cuGraphAddNode(struct CUgraphNode_st **node, struct CUgraph_st *of,
                                struct CUgraphNode_st *const *after, size_t after_count,
                                struct CUgraphNodeParams_st *from);
enum cuda_result cuGraphAddDependencies(struct CUgraph_st *of, struct CUgraphNode_st *const *from,
                                        struct CUgraphNode_st *const *to, size_t edges);
enum cuda_result cuGraphRemoveDependencies(struct CUgraph_st *of, struct CUgraphNode_st *const *from,
                                           struct CUgraphNode_st *const *to, size_t edges);
enum cuda_result cuGraphGetEdges(struct CUgraph_st *of, struct CUgraphNode_st **from, struct CUgraphNode_st **to,
                                 size_t *edges);
enum cuda_result cuGraphNodeGetDependencies(struct CUgraphNode_st *node, struct CUgraphNode_st **to, size_t *edges);
enum cuda_result cuGraphNodeGetDependentNodes(struct CUgraphNode_st *node, struct CUgraphNode_st **to, size_t *edges);
enum cuda_result cuGraphInstantiate(struct CUgraphExec_st **exec, struct CUgraph_st *of, struct CUgraphNode_st **failed,
                                    char *log, size_t log_bytes);
enum cuda_result cuGraphExecUpdate(struct CUgraphExec_st *exec, struct CUgraph_st *of, struct CUgraphNode_st **failed,
                                   uint32_t *result);
enum cuda_result cuStreamBeginCapture(struct CUstream_st *stream);
enum cuda_result cuStreamGetCaptureInfo(struct CUstream_st *stream, uint32_t *status, uint64_t *id);
enum cuda_result cuStreamUpdateCaptureDependencies(struct CUstream_st *stream, struct CUgraphNode_st **after,
                                                   size_t after_count, unsigned flags);
enum cuda_result cuStreamBatchMemOp(struct CUstream_st *stream, unsigned operations,
                                    union CUstreamBatchMemOpParams_union *at, unsigned flags);
enum cuda_result cuStreamWaitValue32(struct CUstream_st *stream, unsigned long long address, uint32_t value,
                                     unsigned flags);
enum cuda_result cuStreamWaitValue64(struct CUstream_st *stream, unsigned long long address, uint64_t value,
                                     unsigned flags);
enum cuda_result cuStreamWriteValue32(struct CUstream_st *stream, unsigned long long address, uint32_t value,
                                      unsigned flags);
enum cuda_result cuStreamWriteValue64(struct CUstream_st *stream, unsigned long long address, uint64_t value,
                                      unsigned flags);
enum cuda_result cuMemcpyBatchAsync(unsigned long long *to, unsigned long long *from, size_t *bytes, size_t copies,
                                    struct CUmemcpyAttributes_st *attribute, size_t *attribute_from, size_t attributes,
                                    size_t *failed, struct CUstream_st *stream);
enum cuda_result cuMemcpy3DBatchAsync(size_t copies, struct CUDA_MEMCPY3D_BATCH_OP_st *box, size_t *failed,
                                      unsigned long long flags, struct CUstream_st *stream);

static void show_old_graphs(unsigned long long to)
{
    uint32_t word = 6, result = 9;
    void *parameters[] = {&to, &word};
    struct CUDA_KERNEL_NODE_PARAMS_v2_st params = api_node(api_kernel(ptx_put, "put"), parameters), got;
    const struct CUDA_KERNEL_NODE_PARAMS_st *old = (const void *)&params;
    struct CUgraphNodeParams_st any = {.type = NODE_EMPTY};
    struct CUgraphNode_st *kernel, *empty, *from[2], *tos[2];
    struct CUgraphExec_st *exec;
    char log[4] = "was";
    size_t edges = 2;
    WORKS(cuGraphCreate(&graph, 0));
    WORKS(cuGraphAddKernelNode(&kernel, graph, NULL, 0, old));
    WORKS(cuGraphAddNode(&empty, graph, NULL, 0, &any));
    WORKS(cuGraphAddDependencies(graph, &kernel, &empty, 1));
    WORKS(cuGraphGetEdges(graph, from, tos, &edges));
    REQUIRE(edges == 1 && from[0] == kernel && tos[0] == empty);
    WORKS(cuGraphNodeGetDependencies(empty, from, &edges));
    REQUIRE(edges == 1 && from[0] == kernel);
    WORKS(cuGraphNodeGetDependentNodes(kernel, tos, &edges));
    REQUIRE(edges == 1 && tos[0] == empty);
    WORKS(cuGraphRemoveDependencies(graph, &kernel, &empty, 1));
    WORKS(cuGraphInstantiate(&exec, graph, from, log, sizeof log));
    REQUIRE(from[0] == NULL && log[0] == '\0');
    word = 7;
    WORKS(cuGraphKernelNodeSetParams(kernel, old));
    WORKS(cuGraphKernelNodeGetParams(kernel, (struct CUDA_KERNEL_NODE_PARAMS_st *)&got));
    REQUIRE(*(uint32_t *)got.kernelParams[1] == 7);
    WORKS(cuGraphExecUpdate(exec, graph, from, &result));
    REQUIRE(result == 0 && from[0] == NULL);
    WORKS(cuGraphLaunch(exec, NULL));
    REQUIRE(api_word(to) == 7);
    word = 8;
    WORKS(cuGraphExecKernelNodeSetParams(exec, kernel, old));
    WORKS(cuGraphLaunch(exec, NULL));
    REQUIRE(api_word(to) == 8);
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddKernelNode(&kernel, graph, NULL, 0, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphKernelNodeSetParams(kernel, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphExecKernelNodeSetParams(exec, kernel, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphKernelNodeGetParams(kernel, NULL));
}

static void show_old_copies(unsigned long long to, struct CUstream_st *stream)
{
    unsigned long long target = to + 32;
    size_t bytes = 4, first = 0, failed = 7;
    struct CUmemcpyAttributes_st attribute = {.srcAccessOrder = 1};
    struct CUDA_MEMCPY3D_BATCH_OP_st box = {.src = {.type = 1, .op.ptr.ptr = to},
                                            .dst = {.type = 1, .op.ptr.ptr = to + 40},
                                            .extent = {4, 1, 1},
                                            .srcAccessOrder = 1};
    WORKS(cuMemcpyBatchAsync(&target, &to, &bytes, 1, &attribute, &first, 1, &failed, stream));
    REQUIRE(failed == SIZE_MAX && api_word(to + 32) == api_word(to));
    WORKS(cuMemcpy3DBatchAsync(1, &box, &failed, 0, stream));
    REQUIRE(api_word(to + 40) == api_word(to));
    box.src.type = 2;
    REFUSES(ERROR_NOT_SUPPORTED, cuMemcpy3DBatchAsync(1, &box, &failed, 0, stream));
    SAYS("tmaref exec has no CUDA arrays");
}

SECTION(old_versions)
{
    uint32_t status;
    uint64_t id;
    struct CUstream_st *stream;
    union CUstreamBatchMemOpParams_union write = {.value = {.operation = 2, .value64 = 3}};
    api_ready();
    unsigned long long to = api_memory(64, 0);
    show_old_graphs(to);
    WORKS(cuStreamCreate(&stream, 1));
    WORKS(cuStreamBeginCapture(stream));
    WORKS(cuStreamGetCaptureInfo(stream, &status, &id));
    REQUIRE(status == CAPTURE_ACTIVE);
    WORKS(cuStreamUpdateCaptureDependencies(stream, NULL, 0, 1));
    WORKS(cuStreamEndCapture(stream, &graph));
    WORKS(cuStreamWriteValue32(stream, to, 4, 0));
    WORKS(cuStreamWaitValue32(stream, to, 4, 1));
    WORKS(cuStreamWriteValue64(stream, to + 8, 5, 0));
    WORKS(cuStreamWaitValue64(stream, to + 8, 5, 1));
    write.value.address = to + 16;
    WORKS(cuStreamBatchMemOp(stream, 1, &write, 0));
    REQUIRE(api_word(to) == 4 && api_word(to + 8) == 5 && api_word(to + 16) == 3);
    show_old_copies(to, stream);
}

// --- Streams that wait for words -------------------------------------------------------------------------------------

static enum cuda_result write_word(struct CUstream_st *stream, int is_wide, unsigned long long at, uint64_t value)
{
    return is_wide ? cuStreamWriteValue64_v2(stream, at, value, 0)
                   : cuStreamWriteValue32_v2(stream, at, (uint32_t)value, 0);
}

// A stream that waits for what is not there yet is busy until another one writes it; each way to compare, on 32 and on
// 64 bits.
SECTION(words)
{
    static const struct {
        int is_wide;
        uint64_t now, value;
        unsigned flags;
        int is_there;
    } rows[] = {{0, 5, 5, 0, 1},          {0, 5, 6, 0, 0},
                {0, 1, 0xffffffff, 0, 1}, // at least, across the end
                {0, 5, 5, 1, 1},          {0, 5, 4, 1, 0},
                {0, 6, 2, 2, 1},          {0, 6, 1, 2, 0},
                {0, 0xffffff00, 1, 3, 1}, {0, 0xffffff00, 0xff, 3, 0},
                {1, 5, 5, 0, 1},          {1, 5, 6, 0, 0},
                {1, UINT64_MAX, 0, 0, 0}, {1, 1ull << 40, 1ull << 40, 2, 1},
                {1, UINT64_MAX, 0, 3, 0}, {1, 0, 0, 3, 1}};
    struct CUstream_st *stream[2];
    api_ready();
    const unsigned long long at = api_memory(64, 0);
    for (int i = 0; i < 2; i++) WORKS(cuStreamCreate(&stream[i], CU_STREAM_NON_BLOCKING));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum { NOR = 3 };
        const uint64_t value = rows[i].value;
        WORKS(write_word(stream[1], rows[i].is_wide, at, rows[i].now));
        WORKS(rows[i].is_wide ? cuStreamWaitValue64_v2(stream[0], at, value, rows[i].flags)
                              : cuStreamWaitValue32_v2(stream[0], at, (uint32_t)value, rows[i].flags));
        api_expect(__FILE__, (int)i, "the stream of row", (int)cuStreamQuery(stream[0]),
                   rows[i].is_there ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY);
        WORKS(write_word(stream[1], rows[i].is_wide, at, rows[i].flags == NOR ? 0 : value));
        WORKS(cuStreamSynchronize(stream[0]));
    }
    SAYS_NOTHING();
    REFUSES(ERROR_INVALID_VALUE, cuStreamWriteValue64_v2(NULL, at + 4, 1, 0));
    SAYS("is not a multiple of 8");
}

// --- Memory of other processes ---------------------------------------------------------------------------------------

// The file of a handle gives the same memory again, counted once.
SECTION(shared_files)
{
    const size_t part = (size_t)2 << 20;
    const struct cuda_mem_allocation_prop prop = {.type = 1, .handle_types = 1, .location = {1, 0}},
                                          plain = {.type = 1, .location = {1, 0}};
    const struct cuda_mem_access_desc desc = {{1, 0}, 3};
    struct cuda_mem_allocation_prop got;
    unsigned long long handle, same, at, retained;
    size_t left, after, total;
    int file = -1;
    api_ready();
    WORKS(cuMemGetInfo_v2(&left, &total));
    WORKS(cuMemCreate(&handle, part, &plain, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemExportToShareableHandle(&file, handle, 1, 0));
    SAYS("without CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR");
    WORKS(cuMemRelease(handle));
    WORKS(cuMemCreate(&handle, part, &prop, 0));
    WORKS(cuMemExportToShareableHandle(&file, handle, 1, 0));
    WORKS(cuMemImportFromShareableHandle(&same, (void *)(intptr_t)file, 1));
    WORKS(cuMemGetInfo_v2(&after, &total));
    REQUIRE(left - after == part); // counted once
    WORKS(cuMemGetAllocationPropertiesFromHandle(&got, same));
    REQUIRE(got.type == 1 && got.handle_types == 0 && got.location.type == 1);
    WORKS(cuMemAddressReserve(&at, 2 * part, 0, 0, 0));
    WORKS(cuMemMap(at, part, 0, handle, 0));
    WORKS(cuMemMap(at + part, part, 0, same, 0));
    WORKS(cuMemSetAccess(at, 2 * part, &desc, 1));
    WORKS(cuMemsetD32_v2(at, 9, 1));
    REQUIRE(api_word(at + part) == 9);
    WORKS(cuMemRetainAllocationHandle(&retained, (void *)(uintptr_t)(at + 5)));
    REQUIRE(retained == handle);
    REFUSES(ERROR_INVALID_VALUE, cuMemRetainAllocationHandle(&retained, &left));
    REFUSES(ERROR_UNKNOWN, cuMemImportFromShareableHandle(&same, (void *)(intptr_t)STDOUT_FILENO, 1));
    SAYS("is not a file of cuMemExportToShareableHandle");
    REFUSES(ERROR_INVALID_VALUE, cuMemGetAllocationPropertiesFromHandle(&got, 12345));
    int own;
    REFUSES(ERROR_INVALID_VALUE, cuMemHostRegister_v2((void *)16, 64, 0));
    SAYS("no memory is mapped at 0x10");
    WORKS(cuMemHostRegister_v2(&own, sizeof own, 0));
}
