// SPDX-License-Identifier: MIT
#include "answers.h"

SECTION(memops)
{
    ready();
    CUstream s;
    cuStreamCreate(&s, 1);
    CUdeviceptr a = mem(256);
    for (int f = 0; f < 4; f++) SHOW(cuStreamWriteValue32(s, a, 7, f));
    VALUE("word", word(a));
    SHOW(cuStreamWriteValue32(s, a + 2, 7, 0));
    SHOW(cuStreamWriteValue32(s, 16, 7, 0));
    SHOW(cuStreamWriteValue64(s, a + 4, 7, 0));
    SHOW(cuStreamWriteValue64(s, a + 8, 0x100000002, 0));
    VALUE("word", word(a + 8));
    for (int f = 0; f < 6; f++) SHOW(cuStreamWaitValue32(s, a, 7, f));
    SHOW(cuStreamWaitValue32(s, a, 7, 1 << 30));
    SHOW(cuStreamWaitValue32(s, a, 3, 0));
    SHOW(cuStreamWaitValue32(s, a, 3, 2));
    SHOW(cuStreamWaitValue32(s, a, 8, 3));
    SHOW(cuStreamWaitValue64(s, a + 8, 2, 2));
    SHOW(cuStreamWaitValue64(s, a + 4, 2, 2));
    SHOW(cuStreamWaitValue32(s, 16, 2, 2));
    SHOW(cuStreamSynchronize(s));
    SHOW(cuStreamWriteValue32(NULL, a, 9, 0));
    SHOW(cuStreamWriteValue32((CUstream)1, a, 9, 0));
    SHOW(cuStreamWaitValue32((CUstream)2, a, 9, 0));
    SHOW(cuCtxSynchronize());
    VALUE("word", word(a));
    void *h;
    cuMemHostAlloc(&h, 64, 0);
    memset(h, 0, 64);
    SHOW(cuStreamWriteValue32(s, (CUdeviceptr)h, 5, 0));
    SHOW(cuStreamSynchronize(s));
    VALUE("host", *(unsigned *)h);
    int own[4];
    SHOW(cuStreamWriteValue32(s, (CUdeviceptr)own, 5, 0));
    CUdeviceptr mm;
    cuMemAllocManaged(&mm, 64, 1);
    SHOW(cuStreamWriteValue32(s, mm, 5, 0));
    SHOW(cuStreamWriteValue32(s, a + 252, 5, 0));
    SHOW(cuStreamWriteValue32(s, a + 256, 5, 0));
    SHOW(cuStreamSynchronize(s));
}

SECTION(batch)
{
    ready();
    CUstream s;
    cuStreamCreate(&s, 1);
    CUdeviceptr a = mem(256), b = mem(256);
    cuMemsetD8(a, 3, 256);
    CUdeviceptr to[2] = {b, b + 64}, from[2] = {a, a + 64};
    size_t n[2] = {4, 8}, ix[2] = {0, 1};
    CUmemcpyAttributes at[2];
    memset(at, 0, sizeof at);
    at[0].srcAccessOrder = at[1].srcAccessOrder = 1;
    SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, ix, 1, s));
    SHOW(cuStreamSynchronize(s));
    printf("    %x %x %x\n", word(b), word(b + 64), word(b + 72));
    SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, ix, 2, s));
    SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, ix, 1, NULL));
    SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, ix, 1, (CUstream)2));
    SHOW(cuMemcpyBatchAsync(to, from, n, 0, at, ix, 1, s));
    SHOW(cuMemcpyBatchAsync(to, from, n, 2, NULL, ix, 1, s));
    SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, NULL, 1, s));
    SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, ix, 0, s));
    SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, ix, 3, s));
    SHOW(cuMemcpyBatchAsync(NULL, from, n, 2, at, ix, 1, s));
    ix[0] = 1;
    SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, ix, 1, s));
    ix[0] = 0;
    ix[1] = 0;
    SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, ix, 2, s));
    ix[1] = 2;
    SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, ix, 2, s));
    for (int o = 0; o < 5; o++) {
        at[0].srcAccessOrder = o;
        SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, ix, 1, s));
    }
    at[0].srcAccessOrder = 1;
    n[1] = 0;
    SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, ix, 1, s));
    n[1] = 8;
    for (int f = 0; f < 3; f++) {
        to[1] = b;
        at[0].flags = f;
        SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, ix, 1, s));
    }
    at[0].flags = 0;
    SHOW(cuStreamBeginCapture(s, 2));
    SHOW(cuMemcpyBatchAsync(to, from, n, 2, at, ix, 1, s));
    CUgraph g;
    SHOW(cuStreamEndCapture(s, &g));
}

SECTION(batch3d)
{
    ready();
    CUstream s;
    cuStreamCreate(&s, 1);
    CUdeviceptr a = mem(256), b = mem(256);
    cuMemsetD8(a, 3, 256);
    CUDA_MEMCPY3D_BATCH_OP o[1];
    memset(o, 0, sizeof o);
    o[0].src.type = o[0].dst.type = 1;
    o[0].src.op.ptr.ptr = a;
    o[0].dst.op.ptr.ptr = b;
    o[0].src.op.ptr.rowLength = 0;
    o[0].extent.width = 4;
    o[0].extent.height = 2;
    o[0].extent.depth = 1;
    o[0].srcAccessOrder = 1;
    SHOW(cuMemcpy3DBatchAsync(1, o, 0, s));
    SHOW(cuStreamSynchronize(s));
    printf("    %x %x %x\n", word(b), word(b + 4), word(b + 8));
    o[0].dst.op.ptr.rowLength = 16;
    o[0].dst.op.ptr.layerHeight = 2;
    o[0].extent.depth = 2;
    SHOW(cuMemcpy3DBatchAsync(1, o, 0, s));
    SHOW(cuStreamSynchronize(s));
    printf("    %x %x %x %x\n", word(b), word(b + 16), word(b + 32), word(b + 48));
    o[0].dst.op.ptr.rowLength = 3;
    SHOW(cuMemcpy3DBatchAsync(1, o, 0, s));
    o[0].dst.op.ptr.rowLength = 16;
    o[0].dst.op.ptr.layerHeight = 1;
    SHOW(cuMemcpy3DBatchAsync(1, o, 0, s));
    SHOW(cuMemcpy3DBatchAsync(0, o, 0, s));
    SHOW(cuMemcpy3DBatchAsync(1, NULL, 0, s));
    SHOW(cuMemcpy3DBatchAsync(1, o, 1, s));
    SHOW(cuMemcpy3DBatchAsync(1, o, 0, NULL));
    o[0].dst.type = 0;
    SHOW(cuMemcpy3DBatchAsync(1, o, 0, s));
}

SECTION(peer_copies)
{
    ready();
    CUdeviceptr a = mem(256), b = mem(256);
    cuMemsetD8(a, 3, 256);
    CUDA_MEMCPY3D_PEER p;
    memset(&p, 0, sizeof p);
    p.srcMemoryType = p.dstMemoryType = 2;
    p.srcDevice = a;
    p.dstDevice = b;
    p.srcContext = p.dstContext = ctx;
    p.WidthInBytes = 16;
    p.Height = p.Depth = 1;
    SHOW(cuMemcpy3DPeer(&p));
    VALUE("word", word(b));
    SHOW(cuMemcpy3DPeerAsync(&p, 0));
    p.srcContext = NULL;
    SHOW(cuMemcpy3DPeer(&p));
}

static void show_defaults(CUstream s)
{
    CUstreamAttrValue v;
    for (int i = 0; i < 20; i++) {
        memset(&v, 0x77, sizeof v);
        printf(" %d", i);
        SHOW(cuStreamGetAttribute(s, i, &v));
        if (i == 3 || i == 8 || i == 10) VALUE("value", v.priority);
        if (i == 1) VALUE("bytes", v.window.bytes);
        if (i == 9) printf("    %d %d\n", v.map[0], v.map[1]);
    }
}

static void show_values(CUstream s, CUstream t)
{
    CUstreamAttrValue v;
    memset(&v, 0, sizeof v);
    v.number = 2;
    SHOW(cuStreamSetAttribute(s, 3, &v));
    memset(&v, 0, sizeof v);
    SHOW(cuStreamGetAttribute(s, 3, &v));
    VALUE("policy", v.number);
    memset(&v, 0, sizeof v);
    v.priority = -2;
    SHOW(cuStreamSetAttribute(s, 8, &v));
    int pr = 7;
    SHOW(cuStreamGetPriority(s, &pr));
    VALUE("priority", pr);
    SHOW(cuStreamGetAttribute(s, 8, &v));
    VALUE("priority", v.priority);
    memset(&v, 0, sizeof v);
    v.number = 1;
    SHOW(cuStreamSetAttribute(s, 10, &v));
    v.number = 2;
    SHOW(cuStreamSetAttribute(s, 10, &v));
    v.number = 0;
    SHOW(cuStreamGetAttribute(s, 10, &v));
    VALUE("domain", v.number);
    v.map[0] = 2;
    v.map[1] = 3;
    SHOW(cuStreamSetAttribute(s, 9, &v));
    v.map[1] = 4;
    SHOW(cuStreamSetAttribute(s, 9, &v));
    memset(&v, 0, sizeof v);
    v.window.base = mem(4096);
    v.window.bytes = 4096;
    v.window.hit_ratio = 0.5f;
    v.window.hit = 2;
    SHOW(cuStreamSetAttribute(s, 1, &v));
    memset(&v, 0, sizeof v);
    SHOW(cuStreamGetAttribute(s, 1, &v));
    VALUE("bytes", v.window.bytes);
    SHOW(cuStreamCopyAttributes(t, s));
    memset(&v, 0, sizeof v);
    SHOW(cuStreamGetAttribute(t, 1, &v));
    VALUE("bytes", v.window.bytes);
    SHOW(cuStreamGetAttribute(t, 3, &v));
    VALUE("policy", v.number);
    SHOW(cuStreamGetAttribute(t, 8, &v));
    VALUE("priority", v.priority);
    SHOW(cuStreamGetAttribute(t, 10, &v));
    VALUE("domain", v.number);
    SHOW(cuStreamCopyAttributes(t, NULL));
    SHOW(cuStreamCopyAttributes(NULL, t));
    SHOW(cuStreamGetAttribute(NULL, 3, &v));
    VALUE("policy", v.number);
}

SECTION(stream_attributes)
{
    ready();
    CUstream s, t;
    cuStreamCreate(&s, 0);
    cuStreamCreate(&t, 0);
    show_defaults(s);
    show_values(s, t);
}
