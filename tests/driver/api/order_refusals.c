// SPDX-License-Identifier: MIT
// What captures hold back, operations on words, and how contexts are made: each error by the argument that brings it.
#include "api.h"

enum { BLOCKING = 0, GLOBAL = 0, RELAXED = 2, FLUSH = 3, BARRIER = 6 };

// --- Captures --------------------------------------------------------------------------------------------------------

// The default stream waits for a stream that is captured: what is asked of it spoils the capture.
static void hold(enum cuda_result call(void))
{
    struct CUstream_st *stream;
    struct CUgraph_st *graph;
    WORKS(cuStreamCreate(&stream, BLOCKING));
    WORKS(cuStreamBeginCapture_v2(stream, RELAXED));
    REFUSES(ERROR_STREAM_CAPTURE_IMPLICIT, call());
    SAYS("a stream that waits for it is captured");
    REFUSES(ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    REQUIRE(graph == NULL);
    WORKS(cuStreamDestroy_v2(stream));
}

static struct {
    struct CUgraphExec_st *exec;
    struct CUmemPoolHandle_st *pool;
    struct CUevent_st *event;
    unsigned long long at;
} test;

static enum cuda_result launch_graph(void)
{
    return cuGraphLaunch(test.exec, NULL);
}

static enum cuda_result allocate(void)
{
    unsigned long long at;
    return cuMemAllocFromPoolAsync(&at, 64, test.pool, NULL);
}

static enum cuda_result release(void)
{
    return cuMemFreeAsync(test.at, NULL);
}

static enum cuda_result wait_event(void)
{
    return cuStreamWaitEvent(NULL, test.event, 0);
}

static void set_up(void)
{
    struct CUgraph_st *graph;
    WORKS(cuGraphCreate(&graph, 0));
    WORKS(cuGraphInstantiateWithFlags(&test.exec, graph, 0));
    WORKS(cuGraphDestroy(graph));
    WORKS(cuDeviceGetDefaultMemPool(&test.pool, 0));
    WORKS(cuEventCreate(&test.event, 0));
    WORKS(cuMemAllocAsync(&test.at, 64, NULL));
}

// A second stream joins the capture; the capture is ended on the first one alone.
static void end_wrongly(struct CUstream_st *stream, struct CUstream_st *joined)
{
    struct CUgraph_st *graph;
    WORKS(cuStreamBeginCapture_v2(stream, RELAXED));
    WORKS(cuMemsetD8Async(test.at, 1, 4, stream));
    WORKS(cuEventRecord(test.event, stream));
    WORKS(cuStreamWaitEvent(joined, test.event, 0));
    REFUSES(ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(joined, &graph));
    REFUSES(ERROR_STREAM_CAPTURE_INVALIDATED, cuMemsetD8Async(test.at, 1, 4, stream));
    unsigned long long at;
    REFUSES(ERROR_STREAM_CAPTURE_INVALIDATED, cuMemAllocAsync(&at, 64, stream));
    REFUSES(ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    REFUSES(ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream, &graph));
    WORKS(cuStreamBeginCapture_v2(stream, RELAXED));
    WORKS(cuStreamEndCapture(stream, NULL)); // the graph goes
    REFUSES(ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream, &graph));
}

// The edges of a capture are plain, one for each node that the next one comes behind.
static void look(struct CUstream_st *stream)
{
    const struct CUgraphEdgeData_st *edges = NULL;
    struct CUgraph_st *graph;
    struct CUgraphNode_st *const *after;
    uint32_t status = 77;
    size_t count = 77;
    unsigned long long at;
    WORKS(cuStreamBeginCapture_v2(stream, GLOBAL));
    WORKS(cuStreamGetCaptureInfo_v3(stream, &status, NULL, NULL, &after, &edges, &count));
    REQUIRE(status == 1 && edges == NULL && count == 0);
    REFUSES(ERROR_INVALID_VALUE, cuStreamGetCaptureInfo_v3(stream, &status, NULL, NULL, NULL, &edges, &count));
    REFUSES(ERROR_INVALID_VALUE, cuStreamGetCaptureInfo_v3(stream, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSES(ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamGetCaptureInfo_v3(NULL, &status, NULL, NULL, NULL, NULL, NULL));
    WORKS(cuMemsetD8Async(test.at, 1, 4, stream));
    WORKS(cuStreamGetCaptureInfo_v3(stream, &status, NULL, NULL, &after, &edges, &count));
    REQUIRE(count == 1 && edges != NULL && edges->type == 0 && edges->from_port == 0 && edges->to_port == 0);
    REFUSES(ERROR_INVALID_VALUE, cuMemFreeAsync(test.at, stream)); // no node of the graph allocated it
    REFUSES(ERROR_OUT_OF_MEMORY, cuMemAllocAsync(&at, (size_t)1 << 42, stream));
    WORKS(cuStreamEndCapture(stream, &graph));
    WORKS(cuGraphDestroy(graph));
}

SECTION(held_calls)
{
    struct CUstream_st *stream, *joined;
    api_ready();
    set_up();
    hold(launch_graph);
    hold(allocate);
    hold(release);
    hold(wait_event);
    WORKS(cuGraphLaunch(test.exec, NULL));
    WORKS(cuStreamCreate(&stream, BLOCKING));
    WORKS(cuStreamCreate(&joined, BLOCKING));
    end_wrongly(stream, joined);
    look(stream);
    WORKS(cuMemFreeAsync(test.at, NULL));
}
