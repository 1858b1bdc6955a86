// SPDX-License-Identifier: MIT
// The runtime: what nodes of graphs are told and tell, and small calls of devices, pools and copies.
#include "api.h"

// What is no kernel may be a handle, and is looked at: it is as large as the head of what one points at.
static uint64_t put, skip, word, nobody;
static char image[] = PTX_HEAD ".visible .global .align 4 .u32 word = 3;\n"
                               ".visible .entry put(.param .u64 to)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [to];\n"
                               "st.global.u32 [%rd1], 7;\nret;\n}\n"
                               ".visible .entry skip()\n{\nret;\n}\n";

static char *a;
static struct CUgraph_st *graph;
static struct CUgraphExec_st *exec;
static struct CUgraphNode_st *node;
static int calls;
static void *parameters[] = {&a};
static struct CUgraph_st *child;
static struct CUevent_st *event, *other;
static struct CUgraphNode_st *of_kernel, *of_copy, *of_set, *of_host, *of_child, *record, *await;

static void begin(void)
{
    void **handle = __cudaRegisterFatBinary(api_image(image));
    __cudaRegisterFunction(handle, (char *)&put, NULL, "put", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (char *)&skip, NULL, "skip", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, (char *)&word, NULL, "word", 0, 4, 0, 0);
    WORKS(cudaMalloc((void **)&a, 256));
    WORKS(cudaMemset(a, 0, 256));
    WORKS(cudaGraphCreate(&graph, 0));
}

static uint32_t word_at(const void *address)
{
    uint32_t value;
    WORKS(cudaMemcpy(&value, address, sizeof value, COPY_DEVICE_TO_HOST));
    return value;
}

static void run(void)
{
    WORKS(cudaGraphInstantiate(&exec, graph, 0));
    WORKS(cudaGraphLaunch(exec, NULL));
}

static void count(void *user)
{
    ++*(int *)user;
}

// --- Nodes of any type -----------------------------------------------------------------------------------------------

// A node of each type by the one call that adds any; then each is changed in the graph, and in what was instantiated.
SECTION(runtime_any_node)
{
    int other_calls = 0;
    begin();
    char *later = a + 16;
    void *others[] = {&later};
    struct CUgraphNode_st *of_alloc;
    struct cudaGraphNodeParams kernel = {.type = NODE_KERNEL, .kernel = {&put, one_cta, one_cta, 0, parameters, NULL}},
                               set = {.type = NODE_MEMSET, .set = {a + 32, 0, 5, 4, 4, 1}},
                               copy = {.type = NODE_MEMCPY,
                                       .copy.params = {.srcPtr = {a + 32, 16, 16, 1},
                                                       .dstPtr = {a + 64, 16, 16, 1},
                                                       .extent = {8, 1, 1},
                                                       .kind = COPY_BY_POINTERS}},
                               host = {.type = NODE_HOST, .host = {count, &calls}},
                               alloc = {.type = NODE_MEM_ALLOC,
                                        .alloc = {.poolProps = {.allocType = 1, .location = {1, 0}}, .bytesize = 64}};
    REFUSES(ERROR_INVALID_VALUE, cudaGraphAddNode(&node, graph, NULL, NULL, 0, NULL));
    WORKS(cudaGraphAddNode(&of_kernel, graph, NULL, NULL, 0, &kernel));
    WORKS(cudaGraphAddNode(&of_set, graph, NULL, NULL, 0, &set));
    WORKS(cudaGraphAddNode(&of_copy, graph, &of_set, NULL, 1, &copy));
    WORKS(cudaGraphAddNode(&of_host, graph, NULL, NULL, 0, &host));
    kernel.kernel.func = &nobody;
    REQUIRE(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &kernel) == cudaErrorInvalidDeviceFunction);
    kernel.kernel.func = &put;
    run();
    REQUIRE(word_at(a) == 7 && word_at(a + 68) == 5 && word_at(a + 72) == 0 && calls == 1);

    kernel.kernel.kernelParams = others;
    set.set.value = 6;
    copy.copy.params.extent.width = 12;
    host.host.userData = &other_calls;
    WORKS(cudaGraphExecNodeSetParams(exec, of_kernel, &kernel));
    WORKS(cudaGraphExecNodeSetParams(exec, of_set, &set));
    WORKS(cudaGraphExecMemcpyNodeSetParams(exec, of_copy, &copy.copy.params));
    WORKS(cudaGraphExecHostNodeSetParams(exec, of_host, &host.host));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphExecNodeSetParams(exec, of_set, NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphExecMemcpyNodeSetParams(exec, of_copy, NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphExecHostNodeSetParams(exec, of_host, NULL));
    WORKS(cudaGraphLaunch(exec, NULL));
    REQUIRE(word_at(a + 16) == 7 && word_at(a + 64) == 6 && word_at(a + 72) == 6 && calls == 1 && other_calls == 1);

    set.set.value = 8;
    WORKS(cudaGraphMemsetNodeSetParams(of_set, &set.set));
    WORKS(cudaGraphMemcpyNodeSetParams(of_copy, &copy.copy.params));
    WORKS(cudaGraphHostNodeSetParams(of_host, &host.host));
    WORKS(cudaGraphNodeSetParams(of_kernel, &kernel));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphMemsetNodeSetParams(of_set, NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphMemcpyNodeSetParams(of_copy, NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphHostNodeSetParams(of_host, NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphNodeSetParams(of_set, NULL));
    run();
    REQUIRE(word_at(a + 72) == 8 && calls == 1 && other_calls == 2);

    // Only a node of memory says where it will be.
    WORKS(cudaGraphCreate(&graph, 0));
    WORKS(cudaGraphAddNode(&of_alloc, graph, NULL, NULL, 0, &alloc));
    REQUIRE(alloc.alloc.dptr != 0);
}

// A graph with a node of each type.
static void build(void)
{
    begin();
    const struct cudaKernelNodeParams kernel = {&put, {2, 1, 1}, {32, 1, 1}, 0, parameters, NULL};
    const struct cudaMemsetParams set = {a + 32, 0, 5, 4, 4, 1};
    const struct cudaHostNodeParams host = {count, &calls};
    WORKS(cudaEventCreate(&event));
    WORKS(cudaEventCreate(&other));
    WORKS(cudaGraphCreate(&child, 0));
    WORKS(cudaGraphAddEmptyNode(&node, child, NULL, 0));
    WORKS(cudaGraphAddKernelNode(&of_kernel, graph, NULL, 0, &kernel));
    WORKS(cudaGraphAddMemsetNode(&of_set, graph, NULL, 0, &set));
    WORKS(cudaGraphAddMemcpyNode1D(&of_copy, graph, &of_set, 1, a + 64, a + 32, 4, COPY_BY_POINTERS));
    WORKS(cudaGraphAddHostNode(&of_host, graph, NULL, 0, &host));
    WORKS(cudaGraphAddChildGraphNode(&of_child, graph, NULL, 0, child));
    WORKS(cudaGraphAddEventRecordNode(&record, graph, NULL, 0, event));
    WORKS(cudaGraphAddEventWaitNode(&await, graph, NULL, 0, event));
}

// What each was given; a kernel's function is the host's.
static void tell_what_was_given(void)
{
    struct cudaKernelNodeParams kernel;
    struct cudaMemsetParams set;
    struct cudaMemcpy3DParms copy;
    struct cudaHostNodeParams host;
    struct CUgraph_st *got_child;
    struct CUevent_st *got;
    size_t nodes = 9;
    WORKS(cudaGraphKernelNodeGetParams(of_kernel, &kernel));
    REQUIRE(kernel.func == &put && kernel.gridDim.x == 2 && kernel.blockDim.x == 32);
    REQUIRE(*(char **)kernel.kernelParams[0] == a);
    WORKS(cudaGraphMemsetNodeGetParams(of_set, &set));
    REQUIRE(set.dst == a + 32 && set.value == 5 && set.elementSize == 4 && set.width == 4);
    WORKS(cudaGraphMemcpyNodeGetParams(of_copy, &copy));
    REQUIRE(copy.srcPtr.ptr == a + 32 && copy.dstPtr.ptr == a + 64 && copy.extent.width == 4);
    WORKS(cudaGraphHostNodeGetParams(of_host, &host));
    REQUIRE(host.fn == count && host.userData == &calls);
    WORKS(cudaGraphChildGraphNodeGetGraph(of_child, &got_child));
    WORKS(cudaGraphGetNodes(got_child, NULL, &nodes));
    REQUIRE(nodes == 1);
    WORKS(cudaGraphEventRecordNodeGetEvent(record, &got));
    REQUIRE(got == event);
    WORKS(cudaGraphEventWaitNodeGetEvent(await, &got));
    REQUIRE(got == event);
}

SECTION(runtime_tell_nodes)
{
    struct cudaKernelNodeParams kernel;
    struct cudaMemsetParams set;
    struct cudaMemcpy3DParms copy;
    unsigned cooperative[16] = {1};
    build();
    tell_what_was_given();
    REFUSES(ERROR_INVALID_VALUE, cudaGraphKernelNodeGetParams(of_kernel, NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphKernelNodeGetParams(of_set, &kernel));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphMemcpyNodeGetParams(of_copy, NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphMemcpyNodeGetParams(of_set, &copy));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphMemsetNodeGetParams(of_set, NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphMemsetNodeGetParams(of_copy, &set));
    WORKS(cudaGraphKernelNodeSetAttribute(of_kernel, 2, cooperative));
    cooperative[0] = 9;
    WORKS(cudaGraphKernelNodeGetAttribute(of_kernel, 2, cooperative));
    REQUIRE(cooperative[0] == 1);
    WORKS(cudaGraphKernelNodeCopyAttributes(of_kernel, of_kernel));
}

SECTION(runtime_change_nodes)
{
    struct CUgraphNode_st *list[2];
    struct CUevent_st *got;
    struct cudaMemcpy3DParms copy;
    size_t edges = 2;
    unsigned is_enabled = 9;
    unsigned long long flags = 9;
    build();
    run();
    REQUIRE(word_at(a) == 7 && word_at(a + 64) == 5 && calls == 1);
    WORKS(cudaGraphExecGetFlags(exec, &flags));
    REQUIRE(flags == 0);
    WORKS(cudaGraphNodeGetEnabled(exec, of_set, &is_enabled));
    REQUIRE(is_enabled == 1);
    WORKS(cudaGraphExecChildGraphNodeSetParams(exec, of_child, child));
    WORKS(cudaGraphExecEventRecordNodeSetEvent(exec, record, other));
    WORKS(cudaGraphExecEventWaitNodeSetEvent(exec, await, other));
    WORKS(cudaGraphEventRecordNodeSetEvent(record, other));
    WORKS(cudaGraphEventWaitNodeSetEvent(await, other));
    WORKS(cudaGraphEventWaitNodeGetEvent(await, &got));
    REQUIRE(got == other);
    WORKS(cudaGraphNodeGetDependentNodes(of_set, list, NULL, &edges));
    REQUIRE(edges == 1 && list[0] == of_copy);
    WORKS(cudaGraphRemoveDependencies(graph, &of_set, &of_copy, NULL, 1));
    WORKS(cudaGraphNodeGetDependentNodes(of_set, NULL, NULL, &edges));
    REQUIRE(edges == 0);
    WORKS(cudaGraphDestroyNode(of_copy));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphMemcpyNodeGetParams(of_copy, &copy));
}

// Of two kernels of one object, each is told by its own name.
SECTION(runtime_two_kernels)
{
    begin();
    const void *const functions[] = {&put, &skip};
    for (int i = 0; i < 2; i++) {
        const struct cudaKernelNodeParams params = {
            (void *)(uintptr_t)functions[i], one_cta, one_cta, 0, parameters, NULL};
        struct cudaKernelNodeParams got;
        WORKS(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
        WORKS(cudaGraphKernelNodeGetParams(node, &got));
        REQUIRE(got.func == functions[i]);
    }
}

// The kernel of a node that the driver added, which no object of the program has, is its own handle.
SECTION(runtime_foreign_kernel)
{
    struct cudaKernelNodeParams got;
    begin();
    struct CUlib_st *library;
    struct CUkern_st *kernel;
    WORKS(cudaLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    WORKS(cudaLibraryGetKernel(&kernel, library, "put"));
    const struct cudaKernelNodeParams params = {kernel, one_cta, one_cta, 0, parameters, NULL};
    WORKS(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    WORKS(cudaGraphKernelNodeGetParams(node, &got));
    REQUIRE(got.func == kernel);
    struct CUDA_KERNEL_NODE_PARAMS_v2_st of_module = api_node(api_kernel(ptx_fault, "fault"), NULL);
    WORKS(cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &of_module));
    WORKS(cudaGraphKernelNodeGetParams(node, &got)); // of no library
    REQUIRE(got.func == of_module.func);
}

// --- Copies of bytes in a row, and of variables ----------------------------------------------------------------------

SECTION(runtime_symbol_nodes)
{
    struct CUgraphNode_st *to, *from;
    const int kind = COPY_BY_POINTERS;
    uint32_t value = 11, got = 0;
    begin();
    WORKS(cudaMemcpy(a, &value, 4, COPY_HOST_TO_DEVICE));
    WORKS(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, NULL, 0, a + 32, &word, 4, 0, kind));
    WORKS(cudaGraphAddMemcpyNodeToSymbol(&to, graph, &from, 1, &word, a, 4, 0, kind));
    run();
    WORKS(cudaMemcpyFromSymbol(&got, &word, 4, 0, COPY_DEVICE_TO_HOST));
    REQUIRE(word_at(a + 32) == 3 && got == 11);
    WORKS(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, a + 36, &word, 4, 0, kind));
    WORKS(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, to, &word, a + 32, 4, 0, kind));
    WORKS(cudaGraphLaunch(exec, NULL));
    WORKS(cudaMemcpyFromSymbol(&got, &word, 4, 0, COPY_DEVICE_TO_HOST));
    REQUIRE(word_at(a + 36) == 11 && got == 3);
    WORKS(cudaGraphMemcpyNodeSetParamsFromSymbol(from, a + 40, &word, 2, 0, kind));
    WORKS(cudaGraphMemcpyNodeSetParamsToSymbol(to, &word, a, 4, 0, kind));
    run();
    REQUIRE(word_at(a + 40) == 3);
    WORKS(cudaGraphMemcpyNodeSetParams1D(from, a + 44, a, 4, kind));
    run();
    REQUIRE(word_at(a + 44) == 11);

    const enum cudaError errors[] = {
        cudaGraphAddMemcpyNodeFromSymbol(&node, graph, NULL, 0, a, &nobody, 4, 0, (unsigned)kind),
        cudaGraphAddMemcpyNodeToSymbol(&node, graph, NULL, 0, &nobody, a, 4, 0, (unsigned)kind),
        cudaGraphMemcpyNodeSetParamsFromSymbol(from, a, &nobody, 4, 0, (unsigned)kind),
        cudaGraphMemcpyNodeSetParamsToSymbol(to, &nobody, a, 4, 0, (unsigned)kind),
        cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, a, &nobody, 4, 0, (unsigned)kind),
        cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, to, &nobody, a, 4, 0, (unsigned)kind)};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        api_expect(__FILE__, (int)i, "a node of no variable", (int)errors[i], cudaErrorInvalidSymbol);
    REFUSES(ERROR_INVALID_VALUE, cudaGraphAddMemcpyNodeToSymbol(&node, graph, NULL, 0, &word, a, 4, 2, kind));
}

// --- Small calls -----------------------------------------------------------------------------------------------------

static void notified(struct CUasyncNotificationInfo_st *info, void *user, struct CUasyncCallbackEntry_st *callback)
{
    (void)info, (void)user, (void)callback;
}

static void show_notifications(void)
{
    struct CUasyncCallbackEntry_st *callback;
    WORKS(cudaDeviceRegisterAsyncNotification(0, notified, NULL, &callback));
    REFUSES(ERROR_INVALID_DEVICE, cudaDeviceRegisterAsyncNotification(1, notified, NULL, &callback));
    WORKS(cudaDeviceUnregisterAsyncNotification(0, callback));
    REFUSES(ERROR_INVALID_VALUE, cudaDeviceUnregisterAsyncNotification(0, callback));
}

SECTION(runtime_small_calls)
{
    int device = 0, two[] = {0, 1}, value = 9;
    unsigned capabilities[1] = {9};
    uint32_t config = 9;
    const uint32_t operation[1] = {0};
    uint64_t bytes = 9;
    void *unified;
    begin();
    REQUIRE(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessUnsupported);
    REQUIRE(cudaDeviceDisablePeerAccess(0) == cudaErrorPeerAccessNotEnabled);
    REFUSES(ERROR_INVALID_DEVICE, cudaDeviceDisablePeerAccess(1));
    REFUSES(ERROR_INVALID_DEVICE, cudaDeviceGetP2PAttribute(&value, 1, 0, 0)); // no peer of itself
    WORKS(cudaDeviceSetSharedMemConfig(2));
    WORKS(cudaDeviceGetSharedMemConfig(&config));
    REQUIRE(config == 1); // banks of four bytes
    WORKS(cudaDeviceFlushGPUDirectRDMAWrites(0, 100));
    REFUSES(ERROR_INVALID_VALUE, cudaDeviceFlushGPUDirectRDMAWrites(0, 1));
    WORKS(cudaDeviceGetHostAtomicCapabilities(capabilities, operation, 1, 0));
    REQUIRE(capabilities[0] == 0);
    WORKS(cudaDeviceGetGraphMemAttribute(0, 0, &bytes));
    REQUIRE(bytes == 0);
    WORKS(cudaDeviceSetGraphMemAttribute(0, 1, &bytes));
    WORKS(cudaDeviceGraphMemTrim(0));
    REFUSES(ERROR_INVALID_DEVICE, cudaDeviceGraphMemTrim(1));
    WORKS(cudaSetValidDevices(NULL, 0));
    WORKS(cudaSetValidDevices(&device, 0));
    WORKS(cudaSetValidDevices(&device, 1));
    REFUSES(ERROR_INVALID_VALUE, cudaSetValidDevices(NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cudaSetValidDevices(two, 2));
    REFUSES(ERROR_INVALID_DEVICE, cudaSetValidDevices(&two[1], 1));
    const struct cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 16, 8, 1, 2);
    REQUIRE(desc.x == 32 && desc.y == 16 && desc.z == 8 && desc.w == 1 && desc.f == 2);
    REFUSES(ERROR_INVALID_DEVICE, cudaDeviceGetP2PAtomicCapabilities(capabilities, operation, 1, 0, 0));
    SAYS_NOTHING();
    REFUSES(ERROR_INVALID_HANDLE, cudaLibraryGetUnifiedFunction(&unified, NULL, "f"));
    SAYS("cudaErrorInvalidResourceHandle (400): a handle that is passed (a stream, event, graph, function or library)");
    REFUSES(ERROR_NOT_SUPPORTED, cuProfilerInitialize("config", "output", 0));
    show_notifications();
    SAYS_NOTHING();
}

SECTION(runtime_places)
{
    struct CUmemPoolHandle_st *pool, *same;
    struct cuda_mem_location place = {1, 0};
    uint32_t access = 9;
    begin();
    WORKS(cudaMemGetDefaultMemPool(&pool, &place, 1));
    WORKS(cudaMemGetMemPool(&same, &place, 1));
    REQUIRE(same == pool);
    WORKS(cudaMemSetMemPool(&place, 1, pool));
    WORKS(cudaMemPoolGetAccess(&access, pool, &place));
    REQUIRE(access == 3); // to read and to write
    REFUSES(ERROR_INVALID_VALUE, cudaMemPoolGetAccess(NULL, pool, &place));
}

SECTION(runtime_peer_boxes)
{
    uint32_t words[2] = {21, 22};
    begin();
    WORKS(cudaMemcpy(a, words, sizeof words, COPY_HOST_TO_DEVICE));
    struct cudaMemcpy3DPeerParms box = {
        .srcPtr = {a, 8, 8, 1}, .dstPtr = {a + 64, 8, 8, 1}, .extent = {4, 1, 1}, .srcPos = {4, 0, 0}};
    WORKS(cudaMemcpy3DPeer(&box));
    REQUIRE(word_at(a + 64) == 22 && word_at(a + 68) == 0);
    box.dstPos.x = 4;
    WORKS(cudaMemcpy3DPeerAsync(&box, NULL));
    REQUIRE(word_at(a + 68) == 22);
    REFUSES(ERROR_INVALID_VALUE, cudaMemcpy3DPeer(NULL));
    box.srcDevice = 1;
    REFUSES(ERROR_INVALID_DEVICE, cudaMemcpy3DPeer(&box));
    box.srcDevice = 0;
    box.dstDevice = 1;
    REFUSES(ERROR_INVALID_DEVICE, cudaMemcpy3DPeerAsync(&box, NULL));
    REFUSES(ERROR_INVALID_DEVICE, cudaMemcpyPeer(a, 0, a, 1, 4));
    REFUSES(ERROR_INVALID_DEVICE, cudaMemcpyPeerAsync(a, 1, a, 0, 4, NULL));
}

// Several copies by one call, of bytes and of boxes.
SECTION(runtime_batches)
{
    const uint32_t words[2] = {31, 32};
    begin();
    WORKS(cudaMemcpy(a, words, sizeof words, COPY_HOST_TO_DEVICE));
    void *const to[] = {a + 64, a + 96};
    const void *const from[] = {a + 4, a};
    const size_t bytes[] = {4, 8};
    size_t first = 0;
    struct CUmemcpyAttributes_st attribute = {.srcAccessOrder = 1};
    struct CUDA_MEMCPY3D_BATCH_OP_st box = {.src = {.type = 1, .op.ptr.ptr = (uintptr_t)a},
                                            .dst = {.type = 1, .op.ptr.ptr = (uintptr_t)(a + 128)},
                                            .extent = {4, 1, 1},
                                            .srcAccessOrder = 1};
    struct CUstream_st *stream;
    WORKS(cudaStreamCreate(&stream));
    REFUSES(ERROR_INVALID_VALUE, cudaMemcpyBatchAsync(to, from, bytes, 2, &attribute, &first, 1, NULL)); // the default
    REQUIRE(word_at(a + 64) == 0);
    WORKS(cudaMemcpyBatchAsync(to, from, bytes, 2, &attribute, &first, 1, stream));
    REQUIRE(word_at(a + 64) == 32 && word_at(a + 96) == 31 && word_at(a + 100) == 32);
    WORKS(cudaMemcpy3DBatchAsync(1, &box, 0, stream));
    REQUIRE(word_at(a + 128) == 31 && word_at(a + 132) == 0);
    // One copy, on any stream.
    WORKS(cudaMemcpyWithAttributesAsync(a + 160, a + 4, 4, &attribute, NULL));
    box.dst.op.ptr.ptr = (uintptr_t)(a + 168);
    WORKS(cudaMemcpy3DWithAttributesAsync(&box, 0, NULL));
    WORKS(cudaDeviceSynchronize());
    REQUIRE(word_at(a + 160) == 32 && word_at(a + 164) == 0 && word_at(a + 168) == 31 && word_at(a + 172) == 0);
    REFUSES(ERROR_INVALID_VALUE, cudaMemcpyWithAttributesAsync(a + 160, a, 4, NULL, stream));
    REFUSES(ERROR_INVALID_VALUE, cudaMemcpy3DWithAttributesAsync(NULL, 0, stream));
    REFUSES(ERROR_INVALID_VALUE, cudaMemcpy3DWithAttributesAsync(&box, 1, stream));
    attribute.srcAccessOrder = 0;
    REFUSES(ERROR_INVALID_VALUE, cudaMemcpyWithAttributesAsync(a + 160, a, 4, &attribute, stream));
    box.src.type = 2;
    REQUIRE(cudaMemcpy3DWithAttributesAsync(&box, 0, stream) == cudaErrorNotSupported);
    SAYS("cudaMemcpy3DWithAttributesAsync: tmaref exec has no CUDA arrays");
    REQUIRE(word_at(a + 160) == 32);
}

SECTION(runtime_stream_attributes)
{
    enum { SYNC_POLICY = 3, SPIN = 2 };
    struct CUstream_st *stream, *same;
    uint32_t value[16] = {SPIN};
    WORKS(cudaStreamCreate(&stream));
    WORKS(cudaStreamCreate(&same));
    WORKS(cudaStreamSetAttribute(stream, SYNC_POLICY, value));
    WORKS(cudaStreamCopyAttributes(same, stream));
    value[0] = 9;
    WORKS(cudaStreamGetAttribute(same, SYNC_POLICY, value));
    REQUIRE(value[0] == SPIN);
    REFUSES(ERROR_INVALID_VALUE, cudaStreamGetAttribute(same, SYNC_POLICY, NULL));
}

SECTION(runtime_kernel_settings)
{
    struct cudaFuncAttributes attributes;
    begin();
    WORKS(cudaKernelSetAttributeForDevice((void *)&put, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 90000, 0));
    WORKS(cudaFuncGetAttributes(&attributes, &put));
    REQUIRE(attributes.maxDynamicSharedSizeBytes == 90000);
    REFUSES(ERROR_INVALID_DEVICE,
            cudaKernelSetAttributeForDevice((void *)&put, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 90000, 1));
    WORKS(cudaFuncSetSharedMemConfig(&put, 1));
    REFUSES(ERROR_INVALID_VALUE, cudaFuncSetSharedMemConfig(&put, 9));
    REQUIRE(cudaFuncSetSharedMemConfig(&nobody, 1) == cudaErrorInvalidDeviceFunction);
    REQUIRE(cudaKernelSetAttributeForDevice((void *)&nobody, 8, 0, 0) == cudaErrorInvalidDeviceFunction);
}
