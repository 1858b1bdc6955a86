// SPDX-License-Identifier: MIT
// Memory and copies of the runtime.
#include <stdbool.h>
#include <string.h>

#include "runtime.h"

enum { MAPPED = 2, ELEMENT_BYTES = 4 };

static unsigned long long address_of(const void *pointer)
{
    return (unsigned long long)(uintptr_t)pointer;
}

// No bytes are no memory, and no error.
static enum cuda_result allocate(void **pointer, size_t bytes)
{
    unsigned long long address = 0;
    if (pointer == NULL) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = bytes == 0 ? CUDA_SUCCESS : cuMemAlloc_v2(&address, bytes);
    *pointer = (void *)(uintptr_t)address;
    return error;
}

static enum cuda_result allocate_managed(void **pointer, size_t bytes, unsigned flags)
{
    unsigned long long address = 0;
    if (pointer == NULL) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = cuMemAllocManaged(&address, bytes, flags);
    *pointer = (void *)(uintptr_t)address;
    return error;
}

static enum cuda_result allocate_host(void **pointer, size_t bytes, unsigned flags)
{
    if (pointer == NULL) return CUDA_ERROR_INVALID_VALUE;
    *pointer = NULL;
    return bytes == 0 ? CUDA_SUCCESS : cuMemHostAlloc(pointer, bytes, flags);
}

static enum cuda_result allocate_box(struct cudaPitchedPtr *to, struct cudaExtent extent)
{
    unsigned long long address;
    size_t pitch, rows;
    if (to == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return CUDA_ERROR_OUT_OF_MEMORY;
    if (extent.width == 0) { // nothing, as an H200's runtime allows
        *to = (struct cudaPitchedPtr){.ysize = extent.height};
        return CUDA_SUCCESS;
    }
    const enum cuda_result error = cuMemAllocPitch_v2(&address, &pitch, extent.width, rows, ELEMENT_BYTES);
    if (error == CUDA_SUCCESS)
        *to = (struct cudaPitchedPtr){(void *)(uintptr_t)address, pitch, extent.width, extent.height};
    return error;
}

RUNTIME_CALL(cudaMalloc, (void **pointer, size_t bytes), allocate(pointer, bytes))
RUNTIME_CALL(cudaMallocManaged, (void **pointer, size_t bytes, unsigned flags), allocate_managed(pointer, bytes, flags))
RUNTIME_CALL(cudaMallocHost, (void **pointer, size_t bytes), allocate_host(pointer, bytes, MAPPED))
RUNTIME_CALL(cudaHostAlloc, (void **pointer, size_t bytes, unsigned flags), allocate_host(pointer, bytes, flags))
RUNTIME_CALL(cudaMallocPitch, (void **pointer, size_t *pitch, size_t width, size_t height),
             cuMemAllocPitch_v2((unsigned long long *)pointer, pitch, width, height, ELEMENT_BYTES))
RUNTIME_CALL(cudaMalloc3D, (struct cudaPitchedPtr * to, struct cudaExtent extent), allocate_box(to, extent))

// --- What a pointer is -----------------------------------------------------------------------------------------------

static enum cuda_result tell_pointer(struct cudaPointerAttributes *to, const void *pointer)
{
    enum { MEMORY_TYPE = 2, IS_MANAGED = 8, NO_DEVICE = -2 };
    uint32_t type = 0;
    uint8_t is_managed = 0;
    if (to == NULL) return CUDA_ERROR_INVALID_VALUE;
    *to = (struct cudaPointerAttributes){.device = NO_DEVICE, .hostPointer = (void *)(uintptr_t)pointer};
    if (cuPointerGetAttribute(&type, MEMORY_TYPE, address_of(pointer)) != CUDA_SUCCESS) return CUDA_SUCCESS;
    cuPointerGetAttribute(&is_managed, IS_MANAGED, address_of(pointer));
    to->type = type == MEMORY_OF_HOST ? POINTER_HOST : is_managed ? POINTER_MANAGED : POINTER_DEVICE;
    to->device = 0;
    to->devicePointer = (void *)(uintptr_t)pointer;
    if (to->type == POINTER_DEVICE) to->hostPointer = NULL;
    return CUDA_SUCCESS;
}

RUNTIME_BARE_CALL(cudaPointerGetAttributes, (struct cudaPointerAttributes * to, const void *pointer),
                  tell_pointer(to, pointer))

// --- Copies ----------------------------------------------------------------------------------------------------------

static enum cudaError copy(void *to, const void *from, size_t bytes, uint32_t kind, struct CUstream_st *stream)
{
    switch (kind) {
    case COPY_HOST_TO_DEVICE:
        return (enum cudaError)cuMemcpyHtoDAsync_v2(address_of(to), from, bytes, stream);
    case COPY_DEVICE_TO_HOST:
        return (enum cudaError)cuMemcpyDtoHAsync_v2(to, address_of(from), bytes, stream);
    case COPY_DEVICE_TO_DEVICE:
        return (enum cudaError)cuMemcpyDtoDAsync_v2(address_of(to), address_of(from), bytes, stream);
    case COPY_HOST_TO_HOST:
    case COPY_BY_POINTERS:
        return (enum cudaError)cuMemcpyAsync(address_of(to), address_of(from), bytes, stream);
    default:
        return cudaErrorInvalidMemcpyDirection;
    }
}

// Of a call that returns when the copy is done. One that begins and ends on the device does not wait for it.
static enum cudaError finished(enum cudaError error, uint32_t kind)
{
    const bool is_waited_for = error == cudaSuccess && kind != COPY_DEVICE_TO_DEVICE;
    return is_waited_for ? (enum cudaError)cuMemcpy(0, 0, 0) : error; // no bytes, behind what is on the default stream
}

RUNTIME_CALL(cudaMemcpy, (void *to, const void *from, size_t bytes, uint32_t kind),
             finished(copy(to, from, bytes, kind, NULL), kind))
RUNTIME_CALL(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, uint32_t kind, struct CUstream_st *stream),
             copy(to, from, bytes, kind, stream))
RUNTIME_CALL(cudaMemcpyPeer, (void *to, int to_device, const void *from, int from_device, size_t bytes),
             to_device != 0 || from_device != 0 ? cudaErrorInvalidDevice
                                                : copy(to, from, bytes, COPY_DEVICE_TO_DEVICE, NULL))
RUNTIME_CALL(cudaMemcpyPeerAsync,
             (void *to, int to_device, const void *from, int from_device, size_t bytes, struct CUstream_st *stream),
             to_device != 0 || from_device != 0 ? cudaErrorInvalidDevice
                                                : copy(to, from, bytes, COPY_DEVICE_TO_DEVICE, stream))

static uint32_t to_type(uint32_t kind)
{
    if (kind == COPY_BY_POINTERS || kind == COPY_HOST_TO_HOST) return MEMORY_UNIFIED;
    return kind == COPY_DEVICE_TO_HOST ? MEMORY_OF_HOST : MEMORY_OF_DEVICE;
}

static uint32_t from_type(uint32_t kind)
{
    if (kind == COPY_BY_POINTERS || kind == COPY_HOST_TO_HOST) return MEMORY_UNIFIED;
    return kind == COPY_HOST_TO_DEVICE ? MEMORY_OF_HOST : MEMORY_OF_DEVICE;
}

// Of an array, positions and the extent count texels.
static enum cudaError copy_box(const struct cudaMemcpy3DParms *from, struct CUstream_st *stream)
{
    if (from == NULL) return cudaErrorInvalidValue;
    if (from->kind > COPY_BY_POINTERS) return cudaErrorInvalidMemcpyDirection;
    const size_t to_texel = from->dstArray != NULL ? runtime_texel_bytes(from->dstArray) : 1;
    const size_t from_texel = from->srcArray != NULL ? runtime_texel_bytes(from->srcArray) : 1;
    const struct CUDA_MEMCPY3D_st box = {
        .srcXInBytes = from->srcPos.x * from_texel,
        .srcY = from->srcPos.y,
        .srcZ = from->srcPos.z,
        .srcMemoryType = from->srcArray != NULL ? MEMORY_OF_ARRAY : from_type(from->kind),
        .srcHost = from->srcPtr.ptr,
        .srcDevice = address_of(from->srcPtr.ptr),
        .srcArray = (struct CUarray_st *)from->srcArray,
        .srcPitch = from->srcPtr.pitch,
        .srcHeight = from->srcPtr.ysize,
        .dstXInBytes = from->dstPos.x * to_texel,
        .dstY = from->dstPos.y,
        .dstZ = from->dstPos.z,
        .dstMemoryType = from->dstArray != NULL ? MEMORY_OF_ARRAY : to_type(from->kind),
        .dstHost = from->dstPtr.ptr,
        .dstDevice = address_of(from->dstPtr.ptr),
        .dstArray = (struct CUarray_st *)from->dstArray,
        .dstPitch = from->dstPtr.pitch,
        .dstHeight = from->dstPtr.ysize,
        .WidthInBytes = from->extent.width * (from->srcArray != NULL ? from_texel : to_texel),
        .Height = from->extent.height,
        .Depth = from->extent.depth};
    return (enum cudaError)cuMemcpy3DAsync_v2(&box, stream);
}

static enum cudaError copy_box_of_peer(const struct cudaMemcpy3DPeerParms *from, struct CUstream_st *stream)
{
    if (from == NULL) return cudaErrorInvalidValue;
    if (from->srcDevice != 0 || from->dstDevice != 0) return cudaErrorInvalidDevice;
    const struct cudaMemcpy3DParms box = {.srcArray = from->srcArray,
                                          .srcPos = from->srcPos,
                                          .srcPtr = from->srcPtr,
                                          .dstArray = from->dstArray,
                                          .dstPos = from->dstPos,
                                          .dstPtr = from->dstPtr,
                                          .extent = from->extent,
                                          .kind = COPY_DEVICE_TO_DEVICE};
    return copy_box(&box, stream);
}

RUNTIME_CALL(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *from), copy_box_of_peer(from, NULL))
RUNTIME_CALL(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *from, struct CUstream_st *stream),
             copy_box_of_peer(from, stream))

static struct cudaMemcpy3DParms rows_of(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                        size_t height, uint32_t kind)
{
    return (struct cudaMemcpy3DParms){.srcPtr = {(void *)(uintptr_t)from, from_pitch, width, height},
                                      .dstPtr = {to, to_pitch, width, height},
                                      .extent = {width, height, 1},
                                      .kind = kind};
}

// Of several rows the runtime looks at the pitches itself, unless the box has no bytes.
static bool is_too_narrow(const struct cudaMemcpy3DParms *box)
{
    const size_t width = box->extent.width, height = box->extent.height, depth = box->extent.depth;
    if (width == 0 || height == 0 || depth == 0 || (height == 1 && depth == 1)) return false;
    if (box->srcArray != NULL || box->dstArray != NULL) return false;
    return box->srcPtr.pitch < width || box->dstPtr.pitch < width;
}

static enum cudaError copy_given_box(const struct cudaMemcpy3DParms *from, struct CUstream_st *stream)
{
    if (from == NULL) return cudaErrorInvalidValue;
    return is_too_narrow(from) ? cudaErrorInvalidPitchValue : copy_box(from, stream);
}

static enum cudaError copy_rows(struct cudaMemcpy3DParms rows, struct CUstream_st *stream)
{
    return copy_given_box(&rows, stream);
}

RUNTIME_CALL(cudaMemcpy3D, (const struct cudaMemcpy3DParms *from),
             from == NULL ? cudaErrorInvalidValue : finished(copy_given_box(from, NULL), from->kind))
RUNTIME_CALL(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *from, struct CUstream_st *stream),
             copy_given_box(from, stream))
RUNTIME_CALL(cudaMemcpy2D,
             (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
              uint32_t kind),
             finished(copy_rows(rows_of(to, to_pitch, from, from_pitch, width, height, kind), NULL), kind))
RUNTIME_CALL(cudaMemcpy2DAsync,
             (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
              uint32_t kind, struct CUstream_st *stream),
             copy_rows(rows_of(to, to_pitch, from, from_pitch, width, height, kind), stream))

// --- Variables of the program ----------------------------------------------------------------------------------------

enum cudaError runtime_symbol_part(const void *symbol, size_t offset, size_t bytes, void **to)
{
    unsigned long long address;
    size_t symbol_bytes;
    if (to == NULL) return cudaErrorInvalidValue;
    const enum cudaError error = runtime_symbol(symbol, &address, &symbol_bytes);
    if (error != cudaSuccess) return error;
    *to = (void *)(uintptr_t)(address + offset);
    return offset <= symbol_bytes && bytes <= symbol_bytes - offset ? cudaSuccess : cudaErrorInvalidValue;
}

static enum cudaError copy_to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset, uint32_t kind,
                                     struct CUstream_st *stream)
{
    void *to;
    if (kind == COPY_HOST_TO_HOST || kind == COPY_DEVICE_TO_HOST) return cudaErrorInvalidMemcpyDirection;
    const enum cudaError error = runtime_symbol_part(symbol, offset, bytes, &to);
    return error != cudaSuccess ? error : copy(to, from, bytes, kind, stream);
}

static enum cudaError copy_from_symbol(void *to, const void *symbol, size_t bytes, size_t offset, uint32_t kind,
                                       struct CUstream_st *stream)
{
    void *from;
    if (kind == COPY_HOST_TO_HOST || kind == COPY_HOST_TO_DEVICE) return cudaErrorInvalidMemcpyDirection;
    const enum cudaError error = runtime_symbol_part(symbol, offset, bytes, &from);
    return error != cudaSuccess ? error : copy(to, from, bytes, kind, stream);
}

static enum cudaError symbol_size(size_t *bytes, const void *symbol)
{
    unsigned long long address;
    return bytes == NULL ? cudaErrorInvalidValue : runtime_symbol(symbol, &address, bytes);
}

RUNTIME_CALL(cudaMemcpyToSymbol, (const void *symbol, const void *from, size_t bytes, size_t offset, uint32_t kind),
             finished(copy_to_symbol(symbol, from, bytes, offset, kind, NULL), kind))
RUNTIME_CALL(cudaMemcpyToSymbolAsync,
             (const void *symbol, const void *from, size_t bytes, size_t offset, uint32_t kind,
              struct CUstream_st *stream),
             copy_to_symbol(symbol, from, bytes, offset, kind, stream))
RUNTIME_CALL(cudaMemcpyFromSymbol, (void *to, const void *symbol, size_t bytes, size_t offset, uint32_t kind),
             finished(copy_from_symbol(to, symbol, bytes, offset, kind, NULL), kind))
RUNTIME_CALL(cudaMemcpyFromSymbolAsync,
             (void *to, const void *symbol, size_t bytes, size_t offset, uint32_t kind, struct CUstream_st *stream),
             copy_from_symbol(to, symbol, bytes, offset, kind, stream))
RUNTIME_CALL(cudaGetSymbolAddress, (void **address, const void *symbol), runtime_symbol_part(symbol, 0, 0, address))
RUNTIME_CALL(cudaGetSymbolSize, (size_t * bytes, const void *symbol), symbol_size(bytes, symbol))

// --- Filling ---------------------------------------------------------------------------------------------------------

static enum cuda_result set_box(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                                struct CUstream_st *stream)
{
    const unsigned char byte = (unsigned char)value;
    // One slice will do for an empty box, however deep it is.
    const size_t slices = extent.width == 0 || extent.height == 0 ? extent.depth > 0 : extent.depth;
    for (size_t z = 0; z < slices; z++) {
        const enum cuda_result error = cuMemsetD2D8Async(address_of(to.ptr) + z * to.pitch * to.ysize, to.pitch, byte,
                                                         extent.width, extent.height, stream);
        if (error != CUDA_SUCCESS) return error;
    }
    return CUDA_SUCCESS;
}

RUNTIME_CALL(cudaMemset3D, (struct cudaPitchedPtr to, int value, struct cudaExtent extent),
             set_box(to, value, extent, NULL))
RUNTIME_CALL(cudaMemset3DAsync,
             (struct cudaPitchedPtr to, int value, struct cudaExtent extent, struct CUstream_st *stream),
             set_box(to, value, extent, stream))
