// SPDX-License-Identifier: MIT
#include "answers.h"

// A node of each type, and what they are made of.
static CUdeviceptr a;
static unsigned v = 3;
static void *p[] = {&a, &v};
static CUgraph g, c;
static CUgraphNode k, s, m, h, ch, ev, ew, em, x;
static CUevent e, e2, eg;
static CUfunction f;
static CUDA_KERNEL_NODE_PARAMS kp;
static CUDA_MEMSET_NODE_PARAMS sp, sq;
static CUDA_HOST_NODE_PARAMS hp, hq;
static CUDA_MEMCPY3D mp, mq;

static void build(void)
{
    ready();
    a = mem(256);
    cuEventCreate(&e, 0);
    cuEventCreate(&e2, 2);
    f = fun(PUT, "put");
    kp = node_of(f, p);
    sp = (CUDA_MEMSET_NODE_PARAMS){a, 0, 5, 4, 16, 1};
    hp = (CUDA_HOST_NODE_PARAMS){nothing, &v};

    mp.srcMemoryType = mp.dstMemoryType = 2;
    mp.srcDevice = a;
    mp.dstDevice = a + 128;
    mp.WidthInBytes = 64;
    mp.Height = mp.Depth = 1;
    cuGraphCreate(&g, 0);
    cuGraphCreate(&c, 0);
    cuGraphAddEmptyNode(&x, c, 0, 0);
    SHOW(cuGraphAddKernelNode(&k, g, 0, 0, &kp));
    SHOW(cuGraphAddMemsetNode(&s, g, 0, 0, &sp, ctx));
    SHOW(cuGraphAddMemcpyNode(&m, g, 0, 0, &mp, ctx));
    SHOW(cuGraphAddHostNode(&h, g, 0, 0, &hp));
    SHOW(cuGraphAddChildGraphNode(&ch, g, 0, 0, c));
    SHOW(cuGraphAddEventRecordNode(&ev, g, 0, 0, e));
    SHOW(cuGraphAddEventWaitNode(&ew, g, 0, 0, e));
    SHOW(cuGraphAddEmptyNode(&em, g, 0, 0));
}

static void tell_kernel(void)
{
    CUDA_KERNEL_NODE_PARAMS kq;
    memset(&kq, 0xee, sizeof kq);
    SHOW(cuGraphKernelNodeGetParams(k, &kq));
    VALUE("func", kq.func == f);
    VALUE("kern", kq.kern != 0);
    VALUE("ctx", kq.ctx == ctx);
    VALUE("grid", kq.gridDimX);
    VALUE("shared", kq.sharedMemBytes);
    VALUE("params", kq.kernelParams != 0);
    VALUE("same", kq.kernelParams == p);
    VALUE("value", *(unsigned *)kq.kernelParams[1]);
    VALUE("extra", kq.extra != 0);
    SHOW(cuGraphKernelNodeGetParams(s, &kq));
    SHOW(cuGraphKernelNodeGetParams(k, NULL));
    SHOW(cuGraphKernelNodeGetParams(NULL, &kq));
}

static void tell_others(void)
{
    memset(&sq, 0xee, sizeof sq);
    SHOW(cuGraphMemsetNodeGetParams(s, &sq));
    printf("    %d %zu %u %u %zu %zu\n", sq.dst == a, sq.pitch, sq.value, sq.elementSize, sq.width, sq.height);
    SHOW(cuGraphMemsetNodeGetParams(k, &sq));
    SHOW(cuGraphMemsetNodeGetParams(s, NULL));
    memset(&mq, 0xee, sizeof mq);
    SHOW(cuGraphMemcpyNodeGetParams(m, &mq));
    printf("    %d %d %d %d %zu %zu %zu %zu %zu %zu %zu\n", mq.srcMemoryType, mq.dstMemoryType, mq.srcDevice == a,
           mq.dstDevice == a + 128, mq.WidthInBytes, mq.Height, mq.Depth, mq.srcPitch, mq.srcHeight, mq.dstPitch,
           mq.dstHeight);
    SHOW(cuGraphMemcpyNodeGetParams(k, &mq));
    memset(&hq, 0xee, sizeof hq);
    SHOW(cuGraphHostNodeGetParams(h, &hq));
    VALUE("fn", hq.fn == hp.fn);
    VALUE("user", hq.userData == &v);
    SHOW(cuGraphHostNodeGetParams(k, &hq));
    SHOW(cuGraphHostNodeGetParams(h, NULL));
}

static void tell_children_and_events(void)
{
    CUgraph got;
    SHOW(cuGraphChildGraphNodeGetGraph(ch, &got));
    VALUE("same", got == c);
    SHOW(cuGraphChildGraphNodeGetGraph(k, &got));
    SHOW(cuGraphChildGraphNodeGetGraph(ch, NULL));
    size_t n = 9;
    SHOW(cuGraphGetNodes(got, NULL, &n));
    VALUE("nodes", n);
    SHOW(cuGraphDestroy(got));
    SHOW(cuGraphEventRecordNodeGetEvent(ev, &eg));
    VALUE("same", eg == e);
    SHOW(cuGraphEventRecordNodeGetEvent(ew, &eg));
    SHOW(cuGraphEventWaitNodeGetEvent(ew, &eg));
    VALUE("same", eg == e);
    SHOW(cuGraphEventWaitNodeGetEvent(ev, &eg));
    SHOW(cuGraphEventRecordNodeSetEvent(ev, e2));
    SHOW(cuGraphEventRecordNodeGetEvent(ev, &eg));
    VALUE("same", eg == e2);
    SHOW(cuGraphEventWaitNodeSetEvent(ew, e2));
    SHOW(cuGraphEventRecordNodeSetEvent(ew, e2));
    SHOW(cuGraphEventRecordNodeSetEvent(ev, NULL));
    SHOW(cuGraphEventWaitNodeSetEvent(ev, e));
}

static void set(void)
{
    hp.userData = &a;
    SHOW(cuGraphHostNodeSetParams(h, &hp));
    SHOW(cuGraphHostNodeGetParams(h, &hq));
    VALUE("user", hq.userData == &a);
    hp.fn = 0;
    SHOW(cuGraphHostNodeSetParams(h, &hp));
    SHOW(cuGraphHostNodeSetParams(k, &hp));
    SHOW(cuGraphHostNodeSetParams(h, NULL));
    sp.value = 9;
    SHOW(cuGraphMemsetNodeSetParams(s, &sp));
    SHOW(cuGraphMemsetNodeGetParams(s, &sq));
    VALUE("value", sq.value);
    sp.elementSize = 3;
    SHOW(cuGraphMemsetNodeSetParams(s, &sp));
    SHOW(cuGraphMemsetNodeSetParams(k, &sp));
    mp.WidthInBytes = 32;
    SHOW(cuGraphMemcpyNodeSetParams(m, &mp));
    SHOW(cuGraphMemcpyNodeGetParams(m, &mq));
    VALUE("width", mq.WidthInBytes);
    mp.srcDevice = 16;
    SHOW(cuGraphMemcpyNodeSetParams(m, &mp));
    SHOW(cuGraphMemcpyNodeSetParams(k, &mp));
    SHOW(cuGraphMemcpyNodeSetParams(m, NULL));
}

SECTION(graph_get)
{
    build();
    tell_kernel();
    tell_others();
    tell_children_and_events();
    set();
}
