// SPDX-License-Identifier: MIT
// Parts of the device and of graphs, and what other threads, functions and processes do to them.
#include "api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SM = 1, DEFAULT_STREAM = 1, NON_BLOCKING = 1, RELAXED = 2 };

// --- Green contexts --------------------------------------------------------------------------------------------------

enum cuda_result cuStreamGetGreenCtx(struct CUstream_st *stream, struct CUgreenCtx_st **green);

static struct CUgreenCtx_st *green_of(unsigned multiprocessors)
{
    struct CUdevResource_st all, part;
    struct CUdevResourceDesc_st *desc;
    struct CUgreenCtx_st *green;
    unsigned count = 1;
    WORKS(cuDeviceGetDevResource(0, &all, SM));
    WORKS(cuDevSmResourceSplitByCount(&part, &count, &all, NULL, 0, multiprocessors));
    WORKS(cuDevResourceGenerateDesc(&desc, &part, 1));
    WORKS(cuGreenCtxCreate(&green, desc, 0, DEFAULT_STREAM));
    return green;
}

static enum cuda_result launch(struct CUfunc_st *put, unsigned ctas, unsigned long long to, struct CUstream_st *stream)
{
    uint32_t value = 7;
    void *parameters[] = {&to, &value};
    return cuLaunchCooperativeKernel(put, ctas, 1, 1, 64, 1, 1, 0, stream, parameters);
}

// The default stream is of the context that is current, not of the one that was when somebody first used it.
SECTION(green_default_stream)
{
    enum { CTAS_OF_SM = 32, PART = 16, WHOLE = 132 };
    struct CUctx_st *primary = api_ready(), *of_green;
    struct CUgreenCtx_st *green = green_of(PART), *got = NULL;
    struct CUfunc_st *put = api_kernel(ptx_put, "put");
    WORKS(cuCtxFromGreenCtx(&of_green, green));
    WORKS(cuCtxSetCurrent(of_green));
    const unsigned long long to = api_memory(64, 0);
    WORKS(launch(put, PART * CTAS_OF_SM, to, NULL));
    REFUSES(ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, launch(put, PART * CTAS_OF_SM + 1, to, NULL));
    WORKS(cuCtxSetCurrent(primary));
    WORKS(launch(put, WHOLE * CTAS_OF_SM, to, NULL));
    REFUSES(ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, launch(put, WHOLE * CTAS_OF_SM + 1, to, NULL));
    WORKS(cuStreamGetGreenCtx(NULL, &got));
    REQUIRE(got == NULL);
}

// A stream whose green context is gone is not one of the next green context's.
SECTION(green_destroyed)
{
    struct CUstream_st *stream;
    struct CUgreenCtx_st *got = NULL;
    api_ready();
    struct CUgreenCtx_st *first = green_of(16);
    WORKS(cuGreenCtxStreamCreate(&stream, first, NON_BLOCKING, 0));
    WORKS(cuGreenCtxDestroy(first));
    REFUSES(ERROR_INVALID_CONTEXT, cuGreenCtxDestroy(first));
    struct CUgreenCtx_st *second = green_of(64);
    WORKS(cuStreamGetGreenCtx(stream, &got));
    REQUIRE(got != second);
}

SECTION(no_multiprocessors)
{
    struct CUdevResource_st part, none;
    unsigned count = 1;
    api_ready();
    WORKS(cuDeviceGetDevResource(0, &none, SM));
    none.sm.smCount = 0;
    REFUSES(ERROR_INVALID_RESOURCE_CONFIGURATION, cuDevSmResourceSplitByCount(&part, &count, &none, NULL, 0, 0));
}

// --- Bodies of conditional nodes -------------------------------------------------------------------------------------

static struct CUgraphNodeParams_st condition_of(struct CUgraph_st *graph, uint32_t type)
{
    struct CUctx_st *context;
    struct CUgraphNodeParams_st params = {.type = NODE_CONDITIONAL};
    WORKS(cuCtxGetCurrent(&context));
    WORKS(cuGraphConditionalHandleCreate(&params.conditional.handle, graph, context, 1, 1));
    params.conditional.type = type;
    params.conditional.size = 1;
    params.conditional.ctx = context;
    return params;
}

// While a stream is captured into a body, neither the graph nor the node goes.
SECTION(captured_bodies)
{
    struct CUgraph_st *graph, *body, *got;
    struct CUgraphNode_st *node;
    struct CUstream_st *stream;
    api_ready();
    const unsigned long long to = api_memory(64, 0);
    WORKS(cuGraphCreate(&graph, 0));
    struct CUgraphNodeParams_st params = condition_of(graph, 0);
    WORKS(cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params));
    body = params.conditional.phGraph_out[0];
    WORKS(cuStreamCreate(&stream, NON_BLOCKING));
    WORKS(cuStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0, RELAXED));
    REFUSES(ERROR_ILLEGAL_STATE, cuGraphDestroy(graph));
    SAYS("a stream is captured into this graph, or into a part of it");
    REFUSES(ERROR_ILLEGAL_STATE, cuGraphDestroyNode(node));
    SAYS("cuGraphDestroyNode");
    WORKS(cuMemsetD8Async(to, 3, 1, stream));
    WORKS(cuStreamEndCapture(stream, &got));
    REQUIRE(got == body);
    WORKS(cuGraphDestroyNode(node));
    WORKS(cuGraphDestroy(graph));
}

// A handle has one node: a graph is not copied whose child graph has such a node.
SECTION(condition_in_child)
{
    struct CUgraph_st *graph, *child, *copy;
    struct CUgraphNode_st *node;
    struct CUgraphExec_st *exec;
    api_ready();
    WORKS(cuGraphCreate(&graph, 0));
    WORKS(cuGraphCreate(&child, 0));
    WORKS(cuGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    WORKS(cuGraphClone(&copy, graph));
    WORKS(cuGraphChildGraphNodeGetGraph(node, &child));
    struct CUgraphNodeParams_st params = condition_of(graph, 0);
    WORKS(cuGraphAddNode_v2(&node, child, NULL, NULL, 0, &params));
    REFUSES(ERROR_NOT_SUPPORTED, cuGraphClone(&copy, graph));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddNode_v2(&node, child, NULL, NULL, 0, &params));
    WORKS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    WORKS(cuGraphLaunch(exec, NULL));
}

// step(to, handle): adds 1 to the word, and says that the loop goes on while the word behind it is 0.
static const char ptx_step[] =
    ".extern .func cudaGraphSetConditional\n(\n.param .b64 handle,\n.param .b32 value\n);\n"
    ".visible .entry step(.param .u64 to, .param .u64 handle)\n{\n.reg .pred %p<2>;\n.reg .b64 %rd<3>;\n"
    ".reg .b32 %r<4>;\nld.param.u64 %rd1, [to];\nld.param.u64 %rd2, [handle];\natom.sys.global.add.u32 %r1, [%rd1], "
    "1;\nld.volatile.global.u32 %r2, [%rd1+4];\nsetp.eq.u32 %p1, %r2, 0;\nselp.u32 %r3, 1, 0, %p1;\n"
    "{\n.param .b64 p0;\nst.param.b64 [p0], %rd2;\n.param .b32 p1;\nst.param.b32 [p1], %r3;\n"
    "call.uni cudaGraphSetConditional, (p0, p1);\n}\nret;\n}\n";

static struct {
    struct CUctx_st *context;
    unsigned long long word;
} loop;

static void *end_loop(void *nothing)
{
    uint32_t runs = 0;
    struct CUstream_st *stream;
    WORKS(cuCtxSetCurrent(loop.context));
    WORKS(cuStreamCreate(&stream, NON_BLOCKING));
    while (runs == 0) runs = atomic_load((_Atomic uint32_t *)(uintptr_t)loop.word);
    WORKS(cuMemsetD32Async(loop.word + 4, 1, 1, stream));
    return nothing;
}

// A graph that is a loop of step(), which goes on while the second of two words is 0.
static struct CUgraphExec_st *make_loop(void)
{
    void *word;
    struct CUgraph_st *graph;
    struct CUgraphNode_st *node;
    struct CUgraphExec_st *exec;
    loop.context = api_ready();
    WORKS(cuMemHostAlloc(&word, 8, 0));
    memset(word, 0, 8);
    loop.word = (uintptr_t)word;
    WORKS(cuGraphCreate(&graph, 0));
    struct CUgraphNodeParams_st params = condition_of(graph, 1);
    WORKS(cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params));
    void *parameters[] = {&loop.word, &params.conditional.handle};
    struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel = api_node(api_kernel(ptx_step, "step"), parameters);
    WORKS(cuGraphAddKernelNode_v2(&node, params.conditional.phGraph_out[0], NULL, 0, &kernel));
    WORKS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

// A loop of a graph lets the calls of another thread in, which end it.
SECTION(loop_lets_others_in)
{
    pthread_t thread;
    struct CUgraphExec_st *exec = make_loop();
    REQUIRE(pthread_create(&thread, NULL, end_loop, NULL) == 0);
    WORKS(cuGraphLaunch(exec, NULL));
    REQUIRE(pthread_join(thread, NULL) == 0);
    const uint32_t *word = (const uint32_t *)(uintptr_t)loop.word;
    REQUIRE(word[0] > 0 && word[1] == 1);
}

// One that nobody ends is stopped at the limit of seconds, and told of as a kernel is: by what comes behind.
SECTION(loop_limit)
{
    setenv("TMAREF_LIMIT_SECONDS", "1", 1);
    struct CUgraphExec_st *exec = make_loop();
    WORKS(cuGraphLaunch(exec, NULL));
    SAYS("the loop of a conditional node is stopped, since the limit of 1 seconds is reached");
    REQUIRE(*(const uint32_t *)(uintptr_t)loop.word > 0);
    REFUSES(ERROR_LAUNCH_TIMEOUT, cuCtxSynchronize());
    REFUSES(ERROR_LAUNCH_TIMEOUT, cuGraphLaunch(exec, NULL));
}

// --- Functions that hear of refused calls ----------------------------------------------------------------------------

static struct CUlogsCallbackEntry_st *hearer[3];
static int heard[3];

// The first one that hears takes the two others out.
static void hear(void *user, uint32_t level, char *text, size_t bytes)
{
    const int own = *(int *)user;
    REQUIRE(level == 0 && strlen(text) == bytes);
    heard[own]++;
    for (int i = 0; i < 3; i++)
        if (i != own && heard[0] + heard[1] + heard[2] == 1) WORKS(cuLogsUnregisterCallback(hearer[i]));
}

SECTION(hearers_that_go)
{
    static int number[] = {0, 1, 2};
    api_ready();
    for (int i = 0; i < 3; i++) WORKS(cuLogsRegisterCallback(hear, &number[i], &hearer[i]));
    for (int i = 1; i < 3; i++) {
        REFUSES(ERROR_INVALID_VALUE, cuMemFree_v2(1));
        REQUIRE(heard[0] + heard[1] + heard[2] == i);
    }
}

// --- Memory of other processes ---------------------------------------------------------------------------------------

// How much of the one file of cuIpcGetMemHandle is there.
static long long bytes_of_file(void)
{
    enum { MOST_FILES = 64, BLOCK = 512 };
    for (int file = 0; file < MOST_FILES; file++) {
        char path[32], name[64] = "";
        struct stat facts;
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        if (readlink(path, name, sizeof name - 1) < 0 || strstr(name, "tmaref-ipc") == NULL) continue;
        REQUIRE(fstat(file, &facts) == 0);
        return (long long)facts.st_blocks * BLOCK;
    }
    return -1;
}

// What nobody has written takes no memory when a handle is made.
SECTION(shared_pages)
{
    enum { MIB = 1 << 20, SIZE = 64 * MIB };
    unsigned long long at;
    struct CUipcMemHandle_st handle;
    api_ready();
    WORKS(cuMemAlloc_v2(&at, SIZE));
    WORKS(cuMemsetD8_v2(at + SIZE / 2, 9, 5));
    WORKS(cuIpcGetMemHandle(&handle, at + 100));
    REQUIRE(bytes_of_file() > 0 && bytes_of_file() < MIB);
    REQUIRE(api_byte(at + SIZE / 2 + 4) == 9 && api_byte(at + SIZE / 2 + 5) == 0 && api_byte(at + SIZE - 1) == 0);
    WORKS(cuMemFree_v2(at));
    REQUIRE(bytes_of_file() == -1);
}

// --- Variables of libraries ------------------------------------------------------------------------------------------

SECTION(library_context)
{
    static const char ptx[] = PTX_HEAD ".visible .global .align 4 .u32 word;\n";
    struct CUctx_st *context = api_ready(), *got = NULL;
    struct CUlib_st *library;
    unsigned long long at;
    size_t bytes;
    WORKS(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    WORKS(cuLibraryGetGlobal(&at, &bytes, library, "word"));
    WORKS(cuPointerGetAttribute(&got, 1, at));
    REQUIRE(got == context);
}
