// SPDX-License-Identifier: MIT
// cuMemcpy* and cuMemset*: each call fills a struct work, whose memory is checked, and submits it.
#include "work.h"

static size_t extent_of(size_t width, size_t height, size_t depth, size_t pitch, size_t slice)
{
    if (width == 0 || height == 0 || depth == 0) return 0;
    return (depth - 1) * slice + (height - 1) * pitch + width;
}

enum cuda_result memory_check(struct driver *driver, const char *call, const char *side, uint64_t address, size_t bytes,
                              uint32_t type)
{
    const struct allocation *found = allocations_find(&driver->allocations, address);
    if (bytes == 0 || (found == NULL && type != MEMORY_OF_DEVICE && address != 0)) return CUDA_SUCCESS;
    if (found == NULL)
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call, "the %s %#llx is no address of the device", side,
                             (unsigned long long)address);
    const uint64_t usable =
        global_usable_bytes(allocations_regions(&driver->allocations), address, bytes, MEMORY_READS);
    if (usable >= bytes) return CUDA_SUCCESS;
    return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call,
                         "the %s of %zu bytes at %#llx goes past the end of its allocation, which has %llu bytes from "
                         "there on",
                         side, bytes, (unsigned long long)address, (unsigned long long)usable);
}

static enum cuda_result copy(const char *call, const struct work_copy *copy, uint32_t to_type, uint32_t from_type,
                             struct CUstream_st *stream)
{
    DRIVER_USE(driver);
    enum cuda_result error =
        memory_check(driver, call, "destination", copy->to,
                     extent_of(copy->width, copy->height, copy->depth, copy->to_pitch, copy->to_slice), to_type);
    if (error == CUDA_SUCCESS)
        error = memory_check(driver, call, "source", copy->from,
                             extent_of(copy->width, copy->height, copy->depth, copy->from_pitch, copy->from_slice),
                             from_type);
    return error != CUDA_SUCCESS ? error : stream_submit(driver, stream, &(struct work){NODE_MEMCPY, {.copy = *copy}});
}

static struct work_copy flat(uint64_t to, uint64_t from, size_t bytes)
{
    return (struct work_copy){.to = to, .from = from, .width = bytes, .height = 1, .depth = 1};
}

static uint64_t address_of(const void *host)
{
    return (uint64_t)(uintptr_t)host;
}

// --- Flat copies -----------------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes,
                                                     struct CUstream_st *stream)
{
    struct work_copy work = flat(to, address_of(from), bytes);
    return copy("cuMemcpyHtoD", &work, MEMORY_OF_DEVICE, MEMORY_OF_HOST, stream);
}

DRIVER_VISIBLE enum cuda_result cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes)
{
    return cuMemcpyHtoDAsync_v2(to, from, bytes, NULL);
}

DRIVER_VISIBLE enum cuda_result cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes,
                                                     struct CUstream_st *stream)
{
    struct work_copy work = flat(address_of(to), from, bytes);
    return copy("cuMemcpyDtoH", &work, MEMORY_OF_HOST, MEMORY_OF_DEVICE, stream);
}

DRIVER_VISIBLE enum cuda_result cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes)
{
    return cuMemcpyDtoHAsync_v2(to, from, bytes, NULL);
}

DRIVER_VISIBLE enum cuda_result cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes,
                                                     struct CUstream_st *stream)
{
    struct work_copy work = flat(to, from, bytes);
    return copy("cuMemcpyDtoD", &work, MEMORY_OF_DEVICE, MEMORY_OF_DEVICE, stream);
}

DRIVER_VISIBLE enum cuda_result cuMemcpyDtoD_v2(unsigned long long to, unsigned long long from, size_t bytes)
{
    return cuMemcpyDtoDAsync_v2(to, from, bytes, NULL);
}

DRIVER_VISIBLE enum cuda_result cuMemcpyAsync(unsigned long long to, unsigned long long from, size_t bytes,
                                              struct CUstream_st *stream)
{
    struct work_copy work = flat(to, from, bytes);
    return copy("cuMemcpy", &work, MEMORY_UNIFIED, MEMORY_UNIFIED, stream);
}

DRIVER_VISIBLE enum cuda_result cuMemcpy(unsigned long long to, unsigned long long from, size_t bytes)
{
    return cuMemcpyAsync(to, from, bytes, NULL);
}

DRIVER_VISIBLE enum cuda_result cuMemcpyPeerAsync(unsigned long long to, struct CUctx_st *to_context,
                                                  unsigned long long from, struct CUctx_st *from_context, size_t bytes,
                                                  struct CUstream_st *stream)
{
    (void)to_context, (void)from_context;
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

DRIVER_VISIBLE enum cuda_result cuMemcpyPeer(unsigned long long to, struct CUctx_st *to_context,
                                             unsigned long long from, struct CUctx_st *from_context, size_t bytes)
{
    return cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, NULL);
}

// --- Boxes -----------------------------------------------------------------------------------------------------------

// Where one side of a box begins; 0 for an array, which there are none of.
static uint64_t side_of(uint32_t type, const void *host, uint64_t device)
{
    return type == MEMORY_OF_HOST ? address_of(host) : device;
}

static int is_memory(uint32_t type)
{
    return type == MEMORY_OF_HOST || type == MEMORY_OF_DEVICE || type == MEMORY_UNIFIED;
}

enum cuda_result copy_of_box(const struct CUDA_MEMCPY3D_st *box, struct work_copy *copy)
{
    if (box == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!is_memory(box->srcMemoryType) || !is_memory(box->dstMemoryType))
        return (int)box->srcMemoryType == MEMORY_OF_ARRAY || (int)box->dstMemoryType == MEMORY_OF_ARRAY
                   ? CUDA_ERROR_NOT_SUPPORTED
                   : CUDA_ERROR_INVALID_VALUE;
    const size_t from_pitch = box->srcPitch != 0 ? box->srcPitch : box->WidthInBytes;
    const size_t to_pitch = box->dstPitch != 0 ? box->dstPitch : box->WidthInBytes;
    const size_t from_slice = from_pitch * (box->srcHeight != 0 ? box->srcHeight : box->Height);
    const size_t to_slice = to_pitch * (box->dstHeight != 0 ? box->dstHeight : box->Height);
    *copy = (struct work_copy){.to = side_of(box->dstMemoryType, box->dstHost, box->dstDevice) + box->dstZ * to_slice +
                                     box->dstY * to_pitch + box->dstXInBytes,
                               .from = side_of(box->srcMemoryType, box->srcHost, box->srcDevice) +
                                       box->srcZ * from_slice + box->srcY * from_pitch + box->srcXInBytes,
                               .to_pitch = to_pitch,
                               .from_pitch = from_pitch,
                               .to_slice = to_slice,
                               .from_slice = from_slice,
                               .width = box->WidthInBytes,
                               .height = box->Height,
                               .depth = box->Depth};
    const int fits =
        from_pitch >= box->srcXInBytes + box->WidthInBytes && to_pitch >= box->dstXInBytes + box->WidthInBytes;
    return fits || box->Height <= 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_VISIBLE enum cuda_result cuMemcpy3DAsync_v2(const struct CUDA_MEMCPY3D_st *box, struct CUstream_st *stream)
{
    struct work_copy work;
    enum cuda_result error = copy_of_box(box, &work);
    return error != CUDA_SUCCESS ? error : copy("cuMemcpy3D", &work, box->dstMemoryType, box->srcMemoryType, stream);
}

DRIVER_VISIBLE enum cuda_result cuMemcpy3D_v2(const struct CUDA_MEMCPY3D_st *box)
{
    return cuMemcpy3DAsync_v2(box, NULL);
}

DRIVER_VISIBLE enum cuda_result cuMemcpy2DAsync_v2(const struct CUDA_MEMCPY2D_st *box, struct CUstream_st *stream)
{
    if (box == NULL) return CUDA_ERROR_INVALID_VALUE;
    struct CUDA_MEMCPY3D_st whole = {.srcXInBytes = box->srcXInBytes,
                                     .srcY = box->srcY,
                                     .srcMemoryType = box->srcMemoryType,
                                     .srcHost = box->srcHost,
                                     .srcDevice = box->srcDevice,
                                     .srcPitch = box->srcPitch,
                                     .dstXInBytes = box->dstXInBytes,
                                     .dstY = box->dstY,
                                     .dstMemoryType = box->dstMemoryType,
                                     .dstHost = box->dstHost,
                                     .dstDevice = box->dstDevice,
                                     .dstPitch = box->dstPitch,
                                     .WidthInBytes = box->WidthInBytes,
                                     .Height = box->Height,
                                     .Depth = 1};
    return cuMemcpy3DAsync_v2(&whole, stream);
}

DRIVER_VISIBLE enum cuda_result cuMemcpy2D_v2(const struct CUDA_MEMCPY2D_st *box)
{
    return cuMemcpy2DAsync_v2(box, NULL);
}

DRIVER_VISIBLE enum cuda_result cuMemcpy2DUnaligned_v2(const struct CUDA_MEMCPY2D_st *box)
{
    return cuMemcpy2DAsync_v2(box, NULL);
}

// --- Filling ---------------------------------------------------------------------------------------------------------

enum cuda_result set_check(struct driver *driver, const struct work_set *set)
{
    const size_t row = set->width * set->element_bytes;
    if (set->to % set->element_bytes != 0 || (set->height > 1 && set->pitch < row)) return CUDA_ERROR_INVALID_VALUE;
    return memory_check(driver, "cuMemset", "destination", set->to, extent_of(row, set->height, 1, set->pitch, 0),
                        MEMORY_OF_DEVICE);
}

static enum cuda_result set(const struct work_set *set, struct CUstream_st *stream)
{
    DRIVER_USE(driver);
    enum cuda_result error = set_check(driver, set);
    return error != CUDA_SUCCESS ? error : stream_submit(driver, stream, &(struct work){NODE_MEMSET, {.set = *set}});
}

#define SET_CALLS(bits, type, sync, sync_2d)                                                                           \
    DRIVER_VISIBLE enum cuda_result cuMemsetD2D##bits##Async(unsigned long long to, size_t pitch, type value,          \
                                                             size_t width, size_t height, struct CUstream_st *stream)  \
    {                                                                                                                  \
        return set(&(struct work_set){to, pitch, width, height, value, bits / 8}, stream);                             \
    }                                                                                                                  \
    DRIVER_VISIBLE enum cuda_result cuMemsetD##bits##Async(unsigned long long to, type value, size_t count,            \
                                                           struct CUstream_st *stream)                                 \
    {                                                                                                                  \
        return set(&(struct work_set){to, 0, count, 1, value, bits / 8}, stream);                                      \
    }                                                                                                                  \
    DRIVER_VISIBLE enum cuda_result sync(unsigned long long to, type value, size_t count)                              \
    {                                                                                                                  \
        return cuMemsetD##bits##Async(to, value, count, NULL);                                                         \
    }                                                                                                                  \
    DRIVER_VISIBLE enum cuda_result sync_2d(unsigned long long to, size_t pitch, type value, size_t width,             \
                                            size_t height)                                                             \
    {                                                                                                                  \
        return cuMemsetD2D##bits##Async(to, pitch, value, width, height, NULL);                                        \
    }
SET_CALLS(8, unsigned char, cuMemsetD8_v2, cuMemsetD2D8_v2)
SET_CALLS(16, unsigned short, cuMemsetD16_v2, cuMemsetD2D16_v2)
SET_CALLS(32, unsigned, cuMemsetD32_v2, cuMemsetD2D32_v2)
