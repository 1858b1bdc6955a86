// SPDX-License-Identifier: MIT
#include "answers.h"

SECTION(released)
{
    ready();
    CUmemAllocationProp pr = {0};
    pr.type = 1;
    pr.location.type = 1;
    CUmemGenericAllocationHandle h, r;
    CUdeviceptr a;
    size_t n = 2 << 20;
    CUmemAccessDesc d = {{1, 0}, 3};
    CUmemAllocationProp q;
    SHOW(cuMemCreate(&h, n, &pr, 0));
    SHOW(cuMemAddressReserve(&a, 2 * n, 0, 0, 0));
    SHOW(cuMemMap(a, n, 0, h, 0));
    SHOW(cuMemRelease(h));
    SHOW(cuMemGetAllocationPropertiesFromHandle(&q, h));
    VALUE("type", q.type);
    SHOW(cuMemMap(a + n, n, 0, h, 0));
    SHOW(cuMemSetAccess(a, 2 * n, &d, 1));
    SHOW(cuMemRelease(h));
    SHOW(cuMemRetainAllocationHandle(&r, (void *)a));
    VALUE("same", r == h);
    SHOW(cuMemRelease(r));
    SHOW(cuMemUnmap(a, n));
    SHOW(cuMemMap(a, n, 0, h, 0));
    SHOW(cuMemUnmap(a, n));
    SHOW(cuMemUnmap(a + n, n));
}

SECTION(access)
{
    ready();
    CUmemAllocationProp pr = {0};
    pr.type = 1;
    pr.location.type = 1;
    CUmemGenericAllocationHandle h;
    CUdeviceptr a;
    size_t n = 2 << 20;
    CUmemAccessDesc d = {{1, 0}, 3};
    CUmemLocation l = {1, 0}, host = {2, 0}, bad = {1, 1};
    unsigned long long f = 77;
    SHOW(cuMemCreate(&h, n, &pr, 0));
    SHOW(cuMemAddressReserve(&a, 2 * n, 0, 0, 0));
    SHOW(cuMemGetAccess(&f, &l, a));
    SHOW(cuMemMap(a, n, 0, h, 0));
    SHOW(cuMemGetAccess(&f, &l, a));
    VALUE("flags", f);
    SHOW(cuMemSetAccess(a, n, &d, 1));
    SHOW(cuMemGetAccess(&f, &l, a));
    VALUE("flags", f);
    SHOW(cuMemGetAccess(&f, &l, a + 100));
    VALUE("flags", f);
    SHOW(cuMemGetAccess(&f, &host, a));
    VALUE("flags", f);
    SHOW(cuMemGetAccess(&f, &bad, a));
    SHOW(cuMemGetAccess(NULL, &l, a));
    SHOW(cuMemGetAccess(&f, NULL, a));
    d.flags = 1;
    SHOW(cuMemSetAccess(a, n, &d, 1));
    SHOW(cuMemGetAccess(&f, &l, a));
    VALUE("flags", f);
    CUdeviceptr m = mem(64);
    SHOW(cuMemGetAccess(&f, &l, m));
    VALUE("flags", f);
    SHOW(cuMemGetAccess(&f, &l, (CUdeviceptr)&f));
    void *hp;
    cuMemHostAlloc(&hp, 64, 0);
    SHOW(cuMemGetAccess(&f, &l, (CUdeviceptr)hp));
    CUdeviceptr mm;
    cuMemAllocManaged(&mm, 64, 1);
    SHOW(cuMemGetAccess(&f, &l, mm));
    VALUE("flags", f);
    SHOW(cuMemAllocAsync(&mm, 64, 0));
    SHOW(cuMemGetAccess(&f, &l, mm));
    VALUE("flags", f);
}

SECTION(fds)
{
    ready();
    CUmemAllocationProp pr = {0}, q;
    pr.type = 1;
    pr.location.type = 1;
    CUmemGenericAllocationHandle h, i;
    CUdeviceptr a;
    size_t n = 2 << 20;
    int fd = -1;
    CUmemAccessDesc d = {{1, 0}, 3};
    SHOW(cuMemCreate(&h, n, &pr, 0));
    SHOW(cuMemExportToShareableHandle(&fd, h, 1, 0));
    pr.handle_types = 1;
    SHOW(cuMemCreate(&h, n, &pr, 0));
    SHOW(cuMemExportToShareableHandle(&fd, h, 2, 0));
    SHOW(cuMemExportToShareableHandle(&fd, h, 1, 1));
    SHOW(cuMemExportToShareableHandle(NULL, h, 1, 0));
    SHOW(cuMemExportToShareableHandle(&fd, h, 1, 0));
    VALUE("fd", fd >= 0);
    SHOW(cuMemImportFromShareableHandle(&i, (void *)(intptr_t)fd, 2));
    SHOW(cuMemImportFromShareableHandle(&i, (void *)(intptr_t)9999, 1));
    int other = dup(0);
    SHOW(cuMemImportFromShareableHandle(&i, (void *)(intptr_t)other, 1));
    SHOW(cuMemImportFromShareableHandle(&i, (void *)(intptr_t)fd, 1));
    VALUE("same", i == h);
    SHOW(cuMemGetAllocationPropertiesFromHandle(&q, i));
    VALUE("types", q.handle_types);
    VALUE("kind", q.type);
    VALUE("location", q.location.type);
    SHOW(cuMemAddressReserve(&a, 2 * n, 0, 0, 0));
    SHOW(cuMemMap(a, n, 0, h, 0));
    SHOW(cuMemMap(a + n, n, 0, i, 0));
    SHOW(cuMemSetAccess(a, 2 * n, &d, 1));
    SHOW(cuMemsetD32(a, 5, 1));
    VALUE("word", word(a + n));
    SHOW(cuMemRelease(h));
    SHOW(cuMemRelease(i));
    SHOW(cuMemExportToShareableHandle(&fd, h, 1, 0));
    pr.handle_types = 8;
    SHOW(cuMemCreate(&h, n, &pr, 0));
    pr.handle_types = 16;
    SHOW(cuMemCreate(&h, n, &pr, 0));
    pr.handle_types = 2;
    SHOW(cuMemCreate(&h, n, &pr, 0));
}

SECTION(registered)
{
    ready();
    char *own = aligned_alloc(4096, 16384);
    for (int f = 0; f < 17; f++) {
        printf(" %d", f);
        SHOW(cuMemHostRegister_v2(own, 8192, f));
        CUdeviceptr d = 0;
        SHOW(cuMemHostGetDevicePointer_v2(&d, own, 0));
        SHOW(cuMemHostUnregister(own));
    }
    SHOW(cuMemHostRegister_v2(own + 10, 100, 0));
    SHOW(cuMemHostRegister_v2(own + 200, 100, 0));
    SHOW(cuMemHostRegister_v2(own + 4096, 100, 0));
    SHOW(cuMemHostUnregister(own + 11));
    SHOW(cuMemHostUnregister(own + 10));
    SHOW(cuMemHostRegister_v2((void *)16, 100, 0));
    SHOW(cuMemHostRegister_v2(own, (size_t)1 << 40, 0));
    SHOW(cuMemHostRegister_v2((void *)mem(64), 64, 0));
}

SECTION(graph_memory)
{
    ready();
    uint64_t v = 77;
    for (int i = -1; i < 5; i++) {
        v = 77;
        SHOW(cuDeviceGetGraphMemAttribute(0, i, &v));
        VALUE("value", v);
    }
    v = 0;
    for (int i = 0; i < 5; i++) SHOW(cuDeviceSetGraphMemAttribute(0, i, &v));
    v = 1;
    for (int i = 0; i < 5; i++) SHOW(cuDeviceSetGraphMemAttribute(0, i, &v));
    SHOW(cuDeviceGraphMemTrim(0));
    SHOW(cuDeviceGraphMemTrim(1));
    SHOW(cuDeviceGetGraphMemAttribute(1, 0, &v));
    SHOW(cuDeviceGetGraphMemAttribute(0, 0, NULL));
    SHOW(cuDeviceSetGraphMemAttribute(0, 1, NULL));
}

SECTION(graph_memory_bare)
{
    uint64_t v = 77;
    SHOW(cuDeviceGetGraphMemAttribute(0, 0, &v));
    SHOW(cuDeviceGraphMemTrim(0));
    cuInit(0);
    SHOW(cuDeviceGetGraphMemAttribute(0, 0, &v));
    VALUE("v", v);
    SHOW(cuDeviceGraphMemTrim(0));
}
