// SPDX-License-Identifier: MIT
// Calls that a program gets wrong must end in an error, never in memory of the host that is overwritten or read past
// its end. What a GPU answers is in calls.c; here it is only that nothing breaks, which sanitizers watch too.
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_api.h"

static int failed;

static void expect(const char *call, int got, int expected)
{
    if (got == expected) return;
    printf("%s = %d, %d expected\n", call, got, expected);
    failed = 1;
}
#define EXPECT(expected, call) expect(#call, (int)(call), (int)(expected))

// A captured stream that is destroyed takes those that joined it out of the capture.
static void destroy_origin(void)
{
    struct CUstream_st *origin, *joined;
    struct CUevent_st *event;
    unsigned long long at;
    uint32_t word = 0;
    cuMemAlloc_v2(&at, 4096);
    cuStreamCreate(&origin, 1);
    cuStreamCreate(&joined, 1);
    cuEventCreate(&event, 2);
    EXPECT(CUDA_SUCCESS, cuStreamBeginCapture_v2(origin, 2));
    EXPECT(CUDA_SUCCESS, cuMemsetD8Async(at, 0, 64, origin));
    EXPECT(CUDA_SUCCESS, cuEventRecord(event, origin));
    EXPECT(CUDA_SUCCESS, cuStreamWaitEvent(joined, event, 0));
    EXPECT(CUDA_SUCCESS, cuStreamDestroy_v2(origin));
    EXPECT(CUDA_SUCCESS, cuMemsetD32Async(at, 7, 1, joined));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamWaitEvent(joined, event, 0));
    EXPECT(CUDA_SUCCESS, cuMemcpyDtoH_v2(&word, at, sizeof word));
    EXPECT(7, word);
    cuMemFree_v2(at);
}

static void destroy_captured_graph(void)
{
    struct CUstream_st *stream, *per_thread = (struct CUstream_st *)2;
    struct CUgraph_st *graph, *other, *made;
    struct CUgraphNode_st *node, *foreign, *none = NULL;
    cuStreamCreate(&stream, 1);
    cuGraphCreate(&graph, 0);
    cuGraphCreate(&other, 0);
    cuGraphAddEmptyNode(&node, graph, NULL, 0);
    cuGraphAddEmptyNode(&foreign, other, NULL, 0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCaptureToGraph(stream, graph, &foreign, NULL, 1, 2));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCaptureToGraph(stream, graph, &none, NULL, 1, 2));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 1, 2));
    EXPECT(CUDA_SUCCESS, cuStreamBeginCaptureToGraph(stream, graph, &node, NULL, 1, 2));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamUpdateCaptureDependencies_v2(stream, &foreign, NULL, 1, 1));
    EXPECT(CUDA_ERROR_ILLEGAL_STATE, cuGraphDestroy(graph));
    EXPECT(CUDA_SUCCESS, cuStreamEndCapture(stream, &made));
    EXPECT(CUDA_SUCCESS, cuStreamBeginCaptureToGraph(per_thread, graph, &node, NULL, 1, 2));
    EXPECT(CUDA_SUCCESS, cuStreamEndCapture(per_thread, &made));
    EXPECT(1, made == graph);
    EXPECT(CUDA_SUCCESS, cuGraphDestroy(graph));
    EXPECT(CUDA_SUCCESS, cuGraphDestroy(other));
}

#define HUGE_BYTES ((size_t)1 << 63)

// Sizes whose product or sum is small again when it has wrapped around.
static void wrap_sizes(void)
{
    unsigned long long at;
    size_t pitch;
    uint8_t host[64] = {0};
    cuMemAlloc_v2(&at, 4096);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemsetD32_v2(at, 0, (HUGE_BYTES >> 1) + 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8_v2(at, HUGE_BYTES, 0, 16, 3));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(at, host, SIZE_MAX));
    struct CUDA_MEMCPY3D_st box = {.srcMemoryType = 1, .srcHost = host, .dstMemoryType = 2, .dstDevice = at};
    box.srcPitch = box.WidthInBytes = 16;
    box.dstPitch = HUGE_BYTES;
    box.Height = 3;
    box.Depth = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box));
    box.dstPitch = 16;
    box.dstHeight = HUGE_BYTES >> 3;
    box.Depth = 3;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box));
    box.dstHeight = 0;
    box.dstXInBytes = SIZE_MAX;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&box));
    box.Height = 0;
    box.dstXInBytes = 4096 - 8; // nothing is copied, not even the first row
    EXPECT(CUDA_SUCCESS, cuMemcpy3D_v2(&box));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocPitch_v2(&at, &pitch, SIZE_MAX, 1, 4));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocPitch_v2(&at, &pitch, 512, HUGE_BYTES >> 8, 4));
}

// More than the device has, from a pool too.
static void exhaust(void)
{
    unsigned long long at;
    size_t left, before, total;
    cuMemGetInfo_v2(&before, &total);
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocAsync(&at, total + 1, NULL));
    cuMemGetInfo_v2(&left, &total);
    EXPECT(1, left == before);
}

// What a graph was made of may be gone when it is launched, and what it is changed to may be no memory.
static void launch_stale_graph(void)
{
    struct CUstream_st *stream;
    struct CUgraph_st *graph;
    struct CUgraphExec_st *exec;
    struct CUgraphNode_st *node, *set;
    unsigned long long at;
    size_t count = 1;
    cuMemAlloc_v2(&at, 4096);
    cuStreamCreate(&stream, 1);
    cuStreamBeginCapture_v2(stream, 2);
    EXPECT(CUDA_SUCCESS, cuMemsetD8Async(at, 0, 64, stream));
    EXPECT(CUDA_SUCCESS, cuStreamEndCapture(stream, &graph));
    EXPECT(CUDA_SUCCESS, cuGraphGetNodes(graph, &set, &count));
    struct CUDA_MEMCPY3D_st box = {.srcMemoryType = 2, .srcDevice = at, .dstMemoryType = 2, .dstDevice = at + 4090};
    box.WidthInBytes = 16;
    box.Height = box.Depth = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemcpyNode(&node, graph, NULL, 0, &box, NULL));
    box.dstDevice = at + 64;
    EXPECT(CUDA_SUCCESS, cuGraphAddMemcpyNode(&node, graph, NULL, 0, &box, NULL));
    EXPECT(CUDA_SUCCESS, cuGraphInstantiateWithFlags(&exec, graph, 0));
    EXPECT(CUDA_SUCCESS, cuGraphLaunch(exec, stream));
    box.dstDevice = at + 4090;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphExecMemcpyNodeSetParams(exec, node, &box, NULL));
    struct CUDA_MEMSET_NODE_PARAMS_st fill = {.dst = at, .width = 8, .height = 1, .elementSize = 0};
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphExecMemsetNodeSetParams(exec, set, &fill, NULL));
    fill.elementSize = 8;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphExecMemsetNodeSetParams(exec, set, &fill, NULL));
    EXPECT(CUDA_SUCCESS, cuGraphLaunch(exec, stream));
    EXPECT(CUDA_SUCCESS, cuMemFree_v2(at));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(exec, stream));
}

// Files that end before what their first bytes announce.
static void load_truncated(void)
{
    static const struct {
        const char *why;
        uint8_t bytes[20];
        size_t count;
    } files[] = {
        {"a header that announces 2^20 bytes", {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 0, 0, 0x10}, 16},
        {"a header of 2^16 - 1 bytes", {0x50, 0xed, 0x55, 0xba, 1, 0, 0xff, 0xff, 0, 0, 0x10}, 16},
        {"half a header", {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0}, 8},
        {"a wrapper with an address", {0xb1, 0x43, 0x62, 0x46, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0}, 16},
        {"nothing", {0}, 0},
    };
    char path[] = "/tmp/tmaref-misuse-XXXXXX";
    struct CUmod_st *module;
    const int made = mkstemp(path);
    if (made < 0) exit(EXIT_FAILURE);
    close(made);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(files[i].bytes, 1, files[i].count, file) != files[i].count) exit(EXIT_FAILURE);
        fclose(file);
        if (cuModuleLoad(&module, path) == CUDA_SUCCESS) expect(files[i].why, CUDA_SUCCESS, CUDA_ERROR_INVALID_IMAGE);
    }
    remove(path);
}

// A chain as long as a training step's, captured and launched: no call may go down it on the stack. And one whose nodes
// were made in the wrong order.
static void chain(struct CUctx_st *context)
{
    enum { LINKS = 20000 };
    struct CUstream_st *stream;
    struct CUgraph_st *graph;
    struct CUgraphExec_st *exec;
    struct CUgraphNode_st *node[3];
    unsigned long long at;
    uint32_t word = 0;
    cuMemAlloc_v2(&at, 4096);
    cuStreamCreate(&stream, 1);
    cuStreamBeginCapture_v2(stream, 2);
    for (uint32_t i = 0; i < LINKS; i++) cuMemsetD32Async(at, i, 1, stream);
    EXPECT(CUDA_SUCCESS, cuStreamEndCapture(stream, &graph));
    EXPECT(CUDA_SUCCESS, cuGraphInstantiateWithFlags(&exec, graph, 0));
    EXPECT(CUDA_SUCCESS, cuGraphLaunch(exec, stream));
    EXPECT(CUDA_SUCCESS, cuMemcpyDtoH_v2(&word, at, sizeof word));
    EXPECT(LINKS - 1, word);
    cuGraphCreate(&graph, 0);
    for (uint32_t i = 0; i < 3; i++) {
        const struct CUDA_MEMSET_NODE_PARAMS_st fill = {
            .dst = at, .value = i, .width = 1, .height = 1, .elementSize = 4};
        EXPECT(CUDA_SUCCESS, cuGraphAddMemsetNode(&node[i], graph, NULL, 0, &fill, context));
    }
    EXPECT(CUDA_SUCCESS, cuGraphAddDependencies_v2(graph, &node[1], &node[0], NULL, 1));
    EXPECT(CUDA_SUCCESS, cuGraphAddDependencies_v2(graph, &node[2], &node[1], NULL, 1));
    EXPECT(CUDA_SUCCESS, cuGraphInstantiateWithFlags(&exec, graph, 0));
    EXPECT(CUDA_SUCCESS, cuGraphLaunch(exec, stream));
    EXPECT(CUDA_SUCCESS, cuMemcpyDtoH_v2(&word, at, sizeof word));
    EXPECT(0, word);
    EXPECT(CUDA_SUCCESS, cuMemFree_v2(at));
}

// Memory is mapped only where addresses were reserved, and only what a handle has.
static void map_anywhere(void)
{
    const size_t part = (size_t)2 << 20;
    const struct cuda_mem_allocation_prop prop = {.type = 1, .location = {1, 0}};
    unsigned long long at, handle = 0, mapped_handle = 0;
    uint8_t *own = aligned_alloc(part, part);
    const unsigned long long own_at = (unsigned long long)(uintptr_t)own;
    if (own == NULL) exit(EXIT_FAILURE);
    own[0] = 77;
    EXPECT(CUDA_SUCCESS, cuMemAddressReserve(&at, 4 * part, 8 * part, 0, 0));
    EXPECT(0, at % (8 * part));
    EXPECT(CUDA_SUCCESS, cuMemCreate(&handle, part, &prop, 0));
    EXPECT(CUDA_SUCCESS, cuMemCreate(&mapped_handle, 2 * part, &prop, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemMap(own_at, part, 0, handle, 0));
    EXPECT(77, own[0]);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemMap(at, 2 * part, 0, handle, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemMap(at, part, part, handle, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemMap(at + 1, part, 0, handle, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemMap(at + 3 * part, 2 * part, 0, mapped_handle, 0));
    EXPECT(CUDA_SUCCESS, cuMemMap(at + part, 2 * part, 0, mapped_handle, 0));
    EXPECT(CUDA_SUCCESS, cuMemSetAccess(at + part, 2 * part, &(struct cuda_mem_access_desc){{1, 0}, 3}, 1));
    EXPECT(CUDA_SUCCESS, cuMemsetD8_v2(at + part, 5, 2 * part));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemMap(at + part, part, 0, handle, 0));
    EXPECT(5, *(uint8_t *)(uintptr_t)(at + part));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(at, 4 * part));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(own_at, part));
    EXPECT(CUDA_SUCCESS, cuMemRelease(mapped_handle));
    EXPECT(5, *(uint8_t *)(uintptr_t)(at + part));
    EXPECT(CUDA_SUCCESS, cuMemMap(at, part, 0, mapped_handle, 0)); // as long as it is mapped anywhere
    EXPECT(CUDA_SUCCESS, cuMemUnmap(at, part));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemRelease(mapped_handle));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemRelease(STDOUT_FILENO + 1000));
    EXPECT(CUDA_SUCCESS, cuMemUnmap(at + part, 2 * part));
    EXPECT(CUDA_SUCCESS, cuMemRelease(handle));
    EXPECT(CUDA_SUCCESS, cuMemAddressFree(at, 4 * part));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(at, 4 * part));
    free(own);
}

int main(void)
{
    struct CUctx_st *context;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (cuInit(0) != CUDA_SUCCESS || cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS)
        return EXIT_FAILURE;
    destroy_origin();
    destroy_captured_graph();
    wrap_sizes();
    launch_stale_graph();
    exhaust();
    load_truncated();
    map_anywhere();
    chain(context);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
