// SPDX-License-Identifier: MIT
// Memory and events of two processes, and a process that splits after cuInit.
#include <sys/wait.h>

#include "answers.h"
#include "tied_fork.h"

enum { CHILD_SECONDS = 10 };

static int to_child[2], to_parent[2];

static void get(int from, void *to, size_t bytes)
{
    if (read(from, to, bytes) != (ssize_t)bytes) puts("  nothing came");
}

static void put(int to, const void *from, size_t bytes)
{
    if (write(to, from, bytes) != (ssize_t)bytes) puts("  nothing went");
}

struct shared {
    struct CUipcMemHandle_st whole, part, other;
    struct CUipcEventHandle_st event;
};

static void child(void)
{
    struct shared at;
    CUdeviceptr a = 0, b = 0, c = 0;
    CUevent e = NULL;
    char done = 1;
    alarm(CHILD_SECONDS);
    get(to_child[0], &at, sizeof at);
    ready();
    SHOW(cuIpcOpenMemHandle_v2(&a, at.whole, 0));
    SHOW(cuIpcOpenMemHandle_v2(&a, at.whole, 2));
    SHOW(cuIpcOpenMemHandle_v2(&a, at.whole, 1));
    VALUE("word", word(a));
    SHOW(cuIpcOpenMemHandle_v2(&b, at.whole, 1));
    VALUE("the same again", a == b);
    SHOW(cuIpcOpenMemHandle_v2(&c, at.part, 1));
    VALUE("word of what the part's handle opens", word(c));
    CUdeviceptr base = 0;
    size_t bytes = 0;
    SHOW(cuMemGetAddressRange_v2(&base, &bytes, a));
    VALUE("bytes", bytes);
    VALUE("base", base == a);
    CUfunction f = fun(PUT, "put");
    SHOW(launch(f, a, 99, NULL));
    SHOW(cuCtxSynchronize());
    SHOW(cuIpcOpenEventHandle(&e, at.event));
    SHOW(cuEventQuery(e));
    SHOW(cuStreamWaitEvent(NULL, e, 0));
    SHOW(cuEventDestroy_v2(e));
    SHOW(cuMemFree(a));
    struct CUipcMemHandle_st again;
    SHOW(cuIpcGetMemHandle(&again, a));
    SHOW(cuIpcCloseMemHandle(a));
    SHOW(cuIpcCloseMemHandle(a));
    SHOW(cuIpcCloseMemHandle(a));
    SHOW(cuIpcCloseMemHandle(c));
    memset(&again, 0, sizeof again);
    SHOW(cuIpcOpenMemHandle_v2(&a, again, 1));
    put(to_parent[1], &done, 1);
    _exit(0);
}

SECTION(ipc)
{
    if (pipe(to_child) != 0 || pipe(to_parent) != 0) return;
    const pid_t pid = tied_fork();
    if (pid == 0) child();
    ready();
    struct shared at;
    memset(&at, 0, sizeof at);
    CUdeviceptr a = mem(4 << 20), m = 0, own = 0;
    char done;
    CUevent e, plain;
    cuMemsetD32(a, 7, 1);
    cuMemsetD32(a + 4096, 8, 1);
    cuCtxSynchronize();
    SHOW(cuIpcGetMemHandle(&at.whole, a));
    SHOW(cuIpcGetMemHandle(&at.part, a + 4096));
    VALUE("another", memcmp(&at.whole, &at.part, sizeof at.whole) != 0);
    SHOW(cuIpcGetMemHandle(&at.other, a + 4));
    SHOW(cuIpcGetMemHandle(NULL, a));
    SHOW(cuIpcGetMemHandle(&at.other, 16));
    cuMemAllocManaged(&m, 4096, 1);
    SHOW(cuIpcGetMemHandle(&at.other, m));
    void *host;
    cuMemHostAlloc(&host, 4096, 0);
    SHOW(cuIpcGetMemHandle(&at.other, (CUdeviceptr)host));
    cuMemAllocAsync(&own, 4096, NULL);
    SHOW(cuIpcGetMemHandle(&at.other, own));
    SHOW(cuIpcOpenMemHandle_v2(&own, at.whole, 1));
    SHOW(cuIpcCloseMemHandle(a));
    SHOW(cuEventCreate(&plain, 0));
    SHOW(cuIpcGetEventHandle(&at.event, plain));
    SHOW(cuEventCreate(&e, 4));
    SHOW(cuEventCreate(&e, 2 | 4));
    SHOW(cuIpcGetEventHandle(&at.event, e));
    SHOW(cuIpcGetEventHandle(NULL, e));
    SHOW(cuEventRecord(e, NULL));
    SHOW(cuCtxSynchronize());
    put(to_child[1], &at, sizeof at);
    get(to_parent[0], &done, 1);
    waitpid(pid, NULL, 0);
    VALUE("word", word(a));
    CUevent opened;
    SHOW(cuIpcOpenEventHandle(&opened, at.event));
    SHOW(cuMemFree(a));
}

SECTION(fork)
{
    ready();
    CUdeviceptr a = mem(64), b = 0;
    const pid_t pid = tied_fork();
    if (pid != 0) {
        waitpid(pid, NULL, 0);
        SHOW(cuMemAlloc(&b, 64));
        return;
    }
    int n = 7;
    CUcontext c = NULL;
    alarm(CHILD_SECONDS);
    SHOW(cuInit(0));
    SHOW(cuDriverGetVersion(&n));
    SHOW(cuDeviceGetCount(&n));
    SHOW(cuDeviceGet(&n, 0));
    SHOW(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    SHOW(cuCtxGetCurrent(&c));
    SHOW(cuCtxSetCurrent(ctx));
    SHOW(cuCtxSynchronize());
    SHOW(cuMemAlloc(&b, 64));
    SHOW(cuMemFree(a));
    SHOW(cuDevicePrimaryCtxRetain(&c, 0));
    SHOW(cuCtxCreate_v2(&c, 0, 0));
    const char *name = NULL;
    SHOW(cuGetErrorName((enum cuda_result)3, &name));
    void *f = NULL;
    SHOW(cuGetProcAddress_v2("cuInit", &f, 13000, 0, NULL));
    SHOW(cudaGetDeviceCount(&n));
    SHOW(cudaSetDevice(0));
    SHOW(cudaGetDevice(&n));
    SHOW(cudaMalloc((void **)&f, 4));
    SHOW(cudaGetLastError());
    SHOW(cudaDriverGetVersion(&n));
    SHOW(cudaRuntimeGetVersion(&n));
    _exit(0);
}

SECTION(fork_of_runtime)
{
    void *a;
    int n;
    SHOW(cudaMalloc(&a, 64));
    const pid_t pid = tied_fork();
    if (pid != 0) {
        waitpid(pid, NULL, 0);
        return;
    }
    alarm(CHILD_SECONDS);
    SHOW(cudaGetDeviceCount(&n));
    SHOW(cudaGetDevice(&n));
    SHOW(cudaSetDevice(0));
    SHOW(cudaMalloc(&a, 64));
    SHOW(cudaGetLastError());
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaFree(a));
    _exit(0);
}
