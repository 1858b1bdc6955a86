// SPDX-License-Identifier: MIT
// Core files, and calls that few programs make.
#include "answers.h"

static size_t bytes_of(uint32_t attribute)
{
    return attribute == 5 || attribute == 6 ? 1024 : attribute == 7 ? sizeof(int) : 1;
}

static void core(const char *what, enum cuda_result (*get)(uint32_t attribute, void *value, size_t *bytes))
{
    unsigned char v[2048];
    for (uint32_t a = 0; a < 9; a++) {
        size_t n = bytes_of(a);
        memset(v, 0x77, sizeof v);
        const int error = (int)get(a, v, &n);
        printf("  %s %u: %d, %zu bytes, %d\n", what, a, error, n, v[0]);
        n = 77;
        printf("  no value: %d, %zu bytes\n", (int)get(a, NULL, &n), n);
        n = 2048;
        printf("  more room: %d\n", (int)get(a, v, &n));
    }
}

SECTION(coredump)
{
    unsigned char v[2048];
    size_t n = 1;
    SHOW(cuCoredumpGetAttributeGlobal(1, v, &n));
    cuInit(0);
    core("global", cuCoredumpGetAttributeGlobal);
    SHOW(cuCoredumpGetAttribute(1, v, &n));
    ready();
    core("own", cuCoredumpGetAttribute);
    n = 1;
    v[0] = 1;
    SHOW(cuCoredumpSetAttribute(1, v, &n));
    v[0] = 0;
    SHOW(cuCoredumpGetAttribute(1, v, &n));
    VALUE("enabled", v[0]);
    v[0] = 0;
    SHOW(cuCoredumpSetAttribute(1, v, &n));
    n = 4;
    SHOW(cuCoredumpSetAttribute(1, v, &n));
    n = 1;
    SHOW(cuCoredumpSetAttributeGlobal(2, v, &n));
    v[0] = 1;
    SHOW(cuCoredumpGetAttribute(2, v, &n));
    VALUE("of the context", v[0]);
    SHOW(cuCoredumpSetAttributeGlobal(4, v, &n));
    n = 12;
    SHOW(cuCoredumpSetAttributeGlobal(5, "/tmp/ourcore", &n));
    n = 1024;
    SHOW(cuCoredumpGetAttributeGlobal(5, v, &n));
    printf("    %.12s, %zu bytes\n", (char *)v, n);
    SHOW(cuCoredumpGetAttribute(5, v, &n));
    printf("    %.12s, %zu bytes\n", (char *)v, n);
    n = 12;
    SHOW(cuCoredumpSetAttribute(5, "/tmp/ourcore", &n));
    int flags = 16;
    n = 4;
    SHOW(cuCoredumpSetAttribute(7, &flags, &n));
    flags = 0;
    SHOW(cuCoredumpGetAttribute(7, &flags, &n));
    VALUE("flags", flags);
    n = 1;
    SHOW(cuCoredumpGetAttribute(2, v, &n));
    VALUE("stops the host", v[0]);
    n = 4;
    flags = 31 | 32;
    SHOW(cuCoredumpSetAttribute(7, &flags, &n));
    n = 1;
    SHOW(cuCoredumpGetAttribute(3, v, &n));
    VALUE("light", v[0]);
    n = 4;
    flags = 0;
    SHOW(cuCoredumpSetAttribute(7, &flags, &n));
    SHOW(cuCoredumpSetAttribute(1, v, NULL));
    SHOW(cuCoredumpGetAttribute(1, v, NULL));
    SHOW(cuCoredumpSetAttribute(0, v, &n));
    SHOW(cuCoredumpSetAttribute(9, v, &n));
}

static void notified(struct CUasyncNotificationInfo_st *info, void *user, struct CUasyncCallbackEntry_st *callback)
{
    (void)info, (void)user, (void)callback;
}

SECTION(small_calls)
{
    ready();
    struct CUasyncCallbackEntry_st *c = NULL;
    SHOW(cuDeviceRegisterAsyncNotification(0, notified, NULL, &c));
    SHOW(cuDeviceRegisterAsyncNotification(9, notified, NULL, &c));
    SHOW(cuDeviceRegisterAsyncNotification(0, NULL, NULL, &c));
    SHOW(cuDeviceUnregisterAsyncNotification(0, c));
    CUlibrary l;
    void *f = (void *)77;
    SHOW(cuLibraryLoadData(&l, HEAD PUT ".visible .func dev()\n{\nret;\n}\n", 0, 0, 0, 0, 0, 0));
    SHOW(cuLibraryGetUnifiedFunction(&f, l, "dev"));
    SHOW(cuLibraryGetUnifiedFunction(&f, l, "none"));
    struct CUgraphExec_st *e;
    CUgraph g;
    cuGraphCreate(&g, 0);
    uint64_t flags = 77;
    for (unsigned i = 0; i < 17; i++) {
        printf(" %u", i);
        const int made = (int)cuGraphInstantiate(&e, g, i);
        SHOW(made);
        if (made != 0) continue;
        SHOW(cuGraphExecGetFlags(e, &flags));
        VALUE("flags", flags);
    }
    SHOW(cudaProfilerStart());
    SHOW(cudaProfilerStop());
}
