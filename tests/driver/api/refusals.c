// SPDX-License-Identifier: MIT
// What calls refuse: handles of another kind, places for answers that are none, numbers out of range.
#include "api.h"

// An event, where a handle of another kind is asked for.
static struct CUevent_st *event;
#define AN_EVENT ((void *)event)

static struct CUctx_st *ready(void)
{
    struct CUctx_st *context = api_ready();
    WORKS(cuEventCreate(&event, 0));
    return context;
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
