// SPDX-License-Identifier: MIT
// Every call when memory runs out: the n-th allocation within it fails, for each n. The call answers
// CUDA_ERROR_OUT_OF_MEMORY, or does without, and the driver goes on: the same call works behind it. usage: no_memory
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_api.h"
#include "failing_memory.h"
#include "runtime_api.h"

// --- What the calls work on ------------------------------------------------------------------------------------------

#define PART ((size_t)2 << 20)

static const char ptx[] = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .global .align 4 .u32 word = 3;\n"
                          ".visible .entry put(.param .u64 to)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [to];\n"
                          "st.global.u32 [%rd1], 7;\nret;\n}\n"
                          ".visible .entry other()\n{\nret;\n}\n";
static const struct cuda_mem_allocation_prop prop = {.type = 1, .location = {1, 0}};
static const struct CUmemPoolProps_st pool_props = {.allocType = 1, .location = {1, 0}};
static struct CUctx_st *primary;
static struct CUmod_st *module;
static struct CUfunc_st *put;
static struct CUgraph_st *graph;
static struct CUgraphNode_st *root;
static struct CUgraphExec_st *exec;
static struct CUevent_st *event;
static unsigned long long at, reserved, handle;
static void *parameters[] = {&at};

static void call_nobody(void *user)
{
    (void)user;
}

static struct CUDA_KERNEL_NODE_PARAMS_v2_st node_of(unsigned ctas)
{
    return (struct CUDA_KERNEL_NODE_PARAMS_v2_st){.func = put,
                                                  .gridDimX = ctas,
                                                  .gridDimY = 1,
                                                  .gridDimZ = 1,
                                                  .blockDimX = 1,
                                                  .blockDimY = 1,
                                                  .blockDimZ = 1,
                                                  .kernelParams = parameters};
}

// A graph of many nodes, so that its lists have grown.
static enum cuda_result build(struct CUgraph_st **made)
{
    enum cuda_result error = cuGraphCreate(made, 0);
    struct CUgraphNode_st *node;
    const struct CUDA_HOST_NODE_PARAMS_st host = {call_nobody, NULL};
    const struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel = node_of(1);
    if (error == CUDA_SUCCESS) error = cuGraphAddKernelNode_v2(&node, *made, NULL, 0, &kernel);
    for (int i = 0; i < 40 && error == CUDA_SUCCESS; i++) error = cuGraphAddHostNode(&node, *made, &node, 1, &host);
    return error;
}

// --- The calls, each with what undoes it -----------------------------------------------------------------------------

// What one call makes and another releases: its name, the call that makes it, the one that releases it, what is made,
// and whether PTX is read.
#define STEPS(STEP)                                                                                                    \
    STEP("a context", context, struct CUctx_st *, cuCtxCreate_v2(&made, 0, 0), cuCtxDestroy_v2(made), 0)               \
    STEP("a stream", stream, struct CUstream_st *, cuStreamCreate(&made, 0), cuStreamDestroy_v2(made), 0)              \
    STEP("an event", one_event, struct CUevent_st *, cuEventCreate(&made, 0), cuEventDestroy_v2(made), 0)              \
    STEP("the default pool", default_pool, unsigned long long, cuMemAllocAsync(&made, 64, NULL),                       \
         cuMemFreeAsync(made, NULL), 0)                                                                                \
    STEP("memory of the host", host_memory, void *, cuMemHostAlloc(&made, 64, 0), cuMemFreeHost(made), 0)              \
    STEP("addresses", addresses, unsigned long long, cuMemAddressReserve(&made, PART, 0, 0, 0),                        \
         cuMemAddressFree(made, PART), 0)                                                                              \
    STEP("a handle of memory", memory_handle, unsigned long long, cuMemCreate(&made, PART, &prop, 0),                  \
         cuMemRelease(made), 0)                                                                                        \
    STEP("to map memory", mapping, unsigned long long, cuMemMap(made = reserved, PART, 0, handle, 0),                  \
         cuMemUnmap(made, PART), 0)                                                                                    \
    STEP("a module", one_module, struct CUmod_st *, cuModuleLoadData(&made, ptx), cuModuleUnload(made), 1)             \
    STEP("an object of the program", object, struct CUuserObject_st *,                                                 \
         cuUserObjectCreate(&made, NULL, call_nobody, 1, 1), cuUserObjectRelease(made, 1), 0)                          \
    STEP("a clone", graph_clone, struct CUgraph_st *, cuGraphClone(&made, graph), cuGraphDestroy(made), 0)             \
    STEP("to instantiate", instance, struct CUgraphExec_st *, cuGraphInstantiateWithFlags(&made, graph, 0),            \
         cuGraphExecDestroy(made), 0)

#define MAKE_AND_RELEASE(what, name, type, make, release, reads_ptx)                                                   \
    static enum cuda_result name(void)                                                                                 \
    {                                                                                                                  \
        type made;                                                                                                     \
        const enum cuda_result error = make;                                                                           \
        if (error == CUDA_SUCCESS) release;                                                                            \
        return error;                                                                                                  \
    }
STEPS(MAKE_AND_RELEASE)

// The others.

static enum cuda_result make_pool(void)
{
    struct CUmemPoolHandle_st *pool;
    unsigned long long memory = 0;
    enum cuda_result error = cuMemPoolCreate(&pool, &pool_props);
    if (error == CUDA_SUCCESS) error = cuMemAllocFromPoolAsync(&memory, 64, pool, NULL);
    if (memory != 0) cuMemFreeAsync(memory, NULL);
    return error;
}

static enum cuda_result find_default_pool(void)
{
    struct CUmemPoolHandle_st *pool;
    return cuDeviceGetDefaultMemPool(&pool, 0);
}

// More than the table of allocations has room for at first.
static enum cuda_result allocate(void)
{
    enum { MANY = 70 };
    unsigned long long memory[MANY] = {0};
    enum cuda_result error = CUDA_SUCCESS;
    for (int i = 0; i < MANY && error == CUDA_SUCCESS; i++) error = cuMemAlloc_v2(&memory[i], 64);
    for (int i = 0; i < MANY && memory[i] != 0; i++) cuMemFree_v2(memory[i]);
    return error;
}

static enum cuda_result find_function(void)
{
    struct CUmod_st *made;
    struct CUfunc_st *function[2];
    memory_left = -memory_left - 2; // the module has memory
    if (cuModuleLoadData(&made, ptx) != CUDA_SUCCESS) exit(EXIT_FAILURE);
    memory_left = -memory_left - 2;
    enum cuda_result error = cuModuleGetFunction(&function[0], made, "other");
    if (error == CUDA_SUCCESS) error = cuModuleEnumerateFunctions(function, 2, made);
    cuModuleUnload(made);
    return error;
}

static enum cuda_result link_text(void)
{
    struct CUlinkState_st *link;
    void *image;
    enum cuda_result error = cuLinkCreate_v2(0, NULL, NULL, &link);
    if (error != CUDA_SUCCESS) return error;
    error = cuLinkAddData_v2(link, 1, (void *)(uintptr_t)ptx, sizeof ptx, "ptx", 0, NULL, NULL);
    if (error == CUDA_SUCCESS) error = cuLinkComplete(link, &image, NULL);
    cuLinkDestroy(link);
    return error;
}

static enum cuda_result build_graph(void)
{
    struct CUgraph_st *made;
    const enum cuda_result error = build(&made);
    if (made != NULL) cuGraphDestroy(made);
    return error;
}

static enum cuda_result add_child(void)
{
    struct CUgraphNode_st *child, *node;
    struct CUgraph_st *parent = NULL;
    enum cuda_result error = cuGraphCreate(&parent, 0);
    if (error == CUDA_SUCCESS) error = cuGraphAddChildGraphNode(&child, parent, NULL, 0, graph);
    if (error == CUDA_SUCCESS) error = cuGraphAddEmptyNode(&node, parent, NULL, 0);
    if (error == CUDA_SUCCESS) error = cuGraphAddDependencies_v2(parent, &child, &node, NULL, 1);
    if (parent != NULL) cuGraphDestroy(parent);
    return error;
}

// A graph keeps an object, and so do its clone and what is instantiated of that.
static enum cuda_result keep(void)
{
    struct CUuserObject_st *object;
    struct CUgraph_st *made = NULL, *clone = NULL;
    struct CUgraphExec_st *instance = NULL;
    enum cuda_result error = cuUserObjectCreate(&object, NULL, call_nobody, 1, 1);
    if (error != CUDA_SUCCESS) return error;
    error = cuGraphCreate(&made, 0);
    if (error == CUDA_SUCCESS) error = cuGraphRetainUserObject(made, object, 1, 0);
    if (error == CUDA_SUCCESS) error = cuGraphClone(&clone, made);
    if (error == CUDA_SUCCESS) error = cuGraphInstantiateWithFlags(&instance, clone, 0);
    if (error == CUDA_SUCCESS) error = cuGraphReleaseUserObject(clone, object, 1);
    if (instance != NULL) cuGraphExecDestroy(instance);
    if (clone != NULL) cuGraphDestroy(clone);
    if (made != NULL) cuGraphDestroy(made);
    cuUserObjectRelease(object, 1);
    return error;
}

// What a node tells of its kernel lies in memory of the node.
static enum cuda_result tell(void)
{
    struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel;
    struct CUgraph_st *made;
    struct CUgraphNode_st *first;
    size_t nodes = 1;
    enum cuda_result error = cuGraphClone(&made, graph);
    if (error != CUDA_SUCCESS) return error;
    error = cuGraphGetNodes(made, &first, &nodes);
    if (error == CUDA_SUCCESS) error = cuGraphKernelNodeGetParams_v2(first, &kernel);
    cuGraphDestroy(made);
    return error;
}

static enum cuda_result change(void)
{
    const struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel = node_of(2);
    return cuGraphExecKernelNodeSetParams_v2(exec, root, &kernel);
}

static enum cuda_result capture(void)
{
    struct CUstream_st *stream = NULL, *joined = NULL;
    struct CUgraph_st *made = NULL;
    enum cuda_result error = cuStreamCreate(&stream, 0), end = CUDA_SUCCESS;
    if (error == CUDA_SUCCESS) error = cuStreamCreate(&joined, 0);
    if (error == CUDA_SUCCESS) error = cuStreamBeginCapture_v2(stream, 2);
    if (error == CUDA_SUCCESS) error = cuMemsetD8Async(at, 1, 4, stream);
    if (error == CUDA_SUCCESS) error = cuEventRecord(event, stream);
    if (error == CUDA_SUCCESS) error = cuStreamWaitEvent(joined, event, 0);
    if (error == CUDA_SUCCESS) error = cuMemsetD8Async(at, 1, 4, joined);
    if (error == CUDA_SUCCESS) error = cuEventRecord(event, joined);
    if (error == CUDA_SUCCESS) error = cuStreamWaitEvent(stream, event, 0);
    if (error == CUDA_SUCCESS) end = cuStreamEndCapture(stream, &made);
    if (made != NULL) cuGraphDestroy(made);
    if (stream != NULL) cuStreamDestroy_v2(stream);
    if (joined != NULL) cuStreamDestroy_v2(joined);
    return error != CUDA_SUCCESS ? error : end;
}

static enum cuda_result capture_into(void)
{
    struct CUstream_st *stream = NULL;
    struct CUgraph_st *made;
    enum cuda_result error = cuStreamCreate(&stream, 0);
    if (error == CUDA_SUCCESS) error = cuStreamBeginCaptureToGraph(stream, graph, &root, NULL, 1, 2);
    if (error == CUDA_SUCCESS) error = cuStreamUpdateCaptureDependencies_v2(stream, &root, NULL, 1, 1);
    if (error == CUDA_SUCCESS) error = cuStreamEndCapture(stream, &made);
    if (stream != NULL) cuStreamDestroy_v2(stream);
    return error;
}

static enum cuda_result launch(void)
{
    const enum cuda_result error = cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL);
    return error != CUDA_SUCCESS ? error : cuCtxSynchronize();
}

static enum cuda_result load_of_runtime(void)
{
    static char kernel, variable;
    unsigned long long to = at;
    void *of_runtime[] = {&to};
    const struct dim3 one = {1, 1, 1};
    void **binary = __cudaRegisterFatBinary((void *)(uintptr_t)ptx);
    if (binary == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    __cudaRegisterFunction(binary, &kernel, NULL, "put", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(binary, &variable, NULL, "word", 0, 4, 0, 0);
    enum cudaError error = cudaLaunchKernel(&kernel, one, one, of_runtime, 0, NULL);
    __cudaUnregisterFatBinary(binary);
    if (error == cudaErrorInvalidDeviceFunction && memory_has_failed)
        error = cudaErrorMemoryAllocation; // was not registered
    return error != cudaSuccess ? (enum cuda_result)error : cuCtxSynchronize();
}

// --- The walk --------------------------------------------------------------------------------------------------------

// The reader of PTX has a limit of memory, and says that the text exceeds it.
static const struct {
    const char *name;
    enum cuda_result (*call)(void);
    bool reads_ptx;
} calls[] = {
#define ROW(what, name, type, make, release, reads_ptx) {what, name, reads_ptx},
    // clang-format off
    STEPS(ROW)
    // clang-format on
    {"a pool", make_pool, false},
    {"to find the default pool", find_default_pool, false},
    {"memory", allocate, false},
    {"a function", find_function, true},
    {"a link", link_text, true},
    {"a graph", build_graph, false},
    {"a child", add_child, false},
    {"an object that graphs keep", keep, false},
    {"what a node does", tell, false},
    {"to change a graph", change, false},
    {"a capture", capture, false},
    {"a capture into a graph", capture_into, false},
    {"a launch", launch, false},
    {"a module of the runtime", load_of_runtime, true}};

static void require(bool is_true, const char *what, long n, enum cuda_result error)
{
    const char *name = "?";
    if (is_true) return;
    cuGetErrorName(error, &name);
    printf("%s, allocation %ld fails: %s\n", what, n, name);
    fflush(stdout);
    _exit(EXIT_FAILURE);
}

static void set_up(void)
{
    const char *what = "to begin with";
    size_t nodes = 1;
    require(cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&primary, 0) == CUDA_SUCCESS, what, -1, 0);
    require(cuCtxSetCurrent(primary) == CUDA_SUCCESS && cuModuleLoadData(&module, ptx) == CUDA_SUCCESS, what, -1, 0);
    require(cuModuleGetFunction(&put, module, "put") == CUDA_SUCCESS, what, -1, 0);
    require(cuMemAlloc_v2(&at, 64) == CUDA_SUCCESS && cuEventCreate(&event, 0) == CUDA_SUCCESS, what, -1, 0);
    require(build(&graph) == CUDA_SUCCESS && cuGraphGetNodes(graph, &root, &nodes) == CUDA_SUCCESS, what, -1, 0);
    require(cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS, what, -1, 0);
    require(cuMemAddressReserve(&reserved, PART, 0, 0, 0) == CUDA_SUCCESS, what, -1, 0);
    require(cuMemCreate(&handle, PART, &prop, 0) == CUDA_SUCCESS, what, -1, 0);
}

// A kernel that could not go on leaves an error in the context, which only a reset ends.
static void mend(void)
{
    if (cuCtxSynchronize() == CUDA_SUCCESS) return;
    cuDevicePrimaryCtxReset_v2(0);
    set_up();
}

int main(void)
{
    long walked = 0;
    setenv("TMAREF_QUIET", "1", 1);
    if (freopen("/dev/null", "w", stderr) == NULL) return EXIT_FAILURE; // the reports of launches
    set_up();
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        for (long n = 0;; n++, walked++) {
            memory_left = n;
            memory_has_failed = false;
            enum cuda_result error = calls[i].call();
            memory_left = -1;
            require(error == CUDA_SUCCESS ||
                        (memory_has_failed && (error == CUDA_ERROR_OUT_OF_MEMORY ||
                                               (calls[i].reads_ptx && (error == CUDA_ERROR_INVALID_PTX ||
                                                                       error == CUDA_ERROR_INVALID_SOURCE)))),
                    calls[i].name, n, error);
            mend();
            error = calls[i].call();
            require(error == CUDA_SUCCESS, "the same call with memory again", n, error);
            if (!memory_has_failed) break;
        }
    printf("%ld allocations failed\n", walked);
    return EXIT_SUCCESS;
}
