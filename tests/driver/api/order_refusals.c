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

// --- Operations on words ---------------------------------------------------------------------------------------------

static enum cuda_result operate(uint32_t operation, unsigned long long address, unsigned flags)
{
    union CUstreamBatchMemOpParams_union at = {0};
    at.value.address = address;
    at.value.flags = flags;
    at.operation = operation;
    if (operation == FLUSH || operation == BARRIER) at.barrier.flags = flags;
    return cuStreamBatchMemOp_v2(NULL, 1, &at, 0);
}

SECTION(word_refusals)
{
    enum { WAIT = 1, WRITE = 2, WAIT_LONG = 4, WRITE_LONG = 5, WAIT_FLUSHES = 1 << 30, MANY = 257 };
    static union CUstreamBatchMemOpParams_union many[MANY];
    struct CUmemPoolHandle_st *pool;
    unsigned long long managed;
    api_ready();
    const unsigned long long at = api_memory(16, 5);
    WORKS(cuDeviceGetDefaultMemPool(&pool, 0));
    WORKS(cuMemAllocManaged(&managed, 16, 1));
    REFUSES(ERROR_NOT_SUPPORTED, operate(FLUSH, 0, 0));
    REFUSES(ERROR_NOT_SUPPORTED, operate(FLUSH, 0, 1));
    WORKS(operate(BARRIER, 0, 0));
    WORKS(operate(BARRIER, 0, 1));
    REFUSES(ERROR_INVALID_VALUE, operate(BARRIER, 0, 2));
    REFUSES(ERROR_INVALID_VALUE, operate(0, at, 0));
    REFUSES(ERROR_INVALID_VALUE, operate(7, at, 0));
    REFUSES(ERROR_NOT_SUPPORTED, operate(WAIT, at, WAIT_FLUSHES));
    REFUSES(ERROR_NOT_SUPPORTED, operate(WAIT_LONG, at, WAIT_FLUSHES));
    REFUSES(ERROR_INVALID_VALUE, operate(WAIT, at, 4));
    REFUSES(ERROR_INVALID_VALUE, operate(WRITE, at, 1));
    REFUSES(ERROR_INVALID_VALUE, operate(WRITE, managed, 0));
    REFUSES(ERROR_INVALID_VALUE, operate(WRITE, 16, 0));
    REFUSES(ERROR_INVALID_VALUE, operate(WRITE_LONG, at + 4, 0));
    SAYS("is not a multiple of 8");
    REQUIRE(api_word(at) == 0x05050505);
    WORKS(operate(WRITE_LONG, at, 0));
    REQUIRE(api_word(at) == 0 && api_word(at + 4) == 0 && api_word(at + 8) == 0x05050505);
    REFUSES(ERROR_INVALID_HANDLE, cuStreamBatchMemOp_v2((struct CUstream_st *)pool, 1, many, 0));
    REFUSES(ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(NULL, MANY, many, 0));
    REFUSES(ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(NULL, 1, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(NULL, 1, many, 1));
    WORKS(cuStreamBatchMemOp_v2(NULL, 0, many, 0));
}

// --- Contexts --------------------------------------------------------------------------------------------------------

// Before the primary context was ever asked for.
static void show_no_primary(void)
{
    unsigned flags = 77;
    int active = 77;
    WORKS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    REQUIRE(flags == 0 && active == 0);
    REFUSES(ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
    WORKS(cuDevicePrimaryCtxReset_v2(0));
    REFUSES(ERROR_INVALID_VALUE, cuDevicePrimaryCtxSetFlags_v2(0, 8)); // mapped memory is of every context
    REFUSES(ERROR_INVALID_VALUE, cuDevicePrimaryCtxSetFlags_v2(0, 3)); // two ways to wait
    REFUSES(ERROR_INVALID_VALUE, cuDevicePrimaryCtxSetFlags_v2(0, 256));
    WORKS(cuDevicePrimaryCtxSetFlags_v2(0, 4));
    WORKS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    REQUIRE(flags == 4 && active == 0);
}

SECTION(context_flags)
{
    struct CUexecAffinityParam_st affinity = {0};
    struct CUctxCreateParams_st parameters = {&affinity, 1, NULL};
    struct CUctx_st *made, *plain;
    unsigned long long id, other;
    unsigned flags;
    size_t bytes;
    WORKS(cuInit(0));
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxSetFlags(0));
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxGetId(NULL, &id));
    show_no_primary();
    api_ready();
    REFUSES(ERROR_UNSUPPORTED_EXEC_AFFINITY, cuCtxCreate_v4(&made, &parameters, 0, 0));
    parameters.numExecAffinityParams = 0;
    WORKS(cuCtxCreate_v4(&made, &parameters, 1, 0));
    WORKS(cuCtxCreate_v4(&plain, NULL, 0, 0));
    REFUSES(ERROR_INVALID_VALUE, cuCtxCreate_v2(NULL, 0, 0));
    REFUSES(ERROR_INVALID_VALUE, cuCtxCreate_v2(&plain, 6, 0));
    REFUSES(ERROR_INVALID_VALUE, cuCtxSetFlags(5));
    WORKS(cuCtxSetFlags(2));
    WORKS(cuCtxGetFlags(&flags));
    REQUIRE(flags == 2);
    WORKS(cuCtxGetId(NULL, &id));
    WORKS(cuCtxGetId(made, &other));
    REQUIRE(id != other);
    REFUSES(ERROR_INVALID_VALUE, cuCtxGetId(made, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuCtxDestroy_v2(NULL));
    WORKS(cuCtxDestroy_v2(plain));
    REFUSES(ERROR_CONTEXT_IS_DESTROYED, cuCtxGetId(plain, &id));
    REFUSES(ERROR_UNSUPPORTED_LIMIT, cuCtxGetLimit(&bytes, 3)); // how deep kernels launch kernels
    REFUSES(ERROR_UNSUPPORTED_LIMIT, cuCtxGetLimit(&bytes, 9));
    REFUSES(ERROR_INVALID_VALUE, cuCtxGetLimit(&bytes, 10));
    WORKS(cuCtxDestroy_v2(made));
}
