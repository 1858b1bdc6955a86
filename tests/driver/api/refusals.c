// SPDX-License-Identifier: MIT
// What calls refuse: handles of another kind, places for answers that are none, numbers out of range.
#include "api.h"

enum cuda_result cuCtxGetDevice_v2(int *device, struct CUctx_st *context);
enum cuda_result cuCtxSynchronize_v2(struct CUctx_st *context);
enum cuda_result cuStreamGetGreenCtx(struct CUstream_st *stream, struct CUgreenCtx_st **green);

enum { DEVICE = 1, HOST = 2 }; // types of places

// An event, where a handle of another kind is asked for.
static struct CUevent_st *event;
#define AN_EVENT ((void *)event)

static struct CUctx_st *ready(void)
{
    struct CUctx_st *context = api_ready();
    WORKS(cuEventCreate(&event, 0));
    return context;
}

static void refuse_contexts(struct CUctx_st *context)
{
    int device = 7;
    REFUSES(ERROR_INVALID_VALUE, cuCtxGetSharedMemConfig(NULL));
    REFUSES(ERROR_INVALID_VALUE, cuCtxGetDevice_v2(NULL, context));
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxGetDevice_v2(&device, AN_EVENT));
    REQUIRE(device == 7);
    WORKS(cuCtxSynchronize_v2(NULL));
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxSynchronize_v2(AN_EVENT));
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxPushCurrent_v2(AN_EVENT));
    REFUSES(ERROR_INVALID_CONTEXT, cuCtxSetCurrent(AN_EVENT));
    WORKS(cuCtxPushCurrent_v2(context));
    WORKS(cuCtxPopCurrent_v2(NULL));
}

static void refuse_functions(struct CUfunc_st *put)
{
    struct CUmod_st *module;
    const char *name;
    size_t offset;
    int count;
    const struct cuda_launch_config config = {.grid_x = 1, .grid_y = 1, .grid_z = 1, .block_x = 1, .block_y = 1};
    WORKS(cuFuncSetSharedMemConfig(put, 2));
    REFUSES(ERROR_INVALID_VALUE, cuFuncSetSharedMemConfig(put, 3));
    REFUSES(ERROR_INVALID_HANDLE, cuFuncSetSharedMemConfig(AN_EVENT, 0));
    REFUSES(ERROR_INVALID_HANDLE, cuFuncGetModule(&module, AN_EVENT));
    REFUSES(ERROR_INVALID_HANDLE, cuFuncGetName(&name, AN_EVENT));
    REFUSES(ERROR_INVALID_HANDLE, cuFuncGetParamInfo(AN_EVENT, 0, &offset, NULL));
    REFUSES(ERROR_INVALID_HANDLE, cuFuncGetParamCount(AN_EVENT, &offset));
    REFUSES(ERROR_INVALID_HANDLE, cuOccupancyMaxActiveClusters(&count, AN_EVENT, &config));
    REFUSES(ERROR_INVALID_HANDLE, cuOccupancyMaxPotentialClusterSize(&count, AN_EVENT, &config));
    REFUSES(ERROR_INVALID_HANDLE, cuKernelSetCacheConfig(AN_EVENT, 0, 0));
}

static void refuse_streams(struct CUstream_st *stream)
{
    struct CUgreenCtx_st *green = AN_EVENT;
    unsigned value[16] = {0};
    REFUSES(ERROR_INVALID_HANDLE, cuStreamGetGreenCtx(AN_EVENT, &green));
    REFUSES(ERROR_INVALID_VALUE, cuStreamGetGreenCtx(stream, NULL));
    REQUIRE(green == AN_EVENT);
    WORKS(cuStreamGetGreenCtx(stream, &green));
    REQUIRE(green == NULL);
    value[0] = 5; // there are four policies, from 1 on
    REFUSES(ERROR_INVALID_VALUE, cuStreamSetAttribute(stream, 3, value));
    REFUSES(ERROR_INVALID_VALUE, cuStreamSetAttribute(stream, 3, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuStreamGetAttribute(stream, 3, NULL));
    REFUSES(ERROR_INVALID_HANDLE, cuStreamSetAttribute(AN_EVENT, 3, value));
    REFUSES(ERROR_INVALID_HANDLE, cuStreamGetAttribute(AN_EVENT, 3, value));
    REFUSES(ERROR_INVALID_HANDLE, cuStreamCopyAttributes(stream, AN_EVENT));
    REFUSES(ERROR_INVALID_HANDLE, cuStreamCopyAttributes(AN_EVENT, stream));
}

static void refuse_device(void)
{
    const uint32_t operation = 0;
    unsigned capabilities = 7;
    REFUSES(ERROR_INVALID_VALUE, cuDeviceGetHostAtomicCapabilities(&capabilities, NULL, 1, 0));
    REFUSES(ERROR_INVALID_VALUE, cuDeviceGetHostAtomicCapabilities(&capabilities, &operation, 0, 0));
    REFUSES(ERROR_INVALID_DEVICE, cuDeviceGetHostAtomicCapabilities(&capabilities, &operation, 1, 1));
    REQUIRE(capabilities == 7);
    WORKS(cuDeviceGetHostAtomicCapabilities(&capabilities, &operation, 1, 0));
    REQUIRE(capabilities == 0);
}

// The pools of places: the host has none of its own here.
static void refuse_pools(void)
{
    struct cuda_mem_location device = {DEVICE, 0}, other = {DEVICE, 1}, host = {HOST, 0}, none = {99, 0};
    const struct cuda_mem_access_desc access = {.location = {DEVICE, 0}, .flags = 2};
    struct CUmemPoolHandle_st *pool, *same;
    uint32_t flags;
    REFUSES(ERROR_INVALID_VALUE, cuMemGetMemPool(NULL, &device, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemGetMemPool(&pool, NULL, 1));
    REFUSES(ERROR_INVALID_DEVICE, cuMemGetMemPool(&pool, &other, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemGetDefaultMemPool(&pool, &none, 1));
    REFUSES(ERROR_NOT_SUPPORTED, cuMemGetMemPool(&pool, &host, 1));
    SAYS("cuMemGetMemPool: only the device has a pool of its own here");
    REFUSES(ERROR_NOT_SUPPORTED, cuMemGetDefaultMemPool(&pool, &host, 1));
    SAYS("cuMemGetDefaultMemPool: only the device has a pool of its own here");
    WORKS(cuMemGetDefaultMemPool(&pool, &device, 1));
    WORKS(cuMemGetMemPool(&same, &device, 1));
    REQUIRE(same == pool);
    REFUSES(ERROR_INVALID_VALUE, cuMemSetMemPool(&host, 1, pool));
    REFUSES(ERROR_INVALID_VALUE, cuMemSetMemPool(NULL, 1, pool));
    WORKS(cuMemSetMemPool(&device, 1, pool));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolSetAccess(pool, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolSetAccess(pool, &access, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolGetAccess(&flags, AN_EVENT, &device));
}

// Memory that is mapped is unmapped as it was mapped, and addresses are given back as they were reserved.
static void refuse_mapping(void)
{
    const size_t part = (size_t)2 << 20;
    const struct cuda_mem_allocation_prop prop = {.type = 1, .location = {DEVICE, 0}};
    unsigned long long at, handle, managed;
    WORKS(cuMemAddressReserve(&at, 2 * part, 0, 0, 0));
    WORKS(cuMemCreate(&handle, part, &prop, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemMap(at, 0, 0, handle, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemMap(at, part, 0, handle, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemMap(at, part, 1, handle, 0));
    SAYS("cuMemMap: the address or the offset is not a multiple of 2097152");
    WORKS(cuMemMap(at, part, 0, handle, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemUnmap(at, 2 * part));
    REFUSES(ERROR_INVALID_VALUE, cuMemUnmap(at + part, part));
    REFUSES(ERROR_INVALID_VALUE, cuMemFreeAsync(at, NULL));
    WORKS(cuMemUnmap(at, part));
    WORKS(cuMemRelease(handle));
    REFUSES(ERROR_INVALID_VALUE, cuMemAddressFree(at, part));
    SAYS("are not a reservation of cuMemAddressReserve");
    WORKS(cuMemAddressFree(at, 2 * part));
    WORKS(cuMemAllocManaged(&managed, 64, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemFreeAsync(managed, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemFreeAsync(api_memory(64, 1) + 1, NULL));
}

static void refuse_links(void)
{
    static char text[] = PTX_HEAD;
    struct CUlinkState_st *link;
    void *image;
    enum { OF_PTX = 1 };
    REFUSES(ERROR_INVALID_VALUE, cuLinkCreate_v2(0, NULL, NULL, NULL));
    REFUSES(ERROR_INVALID_HANDLE, cuLinkAddData_v2(AN_EVENT, OF_PTX, text, sizeof text, "text", 0, NULL, NULL));
    REFUSES(ERROR_INVALID_HANDLE, cuLinkComplete(AN_EVENT, &image, NULL));
    WORKS(cuLinkCreate_v2(0, NULL, NULL, &link));
    REFUSES(ERROR_INVALID_VALUE, cuLinkAddData_v2(link, OF_PTX, text, 0, "text", 0, NULL, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuLinkAddFile_v2(link, OF_PTX, NULL, 0, NULL, NULL));
    WORKS(cuLinkDestroy(link));
}

SECTION(handle_refusals)
{
    struct CUstream_st *stream;
    struct CUctx_st *context = ready();
    WORKS(cuStreamCreate(&stream, 0));
    refuse_contexts(context);
    refuse_functions(api_kernel(ptx_put, "put"));
    refuse_streams(stream);
    refuse_device();
    refuse_pools();
    refuse_mapping();
    refuse_links();
}

// --- Copies and operations of streams --------------------------------------------------------------------------------

// Each list but the one that is right lacks something; nothing is copied then.
static void refuse_batches(struct CUstream_st *stream)
{
    unsigned long long to[] = {api_memory(64, 1), 0}, from[] = {api_memory(64, 2), 0};
    size_t bytes[] = {64, 64}, none[] = {0}, first[] = {0, 1}, late[] = {1}, same[] = {0, 0};
    struct CUmemcpyAttributes_st plain[2] = {{.srcAccessOrder = 1}, {.srcAccessOrder = 1}}, orderless[] = {{0}},
                                 flags[] = {{.srcAccessOrder = 1, .flags = 2}};
    const struct {
        enum cuda_result error;
        unsigned long long *to, *from;
        size_t *bytes, count;
        struct CUmemcpyAttributes_st *attribute;
        size_t *attribute_from, attributes;
        struct CUstream_st *stream;
    } rows[] = {
        {CUDA_ERROR_INVALID_VALUE, NULL, from, bytes, 1, plain, first, 1, stream},
        {CUDA_ERROR_INVALID_VALUE, to, NULL, bytes, 1, plain, first, 1, stream},
        {CUDA_ERROR_INVALID_VALUE, to, from, NULL, 1, plain, first, 1, stream},
        {CUDA_ERROR_INVALID_VALUE, to, from, bytes, 0, plain, first, 1, stream},
        {CUDA_ERROR_INVALID_VALUE, to, from, bytes, 1, NULL, first, 1, stream},
        {CUDA_ERROR_INVALID_VALUE, to, from, bytes, 1, plain, NULL, 1, stream},
        {CUDA_ERROR_INVALID_VALUE, to, from, bytes, 1, plain, first, 0, stream},
        {CUDA_ERROR_INVALID_VALUE, to, from, bytes, 1, plain, first, 2, stream},
        {CUDA_ERROR_INVALID_VALUE, to, from, bytes, 1, plain, late, 1, stream},
        {CUDA_ERROR_INVALID_VALUE, to, from, bytes, 2, plain, same, 2, stream},
        {CUDA_ERROR_INVALID_VALUE, to, from, bytes, 1, orderless, first, 1, stream},
        {CUDA_ERROR_INVALID_VALUE, to, from, bytes, 1, flags, first, 1, stream},
        {CUDA_ERROR_INVALID_VALUE, to, from, none, 1, plain, first, 1, stream},
        {CUDA_ERROR_INVALID_VALUE, to + 1, from, bytes, 1, plain, first, 1, stream},
        {CUDA_ERROR_INVALID_VALUE, to, from + 1, bytes, 1, plain, first, 1, stream},
        {CUDA_ERROR_INVALID_VALUE, to, from, bytes, 2, plain, first, 2, stream}, // the second has no addresses
        {CUDA_ERROR_INVALID_VALUE, to, from, bytes, 1, plain, first, 1, NULL},
        {CUDA_ERROR_INVALID_HANDLE, to, from, bytes, 1, plain, first, 1, AN_EVENT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char row[64];
        snprintf(row, sizeof row, "cuMemcpyBatchAsync, row %zu", i);
        api_expect(__FILE__, __LINE__, row,
                   (int)cuMemcpyBatchAsync_v2(rows[i].to, rows[i].from, rows[i].bytes, rows[i].count, rows[i].attribute,
                                              rows[i].attribute_from, rows[i].attributes, rows[i].stream),
                   (int)rows[i].error);
        REQUIRE(api_byte(to[0]) == 1);
    }
    WORKS(cuMemcpyBatchAsync_v2(to, from, bytes, 1, plain, first, 1, stream));
    WORKS(cuStreamSynchronize(stream));
    REQUIRE(api_byte(to[0]) == 2);
}

static void refuse_boxes(struct CUstream_st *stream)
{
    enum { POINTER = 1, ARRAY = 2 };
    const unsigned long long to = api_memory(64, 1), from = api_memory(64, 2);
    const struct CUDA_MEMCPY3D_BATCH_OP_st right = {.src = {.type = POINTER, .op.ptr.ptr = from},
                                                    .dst = {.type = POINTER, .op.ptr.ptr = to},
                                                    .extent = {16, 2, 1},
                                                    .srcAccessOrder = 1};
    struct CUDA_MEMCPY3D_BATCH_OP_st box[] = {right, right, right, right, right, right, right};
    box[0].src.type = 0;
    box[1].dst.type = 0;
    box[2].src.op.ptr.rowLength = 15;
    box[3].src.op.ptr.layerHeight = 1;
    box[4].srcAccessOrder = 4;
    box[5].dst.op.ptr.rowLength = 15;
    box[6].srcAccessOrder = 0;
    for (size_t i = 0; i < sizeof box / sizeof box[0]; i++)
        REFUSES(ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync_v2(1, &box[i], 0, stream));
    box[0].src.type = ARRAY;
    REFUSES(ERROR_NOT_SUPPORTED, cuMemcpy3DBatchAsync_v2(1, box, 0, stream));
    SAYS("tmaref exec has no CUDA arrays");
    box[1].dst.type = ARRAY;
    REFUSES(ERROR_NOT_SUPPORTED, cuMemcpy3DBatchAsync_v2(1, &box[1], 0, stream));
    REFUSES(ERROR_INVALID_HANDLE, cuMemcpy3DBatchAsync_v2(1, box, 0, AN_EVENT));
    REQUIRE(api_byte(to) == 1);
    box[0] = right;
    WORKS(cuMemcpy3DBatchAsync_v2(1, box, 0, stream));
    WORKS(cuStreamSynchronize(stream));
    REQUIRE(api_byte(to + 31) == 2 && api_byte(to + 32) == 1);
}

// Operations on words in memory, by their number: 3 flushes writes, 6 is a barrier.
static void refuse_operations(struct CUstream_st *stream)
{
    enum { MOST = 256, WRITE_32 = 2, FLUSH = 3, BARRIER = 6 };
    union CUstreamBatchMemOpParams_union write = {
        .value = {.operation = WRITE_32, .address = api_memory(64, 1), .value64 = 5}};
    const unsigned long long word = write.value.address;
    union CUstreamBatchMemOpParams_union flush = {.operation = FLUSH}, barrier = {.operation = BARRIER},
                                         none = {.operation = 0}, past = {.operation = BARRIER + 1};
    REFUSES(ERROR_INVALID_HANDLE, cuStreamBatchMemOp_v2(AN_EVENT, 1, &write, 0));
    REFUSES(ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(stream, MOST + 1, &write, 0));
    REFUSES(ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(stream, 1, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(stream, 1, &write, 1));
    REFUSES(ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(stream, 1, &none, 0));
    REFUSES(ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(stream, 1, &past, 0));
    WORKS(cuStreamBatchMemOp_v2(stream, 0, &write, 0));
    REFUSES(ERROR_NOT_SUPPORTED, cuStreamBatchMemOp_v2(stream, 1, &flush, 0));
    WORKS(cuStreamBatchMemOp_v2(stream, 1, &barrier, 0));
    barrier.barrier.flags = 1;
    WORKS(cuStreamBatchMemOp_v2(stream, 1, &barrier, 0));
    barrier.barrier.flags = 2;
    REFUSES(ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(stream, 1, &barrier, 0));
    REQUIRE(api_word(word) == 0x01010101);
    WORKS(cuStreamBatchMemOp_v2(stream, 1, &write, 0));
    REQUIRE(api_word(word) == 5);
}

SECTION(stream_refusals)
{
    struct CUstream_st *stream;
    ready();
    WORKS(cuStreamCreate(&stream, 0));
    refuse_batches(stream);
    refuse_boxes(stream);
    refuse_operations(stream);
}
