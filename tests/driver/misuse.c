// SPDX-License-Identifier: MIT
// Calls that a program gets wrong must end in an error, never in memory of the host that is overwritten or read past
// its end. What a GPU answers is in calls.c; here it is only that nothing breaks, which sanitizers watch too.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    EXPECT(CUDA_SUCCESS, cuStreamWaitEvent(joined, event, 0));
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
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(graph));
    EXPECT(CUDA_SUCCESS, cuStreamEndCapture(stream, &made));
    EXPECT(CUDA_SUCCESS, cuStreamBeginCaptureToGraph(per_thread, graph, &node, NULL, 1, 2));
    EXPECT(CUDA_SUCCESS, cuStreamEndCapture(per_thread, &made));
    EXPECT(1, made == graph);
    EXPECT(CUDA_SUCCESS, cuGraphDestroy(graph));
    EXPECT(CUDA_SUCCESS, cuGraphDestroy(other));
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
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
