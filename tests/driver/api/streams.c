// SPDX-License-Identifier: MIT
// Streams, events, capture.
#include "api.h"

#include <pthread.h>

enum { NON_BLOCKING = 1, RELAXED = 2, MODES = 3, EXTERNAL = 1, NO_TIMING = 2, INTERPROCESS = 4 };
#define LEGACY     ((struct CUstream_st *)1)
#define PER_THREAD ((struct CUstream_st *)2)

static struct CUstream_st *stream_new(void)
{
    struct CUstream_st *stream;
    WORKS(cuStreamCreate(&stream, NON_BLOCKING));
    return stream;
}

static struct CUevent_st *event_new(unsigned flags)
{
    struct CUevent_st *event;
    WORKS(cuEventCreate(&event, flags));
    return event;
}

// --- Capture ---------------------------------------------------------------------------------------------------------

static size_t nodes_of(struct CUgraph_st *graph)
{
    size_t count;
    WORKS(cuGraphGetNodes(graph, NULL, &count));
    return count;
}

static void show_fork(void)
{
    struct CUstream_st *stream = stream_new(), *joined = stream_new();
    struct CUevent_st *fork = event_new(NO_TIMING), *join = event_new(NO_TIMING);
    struct CUgraph_st *graph, *of;
    struct CUgraphExec_st *exec;
    struct CUgraphNode_st *const *after;
    const struct CUgraphEdgeData_st *edges;
    uint32_t status;
    uint64_t id;
    size_t count;
    int one = 1;
    const unsigned long long at = api_memory(64, 0);
    WORKS(cuStreamBeginCapture_v2(stream, RELAXED));
    REFUSES(ERROR_ILLEGAL_STATE, cuStreamBeginCapture_v2(stream, RELAXED));
    WORKS(cuMemsetD8Async(at, 1, 1, stream));
    WORKS(cuEventRecord(fork, stream));
    WORKS(cuEventRecord(fork, stream));
    WORKS(cuStreamWaitEvent(joined, fork, 0));
    WORKS(cuMemsetD8Async(at + 1, 2, 1, joined));
    WORKS(cuLaunchHostFunc(joined, api_count_call, &one));
    WORKS(cuEventRecord(join, joined));
    WORKS(cuStreamWaitEvent(stream, join, 0));
    WORKS(cuEventRecordWithFlags(join, stream, EXTERNAL));
    WORKS(cuStreamWaitEvent(stream, fork, EXTERNAL));
    WORKS(cuStreamGetCaptureInfo_v3(stream, &status, &id, &of, &after, &edges, &count));
    REQUIRE(status == CAPTURE_ACTIVE && of != NULL && count == 1 && after[0] != NULL);
    REQUIRE(edges != NULL && edges[0].type == 0 && edges[0].from_port == 0);
    WORKS(cuStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, NULL, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuStreamGetCaptureInfo_v2(stream, NULL, NULL, NULL, NULL, NULL));
    WORKS(cuStreamEndCapture(stream, &graph));
    REQUIRE(graph == of && nodes_of(graph) == 5 && api_byte(at) == 0);
    WORKS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    api_called = 0;
    WORKS(cuGraphLaunch(exec, NULL));
    REQUIRE(api_byte(at) == 1 && api_byte(at + 1) == 2 && api_called == 1);
    WORKS(cuStreamIsCapturing(joined, &status));
    REQUIRE(status == CAPTURE_NONE);
}

// What spoils a capture, and how that is told.
static void show_spoilt(void)
{
    struct CUstream_st *stream = stream_new(), *other = stream_new();
    struct CUevent_st *event = event_new(NO_TIMING), *theirs = event_new(NO_TIMING);
    struct CUgraph_st *graph;
    uint32_t status;
    REFUSES(ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture_v2(LEGACY, RELAXED));
    REFUSES(ERROR_INVALID_VALUE, cuStreamBeginCapture_v2(stream, MODES));
    REFUSES(ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream, &graph));
    REFUSES(ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream, NULL));
    WORKS(cuStreamBeginCapture_v2(stream, RELAXED));
    WORKS(cuEventRecord(event, stream));
    WORKS(cuStreamBeginCapture_v2(other, RELAXED));
    WORKS(cuEventRecord(theirs, other));
    REFUSES(ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(stream, theirs, 0)); // which spoils both
    WORKS(cuStreamIsCapturing(stream, &status));
    REQUIRE(status == CAPTURE_INVALIDATED);
    WORKS(cuStreamIsCapturing(other, &status));
    REQUIRE(status == CAPTURE_INVALIDATED);
    REFUSES(ERROR_STREAM_CAPTURE_INVALIDATED, cuLaunchHostFunc(other, api_count_call, NULL));
    REFUSES(ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamWaitEvent(other, event, 0));
    REFUSES(ERROR_INVALID_VALUE, cuStreamWaitEvent(stream_new(), theirs, 0));
    REFUSES(ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(other, &graph));
    REFUSES(ERROR_INVALID_VALUE, cuEventQuery(theirs));
    REFUSES(ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    WORKS(cuStreamBeginCapture_v2(stream, RELAXED));
    WORKS(cuEventRecord(event, stream));
    REFUSES(ERROR_CAPTURED_EVENT, cuEventSynchronize(event));
    WORKS(cuStreamIsCapturing(stream, &status));
    REQUIRE(status == CAPTURE_INVALIDATED);
    REFUSES(ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    WORKS(cuStreamBeginCapture_v2(stream, RELAXED));
    WORKS(cuEventRecord(event, stream));
    REFUSES(ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamWaitEvent(NULL, event, 0));
    SAYS("use a stream of cudaStreamCreate");
    REFUSES(ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    WORKS(cuStreamBeginCapture_v2(stream, RELAXED));
    REFUSES(ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamQuery(stream));
    WORKS(cuStreamDestroy_v2(stream));
}

static enum cuda_result sync_default(unsigned long long at)
{
    (void)at;
    return cuStreamSynchronize(NULL);
}
static enum cuda_result sync_context(unsigned long long at)
{
    (void)at;
    return cuCtxSynchronize();
}
static enum cuda_result allocate(unsigned long long at)
{
    return cuMemAlloc_v2(&at, 4);
}
static enum cuda_result copy(unsigned long long at)
{
    uint32_t word;
    return cuMemcpyDtoH_v2(&word, at, sizeof word);
}
static enum cuda_result record(unsigned long long at)
{
    (void)at;
    return cuEventRecord(event_new(NO_TIMING), NULL);
}
static enum cuda_result query(unsigned long long at)
{
    (void)at;
    return cuEventQuery(event_new(NO_TIMING));
}

// What a call on other work answers while a stream is captured, by the mode of the capture (global, of the thread,
// relaxed); for one that waits for the default stream and for one that does not. An H200's driver answers so.
static void show_modes(void)
{
    enum { UNSUPPORTED = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, IMPLICIT = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT };
    static const struct {
        enum cuda_result (*call)(unsigned long long at);
        int answer[2][3];
    } calls[] = {{sync_default, {{IMPLICIT, IMPLICIT, IMPLICIT}, {UNSUPPORTED, UNSUPPORTED, 0}}},
                 {sync_context, {{UNSUPPORTED, UNSUPPORTED, UNSUPPORTED}, {UNSUPPORTED, UNSUPPORTED, UNSUPPORTED}}},
                 {allocate, {{UNSUPPORTED, UNSUPPORTED, 0}, {UNSUPPORTED, UNSUPPORTED, 0}}},
                 {copy, {{IMPLICIT, IMPLICIT, IMPLICIT}, {0, 0, 0}}},
                 {record, {{IMPLICIT, IMPLICIT, IMPLICIT}, {0, 0, 0}}},
                 {query, {{UNSUPPORTED, UNSUPPORTED, 0}, {UNSUPPORTED, UNSUPPORTED, 0}}}};
    const unsigned long long at = api_memory(4, 0);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        for (uint32_t flags = 0; flags <= NON_BLOCKING; flags++)
            for (uint32_t mode = 0; mode < MODES; mode++) {
                struct CUstream_st *stream;
                struct CUgraph_st *graph;
                const int answer = calls[i].answer[flags][mode];
                WORKS(cuStreamCreate(&stream, flags));
                WORKS(cuStreamBeginCapture_v2(stream, mode));
                REQUIRE((int)calls[i].call(at) == answer);
                REQUIRE(cuStreamEndCapture(stream, &graph) ==
                        (answer == 0 ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
            }
}

static void *end_elsewhere(void *stream)
{
    struct CUgraph_st *graph;
    api_ready();
    REFUSES(ERROR_STREAM_CAPTURE_WRONG_THREAD, cuStreamEndCapture(stream, &graph));
    return NULL;
}

static void *begin_and_leave(void *unused)
{
    api_ready();
    WORKS(cuStreamBeginCapture_v2(PER_THREAD, 0));
    return unused;
}

static void in_thread(void *(*call)(void *), void *with)
{
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, call, with) == 0 && pthread_join(thread, NULL) == 0);
}

// A stream that joined is free again when the capture has ended, spoilt or not; who asks for it spoils the whole.
static void show_joined(void)
{
    struct CUstream_st *stream = stream_new(), *joined = stream_new();
    struct CUevent_st *fork = event_new(NO_TIMING), *join = event_new(NO_TIMING);
    struct CUgraph_st *graph;
    struct CUgraphNode_st *const *after;
    size_t count;
    uint32_t status;
    const unsigned long long at = api_memory(4, 0);
    for (int round = 0; round < 2; round++) {
        WORKS(cuStreamBeginCapture_v2(stream, 0));
        WORKS(cuMemsetD8Async(at, 1, 1, stream));
        WORKS(cuEventRecord(fork, stream));
        WORKS(cuStreamWaitEvent(joined, fork, 0));
        WORKS(cuMemsetD8Async(at + 1, 1, 1, joined));
        WORKS(cuEventRecord(join, joined));
        WORKS(cuStreamWaitEvent(stream, join, 0));
        if (round == 1) break;
        REFUSES(ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(joined));
        REFUSES(ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    }
    // What the stream tells may be what it is told.
    WORKS(cuStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, &after, &count));
    WORKS(cuStreamUpdateCaptureDependencies_v2(stream, (struct CUgraphNode_st **)after, NULL, count, 1));
    in_thread(end_elsewhere, stream);
    WORKS(cuStreamEndCapture(stream, &graph));
    REQUIRE(nodes_of(graph) == 2 && api_byte(at) == 0 && api_byte(at + 1) == 0);
}

// Into a graph of the program's own, behind nodes that it names; and other nodes to go on from.
static void show_into_graph(void)
{
    struct CUstream_st *stream = stream_new();
    struct CUgraph_st *graph, *made;
    struct CUgraphNode_st *node, *last;
    size_t count = 1;
    const unsigned long long at = api_memory(64, 0);
    WORKS(cuGraphCreate(&graph, 0));
    WORKS(cuGraphAddEmptyNode(&node, graph, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuStreamBeginCaptureToGraph(stream, NULL, NULL, NULL, 0, RELAXED));
    REFUSES(ERROR_INVALID_VALUE, cuStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, MODES));
    REFUSES(ERROR_ILLEGAL_STATE, cuStreamUpdateCaptureDependencies_v2(stream, &node, NULL, 1, 0));
    WORKS(cuStreamBeginCaptureToGraph(stream, graph, &node, NULL, 1, RELAXED));
    WORKS(cuMemsetD8Async(at, 1, 1, stream));
    WORKS(cuStreamUpdateCaptureDependencies_v2(stream, &node, NULL, 1, 1)); // from the first again
    REFUSES(ERROR_INVALID_VALUE, cuStreamUpdateCaptureDependencies_v2(stream, &node, NULL, 1, 2));
    WORKS(cuMemsetD8Async(at, 2, 1, stream));
    REFUSES(ERROR_ILLEGAL_STATE, cuGraphDestroy(graph));
    SAYS("a stream is captured into this graph");
    WORKS(cuStreamGetCaptureInfo_v2(stream, &(uint32_t){0}, NULL, NULL, NULL, &count));
    REQUIRE(count == 1);
    WORKS(cuStreamEndCapture(stream, &made));
    REQUIRE(made == graph && nodes_of(graph) == 3);
    WORKS(cuGraphGetRootNodes(graph, &last, &count));
    REQUIRE(count == 1 && last == node);
    WORKS(cuGraphGetEdges_v2(graph, NULL, NULL, NULL, &count));
    REQUIRE(count == 2);
    WORKS(cuStreamBeginCaptureToGraph(stream, graph, &node, NULL, 1, RELAXED));
    WORKS(cuStreamDestroy_v2(stream)); // the graph is the program's: it stays
    REQUIRE(nodes_of(graph) == 3);
}

SECTION(capture)
{
    struct CUgraph_st *graph;
    struct CUgraphExec_st *exec;
    struct CUstream_st *stream;
    unsigned long long at;
    uint32_t mode = RELAXED;
    api_ready();
    show_fork();
    show_spoilt();
    show_modes();
    show_joined();
    show_into_graph();
    WORKS(cuThreadExchangeStreamCaptureMode(&mode));
    REQUIRE(mode == 0);
    WORKS(cuThreadExchangeStreamCaptureMode(&mode));
    REQUIRE(mode == RELAXED);
    REFUSES(ERROR_INVALID_VALUE, cuThreadExchangeStreamCaptureMode(NULL));

    // Memory of a captured stream is gone when the node that frees it was launched.
    uint32_t word;
    stream = stream_new();
    WORKS(cuStreamBeginCapture_v2(stream, RELAXED));
    WORKS(cuMemAllocAsync(&at, 64, stream));
    WORKS(cuMemsetD8Async(at, 7, 64, stream));
    WORKS(cuMemFreeAsync(at, stream));
    WORKS(cuStreamEndCapture(stream, &graph));
    WORKS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    WORKS(cuGraphLaunch(exec, stream));
    REFUSES(ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(&word, at, sizeof word));
    WORKS(cuStreamBeginCapture_v2(stream, RELAXED));
    REFUSES(ERROR_STREAM_CAPTURE_UNSUPPORTED, cuGraphLaunch(exec, stream));

    // A thread that leaves a capture of its own default stream leaves it to nobody.
    uint32_t status;
    in_thread(begin_and_leave, NULL);
    WORKS(cuStreamIsCapturing(PER_THREAD, &status)); // this thread's is another one
    REQUIRE(status == CAPTURE_NONE);
}

static void *write_elsewhere(void *to)
{
    uint32_t status = 7;
    api_ready();
    WORKS(cuStreamIsCapturing(PER_THREAD, &status));
    REQUIRE(status == 0);
    WORKS(cuMemsetD8Async(*(unsigned long long *)to, 5, 1, PER_THREAD));
    return NULL;
}

// What one thread captures of its own default stream is nothing of other threads, nor of the stream of all.
SECTION(per_thread_capture)
{
    struct CUstream_st *const legacy = (struct CUstream_st *)1;
    struct CUgraph_st *graph;
    size_t nodes = 9;
    api_ready();
    unsigned long long to = api_memory(4, 0), second = to + 1;
    WORKS(cuStreamBeginCapture_v2(PER_THREAD, RELAXED));
    WORKS(cuMemsetD8Async(to, 3, 1, PER_THREAD));
    in_thread(write_elsewhere, &second);
    WORKS(cuStreamEndCapture(PER_THREAD, &graph));
    WORKS(cuMemsetD8Async(to + 2, 7, 1, legacy));
    WORKS(cuGraphGetNodes(graph, NULL, &nodes));
    REQUIRE(nodes == 1 && api_byte(to) == 0 && api_byte(second) == 5 && api_byte(to + 2) == 7);
}
