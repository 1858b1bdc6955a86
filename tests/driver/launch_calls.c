// SPDX-License-Identifier: MIT
// What libcuda.so.1 makes of limits, attributes and streams of launches, where no H200 was asked and CUDA's documents
// say it. usage: launch_calls SECTION
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_api.h"

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (condition) break;                                                                                          \
        printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                               \
        exit(EXIT_FAILURE);                                                                                            \
    } while (0)

static const char head[] = ".version 8.0\n.target sm_90a\n.address_size 64\n";

// Calls itself `depth` times with 1 KiB of local memory.
static const char deep[] = ".func down(.param .u32 depth)\n{\n.local .align 8 .b8 room[1024];\n.reg .pred %p<2>;\n"
                           ".reg .b32 %r<3>;\nld.param.u32 %r1, [depth];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra end;\n"
                           "sub.u32 %r2, %r1, 1;\n{\n.param .u32 next;\nst.param.u32 [next], %r2;\n"
                           "call down, (next);\n}\nend:\nret;\n}\n"
                           ".visible .entry kernel(.param .u32 depth)\n{\n.reg .b32 %r<2>;\n"
                           "ld.param.u32 %r1, [depth];\n{\n.param .u32 next;\nst.param.u32 [next], %r1;\n"
                           "call down, (next);\n}\nret;\n}\n";

static const char takes[] = ".extern .func (.param .b64 result) malloc(.param .b64 bytes);\n"
                            ".visible .entry kernel(.param .u64 bytes, .param .u64 to)\n{\n.reg .b64 %rd<4>;\n"
                            "ld.param.u64 %rd1, [bytes];\nld.param.u64 %rd2, [to];\n{\n.param .b64 size;\n"
                            ".param .b64 got;\nst.param.b64 [size], %rd1;\ncall (got), malloc, (size);\n"
                            "ld.param.b64 %rd3, [got];\n}\nst.global.u64 [%rd2], %rd3;\nret;\n}\n";

static const char plain[] = ".visible .entry kernel()\n{\nret;\n}\n";

static struct CUfunc_st *kernel_of(const char *body)
{
    struct CUmod_st *module;
    struct CUfunc_st *function;
    char text[4096];
    snprintf(text, sizeof text, "%s%s", head, body);
    REQUIRE(cuModuleLoadData(&module, text) == CUDA_SUCCESS);
    REQUIRE(cuModuleGetFunction(&function, module, "kernel") == CUDA_SUCCESS);
    return function;
}

static enum cuda_result launch(struct CUfunc_st *function, void **parameters)
{
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL);
}

enum { STACK_BYTES = 0, HEAP_BYTES = 2 };

static void show_stack(void)
{
    uint32_t depth = 40;
    void *parameters[] = {&depth};
    struct CUfunc_st *function = kernel_of(deep);
    REQUIRE(launch(function, parameters) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS);
    depth = 400;
    REQUIRE(cuCtxSetLimit(STACK_BYTES, (size_t)511 << 10) == CUDA_SUCCESS);
    REQUIRE(launch(function, parameters) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS);
    REQUIRE(cuCtxSetLimit(STACK_BYTES, (size_t)128 << 10) == CUDA_SUCCESS);
    REQUIRE(launch(function, parameters) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void show_heap(void)
{
    unsigned long long bytes = 32 << 20, to, got = 0;
    void *parameters[] = {&bytes, &to};
    struct CUfunc_st *none = kernel_of(plain), *function = kernel_of(takes);
    REQUIRE(cuMemAlloc_v2(&to, sizeof got) == CUDA_SUCCESS);
    REQUIRE(launch(none, NULL) == CUDA_SUCCESS);
    REQUIRE(cuCtxSetLimit(HEAP_BYTES, (size_t)64 << 20) == CUDA_SUCCESS);
    REQUIRE(launch(function, parameters) == CUDA_SUCCESS);
    REQUIRE(cuMemcpyDtoH_v2(&got, to, sizeof got) == CUDA_SUCCESS && got != 0);
    REQUIRE(cuCtxSetLimit(HEAP_BYTES, (size_t)128 << 20) == CUDA_ERROR_INVALID_VALUE);
}

static void show_required(void)
{
    struct CUfunc_st *function = kernel_of(".visible .entry kernel()\n.reqntid 8, 4\n{\nret;\n}\n");
    REQUIRE(cuLaunchKernel(function, 1, 1, 1, 8, 4, 1, 0, NULL, NULL, NULL) == CUDA_SUCCESS);
    REQUIRE(cuLaunchKernel(function, 1, 1, 1, 8, 2, 1, 0, NULL, NULL, NULL) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cuLaunchKernel(function, 1, 1, 1, 4, 8, 1, 0, NULL, NULL, NULL) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cuCtxSynchronize() == CUDA_SUCCESS);
}

enum { NONE, RELAXED = 2 };
#define LEGACY     ((struct CUstream_st *)1)
#define PER_THREAD ((struct CUstream_st *)2)

static void *write_elsewhere(void *to)
{
    struct CUctx_st *context;
    uint32_t status = 7;
    REQUIRE(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS && cuCtxSetCurrent(context) == CUDA_SUCCESS);
    REQUIRE(cuStreamIsCapturing(PER_THREAD, &status) == CUDA_SUCCESS && status == NONE);
    REQUIRE(cuMemsetD8Async(*(unsigned long long *)to, 5, 1, PER_THREAD) == CUDA_SUCCESS);
    return NULL;
}

// What one thread captures of its own default stream is nothing of other threads, nor of the stream of all.
static void show_per_thread(void)
{
    unsigned long long to;
    unsigned char bytes[4] = {0};
    struct CUgraph_st *graph;
    size_t nodes = 9;
    pthread_t thread;
    REQUIRE(cuMemAlloc_v2(&to, sizeof bytes) == CUDA_SUCCESS);
    unsigned long long second = to + 1;
    REQUIRE(cuStreamBeginCapture_v2(PER_THREAD, RELAXED) == CUDA_SUCCESS);
    REQUIRE(cuMemsetD8Async(to, 3, 1, PER_THREAD) == CUDA_SUCCESS);
    REQUIRE(pthread_create(&thread, NULL, write_elsewhere, &second) == 0 && pthread_join(thread, NULL) == 0);
    REQUIRE(cuStreamEndCapture(PER_THREAD, &graph) == CUDA_SUCCESS);
    REQUIRE(cuMemsetD8Async(to + 2, 7, 1, LEGACY) == CUDA_SUCCESS);
    REQUIRE(cuGraphGetNodes(graph, NULL, &nodes) == CUDA_SUCCESS && nodes == 1);
    REQUIRE(cuMemcpyDtoH_v2(bytes, to, sizeof bytes) == CUDA_SUCCESS);
    REQUIRE(bytes[0] == 0 && bytes[1] == 5 && bytes[2] == 7);
}

static void show_legacy(void)
{
    struct CUstream_st *stream;
    struct CUevent_st *event;
    struct CUgraph_st *graph;
    uint32_t status = 7;
    REQUIRE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    REQUIRE(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
    REQUIRE(cuStreamBeginCapture_v2(stream, RELAXED) == CUDA_SUCCESS);
    REQUIRE(cuEventRecord(event, stream) == CUDA_SUCCESS);
    REQUIRE(cuStreamWaitEvent(NULL, event, 0) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    REQUIRE(cuStreamIsCapturing(NULL, &status) == CUDA_SUCCESS && status == NONE);
    REQUIRE(cuStreamEndCapture(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

    // A stream that is made after a reset is not the default one.
    struct CUctx_st *context;
    REQUIRE(cuStreamSynchronize(NULL) == CUDA_SUCCESS && cuDevicePrimaryCtxReset_v2(0) == CUDA_SUCCESS);
    REQUIRE(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS && cuCtxSetCurrent(context) == CUDA_SUCCESS);
    for (int i = 0; i < 4; i++) {
        REQUIRE(cuStreamCreate(&stream, 0) == CUDA_SUCCESS);
        REQUIRE(cuStreamBeginCapture_v2(stream, RELAXED) == CUDA_SUCCESS);
    }
    // Those wait for the default one, which does nothing as long as they are captured.
    REQUIRE(cuStreamIsCapturing(NULL, &status) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    REQUIRE(cuMemsetD8Async(0, 7, 1, NULL) == CUDA_ERROR_INVALID_VALUE);
    unsigned long long to;
    REQUIRE(cuMemAlloc_v2(&to, 4) == CUDA_SUCCESS);
    REQUIRE(cuMemsetD8Async(to, 7, 1, NULL) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    REQUIRE(cuStreamEndCapture(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static enum cuda_result launch_with(struct CUfunc_st *function, struct CUstream_st *stream,
                                    struct cuda_launch_attribute attribute)
{
    const struct cuda_launch_config config = {1, 1, 1, 1, 1, 1, 0, stream, &attribute, 1};
    return cuLaunchKernelEx(&config, function, NULL, NULL);
}

// Every attribute is one that changes nothing, or is done, or is refused.
static void show_attributes(void)
{
    const uint32_t ignored[] = {0, 1, 4, 5, 6, 8, 9, 10, 11, 14, 16}, wrong[] = {3, 15, 17, 18, 1000};
    struct CUfunc_st *function = kernel_of(plain);
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        REQUIRE(launch_with(function, NULL, (struct cuda_launch_attribute){.id = ignored[i]}) == CUDA_SUCCESS);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        REQUIRE(launch_with(function, NULL, (struct cuda_launch_attribute){.id = wrong[i]}) ==
                CUDA_ERROR_INVALID_VALUE);
    struct cuda_launch_attribute policy = {.id = 3, .value = {.cooperative = 4}};
    REQUIRE(launch_with(function, NULL, policy) == CUDA_SUCCESS);
    REQUIRE(launch_with(function, NULL, (struct cuda_launch_attribute){.id = 13}) == CUDA_ERROR_NOT_SUPPORTED);
    REQUIRE(cuCtxSynchronize() == CUDA_SUCCESS);
}

// The event of a launch that is captured is one of the capture: that it was recorded can be seen.
static void show_event(uint32_t id, struct CUfunc_st *function)
{
    struct CUstream_st *stream, *other;
    struct CUevent_st *event, *timed;
    struct CUgraph_st *graph;
    uint32_t status = 7;
    REQUIRE(cuStreamCreate(&stream, 0) == CUDA_SUCCESS && cuStreamCreate(&other, 0) == CUDA_SUCCESS);
    REQUIRE(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
    REQUIRE(cuEventCreate(&timed, 0) == CUDA_SUCCESS);
    struct cuda_launch_attribute attribute = {.id = id, .value = {.event = {timed, 0}}};
    REQUIRE(launch_with(function, stream, attribute) == CUDA_ERROR_NOT_SUPPORTED);
    attribute.value.event.event = NULL;
    REQUIRE(launch_with(function, stream, attribute) == CUDA_ERROR_INVALID_HANDLE);
    attribute.value.event.event = event;
    REQUIRE(cuStreamBeginCapture_v2(stream, RELAXED) == CUDA_SUCCESS);
    REQUIRE(launch_with(function, stream, attribute) == CUDA_SUCCESS);
    REQUIRE(cuStreamWaitEvent(other, event, 0) == CUDA_SUCCESS);
    REQUIRE(cuStreamIsCapturing(other, &status) == CUDA_SUCCESS && status != NONE);
    REQUIRE(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS);
}

static void show_events(void)
{
    struct CUfunc_st *function = kernel_of(plain);
    show_event(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, function);
    show_event(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, function);
}

enum { INPUT_PTX = 1, INPUT_OBJECT = 3, INPUT_NVVM = 5 };
enum { INFO_LOG = 3, INFO_LOG_BYTES, ERROR_LOG, ERROR_LOG_BYTES };

// What comes out of a link is loaded and runs, whether the PTX was in memory or in a file.
static void show_linked(struct CUlinkState_st *link)
{
    struct CUmod_st *module;
    struct CUfunc_st *function;
    void *image;
    size_t bytes;
    REQUIRE(cuLinkComplete(link, &image, &bytes) == CUDA_SUCCESS && strlen(image) + 1 == bytes);
    REQUIRE(cuModuleLoadData(&module, image) == CUDA_SUCCESS);
    REQUIRE(cuLinkAddFile_v2(link, INPUT_PTX, "none", 0, NULL, NULL) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cuLinkDestroy(link) == CUDA_SUCCESS && cuLinkDestroy(link) == CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(cuModuleGetFunction(&function, module, "kernel") == CUDA_SUCCESS);
    REQUIRE(launch(function, NULL) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS);
}

static void show_link(void)
{
    struct CUlinkState_st *link;
    char text[256], log[256] = "untouched", info[8] = "info", path[] = "/tmp/tmaref-link-XXXXXX";
    uint32_t option[] = {ERROR_LOG, ERROR_LOG_BYTES, INFO_LOG, INFO_LOG_BYTES};
    void *value[] = {log, (void *)sizeof log, info, (void *)sizeof info};
    size_t bytes = (size_t)snprintf(text, sizeof text, "%s%s", head, plain);
    REQUIRE(cuLinkCreate_v2(4, option, value, &link) == CUDA_SUCCESS);
    memset(option, 0, sizeof option); // the values alone stay in use
    REQUIRE(log[0] == '\0' && info[0] == '\0');
    REQUIRE(cuLinkAddData_v2(link, INPUT_PTX, "x", 1, NULL, 0, NULL, NULL) == CUDA_ERROR_INVALID_PTX);
    REQUIRE(strstr(log, "line 1") != NULL && (size_t)value[1] == strlen(log) && value[3] == NULL);
    const size_t first = strlen(log); // the log grows until the link is destroyed
    REQUIRE(cuLinkAddData_v2(link, INPUT_PTX, "x", 1, NULL, 0, NULL, NULL) == CUDA_ERROR_INVALID_PTX);
    REQUIRE(strlen(log) == 2 * first && (size_t)value[1] == 2 * first);
    REQUIRE(cuLinkAddData_v2(link, INPUT_NVVM, text, bytes, NULL, 0, NULL, NULL) == CUDA_ERROR_NOT_SUPPORTED);
    REQUIRE(cuLinkAddData_v2(link, INPUT_NVVM + 1, text, bytes, NULL, 0, NULL, NULL) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cuLinkAddData_v2(link, INPUT_PTX, text, SIZE_MAX, NULL, 0, NULL, NULL) == CUDA_ERROR_OUT_OF_MEMORY);
    REQUIRE(cuLinkAddFile_v2(link, INPUT_PTX, path, 0, NULL, NULL) == CUDA_ERROR_FILE_NOT_FOUND);
    REQUIRE(cuLinkAddData_v2(link, INPUT_PTX, text, bytes, "a", 0, NULL, NULL) == CUDA_SUCCESS);
    show_linked(link);
    int file = mkstemp(path);
    REQUIRE(file >= 0 && write(file, text, bytes) == (ssize_t)bytes && close(file) == 0);
    REQUIRE(cuLinkCreate_v2(0, NULL, NULL, &link) == CUDA_SUCCESS);
    REQUIRE(cuLinkAddFile_v2(link, INPUT_PTX, path, 0, NULL, NULL) == CUDA_SUCCESS && unlink(path) == 0);
    show_linked(link);
}

int main(int count, char **argument)
{
    static const struct {
        const char *name;
        void (*show)(void);
    } sections[] = {{"stack", show_stack},           {"heap", show_heap},     {"required", show_required},
                    {"per_thread", show_per_thread}, {"legacy", show_legacy}, {"attributes", show_attributes},
                    {"events", show_events},         {"link", show_link}};
    struct CUctx_st *context;
    REQUIRE(cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    REQUIRE(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (count == 2 && strcmp(argument[1], sections[i].name) == 0) {
            sections[i].show();
            return EXIT_SUCCESS;
        }
    puts("usage: launch_calls SECTION");
    return EXIT_FAILURE;
}
