// SPDX-License-Identifier: MIT
// Nodes of graphs that a value of a kernel switches.
#include "answers.h"

#define SET                                                                                                            \
    ".extern .func cudaGraphSetConditional\n(\n.param .b64 handle,\n.param .b32 value\n);\n"                           \
    ".visible .entry down(.param .u64 at, .param .u64 handle)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n"               \
    "ld.param.u64 %rd1, [at];\nld.param.u64 %rd2, [handle];\nld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, -1;\n"      \
    "st.global.u32 [%rd1], %r2;\n{\n.param .b64 p0;\nst.param.b64 [p0], %rd2;\n.param .b32 p1;\n"                      \
    "st.param.b32 [p1], %r2;\ncall.uni cudaGraphSetConditional, (p0, p1);\n}\nret;\n}\n"
#define ADD                                                                                                            \
    ".visible .entry add(.param .u64 to)\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1, [to];\n"          \
    "atom.global.add.u32 %r1, [%rd1], 1;\nret;\n}\n"

static CUgraphNodeParams conditional(uint64_t handle, uint32_t type, unsigned size)
{
    CUgraphNodeParams p;
    memset(&p, 0, sizeof p);
    p.type = NODE_CONDITIONAL;
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    p.conditional.ctx = ctx;
    return p;
}

static CUgraphNode add_to(CUgraph g, CUgraphNode *after, CUfunction f, CUdeviceptr a)
{
    CUgraphNode n = NULL;
    void *p[] = {&a};
    CUDA_KERNEL_NODE_PARAMS k = node_of(f, p);
    const int error = (int)cuGraphAddKernelNode(&n, g, after, after != NULL, &k);
    if (error != 0) printf("  add a kernel: %d\n", error);
    return n;
}

SECTION(condition_handles)
{
    ready();
    CUgraph g, other;
    uint64_t h = 0, h2 = 0;
    CUgraphNode n = NULL;
    CUgraphExec e = NULL;
    CUgraphNodeParams p;
    cuGraphCreate(&g, 0);
    cuGraphCreate(&other, 0);
    SHOW(cuGraphConditionalHandleCreate(&h, g, ctx, 1, 1));
    VALUE("not zero", h != 0);
    SHOW(cuGraphConditionalHandleCreate(&h2, g, NULL, 1, 1));
    SHOW(cuGraphConditionalHandleCreate(&h2, g, ctx, 1, 2));
    SHOW(cuGraphConditionalHandleCreate(&h2, g, ctx, 1, 0));
    SHOW(cuGraphConditionalHandleCreate(&h2, g, ctx, 0, 0));
    SHOW(cuGraphConditionalHandleCreate(&h2, NULL, ctx, 1, 1));
    SHOW(cuGraphConditionalHandleCreate(NULL, g, ctx, 1, 1));
    SHOW(cuGraphInstantiate(&e, g, 0));
    for (unsigned size = 0; size < 4; size++)
        for (uint32_t type = 0; type < 4; type++) {
            cuGraphCreate(&g, 0);
            cuGraphConditionalHandleCreate(&h, g, ctx, 1, 1);
            p = conditional(h, type, size);
            printf(" type %u size %u", type, size);
            SHOW(cuGraphAddNode(&n, g, NULL, NULL, 0, &p));
            if (p.conditional.phGraph_out != NULL) VALUE("first", p.conditional.phGraph_out[0] != NULL);
        }
    p = conditional(h, 0, 1);
    SHOW(cuGraphAddNode(&n, other, NULL, NULL, 0, &p));
    p = conditional(0, 0, 1);
    SHOW(cuGraphAddNode(&n, g, NULL, NULL, 0, &p));
    p = conditional(h, 0, 1);
    SHOW(cuGraphAddNode(&n, g, NULL, NULL, 0, &p));
    SHOW(cuGraphAddNode(&n, g, NULL, NULL, 0, &p));
    cuGraphConditionalHandleCreate(&h, g, ctx, 1, 1);
    p = conditional(h, 0, 1);
    p.conditional.ctx = NULL;
    SHOW(cuGraphAddNode(&n, g, NULL, NULL, 0, &p));
    uint32_t type = 77;
    SHOW(cuGraphNodeGetType(n, &type));
    VALUE("type", type);
    CUgraph clone;
    SHOW(cuGraphClone(&clone, g));
    SHOW(cuGraphNodeSetParams(n, &p));
    SHOW(cuGraphNodeSetEnabled(NULL, n, 0));
    SHOW(cuGraphInstantiate(&e, g, 0));
    SHOW(cuGraphExecNodeSetParams(e, n, &p));
    SHOW(cuGraphNodeSetEnabled(e, n, 0));
}

// Node `which` of those that a body may have or not.
static void copy_in(CUgraph body, CUdeviceptr a, int is_of_host)
{
    static unsigned word_of_host = 7;
    CUgraphNode x;
    CUDA_MEMCPY3D copy = {.srcMemoryType = is_of_host ? 1 : 2,
                          .srcHost = &word_of_host,
                          .srcDevice = a,
                          .dstMemoryType = 2,
                          .dstDevice = a + 8,
                          .WidthInBytes = 4,
                          .Height = 1,
                          .Depth = 1};
    SHOW(cuGraphAddMemcpyNode(&x, body, NULL, 0, &copy, ctx));
}

static void host_in(CUgraph body, CUgraph child)
{
    CUgraphNode x;
    CUDA_HOST_NODE_PARAMS host = {nothing, NULL};
    SHOW(cuGraphAddHostNode(&x, child != NULL ? child : body, NULL, 0, &host));
    if (child != NULL) SHOW(cuGraphAddChildGraphNode(&x, body, NULL, 0, child));
}

static void condition_in(CUgraph body, CUgraph of_handle, uint32_t type)
{
    CUgraphNode x;
    uint64_t h;
    cuGraphConditionalHandleCreate(&h, of_handle, ctx, 1, 1);
    CUgraphNodeParams q = conditional(h, type, 1);
    SHOW(cuGraphAddNode(&x, body, NULL, NULL, 0, &q));
}

static void plain_in(CUgraph body, CUgraph child, CUdeviceptr a, int which)
{
    CUgraphNode x;
    CUevent event;
    CUDA_MEMSET_NODE_PARAMS set = {.dst = a, .value = 1, .elementSize = 4, .width = 1, .height = 1};
    struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st alloc = {.poolProps = {.allocType = 1, .location = {1, 0}},
                                                     .bytesize = 4096};
    cuEventCreate(&event, 0);
    if (which == 0) SHOW(cuGraphAddEmptyNode(&x, body, NULL, 0));
    if (which == 1) SHOW(cuGraphAddMemsetNode(&x, body, NULL, 0, &set, ctx));
    if (which == 2) SHOW(cuGraphAddChildGraphNode(&x, body, NULL, 0, child));
    if (which == 5) SHOW(cuGraphAddEventRecordNode(&x, body, NULL, 0, event));
    if (which == 6) SHOW(cuGraphAddMemAllocNode(&x, body, NULL, 0, &alloc));
}

static void body_of(int which)
{
    CUgraph g, child;
    uint64_t h;
    CUgraphNode n = NULL;
    CUdeviceptr a = mem(256);
    CUgraphExec e;
    cuGraphCreate(&g, 0);
    cuGraphCreate(&child, 0);
    cuGraphConditionalHandleCreate(&h, g, ctx, 1, 1);
    CUgraphNodeParams p = conditional(h, 0, 1);
    SHOW(cuGraphAddNode(&n, g, NULL, NULL, 0, &p));
    CUgraph body = p.conditional.phGraph_out[0];
    plain_in(body, child, a, which);
    if (which == 3) condition_in(body, g, 0);
    if (which == 4) host_in(body, NULL);
    if (which == 7) copy_in(body, a, 0);
    if (which == 8) copy_in(body, a, 1);
    if (which == 9) host_in(body, child);
    if (which == 10) condition_in(body, body, 1); // a handle of the body
    SHOW(cuGraphInstantiate(&e, g, 0));
}

SECTION(condition_bodies)
{
    enum { KINDS = 11 };
    ready();
    for (int which = 0; which < KINDS; which++) {
        printf("  %d\n", which);
        body_of(which);
    }
    CUgraph g, clone;
    CUgraphExec e;
    CUgraphNode n, x;
    uint64_t h;
    cuGraphCreate(&g, 0);
    cuGraphConditionalHandleCreate(&h, g, ctx, 1, 1);
    SHOW(cuGraphInstantiate(&e, g, 0));
    CUgraphNodeParams p = conditional(h, 1, 1);
    SHOW(cuGraphAddNode(&n, g, NULL, NULL, 0, &p));
    SHOW(cuGraphInstantiate(&e, p.conditional.phGraph_out[0], 0));
    SHOW(cuGraphClone(&clone, g));
    SHOW(cuGraphAddEmptyNode(&x, g, &n, 1));
    SHOW(cuGraphAddChildGraphNode(&x, g, NULL, 0, p.conditional.phGraph_out[0]));
    SHOW(cuGraphCreate(&clone, 0));
    SHOW(cuGraphAddChildGraphNode(&x, clone, NULL, 0, g));
    SHOW(cuGraphNodeSetParams(n, &p));
    SHOW(cuGraphInstantiate(&e, g, 4));
    cuGraphCreate(&g, 0);
    cuGraphConditionalHandleCreate(&h, g, ctx, 1, 1);
    p = conditional(h, 0, 1);
    SHOW(cuGraphAddNode(&n, g, NULL, NULL, 0, &p));
    SHOW(cuGraphInstantiate(&e, g, 0));
    SHOW(cuGraphExecNodeSetParams(e, n, &p));
    SHOW(cuGraphNodeSetEnabled(e, n, 0));
    SHOW(cuGraphDestroyNode(n));
    SHOW(cuGraphInstantiate(&e, g, 0));
    p = conditional(h, 0, 1);
    SHOW(cuGraphAddNode(&n, g, NULL, NULL, 0, &p));
}

// A loop that its own kernel ends.
static void show_loop(CUdeviceptr a, CUfunction down, CUfunction add, CUstream s)
{
    CUgraph g;
    CUgraphNode n;
    CUgraphExec e = NULL;
    uint64_t h;
    cuMemsetD32(a, 5, 1);
    cuMemsetD32(a + 4, 0, 1);
    cuCtxSynchronize();
    cuGraphCreate(&g, 0);
    cuGraphConditionalHandleCreate(&h, g, ctx, 1, 1);
    CUgraphNodeParams p = conditional(h, 1, 1);
    SHOW(cuGraphAddNode(&n, g, NULL, NULL, 0, &p));
    CUgraphNode first = add_to(p.conditional.phGraph_out[0], NULL, add, a + 4);
    void *q[] = {&a, &h};
    CUDA_KERNEL_NODE_PARAMS k = node_of(down, q);
    SHOW(cuGraphAddKernelNode(&n, p.conditional.phGraph_out[0], &first, 1, &k));
    SHOW(cuGraphInstantiate(&e, g, 0));
    SHOW(cuGraphLaunch(e, s));
    SHOW(cuStreamSynchronize(s));
    VALUE("left", word(a));
    VALUE("runs", word(a + 4));
    cuMemsetD32(a, 3, 1);
    cuCtxSynchronize();
    SHOW(cuGraphLaunch(e, s));
    SHOW(cuStreamSynchronize(s));
    VALUE("runs", word(a + 4));
    CUgraphExecUpdateResultInfo info;
    SHOW(cuGraphExecUpdate(e, g, &info));
    VALUE("result", info.result);
}

SECTION(condition_runs)
{
    ready();
    CUdeviceptr a = mem(256);
    CUmodule m = mod(SET ADD);
    CUfunction down = NULL, add = NULL;
    SHOW(cuModuleGetFunction(&down, m, "down"));
    if (m == NULL) m = mod(ADD);
    SHOW(cuModuleGetFunction(&add, m, "add"));
    CUstream s;
    cuStreamCreate(&s, 1);
    static const struct {
        uint32_t type, size, value, flags, other;
    } row[] = {{0, 1, 1, 1, 0}, {0, 1, 0, 1, 0}, {0, 2, 0, 1, 0}, {0, 2, 7, 1, 0}, {1, 1, 0, 1, 0}, {2, 3, 0, 1, 0},
               {2, 3, 1, 1, 0}, {2, 3, 2, 1, 0}, {2, 3, 3, 1, 0}, {0, 1, 1, 0, 0}, {2, 1, 0, 0, 0}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        CUgraph g;
        CUgraphNode n;
        CUgraphExec e = NULL;
        uint64_t h;
        cuMemsetD8(a, 0, 256);
        cuCtxSynchronize();
        cuGraphCreate(&g, 0);
        cuGraphConditionalHandleCreate(&h, g, ctx, row[i].value, row[i].flags);
        CUgraphNodeParams p = conditional(h, row[i].type, row[i].size);
        cuGraphAddNode(&n, g, NULL, NULL, 0, &p);
        for (unsigned body = 0; body < row[i].size; body++)
            add_to(p.conditional.phGraph_out[body], NULL, add, a + 4 * body);
        const int made = (int)cuGraphInstantiate(&e, g, 0), launched = (int)cuGraphLaunch(e, s);
        printf("  type %u of %u, value %u, flags %u: %d %d %d:", row[i].type, row[i].size, row[i].value, row[i].flags,
               made, launched, (int)cuStreamSynchronize(s));
        for (unsigned body = 0; body < row[i].size; body++) printf(" %u", word(a + 4 * body));
        puts("");
    }
    if (down != NULL) show_loop(a, down, add, s);
}

// A kernel before an IF node decides; a captured stream fills the body.
SECTION(condition_capture)
{
    ready();
    CUdeviceptr a = mem(256);
    CUmodule m = mod(SET ADD);
    CUfunction down = NULL, add = NULL;
    SHOW(cuModuleGetFunction(&down, m, "down"));
    SHOW(cuModuleGetFunction(&add, m, "add"));
    if (down == NULL || add == NULL) return;
    CUstream s, t;
    CUgraph g, captured;
    CUgraphNode n, first;
    CUgraphExec e = NULL;
    uint64_t h;
    cuStreamCreate(&s, 1);
    cuStreamCreate(&t, 1);
    cuMemsetD32(a, 2, 1);
    cuCtxSynchronize();
    SHOW(cuStreamBeginCapture(s, 0));
    uint32_t status;
    uint64_t id;
    CUgraphNode const *after;
    size_t count;
    SHOW(cuStreamGetCaptureInfo_v2(s, &status, &id, &g, &after, &count));
    SHOW(cuGraphConditionalHandleCreate(&h, g, ctx, 0, 1));
    void *p[] = {&a, &h};
    SHOW(cuLaunchKernel(down, 1, 1, 1, 1, 1, 1, 0, s, p, NULL));
    SHOW(cuStreamGetCaptureInfo_v2(s, &status, &id, &g, &after, &count));
    VALUE("count", count);
    first = after[0];
    CUgraphNodeParams q = conditional(h, 0, 1);
    SHOW(cuGraphAddNode(&n, g, &first, NULL, 1, &q));
    SHOW(cuStreamUpdateCaptureDependencies_v2(s, &n, NULL, 1, 1));
    SHOW(cuStreamBeginCaptureToGraph(t, q.conditional.phGraph_out[0], NULL, NULL, 0, 0));
    CUdeviceptr b = a + 4;
    void *r[] = {&b};
    SHOW(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, t, r, NULL));
    SHOW(cuStreamEndCapture(t, NULL));
    SHOW(cuStreamEndCapture(s, &captured));
    SHOW(cuGraphInstantiate(&e, captured, 0));
    for (int i = 0; i < 3; i++) {
        SHOW(cuGraphLaunch(e, s));
        SHOW(cuStreamSynchronize(s));
        VALUE("runs", word(b));
    }
}
