// SPDX-License-Identifier: MIT
// Kernels of two threads of the host that wait for each other, work that comes behind one of them, and two launches of
// one graph.
#include "api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

// meet(own, other): says that it is here, waits until the other one is, and writes 1 behind its own word.
static const char ptx_meet[] = ".visible .entry meet(.param .b64 own, .param .b64 other)\n{\n.reg .pred %p<2>;\n"
                               ".reg .b32 %r<2>;\n.reg .b64 %rd<3>;\nld.param.b64 %rd1, [own];\n"
                               "ld.param.b64 %rd2, [other];\nst.release.sys.b32 [%rd1], 1;\nwait:\n"
                               "ld.acquire.sys.b32 %r1, [%rd2];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra wait;\n"
                               "st.b32 [%rd1+4], 1;\nret;\n}\n";

static struct {
    struct CUfunc_st *meet;
    struct CUctx_st *context;
    struct CUstream_st *stream[3];
    struct CUgraphExec_st *exec;
    _Atomic uint32_t *word;
    atomic_int is_set;
} test;

static void meet(struct CUstream_st *stream, _Atomic uint32_t *own, _Atomic uint32_t *other)
{
    void *parameters[] = {(void *)&own, (void *)&other};
    WORKS(cuLaunchKernel(test.meet, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
}

static void launch(int which)
{
    meet(test.stream[which], test.word + 2 * which, test.word + 2 * (1 - which));
}

// The second kernel waits for what comes behind the first one on its stream, and is there at once when that ends.
static void *launch_first(void *nothing)
{
    WORKS(cuCtxSetCurrent(test.context));
    launch(0);
    meet(test.stream[2], test.word + 5, test.word + 4);
    WORKS(cuStreamSynchronize(test.stream[0]));
    return nothing;
}

// Behind the kernel of launch_first(), which writes the same word.
static void *set_behind(void *nothing)
{
    WORKS(cuCtxSetCurrent(test.context));
    WORKS(cuMemsetD8Async((uintptr_t)(test.word + 1), 5, 4, test.stream[0]));
    WORKS(cuMemsetD8Async((uintptr_t)(test.word + 4), 5, 4, test.stream[0]));
    WORKS(cuStreamSynchronize(test.stream[0]));
    atomic_store(&test.is_set, 1);
    return nothing;
}

static void synchronize(void *stream)
{
    WORKS(cuStreamSynchronize(stream));
}

// The program's function waits for launch_first() too.
static void *release_object(void *object)
{
    WORKS(cuCtxSetCurrent(test.context));
    WORKS(cuUserObjectRelease(object, 1));
    return object;
}

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

void show_turns(void)
{
    struct CUuserObject_st *object;
    pthread_t first, behind, releasing;
    test.context = api_ready();
    test.meet = api_kernel(ptx_meet, "meet");
    WORKS(cuMemHostAlloc((void **)&test.word, 32, 0));
    memset((void *)test.word, 0, 32);
    for (int i = 0; i < 3; i++) WORKS(cuStreamCreate(&test.stream[i], CU_STREAM_NON_BLOCKING));
    REQUIRE(pthread_create(&first, NULL, launch_first, NULL) == 0);
    while (atomic_load(test.word) == 0) rest();
    REFUSES(ERROR_NOT_READY, cuStreamQuery(test.stream[0]));
    WORKS(cuStreamQuery(test.stream[1]));
    REQUIRE(pthread_create(&behind, NULL, set_behind, NULL) == 0);
    WORKS(cuUserObjectCreate(&object, test.stream[0], synchronize, 1, 1));
    REQUIRE(pthread_create(&releasing, NULL, release_object, object) == 0);
    rest();
    REQUIRE(atomic_load(&test.is_set) == 0 && atomic_load(test.word + 1) == 0);
    launch(1);
    WORKS(cuCtxSynchronize());
    REQUIRE(pthread_join(first, NULL) == 0 && pthread_join(behind, NULL) == 0);
    REQUIRE(pthread_join(releasing, NULL) == 0);
    WORKS(cuStreamQuery(test.stream[0]));
    REQUIRE(atomic_load(test.word + 1) == 0x05050505 && atomic_load(test.word + 3) == 1);
    REQUIRE(atomic_load(test.word + 6) == 1);
    for (int i = 0; i < 3; i++) WORKS(cuStreamDestroy_v2(test.stream[i]));
    WORKS(cuMemFreeHost((void *)test.word));
}

static void *launch_graph(void *stream)
{
    WORKS(cuCtxSetCurrent(test.context));
    WORKS(cuGraphLaunch(test.exec, stream));
    return NULL;
}

static void instantiate(_Atomic uint32_t *own, _Atomic uint32_t *other)
{
    struct CUgraph_st *graph;
    struct CUgraphNode_st *node;
    const struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel = {.func = test.meet,
                                                         .gridDimX = 1,
                                                         .gridDimY = 1,
                                                         .gridDimZ = 1,
                                                         .blockDimX = 1,
                                                         .blockDimY = 1,
                                                         .blockDimZ = 1,
                                                         .kernelParams = (void *[]){(void *)&own, (void *)&other}};
    WORKS(cuGraphCreate(&graph, 0));
    WORKS(cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &kernel));
    WORKS(cuGraphInstantiateWithFlags(&test.exec, graph, 0));
    WORKS(cuGraphDestroy(graph));
}

// A graph is launched behind its last launch, on another stream too. The words are those of meet().
void show_graph_turns(void)
{
    pthread_t thread[2];
    test.context = api_ready();
    test.meet = api_kernel(ptx_meet, "meet");
    WORKS(cuMemHostAlloc((void **)&test.word, 16, 0));
    memset((void *)test.word, 0, 16);
    instantiate(test.word, test.word + 2);
    for (int i = 0; i < 2; i++) WORKS(cuStreamCreate(&test.stream[i], CU_STREAM_NON_BLOCKING));
    REQUIRE(pthread_create(&thread[0], NULL, launch_graph, test.stream[0]) == 0);
    while (atomic_load(test.word) == 0) rest();
    atomic_store(test.word, 0);
    REQUIRE(pthread_create(&thread[1], NULL, launch_graph, test.stream[1]) == 0);
    rest();
    REQUIRE(atomic_load(test.word) == 0); // the second launch waits
    atomic_store(test.word + 2, 1);
    for (int i = 0; i < 2; i++) REQUIRE(pthread_join(thread[i], NULL) == 0);
    REQUIRE(atomic_load(test.word) == 1 && atomic_load(test.word + 1) == 1);
    WORKS(cuGraphExecDestroy(test.exec));
    for (int i = 0; i < 2; i++) WORKS(cuStreamDestroy_v2(test.stream[i]));
    WORKS(cuMemFreeHost((void *)test.word));
}
