// SPDX-License-Identifier: MIT
// Memory of the device and of the host, pools, and what a pointer is.
#include "api.h"

enum { DEFAULT_PORTABLE = 1, MAPPED = 2, READ_ONLY = 8, ATTACH_GLOBAL = 1, ATTACH_HOST = 2, ATTACH_SINGLE = 4 };

static size_t left_bytes(void)
{
    size_t left, total;
    WORKS(cuMemGetInfo_v2(&left, &total));
    return left;
}

SECTION(memory)
{
    unsigned long long at, base;
    size_t bytes, pitch, total;
    REFUSES(ERROR_NOT_INITIALIZED, cuMemAlloc_v2(&at, 4));
    api_ready();
    const size_t all = left_bytes();
    REFUSES(ERROR_INVALID_VALUE, cuMemAlloc_v2(&at, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemAlloc_v2(NULL, 4));
    WORKS(cuMemGetInfo_v2(NULL, &total));
    WORKS(cuMemGetInfo_v2(&bytes, NULL));
    REQUIRE(bytes == all && total == all);
    REFUSES(ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&at, all + 1));
    SAYS("bytes asked for");
    WORKS(cuMemAlloc_v2(&at, 1000));
    REQUIRE(all - left_bytes() == 1000 && at % 256 == 0);
    WORKS(cuMemGetAddressRange_v2(&base, &bytes, at + 999));
    REQUIRE(base == at && bytes == 1000);
    WORKS(cuMemGetAddressRange_v2(NULL, NULL, at));
    REFUSES(ERROR_NOT_FOUND, cuMemGetAddressRange_v2(&base, &bytes, at + 1000));
    REFUSES(ERROR_INVALID_VALUE, cuMemFree_v2(at + 8));
    SAYS("it is not the start of an allocation");
    REFUSES(ERROR_INVALID_VALUE, cuMemFreeHost((void *)(uintptr_t)at));
    WORKS(cuMemFree_v2(at));
    REFUSES(ERROR_INVALID_VALUE, cuMemFree_v2(at));
    SAYS("there is no allocation (already freed?)");
    WORKS(cuMemFree_v2(0));
    REQUIRE(left_bytes() == all);

    WORKS(cuMemAllocPitch_v2(&at, &pitch, 1000, 3, 16));
    REQUIRE(pitch == 1024);
    WORKS(cuMemGetAddressRange_v2(&base, &bytes, at));
    REQUIRE(bytes == 3 * pitch);
    WORKS(cuMemFree_v2(at));
    WORKS(cuMemAllocPitch_v2(&at, &pitch, 512, 1, 8));
    REQUIRE(pitch == 512);
    REFUSES(ERROR_INVALID_VALUE, cuMemAllocPitch_v2(&at, NULL, 100, 1, 4));
    REFUSES(ERROR_INVALID_VALUE, cuMemAllocPitch_v2(&at, &pitch, 100, 0, 4));
    REFUSES(ERROR_INVALID_VALUE, cuMemAllocPitch_v2(&at, &pitch, 0, 1, 4));
    REFUSES(ERROR_INVALID_VALUE, cuMemAllocPitch_v2(&at, &pitch, 100, 1, 2));
}

SECTION(host_memory)
{
    api_ready();
    struct CUfunc_st *put = api_kernel(ptx_put, "put");
    static uint32_t own[2048] __attribute__((aligned(4096)));
    unsigned long long at = (unsigned long long)(uintptr_t)own, device;
    uint32_t value = 5;
    void *parameters[] = {&at, &value}, *pinned;
    unsigned flags;
    const size_t all = left_bytes();
    REFUSES(ERROR_INVALID_VALUE, cuMemHostRegister_v2(NULL, 4096, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemHostRegister_v2(own, 0, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemHostRegister_v2(own, 4096, 16));
    WORKS(cuMemHostRegister_v2(own, 4096, DEFAULT_PORTABLE));
    REFUSES(ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2((char *)own + 64, 4096, 0));
    WORKS(cuMemHostGetFlags(&flags, own));
    REQUIRE(flags == (DEFAULT_PORTABLE | MAPPED));
    WORKS(cuMemHostGetDevicePointer_v2(&device, own, 0));
    REQUIRE(device == at);
    WORKS(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    WORKS(cuCtxSynchronize());
    REQUIRE(own[0] == 5); // the very memory
    REFUSES(ERROR_INVALID_VALUE, cuMemHostUnregister(NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemHostUnregister((char *)own + 4));
    REFUSES(ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(own + 1024));
    WORKS(cuMemHostUnregister(own));
    REFUSES(ERROR_INVALID_VALUE, cuMemHostGetFlags(&flags, own));

    REFUSES(ERROR_INVALID_VALUE, cuMemHostAlloc(NULL, 64, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemHostAlloc(&pinned, 64, 8));
    WORKS(cuMemHostAlloc(&pinned, 0, 0));
    REQUIRE(pinned == NULL);
    WORKS(cuMemAllocHost_v2(&pinned, 4096));
    REQUIRE(left_bytes() == all); // it is the host's
    REFUSES(ERROR_INVALID_VALUE, cuMemHostUnregister(pinned));
    WORKS(cuMemHostGetFlags(&flags, pinned));
    REQUIRE(flags == MAPPED);
    REFUSES(ERROR_INVALID_VALUE, cuMemHostGetFlags(NULL, pinned));
    REFUSES(ERROR_INVALID_VALUE, cuMemHostGetDevicePointer_v2(NULL, pinned, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemHostGetDevicePointer_v2(&device, pinned, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemFree_v2((unsigned long long)(uintptr_t)pinned));
    WORKS(cuMemFreeHost(pinned));
    WORKS(cuMemFreeHost(NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemFreeHost(pinned));

    // Memory that is registered read-only faults where a kernel writes.
    WORKS(cuMemHostRegister_v2(own, 4096, READ_ONLY));
    WORKS(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

SECTION(managed)
{
    struct CUstream_st *stream;
    unsigned long long at, other;
    const struct cuda_mem_location device = {1, 0}, host = {2, 0}, wrong = {1, 5}, unknown = {7, 0};
    api_ready();
    WORKS(cuStreamCreate(&stream, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemAllocManaged(&at, 4096, 3));
    REFUSES(ERROR_INVALID_VALUE, cuMemAllocManaged(&at, 0, ATTACH_GLOBAL));
    WORKS(cuMemAllocManaged(&at, 4096, ATTACH_HOST));
    *(volatile uint32_t *)(uintptr_t)at = 77; // the host may
    REQUIRE(api_word(at) == 77);
    other = api_memory(4096, 0);

    WORKS(cuMemPrefetchAsync_v2(at, 4096, device, 0, stream));
    WORKS(cuMemPrefetchAsync_v2(at + 64, 64, host, 0, NULL));
    WORKS(cuMemPrefetchAsync(at, 4096, 0, NULL));
    WORKS(cuMemPrefetchAsync(at, 4096, -1, NULL));
    REFUSES(ERROR_INVALID_DEVICE, cuMemPrefetchAsync(at, 4096, 1, NULL));
    REFUSES(ERROR_INVALID_DEVICE, cuMemPrefetchAsync_v2(at, 64, wrong, 0, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemPrefetchAsync_v2(at, 64, unknown, 0, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemPrefetchAsync_v2(at, 64, device, 1, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemPrefetchAsync_v2(at, 0, device, 0, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemPrefetchAsync_v2(at + 64, 4096, device, 0, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemPrefetchAsync_v2(other, 64, device, 0, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemPrefetchAsync_v2(64, 64, device, 0, NULL));

    const uint32_t of_no_place[] = {1, 2, 4}; // what is read-mostly, no longer, and no longer of a preferred place
    for (int i = 0; i < 3; i++) {
        REFUSES(ERROR_INVALID_VALUE, cuMemAdvise_v2(at, 4096, of_no_place[i], unknown));
        WORKS(cuMemAdvise_v2(at, 4096, of_no_place[i], wrong));
        REFUSES(ERROR_INVALID_VALUE, cuMemAdvise_v2(at, 4096, of_no_place[i], (struct cuda_mem_location){0, 0}));
        WORKS(cuMemAdvise(at, 4096, of_no_place[i], 7));
    }
    WORKS(cuMemAdvise_v2(at, 4096, 3, host));
    WORKS(cuMemAdvise(at, 4096, 5, 0));
    WORKS(cuMemAdvise(at, 4096, 5, -1));
    REFUSES(ERROR_INVALID_VALUE, cuMemAdvise_v2(at, 4096, 0, device));
    REFUSES(ERROR_INVALID_VALUE, cuMemAdvise_v2(at, 4096, 7, device));
    REFUSES(ERROR_INVALID_VALUE, cuMemAdvise_v2(at, 4096, 3, unknown));
    REFUSES(ERROR_INVALID_VALUE, cuMemAdvise_v2(at, 4096, 3, wrong));
    for (uint32_t advice = 5; advice <= 6; advice++) {
        REFUSES(ERROR_INVALID_DEVICE, cuMemAdvise(at, 4096, advice, 7));
        REFUSES(ERROR_INVALID_VALUE, cuMemAdvise_v2(at, 4096, advice, wrong));
        REFUSES(ERROR_INVALID_VALUE, cuMemAdvise_v2(at, 4096, advice, (struct cuda_mem_location){3, 0}));
    }
    REFUSES(ERROR_INVALID_VALUE, cuMemAdvise_v2(other, 64, 3, device));

    WORKS(cuStreamAttachMemAsync(stream, at, 0, ATTACH_SINGLE));
    WORKS(cuStreamAttachMemAsync(stream, at, 4096, ATTACH_HOST));
    WORKS(cuStreamAttachMemAsync(NULL, at, 4096, ATTACH_GLOBAL));
    REFUSES(ERROR_INVALID_VALUE, cuStreamAttachMemAsync(NULL, at, 0, ATTACH_SINGLE));
    REFUSES(ERROR_INVALID_VALUE, cuStreamAttachMemAsync(stream, at, 0, 3));
    REFUSES(ERROR_INVALID_VALUE, cuStreamAttachMemAsync(stream, at, 64, ATTACH_GLOBAL));
    REFUSES(ERROR_INVALID_VALUE, cuStreamAttachMemAsync(stream, other, 0, ATTACH_GLOBAL));
    REFUSES(ERROR_INVALID_VALUE, cuStreamAttachMemAsync(stream, 64, 0, ATTACH_GLOBAL));
    WORKS(cuStreamDestroy_v2(stream));
    REFUSES(ERROR_INVALID_HANDLE, cuStreamAttachMemAsync(stream, at, 0, ATTACH_GLOBAL));
    REFUSES(ERROR_INVALID_HANDLE, cuMemPrefetchAsync_v2(at, 64, device, 0, stream));
}

// --- Pools -----------------------------------------------------------------------------------------------------------

enum { FOLLOW = 1, INTERNAL = 3, THRESHOLD, RESERVED, RESERVED_HIGH, USED, USED_HIGH, PAST_LAST };

static uint64_t of_pool(struct CUmemPoolHandle_st *pool, uint32_t attribute)
{
    uint64_t value = 0;
    WORKS(cuMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

// What an H200 answered where no context was current.
static void show_bare_calls(void)
{
    enum { PART = 2 << 20 };
    const struct cuda_mem_allocation_prop on_device = {.type = 1, .location = {1, 0}};
    const struct CUmemPoolProps_st props = {.allocType = 1, .location = {1, 0}};
    const struct cuda_mem_access_desc desc = {{1, 0}, 3};
    struct CUmemPoolHandle_st *pool;
    struct CUgraph_st *graph;
    struct CUctx_st *context;
    unsigned long long at, handle;
    uint64_t value = 1 << 20;
    WORKS(cuCtxPopCurrent_v2(&context));
    WORKS(cuMemPoolCreate(&pool, &props));
    WORKS(cuMemPoolSetAttribute(pool, THRESHOLD, &value));
    WORKS(cuMemPoolGetAttribute(pool, THRESHOLD, &value));
    WORKS(cuMemPoolSetAccess(pool, &desc, 1));
    WORKS(cuMemPoolTrimTo(pool, 0));
    WORKS(cuMemPoolDestroy(pool));
    REFUSES(ERROR_INVALID_CONTEXT, cuMemAllocAsync(&at, 64, NULL));
    WORKS(cuMemAddressReserve(&at, PART, 0, 0, 0));
    WORKS(cuMemCreate(&handle, PART, &on_device, 0));
    WORKS(cuMemMap(at, PART, 0, handle, 0));
    WORKS(cuMemSetAccess(at, PART, &desc, 1));
    WORKS(cuMemUnmap(at, PART));
    WORKS(cuMemRelease(handle));
    WORKS(cuMemAddressFree(at, PART));
    WORKS(cuGraphCreate(&graph, 0));
    WORKS(cuCtxPushCurrent_v2(context));
    WORKS(cuGraphDestroy(graph));
}

static void show_pool_calls(void)
{
    struct CUmemPoolHandle_st *pool, *usual, *same;
    struct CUmemPoolProps_st props = {.allocType = 1, .location = {1, 0}};
    const struct cuda_mem_access_desc desc = {{1, 0}, 3};
    REFUSES(ERROR_INVALID_VALUE, cuDeviceGetDefaultMemPool(NULL, 0));
    REFUSES(ERROR_INVALID_DEVICE, cuDeviceGetDefaultMemPool(&usual, 1));
    WORKS(cuDeviceGetDefaultMemPool(&usual, 0));
    WORKS(cuDeviceGetMemPool(&same, 0));
    REQUIRE(same == usual);
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolDestroy(usual));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolCreate(&pool, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolCreate(NULL, &props));
    WORKS(cuMemPoolCreate(&pool, &props));
    props.location.id = 1;
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolCreate(&same, &props));
    props.location.type = 4; // the node of this thread
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolCreate(&same, &props));
    props.location.type = 0;
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolCreate(&same, &props));
    props.location.type = 2;
    props.handleTypes = 1;
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolCreate(&same, &props));
    props.allocType = 0;
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolCreate(&same, &props));
    WORKS(cuDeviceSetMemPool(0, pool));
    WORKS(cuDeviceGetMemPool(&same, 0));
    REQUIRE(same == pool);
    WORKS(cuDeviceGetDefaultMemPool(&same, 0));
    REQUIRE(same == usual);
    REFUSES(ERROR_INVALID_VALUE, cuDeviceSetMemPool(1, pool));
    REFUSES(ERROR_INVALID_VALUE, cuDeviceSetMemPool(0, NULL));
    WORKS(cuMemPoolTrimTo(pool, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolTrimTo(NULL, 0));
    WORKS(cuMemPoolSetAccess(pool, &desc, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolSetAccess(pool, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolSetAccess(NULL, &desc, 1));
    WORKS(cuMemPoolDestroy(pool));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolDestroy(pool));
    REFUSES(ERROR_INVALID_VALUE, cuDeviceSetMemPool(0, pool));
    WORKS(cuDeviceGetMemPool(&same, 0)); // in its place is the default again
    REQUIRE(same == usual);
}

static void show_pool_attributes(struct CUmemPoolHandle_st *pool)
{
    uint64_t value = 1 << 20;
    int off = 0, is_on = 7;
    for (uint32_t i = FOLLOW; i <= INTERNAL; i++) { // on, until they are switched off
        WORKS(cuMemPoolGetAttribute(pool, i, &is_on));
        REQUIRE(is_on == 1);
    }
    WORKS(cuMemPoolSetAttribute(pool, FOLLOW, &off));
    WORKS(cuMemPoolGetAttribute(pool, FOLLOW, &is_on));
    REQUIRE(is_on == 0 && of_pool(pool, THRESHOLD) == 0);
    WORKS(cuMemPoolSetAttribute(pool, THRESHOLD, &value));
    REQUIRE(of_pool(pool, THRESHOLD) == 1 << 20);
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, USED, &value));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, USED_HIGH, &value));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, 0, &value));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, PAST_LAST, &value));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, THRESHOLD, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolSetAttribute(NULL, THRESHOLD, &value));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolGetAttribute(pool, 0, &value));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolGetAttribute(pool, PAST_LAST, &value));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolGetAttribute(pool, THRESHOLD, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolGetAttribute(NULL, THRESHOLD, &value));
}

// A pool on the host gives memory of the host, which is not taken from what the device has.
static void show_host_pools(void)
{
    enum { POINTER_TYPE = 2 };
    for (uint32_t type = 2; type <= 3; type++) { // the host, and its node 0
        const struct CUmemPoolProps_st props = {.allocType = 1, .location = {type, 0}};
        struct CUmemPoolHandle_st *pool;
        unsigned long long at, other;
        uint32_t kind;
        const size_t all = left_bytes();
        WORKS(cuMemPoolCreate(&pool, &props));
        WORKS(cuMemAllocFromPoolAsync(&at, 1000, pool, NULL));
        WORKS(cuMemAllocFromPoolAsync(&other, 24, pool, NULL));
        REQUIRE(left_bytes() == all && of_pool(pool, USED) == 1024);
        *(volatile uint32_t *)(uintptr_t)at = 5;
        WORKS(cuPointerGetAttribute(&kind, POINTER_TYPE, at));
        REQUIRE(kind == MEMORY_OF_HOST);
        uint32_t word; // the device has it only when it is given access
        REFUSES(ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(&word, at, sizeof word));
        WORKS(cuMemPoolSetAccess(pool, &(struct cuda_mem_access_desc){{1, 0}, 3}, 1));
        REQUIRE(api_word(at) == 5);
        REFUSES(ERROR_INVALID_VALUE, cuMemFreeHost((void *)(uintptr_t)at));
        WORKS(cuMemFreeAsync(at, NULL));
        WORKS(cuMemFree_v2(other));
        REQUIRE(of_pool(pool, USED) == 0);
        WORKS(cuMemPoolDestroy(pool));
    }
}

// What a pool gave outlives it, and counts in no other pool, also not in one whose handle is the same.
static void show_current_pool(void)
{
    struct CUmemPoolHandle_st *pool, *usual, *of;
    struct CUmemPoolProps_st props = {.allocType = 1, .location = {1, 0}};
    unsigned long long at, later;
    uint64_t zero = 0;
    WORKS(cuDeviceGetDefaultMemPool(&usual, 0));
    WORKS(cuMemPoolCreate(&pool, &props));
    WORKS(cuDeviceSetMemPool(0, pool));
    WORKS(cuMemAllocAsync(&at, 1000, NULL));
    REQUIRE(of_pool(pool, USED) == 1000 && of_pool(usual, USED) == 0);
    WORKS(cuMemAllocAsync(&later, 500, NULL));
    WORKS(cuMemFreeAsync(later, NULL));
    WORKS(cuMemPoolSetAttribute(pool, RESERVED_HIGH, &zero)); // each of the two has its own
    REQUIRE(of_pool(pool, RESERVED_HIGH) == 1000 && of_pool(pool, USED_HIGH) == 1500);
    WORKS(cuMemPoolSetAttribute(pool, USED_HIGH, &zero));
    REQUIRE(of_pool(pool, USED_HIGH) == 1000);
    WORKS(cuMemPoolDestroy(pool));
    WORKS(cuPointerGetAttribute(&of, 17, at));
    REQUIRE(of == NULL);
    WORKS(cuMemAllocAsync(&later, 64, NULL));
    REQUIRE(of_pool(usual, USED) == 64);
    WORKS(cuMemPoolCreate(&pool, &props));
    REQUIRE(of_pool(pool, USED) == 0 && of_pool(pool, RESERVED_HIGH) == 0);
    WORKS(cuMemFreeAsync(at, NULL));
    REQUIRE(of_pool(pool, USED) == 0 && of_pool(usual, USED) == 64);
    WORKS(cuMemFreeAsync(later, NULL));
    WORKS(cuMemPoolDestroy(pool));
}

// A pool counts what is its own, and no other memory.
SECTION(pools)
{
    struct CUmemPoolHandle_st *pool, *usual, *of;
    struct CUmemPoolProps_st props = {.allocType = 1, .location = {1, 0}};
    unsigned long long at, other;
    uint64_t zero = 0;
    REFUSES(ERROR_NOT_INITIALIZED, cuDeviceGetDefaultMemPool(&usual, 0));
    REFUSES(ERROR_NOT_INITIALIZED, cuDeviceSetMemPool(0, NULL));
    api_ready();
    show_pool_calls();
    show_bare_calls();
    show_host_pools();
    show_current_pool();
    WORKS(cuMemPoolCreate(&pool, &props));
    WORKS(cuDeviceGetDefaultMemPool(&usual, 0));
    show_pool_attributes(pool);
    WORKS(cuMemAllocFromPoolAsync(&at, 1000, pool, NULL));
    WORKS(cuMemAllocAsync(&other, 64, NULL));
    api_memory(1 << 20, 0);
    REQUIRE(of_pool(pool, USED) == 1000 && of_pool(usual, USED) == 64 && of_pool(pool, RESERVED) == 1000);
    WORKS(cuPointerGetAttribute(&of, 17, at));
    REQUIRE(of == pool);
    WORKS(cuMemFreeAsync(at, NULL));
    REQUIRE(of_pool(pool, USED) == 0 && of_pool(pool, USED_HIGH) == 1000 && of_pool(pool, RESERVED_HIGH) == 1000);
    WORKS(cuMemPoolSetAttribute(pool, USED_HIGH, &zero));
    REQUIRE(of_pool(pool, USED_HIGH) == 0);
    WORKS(cuMemFree_v2(other)); // cuMemFree may too
    REQUIRE(of_pool(usual, USED) == 0);
    REFUSES(ERROR_INVALID_VALUE, cuMemFreeAsync(at, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(NULL, 64, pool, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&at, 64, NULL, NULL));
    WORKS(cuMemAllocFromPoolAsync(&at, 0, pool, NULL));
    REQUIRE(at == 0);
    WORKS(cuMemFreeAsync(0, NULL));
    struct CUstream_st *gone;
    WORKS(cuStreamCreate(&gone, 0));
    WORKS(cuStreamDestroy_v2(gone));
    REFUSES(ERROR_INVALID_HANDLE, cuMemAllocAsync(&at, 64, gone));
    REFUSES(ERROR_INVALID_HANDLE, cuMemFreeAsync(at, gone));
}

// --- What a pointer is -----------------------------------------------------------------------------------------------

enum {
    CONTEXT = 1,
    TYPE,
    DEVICE,
    HOST,
    SYNC = 6,
    BUFFER,
    IS_MANAGED,
    ORDINAL,
    START = 11,
    SIZE,
    IS_MAPPED,
    ACCESS = 16
};

// Many at once say nothing of memory that nobody knows, and are no error.
static void show_many(unsigned long long at)
{
    unsigned long long value;
    uint32_t type, flags;
    int device;
    unsigned char is;
    uint32_t which[] = {TYPE, IS_MANAGED, ORDINAL, SIZE, ACCESS};
    void *to[] = {&type, &is, &device, &value, &flags};
    WORKS(cuPointerGetAttributes(5, which, to, at));
    REQUIRE(type == MEMORY_OF_DEVICE && is == 0 && device == 0 && value == 1000);
    WORKS(cuPointerGetAttributes(5, which, to, (unsigned long long)(uintptr_t)&type));
    REQUIRE(type == 0 && is == 0 && device == -2 && value == 1000 && flags == 0); // the size is not written
    REFUSES(ERROR_INVALID_VALUE, cuPointerGetAttributes(5, NULL, to, at));
    REFUSES(ERROR_INVALID_VALUE, cuPointerGetAttributes(5, which, NULL, at));
    REFUSES(ERROR_INVALID_VALUE, cuPointerGetAttributes(1000, which, to, at));
    to[1] = NULL;
    REFUSES(ERROR_INVALID_VALUE, cuPointerGetAttributes(5, which, to, at));
    WORKS(cuPointerSetAttribute(&is, SYNC, at));
    REFUSES(ERROR_INVALID_VALUE, cuPointerSetAttribute(NULL, SYNC, at));
    REFUSES(ERROR_INVALID_VALUE, cuPointerSetAttribute(&is, TYPE, at));
    REFUSES(ERROR_INVALID_VALUE, cuPointerSetAttribute(&is, SYNC, 64));
}

SECTION(pointers)
{
    struct CUctx_st *context = api_ready(), *got, *other;
    unsigned long long at = api_memory(1000, 0), managed, value, first;
    uint32_t type, flags;
    int device;
    unsigned char is;
    void *pinned;
    WORKS(cuMemAllocManaged(&managed, 64, 1));
    WORKS(cuMemAllocHost_v2(&pinned, 64));
    WORKS(cuPointerGetAttribute(&got, CONTEXT, at));
    REQUIRE(got == context);
    WORKS(cuCtxCreate_v2(&other, 0, 0));
    WORKS(cuPointerGetAttribute(&got, CONTEXT, at)); // of the memory, whichever is current
    REQUIRE(got == context);
    WORKS(cuCtxDestroy_v2(other));
    WORKS(cuPointerGetAttribute(&type, TYPE, managed));
    REQUIRE(type == MEMORY_OF_DEVICE);
    WORKS(cuPointerGetAttribute(&type, TYPE, (unsigned long long)(uintptr_t)pinned));
    REQUIRE(type == MEMORY_OF_HOST);
    WORKS(cuPointerGetAttribute(&value, DEVICE, at + 8));
    REQUIRE(value == at + 8);
    WORKS(cuPointerGetAttribute(&value, HOST, managed));
    REQUIRE(value == managed);
    REFUSES(ERROR_INVALID_VALUE, cuPointerGetAttribute(&value, HOST, at));
    WORKS(cuPointerGetAttribute(&is, SYNC, at));
    REQUIRE(is == 0);
    WORKS(cuPointerGetAttribute(&is, IS_MANAGED, managed));
    REQUIRE(is == 1);
    WORKS(cuPointerGetAttribute(&first, BUFFER, at));
    WORKS(cuPointerGetAttribute(&value, BUFFER, managed));
    REQUIRE(first != value);
    WORKS(cuPointerGetAttribute(&device, ORDINAL, at));
    REQUIRE(device == 0);
    WORKS(cuPointerGetAttribute(&value, START, at + 8));
    REQUIRE(value == at);
    WORKS(cuPointerGetAttribute(&value, SIZE, at + 8));
    REQUIRE(value == 1000);
    WORKS(cuPointerGetAttribute(&is, IS_MAPPED, at));
    WORKS(cuPointerGetAttribute(&flags, ACCESS, at));
    REQUIRE(is == 1 && flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    REFUSES(ERROR_INVALID_VALUE, cuPointerGetAttribute(&value, 900, at));
    REFUSES(ERROR_INVALID_VALUE, cuPointerGetAttribute(NULL, TYPE, at));
    REFUSES(ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, TYPE, 64));

    show_many(at);
    struct CUmod_st *module =
        api_module(".visible .const .align 4 .u32 factor = 3;\n.visible .entry k()\n{\nret;\n}\n");
    WORKS(cuModuleGetGlobal_v2(&value, NULL, module, "factor"));
    WORKS(cuPointerGetAttribute(&flags, ACCESS, value));
    REQUIRE(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE); // so an H200's driver says
}
