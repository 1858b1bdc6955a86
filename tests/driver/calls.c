// SPDX-License-Identifier: MIT
// What the calls of libcuda.so.1 answer, one line each: run with ours and with an H200's driver, the lines must be the
// same (calls.h200.txt was written by one). Addresses, handles and times are never printed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"
#include "tensormap.h"

static const char ptx[] = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                          ".visible .global .align 4 .u32 counter = 5;\n"
                          ".visible .const .align 4 .u32 factor = 3;\n"
                          ".visible .entry put(.param .u64 to, .param .u32 value)\n"
                          "{\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n"
                          "ld.param.u64 %rd1, [to];\nld.param.u32 %r1, [value];\nst.global.u32 [%rd1], %r1;\nret;\n}\n"
                          ".visible .entry bounded(.param .u32 unused)\n.maxntid 128, 1, 1\n"
                          "{\n.shared .align 16 .b8 room[1024];\nret;\n}\n"
                          ".visible .entry paired()\n.reqnctapercluster 2, 1, 1\n{\nret;\n}\n";

#define SHOW(call)              printf("%s = %d\n", #call, (int)(call))
#define SHOW_VALUE(what, value) printf("    %s %lld\n", what, (long long)(value))

enum { MEBIBYTE = 1 << 20, WORDS = 256 };

static struct CUfunc_st *put, *bounded, *paired;
static struct CUmod_st *module;
static int unknown; // memory of the program that nobody registered

static void show_start(void)
{
    int number = 0;
    struct CUctx_st *context = NULL;
    unsigned flags = 7;
    puts("--- start");
    SHOW(cuDeviceGetCount(&number));
    SHOW(cuInit(1));
    SHOW(cuInit(0));
    SHOW(cuDeviceGet(&number, 1));
    SHOW(cuDeviceGetCount(NULL));
    SHOW(cuDeviceGetAttribute(&number, (enum cuda_device_attribute)0, 0));
    SHOW(cuDeviceGetAttribute(&number, (enum cuda_device_attribute)500, 0));
    SHOW(cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 3));
    SHOW(cuCtxSynchronize());
    SHOW(cuCtxGetDevice(&number));
    SHOW(cuCtxGetCurrent(&context));
    SHOW_VALUE("current", context != NULL);
    SHOW(cuDevicePrimaryCtxGetState(0, &flags, &number));
    SHOW_VALUE("active", number);
    SHOW(cuCtxPopCurrent_v2(&context));
    SHOW(cuDevicePrimaryCtxRetain(&context, 0));
    SHOW(cuCtxPushCurrent_v2(context));
    SHOW(cuCtxPopCurrent_v2(&context));
    SHOW(cuCtxSetCurrent(context));
    SHOW(cuCtxGetDevice(&number));
    SHOW(cuCtxSynchronize());
}

static void show_names(void)
{
    const char *name = NULL;
    void *function = NULL;
    uint32_t status = 9;
    puts("--- names");
    SHOW(cuGetErrorName((enum cuda_result)700, &name));
    printf("    %s\n", name);
    SHOW(cuGetErrorName((enum cuda_result)12345, &name));
    SHOW_VALUE("name", name != NULL);
    SHOW(cuGetProcAddress_v2("cuMemAlloc", &function, 13000, 0, &status));
    printf("    status %u, %s\n", status, function != NULL ? "found" : "none");
    SHOW(cuGetProcAddress_v2("cuMemAllocAsync", &function, 9000, 0, &status));
    printf("    status %u, %s\n", status, function != NULL ? "found" : "none");
    SHOW(cuGetProcAddress_v2("cuNoSuchCall", &function, 13000, 0, &status));
    printf("    status %u, %s\n", status, function != NULL ? "found" : "none");
}

static void show_memory(void)
{
    unsigned long long at = 0, other = 0;
    size_t bytes = 0, pitch = 0;
    uint32_t *words = calloc(64, MEBIBYTE);
    puts("--- memory");
    SHOW(cuMemAlloc_v2(&at, 0));
    SHOW(cuMemAlloc_v2(NULL, 4));
    SHOW(cuMemAlloc_v2(&at, (size_t)1 << 42));
    SHOW(cuMemAlloc_v2(&at, 4 * MEBIBYTE));
    SHOW(cuMemGetAddressRange_v2(&other, &bytes, at + 100));
    printf("    start %s, bytes %zu\n", other == at ? "right" : "wrong", bytes);
    SHOW(cuMemGetAddressRange_v2(&other, &bytes, (unsigned long long)(uintptr_t)&unknown));
    SHOW(cuMemFree_v2(at + 512));
    SHOW(cuMemcpyHtoD_v2(at, words, WORDS * sizeof *words));
    SHOW(cuMemcpyHtoD_v2(at + 4 * MEBIBYTE - 4, words, 64 * MEBIBYTE));
    SHOW(cuMemcpyHtoD_v2((unsigned long long)(uintptr_t)&unknown, words, 4));
    SHOW(cuMemcpyDtoH_v2(words, 16, 4));
    SHOW(cuMemcpyDtoH_v2(words, at, 0));
    SHOW(cuMemcpy(at, (unsigned long long)(uintptr_t)words, WORDS * sizeof *words));
    SHOW(cuMemcpyDtoD_v2(at + 1024, at, 1024));
    SHOW(cuMemsetD8_v2(at, 1, 0));
    SHOW(cuMemsetD32_v2(at + 2, 1, 1));
    SHOW(cuMemsetD16_v2(at + 2, 1, 1));
    SHOW(cuMemsetD32_v2(at, 0x01020304, WORDS));
    SHOW(cuMemsetD2D8_v2(at, 4, 1, 8, 2));
    SHOW(cuMemsetD2D8_v2(at, 8, 9, 4, 2));
    SHOW(cuMemcpyDtoH_v2(words, at, WORDS * sizeof *words));
    printf("    %08x %08x %08x %08x\n", words[0], words[1], words[2], words[3]);
    SHOW(cuMemFree_v2(at));
    SHOW(cuMemFree_v2(0));
    SHOW(cuMemFree_v2((unsigned long long)(uintptr_t)&unknown));
    SHOW(cuMemAllocPitch_v2(&at, &pitch, 100, 10, 4));
    SHOW_VALUE("pitch", pitch);
    SHOW(cuMemFree_v2(at));
    SHOW(cuMemAllocPitch_v2(&at, &pitch, 100, 10, 3));
    SHOW(cuMemAllocPitch_v2(&at, &pitch, 0, 10, 4));
    free(words);
}

static void show_pointer(const char *what, unsigned long long at)
{
    enum { TYPE = 2, HOST = 4, MANAGED = 8, ORDINAL = 9, COUNT = 3 };
    uint32_t type = 77, attributes[COUNT] = {TYPE, MANAGED, ORDINAL};
    unsigned char managed = 77;
    int ordinal = 77;
    void *host, *to[COUNT] = {&type, &managed, &ordinal};
    printf("  %s\n", what);
    SHOW(cuPointerGetAttribute(&type, TYPE, at));
    SHOW_VALUE("type", type);
    SHOW(cuPointerGetAttribute(&host, HOST, at));
    SHOW(cuPointerGetAttribute(&type, 900, at));
    SHOW(cuPointerGetAttributes(COUNT, attributes, to, at));
    printf("    type %u, managed %u, device %d\n", type, managed, ordinal);
}

static void show_host_memory(void)
{
    void *host = NULL, *own = aligned_alloc(4096, 8192);
    unsigned long long at = 0;
    unsigned flags = 0;
    puts("--- memory of the host");
    SHOW(cuMemAllocManaged(&at, 4096, 0));
    SHOW(cuMemAllocManaged(&at, 4096, 1));
    show_pointer("managed", at);
    SHOW(cuMemFree_v2(at));
    SHOW(cuMemAlloc_v2(&at, 4096));
    show_pointer("device", at);
    SHOW(cuMemFreeHost((void *)(uintptr_t)at));
    SHOW(cuMemFree_v2(at));
    show_pointer("unknown", (unsigned long long)(uintptr_t)&unknown);
    SHOW(cuMemHostAlloc(&host, 4096, 64));
    SHOW(cuMemHostAlloc(&host, 4096, 2));
    show_pointer("pinned", (unsigned long long)(uintptr_t)host);
    SHOW(cuMemHostGetFlags(&flags, host));
    SHOW_VALUE("flags", flags);
    SHOW(cuMemHostGetDevicePointer_v2(&at, host, 0));
    SHOW_VALUE("same", at == (unsigned long long)(uintptr_t)host);
    SHOW(cuMemHostGetDevicePointer_v2(&at, &unknown, 0));
    SHOW(cuMemFree_v2((unsigned long long)(uintptr_t)host));
    SHOW(cuMemFreeHost(host));
    SHOW(cuMemHostRegister_v2(own, 8192, 0));
    SHOW(cuMemHostRegister_v2(own, 8192, 0));
    show_pointer("registered", (unsigned long long)(uintptr_t)own);
    SHOW(cuMemHostUnregister(own));
    SHOW(cuMemHostUnregister(own));
    free(own);
}

static void show_modules(void)
{
    unsigned long long at = 0;
    size_t bytes = 0;
    int value = 0;
    uint32_t word = 0;
    puts("--- modules");
    SHOW(cuModuleLoadData(&module, ptx));
    SHOW(cuModuleGetFunction(&put, module, "nobody"));
    SHOW(cuModuleGetFunction(&put, module, "put"));
    SHOW(cuModuleGetFunction(&bounded, module, "bounded"));
    SHOW(cuModuleGetFunction(&paired, module, "paired"));
    SHOW(cuModuleGetGlobal_v2(&at, &bytes, module, "nobody"));
    SHOW(cuModuleGetGlobal_v2(&at, &bytes, module, "factor"));
    SHOW_VALUE("bytes", bytes);
    SHOW(cuMemcpyDtoH_v2(&word, at, sizeof word));
    SHOW_VALUE("factor", word);
    SHOW(cuModuleGetGlobal_v2(&at, &bytes, module, "counter"));
    SHOW(cuMemcpyDtoH_v2(&word, at, sizeof word));
    SHOW_VALUE("counter", word);
    SHOW(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, bounded));
    SHOW_VALUE("threads", value);
    SHOW(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, put));
    SHOW_VALUE("threads", value);
    SHOW(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, bounded));
    SHOW_VALUE("shared", value);
    for (int i = 2; i < 17; i++) {
        value = -77;
        const int error = (int)cuFuncGetAttribute(&value, (enum cuda_function_attribute)i, paired);
        if (i != 4) printf("attribute %d of paired = %d, %d\n", i, error, value);
    }
    SHOW(cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448));
    SHOW(cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232449));
    SHOW(cuFuncSetAttribute(bounded, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448));
    SHOW(cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
    SHOW(cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101));
    SHOW(cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_NUM_REGS, 1));
    size_t offset = 7;
    SHOW(cuFuncGetParamInfo(put, 1, &offset, &bytes));
    printf("    offset %zu, bytes %zu\n", offset, bytes);
    SHOW(cuFuncGetParamInfo(put, 2, &offset, &bytes));
}

static void show_occupancy(void)
{
    int ctas = -1, grid = -1, block = -1;
    puts("--- occupancy");
    for (int threads = 32; threads <= 1024; threads *= 2) {
        SHOW(cuOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, paired, threads, 0));
        printf("    %d threads: %d\n", threads, ctas);
    }
    SHOW(cuOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, paired, 128, 40000));
    SHOW_VALUE("ctas", ctas);
    SHOW(cuOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, bounded, 256, 0));
    SHOW_VALUE("ctas", ctas);
    SHOW(cuOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, put, 0, 0));
    SHOW(cuOccupancyMaxPotentialBlockSize(&grid, &block, bounded, NULL, 0, 0));
    printf("    grid %d, block %d\n", grid, block);
    size_t bytes = 0;
    SHOW(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, put, 2, 128));
    SHOW_VALUE("bytes", bytes);
    SHOW(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, put, 1, 128));
    SHOW_VALUE("bytes", bytes);
    for (unsigned cluster = 1; cluster <= 16; cluster *= 2) {
        struct cuda_launch_attribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                                  .value = {.cluster = {cluster, 1, 1}}};
        struct cuda_launch_config config = {cluster, 1, 1, 1024, 1, 1, 0, NULL, &attribute, 1};
        int clusters = -1;
        if (cluster == 16) cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
        SHOW(cuOccupancyMaxActiveClusters(&clusters, put, &config));
        printf("    clusters of %u: %d\n", cluster, clusters);
    }
}

static enum cuda_result launch(struct CUfunc_st *function, unsigned grid, unsigned block, unsigned shared_bytes,
                               unsigned cluster, void **parameters)
{
    struct cuda_launch_attribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                              .value = {.cluster = {cluster, 1, 1}}};
    struct cuda_launch_config config = {grid, 1, 1, block, 1, 1, shared_bytes, NULL, &attribute, cluster > 0};
    return cuLaunchKernelEx(&config, function, parameters, NULL);
}

static void show_launches(void)
{
    unsigned long long at = 0;
    uint32_t value = 42, word = 0;
    void *parameters[] = {&at, &value};
    puts("--- launches");
    cuMemAlloc_v2(&at, 4096);
    SHOW(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    SHOW(cuMemcpyDtoH_v2(&word, at, sizeof word));
    SHOW_VALUE("word", word);
    struct {
        unsigned long long at;
        uint32_t value;
    } packed = {at, 43};
    size_t packed_bytes = 12;
    void *extra[] = {(void *)1, &packed, (void *)2, &packed_bytes, (void *)0};
    SHOW(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    SHOW(cuMemcpyDtoH_v2(&word, at, sizeof word));
    SHOW_VALUE("word", word);
    SHOW(launch(put, 0, 1, 0, 0, parameters));
    SHOW(launch(put, 1, 0, 0, 0, parameters));
    SHOW(launch(put, 1, 1025, 0, 0, parameters));
    SHOW(launch(bounded, 1, 129, 0, 0, parameters));
    SHOW(launch(bounded, 1, 128, 0, 0, parameters));
    SHOW(launch(bounded, 1, 128, 50000, 0, parameters));
    SHOW(launch(put, 1, 1, 0, 3, parameters));
    SHOW(launch(put, 9, 1, 0, 9, parameters));
    SHOW(launch(put, 2, 1, 0, 2, parameters));
    SHOW(launch(paired, 2, 1, 0, 0, NULL));
    SHOW(launch(paired, 3, 1, 0, 0, NULL));
    SHOW(launch(paired, 4, 1, 0, 4, NULL));
    SHOW(cuLaunchCooperativeKernel(put, 100000, 1, 1, 1024, 1, 1, 0, NULL, parameters));
    SHOW(cuCtxSynchronize());
    cuMemFree_v2(at);
}

static void show_streams(void)
{
    struct CUstream_st *stream = NULL;
    struct CUevent_st *start = NULL, *end = NULL;
    int priority = 7;
    unsigned flags = 7;
    float milliseconds;
    puts("--- streams and events");
    SHOW(cuStreamCreate(&stream, 2));
    SHOW(cuStreamCreateWithPriority(&stream, 1, -100));
    SHOW(cuStreamGetPriority(stream, &priority));
    SHOW_VALUE("priority", priority);
    SHOW(cuStreamGetFlags(stream, &flags));
    SHOW_VALUE("flags", flags);
    SHOW(cuStreamSynchronize(stream));
    SHOW(cuEventCreate(&start, 8));
    SHOW(cuEventCreate(&start, 4));
    SHOW(cuEventCreate(&start, 0));
    SHOW(cuEventCreate(&end, 0));
    SHOW(cuEventQuery(start));
    SHOW(cuEventElapsedTime_v2(&milliseconds, start, end));
    SHOW(cuEventRecord(start, stream));
    SHOW(cuEventRecord(end, NULL));
    SHOW(cuEventSynchronize(end));
    SHOW(cuEventSynchronize(start));
    SHOW(cuEventElapsedTime_v2(&milliseconds, start, end));
    SHOW(cuEventDestroy_v2(end));
    SHOW(cuEventCreate(&end, 2));
    SHOW(cuEventRecord(end, stream));
    SHOW(cuEventElapsedTime_v2(&milliseconds, start, end));
    SHOW(cuStreamWaitEvent(stream, start, 0));
    SHOW(cuStreamDestroy_v2(stream));
    SHOW(cuStreamDestroy_v2(NULL));
}

static void show_graphs(void)
{
    struct CUstream_st *stream = NULL, *other = NULL;
    struct CUevent_st *event = NULL;
    struct CUgraph_st *graph = NULL;
    struct CUgraphExec_st *exec = NULL;
    struct CUgraphNode_st *node[8] = {NULL};
    unsigned long long at = 0;
    uint32_t value = 99, word = 0, status = 9;
    size_t count = 8;
    void *parameters[] = {&at, &value};
    puts("--- graphs");
    cuMemAlloc_v2(&at, 4096);
    cuStreamCreate(&stream, 1);
    cuStreamCreate(&other, 1);
    cuEventCreate(&event, 2);
    SHOW(cuStreamBeginCapture_v2(NULL, 0));
    SHOW(cuStreamEndCapture(stream, &graph));
    SHOW(cuStreamBeginCapture_v2(stream, 2));
    SHOW(cuStreamBeginCapture_v2(stream, 2));
    SHOW(cuStreamIsCapturing(stream, &status));
    SHOW_VALUE("status", status);
    SHOW(cuMemsetD8Async(at, 0, 64, stream));
    SHOW(cuEventRecord(event, stream));
    SHOW(cuEventQuery(event));
    SHOW(cuStreamWaitEvent(other, event, 0));
    SHOW(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, other, parameters, NULL));
    SHOW(cuStreamEndCapture(other, &graph));
    SHOW(cuEventRecord(event, other));
    SHOW(cuStreamWaitEvent(stream, event, 0));
    SHOW(cuStreamEndCapture(stream, &graph));
    SHOW(cuGraphGetNodes(graph, NULL, &count));
    SHOW_VALUE("nodes", count);
    count = 8;
    SHOW(cuGraphGetNodes(graph, node, &count));
    for (size_t i = 0; i < count && i < 8; i++) {
        uint32_t type = 77;
        cuGraphNodeGetType(node[i], &type);
        SHOW_VALUE("type", type);
    }
    SHOW(cuGraphInstantiateWithFlags(&exec, graph, 0));
    value = 100;
    SHOW(cuGraphLaunch(exec, stream));
    SHOW(cuStreamSynchronize(stream));
    SHOW(cuMemcpyDtoH_v2(&word, at, sizeof word));
    SHOW_VALUE("word", word);
    SHOW(cuGraphExecDestroy(exec));
    SHOW(cuGraphDestroy(graph));
    cuMemFree_v2(at);
}

static void show_bad_graphs(void)
{
    struct CUstream_st *stream = NULL, *other = NULL;
    struct CUevent_st *event = NULL;
    struct CUgraph_st *graph = NULL;
    struct CUgraphExec_st *exec = NULL;
    struct CUgraphNode_st *one, *two;
    unsigned long long at = 0;
    puts("--- graphs that fail");
    cuMemAlloc_v2(&at, 4096);
    cuStreamCreate(&stream, 1);
    cuStreamCreate(&other, 1);
    cuEventCreate(&event, 2);
    SHOW(cuStreamBeginCapture_v2(stream, 2));
    SHOW(cuStreamSynchronize(stream));
    SHOW(cuStreamEndCapture(stream, &graph));
    SHOW_VALUE("graph", graph != NULL);
    SHOW(cuStreamBeginCapture_v2(stream, 2));
    SHOW(cuEventRecord(event, stream));
    SHOW(cuStreamWaitEvent(other, event, 0));
    SHOW(cuMemsetD8Async(at, 0, 64, other));
    SHOW(cuStreamEndCapture(stream, &graph));
    SHOW(cuGraphCreate(&graph, 0));
    SHOW(cuGraphAddEmptyNode(&one, graph, NULL, 0));
    SHOW(cuGraphAddEmptyNode(&two, graph, &one, 1));
    SHOW(cuGraphAddDependencies_v2(graph, &two, &one, NULL, 1));
    SHOW(cuGraphInstantiateWithFlags(&exec, graph, 0));
    SHOW(cuGraphDestroy(graph));
    cuMemFree_v2(at);
}

static void show_maps(void)
{
    struct tensormap_image map;
    unsigned long long at = 0;
    const uint64_t dim[] = {64, 64}, stride[] = {256};
    const uint32_t box[] = {32, 8}, large[] = {257, 8}, estride[] = {1, 1};
    puts("--- tensor maps");
    cuMemAlloc_v2(&at, 64 * 256);
    void *address = (void *)(uintptr_t)at;
    SHOW(cuTensorMapEncodeTiled(&map, 7, 2, address, dim, stride, box, estride, 0, 0, 0, 0));
    SHOW(cuTensorMapEncodeTiled(&map, 7, 2, address, dim, stride, large, estride, 0, 0, 0, 0));
    SHOW(cuTensorMapReplaceAddress(&map, address));
    cuMemFree_v2(at);
}

static void show_fault(void)
{
    unsigned long long at = 16;
    uint32_t value = 1;
    void *parameters[] = {&at, &value};
    struct CUctx_st *context = NULL;
    puts("--- a kernel that faults");
    cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL);
    SHOW(cuCtxSynchronize());
    SHOW(cuMemAlloc_v2(&at, 4));
    SHOW(cuStreamSynchronize(NULL));
    SHOW(cuModuleLoadData(&module, ptx));
    SHOW(cuCtxGetCurrent(&context));
    SHOW_VALUE("current", context != NULL);
    SHOW(cuCtxSynchronize());
}

// Each section has a process of its own: one that crashes takes no other with it.
static const struct {
    const char *name;
    void (*show)(void);
} sections[] = {
    {"start", show_start},     {"names", show_names},           {"memory", show_memory},     {"host", show_host_memory},
    {"modules", show_modules}, {"occupancy", show_occupancy},   {"launches", show_launches}, {"streams", show_streams},
    {"graphs", show_graphs},   {"bad-graphs", show_bad_graphs}, {"maps", show_maps},         {"fault", show_fault},
};

static void set_up(void)
{
    struct CUctx_st *context;
    if (cuInit(0) != CUDA_SUCCESS || cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS || cuModuleLoadData(&module, ptx) != CUDA_SUCCESS)
        exit(EXIT_FAILURE);
    cuModuleGetFunction(&put, module, "put");
    cuModuleGetFunction(&bounded, module, "bounded");
    cuModuleGetFunction(&paired, module, "paired");
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; argc == 2 && i < sizeof sections / sizeof sections[0]; i++) {
        if (strcmp(sections[i].name, argv[1]) != 0) continue;
        if (sections[i].show != show_start) set_up();
        sections[i].show();
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "usage: calls SECTION\n");
    return EXIT_FAILURE;
}
