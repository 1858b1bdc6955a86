// SPDX-License-Identifier: MIT
// A loop of a graph and other threads, and memory that other processes share. More parts are in parts.calls.
#include "api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NON_BLOCKING = 1 };

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
