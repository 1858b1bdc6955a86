// SPDX-License-Identifier: MIT
// Memory that nodes of graphs allocate and free: when it is there, who may free it, and what such a graph may not do.
#include "api.h"

enum { BYTES = 4096, AUTO_FREE = 1, USED_NOW = 0, USED_MOST = 1 };

static struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st wanted(size_t bytes)
{
    struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st params = {.bytesize = bytes};
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return params;
}

// A graph that allocates, fills one word and, if asked to, frees.
struct built {
    struct CUgraph_st *graph;
    struct CUgraphNode_st *alloc, *fill, *freed;
    unsigned long long at;
};

static struct built build(int frees)
{
    struct built built = {0};
    struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st params = wanted(BYTES);
    WORKS(cuGraphCreate(&built.graph, 0));
    WORKS(cuGraphAddMemAllocNode(&built.alloc, built.graph, NULL, 0, &params));
    built.at = params.dptr;
    const struct CUDA_MEMSET_NODE_PARAMS_st fill = {
        .dst = built.at, .value = 7, .width = 1, .height = 1, .elementSize = 4};
    WORKS(cuGraphAddMemsetNode(&built.fill, built.graph, &built.alloc, 1, &fill, api_current()));
    if (frees) WORKS(cuGraphAddMemFreeNode(&built.freed, built.graph, &built.fill, 1, built.at));
    return built;
}

static uint64_t used(uint32_t attribute)
{
    uint64_t bytes = 77;
    WORKS(cuDeviceGetGraphMemAttribute(0, attribute, &bytes));
    return bytes;
}

// The word at `at`, copied by a kernel's store: it must be memory that the device has.
static void touch(unsigned long long at)
{
    struct CUfunc_st *put;
    uint32_t value = 9;
    void *parameters[] = {&at, &value};
    WORKS(cuModuleGetFunction(&put, api_module(ptx_put), "put"));
    WORKS(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
}

static void show_life(void)
{
    struct CUgraphExec_st *exec;
    struct built built = build(0);
    REQUIRE(built.at != 0 && used(USED_NOW) == 0);
    REFUSES(ERROR_INVALID_VALUE, cuMemsetD32_v2(built.at, 1, 1)); // it is not there yet
    SAYS("which is not allocated now");
    WORKS(cuGraphInstantiateWithFlags(&exec, built.graph, 0));
    WORKS(cuGraphLaunch(exec, NULL));
    REQUIRE(api_word(built.at) == 7 && used(USED_NOW) == BYTES && used(USED_MOST) == BYTES);
    touch(built.at);
    WORKS(cuCtxSynchronize());
    REFUSES(ERROR_INVALID_VALUE, cuGraphLaunch(exec, NULL));
    SAYS("was not freed since the last launch");
    WORKS(cuMemFreeAsync(built.at, NULL));
    REQUIRE(used(USED_NOW) == 0 && used(USED_MOST) == BYTES);
    REFUSES(ERROR_INVALID_VALUE, cuMemFreeAsync(built.at, NULL));
    SAYS("is not allocated now");
    WORKS(cuGraphLaunch(exec, NULL));
    WORKS(cuMemFree_v2(built.at));
    WORKS(cuGraphLaunch(exec, NULL));
    WORKS(cuGraphExecDestroy(exec));
    WORKS(cuGraphDestroy(built.graph)); // what is allocated outlives both
    REQUIRE(api_word(built.at) == 7 && used(USED_NOW) == BYTES);
    WORKS(cuMemFree_v2(built.at));
    REFUSES(ERROR_INVALID_VALUE, cuMemFree_v2(built.at));
    uint64_t zero = 0;
    WORKS(cuDeviceSetGraphMemAttribute(0, USED_MOST, &zero));
    REQUIRE(used(USED_MOST) == 0);
}

// A graph that frees what it allocates is launched again and again; so is one that is instantiated to free by itself.
static void show_frees(void)
{
    struct CUgraphExec_st *exec;
    struct built built = build(1), left = build(0);
    WORKS(cuGraphInstantiateWithFlags(&exec, built.graph, 0));
    for (int i = 0; i < 3; i++) WORKS(cuGraphLaunch(exec, NULL));
    REQUIRE(used(USED_NOW) == 0);
    REFUSES(ERROR_INVALID_VALUE, cuMemFree_v2(built.at));
    WORKS(cuGraphExecDestroy(exec));
    WORKS(cuGraphDestroy(built.graph));
    WORKS(cuGraphInstantiateWithFlags(&exec, left.graph, AUTO_FREE));
    for (int i = 0; i < 3; i++) WORKS(cuGraphLaunch(exec, NULL));
    REQUIRE(used(USED_NOW) == BYTES);
    WORKS(cuMemFree_v2(left.at));
    WORKS(cuGraphExecDestroy(exec));
    WORKS(cuGraphDestroy(left.graph));
}

static void show_what_is_refused(void)
{
    struct CUgraphExec_st *exec, *second;
    struct CUgraph_st *other;
    struct CUgraphNode_st *node;
    struct built built = build(1);
    struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st params = wanted(0), got;
    unsigned long long freed = 0;
    WORKS(cuGraphMemAllocNodeGetParams(built.alloc, &got));
    WORKS(cuGraphMemFreeNodeGetParams(built.freed, &freed));
    REQUIRE(got.dptr == built.at && got.bytesize == BYTES && freed == built.at);
    REFUSES(ERROR_INVALID_VALUE, cuGraphMemAllocNodeGetParams(built.freed, &got));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddMemAllocNode(&node, built.graph, NULL, 0, &params));
    params = wanted((size_t)1 << 42);
    REFUSES(ERROR_OUT_OF_MEMORY, cuGraphAddMemAllocNode(&node, built.graph, NULL, 0, &params));
    params = wanted(BYTES);
    params.poolProps.location.id = 5;
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddMemAllocNode(&node, built.graph, NULL, 0, &params));
    params = wanted(BYTES);
    params.poolProps.handleTypes = 1;
    REFUSES(ERROR_NOT_SUPPORTED, cuGraphAddMemAllocNode(&node, built.graph, NULL, 0, &params));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&node, built.graph, NULL, 0, built.at)); // twice
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&node, built.graph, NULL, 0, api_memory(64, 0)));
    REFUSES(ERROR_NOT_SUPPORTED, cuGraphClone(&other, built.graph));
    REFUSES(ERROR_NOT_SUPPORTED, cuGraphDestroyNode(built.fill));
    REFUSES(ERROR_NOT_SUPPORTED, cuGraphRemoveDependencies_v2(built.graph, &built.alloc, &built.fill, NULL, 1));
    WORKS(cuGraphCreate(&other, 0));
    REFUSES(ERROR_NOT_SUPPORTED, cuGraphAddChildGraphNode(&node, other, NULL, 0, built.graph));
    WORKS(cuGraphInstantiateWithFlags(&exec, built.graph, 0));
    REFUSES(ERROR_NOT_SUPPORTED, cuGraphInstantiateWithFlags(&second, built.graph, 0));
    WORKS(cuGraphExecDestroy(exec));
    WORKS(cuGraphInstantiateWithFlags(&second, built.graph, 0));
    WORKS(cuGraphExecDestroy(second));
    WORKS(cuGraphDestroy(built.graph));
    WORKS(cuGraphDestroy(other));
}

// What is captured is not there before the launch.
static void show_captured(void)
{
    struct CUstream_st *stream;
    struct CUgraph_st *graph;
    struct CUgraphExec_st *exec;
    unsigned long long at, other;
    WORKS(cuStreamCreate(&stream, 0));
    WORKS(cuStreamBeginCapture_v2(stream, 0));
    WORKS(cuMemAllocAsync(&at, BYTES, stream));
    WORKS(cuMemAllocAsync(&other, BYTES, stream));
    WORKS(cuMemsetD32Async(at, 5, 1, stream));
    WORKS(cuMemcpyDtoDAsync_v2(other, at, 4, stream));
    WORKS(cuMemFreeAsync(at, stream));
    WORKS(cuStreamEndCapture(stream, &graph));
    REQUIRE(at != other && used(USED_NOW) == 0);
    WORKS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    WORKS(cuGraphLaunch(exec, stream));
    REQUIRE(used(USED_NOW) == BYTES && api_word(other) == 5);
    WORKS(cuMemFreeAsync(other, stream));
    WORKS(cuGraphExecDestroy(exec));
    WORKS(cuGraphDestroy(graph));
    WORKS(cuStreamDestroy_v2(stream));
}

static void show_by_runtime(void)
{
    struct CUgraph_st *graph;
    struct CUgraphNode_st *alloc, *node;
    struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st params = wanted(BYTES), got;
    void *freed;
    WORKS(cudaGraphCreate(&graph, 0));
    WORKS(cudaGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params));
    void *at = (void *)(uintptr_t)params.dptr;
    WORKS(cudaGraphAddMemFreeNode(&node, graph, &alloc, 1, at));
    WORKS(cudaGraphMemAllocNodeGetParams(alloc, &got));
    WORKS(cudaGraphMemFreeNodeGetParams(node, &freed));
    REQUIRE(got.dptr == params.dptr && freed == at);
    WORKS(cudaGraphDestroy(graph));
}

SECTION(graph_memory)
{
    api_ready();
    show_life();
    show_frees();
    show_what_is_refused();
    show_captured();
    show_by_runtime();
    struct built built = build(1); // freed again when the kernel comes
    struct CUgraphExec_st *exec;
    WORKS(cuGraphInstantiateWithFlags(&exec, built.graph, 0));
    WORKS(cuGraphLaunch(exec, NULL));
    touch(built.at);
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}
