// SPDX-License-Identifier: MIT
#include "answers.h"

SECTION(instantiate)
{
    ready();
    CUgraph g;
    CUgraphNode n;
    CUgraphExec e;
    CUgraph empty;
    SHOW(cuGraphCreate(&empty, 0));
    SHOW(cuGraphCreate(&g, 0));
    CUdeviceptr a = mem(64);
    CUDA_MEMSET_NODE_PARAMS s = {a, 0, 5, 4, 16, 1};
    SHOW(cuGraphAddMemsetNode(&n, g, 0, 0, &s, ctx));
    for (int f = 0; f < 34; f++) {
        SHOW(cuGraphInstantiate(&e, g, f));
    }
    for (int f = 0; f < 16; f++) {
        SHOW(cuGraphInstantiate(&e, empty, f));
    }
    CUgraph k;
    SHOW(cuGraphCreate(&k, 0));
    unsigned v = 1;
    void *p[] = {&a, &v};
    CUDA_KERNEL_NODE_PARAMS kp = node_of(fun(PUT, "put"), p);
    SHOW(cuGraphAddKernelNode(&n, k, 0, 0, &kp));
    for (int f = 0; f < 16; f++) {
        SHOW(cuGraphInstantiate(&e, k, f));
    }
    for (int f = 0; f < 17; f++) {
        CUDA_GRAPH_INSTANTIATE_PARAMS ip = {f, 0, (CUgraphNode)77, 77};
        SHOW(cuGraphInstantiateWithParams(&e, k, &ip));
        VALUE("result", ip.result_out);
        VALUE("node", ip.hErrNode_out != 0);
    }
    CUDA_GRAPH_INSTANTIATE_PARAMS ip = {2, 0, 0, 77};
    SHOW(cuGraphInstantiateWithParams(&e, k, &ip));
    uint64_t fl = 77;
    SHOW(cuGraphInstantiate(&e, k, 8));
    SHOW(cuGraphExecGetFlags(e, &fl));
    VALUE("flags", fl);
    SHOW(cuGraphExecGetFlags(e, NULL));
    SHOW(cuGraphExecGetFlags(NULL, &fl));
    CUgraphNode one, two;
    CUgraph c;
    cuGraphCreate(&c, 0);
    cuGraphAddEmptyNode(&one, c, 0, 0);
    cuGraphAddEmptyNode(&two, c, &one, 1);
    cuGraphAddDependencies(c, &two, &one, NULL, 1);
    ip.flags = 0;
    SHOW(cuGraphInstantiateWithParams(&e, c, &ip));
    VALUE("result", ip.result_out);
}

static void more_graph_edges(CUgraph g, CUgraphNode *n)
{
    CUgraphNode f[8];
    size_t c;
    CUgraphNode two[2] = {n[0], n[0]};
    CUgraphNode y = NULL;
    SHOW(cuGraphAddEmptyNode(&y, g, two, 2));
    c = 8;
    SHOW(cuGraphNodeGetDependencies(y, f, NULL, &c));
    VALUE("count", c);
    CUgraphNode tw[2] = {n[3], n[3]}, un[2] = {n[0], n[0]};
    SHOW(cuGraphAddDependencies(g, un, tw, 0, 2));
    CUgraph o;
    CUgraphNode z;
    cuGraphCreate(&o, 0);
    cuGraphAddEmptyNode(&z, o, 0, 0);
    SHOW(cuGraphAddDependencies(g, &z, &n[0], 0, 1));
    CUgraphEdgeData d = {0};
    d.type = 1;
    SHOW(cuGraphAddDependencies(g, &n[3], &n[4], &d, 1));
}

SECTION(graph_edges)
{
    ready();
    CUgraph g;
    CUgraphNode n[5], f[8], t[8];
    size_t c;
    CUgraphEdgeData ed[8];
    cuGraphCreate(&g, 0);
    for (int i = 0; i < 5; i++) cuGraphAddEmptyNode(&n[i], g, i ? &n[i - 1] : 0, i ? 1 : 0);
    SHOW(cuGraphAddDependencies(g, &n[0], &n[4], 0, 1));
    SHOW(cuGraphAddDependencies(g, &n[0], &n[4], 0, 1));
    c = 8;
    SHOW(cuGraphNodeGetDependentNodes(n[0], f, NULL, &c));
    VALUE("count", c);
    VALUE("first", f[0] == n[1]);
    VALUE("second", f[1] == n[4]);
    VALUE("third", f[2] == 0);
    c = 1;
    SHOW(cuGraphNodeGetDependentNodes(n[0], f, ed, &c));
    VALUE("count", c);
    SHOW(cuGraphNodeGetDependentNodes(n[0], NULL, NULL, &c));
    VALUE("count", c);
    SHOW(cuGraphNodeGetDependentNodes(n[0], NULL, NULL, NULL));
    SHOW(cuGraphRemoveDependencies(g, &n[0], &n[4], 0, 1));
    SHOW(cuGraphRemoveDependencies(g, &n[0], &n[4], 0, 1));
    SHOW(cuGraphRemoveDependencies(g, &n[0], &n[3], 0, 1));
    SHOW(cuGraphRemoveDependencies(g, NULL, NULL, 0, 0));
    SHOW(cuGraphRemoveDependencies(g, NULL, NULL, 0, 1));
    SHOW(cuGraphRemoveDependencies(NULL, &n[0], &n[1], 0, 1));
    c = 8;
    SHOW(cuGraphGetEdges(g, f, t, NULL, &c));
    VALUE("edges", c);
    SHOW(cuGraphAddDependencies(g, &n[0], &n[0], 0, 1));
    SHOW(cuGraphDestroyNode(n[2]));
    c = 8;
    SHOW(cuGraphGetEdges(g, f, t, NULL, &c));
    VALUE("edges", c);
    CUgraphExec e;
    SHOW(cuGraphInstantiate(&e, g, 0));
    SHOW(cuGraphDestroyNode(n[1]));
    SHOW(cuGraphLaunch(e, 0));
    unsigned en = 7;
    SHOW(cuGraphNodeGetEnabled(e, n[3], &en));
    VALUE("enabled", en);
    SHOW(cuGraphNodeGetEnabled(e, n[1], &en));
    more_graph_edges(g, n);
}

static void more_graph_exec_set(CUgraph g, CUgraphExec ex, CUgraphNode k, CUDA_KERNEL_NODE_PARAMS kp, CUdeviceptr a,
                                unsigned *v)
{
    CUgraphNodeParams np;
    memset(&np, 0, sizeof np);
    np.type = NODE_KERNEL;
    *v = 11;
    memcpy(&np.kernel, &kp, sizeof kp);
    SHOW(cuGraphExecNodeSetParams(ex, k, &np));
    SHOW(cuGraphLaunch(ex, 0));
    VALUE("word", word(a));
    *v = 12;
    SHOW(cuGraphNodeSetParams(k, &np));
    np.type = NODE_MEMSET;
    SHOW(cuGraphNodeSetParams(k, &np));
    SHOW(cuGraphExecNodeSetParams(ex, k, &np));
    SHOW(cuGraphExecNodeSetParams(ex, k, NULL));
    SHOW(cuGraphExecUpdate(ex, g, NULL));
    CUgraphExecUpdateResultInfo info;
    SHOW(cuGraphExecUpdate(ex, g, &info));
    VALUE("result", info.result);
    SHOW(cuGraphLaunch(ex, 0));
    VALUE("word", word(a));
}

SECTION(graph_exec_set)
{
    ready();
    CUdeviceptr a = mem(256);
    unsigned v = 3;
    void *p[] = {&a, &v};
    CUgraph g, c, c2;
    CUgraphNode k, ch, ev, ew, x;
    CUevent e, e2;
    cuEventCreate(&e, 0);
    cuEventCreate(&e2, 2);
    CUfunction f = fun(PUT, "put");
    CUDA_KERNEL_NODE_PARAMS kp = node_of(f, p);
    CUDA_MEMSET_NODE_PARAMS sp = {a + 64, 0, 5, 4, 1, 1};
    cuGraphCreate(&g, 0);
    cuGraphCreate(&c, 0);
    SHOW(cuGraphAddMemsetNode(&x, c, 0, 0, &sp, ctx));
    SHOW(cuGraphAddChildGraphNode(&ch, g, 0, 0, c));
    SHOW(cuGraphAddKernelNode(&k, g, 0, 0, &kp));
    SHOW(cuGraphAddEventRecordNode(&ev, g, &k, 1, e));
    SHOW(cuGraphAddEventWaitNode(&ew, g, &ev, 1, e));
    CUgraphExec ex;
    SHOW(cuGraphInstantiate(&ex, g, 0));
    sp.value = 6;
    cuGraphClone(&c2, c);
    CUgraphNode x2;
    cuGraphNodeFindInClone(&x2, x, c2);
    SHOW(cuGraphMemsetNodeSetParams(x2, &sp));
    SHOW(cuGraphExecChildGraphNodeSetParams(ex, ch, c2));
    SHOW(cuGraphLaunch(ex, 0));
    VALUE("word", word(a + 64));
    VALUE("word", word(a));
    CUgraphNode y = NULL;
    SHOW(cuGraphAddMemsetNode(&y, c2, 0, 0, &sp, ctx));
    SHOW(cuGraphExecChildGraphNodeSetParams(ex, ch, c2));
    SHOW(cuGraphExecChildGraphNodeSetParams(ex, k, c));
    SHOW(cuGraphExecEventRecordNodeSetEvent(ex, ev, e2));
    SHOW(cuGraphExecEventRecordNodeSetEvent(ex, ew, e2));
    SHOW(cuGraphExecEventWaitNodeSetEvent(ex, ew, e2));
    SHOW(cuGraphExecEventWaitNodeSetEvent(ex, ew, NULL));
    SHOW(cuGraphLaunch(ex, 0));
    SHOW(cuEventQuery(e2));
    more_graph_exec_set(g, ex, k, kp, a, &v);
}

static void more_graph_add_node(CUgraph g, CUgraphNode n, CUdeviceptr a)
{
    CUgraphNodeParams np;
    memset(&np, 0, sizeof np);
    CUevent e;
    cuEventCreate(&e, 0);
    np.type = NODE_EVENT_RECORD;
    np.event.event = e;
    SHOW(cuGraphAddNode(&n, g, 0, 0, 0, &np));
    np.type = NODE_WAIT_EVENT;
    SHOW(cuGraphAddNode(&n, g, 0, 0, 0, &np));
    np.type = 99;
    SHOW(cuGraphAddNode(&n, g, 0, 0, 0, &np));
    SHOW(cuGraphAddNode(&n, g, 0, 0, 0, NULL));
    SHOW(cuGraphAddNode(NULL, g, 0, 0, 0, &np));
    CUgraphExec ex;
    SHOW(cuGraphInstantiate(&ex, g, 0));
    SHOW(cuGraphLaunch(ex, 0));
    VALUE("word", word(a + 64));
    VALUE("word", word(a + 128));
}

SECTION(graph_add_node)
{
    ready();
    CUdeviceptr a = mem(256);
    unsigned v = 3;
    void *p[] = {&a, &v};
    CUgraph g, c;
    CUgraphNode n, k;
    CUgraphNodeParams np;
    cuGraphCreate(&g, 0);
    cuGraphCreate(&c, 0);
    CUDA_KERNEL_NODE_PARAMS kp = node_of(fun(PUT, "put"), p);
    memset(&np, 0, sizeof np);
    np.type = NODE_KERNEL;
    memcpy(&np.kernel, &kp, sizeof kp);
    SHOW(cuGraphAddNode(&k, g, 0, 0, 0, &np));
    memset(&np, 0, sizeof np);
    np.type = NODE_MEMSET;
    np.set.params.dst = a + 64;
    np.set.params.value = 7;
    np.set.params.elementSize = 4;
    np.set.params.width = 2;
    np.set.params.height = 1;
    np.set.ctx = ctx;
    SHOW(cuGraphAddNode(&n, g, &k, 0, 1, &np));
    np.set.ctx = 0;
    SHOW(cuGraphAddNode(&n, g, &k, 0, 1, &np));
    np.reserved2 = 1;
    SHOW(cuGraphAddNode(&n, g, &k, 0, 1, &np));
    np.reserved2 = 0;
    np.reserved0[1] = 1;
    SHOW(cuGraphAddNode(&n, g, &k, 0, 1, &np));
    memset(&np, 0, sizeof np);
    np.type = NODE_MEMCPY;
    np.copy.ctx = ctx;
    np.copy.params.srcMemoryType = np.copy.params.dstMemoryType = 2;
    np.copy.params.srcDevice = a;
    np.copy.params.dstDevice = a + 128;
    np.copy.params.WidthInBytes = 4;
    np.copy.params.Height = np.copy.params.Depth = 1;
    SHOW(cuGraphAddNode(&n, g, &k, 0, 1, &np));
    memset(&np, 0, sizeof np);
    np.type = NODE_GRAPH;
    np.child.graph = c;
    SHOW(cuGraphAddNode(&n, g, 0, 0, 0, &np));
    memset(&np, 0, sizeof np);
    np.type = NODE_EMPTY;
    SHOW(cuGraphAddNode(&n, g, 0, 0, 0, &np));
    more_graph_add_node(g, n, a);
}

SECTION(memop_graph)
{
    ready();
    CUstream s;
    cuStreamCreate(&s, 1);
    CUdeviceptr a = mem(256);
    CUgraph g;
    CUgraphNode n[4];
    size_t c = 4;
    uint32_t t;
    CUgraphExec e;
    SHOW(cuStreamBeginCapture(s, 2));
    SHOW(cuStreamWriteValue32(s, a, 7, 0));
    SHOW(cuStreamWaitValue32(s, a, 7, 1));
    SHOW(cuStreamEndCapture(s, &g));
    SHOW(cuGraphGetNodes(g, n, &c));
    VALUE("nodes", c);
    SHOW(cuGraphNodeGetType(n[0], &t));
    VALUE("type", t);
    CUDA_BATCH_MEM_OP_NODE_PARAMS q;
    memset(&q, 0, sizeof q);
    SHOW(cuGraphBatchMemOpNodeGetParams(n[0], &q));
    VALUE("count", q.count);
    VALUE("operation", q.paramArray[0].operation);
    SHOW(cuGraphInstantiate(&e, g, 0));
    VALUE("word", word(a));
    SHOW(cuGraphLaunch(e, s));
    SHOW(cuStreamSynchronize(s));
    VALUE("word", word(a));
    CUstreamBatchMemOpParams o[2];
    memset(o, 0, sizeof o);
    o[0].operation = 2;
    o[0].value.address = a;
    o[0].value.value64 = 8;
    CUDA_BATCH_MEM_OP_NODE_PARAMS b = {ctx, 1, o, 0};
    CUgraphNode x;
    SHOW(cuGraphAddBatchMemOpNode(&x, g, &n[1], 1, &b));
    o[0].value.value64 = 9;
    SHOW(cuGraphBatchMemOpNodeSetParams(x, &b));
    SHOW(cuGraphInstantiate(&e, g, 0));
    o[0].value.value64 = 10;
    SHOW(cuGraphExecBatchMemOpNodeSetParams(e, x, &b));
    SHOW(cuGraphLaunch(e, s));
    SHOW(cuStreamSynchronize(s));
    VALUE("word", word(a));
    b.count = 0;
    SHOW(cuGraphAddBatchMemOpNode(&x, g, 0, 0, &b));
    b.count = 1;
    b.ctx = 0;
    SHOW(cuGraphAddBatchMemOpNode(&x, g, 0, 0, &b));
    o[0].value.address = 16;
    b.ctx = ctx;
    SHOW(cuGraphAddBatchMemOpNode(&x, g, 0, 0, &b));
    SHOW(cuGraphAddBatchMemOpNode(&x, g, 0, 0, NULL));
}
