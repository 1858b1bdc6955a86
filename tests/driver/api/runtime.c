// SPDX-License-Identifier: MIT
// The runtime: devices, kernels by their host functions, variables, errors.
#define _GNU_SOURCE 1
#include "api.h"

#include <dlfcn.h>
#include <pthread.h>

static char image[] = PTX_HEAD ".visible .global .align 4 .u32 word = 3;\n"
                               ".visible .global .attribute(.managed) .align 4 .u32 shared = 6;\n"
                               ".visible .entry put(.param .u64 to, .param .u32 value)\n"
                               "{\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1, [to];\n"
                               "ld.param.u32 %r1, [value];\nst.global.u32 [%rd1], %r1;\nret;\n}\n"
                               ".visible .entry fault()\n{\n.reg .b64 %rd<2>;\nmov.u64 %rd1, 0;\n"
                               "st.global.u32 [%rd1], 1;\nret;\n}\n";

// What nvcc's object of a program has: stubs and variables of the host, whose addresses are the names.
// What is no kernel may be a handle, and is looked at: these are as large as the head of what one points at.
static uint64_t put, fault, nobody, missing, word, no_word;
static uint32_t *shared;
static void **handle;

static void load(void)
{
    handle = __cudaRegisterFatBinary(api_image(image));
    __cudaRegisterFunction(handle, (char *)&put, NULL, "put", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (char *)&fault, NULL, "fault", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (char *)&missing, NULL, "missing", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, (char *)&word, NULL, "word", 0, 4, 0, 0);
    __cudaRegisterVar(handle, (char *)&no_word, NULL, "no_word", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&shared, NULL, "shared", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    __cudaRegisterFunction(NULL, (char *)&nobody, NULL, "put", -1, NULL, NULL, NULL, NULL, NULL); // nothing is kept
    __cudaRegisterManagedVar(NULL, (void **)&nobody, NULL, "shared", 0, 4, 0, 0);
}

static void *device_memory(size_t bytes)
{
    void *memory;
    WORKS(cudaMalloc(&memory, bytes));
    return memory;
}

static uint32_t word_at(const void *address)
{
    uint32_t value;
    WORKS(cudaMemcpy(&value, address, sizeof value, COPY_DEVICE_TO_HOST));
    return value;
}

SECTION(runtime_device)
{
    static struct cudaDeviceProp properties;
    int value = 9, version, other;
    unsigned flags;
    size_t bytes;
    uint32_t config;
    char text[32];
    WORKS(cudaRuntimeGetVersion(&version));
    WORKS(cudaDriverGetVersion(&value));
    REQUIRE(version == 13000 && value == 13000);
    REFUSES(ERROR_INVALID_VALUE, cudaRuntimeGetVersion(NULL));
    WORKS(cudaGetDeviceCount(&value));
    REQUIRE(value == 1);
    WORKS(cudaGetDevice(&value));
    REQUIRE(value == 0);
    REFUSES(ERROR_INVALID_VALUE, cudaGetDevice(NULL));
    WORKS(cudaSetDevice(0));
    REFUSES(ERROR_INVALID_DEVICE, cudaSetDevice(1));
    WORKS(cudaInitDevice(0, 0, 0));
    REFUSES(ERROR_INVALID_DEVICE, cudaInitDevice(1, 0, 0));
    WORKS(cudaChooseDevice(&value, &properties));
    WORKS(cudaSetDeviceFlags(CU_CTX_SCHED_BLOCKING_SYNC));
    WORKS(cudaGetDeviceFlags(&flags));
    REQUIRE(flags == (CU_CTX_SCHED_BLOCKING_SYNC | 8)); // memory of the host can be mapped
    WORKS(cudaSetDeviceFlags(8));
    WORKS(cudaGetDeviceFlags(&flags));
    REQUIRE(flags == 8);
    REFUSES(ERROR_INVALID_VALUE, cudaSetDeviceFlags(8 | 3));
    WORKS(cudaDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    REQUIRE(value == 32);
    WORKS(cudaDeviceSetLimit(0, 4096));
    WORKS(cudaDeviceGetLimit(&bytes, 0));
    REQUIRE(bytes == 4096);
    WORKS(cudaDeviceGetStreamPriorityRange(&value, &other));
    REQUIRE(value == 0 && other == -5);
    WORKS(cudaDeviceGetPCIBusId(text, sizeof text, 0));
    WORKS(cudaDeviceGetByPCIBusId(&value, text));
    WORKS(cudaDeviceCanAccessPeer(&value, 0, 0));
    REFUSES(ERROR_INVALID_DEVICE, cudaDeviceEnablePeerAccess(1, 0));
    WORKS(cudaDeviceSetCacheConfig(1));
    WORKS(cudaDeviceGetCacheConfig(&config));
    WORKS(cudaCtxResetPersistingL2Cache());
    WORKS(cudaProfilerStart());
    WORKS(cudaProfilerStop());
    WORKS(cudaDeviceSynchronize());
    WORKS(cudaGetDeviceProperties(&properties, 0));
    REQUIRE(strcmp(properties.name, "NVIDIA H200 (tmaref)") == 0 && properties.major == 9 && properties.minor == 0);
    REQUIRE(properties.multiProcessorCount == 132 && properties.warpSize == 32 && properties.clusterLaunch == 1);
    REQUIRE(properties.sharedMemPerBlock == 49152 && properties.sharedMemPerBlockOptin == 232448);
    REQUIRE(properties.maxGridSize[0] == 0x7fffffff && properties.totalConstMem == 65536);
    REFUSES(ERROR_INVALID_DEVICE, cudaGetDeviceProperties(&properties, 1));
    REFUSES(ERROR_INVALID_VALUE, cudaGetDeviceProperties(NULL, 0));
}

SECTION(runtime_entry_points)
{
    enum { FOUND, NOT_FOUND, TOO_OLD };
    void *function = NULL;
    uint32_t status = 9;
    WORKS(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, 0, &status));
    REQUIRE(function != NULL && status == FOUND);
    WORKS(cudaGetDriverEntryPoint("cuInit", &function, 0, &status));
    REQUIRE(function != NULL && status == FOUND);
    WORKS(cudaGetDriverEntryPoint("cuNoSuchCall", &function, 0, NULL));
    REQUIRE(function == NULL);
    WORKS(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 11000, 0, &status));
    REQUIRE(function == NULL && status == TOO_OLD);
    REFUSES(ERROR_INVALID_VALUE, cudaGetDriverEntryPoint(NULL, &function, 0, &status));
}

// --- Kernels ---------------------------------------------------------------------------------------------------------

SECTION(runtime_launches)
{
    const struct dim3 none = {0, 1, 1}, most = {1024, 1, 1}, too_many = {1025, 1, 1}, deep = {1, 1, 65};
    load();
    void *to = device_memory(64);
    uint32_t value = 4;
    void *parameters[] = {&to, &value};
    struct cudaLaunchConfig_st config = {one_cta, one_cta, 0, NULL, NULL, 0};
    WORKS(cudaLaunchKernel(&put, one_cta, most, parameters, 0, NULL));
    REQUIRE(word_at(to) == 4);
    value = 5;
    WORKS(cudaLaunchKernelExC(&config, &put, parameters));
    REQUIRE(word_at(to) == 5);
    value = 6;
    WORKS(cudaLaunchCooperativeKernel(&put, one_cta, one_cta, parameters, 0, NULL));
    REQUIRE(word_at(to) == 6);
    REFUSES(ERROR_INVALID_VALUE, cudaLaunchKernelExC(NULL, &put, parameters));
    // Of sizes that no kernel may have, the driver's error: so nvcc 13.0's runtime says on an H100 too.
    REQUIRE(cudaLaunchKernel(&put, none, one_cta, parameters, 0, NULL) == cudaErrorInvalidValue);
    REQUIRE(cudaLaunchKernel(&put, one_cta, none, parameters, 0, NULL) == cudaErrorInvalidValue);
    REQUIRE(cudaLaunchKernel(&put, one_cta, too_many, parameters, 0, NULL) == cudaErrorInvalidValue);
    REQUIRE(cudaLaunchKernel(&put, one_cta, deep, parameters, 0, NULL) == cudaErrorInvalidValue);
    const struct dim3 grids[] = {{1, 0, 1}, {1, 1, 0}, {0x80000000, 1, 1}, {1, 65536, 1}, {1, 1, 65536}};
    for (int i = 0; i < 5; i++)
        REQUIRE(cudaLaunchKernel(&put, grids[i], one_cta, parameters, 0, NULL) == cudaErrorInvalidValue);
    REQUIRE(cudaLaunchKernel(&nobody, one_cta, one_cta, parameters, 0, NULL) == cudaErrorInvalidDeviceFunction);
    REQUIRE(cudaLaunchKernel(&missing, one_cta, one_cta, parameters, 0, NULL) == cudaErrorInvalidDeviceFunction);
    REQUIRE(cudaLaunchKernel(NULL, one_cta, one_cta, parameters, 0, NULL) == cudaErrorInvalidDeviceFunction);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidDeviceFunction && cudaGetLastError() == cudaSuccess);

    // A fault is told by every later call that needs the device, and stays.
    WORKS(cudaLaunchKernel(&fault, one_cta, one_cta, NULL, 0, NULL));
    REFUSES(ERROR_ILLEGAL_ADDRESS, cudaDeviceSynchronize());
    REQUIRE(cudaGetLastError() == cudaErrorIllegalAddress && cudaPeekAtLastError() == cudaSuccess);
    REFUSES(ERROR_ILLEGAL_ADDRESS, cudaMalloc(&to, 64));
    WORKS(cudaDeviceReset());
    REQUIRE(cudaMalloc(&to, 64) == cudaErrorDevicesUnavailable); // for the life of the process
    REQUIRE(cudaGetLastError() == cudaErrorDevicesUnavailable);
    WORKS(cudaGetDevice(&(int){0}));
}

// After a reset there is no error, and the next call begins anew; a context of the program's own stays current.
SECTION(runtime_resets)
{
    struct CUctx_st *own, *got;
    void *to;
    WORKS(cudaMalloc(&to, 64));
    WORKS(cudaDeviceReset());
    REQUIRE(cudaGetLastError() == cudaSuccess);
    WORKS(cudaMalloc(&to, 64));
    WORKS(cuDevicePrimaryCtxReset_v2(0));
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    WORKS(cudaMalloc(&to, 64));
    WORKS(cuCtxCreate_v2(&own, 0, 0));
    WORKS(cudaMalloc(&to, 64));
    WORKS(cuDevicePrimaryCtxReset_v2(0));
    WORKS(cudaMemset(to, 1, 64));
    WORKS(cuCtxGetCurrent(&got));
    REQUIRE(got == own);
    WORKS(cuCtxDestroy_v2(own));
    REQUIRE(cudaGetLastError() == cudaSuccess);
}

// What <<<>>> leaves for the stub, which takes it back.
SECTION(runtime_configurations)
{
    struct dim3 grid, block;
    size_t bytes;
    struct CUstream_st *stream = NULL, *wanted = (struct CUstream_st *)2;
    const struct dim3 two = {2, 3, 4};
    REQUIRE(__cudaPopCallConfiguration(&grid, &block, &bytes, &stream) == cudaErrorMissingConfiguration);
    REQUIRE(cudaGetLastError() == cudaErrorMissingConfiguration);
    REQUIRE(__cudaPushCallConfiguration(two, one_cta, 77, wanted) == 0);
    REQUIRE(__cudaPushCallConfiguration(one_cta, two, 0, NULL) == 0);
    WORKS(__cudaPopCallConfiguration(&grid, &block, &bytes, &stream));
    REQUIRE(grid.x == 1 && block.y == 3 && bytes == 0 && stream == NULL);
    WORKS(__cudaPopCallConfiguration(&grid, &block, &bytes, &stream));
    REQUIRE(grid.z == 4 && block.x == 1 && bytes == 77 && stream == wanted);
    int pushed = 0;
    while (__cudaPushCallConfiguration(one_cta, one_cta, 0, NULL) == 0 && pushed < 1000) pushed++;
    REQUIRE(pushed >= 8 && pushed < 1000); // there is an end
}

SECTION(runtime_functions)
{
    struct cudaFuncAttributes attributes;
    struct cuda_launch_attribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.cluster = {2, 1, 1}};
    const struct cudaLaunchConfig_st config = {{2, 1, 1}, {128, 1, 1}, 0, NULL, &cluster, 1};
    struct CUkern_st *kernel, *same;
    struct CUfunc_st *function;
    const char *name;
    size_t offset, bytes;
    int number;
    load();
    WORKS(cudaFuncGetAttributes(&attributes, &put));
    REQUIRE(attributes.maxThreadsPerBlock == 1024 && attributes.binaryVersion == 90 && attributes.ptxVersion == 90);
    REQUIRE(attributes.sharedSizeBytes == 0 && attributes.maxDynamicSharedSizeBytes == 49152);
    REFUSES(ERROR_INVALID_VALUE, cudaFuncGetAttributes(NULL, &put));
    REQUIRE(cudaFuncGetAttributes(&attributes, &nobody) == cudaErrorInvalidDeviceFunction);
    WORKS(cudaFuncSetAttribute(&put, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    REFUSES(ERROR_INVALID_VALUE, cudaFuncSetAttribute(&put, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 300000));
    WORKS(cudaFuncSetCacheConfig(&put, 1));
    WORKS(cudaFuncGetName(&name, &put));
    REQUIRE(strcmp(name, "put") == 0);
    WORKS(cudaFuncGetParamInfo(&put, 1, &offset, &bytes));
    REQUIRE(offset == 8 && bytes == 4);
    WORKS(cudaFuncGetParamCount(&put, &bytes));
    REQUIRE(bytes == 2);
    WORKS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, &put, 1024, 0));
    REQUIRE(number == 2);
    WORKS(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&number, &put, 1024, 0, 0));
    WORKS(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &put, 1, 128));
    REQUIRE(bytes == 100000);
    WORKS(cudaOccupancyMaxActiveClusters(&number, &put, &config));
    REQUIRE(number > 0);
    WORKS(cudaOccupancyMaxPotentialClusterSize(&number, &put, &config));
    REQUIRE(number == 8);
    REFUSES(ERROR_INVALID_VALUE, cudaOccupancyMaxActiveClusters(&number, &put, NULL));
    REFUSES(ERROR_INVALID_VALUE, cudaOccupancyMaxPotentialClusterSize(&number, &put, NULL));
    WORKS(cudaGetKernel(&kernel, &put));
    WORKS(cudaGetKernel(&same, kernel)); // a handle is one too
    REQUIRE(same == kernel);
    REFUSES(ERROR_INVALID_VALUE, cudaGetKernel(NULL, &put));
    WORKS(cudaGetFuncBySymbol(&function, &put));
    REFUSES(ERROR_INVALID_VALUE, __cudaGetKernel(NULL, &put));
    REQUIRE(__cudaInitModule(handle) == 1);
}

// --- Variables -------------------------------------------------------------------------------------------------------

SECTION(runtime_symbols)
{
    uint32_t value = 8, got = 0;
    void *address;
    size_t bytes;
    load();
    WORKS(cudaFree(NULL)); // the first call places managed variables
    REQUIRE(shared != NULL && *shared == 6);
    *shared = 9;
    WORKS(cudaGetSymbolSize(&bytes, &word));
    REQUIRE(bytes == 4);
    WORKS(cudaGetSymbolAddress(&address, &word));
    REQUIRE(word_at(address) == 3);
    WORKS(cudaMemcpyToSymbol(&word, &value, 4, 0, COPY_HOST_TO_DEVICE));
    WORKS(cudaMemcpyFromSymbol(&got, &word, 4, 0, COPY_DEVICE_TO_HOST));
    REQUIRE(got == 8);
    value = 0x0a0b0c0d;
    WORKS(cudaMemcpyToSymbolAsync(&word, &value, 2, 2, COPY_BY_POINTERS, NULL));
    WORKS(cudaMemcpyFromSymbolAsync(&got, &word, 4, 0, COPY_BY_POINTERS, NULL));
    REQUIRE(got == 0x0c0d0008);
    WORKS(cudaMemcpyFromSymbol(shared, &word, 4, 0, COPY_DEVICE_TO_DEVICE));
    REQUIRE(*shared == 0x0c0d0008);
    REFUSES(ERROR_INVALID_VALUE, cudaMemcpyToSymbol(&word, &value, 4, 1, COPY_HOST_TO_DEVICE));
    REFUSES(ERROR_INVALID_VALUE, cudaMemcpyFromSymbol(&got, &word, 0, 5, COPY_DEVICE_TO_HOST));
    REQUIRE(cudaMemcpyToSymbol(&word, &value, 4, 0, COPY_DEVICE_TO_HOST) == cudaErrorInvalidMemcpyDirection);
    REQUIRE(cudaMemcpyToSymbol(&word, &value, 4, 0, COPY_HOST_TO_HOST) == cudaErrorInvalidMemcpyDirection);
    REQUIRE(cudaMemcpyFromSymbol(&got, &word, 4, 0, COPY_HOST_TO_DEVICE) == cudaErrorInvalidMemcpyDirection);
    REQUIRE(cudaMemcpyFromSymbol(&got, &word, 4, 0, COPY_HOST_TO_HOST) == cudaErrorInvalidMemcpyDirection);
    REQUIRE(cudaMemcpyToSymbol(&nobody, &value, 4, 0, COPY_HOST_TO_DEVICE) == cudaErrorInvalidSymbol);
    REQUIRE(cudaMemcpyFromSymbol(&got, &no_word, 4, 0, COPY_DEVICE_TO_HOST) == cudaErrorInvalidSymbol);
    REQUIRE(cudaGetSymbolAddress(&address, &put) == cudaErrorInvalidSymbol);
    REFUSES(ERROR_INVALID_VALUE, cudaGetSymbolAddress(NULL, &word));
    REFUSES(ERROR_INVALID_VALUE, cudaGetSymbolSize(NULL, &word));

    // After a reset it is loaded again, as it was in the beginning.
    WORKS(cudaDeviceReset());
    WORKS(cudaMemcpyFromSymbol(&got, &word, 4, 0, COPY_DEVICE_TO_HOST));
    REQUIRE(got == 3 && *shared == 6);
    __cudaUnregisterFatBinary(handle);
    __cudaUnregisterFatBinary(handle); // none any more
    REQUIRE(cudaMemcpyFromSymbol(&got, &word, 4, 0, COPY_DEVICE_TO_HOST) == cudaErrorInvalidSymbol);
}

// An image that does not load says so once and for all its kernels; another thread has its own last error.
static void *last_error_elsewhere(void *unused)
{
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return unused;
}

SECTION(runtime_errors)
{
    static char broken[] = PTX_HEAD ".visible .entry k()\n{\nret;\n";
    static char kernel, variable;
    struct CUlib_st *library;
    pthread_t thread;
    size_t bytes;
    REQUIRE(cudaGetLastError() == cudaSuccess); // before anything
    void **bad = __cudaRegisterFatBinary(api_image(broken));
    __cudaRegisterFunction(bad, &kernel, NULL, "k", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(bad, &variable, NULL, "v", 0, 4, 0, 0);
    REQUIRE(cudaLaunchKernel(&kernel, one_cta, one_cta, NULL, 0, NULL) == cudaErrorInvalidPtx);
    SAYS("PTX line");
    REQUIRE(cudaGetSymbolSize(&bytes, &variable) == cudaErrorInvalidPtx);
    SAYS_NOTHING();
    REQUIRE(pthread_create(&thread, NULL, last_error_elsewhere, NULL) == 0 && pthread_join(thread, NULL) == 0);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidPtx);
    struct CUkern_st *none;
    WORKS(cudaLibraryLoadData(&library, broken, NULL, NULL, 0, NULL, NULL, 0));
    REFUSES(ERROR_INVALID_PTX, cudaLibraryGetKernel(&none, library, "k"));
    __cudaUnregisterFatBinary(bad);
}

SECTION(runtime_libraries)
{
    struct CUlib_st *library;
    struct CUkern_st *kernel, *list[2];
    void *address, *to = device_memory(64);
    uint32_t value = 7;
    void *parameters[] = {&to, &value};
    unsigned count;
    size_t bytes;
    WORKS(cudaLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    WORKS(cudaLibraryGetKernelCount(&count, library));
    REQUIRE(count == 2);
    WORKS(cudaLibraryEnumerateKernels(list, 2, library));
    WORKS(cudaLibraryGetKernel(&kernel, library, "put"));
    REQUIRE(list[1] == kernel);
    WORKS(cudaLaunchKernel(kernel, one_cta, one_cta, parameters, 0, NULL));
    REQUIRE(word_at(to) == 7);
    WORKS(cudaLibraryGetGlobal(&address, &bytes, library, "word"));
    REQUIRE(bytes == 4 && word_at(address) == 3);
    WORKS(cudaLibraryGetManaged(&address, &bytes, library, "shared"));
    WORKS(cudaLibraryUnload(library));
    REFUSES(ERROR_INVALID_HANDLE, cudaLibraryUnload(library));
    REFUSES(ERROR_FILE_NOT_FOUND, cudaLibraryLoadFromFile(&library, "/no/such", NULL, NULL, 0, NULL, NULL, 0));
}

// --- What is wrong with the environment ------------------------------------------------------------------------------

int cudaArrayGetPlane(void), cuArrayGetPlane(void), cuMemAlloc(void);

// A call that tmaref has not says so once.
SECTION(missing_calls)
{
    REFUSES(ERROR_NOT_SUPPORTED, cudaArrayGetPlane());
    SAYS("cudaArrayGetPlane: tmaref exec does not have this call; it returns 801; tmaref has CUDA arrays of plain");
    REFUSES(ERROR_NOT_SUPPORTED, cudaArrayGetPlane());
    SAYS_NOTHING();
    REQUIRE(cudaGetLastError() == cudaErrorNotSupported);
    REFUSES(ERROR_NOT_SUPPORTED, cuArrayGetPlane());
    SAYS("cuArrayGetPlane: tmaref exec does not have this call; it returns 801; tmaref has CUDA arrays of plain");
    REFUSES(ERROR_NOT_SUPPORTED, cuArrayGetPlane());
    SAYS_NOTHING();
    REFUSES(ERROR_NOT_SUPPORTED, cuMemAlloc());
    SAYS("have 32 bits: ask for the name that ends in _v2");
}

// No call that needs the device works where an option is wrong: each is an error, whatever its arguments.
SECTION(bad_environment)
{
    typedef enum cudaError call(size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
    static const char *const names[] = {
#define CALL(name, ...)    #name,
#define GIVES(name, ...)   #name,
#define FORWARD(name, ...) #name,
#define REFUSED(name, ...) #name,
#include "release_calls.def"
    };
    int called = 0;
    setenv("TMAREF_SEED", "one", 1);
    load();
    REFUSES(ERROR_INVALID_VALUE, cudaFree(NULL));
    SAYS("TMAREF_SEED is 'one', which is not a whole number");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(names[i], "__", 2) == 0 || strstr(names[i], "LastError") != NULL) continue;
        if (strcmp(names[i], "cudaCreateChannelDesc") == 0) continue; // fills a struct, and returns no error
        call *function;
        *(void **)&function = dlsym(RTLD_DEFAULT, names[i]);
        REQUIRE(function != NULL);
        if (function(0, 0, 0, 0, 0, 0, 0, 0) == cudaSuccess) api_expect(__FILE__, __LINE__, names[i], 0, 1);
        called++;
    }
    REQUIRE(called > 300);
    REQUIRE(__cudaInitModule(handle) == 0);
}

static void call_inside(void *user)
{
    *(enum cudaError *)user = cudaFree(NULL);
}

// Errors that name no argument have a reason, once; a host function that calls CUDA is told of.
SECTION(reasons)
{
    struct CUstream_st *stream, *joined;
    struct CUevent_st *event;
    struct CUgraph_st *graph;
    enum cudaError inside = cudaSuccess;
    WORKS(cudaStreamCreate(&stream));
    WORKS(cudaStreamCreate(&joined));
    WORKS(cudaEventCreateWithFlags(&event, 2));
    WORKS(cudaStreamBeginCapture(stream, 0));
    REFUSES(ERROR_STREAM_CAPTURE_UNSUPPORTED, cudaStreamSynchronize(stream));
    SAYS("cudaStreamSynchronize: cudaErrorStreamCaptureUnsupported (900): a stream is being captured, and this call");
    REFUSES(ERROR_STREAM_CAPTURE_UNSUPPORTED, cudaStreamSynchronize(stream));
    SAYS_NOTHING();
    REFUSES(ERROR_STREAM_CAPTURE_INVALIDATED, cudaStreamEndCapture(stream, &graph));
    SAYS("cudaStreamEndCapture: cudaErrorStreamCaptureInvalidated (901): an earlier call has spoilt the capture");
    REFUSES(ERROR_ILLEGAL_STATE, cudaStreamEndCapture(stream, &graph));
    SAYS("cudaErrorIllegalState (401): a stream or graph is not in the state");
    WORKS(cudaStreamBeginCapture(stream, 0));
    WORKS(cudaEventRecord(event, stream));
    WORKS(cudaStreamWaitEvent(joined, event, 0));
    WORKS(cudaLaunchHostFunc(joined, call_inside, &inside));
    REFUSES(ERROR_STREAM_CAPTURE_UNJOINED, cudaStreamEndCapture(stream, &graph));
    SAYS("cudaErrorStreamCaptureUnjoined (904): a stream joined the capture by an event and was not joined back");
    WORKS(cudaStreamDestroy(joined));
    REFUSES(ERROR_INVALID_HANDLE, cudaStreamSynchronize(joined));
    SAYS("cudaStreamSynchronize: cudaErrorInvalidResourceHandle (400): a handle that is passed");
    WORKS(cudaLaunchHostFunc(stream, call_inside, &inside));
    WORKS(cudaStreamSynchronize(stream));
    SAYS("a host function of a stream (cudaLaunchHostFunc, cudaStreamAddCallback) calls CUDA, which CUDA does not "
         "allow");
    REQUIRE(inside == cudaSuccess);
    // What the driver refuses behind a call of the runtime is told of that call, and of the driver's own behind it.
    REFUSES(ERROR_INVALID_VALUE, cudaFree(&inside));
    SAYS("tmaref: cudaFree: ");
    REFUSES(ERROR_INVALID_VALUE, cuMemFree_v2((unsigned long long)(uintptr_t)&inside));
    SAYS("tmaref: cuMemFree: ");
}

// An event without timing, or one that was not recorded, is no handle where a time is asked for: an H200 answers 400 to
// the runtime's call as to the driver's, in every order of the two events.
SECTION(untimed_events)
{
    struct CUevent_st *start, *end;
    float milliseconds;
    WORKS(cudaEventCreate(&start));
    WORKS(cudaEventCreateWithFlags(&end, 2));
    REFUSES(ERROR_INVALID_HANDLE, cudaEventElapsedTime(&milliseconds, start, end));
    WORKS(cudaEventRecord(start, NULL));
    WORKS(cudaEventRecord(end, NULL));
    REFUSES(ERROR_INVALID_HANDLE, cudaEventElapsedTime(&milliseconds, start, end));
    WORKS(cudaEventDestroy(end));
    REFUSES(ERROR_INVALID_HANDLE, cudaEventElapsedTime(&milliseconds, start, end));
    WORKS(cudaEventCreate(&end)); // the handle of the one before
    WORKS(cudaEventRecord(end, NULL));
    WORKS(cudaEventElapsedTime(&milliseconds, start, end));
    REFUSES(ERROR_INVALID_VALUE, cudaEventElapsedTime(NULL, start, end)); // the driver's call: 400
}
