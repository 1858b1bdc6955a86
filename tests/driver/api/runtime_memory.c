// SPDX-License-Identifier: MIT
// The runtime: memory, copies, streams, graphs.
#include "api.h"

static uint32_t word_at(const void *address)
{
    uint32_t value;
    WORKS(cudaMemcpy(&value, address, sizeof value, COPY_DEVICE_TO_HOST));
    return value;
}

SECTION(runtime_memory)
{
    void *memory, *device;
    struct cudaPitchedPtr box;
    size_t pitch, left, total;
    unsigned flags;
    static char own[8192] __attribute__((aligned(4096)));
    WORKS(cudaMalloc(&memory, 1000));
    WORKS(cudaFree(memory));
    REFUSES(ERROR_INVALID_VALUE, cudaFree(memory));
    WORKS(cudaMalloc(&memory, 0)); // nothing, and no error
    REQUIRE(memory == NULL);
    WORKS(cudaFree(NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaMalloc(NULL, 4));
    WORKS(cudaMemGetInfo(&left, &total));
    REFUSES(ERROR_OUT_OF_MEMORY, cudaMalloc(&memory, total + 1));
    WORKS(cudaMallocManaged(&memory, 64, 1));
    *(int *)memory = 5;
    REQUIRE(word_at(memory) == 5);
    const struct cuda_mem_location host = {2, 0};
    WORKS(cudaMemPrefetchAsync(memory, 64, host, 0, NULL));
    WORKS(cudaMemAdvise(memory, 64, 1, host));
    WORKS(cudaStreamAttachMemAsync(NULL, memory, 0, 1));
    REFUSES(ERROR_INVALID_VALUE, cudaMallocManaged(NULL, 64, 1));
    REFUSES(ERROR_INVALID_VALUE, cudaMallocManaged(&memory, 64, 4));
    WORKS(cudaMallocHost(&memory, 64));
    WORKS(cudaHostGetDevicePointer(&device, memory, 0));
    REQUIRE(device == memory);
    WORKS(cudaHostGetFlags(&flags, memory));
    WORKS(cudaFreeHost(memory));
    WORKS(cudaHostAlloc(&memory, 0, 0));
    REQUIRE(memory == NULL);
    REFUSES(ERROR_INVALID_VALUE, cudaHostAlloc(NULL, 64, 0));
    REFUSES(ERROR_INVALID_VALUE, cudaHostAlloc(&memory, 64, 64));
    WORKS(cudaHostRegister(own, sizeof own, 0));
    WORKS(cudaHostUnregister(own));
    REFUSES(ERROR_HOST_MEMORY_NOT_REGISTERED, cudaHostUnregister(own));
    WORKS(cudaMallocPitch(&memory, &pitch, 100, 4));
    REQUIRE(pitch == 512);
    WORKS(cudaMalloc3D(&box, (struct cudaExtent){100, 4, 3}));
    REQUIRE(box.pitch == 512 && box.xsize == 100 && box.ysize == 4);
    REFUSES(ERROR_INVALID_VALUE, cudaMalloc3D(NULL, (struct cudaExtent){100, 4, 3}));
    REFUSES(ERROR_OUT_OF_MEMORY, cudaMalloc3D(&box, (struct cudaExtent){1, SIZE_MAX, 3}));
    WORKS(cudaMalloc3D(&box, (struct cudaExtent){0, 4, 3}));
    REQUIRE(box.ptr == NULL && box.xsize == 0);
}

SECTION(runtime_pools)
{
    struct CUmemPoolHandle_st *pool, *own;
    const struct CUmemPoolProps_st props = {.allocType = 1, .location = {1, 0}};
    const struct cuda_mem_access_desc desc = {{1, 0}, 3};
    uint64_t used = 0, threshold = 64;
    void *memory;
    WORKS(cudaDeviceGetDefaultMemPool(&pool, 0));
    WORKS(cudaDeviceGetMemPool(&pool, 0));
    WORKS(cudaMemPoolCreate(&own, &props));
    WORKS(cudaDeviceSetMemPool(0, own));
    WORKS(cudaMemPoolSetAccess(own, &desc, 1));
    WORKS(cudaMemPoolSetAttribute(own, 4, &threshold));
    WORKS(cudaMallocFromPoolAsync(&memory, 100, own, NULL));
    WORKS(cudaMemPoolGetAttribute(own, 7, &used));
    REQUIRE(used == 100);
    WORKS(cudaFreeAsync(memory, NULL));
    WORKS(cudaMallocAsync(&memory, 100, NULL));
    WORKS(cudaMemPoolTrimTo(own, 0));
    WORKS(cudaMemPoolDestroy(own));
    WORKS(cudaFreeAsync(memory, NULL));
}

SECTION(runtime_pointers)
{
    struct cudaPointerAttributes is;
    void *device, *managed, *pinned;
    WORKS(cudaMalloc(&device, 64));
    WORKS(cudaMallocManaged(&managed, 64, 1));
    WORKS(cudaMallocHost(&pinned, 64));
    WORKS(cudaPointerGetAttributes(&is, device));
    REQUIRE(is.type == POINTER_DEVICE && is.device == 0 && is.devicePointer == device && is.hostPointer == NULL);
    WORKS(cudaPointerGetAttributes(&is, managed));
    REQUIRE(is.type == POINTER_MANAGED && is.devicePointer == managed && is.hostPointer == managed);
    WORKS(cudaPointerGetAttributes(&is, pinned));
    REQUIRE(is.type == POINTER_HOST && is.devicePointer == pinned && is.hostPointer == pinned);
    WORKS(cudaPointerGetAttributes(&is, &is));
    REQUIRE(is.type == POINTER_UNREGISTERED && is.device == -2 && is.devicePointer == NULL && is.hostPointer == &is);
    REFUSES(ERROR_INVALID_VALUE, cudaPointerGetAttributes(NULL, device));
}

SECTION(runtime_copies)
{
    uint32_t host[16], back[16] = {0};
    char *a, *b;
    for (uint32_t i = 0; i < 16; i++) host[i] = i;
    WORKS(cudaMalloc((void **)&a, 1024));
    WORKS(cudaMalloc((void **)&b, 1024));
    WORKS(cudaMemcpy(a, host, sizeof host, COPY_HOST_TO_DEVICE));
    WORKS(cudaMemcpy(b, a, sizeof host, COPY_DEVICE_TO_DEVICE));
    WORKS(cudaMemcpyPeer(b + 64, 0, b, 0, sizeof host));
    WORKS(cudaMemcpyPeerAsync(b + 128, 0, b + 64, 0, sizeof host, NULL));
    WORKS(cudaMemcpyAsync(back, b + 128, sizeof host, COPY_BY_POINTERS, NULL));
    REQUIRE(memcmp(host, back, sizeof host) == 0);
    WORKS(cudaMemcpy(back, host + 1, 4, COPY_HOST_TO_HOST));
    REQUIRE(back[0] == 1);
    REQUIRE(cudaMemcpy(a, host, 4, 9) == cudaErrorInvalidMemcpyDirection);
    REFUSES(ERROR_INVALID_DEVICE, cudaMemcpyPeer(b, 1, a, 0, 4));
    REFUSES(ERROR_INVALID_DEVICE, cudaMemcpyPeerAsync(b, 0, a, 1, 4, NULL));

    // Two rows of 8 bytes, 16 apart on the host and 32 apart on the device; and back, by each kind.
    WORKS(cudaMemcpy2D(a, 32, host, 16, 8, 2, COPY_HOST_TO_DEVICE));
    REQUIRE(word_at(a + 32) == 4);
    WORKS(cudaMemcpy2DAsync(b, 64, a, 32, 8, 2, COPY_DEVICE_TO_DEVICE, NULL));
    REQUIRE(word_at(b + 64) == 4);
    WORKS(cudaMemcpy2D(back, 8, b, 64, 8, 2, COPY_DEVICE_TO_HOST));
    REQUIRE(back[2] == 4);
    WORKS(cudaMemcpy2D(back, 8, b, 64, 8, 2, COPY_BY_POINTERS));
    WORKS(cudaMemcpy2D(back, 8, host, 16, 8, 2, COPY_HOST_TO_HOST));
    REQUIRE(cudaMemcpy2D(a, 4, host, 16, 8, 2, COPY_HOST_TO_DEVICE) == cudaErrorInvalidPitchValue);
    REQUIRE(cudaMemcpy2D(a, 32, host, 4, 8, 2, COPY_HOST_TO_DEVICE) == cudaErrorInvalidPitchValue);
    REQUIRE(cudaMemcpy2D(a, 32, host, 4, 8, 1, COPY_HOST_TO_DEVICE) == cudaErrorInvalidValue); // as on an H200
    REQUIRE(cudaMemcpy2D(a, 4, host, 16, 8, 1, COPY_HOST_TO_DEVICE) == cudaErrorInvalidValue);
    WORKS(cudaMemcpy2D(a, 0, host, 0, 8, 1, COPY_HOST_TO_DEVICE));
    WORKS(cudaMemcpy2D(a, 32, host, 4, 8, 0, COPY_HOST_TO_DEVICE));

    struct cudaMemcpy3DParms box = {.srcPtr = {host, 16, 16, 2},
                                    .srcPos = {4, 0, 0},
                                    .dstPtr = {a, 32, 32, 2},
                                    .dstPos = {0, 0, 1},
                                    .extent = {8, 2, 1},
                                    .kind = COPY_HOST_TO_DEVICE};
    WORKS(cudaMemcpy3D(&box));
    REQUIRE(word_at(a + 64) == 1 && word_at(a + 96) == 5);
    WORKS(cudaMemcpy3DAsync(&box, NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaMemcpy3D(NULL));
    box.dstArray = (struct cudaArray *)a;
    REFUSES(ERROR_INVALID_VALUE, cudaMemcpy3D(&box)); // not an array
    box.dstArray = NULL;
    box.srcArray = (struct cudaArray *)a;
    REFUSES(ERROR_INVALID_VALUE, cudaMemcpy3D(&box));
    box.kind = 9;
    REQUIRE(cudaMemcpy3D(&box) == cudaErrorInvalidMemcpyDirection);
}

SECTION(runtime_fills)
{
    char *a;
    WORKS(cudaMalloc((void **)&a, 1024));
    WORKS(cudaMemset(a, 0x1ff, 1024)); // the low byte
    REQUIRE(word_at(a + 1020) == 0xffffffff);
    WORKS(cudaMemsetAsync(a, 1, 4, NULL));
    WORKS(cudaMemset2D(a + 64, 32, 2, 4, 2));
    WORKS(cudaMemset2DAsync(a + 128, 32, 3, 4, 2, NULL));
    REQUIRE(word_at(a) == 0x01010101 && word_at(a + 96) == 0x02020202 && word_at(a + 160) == 0x03030303);
    const struct cudaPitchedPtr box = {a + 256, 16, 16, 4};
    WORKS(cudaMemset3D(box, 4, (struct cudaExtent){4, 2, 2}));
    REQUIRE(word_at(a + 256 + 64 + 16) == 0x04040404 && word_at(a + 256 + 64 + 32) == 0xffffffff);
    WORKS(cudaMemset3DAsync(box, 4, (struct cudaExtent){4, 0, SIZE_MAX}, NULL)); // nothing, however deep
    WORKS(cudaMemset3D(box, 4, (struct cudaExtent){0, 0, 0}));
    REFUSES(ERROR_INVALID_VALUE, cudaMemset3D(box, 4, (struct cudaExtent){4, 2, 20}));
}

// --- Streams and events ----------------------------------------------------------------------------------------------

SECTION(runtime_streams)
{
    struct CUstream_st *stream, *other;
    struct CUevent_st *start, *end;
    float milliseconds = -1;
    unsigned flags;
    int number, one = 1;
    unsigned long long id;
    static const uint64_t window[8]; // a cudaStreamAttrValue: no bytes of global memory
    WORKS(cudaStreamCreate(&stream));
    WORKS(cudaStreamCreateWithFlags(&other, CU_STREAM_NON_BLOCKING));
    WORKS(cudaStreamGetFlags(other, &flags));
    REQUIRE(flags == CU_STREAM_NON_BLOCKING);
    WORKS(cudaStreamDestroy(other));
    WORKS(cudaStreamCreateWithPriority(&other, 0, -2));
    WORKS(cudaStreamGetPriority(other, &number));
    REQUIRE(number == -2);
    WORKS(cudaStreamGetId(stream, &id));
    WORKS(cudaStreamGetDevice(stream, &number));
    WORKS(cudaStreamSetAttribute(stream, 1, window));
    WORKS(cudaEventCreate(&start));
    WORKS(cudaEventCreateWithFlags(&end, CU_EVENT_BLOCKING_SYNC));
    WORKS(cudaEventRecord(start, stream));
    WORKS(cudaEventRecordWithFlags(end, stream, 0));
    WORKS(cudaStreamWaitEvent(other, end, 0));
    WORKS(cudaEventQuery(end));
    WORKS(cudaEventSynchronize(end));
    WORKS(cudaEventElapsedTime(&milliseconds, start, end));
    REQUIRE(milliseconds >= 0);
    WORKS(cudaEventDestroy(end));
    REFUSES(ERROR_INVALID_HANDLE, cudaEventQuery(end));
    WORKS(cudaLaunchHostFunc(stream, api_count_call, &one));
    WORKS(cudaStreamAddCallback(stream, api_count_callback, &one, 0));
    REQUIRE(api_called == 2);
    WORKS(cudaStreamQuery(stream));
    WORKS(cudaStreamSynchronize(stream));
}

SECTION(runtime_capture)
{
    struct CUstream_st *stream;
    struct CUgraph_st *graph, *made;
    struct CUgraphExec_st *exec;
    struct CUgraphNode_st *node, *const *after;
    const struct CUgraphEdgeData_st *edges;
    uint32_t status, mode = 2;
    unsigned long long id;
    size_t count;
    char *a;
    WORKS(cudaMalloc((void **)&a, 64));
    WORKS(cudaStreamCreate(&stream));
    WORKS(cudaThreadExchangeStreamCaptureMode(&mode));
    REQUIRE(mode == 0);
    WORKS(cudaStreamBeginCapture(stream, 0));
    WORKS(cudaMemsetAsync(a, 5, 4, stream));
    REQUIRE(cudaGetLastError() == cudaSuccess && cudaPeekAtLastError() == cudaSuccess); // who asks spoils nothing
    WORKS(cudaStreamIsCapturing(stream, &status));
    REQUIRE(status == CAPTURE_ACTIVE);
    WORKS(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &after, &edges, &count));
    REQUIRE(count == 1);
    node = after[0];
    WORKS(cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1, 1));
    WORKS(cudaStreamEndCapture(stream, &made));
    REQUIRE(made == graph);
    WORKS(cudaStreamBeginCaptureToGraph(stream, graph, &node, NULL, 1, 0));
    WORKS(cudaMemsetAsync(a + 4, 6, 4, stream));
    WORKS(cudaStreamEndCapture(stream, &made));
    WORKS(cudaGraphInstantiate(&exec, graph, 0));
    WORKS(cudaGraphUpload(exec, stream));
    WORKS(cudaGraphLaunch(exec, stream));
    REQUIRE(word_at(a) == 0x05050505 && word_at(a + 4) == 0x06060606);
}

// --- Graphs ----------------------------------------------------------------------------------------------------------

static char put;
static char image[] = PTX_HEAD ".visible .entry put(.param .u64 to)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [to];\n"
                               "st.global.u32 [%rd1], 7;\nret;\n}\n";

enum { FILL, COPY, BOX, KERNEL, HOST, CHILD, RECORD, WAIT, EMPTY, NODES };
struct built {
    char *a;
    struct CUgraph_st *graph;
    struct CUgraphNode_st *node[NODES];
    struct cudaKernelNodeParams kernel;
    void *parameter[1];
    struct cudaMemsetParams fill;
};

static void build(struct built *built)
{
    struct CUgraphNode_st **node = built->node, *of_child;
    struct CUgraph_st *child;
    struct CUevent_st *event;
    static int one = 1;
    const struct cudaHostNodeParams host = {api_count_call, &one};
    void **handle = __cudaRegisterFatBinary(api_image(image));
    __cudaRegisterFunction(handle, &put, NULL, "put", -1, NULL, NULL, NULL, NULL, NULL);
    WORKS(cudaMalloc((void **)&built->a, 256));
    char *a = built->a;
    built->parameter[0] = &built->a;
    built->kernel = (struct cudaKernelNodeParams){&put, {1, 1, 1}, {1, 1, 1}, 0, built->parameter, NULL};
    built->fill = (struct cudaMemsetParams){a + 64, 0, 3, 4, 4, 1};
    const struct cudaMemcpy3DParms box = {
        .srcPtr = {a + 64, 8, 8, 2}, .dstPtr = {a + 128, 16, 16, 2}, .extent = {8, 2, 1}};
    WORKS(cudaEventCreate(&event));
    WORKS(cudaGraphCreate(&built->graph, 0));
    WORKS(cudaGraphCreate(&child, 0));
    WORKS(cudaGraphAddHostNode(&of_child, child, NULL, 0, &host));
    WORKS(cudaGraphAddMemsetNode(&node[FILL], built->graph, NULL, 0, &built->fill));
    WORKS(cudaGraphAddMemcpyNode1D(&node[COPY], built->graph, &node[FILL], 1, a + 32, a + 64, 4, COPY_BY_POINTERS));
    WORKS(cudaGraphAddMemcpyNode(&node[BOX], built->graph, &node[FILL], 1, &box));
    WORKS(cudaGraphAddKernelNode(&node[KERNEL], built->graph, NULL, 0, &built->kernel));
    WORKS(cudaGraphAddHostNode(&node[HOST], built->graph, NULL, 0, &host));
    WORKS(cudaGraphAddChildGraphNode(&node[CHILD], built->graph, NULL, 0, child));
    WORKS(cudaGraphAddEventRecordNode(&node[RECORD], built->graph, NULL, 0, event));
    WORKS(cudaGraphAddEventWaitNode(&node[WAIT], built->graph, NULL, 0, event));
    WORKS(cudaGraphAddEmptyNode(&node[EMPTY], built->graph, NULL, 0));
    WORKS(cudaGraphAddDependencies(built->graph, &node[RECORD], &node[WAIT], NULL, 1));
}

SECTION(runtime_graphs)
{
    struct built built;
    struct CUgraph_st *clone;
    struct CUgraphExec_st *exec;
    struct CUgraphNode_st *node, *list[16], *to[16];
    struct CUDA_GRAPH_INSTANTIATE_PARAMS_st with = {0};
    uint32_t type;
    size_t count = 16;
    build(&built);
    WORKS(cudaGraphGetNodes(built.graph, list, &count));
    REQUIRE(count == NODES);
    WORKS(cudaGraphGetRootNodes(built.graph, NULL, &count));
    REQUIRE(count == 6);
    WORKS(cudaGraphGetEdges(built.graph, NULL, NULL, NULL, &count));
    REQUIRE(count == 3);
    WORKS(cudaGraphNodeGetType(built.node[KERNEL], &type));
    REQUIRE(type == NODE_KERNEL);
    WORKS(cudaGraphNodeGetDependencies(built.node[COPY], to, NULL, &count));
    REQUIRE(count == 1 && to[0] == built.node[FILL]);
    WORKS(cudaGraphClone(&clone, built.graph));
    WORKS(cudaGraphNodeFindInClone(&node, built.node[KERNEL], clone));
    WORKS(cudaGraphInstantiateWithParams(&exec, clone, &with));
    WORKS(cudaGraphLaunch(exec, NULL));
    REQUIRE(word_at(built.a) == 7 && word_at(built.a + 32) == 3 && word_at(built.a + 144) == 3 && api_called == 2);
    WORKS(cudaGraphExecDestroy(exec));
    WORKS(cudaGraphDestroy(clone));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphAddKernelNode(&node, built.graph, NULL, 0, NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphAddMemsetNode(&node, built.graph, NULL, 0, NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphAddHostNode(&node, built.graph, NULL, 0, NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphAddMemcpyNode(&node, built.graph, NULL, 0, NULL));
    struct cudaMemcpy3DParms arrays = {.dstArray = (struct cudaArray *)built.a};
    REFUSES(ERROR_INVALID_VALUE, cudaGraphAddMemcpyNode(&node, built.graph, NULL, 0, &arrays));
    arrays = (struct cudaMemcpy3DParms){.srcArray = (struct cudaArray *)built.a};
    REFUSES(ERROR_INVALID_VALUE, cudaGraphAddMemcpyNode(&node, built.graph, NULL, 0, &arrays));
}

SECTION(runtime_graph_changes)
{
    struct built built;
    struct CUgraphExec_st *exec;
    struct CUgraphExecUpdateResultInfo_st info;
    build(&built);
    char *other = built.a + 16;
    WORKS(cudaGraphInstantiateWithFlags(&exec, built.graph, 0));
    built.parameter[0] = &other;
    built.fill.value = 9;
    WORKS(cudaGraphExecKernelNodeSetParams(exec, built.node[KERNEL], &built.kernel));
    WORKS(cudaGraphExecMemsetNodeSetParams(exec, built.node[FILL], &built.fill));
    WORKS(cudaGraphExecMemcpyNodeSetParams1D(exec, built.node[COPY], built.a + 36, built.a + 64, 4, COPY_BY_POINTERS));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphNodeSetEnabled(exec, built.node[HOST], 0));
    WORKS(cudaGraphNodeSetEnabled(exec, built.node[FILL], 1));
    WORKS(cudaGraphLaunch(exec, NULL));
    REQUIRE(word_at(built.a + 16) == 7 && word_at(built.a) == 0 && word_at(built.a + 36) == 9 && api_called == 2);
    WORKS(cudaGraphExecUpdate(exec, built.graph, &info)); // as it was built
    WORKS(cudaGraphLaunch(exec, NULL));
    REQUIRE(word_at(built.a) == 7);
    WORKS(cudaGraphKernelNodeSetParams(built.node[KERNEL], &built.kernel));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphKernelNodeSetParams(built.node[KERNEL], NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaGraphExecMemsetNodeSetParams(exec, built.node[FILL], NULL));
    built.kernel.func = NULL;
    REQUIRE(cudaGraphKernelNodeSetParams(built.node[KERNEL], &built.kernel) == cudaErrorInvalidDeviceFunction);
}
