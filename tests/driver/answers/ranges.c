// SPDX-License-Identifier: MIT
// Ranges of managed memory: advice, prefetches and what is told of them.
#include "answers.h"

enum { MIB = 1 << 20, ATTRIBUTES = 8 };

static void tell(CUdeviceptr at, size_t bytes)
{
    int v[4];
    for (uint32_t a = 1; a <= ATTRIBUTES; a++) {
        memset(v, 0x77, sizeof v);
        const int error = (int)cuMemRangeGetAttribute(v, a == 3 ? 12 : 4, a, at, bytes);
        printf("    %u: %d: %d", a, error, v[0]);
        if (a == 3) printf(" %d %d", v[1], v[2]);
        puts("");
    }
}

static void show_advice(CUdeviceptr m, CUdeviceptr plain)
{
    CUmemLocation device = {1, 0}, host = {2, 0}, node = {3, 0}, current = {4, 0}, none = {0, 0}, other = {1, 9};
    tell(m, 4 * MIB);
    SHOW(cuMemAdvise_v2(m, MIB, 1, device));
    tell(m, MIB);
    tell(m, 2 * MIB);
    SHOW(cuMemAdvise_v2(m, MIB, 3, device));
    SHOW(cuMemAdvise_v2(m, MIB, 5, device));
    SHOW(cuMemAdvise_v2(m, MIB, 5, host));
    tell(m, MIB);
    SHOW(cuMemAdvise_v2(m, MIB, 3, host));
    tell(m, MIB);
    SHOW(cuMemAdvise_v2(m, MIB, 3, node));
    tell(m, MIB);
    SHOW(cuMemAdvise_v2(m, MIB, 3, current));
    SHOW(cuMemAdvise_v2(m, MIB, 3, none));
    SHOW(cuMemAdvise_v2(m, MIB, 3, other));
    SHOW(cuMemAdvise_v2(m, MIB, 2, device));
    SHOW(cuMemAdvise_v2(m, MIB, 4, device));
    SHOW(cuMemAdvise_v2(m, MIB, 6, device));
    tell(m, MIB);
    SHOW(cuMemAdvise_v2(m, MIB, 0, device));
    SHOW(cuMemAdvise_v2(m, MIB, 7, device));
    SHOW(cuMemAdvise_v2(m, 0, 1, device));
    SHOW(cuMemAdvise_v2(m, 5 * MIB, 1, device));
    SHOW(cuMemAdvise_v2(plain, MIB, 1, device));
    SHOW(cuMemAdvise_v2(m, 2 * MIB, 1, host));
    SHOW(cuMemAdvise(m, MIB, 3, 0));
    SHOW(cuMemAdvise(m, MIB, 3, -1));
    SHOW(cuMemAdvise(m, MIB, 3, 9));
}

static void show_prefetches(CUdeviceptr m, CUdeviceptr plain)
{
    CUmemLocation device = {1, 0}, host = {2, 0}, node = {3, 0}, current = {4, 0}, none = {0, 0}, other = {1, 9};
    SHOW(cuMemPrefetchAsync_v2(m, MIB, device, 0, NULL));
    tell(m, MIB);
    tell(m, 2 * MIB);
    SHOW(cuMemPrefetchAsync_v2(m, MIB, host, 0, NULL));
    tell(m, MIB);
    SHOW(cuMemPrefetchAsync_v2(m, MIB, node, 0, NULL));
    tell(m, MIB);
    SHOW(cuMemPrefetchAsync_v2(m, MIB, current, 0, NULL));
    tell(m, MIB);
    SHOW(cuMemPrefetchAsync_v2(m, MIB, none, 0, NULL));
    SHOW(cuMemPrefetchAsync_v2(m, MIB, other, 0, NULL));
    SHOW(cuMemPrefetchAsync_v2(m, MIB, device, 1, NULL));
    SHOW(cuMemPrefetchAsync_v2(m, 0, device, 0, NULL));
    SHOW(cuMemPrefetchAsync_v2(m, 5 * MIB, device, 0, NULL));
    SHOW(cuMemPrefetchAsync_v2(plain, MIB, device, 0, NULL));
    SHOW(cuMemPrefetchAsync(m, MIB, 0, NULL));
    SHOW(cuMemPrefetchAsync(m, MIB, -1, NULL));
    SHOW(cuMemPrefetchAsync(m, MIB, 9, NULL));
    SHOW(cuMemPrefetchAsync_v2(m + 100, 100, device, 0, NULL));
    tell(m, 8192);
}

static void show_queries(CUdeviceptr m, CUdeviceptr plain)
{
    int v[4] = {77, 77, 77, 77};
    SHOW(cuMemRangeGetAttribute(v, 8, 1, m, MIB));
    SHOW(cuMemRangeGetAttribute(v, 0, 3, m, MIB));
    SHOW(cuMemRangeGetAttribute(v, 6, 3, m, MIB));
    SHOW(cuMemRangeGetAttribute(v, 4, 0, m, MIB));
    SHOW(cuMemRangeGetAttribute(v, 4, 9, m, MIB));
    SHOW(cuMemRangeGetAttribute(NULL, 4, 1, m, MIB));
    SHOW(cuMemRangeGetAttribute(v, 4, 1, m, 0));
    SHOW(cuMemRangeGetAttribute(v, 4, 1, m, 5 * MIB));
    SHOW(cuMemRangeGetAttribute(v, 4, 1, plain, MIB));
    SHOW(cuMemRangeGetAttribute(v, 4, 1, (CUdeviceptr)v, 4));
    SHOW(cuMemRangeGetAttribute(v, 4, 1, m + 10, 10));
    int a = 77, b = 77;
    void *to[] = {&a, &b};
    size_t bytes[] = {4, 4};
    uint32_t which[] = {1, 2};
    SHOW(cuMemRangeGetAttributes(to, bytes, which, 2, m, MIB));
    printf("    %d %d\n", a, b);
    SHOW(cuMemRangeGetAttributes(to, bytes, which, 0, m, MIB));
    SHOW(cuMemRangeGetAttributes(NULL, bytes, which, 2, m, MIB));
    SHOW(cuMemRangeGetAttributes(to, NULL, which, 2, m, MIB));
    SHOW(cuMemRangeGetAttributes(to, bytes, NULL, 2, m, MIB));
    bytes[1] = 8;
    a = 77;
    SHOW(cuMemRangeGetAttributes(to, bytes, which, 2, m, MIB));
    VALUE("a", a);
    SHOW(cudaMemRangeGetAttribute(v, 4, 1, (void *)m, MIB));
    SHOW(cudaMemRangeGetAttribute(v, 4, 1, (void *)plain, MIB));
}

SECTION(range_attributes)
{
    ready();
    CUdeviceptr m = 0, plain = mem(MIB);
    SHOW(cuMemAllocManaged(&m, 4 * MIB, 1));
    show_advice(m, plain);
    show_prefetches(m, plain);
    show_queries(m, plain);
}

SECTION(range_lists)
{
    ready();
    CUdeviceptr m = 0, plain = mem(MIB);
    CUstream s;
    cuStreamCreate(&s, 1);
    SHOW(cuMemAllocManaged(&m, 4 * MIB, 1));
    cuMemsetD8(m, 5, 4 * MIB);
    cuCtxSynchronize();
    CUdeviceptr at[2] = {m, m + 2 * MIB};
    size_t bytes[2] = {MIB, MIB}, from[2] = {0, 1};
    CUmemLocation place[2] = {{1, 0}, {2, 0}};
    SHOW(cuMemPrefetchBatchAsync(at, bytes, 2, place, from, 2, 0, s));
    tell(m, MIB);
    tell(m + 2 * MIB, MIB);
    SHOW(cuMemPrefetchBatchAsync(at, bytes, 2, place, from, 1, 0, s));
    SHOW(cuMemPrefetchBatchAsync(at, bytes, 2, place, from, 2, 0, NULL));
    SHOW(cuMemPrefetchBatchAsync(at, bytes, 2, place, from, 2, 1, s));
    SHOW(cuMemPrefetchBatchAsync(at, bytes, 0, place, from, 1, 0, s));
    SHOW(cuMemPrefetchBatchAsync(at, bytes, 2, place, from, 0, 0, s));
    SHOW(cuMemPrefetchBatchAsync(at, bytes, 2, place, from, 3, 0, s));
    SHOW(cuMemPrefetchBatchAsync(NULL, bytes, 2, place, from, 2, 0, s));
    SHOW(cuMemPrefetchBatchAsync(at, NULL, 2, place, from, 2, 0, s));
    SHOW(cuMemPrefetchBatchAsync(at, bytes, 2, NULL, from, 2, 0, s));
    SHOW(cuMemPrefetchBatchAsync(at, bytes, 2, place, NULL, 2, 0, s));
    from[0] = 1;
    SHOW(cuMemPrefetchBatchAsync(at, bytes, 2, place, from, 1, 0, s));
    from[0] = 0;
    bytes[1] = 0;
    SHOW(cuMemPrefetchBatchAsync(at, bytes, 2, place, from, 1, 0, s));
    bytes[1] = MIB;
    at[1] = plain;
    SHOW(cuMemPrefetchBatchAsync(at, bytes, 2, place, from, 1, 0, s));
    at[1] = m + 2 * MIB;
    SHOW(cuMemDiscardAndPrefetchBatchAsync(at, bytes, 2, place, from, 1, 0, s));
    SHOW(cuMemDiscardBatchAsync(at, bytes, 2, 0, s));
    SHOW(cuMemDiscardBatchAsync(at, bytes, 2, 1, s));
    SHOW(cuMemDiscardBatchAsync(at, bytes, 0, 0, s));
    SHOW(cuMemDiscardBatchAsync(at, bytes, 2, 0, NULL));
    SHOW(cuMemDiscardBatchAsync(NULL, bytes, 2, 0, s));
    at[1] = plain;
    SHOW(cuMemDiscardBatchAsync(at, bytes, 2, 0, s));
    SHOW(cuStreamSynchronize(s));
    tell(m, MIB);
    unsigned byte = 0;
    SHOW(cuMemcpyDtoH(&byte, m + 3 * MIB + 8, 1));
    VALUE("not discarded", byte);
    SHOW(cuStreamBeginCapture(s, 0));
    SHOW(cuMemPrefetchAsync_v2(m, MIB, place[0], 0, s));
    CUgraph g;
    SHOW(cuStreamEndCapture(s, &g));
    SHOW(cuStreamBeginCapture(s, 0));
    SHOW(cuMemDiscardBatchAsync(at, bytes, 1, 0, s));
    SHOW(cuStreamEndCapture(s, &g));
}
