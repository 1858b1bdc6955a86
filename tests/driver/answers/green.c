// SPDX-License-Identifier: MIT
// Green contexts: multiprocessors of the device, split, and contexts and streams of a part.
#include "answers.h"

static void tell(const char *what, const CUdevResource *r)
{
    printf("    %s: type %u, %u multiprocessors, at least %u, by %u\n", what, r->type, r->sm.smCount,
           r->sm.minSmPartitionSize, r->sm.smCoscheduledAlignment);
}

SECTION(green_resources)
{
    CUdevResource all, part[32], rest;
    memset(&all, 0, sizeof all);
    SHOW(cuDeviceGetDevResource(0, &all, 1));
    cuInit(0);
    SHOW(cuDeviceGetDevResource(0, &all, 1));
    tell("all", &all);
    SHOW(cuDeviceGetDevResource(0, &all, 0));
    SHOW(cuDeviceGetDevResource(0, &all, 2));
    SHOW(cuDeviceGetDevResource(0, &all, 7));
    SHOW(cuDeviceGetDevResource(9, &all, 1));
    SHOW(cuDeviceGetDevResource(0, NULL, 1));
    SHOW(cuDeviceGetDevResource(0, &all, 1));
    SHOW(cuCtxGetDevResource(NULL, &rest, 1));
    ready();
    SHOW(cuCtxGetDevResource(ctx, &rest, 1));
    tell("of the context", &rest);
    SHOW(cuCtxGetDevResource(NULL, &rest, 1));
    static const unsigned least[] = {0, 1, 2, 7, 8, 9, 16, 17, 24, 32, 40, 64, 66, 72, 128, 132, 133};
    for (unsigned flags = 0; flags < 3; flags++)
        for (size_t i = 0; i < sizeof least / sizeof least[0]; i++) {
            unsigned count = 0;
            memset(part, 0, sizeof part);
            memset(&rest, 0, sizeof rest);
            int error = (int)cuDevSmResourceSplitByCount(NULL, &count, &all, &rest, flags, least[i]);
            printf("  flags %u, %u: %d, %u groups; ", flags, least[i], error, count);
            tell("rest", &rest);
            count = 2;
            memset(&rest, 0, sizeof rest);
            error = (int)cuDevSmResourceSplitByCount(part, &count, &all, &rest, flags, least[i]);
            printf("  two of them: %d, %u groups\n", error, count);
            tell("first", &part[0]);
            tell("second", &part[1]);
            tell("rest", &rest);
        }
    unsigned count = 3;
    SHOW(cuDevSmResourceSplitByCount(part, &count, &all, NULL, 0, 16));
    VALUE("count", count);
    SHOW(cuDevSmResourceSplitByCount(part, NULL, &all, NULL, 0, 16));
    count = 0;
    SHOW(cuDevSmResourceSplitByCount(part, &count, &all, NULL, 0, 16));
    count = 1;
    SHOW(cuDevSmResourceSplitByCount(part, &count, NULL, NULL, 0, 16));
    count = 1;
    SHOW(cuDevSmResourceSplitByCount(part, &count, &all, NULL, 8, 16));
    SHOW(cuDevSmResourceSplitByCount(part, &count, &all, NULL, 3, 16));
    CUdevResource none;
    memset(&none, 0, sizeof none);
    SHOW(cuDevSmResourceSplitByCount(&rest, &count, &none, NULL, 0, 16));
    none.type = 1;
    none.sm.smCount = 132;
    SHOW(cuDevSmResourceSplitByCount(&rest, &count, &none, NULL, 0, 16));
    count = 1;
    SHOW(cuDevSmResourceSplitByCount(&rest, &count, &part[0], NULL, 0, 8));
    CUdevResourceDesc d;
    SHOW(cuDevResourceGenerateDesc(&d, part, 1));
    SHOW(cuDevResourceGenerateDesc(&d, &all, 1));
    SHOW(cuDevResourceGenerateDesc(NULL, part, 1));
}

static CUgreenCtx green_of(unsigned least, unsigned which)
{
    CUdevResource all, part[4];
    unsigned count = which + 1;
    CUdevResourceDesc d;
    CUgreenCtx g = NULL;
    cuDeviceGetDevResource(0, &all, 1);
    cuDevSmResourceSplitByCount(part, &count, &all, NULL, 0, least);
    cuDevResourceGenerateDesc(&d, &part[which], 1);
    SHOW(cuGreenCtxCreate(&g, d, 0, 1));
    return g;
}

SECTION(green_contexts)
{
    ready();
    CUdevResource all, part[2], r;
    unsigned count = 2;
    CUdevResourceDesc d;
    CUgreenCtx g = NULL;
    CUcontext c = NULL, was = NULL;
    SHOW(cuDeviceGetDevResource(0, &all, 1));
    SHOW(cuDevSmResourceSplitByCount(part, &count, &all, NULL, 0, 16));
    SHOW(cuDevResourceGenerateDesc(&d, part, 1));
    SHOW(cuGreenCtxCreate(&g, d, 0, 0));
    SHOW(cuGreenCtxCreate(&g, d, 0, 2));
    SHOW(cuGreenCtxCreate(&g, d, 9, 1));
    SHOW(cuGreenCtxCreate(NULL, d, 0, 1));
    SHOW(cuGreenCtxCreate(&g, d, 0, 1));
    CUgreenCtx again = NULL;
    SHOW(cuGreenCtxCreate(&again, d, 0, 1));
    VALUE("another", again != g);
    memset(&r, 0, sizeof r);
    SHOW(cuGreenCtxGetDevResource(g, &r, 1));
    tell("green", &r);
    SHOW(cuGreenCtxGetDevResource(g, &r, 2));
    SHOW(cuGreenCtxGetDevResource(NULL, &r, 1));
    unsigned long long id = 0, other = 0, primary = 0;
    SHOW(cuGreenCtxGetId(g, &id));
    SHOW(cuGreenCtxGetId(again, &other));
    SHOW(cuCtxGetId(ctx, &primary));
    VALUE("ids differ", id != other && id != primary);
    SHOW(cuGreenCtxGetId(NULL, &id));
    SHOW(cuCtxFromGreenCtx(&c, g));
    VALUE("is the primary", c == ctx);
    SHOW(cuCtxFromGreenCtx(&was, g));
    VALUE("the same again", was == c);
    SHOW(cuCtxFromGreenCtx(NULL, g));
    SHOW(cuCtxFromGreenCtx(&was, NULL));
    SHOW(cuCtxGetId(c, &other));
    VALUE("same id", other == id);
    SHOW(cuCtxGetDevResource(c, &r, 1));
    tell("of its context", &r);
    SHOW(cuCtxSetCurrent(c));
    SHOW(cuCtxGetCurrent(&was));
    VALUE("current", was == c);
    int n = 7;
    SHOW(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    VALUE("multiprocessors", n);
    SHOW(cuCtxGetDevice(&n));
    CUdeviceptr a = mem(64);
    CUfunction f = fun(PUT, "put");
    SHOW(launch(f, a, 7, NULL));
    SHOW(cuCtxSynchronize());
    VALUE("word", word(a));
    SHOW(cuCtxDestroy(c));
    SHOW(cuCtxSetCurrent(ctx));
    VALUE("word from the primary", word(a));
    SHOW(launch(f, a, 8, NULL));
    VALUE("word", word(a));
    SHOW(cuDevicePrimaryCtxRelease_v2(0));
    SHOW(cuGreenCtxDestroy(g));
    SHOW(cuGreenCtxDestroy(again));
    SHOW(cuGreenCtxDestroy(NULL));
}

static void show_work(CUgreenCtx g, CUstream s, CUdeviceptr a, CUfunction f)
{
    CUevent e;
    CUgraph graph;
    CUgraphExec exec;
    SHOW(launch(f, a, 7, s));
    SHOW(cuStreamSynchronize(s));
    VALUE("word", word(a));
    SHOW(cuEventCreate(&e, 0));
    SHOW(cuEventRecord(e, s));
    SHOW(cuEventSynchronize(e));
    SHOW(cuGreenCtxRecordEvent(g, e));
    SHOW(cuEventSynchronize(e));
    SHOW(cuGreenCtxWaitEvent(g, e));
    SHOW(cuGreenCtxRecordEvent(NULL, e));
    SHOW(cuGreenCtxRecordEvent(g, NULL));
    SHOW(cuGreenCtxWaitEvent(NULL, e));
    SHOW(cuStreamBeginCapture(s, 0));
    SHOW(launch(f, a, 9, s));
    SHOW(cuStreamEndCapture(s, &graph));
    SHOW(cuGraphInstantiate(&exec, graph, 0));
    SHOW(cuGraphLaunch(exec, s));
    SHOW(cuStreamSynchronize(s));
    VALUE("word", word(a));
}

SECTION(green_streams)
{
    ready();
    CUgreenCtx g = green_of(16, 1), got = NULL;
    CUcontext c = NULL;
    CUstream s = NULL, t = NULL, u = NULL;
    SHOW(cuGreenCtxStreamCreate(&s, g, 1, 0));
    SHOW(cuGreenCtxStreamCreate(&t, g, 0, 0));
    SHOW(cuGreenCtxStreamCreate(&t, g, 1, -3));
    SHOW(cuGreenCtxStreamCreate(&u, g, 1, 5));
    SHOW(cuGreenCtxStreamCreate(&u, NULL, 1, 0));
    SHOW(cuGreenCtxStreamCreate(NULL, g, 1, 0));
    int priority = 77;
    SHOW(cuStreamGetPriority(t, &priority));
    VALUE("priority", priority);
    unsigned flags = 77;
    SHOW(cuStreamGetFlags(s, &flags));
    VALUE("flags", flags);
    SHOW(cuStreamGetGreenCtx(s, &got));
    VALUE("same", got == g);
    SHOW(cuStreamGetCtx(s, &c));
    VALUE("primary", c == ctx);
    CUcontext of;
    SHOW(cuCtxFromGreenCtx(&of, g));
    VALUE("of the green one", c == of);
    got = NULL;
    SHOW(cuStreamGetCtx_v2(s, &c, &got));
    VALUE("same", got == g);
    VALUE("primary", c == ctx);
    VALUE("none", c == NULL);
    CUdeviceptr a = mem(64);
    CUfunction f = fun(PUT, "put");
    show_work(g, s, a, f);
    int ctas = 0;
    SHOW(cuCtxSetCurrent(of));
    SHOW(cuStreamGetCtx(NULL, &c));
    VALUE("of the green one", c == of);
    SHOW(cuStreamCreate(&u, 1));
    SHOW(cuStreamGetGreenCtx(u, &got));
    VALUE("same", got == g);
    SHOW(cuOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, f, 32, 0));
    VALUE("ctas", ctas);
    void *p[] = {&a, &flags};
    SHOW(cuLaunchCooperativeKernel(f, 32 * 16, 1, 1, 64, 1, 1, 0, s, p));
    SHOW(cuLaunchCooperativeKernel(f, 32 * 16 + 1, 1, 1, 64, 1, 1, 0, s, p));
    SHOW(cuLaunchCooperativeKernel(f, 32 * 132, 1, 1, 64, 1, 1, 0, s, p));
    SHOW(cuCtxSynchronize());
    SHOW(cuStreamDestroy_v2(s));
    SHOW(cuGreenCtxDestroy(g));
    SHOW(cuStreamQuery(t));
}
