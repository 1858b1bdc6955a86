// SPDX-License-Identifier: MIT
// Copies with attributes, many in one call too, and copies between devices, of which there is one.
#include <stdlib.h>

#include "cuda_api.h"
#include "work.h"

enum { PREFER_OVERLAP = 1, ORDER_STREAM = 1, ORDER_ANY = 3 }; // when the source may be read: nothing depends on it here

static bool is_order(uint32_t order)
{
    return order >= ORDER_STREAM && order <= ORDER_ANY;
}

// Which copies have which attributes: the first is for those from 0 on, and each begins behind the one before.
static bool are_attributes(const struct CUmemcpyAttributes_st *attribute, const size_t *from, size_t attributes,
                           size_t count)
{
    if (attribute == NULL || from == NULL || attributes == 0 || attributes > count || from[0] != 0) return false;
    for (size_t i = 0; i < attributes; i++) {
        if (!is_order(attribute[i].srcAccessOrder) || attribute[i].flags > PREFER_OVERLAP) return false;
        if (i > 0 && (from[i] <= from[i - 1] || from[i] >= count)) return false;
    }
    return true;
}

// In the first page of a process there is nothing.
static bool is_no_address(uint64_t address)
{
    enum { PAGE_BYTES = 4096 };
    return address < PAGE_BYTES;
}

// These calls are for streams of the program's own, which are not captured.
static enum cuda_result check_stream(struct driver *driver, struct CUstream_st *handle)
{
    enum { LEGACY_HANDLE = 1 };
    if ((uintptr_t)handle <= LEGACY_HANDLE) return CUDA_ERROR_INVALID_VALUE;
    const struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    return stream->capture == NULL ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

DRIVER_VISIBLE enum cuda_result cuMemcpyBatchAsync_v2(unsigned long long *to, unsigned long long *from, size_t *bytes,
                                                      size_t count, struct CUmemcpyAttributes_st *attribute,
                                                      size_t *attribute_from, size_t attributes,
                                                      struct CUstream_st *stream)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    if (to == NULL || from == NULL || bytes == NULL || count == 0) return CUDA_ERROR_INVALID_VALUE;
    if (!are_attributes(attribute, attribute_from, attributes, count)) return CUDA_ERROR_INVALID_VALUE;
    enum cuda_result error = check_stream(driver, stream);
    for (size_t i = 0; i < count && error == CUDA_SUCCESS; i++) {
        const struct work_copy copy = {
            .to = to[i], .from = from[i], .to_type = MEMORY_UNIFIED, .from_type = MEMORY_UNIFIED, .width = bytes[i]};
        const bool is_none = bytes[i] == 0 || is_no_address(to[i]) || is_no_address(from[i]);
        error = is_none ? CUDA_ERROR_INVALID_VALUE : copy_check(driver, "cuMemcpyBatchAsync", &copy);
    }
    for (size_t i = 0; i < count && error == CUDA_SUCCESS; i++) error = cuMemcpyAsync(to[i], from[i], bytes[i], stream);
    return error;
}

DRIVER_VISIBLE enum cuda_result cuMemcpyWithAttributesAsync(unsigned long long to, unsigned long long from,
                                                            size_t bytes, struct CUmemcpyAttributes_st *attribute,
                                                            struct CUstream_st *stream)
{
    const size_t first = 0;
    if (!are_attributes(attribute, &first, 1, 1)) return CUDA_ERROR_INVALID_VALUE;
    return cuMemcpyAsync(to, from, bytes, stream);
}

// --- Boxes -----------------------------------------------------------------------------------------------------------

enum { OPERAND_POINTER = 1, OPERAND_ARRAY = 2 };

static bool is_operand(const struct CUmemcpy3DOperand_st *operand, const struct CUDA_MEMCPY3D_BATCH_OP_st *box)
{
    const size_t row = operand->op.ptr.rowLength, layer = operand->op.ptr.layerHeight;
    return operand->type == OPERAND_POINTER && (row == 0 || row >= box->extent.width) &&
           (layer == 0 || layer >= box->extent.height);
}

static enum cuda_result box_of(struct driver *driver, const char *call, const struct CUDA_MEMCPY3D_BATCH_OP_st *from,
                               struct work_copy *copy)
{
    if (from->src.type == OPERAND_ARRAY || from->dst.type == OPERAND_ARRAY)
        return driver_refuse(driver, CUDA_ERROR_NOT_SUPPORTED, call, "tmaref exec has no CUDA arrays");
    if (!is_operand(&from->src, from) || !is_operand(&from->dst, from) || !is_order(from->srcAccessOrder))
        return CUDA_ERROR_INVALID_VALUE;
    const struct CUDA_MEMCPY3D_st box = {.srcMemoryType = MEMORY_UNIFIED,
                                         .srcDevice = from->src.op.ptr.ptr,
                                         .srcPitch = from->src.op.ptr.rowLength,
                                         .srcHeight = from->src.op.ptr.layerHeight,
                                         .dstMemoryType = MEMORY_UNIFIED,
                                         .dstDevice = from->dst.op.ptr.ptr,
                                         .dstPitch = from->dst.op.ptr.rowLength,
                                         .dstHeight = from->dst.op.ptr.layerHeight,
                                         .WidthInBytes = from->extent.width,
                                         .Height = from->extent.height,
                                         .Depth = from->extent.depth};
    const enum cuda_result error = copy_of_box(&box, copy);
    return error != CUDA_SUCCESS ? error : copy_check(driver, call, copy);
}

DRIVER_VISIBLE enum cuda_result cuMemcpy3DBatchAsync_v2(size_t count, struct CUDA_MEMCPY3D_BATCH_OP_st *box,
                                                        unsigned long long flags, struct CUstream_st *stream)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    struct work work = {.type = NODE_MEMCPY};
    if (count == 0 || box == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    enum cuda_result error = check_stream(driver, stream);
    for (size_t i = 0; i < count && error == CUDA_SUCCESS; i++)
        error = box_of(driver, "cuMemcpy3DBatchAsync", &box[i], &work.of.copy);
    for (size_t i = 0; i < count && error == CUDA_SUCCESS; i++) {
        box_of(driver, "cuMemcpy3DBatchAsync", &box[i], &work.of.copy);
        error = stream_submit(driver, stream, &work);
    }
    return error;
}

DRIVER_VISIBLE enum cuda_result cuMemcpy3DWithAttributesAsync(struct CUDA_MEMCPY3D_BATCH_OP_st *box,
                                                              unsigned long long flags, struct CUstream_st *stream)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    struct work work = {.type = NODE_MEMCPY};
    if (box == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = box_of(driver, "cuMemcpy3DWithAttributesAsync", box, &work.of.copy);
    return error != CUDA_SUCCESS ? error : stream_submit(driver, stream, &work);
}

// --- Between devices -------------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuMemcpy3DPeerAsync(const struct CUDA_MEMCPY3D_PEER_st *from,
                                                    struct CUstream_st *stream)
{
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct CUDA_MEMCPY3D_st box = {.srcXInBytes = from->srcXInBytes,
                                         .srcY = from->srcY,
                                         .srcZ = from->srcZ,
                                         .srcMemoryType = from->srcMemoryType,
                                         .srcHost = from->srcHost,
                                         .srcDevice = from->srcDevice,
                                         .srcPitch = from->srcPitch,
                                         .srcHeight = from->srcHeight,
                                         .dstXInBytes = from->dstXInBytes,
                                         .dstY = from->dstY,
                                         .dstZ = from->dstZ,
                                         .dstMemoryType = from->dstMemoryType,
                                         .dstHost = from->dstHost,
                                         .dstDevice = from->dstDevice,
                                         .dstPitch = from->dstPitch,
                                         .dstHeight = from->dstHeight,
                                         .WidthInBytes = from->WidthInBytes,
                                         .Height = from->Height,
                                         .Depth = from->Depth};
    return cuMemcpy3DAsync_v2(&box, stream);
}

DRIVER_CALL(cuMemcpy3DPeer, (const struct CUDA_MEMCPY3D_PEER_st *from), cuMemcpy3DPeerAsync(from, NULL))
