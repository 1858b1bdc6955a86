// SPDX-License-Identifier: MIT
// Contexts, devices, names.
#include "api.h"

#include <dlfcn.h>
#include <malloc.h>

enum { RELAXED = 2, SCHED_BLOCKING = 4, MAP_HOST = 8, STACK = 0, FIFO = 1, HEAP = 2, DEPTH = 3, LIMITS = 10 };

static void show_before_init(void)
{
    struct CUctx_st *primary, *made, *got;
    REFUSES(ERROR_NOT_INITIALIZED, cuDevicePrimaryCtxRetain(&primary, 0));
    REFUSES(ERROR_NOT_INITIALIZED, cuCtxCreate_v2(&made, 0, 0));
    REFUSES(ERROR_INVALID_VALUE, cuCtxDestroy_v2(NULL));
    REFUSES(ERROR_NOT_INITIALIZED, cuCtxSetCurrent(NULL));
    REFUSES(ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&got));
    REFUSES(ERROR_NOT_INITIALIZED, cuCtxPushCurrent_v2(NULL));
    REFUSES(ERROR_NOT_INITIALIZED, cuCtxPopCurrent_v2(&got));
    REFUSES(ERROR_NOT_INITIALIZED, cuCtxSynchronize());
    REFUSES(ERROR_INVALID_VALUE, cuInit(1));
    WORKS(cuInit(0));
    WORKS(cuInit(0));
}

// The primary one: counted, and active while somebody has it.
static struct CUctx_st *show_primary(void)
{
    struct CUctx_st *primary, *got;
    unsigned flags = 7;
    int active = 7;
    WORKS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    REQUIRE(flags == 0 && active == 0);
    REFUSES(ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
    WORKS(cuDevicePrimaryCtxSetFlags_v2(0, SCHED_BLOCKING));
    REFUSES(ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRetain(&primary, 1));
    REFUSES(ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRelease_v2(1));
    REFUSES(ERROR_INVALID_DEVICE, cuDevicePrimaryCtxReset_v2(-1));
    REFUSES(ERROR_INVALID_DEVICE, cuDevicePrimaryCtxGetState(1, &flags, &active));
    REFUSES(ERROR_INVALID_DEVICE, cuDevicePrimaryCtxSetFlags_v2(1, 0));
    REFUSES(ERROR_INVALID_VALUE, cuDevicePrimaryCtxRetain(NULL, 0));
    WORKS(cuDevicePrimaryCtxRetain(&primary, 0));
    WORKS(cuDevicePrimaryCtxRetain(&got, 0));
    REQUIRE(got == primary);
    WORKS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    REQUIRE(flags == SCHED_BLOCKING && active == 1);
    REFUSES(ERROR_INVALID_VALUE, cuDevicePrimaryCtxGetState(0, NULL, &active));
    REFUSES(ERROR_INVALID_VALUE, cuDevicePrimaryCtxGetState(0, &flags, NULL));
    return primary;
}

// Nothing is current before it is made so.
static void show_current(struct CUctx_st *primary)
{
    unsigned flags = 7, version;
    int device = 7;
    unsigned long long id;
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxGetDevice(&device));
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxGetFlags(&flags));
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxGetId(NULL, &id));
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    WORKS(cuCtxSetCurrent(primary));
    WORKS(cuCtxGetDevice(&device));
    WORKS(cuCtxGetFlags(&flags));
    REQUIRE(device == 0 && flags == (SCHED_BLOCKING | MAP_HOST));
    REFUSES(ERROR_INVALID_VALUE, cuCtxGetDevice(NULL));
    REFUSES(ERROR_INVALID_VALUE, cuCtxGetFlags(NULL));
    REFUSES(ERROR_INVALID_VALUE, cuCtxGetCurrent(NULL));
    WORKS(cuCtxGetApiVersion(primary, &version));
    REQUIRE(version == 3020);
    REFUSES(ERROR_INVALID_VALUE, cuCtxGetApiVersion(primary, NULL));
}

// One of the program's own is current when it is made. When it is destroyed, the one before is.
static void show_own(struct CUctx_st *primary)
{
    struct CUctx_st *made, *got;
    unsigned long long id, other_id;
    REFUSES(ERROR_INVALID_VALUE, cuCtxCreate_v2(NULL, 0, 0));
    REFUSES(ERROR_INVALID_DEVICE, cuCtxCreate_v2(&made, 0, 1));
    WORKS(cuCtxCreate_v4(&made, NULL, 0, 0));
    WORKS(cuCtxGetCurrent(&got));
    REQUIRE(got == made);
    WORKS(cuCtxGetId(made, &id));
    WORKS(cuCtxGetId(primary, &other_id));
    REQUIRE(id != other_id);
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(primary));
    WORKS(cuCtxDestroy_v2(made));
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(made));
    WORKS(cuCtxGetCurrent(&got));
    REQUIRE(got == primary);
    WORKS(cuCtxPushCurrent_v2(made)); // it may be, and can do nothing
    REFUSES(ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
    WORKS(cuCtxSetCurrent(made));
    REFUSES(ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
    WORKS(cuCtxPopCurrent_v2(&got));
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxSetCurrent((struct CUctx_st *)&id));
}

// The stack of a thread has an end.
static void show_stack(struct CUctx_st *primary)
{
    struct CUctx_st *got;
    int pushed = 0;
    while (cuCtxPushCurrent_v2(primary) == CUDA_SUCCESS && pushed < 1000) pushed++;
    REQUIRE(pushed > 8 && pushed < 1000);
    REFUSES(ERROR_OUT_OF_MEMORY, cuCtxPushCurrent_v2(primary));
    while (pushed-- > 0) WORKS(cuCtxPopCurrent_v2(&got));
    WORKS(cuCtxPopCurrent_v2(&got));
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxPopCurrent_v2(&got));
}

// The last release ends what the context had, not its handle.
static void show_release(struct CUctx_st *primary)
{
    struct CUctx_st *got;
    unsigned flags;
    int active = 7;
    WORKS(cuCtxSetCurrent(primary));
    unsigned long long at = api_memory(4096, 1);
    WORKS(cuDevicePrimaryCtxRelease_v2(0));
    REQUIRE(api_byte(at) == 1);
    WORKS(cuDevicePrimaryCtxRelease_v2(0));
    REFUSES(ERROR_CONTEXT_IS_DESTROYED, cuMemcpyDtoH_v2(&flags, at, 1));
    WORKS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    REQUIRE(active == 0);
    WORKS(cuDevicePrimaryCtxRetain(&got, 0));
    REQUIRE(got == primary);
    REFUSES(ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(&flags, at, 1));
}

SECTION(contexts)
{
    show_before_init();
    struct CUctx_st *primary = show_primary();
    show_current(primary);
    show_own(primary);
    show_stack(primary);
    show_release(primary);
}

// Memory, streams, events, modules go with a context. What another one has stays.
SECTION(context_takes_all)
{
    struct CUctx_st *primary = api_ready(), *made;
    struct CUstream_st *stream, *kept;
    struct CUevent_st *event;
    struct CUmod_st *module;
    struct CUfunc_st *function;
    size_t before, left, total;
    unsigned count;
    WORKS(cuStreamCreate(&kept, 0));
    WORKS(cuMemGetInfo_v2(&before, &total));
    WORKS(cuCtxCreate_v2(&made, 0, 0));
    api_memory(1 << 20, 0);
    WORKS(cuStreamCreate(&stream, 0));
    WORKS(cuEventCreate(&event, 0));
    module = api_module(ptx_fault);
    WORKS(cuModuleGetFunction(&function, module, "fault"));
    WORKS(cuMemGetInfo_v2(&left, &total));
    REQUIRE(before - left == 1 << 20);
    WORKS(cuCtxDestroy_v2(made));
    WORKS(cuCtxSetCurrent(primary));
    WORKS(cuCtxSynchronize());
    WORKS(cuMemGetInfo_v2(&left, &total));
    REQUIRE(left == before);
    REFUSES(ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
    REFUSES(ERROR_INVALID_HANDLE, cuEventQuery(event));
    REFUSES(ERROR_INVALID_HANDLE, cuModuleGetFunctionCount(&count, module));
    REFUSES(ERROR_INVALID_HANDLE, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    WORKS(cuStreamSynchronize(kept));
}

// The error of a kernel is that of all contexts, and stays when its own is destroyed.
SECTION(sticky_error)
{
    struct CUctx_st *primary = api_ready(), *made, *other;
    struct CUfunc_st *function;
    WORKS(cuCtxCreate_v2(&made, 0, 0));
    WORKS(cuModuleGetFunction(&function, api_module(ptx_fault), "fault"));
    WORKS(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    SAYS("error: CUDA_ERROR_ILLEGAL_ADDRESS (700) in kernel fault: address 0x0: ");
    WORKS(cuCtxSetCurrent(primary));
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    WORKS(cuCtxDestroy_v2(made));
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuCtxCreate_v2(&other, 0, 0));
}

// A round of everything that a context takes with it: captures under way, and events recorded in them.
static void go_round(void)
{
    struct CUctx_st *context;
    struct CUstream_st *origin, *joined;
    struct CUevent_st *event;
    WORKS(cuCtxCreate_v2(&context, 0, 0));
    const unsigned long long at = api_memory(4096, 0);
    WORKS(cuStreamCreate(&origin, 1));
    WORKS(cuStreamCreate(&joined, 1));
    WORKS(cuEventCreate(&event, 2));
    WORKS(cuStreamBeginCapture_v2(origin, RELAXED));
    for (int i = 0; i < 100; i++) WORKS(cuMemsetD8Async(at, 0, 64, origin));
    WORKS(cuEventRecord(event, origin));
    WORKS(cuStreamWaitEvent(joined, event, 0));
    WORKS(cuCtxDestroy_v2(context));
}

// A hundred contexts take little more memory of the host than ten: their handles, not the 30 KiB of nodes in each.
// (Under a sanitizer mallinfo2 says nothing, and its own search for leaks does it.)
SECTION(context_leaks)
{
    WORKS(cuInit(0));
    for (int i = 0; i < 10; i++) go_round();
    const size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 90; i++) go_round();
    REQUIRE(mallinfo2().uordblks < before + 90 * 512);
}

// As an H200 answered on 2026-11-28: what each value is taken for, and what is left where it is refused.
static void show_set_limits(void)
{
    enum { PENDING = 4, FETCH, PERSISTING, SHARED };
    static const struct {
        uint32_t limit, is_refused;
        size_t value, is;
    } rows[] = {
        {STACK, 0, 523712, 523712},  {STACK, 1, 523728, 523712},
        {FIFO, 0, 1, 524288},        {FIFO, 0, (size_t)4 << 30, (size_t)2 << 30},
        {FIFO, 0, 1 << 20, 1 << 20}, {HEAP, 0, 0, 4194304},
        {HEAP, 0, 1 << 30, 1 << 30}, {PENDING, 0, 24, 32},
        {PENDING, 0, 129, 129},      {PENDING, 0, 1 << 20, 599186},
        {FETCH, 0, 24, 24},          {FETCH, 1, 129, 24},
        {PERSISTING, 0, 0, 0},       {PERSISTING, 0, 1, 3932160},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t value = 0;
        const enum cuda_result wanted = rows[i].is_refused ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
        REQUIRE(cuCtxSetLimit(rows[i].limit, rows[i].value) == wanted);
        WORKS(cuCtxGetLimit(&value, rows[i].limit));
        REQUIRE(value == rows[i].is);
    }
    REFUSES(ERROR_NOT_PERMITTED, cuCtxSetLimit(SHARED, 1));
}

SECTION(limits)
{
    size_t value = 0;
    int least = 7, greatest = 7;
    uint32_t config = 7;
    REFUSES(ERROR_NOT_INITIALIZED, cuCtxGetLimit(&value, STACK));
    api_ready();
    REFUSES(ERROR_INVALID_VALUE, cuCtxGetLimit(NULL, STACK));
    REFUSES(ERROR_INVALID_VALUE, cuCtxGetLimit(&value, LIMITS));
    REFUSES(ERROR_INVALID_VALUE, cuCtxSetLimit(LIMITS, 1));
    REFUSES(ERROR_UNSUPPORTED_LIMIT, cuCtxGetLimit(&value, DEPTH));
    REFUSES(ERROR_UNSUPPORTED_LIMIT, cuCtxSetLimit(DEPTH, 1));
    WORKS(cuCtxGetLimit(&value, STACK));
    REQUIRE(value == 1024);
    show_set_limits();
    WORKS(cuCtxGetStreamPriorityRange(&least, &greatest));
    REQUIRE(least == 0 && greatest == -5);
    WORKS(cuCtxGetStreamPriorityRange(NULL, NULL));
    WORKS(cuCtxSetCacheConfig(1));
    WORKS(cuCtxGetCacheConfig(&config));
    REQUIRE(config == 1);
    REFUSES(ERROR_INVALID_VALUE, cuCtxSetCacheConfig(4));
    REFUSES(ERROR_INVALID_VALUE, cuCtxGetCacheConfig(NULL));
    WORKS(cuCtxResetPersistingL2Cache());
    WORKS(cuProfilerStart());
    WORKS(cuProfilerStop());
}

SECTION(device)
{
    struct CUuuid_st uuid, first;
    char text[64];
    int value = -1, minor = -1;
    size_t bytes;
    REFUSES(ERROR_NOT_INITIALIZED, cuDeviceGetCount(&value));
    REFUSES(ERROR_NOT_INITIALIZED, cuDeviceGetName(text, sizeof text, 0));
    WORKS(cuInit(0));
    WORKS(cuDeviceGetCount(&value));
    REQUIRE(value == 1);
    WORKS(cuDeviceGet(&value, 0));
    REQUIRE(value == 0);
    REFUSES(ERROR_INVALID_DEVICE, cuDeviceGet(&value, 1));
    REFUSES(ERROR_INVALID_VALUE, cuDeviceGet(NULL, 0));
    WORKS(cuDeviceGetName(text, sizeof text, 0));
    REQUIRE(strcmp(text, "NVIDIA H200 (tmaref)") == 0);
    WORKS(cuDeviceGetName(text, 7, 0)); // cut, with its 0
    REQUIRE(strcmp(text, "NVIDIA") == 0);
    REFUSES(ERROR_INVALID_VALUE, cuDeviceGetName(text, 0, 0));
    WORKS(cuDeviceTotalMem_v2(&bytes, 0));
    REQUIRE(bytes == UINT64_C(150109880320));
    WORKS(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    REQUIRE(value == 32);
    REFUSES(ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, (enum cuda_device_attribute)500, 0));
    WORKS(cuDeviceGetUuid(&uuid, 0));
    WORKS(cuDeviceGetUuid_v2(&first, 0));
    REQUIRE(memcmp(&uuid, &first, sizeof uuid) == 0 && memcmp(&uuid, "tmaref", 6) == 0);
    WORKS(cuDeviceGetPCIBusId(text, sizeof text, 0));
    REFUSES(ERROR_INVALID_VALUE, cuDeviceGetPCIBusId(text, 0, 0));
    WORKS(cuDeviceGetByPCIBusId(&value, text)); // the device of its own id
    WORKS(cuDeviceGetByPCIBusId(&value, "0:0:0"));
    WORKS(cuDeviceGetByPCIBusId(&value, "00:00.0"));
    REQUIRE(value == 0);
    REFUSES(ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&value, NULL));
    REFUSES(ERROR_INVALID_DEVICE, cuDeviceGetByPCIBusId(&value, "0000:41:00.0"));
    WORKS(cuDeviceCanAccessPeer(&value, 0, 0));
    REQUIRE(value == 0);
    REFUSES(ERROR_INVALID_DEVICE, cuDeviceCanAccessPeer(&value, 0, 1));
    WORKS(cuDeviceComputeCapability(&value, &minor, 0));
    REQUIRE(value == 9 && minor == 0);
    REFUSES(ERROR_INVALID_VALUE, cuDeviceComputeCapability(&value, NULL, 0));
}

// Every error has a name and a sentence in both APIs, and other numbers have none.
SECTION(errors)
{
    const char *name, *text;
    int known = 0;
    for (int error = -1; error < 1100; error++) {
        const enum cuda_result named = cuGetErrorName((enum cuda_result)error, &name);
        REQUIRE(cuGetErrorString((enum cuda_result)error, &text) == named);
        REQUIRE(named == CUDA_SUCCESS || (named == CUDA_ERROR_INVALID_VALUE && name == NULL && text == NULL));
        if (named == CUDA_SUCCESS) {
            REQUIRE(strncmp(name, "CUDA_", 5) == 0 && strlen(text) > 5);
            known++;
        }
        name = cudaGetErrorName((enum cudaError)error);
        text = cudaGetErrorString((enum cudaError)error);
        if (strncmp(name, "cuda", 4) == 0)
            REQUIRE(strlen(text) > 5);
        else
            REQUIRE(strcmp(name, "unrecognized error code") == 0 && strcmp(text, name) == 0);
    }
    REQUIRE(known > 80);
    REFUSES(ERROR_INVALID_VALUE, cuGetErrorName(CUDA_SUCCESS, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGetErrorString(CUDA_SUCCESS, NULL));
    WORKS(cuGetErrorName((enum cuda_result)719, &name));
    REQUIRE(strcmp(name, "CUDA_ERROR_LAUNCH_FAILED") == 0);
    REQUIRE(strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
}

enum cuda_result cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags);
enum cuda_result cuGetExportTable(const void **table, const struct CUuuid_st *id);

// Calls as scripts make them that ask dlsym() for a name without a version: they are the later ones.
SECTION(first_names)
{
    struct CUctx_st *first, *got = NULL;
    struct CUevent_st *event;
    struct CUstream_st *stream;
    struct CUlinkState_st *link;
    unsigned flags;
    int active;
    WORKS(cuInit(0));
    REFUSES(ERROR_INVALID_DEVICE, cuCtxCreate(&first, 0, 1));
    WORKS(cuCtxCreate(&first, 0, 0));
    WORKS(cuEventCreate(&event, 0));
    WORKS(cuEventDestroy(event));
    WORKS(cuStreamCreate(&stream, 0));
    WORKS(cuStreamDestroy(stream));
    WORKS(cuLinkCreate(0, NULL, NULL, &link));
    WORKS(cuLinkDestroy(link));
    WORKS(cuCtxPopCurrent(&got));
    REQUIRE(got == first);
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&got));
    WORKS(cuCtxPushCurrent(first));
    WORKS(cuCtxDestroy(first));
    WORKS(cuDevicePrimaryCtxSetFlags(0, SCHED_BLOCKING));
    WORKS(cuDevicePrimaryCtxRetain(&got, 0));
    WORKS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    REQUIRE(flags == SCHED_BLOCKING && active == 1);
    WORKS(cuDevicePrimaryCtxRelease(0));
    WORKS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    REQUIRE(active == 0);
    WORKS(cuDevicePrimaryCtxReset(0));
}

// A name that a program asks for is that of the newest version that the program knows.
SECTION(names)
{
    int version = 0;
    uint32_t status = 9;
    void *function = NULL, *old = NULL;
    const void *table = &version;
    WORKS(cuDriverGetVersion(&version));
    REQUIRE(version == 13000);
    REFUSES(ERROR_INVALID_VALUE, cuDriverGetVersion(NULL));
    WORKS(cuGetProcAddress_v2("cuCtxCreate", &function, 13000, 0, &status));
    REQUIRE(status == CU_GET_PROC_ADDRESS_SUCCESS && function != NULL);
    WORKS(cuGetProcAddress_v2("cuCtxCreate", &old, 4000, 0, &status));
    REQUIRE(old != NULL && old != function);
    WORKS(cuGetProcAddress("cuInit", &function, 2000, 0));
    REFUSES(ERROR_NOT_FOUND, cuGetProcAddress("cuNoSuchCall", &function, 13000, 0));
    WORKS(cuGetProcAddress_v2("cuMemAllocAsync", &function, 9000, 0, &status));
    REQUIRE(function == NULL && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    WORKS(cuGetProcAddress_v2("cuMem", &function, 13000, 0, &status));
    REQUIRE(function == NULL && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    REFUSES(ERROR_INVALID_VALUE, cuGetProcAddress_v2(NULL, &function, 13000, 0, &status));
    REFUSES(ERROR_INVALID_VALUE, cuGetProcAddress_v2("cuInit", NULL, 13000, 0, &status));
    REFUSES(ERROR_INVALID_VALUE, cuGetProcAddress_v2("cuInit", &function, 13000, 3, &status));
    // The private interface: said once what to do.
    SAYS_NOTHING();
    REFUSES(ERROR_NOT_SUPPORTED, cuGetExportTable(&table, NULL));
    REQUIRE(table == NULL);
    SAYS("this program asks the driver for a private interface");
    REFUSES(ERROR_NOT_SUPPORTED, cuGetExportTable(NULL, NULL));
    SAYS_NOTHING();
}

// NVIDIA's libraries and many wheels carry the static runtime: the report has the name of the one that asks.
SECTION(private_library)
{
    void *library = dlopen(ASKING_LIBRARY, RTLD_NOW);
    REQUIRE(library != NULL);
    int (*ask)(void) = NULL;
    *(void **)&ask = dlsym(library, "ask");
    REFUSES(ERROR_NOT_SUPPORTED, ask());
    SAYS(ASKING_LIBRARY " asks");
}
