// SPDX-License-Identifier: MIT
#include "answers.h"

static CUlibrary rl;
static CUkernel rk, rf;

static void rload(void)
{
    SHOW(cudaLibraryLoadData(&rl, HEAD PUT FAULT, 0, 0, 0, 0, 0, 0));
    SHOW(cudaLibraryGetKernel(&rk, rl, "put"));
    SHOW(cudaLibraryGetKernel(&rf, rl, "fault"));
}

static int rlaunch(CUkernel k, void *to, unsigned v)
{
    void *p[] = {&to, &v};
    struct dim3 o = {1, 1, 1};
    return (int)cudaLaunchKernel((void *)k, o, o, p, 0, 0);
}

SECTION(runtime_fault)
{
    void *a, *b;
    rload();
    SHOW(cudaMalloc(&a, 64));
    SHOW(rlaunch(rk, a, 7));
    SHOW(cudaDeviceSynchronize());
    SHOW(rlaunch(rf, a, 7));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaGetLastError());
    SHOW(cudaGetLastError());
    SHOW(cudaPeekAtLastError());
    SHOW(cudaMalloc(&b, 64));
    SHOW(cudaFree(a));
    SHOW(rlaunch(rk, a, 7));
    SHOW(cudaGetLastError());
    SHOW(cudaDeviceReset());
    SHOW(cudaGetLastError());
    SHOW(cudaMalloc(&b, 64));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaSetDevice(0));
    SHOW(cudaGetLastError());
    int n;
    SHOW(cudaGetDeviceCount(&n));
    SHOW(cudaGetDevice(&n));
    struct cudaDeviceProp pr;
    SHOW(cudaGetDeviceProperties(&pr, 0));
    SHOW(cudaDeviceGetAttribute(&n, 16, 0));
    SHOW(cudaStreamCreate((CUstream *)&b));
    SHOW(cudaEventCreate((CUevent *)&b));
    SHOW(cudaMallocHost(&b, 64));
    SHOW(cudaFreeHost(NULL));
    SHOW(cudaFree(NULL));
    SHOW(cudaMemGetInfo((size_t *)&b, (size_t *)&b));
    SHOW(cudaRuntimeGetVersion(&n));
    SHOW(cudaDriverGetVersion(&n));
    SHOW(cudaStreamQuery(0));
    SHOW(cudaGetErrorString(0) == NULL);
    SHOW(cudaDeviceReset());
    SHOW(cudaPeekAtLastError());
    struct cudaPointerAttributes pa;
    SHOW(cudaPointerGetAttributes(&pa, a));
    SHOW(cudaGraphCreate((CUgraph *)&b, 0));
    SHOW(cudaFuncGetAttributes((struct cudaFuncAttributes *)&pr, rk));
    SHOW(cudaSetDeviceFlags(0));
    SHOW(cudaInitDevice(0, 0, 0));
    SHOW(cudaDeviceCanAccessPeer(&n, 0, 0));
    CUcontext c;
    SHOW(cuCtxGetCurrent(&c));
    VALUE("current", c != 0);
}

SECTION(runtime_fault_reset)
{
    void *a, *b;
    rload();
    SHOW(cudaMalloc(&a, 64));
    SHOW(rlaunch(rf, a, 7));
    SHOW(cudaDeviceReset());
    SHOW(cudaGetLastError());
    SHOW(cudaMalloc(&b, 64));
    SHOW(cudaDeviceSynchronize());
}

SECTION(runtime_reset)
{
    void *a, *b;
    CUstream s;
    CUevent e;
    rload();
    SHOW(cudaMalloc(&a, 64));
    SHOW(cudaStreamCreate(&s));
    SHOW(cudaEventCreate(&e));
    SHOW(cudaDeviceReset());
    SHOW(cudaGetLastError());
    SHOW(cudaFree(a));
    SHOW(cudaMalloc(&b, 64));
    SHOW(rlaunch(rk, b, 7));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaGetLastError());
    SHOW(cudaStreamSynchronize(0));
    SHOW(cudaLibraryGetKernel(&rk, rl, "put"));
    SHOW(rlaunch(rk, b, 8));
    SHOW(cudaDeviceSynchronize());
}

SECTION(runtime_trap)
{
    void *a;
    CUlibrary l;
    CUkernel k;
    SHOW(cudaLibraryLoadData(&l, HEAD ".visible .entry k()\n{\ntrap;\n}\n", 0, 0, 0, 0, 0, 0));
    SHOW(cudaLibraryGetKernel(&k, l, "k"));
    struct dim3 o = {1, 1, 1};
    SHOW(cudaLaunchKernel((void *)k, o, o, 0, 0, 0));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaDeviceReset());
    SHOW(cudaMalloc(&a, 4));
    SHOW(cudaGetLastError());
}

SECTION(runtime_calls)
{
    void *b = 0;
    int n = 7;
    SHOW(cudaFree(0));
    SHOW(cudaSetValidDevices(&n, 1));
    n = 0;
    SHOW(cudaSetValidDevices(&n, 1));
    SHOW(cudaSetValidDevices(&n, 0));
    SHOW(cudaSetValidDevices(NULL, 0));
    SHOW(cudaSetValidDevices(NULL, 1));
    uint32_t sc = 7;
    SHOW(cudaDeviceGetSharedMemConfig(&sc));
    VALUE("config", sc);
    SHOW(cudaDeviceSetSharedMemConfig(1));
    SHOW(cudaDeviceSetSharedMemConfig(3));
    SHOW(cudaDeviceFlushGPUDirectRDMAWrites(0, 100));
    SHOW(cudaDeviceFlushGPUDirectRDMAWrites(0, 0));
    unsigned long long v = 7;
    SHOW(cudaDeviceGetGraphMemAttribute(0, 0, &v));
    SHOW(cudaDeviceGraphMemTrim(0));
    SHOW(cudaDeviceGraphMemTrim(1));
    rload();
    SHOW(cudaKernelSetAttributeForDevice(rk, 8, 70000, 0));
    SHOW(cudaKernelSetAttributeForDevice(rk, 8, 70000, 1));
    SHOW(cudaFuncSetSharedMemConfig(rk, 1));
    SHOW(cudaMemPoolGetAccess((uint32_t *)&n, NULL, NULL));
    CUmemoryPool mp;
    CUmemLocation l = {1, 0};
    SHOW(cudaMemGetDefaultMemPool(&mp, &l, 1));
    SHOW(cudaMemGetMemPool(&mp, &l, 1));
    SHOW(cudaMemSetMemPool(&l, 1, mp));
    CUstream s, s2;
    cudaStreamCreate(&s);
    cudaStreamCreate(&s2);
    unsigned char sv[64];
    SHOW(cudaStreamGetAttribute(s, 8, &sv));
    SHOW(cudaStreamCopyAttributes(s, s2));
    SHOW(cudaGetDriverEntryPoint("cuMemAlloc", &b, 0, (uint32_t *)&n));
}
