// SPDX-License-Identifier: MIT
// cuMemcpy* and cuMemset*: each call fills a struct work, whose memory is checked, and submits it.
#include "cuda_array.h"
#include "sanitize_order.h"
#include "work.h"

enum { MOST_STAGED_BYTES = 1 << 20 };

// Adds a * b; 0 if the sum does not fit.
static bool add_product(uint64_t *sum, uint64_t a, uint64_t b)
{
    uint64_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

// From the first byte of a box to its last; 0 if that does not fit.
static bool extent_of(const struct work_copy *copy, size_t pitch, size_t slice, uint64_t *bytes)
{
    *bytes = 0;
    if (copy->width == 0 || copy->height == 0 || copy->depth == 0) return true;
    *bytes = copy->width;
    return add_product(bytes, copy->height - 1, pitch) && add_product(bytes, copy->depth - 1, slice);
}

// Where the memory of a process ends.
#ifdef __x86_64__
#define HOST_END ((uint64_t)1 << 47)
#else
#define HOST_END ((uint64_t)1 << 48)
#endif

static enum cuda_result refuse_size(struct driver *driver, const char *call, const char *side)
{
    return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call,
                         "the %s would end past the last address: a width, height or pitch is too large", side);
}

enum cuda_result memory_check(struct driver *driver, const char *call, const char *side, uint64_t address, size_t bytes,
                              uint32_t type)
{
    const struct allocation *found = allocations_find(&driver->allocations, address);
    const uint64_t end = address < HOST_END ? HOST_END : UINT64_MAX;
    if (bytes > end - address) return refuse_size(driver, call, side);
    if (bytes == 0 || (found == NULL && type != MEMORY_OF_DEVICE && address != 0)) return CUDA_SUCCESS;
    if (found == NULL)
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call, "the %s %#llx is not an address of the device",
                             side, (unsigned long long)address);
    // Of a pool of the host that the device has no access to, the host still has.
    if (found->kind == ALLOCATION_HOST_POOL && found->is_hidden && type != MEMORY_OF_DEVICE &&
        bytes <= found->address + found->size_bytes - address)
        return CUDA_SUCCESS;
    // A node may be made, or a stream captured, before the node that allocates its memory was launched.
    if (found->kind == ALLOCATION_GRAPH && bytes <= found->address + found->size_bytes - address) return CUDA_SUCCESS;
    const uint64_t usable =
        global_usable_bytes(allocations_regions(&driver->allocations), address, bytes, MEMORY_READS);
    if (usable >= bytes) return CUDA_SUCCESS;
    return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call,
                         "the %s of %zu bytes at %#llx goes past the end of its allocation, which has %llu bytes from "
                         "there on",
                         side, bytes, (unsigned long long)address, (unsigned long long)usable);
}

enum cuda_result copy_check(struct driver *driver, const char *call, const struct work_copy *copy)
{
    uint64_t to_bytes, from_bytes;
    if (!extent_of(copy, copy->to_pitch, copy->to_slice, &to_bytes)) return refuse_size(driver, call, "destination");
    if (!extent_of(copy, copy->from_pitch, copy->from_slice, &from_bytes)) return refuse_size(driver, call, "source");
    const enum cuda_result error = memory_check(driver, call, "destination", copy->to, to_bytes, copy->to_type);
    return error != CUDA_SUCCESS ? error
                                 : memory_check(driver, call, "source", copy->from, from_bytes, copy->from_type);
}

// Checks and submits.
static enum cuda_result submit(const char *call, const struct work *work, struct CUstream_st *stream)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    const enum cuda_result error = work_check(driver, call, work);
    return error != CUDA_SUCCESS ? error : stream_submit(driver, stream, work);
}

static enum cuda_result copy_flat(const char *call, uint64_t to, uint32_t to_type, uint64_t from, uint32_t from_type,
                                  size_t bytes, struct CUstream_st *stream)
{
    const struct work_copy copy = {
        .to = to, .from = from, .to_type = to_type, .from_type = from_type, .width = bytes, .height = 1, .depth = 1};
    return submit(call, &(struct work){NODE_MEMCPY, {.copy = copy}}, stream);
}

static uint64_t address_of(const void *host)
{
    return (uint64_t)(uintptr_t)host;
}

bool copy_is_pageable(const struct driver *driver, uint64_t address, uint32_t type)
{
    return type != MEMORY_OF_DEVICE && allocations_find(&driver->allocations, address) == NULL;
}

// Of the host: pageable, or allocated or registered there.
static bool is_of_host(const struct driver *driver, uint64_t address, uint32_t type)
{
    const struct allocation *found = allocations_find(&driver->allocations, address);
    if (found == NULL) return type != MEMORY_OF_DEVICE;
    return found->kind == ALLOCATION_PINNED || found->kind == ALLOCATION_REGISTERED;
}

bool copy_is_waited_for(const struct driver *driver, const struct work_copy *copy)
{
    const bool is_from_host = is_of_host(driver, copy->from, copy->from_type);
    if (copy_is_pageable(driver, copy->to, copy->to_type)) return true;
    if (is_from_host && is_of_host(driver, copy->to, copy->to_type)) return true;
    return copy_is_pageable(driver, copy->from, copy->from_type) &&
           copy->width * copy->height * copy->depth > MOST_STAGED_BYTES;
}

// Of a call that returns when the default stream has done the copy.
static enum cuda_result finish(enum cuda_result error)
{
    DRIVER_ENTER(driver);
    if (error != CUDA_SUCCESS || (driver->turns == NULL && driver->history == NULL)) return error;
    struct CUstream_st *stream = stream_of(driver, NULL);
    if (stream != NULL) sanitize_order_wait(driver, stream);
    if (stream == NULL || !turns_are_on(driver, stream)) return error;
    turns_wait(driver, stream);
    return driver_usable(driver);
}

// --- Flat copies -----------------------------------------------------------------------------------------------------

DRIVER_CALL(cuMemcpyHtoDAsync_v2, (unsigned long long to, const void *from, size_t bytes, struct CUstream_st *stream),
            copy_flat("cuMemcpyHtoD", to, MEMORY_OF_DEVICE, address_of(from), MEMORY_OF_HOST, bytes, stream))
DRIVER_CALL(cuMemcpyHtoD_v2, (unsigned long long to, const void *from, size_t bytes),
            finish(cuMemcpyHtoDAsync_v2(to, from, bytes, NULL)))
DRIVER_CALL(cuMemcpyDtoHAsync_v2, (void *to, unsigned long long from, size_t bytes, struct CUstream_st *stream),
            copy_flat("cuMemcpyDtoH", address_of(to), MEMORY_OF_HOST, from, MEMORY_OF_DEVICE, bytes, stream))
DRIVER_CALL(cuMemcpyDtoH_v2, (void *to, unsigned long long from, size_t bytes),
            finish(cuMemcpyDtoHAsync_v2(to, from, bytes, NULL)))
DRIVER_CALL(cuMemcpyDtoDAsync_v2,
            (unsigned long long to, unsigned long long from, size_t bytes, struct CUstream_st *stream),
            copy_flat("cuMemcpyDtoD", to, MEMORY_OF_DEVICE, from, MEMORY_OF_DEVICE, bytes, stream))
DRIVER_CALL(cuMemcpyDtoD_v2, (unsigned long long to, unsigned long long from, size_t bytes),
            cuMemcpyDtoDAsync_v2(to, from, bytes, NULL))
DRIVER_CALL(cuMemcpyAsync, (unsigned long long to, unsigned long long from, size_t bytes, struct CUstream_st *stream),
            copy_flat("cuMemcpy", to, MEMORY_UNIFIED, from, MEMORY_UNIFIED, bytes, stream))
DRIVER_CALL(cuMemcpy, (unsigned long long to, unsigned long long from, size_t bytes),
            finish(cuMemcpyAsync(to, from, bytes, NULL)))

DRIVER_VISIBLE enum cuda_result cuMemcpyPeerAsync(unsigned long long to, struct CUctx_st *to_context,
                                                  unsigned long long from, struct CUctx_st *from_context, size_t bytes,
                                                  struct CUstream_st *stream)
{
    (void)to_context, (void)from_context;
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

DRIVER_CALL(cuMemcpyPeer,
            (unsigned long long to, struct CUctx_st *to_context, unsigned long long from, struct CUctx_st *from_context,
             size_t bytes),
            cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, NULL))

// --- Boxes -----------------------------------------------------------------------------------------------------------

// Where one side of a box begins that is no array.
static uint64_t side_of(uint32_t type, const void *host, uint64_t device)
{
    return type == MEMORY_OF_HOST ? address_of(host) : device;
}

static bool is_memory(uint32_t type)
{
    return type == MEMORY_OF_HOST || type == MEMORY_OF_DEVICE || type == MEMORY_UNIFIED;
}

// A side of a box: 0 if a row does not fit into the pitch that is given, or the box begins past the last address. An
// H200 does not look at the pitch of a box without bytes.
static bool place_side(const struct CUDA_MEMCPY3D_st *box, uint64_t *at, const size_t from[3], size_t height,
                       size_t *pitch, size_t *slice)
{
    const bool is_free = *pitch == 0 || box->WidthInBytes == 0 || box->Height == 0 || box->Depth == 0;
    if (*pitch == 0) *pitch = box->WidthInBytes;
    *slice = 0;
    if (!add_product(slice, *pitch, height != 0 ? height : box->Height)) return false;
    if (!add_product(at, from[0], 1) || !add_product(at, from[1], *pitch) || !add_product(at, from[2], *slice))
        return false;
    return is_free || (from[0] <= *pitch && box->WidthInBytes <= *pitch - from[0]);
}

static bool is_array(uint32_t type)
{
    return type == MEMORY_OF_ARRAY;
}

// The same of an array, whose pitch and slice are its own.
static bool place_array(const struct CUDA_MEMCPY3D_st *box, const struct CUarray_st *array, const size_t from[3],
                        struct array_side *side)
{
    const size_t extent[3] = {box->WidthInBytes, box->Height, box->Depth};
    return object_is(array, OBJECT_ARRAY) && array_side_of(array, from, extent, side);
}

static bool place_to(const struct CUDA_MEMCPY3D_st *box, struct work_copy *copy)
{
    const size_t at[3] = {box->dstXInBytes, box->dstY, box->dstZ};
    struct array_side side;
    if (!is_array(box->dstMemoryType))
        return place_side(box, &copy->to, at, box->dstHeight, &copy->to_pitch, &copy->to_slice);
    if (box->dstLOD != 0 || !place_array(box, box->dstArray, at, &side)) return false;
    copy->to = side.address;
    copy->to_type = MEMORY_OF_DEVICE;
    copy->to_pitch = side.pitch;
    copy->to_slice = side.slice;
    return true;
}

static bool place_from(const struct CUDA_MEMCPY3D_st *box, struct work_copy *copy)
{
    const size_t at[3] = {box->srcXInBytes, box->srcY, box->srcZ};
    struct array_side side;
    if (!is_array(box->srcMemoryType))
        return place_side(box, &copy->from, at, box->srcHeight, &copy->from_pitch, &copy->from_slice);
    if (box->srcLOD != 0 || !place_array(box, box->srcArray, at, &side)) return false;
    copy->from = side.address;
    copy->from_type = MEMORY_OF_DEVICE;
    copy->from_pitch = side.pitch;
    copy->from_slice = side.slice;
    return true;
}

enum cuda_result copy_of_box(const struct CUDA_MEMCPY3D_st *box, struct work_copy *copy)
{
    if (box == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!is_memory(box->srcMemoryType) && !is_array(box->srcMemoryType)) return CUDA_ERROR_INVALID_VALUE;
    if (!is_memory(box->dstMemoryType) && !is_array(box->dstMemoryType)) return CUDA_ERROR_INVALID_VALUE;
    *copy = (struct work_copy){.to = side_of(box->dstMemoryType, box->dstHost, box->dstDevice),
                               .from = side_of(box->srcMemoryType, box->srcHost, box->srcDevice),
                               .to_type = box->dstMemoryType,
                               .from_type = box->srcMemoryType,
                               .to_pitch = box->dstPitch,
                               .from_pitch = box->srcPitch,
                               .width = box->WidthInBytes,
                               .height = box->Height,
                               .depth = box->Depth};
    return place_to(box, copy) && place_from(box, copy) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// One row has no pitch, one plane no height.
static size_t pitch_of(const struct work_copy *copy, size_t pitch)
{
    return copy->height <= 1 && copy->depth <= 1 ? 0 : pitch;
}

static size_t rows_of(const struct work_copy *copy, size_t slice, size_t pitch)
{
    return pitch_of(copy, pitch) == 0 ? 0 : slice / pitch;
}

struct CUDA_MEMCPY3D_st copy_box(const struct work_copy *copy)
{
    return (struct CUDA_MEMCPY3D_st){.srcMemoryType = copy->from_type,
                                     .srcHost = (const void *)(uintptr_t)copy->from,
                                     .srcDevice = copy->from,
                                     .srcPitch = pitch_of(copy, copy->from_pitch),
                                     .srcHeight = rows_of(copy, copy->from_slice, copy->from_pitch),
                                     .dstMemoryType = copy->to_type,
                                     .dstHost = (void *)(uintptr_t)copy->to,
                                     .dstDevice = copy->to,
                                     .dstPitch = pitch_of(copy, copy->to_pitch),
                                     .dstHeight = rows_of(copy, copy->to_slice, copy->to_pitch),
                                     .WidthInBytes = copy->width,
                                     .Height = copy->height,
                                     .Depth = copy->depth};
}

DRIVER_VISIBLE enum cuda_result cuMemcpy3DAsync_v2(const struct CUDA_MEMCPY3D_st *box, struct CUstream_st *stream)
{
    struct work work = {.type = NODE_MEMCPY};
    const enum cuda_result error = copy_of_box(box, &work.of.copy);
    return error != CUDA_SUCCESS ? error : submit("cuMemcpy3D", &work, stream);
}

DRIVER_CALL(cuMemcpy3D_v2, (const struct CUDA_MEMCPY3D_st *box), finish(cuMemcpy3DAsync_v2(box, NULL)))

DRIVER_VISIBLE enum cuda_result cuMemcpy2DAsync_v2(const struct CUDA_MEMCPY2D_st *box, struct CUstream_st *stream)
{
    if (box == NULL) return CUDA_ERROR_INVALID_VALUE;
    struct CUDA_MEMCPY3D_st whole = {.srcXInBytes = box->srcXInBytes,
                                     .srcY = box->srcY,
                                     .srcMemoryType = box->srcMemoryType,
                                     .srcHost = box->srcHost,
                                     .srcDevice = box->srcDevice,
                                     .srcArray = box->srcArray,
                                     .srcPitch = box->srcPitch,
                                     .dstXInBytes = box->dstXInBytes,
                                     .dstY = box->dstY,
                                     .dstMemoryType = box->dstMemoryType,
                                     .dstHost = box->dstHost,
                                     .dstDevice = box->dstDevice,
                                     .dstArray = box->dstArray,
                                     .dstPitch = box->dstPitch,
                                     .WidthInBytes = box->WidthInBytes,
                                     .Height = box->Height,
                                     .Depth = 1};
    return cuMemcpy3DAsync_v2(&whole, stream);
}

DRIVER_CALL(cuMemcpy2D_v2, (const struct CUDA_MEMCPY2D_st *box), finish(cuMemcpy2DAsync_v2(box, NULL)))
DRIVER_CALL(cuMemcpy2DUnaligned_v2, (const struct CUDA_MEMCPY2D_st *box), finish(cuMemcpy2DAsync_v2(box, NULL)))

// --- Filling ---------------------------------------------------------------------------------------------------------

enum cuda_result set_check(struct driver *driver, const char *call, const struct work_set *set)
{
    uint64_t row = 0, bytes;
    if (set->element_bytes != 1 && set->element_bytes != 2 && set->element_bytes != 4) return CUDA_ERROR_INVALID_VALUE;
    if (!add_product(&row, set->width, set->element_bytes)) return refuse_size(driver, call, "destination");
    if (set->to % set->element_bytes != 0 || (set->height > 1 && set->pitch < row)) return CUDA_ERROR_INVALID_VALUE;
    const struct work_copy box = {.width = row, .height = set->height, .depth = 1};
    if (!extent_of(&box, set->pitch, 0, &bytes)) return refuse_size(driver, call, "destination");
    return memory_check(driver, call, "destination", set->to, bytes, MEMORY_OF_DEVICE);
}

static enum cuda_result set(const struct work_set *set, struct CUstream_st *stream)
{
    return submit("cuMemset", &(struct work){NODE_MEMSET, {.set = *set}}, stream);
}

// Without a stream: memory of the host is waited for, that of the device is not.
static enum cuda_result set_at_once(uint64_t to, enum cuda_result error)
{
    DRIVER_ENTER(driver);
    return is_of_host(driver, to, MEMORY_OF_DEVICE) ? finish(error) : error;
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
        return set_at_once(to, cuMemsetD##bits##Async(to, value, count, NULL));                                        \
    }                                                                                                                  \
    DRIVER_VISIBLE enum cuda_result sync_2d(unsigned long long to, size_t pitch, type value, size_t width,             \
                                            size_t height)                                                             \
    {                                                                                                                  \
        return set_at_once(to, cuMemsetD2D##bits##Async(to, pitch, value, width, height, NULL));                       \
    }
SET_CALLS(8, unsigned char, cuMemsetD8_v2, cuMemsetD2D8_v2)
SET_CALLS(16, unsigned short, cuMemsetD16_v2, cuMemsetD2D16_v2)
SET_CALLS(32, unsigned, cuMemsetD32_v2, cuMemsetD2D32_v2)
