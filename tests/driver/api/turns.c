// SPDX-License-Identifier: MIT
// Kernels of two threads of the host that wait for each other, work that comes behind one of them, two launches of one
// graph, and what a thread does to another one's work meanwhile.
#include "api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

SECTION(turns)
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
    void *parameters[] = {(void *)&own, (void *)&other};
    const struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel = api_node(test.meet, parameters);
    WORKS(cuGraphCreate(&graph, 0));
    WORKS(cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &kernel));
    WORKS(cuGraphInstantiateWithFlags(&test.exec, graph, 0));
    WORKS(cuGraphDestroy(graph));
}

// A graph is launched behind its last launch, on another stream too. The words are those of meet().
SECTION(graph_turns)
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
    WORKS(cuCtxSynchronize());
    REQUIRE(atomic_load(test.word) == 1 && atomic_load(test.word + 1) == 1);
    WORKS(cuGraphExecDestroy(test.exec));
    for (int i = 0; i < 2; i++) WORKS(cuStreamDestroy_v2(test.stream[i]));
    WORKS(cuMemFreeHost((void *)test.word));
}

// --- What another thread does meanwhile ------------------------------------------------------------------------------

static void begin(int streams)
{
    test.context = api_ready();
    test.meet = api_kernel(ptx_meet, "meet");
    WORKS(cuMemHostAlloc((void **)&test.word, 256, 0));
    memset((void *)test.word, 0, 256);
    for (int i = 0; i < streams; i++) WORKS(cuStreamCreate(&test.stream[i], CU_STREAM_NON_BLOCKING));
}

static pthread_t start(void *run(void *of), void *of)
{
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, run, of) == 0);
    return thread;
}

static void join(pthread_t thread)
{
    REQUIRE(pthread_join(thread, NULL) == 0);
}

// What is set of an instantiated graph is for its next launch, not for the one under way.
SECTION(graph_set_meanwhile)
{
    struct CUgraph_st *graph;
    struct CUgraphNode_st *kernel, *fill;
    struct CUDA_MEMSET_NODE_PARAMS_st set = {.elementSize = 4, .width = 1, .height = 1, .value = 1};
    _Atomic uint32_t *own, *other;
    begin(1);
    own = test.word, other = test.word + 2;
    set.dst = (uintptr_t)(test.word + 4);
    WORKS(cuGraphCreate(&graph, 0));
    const struct CUDA_KERNEL_NODE_PARAMS_v2_st node = api_node(test.meet, (void *[]){(void *)&own, (void *)&other});
    WORKS(cuGraphAddKernelNode_v2(&kernel, graph, NULL, 0, &node));
    WORKS(cuGraphAddMemsetNode(&fill, graph, &kernel, 1, &set, test.context));
    WORKS(cuGraphInstantiateWithFlags(&test.exec, graph, 0));
    pthread_t launching = start(launch_graph, test.stream[0]);
    while (atomic_load(own) == 0) rest();
    set.value = 2;
    WORKS(cuGraphExecMemsetNodeSetParams(test.exec, fill, &set, test.context));
    atomic_store(other, 1);
    join(launching);
    WORKS(cuStreamSynchronize(test.stream[0]));
    REQUIRE(atomic_load(test.word + 4) == 1);
    WORKS(cuGraphLaunch(test.exec, test.stream[0]));
    WORKS(cuStreamSynchronize(test.stream[0]));
    REQUIRE(atomic_load(test.word + 4) == 2);
}

static void wait_for_word(struct CUstream_st *stream, enum cuda_result error, void *user)
{
    REQUIRE(stream == test.stream[0] && error == CUDA_SUCCESS && user == &test);
    atomic_store(test.word, 1);
    while (atomic_load(test.word + 2) == 0) rest();
}

static void *add_callback(void *nothing)
{
    WORKS(cuCtxSetCurrent(test.context));
    WORKS(cuStreamAddCallback(test.stream[0], wait_for_word, &test, 0));
    return nothing;
}

static atomic_int filler; // the thread, once nothing but the fill is left that it could wait for

static int is_asleep(int thread)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
    fclose(file);
    return state == 'S';
}

static void *fill_freed(void *memory)
{
    WORKS(cuCtxSetCurrent(test.context));
    atomic_store(&filler, (int)syscall(SYS_gettid));
    REFUSES(ERROR_INVALID_VALUE, cuMemsetD8Async((uintptr_t)memory, 5, 4, test.stream[0]));
    return NULL;
}

// The memory of work that waits for its turn is freed.
SECTION(freed_meanwhile)
{
    begin(2);
    const unsigned long long memory = api_memory(1 << 20, 0);
    pthread_t calling = start(add_callback, NULL);
    while (atomic_load(test.word) == 0) rest();
    pthread_t filling = start(fill_freed, (void *)(uintptr_t)memory);
    while (atomic_load(&filler) == 0 || !is_asleep(atomic_load(&filler))) rest();
    WORKS(cuMemFreeAsync(memory, test.stream[1]));
    atomic_store(test.word + 2, 1);
    join(calling);
    join(filling);
    SAYS("waited for its stream");
}

// What comes behind a callback on its stream waits for it.
SECTION(callback_turn)
{
    begin(2);
    pthread_t calling = start(add_callback, NULL);
    while (atomic_load(test.word) == 0) rest();
    REFUSES(ERROR_NOT_READY, cuStreamQuery(test.stream[0]));
    WORKS(cuStreamQuery(test.stream[1]));
    pthread_t behind = start(set_behind, NULL);
    rest();
    REQUIRE(atomic_load(&test.is_set) == 0 && atomic_load(test.word + 1) == 0);
    atomic_store(test.word + 2, 1);
    join(calling);
    join(behind);
    REQUIRE(atomic_load(test.word + 1) == 0x05050505);
}

// count(p, n): each lane adds n times 1 to its own word, and to the one behind all of them.
static const char ptx_count[] =
    ".visible .entry count(.param .b64 p, .param .b32 n)\n{\n.reg .pred %p<2>;\n"
    ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nld.param.b64 %rd1, [p];\nld.param.b32 %r1, [n];\n"
    "mov.u32 %r2, %laneid;\nmul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd2, %rd1, %rd2;\nnext:\n"
    "red.relaxed.sys.global.add.u32 [%rd2], 1;\natom.relaxed.sys.add.u32 %r3, [%rd1+128], 1;\n"
    "sub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra next;\nret;\n}\n";

static void *count_along(void *counted)
{
    uint32_t count = 0;
    while (atomic_load(&test.is_set) == 0) {
        atomic_fetch_add(test.word + 5, 1);
        atomic_fetch_add(test.word + 32, 1);
        count++;
        atomic_store((_Atomic uint32_t *)counted, count);
    }
    return NULL;
}

// Atomics of the scope .sys are atomics among threads of the host too.
SECTION(host_atomics)
{
    enum { TURNS = 20000 };
    _Atomic uint32_t counted = 0;
    uint32_t turns = TURNS;
    begin(0);
    struct CUfunc_st *count = api_kernel(ptx_count, "count");
    pthread_t counting = start(count_along, (void *)&counted);
    while (atomic_load(&counted) == 0) rest();
    WORKS(cuLaunchKernel(count, 1, 1, 1, 32, 1, 1, 0, NULL, (void *[]){(void *)&test.word, &turns}, NULL));
    WORKS(cuCtxSynchronize());
    atomic_store(&test.is_set, 1);
    join(counting);
    REQUIRE(atomic_load(test.word + 4) == TURNS);
    REQUIRE(atomic_load(test.word + 5) == TURNS + atomic_load(&counted));
    REQUIRE(atomic_load(test.word + 32) == 32 * TURNS + atomic_load(&counted));
}
