// SPDX-License-Identifier: MIT
// CUDA arrays, textures and surfaces of the runtime: the driver's, with channels told by their bits.
#include <stdbool.h>
#include <string.h>

#include "runtime.h"

enum { KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT, MOST_CHANNELS = 4 };

static struct CUarray_st *driver_array(const struct cudaArray *array)
{
    return (struct CUarray_st *)(uintptr_t)array;
}

// --- Channels --------------------------------------------------------------------------------------------------------

// CU_AD_FORMAT_* by kind, and 8, 16, 32 bits.
static const uint8_t formats[3][3] = {{0x08, 0x09, 0x0a}, {0x01, 0x02, 0x03}, {0, 0x10, 0x20}};

// 0 where the channels are not 1, 2 or 4 of equal bits.
static uint32_t format_of(const struct cudaChannelFormatDesc *desc, uint32_t *channels)
{
    const int bits[MOST_CHANNELS] = {desc->x, desc->y, desc->z, desc->w};
    *channels = 0;
    while (*channels < MOST_CHANNELS && bits[*channels] == desc->x) ++*channels;
    for (uint32_t i = *channels; i < MOST_CHANNELS; i++)
        if (bits[i] != 0) return 0;
    if (*channels == 3 || desc->f > KIND_FLOAT || (desc->x != 8 && desc->x != 16 && desc->x != 32)) return 0;
    return formats[desc->f][desc->x / 16];
}

static struct cudaChannelFormatDesc desc_of(uint32_t format, uint32_t channels)
{
    struct cudaChannelFormatDesc desc = {0};
    int bits = 0;
    for (uint32_t kind = 0; kind < 3; kind++)
        for (int wide = 0; wide < 3; wide++)
            if (formats[kind][wide] == format) {
                desc.f = kind;
                bits = 8 << wide;
            }
    desc.x = bits;
    desc.y = channels > 1 ? bits : 0;
    desc.z = desc.w = channels > 2 ? bits : 0;
    return desc;
}

// --- Arrays ----------------------------------------------------------------------------------------------------------

static enum cudaError widest(size_t *width, const struct cudaChannelFormatDesc *desc, int device)
{
    uint32_t channels;
    if (width == NULL || desc == NULL) return cudaErrorInvalidValue;
    const uint32_t format = format_of(desc, &channels);
    if (format == 0) return cudaErrorInvalidChannelDescriptor;
    return (enum cudaError)cuDeviceGetTexture1DLinearMaxWidth(width, format, channels, device);
}
RUNTIME_CALL(cudaDeviceGetTexture1DLinearMaxWidth,
             (size_t * width, const struct cudaChannelFormatDesc *desc, int device), widest(width, desc, device))

static enum cudaError describe(struct CUDA_ARRAY3D_DESCRIPTOR_st *to, const struct cudaChannelFormatDesc *desc,
                               struct cudaExtent extent, unsigned flags)
{
    uint32_t channels;
    if (desc == NULL) return cudaErrorInvalidValue;
    const uint32_t format = format_of(desc, &channels);
    if (format == 0) return cudaErrorInvalidChannelDescriptor;
    *to = (struct CUDA_ARRAY3D_DESCRIPTOR_st){extent.width, extent.height, extent.depth, format, channels, flags};
    return cudaSuccess;
}

static enum cudaError make_array(struct cudaArray **array, const struct cudaChannelFormatDesc *desc,
                                 struct cudaExtent extent, unsigned flags)
{
    struct CUDA_ARRAY3D_DESCRIPTOR_st from;
    const enum cudaError error = describe(&from, desc, extent, flags);
    return error != cudaSuccess ? error : (enum cudaError)cuArray3DCreate_v2((struct CUarray_st **)array, &from);
}

static enum cudaError make_mipmap(struct cudaMipmappedArray **mipmap, const struct cudaChannelFormatDesc *desc,
                                  struct cudaExtent extent, unsigned levels, unsigned flags)
{
    struct CUDA_ARRAY3D_DESCRIPTOR_st from;
    const enum cudaError error = describe(&from, desc, extent, flags);
    return error != cudaSuccess
               ? error
               : (enum cudaError)cuMipmappedArrayCreate((struct CUmipmappedArray_st **)mipmap, &from, levels);
}

static enum cudaError tell_array(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                                 const struct cudaArray *array)
{
    struct CUDA_ARRAY3D_DESCRIPTOR_st is;
    const enum cuda_result error = cuArray3DGetDescriptor_v2(&is, driver_array(array));
    if (error != CUDA_SUCCESS) return (enum cudaError)error;
    if (desc != NULL) *desc = desc_of(is.Format, is.NumChannels);
    if (extent != NULL) *extent = (struct cudaExtent){is.Width, is.Height, is.Depth};
    if (flags != NULL) *flags = is.Flags;
    return cudaSuccess;
}

RUNTIME_CALL(cudaMallocArray,
             (struct cudaArray * *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
              unsigned flags),
             make_array(array, desc, (struct cudaExtent){width, height, 0}, flags))
RUNTIME_CALL(cudaMalloc3DArray,
             (struct cudaArray * *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
              unsigned flags),
             make_array(array, desc, extent, flags))
RUNTIME_CALL(cudaFreeArray, (struct cudaArray * array), array == NULL ? 0 : cuArrayDestroy(driver_array(array)))
RUNTIME_CALL(cudaMallocMipmappedArray,
             (struct cudaMipmappedArray * *mipmap, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
              unsigned levels, unsigned flags),
             make_mipmap(mipmap, desc, extent, levels, flags))
RUNTIME_CALL(cudaFreeMipmappedArray, (struct cudaMipmappedArray * mipmap),
             mipmap == NULL ? 0 : cuMipmappedArrayDestroy((struct CUmipmappedArray_st *)mipmap))
RUNTIME_CALL(cudaGetMipmappedArrayLevel,
             (struct cudaArray * *array, const struct cudaMipmappedArray *mipmap, unsigned level),
             cuMipmappedArrayGetLevel((struct CUarray_st **)array, (struct CUmipmappedArray_st *)(uintptr_t)mipmap,
                                      level))
RUNTIME_CALL(cudaArrayGetInfo,
             (struct cudaChannelFormatDesc * desc, struct cudaExtent *extent, unsigned *flags, struct cudaArray *array),
             tell_array(desc, extent, flags, array))
RUNTIME_CALL(cudaGetChannelDesc, (struct cudaChannelFormatDesc * desc, const struct cudaArray *array),
             tell_array(desc, NULL, NULL, array))

// --- Copies ----------------------------------------------------------------------------------------------------------

size_t runtime_texel_bytes(const struct cudaArray *array)
{
    struct CUDA_ARRAY3D_DESCRIPTOR_st is;
    if (cuArray3DGetDescriptor_v2(&is, driver_array(array)) != CUDA_SUCCESS) return 0;
    return (size_t)desc_of(is.Format, 1).x / 8 * is.NumChannels;
}

// Memory of the kind of a copy, on the side that is no array.
static uint32_t type_of(uint32_t kind, uint32_t kind_of_host)
{
    if (kind == COPY_BY_POINTERS) return MEMORY_UNIFIED;
    return kind == kind_of_host ? MEMORY_OF_HOST : MEMORY_OF_DEVICE;
}

// A box of rows; x, y: where it begins in the array.
struct rows {
    const struct cudaArray *array;
    size_t x, y, pitch, width, height;
    uint32_t kind;
};

static enum cudaError rows_to(const struct rows *rows, const void *from, struct CUstream_st *stream)
{
    if (rows->kind == COPY_DEVICE_TO_HOST || rows->kind > COPY_BY_POINTERS) return cudaErrorInvalidMemcpyDirection;
    const struct CUDA_MEMCPY3D_st box = {.srcMemoryType = type_of(rows->kind, COPY_HOST_TO_DEVICE),
                                         .srcHost = from,
                                         .srcDevice = (unsigned long long)(uintptr_t)from,
                                         .srcPitch = rows->pitch,
                                         .dstMemoryType = MEMORY_OF_ARRAY,
                                         .dstArray = driver_array(rows->array),
                                         .dstXInBytes = rows->x,
                                         .dstY = rows->y,
                                         .WidthInBytes = rows->width,
                                         .Height = rows->height,
                                         .Depth = 1};
    return (enum cudaError)(stream == RUNTIME_WAITS ? cuMemcpy3D_v2(&box) : cuMemcpy3DAsync_v2(&box, stream));
}

static enum cudaError rows_from(const struct rows *rows, void *to, struct CUstream_st *stream)
{
    if (rows->kind == COPY_HOST_TO_DEVICE || rows->kind > COPY_BY_POINTERS) return cudaErrorInvalidMemcpyDirection;
    const struct CUDA_MEMCPY3D_st box = {.srcMemoryType = MEMORY_OF_ARRAY,
                                         .srcArray = driver_array(rows->array),
                                         .srcXInBytes = rows->x,
                                         .srcY = rows->y,
                                         .dstMemoryType = type_of(rows->kind, COPY_DEVICE_TO_HOST),
                                         .dstHost = to,
                                         .dstDevice = (unsigned long long)(uintptr_t)to,
                                         .dstPitch = rows->pitch,
                                         .WidthInBytes = rows->width,
                                         .Height = rows->height,
                                         .Depth = 1};
    return (enum cudaError)(stream == RUNTIME_WAITS ? cuMemcpy3D_v2(&box) : cuMemcpy3DAsync_v2(&box, stream));
}

// `to` has the size of the box, and the kind.
static enum cudaError between(const struct rows *to, const struct rows *from)
{
    if (to->kind != COPY_DEVICE_TO_DEVICE && to->kind != COPY_BY_POINTERS) return cudaErrorInvalidMemcpyDirection;
    const struct CUDA_MEMCPY3D_st box = {.srcMemoryType = MEMORY_OF_ARRAY,
                                         .srcArray = driver_array(from->array),
                                         .srcXInBytes = from->x,
                                         .srcY = from->y,
                                         .dstMemoryType = MEMORY_OF_ARRAY,
                                         .dstArray = driver_array(to->array),
                                         .dstXInBytes = to->x,
                                         .dstY = to->y,
                                         .WidthInBytes = to->width,
                                         .Height = to->height,
                                         .Depth = 1};
    return (enum cudaError)cuMemcpy3D_v2(&box);
}

// The next piece of `bytes` in the order of an array whose rows have `row` bytes: the rest of a row, whole rows, or the
// beginning of one. Returns its bytes; the next call begins `x` behind them.
static size_t cut(struct rows *rows, size_t row, size_t bytes)
{
    rows->y += rows->x / row;
    rows->x %= row;
    const bool is_whole = rows->x == 0 && bytes >= row;
    const size_t left = row - rows->x;
    rows->width = rows->pitch = bytes < left ? bytes : left;
    rows->height = is_whole ? bytes / row : 1;
    return rows->width * rows->height;
}

static size_t row_bytes(const struct cudaArray *array)
{
    struct cudaExtent extent = {0};
    tell_array(NULL, &extent, NULL, array);
    return extent.width * runtime_texel_bytes(array);
}

// So many bytes to an array or from it, where it begins and on.
static enum cudaError flat(struct rows rows, size_t bytes, bool is_to, const void *memory, struct CUstream_st *stream)
{
    const size_t row = row_bytes(rows.array);
    enum cudaError error = row > 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
    for (size_t taken; bytes > 0 && error == cudaSuccess; bytes -= taken) {
        taken = cut(&rows, row, bytes);
        error = is_to ? rows_to(&rows, memory, stream) : rows_from(&rows, (void *)(uintptr_t)memory, stream);
        memory = (const char *)memory + taken;
        rows.x += taken;
    }
    return error;
}

// The same between two arrays, whose rows may have different lengths.
static enum cudaError flat_between(struct rows to, struct rows from, size_t bytes)
{
    const size_t to_row = row_bytes(to.array), from_row = row_bytes(from.array);
    enum cudaError error = to_row > 0 && from_row > 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
    for (size_t taken; bytes > 0 && error == cudaSuccess; bytes -= taken) {
        taken = cut(&to, to_row, bytes);
        if (cut(&from, from_row, bytes) != taken || to.width != from.width) {
            taken = to.width < from.width ? to.width : from.width;
            to.width = taken, to.height = 1;
        }
        error = between(&to, &from);
        to.x += taken, from.x += taken;
    }
    return error;
}

#define BOX                                                                                                            \
    (struct rows)                                                                                                      \
    {                                                                                                                  \
        array, x, y, pitch, width, height, kind                                                                        \
    }
RUNTIME_CALL(cudaMemcpy2DToArray,
             (struct cudaArray * array, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
              uint32_t kind),
             rows_to(&BOX, from, RUNTIME_WAITS))
RUNTIME_CALL(cudaMemcpy2DToArrayAsync,
             (struct cudaArray * array, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
              uint32_t kind, struct CUstream_st *stream),
             rows_to(&BOX, from, stream))
RUNTIME_CALL(cudaMemcpy2DFromArray,
             (void *to, size_t pitch, const struct cudaArray *array, size_t x, size_t y, size_t width, size_t height,
              uint32_t kind),
             rows_from(&BOX, to, RUNTIME_WAITS))
RUNTIME_CALL(cudaMemcpy2DFromArrayAsync,
             (void *to, size_t pitch, const struct cudaArray *array, size_t x, size_t y, size_t width, size_t height,
              uint32_t kind, struct CUstream_st *stream),
             rows_from(&BOX, to, stream))
RUNTIME_CALL(cudaMemcpy2DArrayToArray,
             (struct cudaArray * to, size_t to_x, size_t to_y, const struct cudaArray *from, size_t from_x,
              size_t from_y, size_t width, size_t height, uint32_t kind),
             between(&(struct rows){to, to_x, to_y, 0, width, height, kind},
                     &(struct rows){from, from_x, from_y, 0, width, height, kind}))
RUNTIME_CALL(cudaMemcpyArrayToArray,
             (struct cudaArray * to, size_t to_x, size_t to_y, const struct cudaArray *from, size_t from_x,
              size_t from_y, size_t bytes, uint32_t kind),
             flat_between((struct rows){to, to_x, to_y, 0, 0, 0, kind},
                          (struct rows){from, from_x, from_y, 0, 0, 0, kind}, bytes))
RUNTIME_CALL(cudaMemcpyToArray,
             (struct cudaArray * array, size_t x, size_t y, const void *from, size_t bytes, uint32_t kind),
             flat((struct rows){array, x, y, 0, 0, 0, kind}, bytes, 1, from, RUNTIME_WAITS))
RUNTIME_CALL(cudaMemcpyToArrayAsync,
             (struct cudaArray * array, size_t x, size_t y, const void *from, size_t bytes, uint32_t kind,
              struct CUstream_st *stream),
             flat((struct rows){array, x, y, 0, 0, 0, kind}, bytes, 1, from, stream))
RUNTIME_CALL(cudaMemcpyFromArray,
             (void *to, const struct cudaArray *array, size_t x, size_t y, size_t bytes, uint32_t kind),
             flat((struct rows){array, x, y, 0, 0, 0, kind}, bytes, 0, to, RUNTIME_WAITS))
RUNTIME_CALL(cudaMemcpyFromArrayAsync,
             (void *to, const struct cudaArray *array, size_t x, size_t y, size_t bytes, uint32_t kind,
              struct CUstream_st *stream),
             flat((struct rows){array, x, y, 0, 0, 0, kind}, bytes, 0, to, stream))

// --- Texture and surface objects -------------------------------------------------------------------------------------

static enum cudaError to_driver(const struct cudaResourceDesc *from, struct CUDA_RESOURCE_DESC_st *to)
{
    uint32_t channels = 0;
    *to = (struct CUDA_RESOURCE_DESC_st){.resType = from->resType};
    switch (from->resType) {
    case RESOURCE_ARRAY:
        to->res.array = driver_array(from->res.array);
        return cudaSuccess;
    case RESOURCE_MIPMAP:
        to->res.mipmap = (struct CUmipmappedArray_st *)from->res.mipmap;
        return cudaSuccess;
    case RESOURCE_LINEAR:
        to->res.linear.devPtr = (unsigned long long)(uintptr_t)from->res.linear.devPtr;
        to->res.linear.format = format_of(&from->res.linear.desc, &channels);
        to->res.linear.numChannels = channels;
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        return to->res.linear.format != 0 ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
    default:
        to->res.pitch2D.devPtr = (unsigned long long)(uintptr_t)from->res.pitch2D.devPtr;
        to->res.pitch2D.format = format_of(&from->res.pitch2D.desc, &channels);
        to->res.pitch2D.numChannels = channels;
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        return to->res.pitch2D.format != 0 ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
    }
}

static void from_driver(const struct CUDA_RESOURCE_DESC_st *from, struct cudaResourceDesc *to)
{
    *to = (struct cudaResourceDesc){.resType = from->resType};
    switch (from->resType) {
    case RESOURCE_ARRAY:
        to->res.array = (struct cudaArray *)from->res.array;
        break;
    case RESOURCE_MIPMAP:
        to->res.mipmap = (struct cudaMipmappedArray *)from->res.mipmap;
        break;
    case RESOURCE_LINEAR:
        to->res.linear.devPtr = (void *)(uintptr_t)from->res.linear.devPtr;
        to->res.linear.desc = desc_of(from->res.linear.format, from->res.linear.numChannels);
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        break;
    default:
        to->res.pitch2D.devPtr = (void *)(uintptr_t)from->res.pitch2D.devPtr;
        to->res.pitch2D.desc = desc_of(from->res.pitch2D.format, from->res.pitch2D.numChannels);
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
    }
}

enum { FLAG_INTEGER = 1, FLAG_NORMALIZED = 2, FLAG_SRGB = 0x10, FLAG_TRILINEAR = 0x20, FLAG_SEAMLESS = 0x40 };

static struct CUDA_TEXTURE_DESC_st sampler_of(const struct cudaTextureDesc *from)
{
    struct CUDA_TEXTURE_DESC_st to = {.filterMode = from->filterMode,
                                      .maxAnisotropy = from->maxAnisotropy,
                                      .mipmapFilterMode = from->mipmapFilterMode,
                                      .mipmapLevelBias = from->mipmapLevelBias,
                                      .minMipmapLevelClamp = from->minMipmapLevelClamp,
                                      .maxMipmapLevelClamp = from->maxMipmapLevelClamp};
    memcpy(to.addressMode, from->addressMode, sizeof to.addressMode);
    memcpy(to.borderColor, from->borderColor, sizeof to.borderColor);
    to.flags = (from->readMode == 0 ? FLAG_INTEGER : 0u) | (from->normalizedCoords ? FLAG_NORMALIZED : 0u) |
               (from->sRGB ? FLAG_SRGB : 0u) | (from->disableTrilinearOptimization ? FLAG_TRILINEAR : 0u);
    to.flags |= from->seamlessCubemap ? FLAG_SEAMLESS : 0u;
    return to;
}

static enum cudaError make_texture(unsigned long long *handle, const struct cudaResourceDesc *resource,
                                   const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view)
{
    struct CUDA_RESOURCE_DESC_st of;
    if (resource == NULL || texture == NULL) return cudaErrorInvalidValue;
    const enum cudaError error = to_driver(resource, &of);
    if (error != cudaSuccess) return error;
    const struct CUDA_TEXTURE_DESC_st sampler = sampler_of(texture);
    return (enum cudaError)cuTexObjectCreate(handle, &of, &sampler, (const struct CUDA_RESOURCE_VIEW_DESC_st *)view);
}

static enum cudaError make_surface(unsigned long long *handle, const struct cudaResourceDesc *resource)
{
    struct CUDA_RESOURCE_DESC_st of;
    if (resource == NULL) return cudaErrorInvalidValue;
    const enum cudaError error = to_driver(resource, &of);
    return error != cudaSuccess ? error : (enum cudaError)cuSurfObjectCreate(handle, &of);
}

static enum cudaError tell_resource(struct cudaResourceDesc *to, const struct CUDA_RESOURCE_DESC_st *from,
                                    enum cuda_result error)
{
    if (to == NULL) return cudaErrorInvalidValue;
    if (error == CUDA_SUCCESS) from_driver(from, to);
    return (enum cudaError)error;
}

static enum cudaError tell_texture(struct cudaTextureDesc *to, unsigned long long handle)
{
    struct CUDA_TEXTURE_DESC_st from;
    const enum cuda_result error = cuTexObjectGetTextureDesc(&from, handle);
    if (to == NULL) return cudaErrorInvalidValue;
    if (error != CUDA_SUCCESS) return (enum cudaError)error;
    *to = (struct cudaTextureDesc){.filterMode = from.filterMode,
                                   .readMode = (from.flags & FLAG_INTEGER) == 0,
                                   .sRGB = (from.flags & FLAG_SRGB) != 0,
                                   .normalizedCoords = (from.flags & FLAG_NORMALIZED) != 0,
                                   .maxAnisotropy = from.maxAnisotropy,
                                   .mipmapFilterMode = from.mipmapFilterMode,
                                   .mipmapLevelBias = from.mipmapLevelBias,
                                   .minMipmapLevelClamp = from.minMipmapLevelClamp,
                                   .maxMipmapLevelClamp = from.maxMipmapLevelClamp,
                                   .disableTrilinearOptimization = (from.flags & FLAG_TRILINEAR) != 0,
                                   .seamlessCubemap = (from.flags & FLAG_SEAMLESS) != 0};
    memcpy(to->addressMode, from.addressMode, sizeof to->addressMode);
    memcpy(to->borderColor, from.borderColor, sizeof to->borderColor);
    return cudaSuccess;
}

RUNTIME_CALL(cudaCreateTextureObject,
             (unsigned long long *handle, const struct cudaResourceDesc *resource,
              const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view),
             make_texture(handle, resource, texture, view))
RUNTIME_CALL(cudaCreateSurfaceObject, (unsigned long long *handle, const struct cudaResourceDesc *resource),
             make_surface(handle, resource))

RUNTIME_VISIBLE enum cudaError cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *to, unsigned long long handle)
{
    struct CUDA_RESOURCE_DESC_st from;
    return (enum cudaError)runtime_keep((int)tell_resource(to, &from, cuTexObjectGetResourceDesc(&from, handle)));
}

RUNTIME_VISIBLE enum cudaError cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *to, unsigned long long handle)
{
    struct CUDA_RESOURCE_DESC_st from;
    return (enum cudaError)runtime_keep((int)tell_resource(to, &from, cuSurfObjectGetResourceDesc(&from, handle)));
}

RUNTIME_CALL(cudaGetTextureObjectTextureDesc, (struct cudaTextureDesc * to, unsigned long long handle),
             tell_texture(to, handle))
