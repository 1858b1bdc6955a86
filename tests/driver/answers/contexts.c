// SPDX-License-Identifier: MIT
#include "answers.h"

SECTION(peers)
{
    ready();
    int v = 77;
    for (int a = 0; a < 6; a++) {
        v = 77;
        SHOW(cuDeviceGetP2PAttribute(&v, a, 0, 0));
        VALUE("value", v);
    }
    SHOW(cuDeviceGetP2PAttribute(&v, 1, 0, 1));
    SHOW(cuDeviceGetP2PAttribute(NULL, 1, 0, 0));
    SHOW(cuDeviceCanAccessPeer(&v, 0, 0));
    SHOW(cuDeviceCanAccessPeer(&v, 0, 1));
    SHOW(cuDeviceCanAccessPeer(&v, 1, 0));
    SHOW(cuCtxEnablePeerAccess(ctx, 0));
    SHOW(cuCtxEnablePeerAccess(NULL, 0));
    SHOW(cuCtxDisablePeerAccess(ctx));
    SHOW(cuCtxDisablePeerAccess(NULL));
    CUcontext o;
    SHOW(cuCtxCreate_v4(&o, NULL, 0, 0));
    SHOW(cuCtxEnablePeerAccess(ctx, 0));
    SHOW(cuCtxEnablePeerAccess(ctx, 1));
    SHOW(cuCtxDisablePeerAccess(ctx));
    SHOW(cuCtxSetCurrent(ctx));
    SHOW(cudaDeviceEnablePeerAccess(0, 0));
    SHOW(cudaDeviceEnablePeerAccess(1, 0));
    SHOW(cudaDeviceDisablePeerAccess(0));
    SHOW(cudaDeviceDisablePeerAccess(1));
    SHOW(cudaDeviceGetP2PAttribute(&v, 1, 0, 0));
    SHOW(cudaDeviceGetP2PAttribute(&v, 1, 0, 1));
    SHOW(cudaDeviceCanAccessPeer(&v, 0, 0));
    SHOW(cudaDeviceCanAccessPeer(&v, 0, 1));
}

SECTION(context_calls)
{
    ready();
    unsigned f = 77;
    int d = 7;
    SHOW(cuCtxSetFlags(CU_CTX_SCHED_SPIN));
    SHOW(cuCtxGetFlags(&f));
    VALUE("flags", f);
    SHOW(cuCtxSetFlags(16));
    SHOW(cuCtxGetFlags(&f));
    VALUE("flags", f);
    SHOW(cuCtxSetFlags(8));
    SHOW(cuCtxSetFlags(3));
    SHOW(cuCtxSetFlags(1 << 20));
    for (int i = 0; i < 256; i = i ? 2 * i : 1) {
        printf(" %d", i);
        SHOW(cuCtxSetFlags(i));
    }
    uint32_t sc = 77;
    SHOW(cuCtxGetSharedMemConfig(&sc));
    VALUE("config", sc);
    SHOW(cuCtxSetSharedMemConfig(2));
    SHOW(cuCtxGetSharedMemConfig(&sc));
    VALUE("config", sc);
    SHOW(cuCtxSetSharedMemConfig(3));
    int n = 77;
    SHOW(cuDeviceGetExecAffinitySupport(&n, 0, 0));
    VALUE("support", n);
    SHOW(cuDeviceGetExecAffinitySupport(&n, 1, 0));
    CUevent e;
    cuEventCreate(&e, 0);
    SHOW(cuCtxRecordEvent(ctx, e));
    SHOW(cuCtxWaitEvent(ctx, e));
    SHOW(cuCtxRecordEvent(NULL, e));
    SHOW(cuCtxRecordEvent(ctx, NULL));
    SHOW(cuCtxWaitEvent(ctx, NULL));
    SHOW(cuEventQuery(e));
    SHOW(cuCtxGetDevice_v2(&d, ctx));
    VALUE("device", d);
    SHOW(cuCtxSynchronize_v2(ctx));
    CUcontext got;
    CUstream s;
    cuStreamCreate(&s, 0);
    SHOW(cuStreamGetCtx(s, &got));
    VALUE("same", got == ctx);
    struct CUgreenCtx_st *gc = (struct CUgreenCtx_st *)77;
    SHOW(cuStreamGetCtx_v2(s, &got, &gc));
    VALUE("same", got == ctx);
    VALUE("green", gc == 0);
    SHOW(cuStreamGetGreenCtx(s, &gc));
    VALUE("green", gc == 0);
    SHOW(cuCtxGetDevice_v2(&d, NULL));
}

SECTION(context_create)
{
    cuInit(0);
    CUcontext c;
    unsigned v;
    int n;
    for (int i = 0; i < 10; i++) {
        printf(" %d", i);
        SHOW(cuCtxCreate_v2(&c, i, 0));
    }
    for (int i = 16; i < 1024; i *= 2) {
        printf(" %d", i);
        SHOW(cuCtxCreate_v2(&c, i, 0));
    }
    SHOW(cuCtxCreate_v3(&c, NULL, 0, 0, 0));
    CUexecAffinityParam ap;
    memset(&ap, 0, sizeof ap);
    ap.count = 16;
    SHOW(cuCtxCreate_v3(&c, &ap, 1, 0, 0));
    SHOW(cuCtxGetApiVersion(c, &v));
    VALUE("version", v);
    CUctxCreateParams cp;
    memset(&cp, 0, sizeof cp);
    SHOW(cuCtxCreate_v4(&c, &cp, 0, 0));
    cp.execAffinityParams = &ap;
    cp.numExecAffinityParams = 1;
    SHOW(cuCtxCreate_v4(&c, &cp, 0, 0));
    SHOW(cuCtxDestroy(c));
    SHOW(cuDevicePrimaryCtxSetFlags(0, 3));
    SHOW(cuDevicePrimaryCtxSetFlags(0, 1 << 20));
    SHOW(cuDevicePrimaryCtxSetFlags(0, 8));
    SHOW(cuDevicePrimaryCtxSetFlags(0, 4));
    SHOW(cuDevicePrimaryCtxGetState(0, &v, &n));
    VALUE("flags", v);
}

SECTION(device_calls)
{
    ready();
    char luid[8];
    unsigned mask = 7;
    SHOW(cuDeviceGetLuid(luid, &mask, 0));
    CUdevprop p;
    memset(&p, 0, sizeof p);
    SHOW(cuDeviceGetProperties(&p, 0));
    printf("    %d %d %d %d %d %d %d %d %d %d %d\n", p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[2],
           p.maxGridSize[0], p.sharedMemPerBlock, p.totalConstantMemory, p.SIMDWidth, p.memPitch, p.regsPerBlock,
           p.clockRate, p.textureAlign);
    SHOW(cuDeviceGetProperties(NULL, 0));
    SHOW(cuDeviceGetProperties(&p, 1));
    unsigned caps[13];
    uint32_t ops[13];
    for (int i = 0; i < 13; i++) ops[i] = i;
    SHOW(cuDeviceGetHostAtomicCapabilities(caps, ops, 13, 0));
    for (int i = 0; i < 13; i++) printf(" %x", caps[i]);
    puts("");
    SHOW(cuFlushGPUDirectRDMAWrites(0, 100));
    SHOW(cuFlushGPUDirectRDMAWrites(0, 200));
    SHOW(cuFlushGPUDirectRDMAWrites(1, 100));
    SHOW(cuFlushGPUDirectRDMAWrites(0, 1));
    SHOW(cuProfilerStart());
    SHOW(cuProfilerStop());
    CUkernel k;
    CUlibrary l;
    cuLibraryLoadData(&l, HEAD PUT, 0, 0, 0, 0, 0, 0);
    cuLibraryGetKernel(&k, l, "put");
    for (int i = 0; i < 5; i++) SHOW(cuKernelSetCacheConfig(k, i, 0));
    SHOW(cuKernelSetCacheConfig(k, 0, 1));
    SHOW(cuKernelSetCacheConfig(NULL, 0, 0));
    CUmemoryPool pool;
    CUmemLocation loc = {1, 0}, host = {2, 0};
    SHOW(cuMemGetDefaultMemPool(&pool, &loc, 1));
    CUmemoryPool q;
    cuDeviceGetDefaultMemPool(&q, 0);
    VALUE("same", pool == q);
    SHOW(cuMemGetDefaultMemPool(&pool, &loc, 2));
    SHOW(cuMemGetMemPool(&pool, &loc, 1));
    VALUE("same", pool == q);
    SHOW(cuMemSetMemPool(&loc, 1, pool));
    SHOW(cuMemSetMemPool(&host, 1, pool));
}
