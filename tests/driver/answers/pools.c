// SPDX-License-Identifier: MIT
#include "answers.h"

static void show_of_device(void)
{
    CUmemoryPool p;
    CUmemPoolProps pr = {0};
    pr.allocType = 1;
    pr.location.type = 1;
    CUmemLocation l = {1, 0}, host = {2, 0}, bad = {1, 1};
    uint32_t f = 77;
    CUmemAccessDesc d = {{1, 0}, 3};
    SHOW(cuMemPoolCreate(&p, &pr));
    SHOW(cuMemPoolGetAccess(&f, p, &l));
    VALUE("flags", f);
    SHOW(cuMemPoolGetAccess(&f, p, &host));
    VALUE("flags", f);
    SHOW(cuMemPoolGetAccess(&f, p, &bad));
    SHOW(cuMemPoolGetAccess(NULL, p, &l));
    SHOW(cuMemPoolGetAccess(&f, p, NULL));
    SHOW(cuMemPoolSetAccess(p, &d, 1));
    d.flags = 0;
    SHOW(cuMemPoolSetAccess(p, &d, 1));
    SHOW(cuMemPoolGetAccess(&f, p, &l));
    VALUE("flags", f);
    d.flags = 1;
    SHOW(cuMemPoolSetAccess(p, &d, 1));
    SHOW(cuMemPoolGetAccess(&f, p, &l));
    VALUE("flags", f);
    d.flags = 2;
    SHOW(cuMemPoolSetAccess(p, &d, 1));
    d.flags = 3;
    SHOW(cuMemPoolSetAccess(p, &d, 0));
    SHOW(cuMemPoolSetAccess(p, NULL, 1));
    d.location.id = 1;
    SHOW(cuMemPoolSetAccess(p, &d, 1));
    d.location.id = 0;
    d.location.type = 2;
    SHOW(cuMemPoolSetAccess(p, &d, 1));
    d.location.type = 1;
}

static void show_of_host(void)
{
    CUmemPoolProps pr = {0};
    pr.allocType = 1;
    CUmemLocation l = {1, 0}, host = {2, 0};
    uint32_t f;
    CUmemAccessDesc d = {{1, 0}, 3};
    CUmemoryPool hp;
    pr.location.type = 2;
    SHOW(cuMemPoolCreate(&hp, &pr));
    f = 77;
    SHOW(cuMemPoolGetAccess(&f, hp, &l));
    VALUE("flags", f);
    SHOW(cuMemPoolGetAccess(&f, hp, &host));
    VALUE("flags", f);
    CUdeviceptr a, b;
    SHOW(cuMemAllocFromPoolAsync(&a, 64, hp, 0));
    VALUE("host sees", *(volatile int *)a | 1);
    int acc = 77;
    SHOW(cuPointerGetAttribute(&acc, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, a));
    VALUE("access", acc);
    SHOW(cuMemPoolSetAccess(hp, &d, 1));
    SHOW(cuMemPoolGetAccess(&f, hp, &l));
    VALUE("flags", f);
    CUfunction pf = fun(PUT, "put");
    SHOW(launch(pf, a, 9, 0));
    SHOW(cuCtxSynchronize());
    SHOW(cuMemAllocFromPoolAsync(&b, 64, hp, 0));
    SHOW(launch(pf, b, 9, 0));
    SHOW(cuCtxSynchronize());
    SHOW(cuMemsetD8(b, 1, 4));
    d.flags = 0;
    SHOW(cuMemPoolSetAccess(hp, &d, 1));
    SHOW(cuMemPoolGetAccess(&f, hp, &l));
    VALUE("flags", f);
    CUmemoryPool x;
    SHOW(cuDeviceGetDefaultMemPool(&x, 0));
    SHOW(cuMemPoolGetAccess(&f, x, &l));
    VALUE("flags", f);
    SHOW(cuMemPoolSetAccess(x, &d, 1));
}

SECTION(pool_access)
{
    ready();
    show_of_device();
    show_of_host();
}

SECTION(pool_host_copy)
{
    ready();
    CUmemoryPool hp;
    CUmemPoolProps pr = {0};
    pr.allocType = 1;
    pr.location.type = 2;
    CUdeviceptr a;
    SHOW(cuMemPoolCreate(&hp, &pr));
    SHOW(cuMemAllocFromPoolAsync(&a, 64, hp, 0));
    int x = 3;
    SHOW(cuMemcpyHtoD(a, &x, 4));
    SHOW(cuMemcpyDtoH(&x, a, 4));
    SHOW(cuMemcpy(a, a + 16, 4));
    SHOW(cuMemsetD8(a, 1, 4));
    SHOW(cuCtxSynchronize());
    SHOW(cuMemcpyDtoD(a, mem(64), 4));
    SHOW(cuCtxSynchronize());
}

SECTION(pool_host_kernel)
{
    ready();
    CUmemoryPool hp;
    CUmemPoolProps pr = {0};
    pr.allocType = 1;
    pr.location.type = 2;
    CUdeviceptr a;
    SHOW(cuMemPoolCreate(&hp, &pr));
    SHOW(cuMemAllocFromPoolAsync(&a, 64, hp, 0));
    SHOW(launch(fun(PUT, "put"), a, 9, 0));
    SHOW(cuCtxSynchronize());
}

SECTION(pool_none)
{
    ready();
    CUmemoryPool p;
    CUmemPoolProps pr = {0};
    pr.allocType = 1;
    pr.location.type = 1;
    CUmemAccessDesc d = {{1, 0}, 0};
    SHOW(cuMemPoolCreate(&p, &pr));
    SHOW(cuMemPoolSetAccess(p, &d, 1));
}
