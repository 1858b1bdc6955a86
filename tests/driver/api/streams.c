// SPDX-License-Identifier: MIT
// What threads capture, and end for each other. The rest of streams is in streams.calls.
#include "api.h"

#include <pthread.h>

enum { NON_BLOCKING = 1, RELAXED = 2, NO_TIMING = 2 };
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

// A thread that leaves a capture of its own default stream leaves it to nobody.
SECTION(capture_in_threads)
{
    uint32_t status;
    api_ready();
    show_joined();
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
