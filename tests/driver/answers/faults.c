// SPDX-License-Identifier: MIT
// What calls answer after a kernel has faulted, in both APIs.
#include "answers.h"

static void fault(void)
{
    CUfunction f = fun(FAULT, "fault");
    SHOW(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    SHOW(cuCtxSynchronize());
}

// The runtime's small calls, before and behind a fault.
static void small(void)
{
    int n = 7;
    unsigned u = 7;
    size_t bytes;
    uint32_t config = 0;
    CUstream s = NULL;
    void *p = NULL;
    struct cudaDeviceProp wanted;
    memset(&wanted, 0, sizeof wanted);
    SHOW(cudaSetDevice(0));
    SHOW(cudaSetDevice(9));
    SHOW(cudaGetDevice(&n));
    SHOW(cudaGetDeviceFlags(&u));
    VALUE("flags", u);
    SHOW(cudaSetDeviceFlags(0));
    SHOW(cudaGetDeviceFlags(&u));
    VALUE("flags", u);
    SHOW(cudaSetDeviceFlags(4));
    SHOW(cudaSetDeviceFlags(3));
    SHOW(cudaSetDeviceFlags(1 << 20));
    SHOW(cudaInitDevice(0, 0, 0));
    SHOW(cudaInitDevice(9, 0, 0));
    SHOW(cudaDeviceGetLimit(&bytes, 0));
    SHOW(cudaDeviceSetLimit(0, 2048));
    SHOW(cudaDeviceGetCacheConfig(&config));
    SHOW(cudaDeviceSetCacheConfig(1));
    SHOW(cudaDeviceGetStreamPriorityRange(&n, &n));
    SHOW(cudaChooseDevice(&n, &wanted));
    SHOW(cudaProfilerStart());
    SHOW(cudaProfilerStop());
    SHOW(cudaCtxResetPersistingL2Cache());
    SHOW(cudaMemGetInfo(&bytes, &bytes));
    SHOW(cudaStreamIsCapturing(s, &config));
    SHOW(cudaThreadExchangeStreamCaptureMode(&config));
    SHOW(cudaDeviceGetDefaultMemPool((CUmemoryPool *)&p, 0));
    SHOW(cudaDeviceGetSharedMemConfig(&config));
    SHOW(cudaGetDriverEntryPointByVersion("cuInit", &p, 12000, 0, (uint32_t *)&u));
    SHOW(cudaHostAlloc(&p, 64, 0));
    SHOW(cudaMallocManaged(&p, 64, 1));
    SHOW(cudaStreamCreateWithFlags(&s, 1));
    SHOW(cudaEventCreateWithFlags((CUevent *)&p, 2));
    SHOW(cudaPeekAtLastError());
    SHOW(cudaGetLastError());
}

// What was made before the fault.
static CUdeviceptr a, managed;
static CUstream s;
static CUevent e;
static CUgraph g;
static CUgraphExec exec;
static CUlibrary l;
static CUfunction f;

static void contexts_after(void)
{
    CUcontext c = NULL;
    CUmemoryPool pool;
    int n = 0;
    unsigned u = 0;
    size_t bytes = 0;
    uint32_t config = 0;
    SHOW(cuInit(0));
    SHOW(cuCtxGetCurrent(&c));
    SHOW(cuCtxSetCurrent(ctx));
    SHOW(cuCtxPushCurrent_v2(ctx));
    SHOW(cuCtxPopCurrent_v2(&c));
    SHOW(cuCtxGetDevice(&n));
    SHOW(cuCtxGetFlags(&u));
    SHOW(cuCtxSetFlags(0));
    SHOW(cuCtxGetApiVersion(ctx, &u));
    SHOW(cuCtxGetLimit(&bytes, 0));
    SHOW(cuCtxSetLimit(0, 2048));
    SHOW(cuCtxGetCacheConfig(&config));
    SHOW(cuCtxGetStreamPriorityRange(&n, &n));
    unsigned long long id;
    SHOW(cuCtxGetId(ctx, &id));
    SHOW(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    SHOW(cuDeviceGetCount(&n));
    SHOW(cuDeviceTotalMem_v2(&bytes, 0));
    SHOW(cuDevicePrimaryCtxGetState(0, &u, &n));
    VALUE("active", n);
    SHOW(cuDevicePrimaryCtxSetFlags(0, 0));
    SHOW(cuDeviceGetDefaultMemPool(&pool, 0));
    SHOW(cuDeviceGetGraphMemAttribute(0, 0, &id));
}

static void memory_after(void)
{
    CUdeviceptr b = 0;
    void *host = NULL;
    size_t bytes = 0;
    int n = 0;
    SHOW(cuMemGetInfo_v2(&bytes, &bytes));
    SHOW(cuMemAlloc(&b, 64));
    SHOW(cuMemAllocManaged(&b, 64, 1));
    SHOW(cuMemHostAlloc(&host, 64, 0));
    SHOW(cuMemGetAddressRange_v2(&b, &bytes, a));
    SHOW(cuPointerGetAttribute(&n, 2, a));
    SHOW(cuMemcpyDtoH(&n, a, 4));
    SHOW(cuMemsetD8(a, 0, 4));
}

static void streams_after(void)
{
    CUstream t = NULL;
    CUevent x;
    CUcontext c = NULL;
    int n = 0;
    unsigned u = 0;
    SHOW(cuStreamCreate(&t, 0));
    SHOW(cuStreamQuery(s));
    SHOW(cuStreamQuery(NULL));
    SHOW(cuStreamSynchronize(NULL));
    SHOW(cuStreamGetFlags(NULL, &u));
    SHOW(cuStreamSynchronize(s));
    SHOW(cuStreamGetFlags(s, &u));
    SHOW(cuStreamGetPriority(s, &n));
    SHOW(cuStreamGetCtx(s, &c));
    SHOW(cuStreamWaitEvent(s, e, 0));
    SHOW(cuStreamIsCapturing(s, &u));
    SHOW(cuStreamBeginCapture(s, 0));
    SHOW(cuEventCreate(&x, 0));
    SHOW(cuEventQuery(e));
    SHOW(cuEventSynchronize(e));
    SHOW(cuEventRecord(e, s));
    float ms;
    SHOW(cuEventElapsedTime(&ms, e, e));
}

static void kernels_after(void)
{
    CUmodule m;
    CUlibrary l2;
    CUkernel k;
    int n = 0;
    unsigned u = 0;
    void *p[] = {&a, &u};
    SHOW(cuModuleLoadData(&m, HEAD PUT));
    SHOW(cuLibraryLoadData(&l2, HEAD PUT, 0, 0, 0, 0, 0, 0));
    SHOW(cuLibraryGetKernel(&k, l, "put"));
    SHOW(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    SHOW(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
    SHOW(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 32, 0));
    SHOW(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, p, NULL));
    SHOW(cuLaunchHostFunc(s, nothing, NULL));
    SHOW(cuGraphCreate(&g, 0));
    SHOW(cuGraphInstantiate(&exec, g, 0));
    SHOW(cuGraphLaunch(exec, s));
    SHOW(cuGraphExecDestroy(exec));
    SHOW(cuGraphDestroy(g));
}

static void ends_after(void)
{
    CUcontext c = NULL;
    uint32_t config = 0;
    SHOW(cuMemFree(managed));
    SHOW(cuMemFree(a));
    SHOW(cuEventDestroy_v2(e));
    SHOW(cuStreamDestroy_v2(s));
    SHOW(cuCtxCreate_v2(&c, 0, 0));
    SHOW(cuCtxSynchronize());
    SHOW(cuDevicePrimaryCtxRetain(&c, 0));
    SHOW(cuDevicePrimaryCtxRelease_v2(0));
    SHOW(cuProfilerStart());
    SHOW(cuThreadExchangeStreamCaptureMode(&config));
}

SECTION(driver_fault)
{
    CUmemoryPool pool;
    ready();
    a = mem(64);
    f = fun(PUT, "put");
    cuMemAllocManaged(&managed, 4096, 1);
    cuStreamCreate(&s, 0);
    cuEventCreate(&e, 0);
    cuEventRecord(e, s);
    cuGraphCreate(&g, 0);
    cuGraphInstantiate(&exec, g, 0);
    cuDeviceGetDefaultMemPool(&pool, 0);
    cuLibraryLoadData(&l, HEAD PUT, 0, 0, 0, 0, 0, 0);
    cuCtxSynchronize();
    fault();
    contexts_after();
    memory_after();
    streams_after();
    kernels_after();
    ends_after();
}

SECTION(runtime_small)
{
    SHOW(cudaFree(0));
    small();
}

SECTION(runtime_small_fault)
{
    SHOW(cudaFree(0));
    fault();
    small();
}
