// SPDX-License-Identifier: MIT
// cuTexObject* and cuSurfObject*. The handle of an object is its address, which the machine gives back to
// texture_find().
#include <string.h>

#include "cuda_array.h"
#include "turns.h"

enum { RESOURCE_ARRAY, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCH };
enum { READ_AS_INTEGER = 1, NORMALIZED = 2, SRGB = 0x10, SEAMLESS = 0x40, KNOWN_FLAGS = 0x7f & ~SEAMLESS };
enum {
    ALIGN_BYTES = 512,
    PITCH_ALIGN_BYTES = 32,
    MOST_PITCH_BYTES = 2097120,
    MOST_PITCH_WIDTH = 131072,
    MOST_PITCH_HEIGHT = 65000,
    MOST_LINEAR = 1 << 28
};

struct texture_object {
    struct object object;
    struct texture texture;
    bool is_surface, has_view;
    struct CUDA_RESOURCE_DESC_st resource;
    struct CUDA_TEXTURE_DESC_st sampler;
    struct CUDA_RESOURCE_VIEW_DESC_st view;
};

const struct texture *texture_find(void *driver, uint64_t handle)
{
    const struct texture_object *object = (const void *)(uintptr_t)handle;
    (void)driver;
    return object_is(object, OBJECT_TEXTURE) ? &object->texture : NULL;
}

static struct texture_object *object_of(unsigned long long handle, bool is_surface)
{
    struct texture_object *object = (void *)(uintptr_t)handle;
    return object_is(object, OBJECT_TEXTURE) && object->is_surface == is_surface ? object : NULL;
}

// --- What they are made of -------------------------------------------------------------------------------------------

static bool image_of_linear(const struct CUDA_RESOURCE_DESC_st *from, struct texture_image *image)
{
    if (!array_format(from->res.linear.format, from->res.linear.numChannels, image)) return false;
    const size_t texel = image->channels * image->channel_bytes, count = from->res.linear.sizeInBytes / texel;
    if (from->res.linear.devPtr % ALIGN_BYTES != 0) return false;
    image->levels = image->planes = image->axes = 1;
    image->is_linear_memory = true;
    image->level[0] = (struct texture_level){.at = (uint8_t *)(uintptr_t)from->res.linear.devPtr,
                                             .size = {(uint32_t)(count < MOST_LINEAR ? count : MOST_LINEAR), 1, 1}};
    return true;
}

static bool image_of_pitch(const struct CUDA_RESOURCE_DESC_st *from, struct texture_image *image)
{
    const size_t width = from->res.pitch2D.width, height = from->res.pitch2D.height;
    const size_t pitch = from->res.pitch2D.pitchInBytes;
    if (!array_format(from->res.pitch2D.format, from->res.pitch2D.numChannels, image)) return false;
    if (from->res.pitch2D.devPtr % ALIGN_BYTES != 0 || pitch % PITCH_ALIGN_BYTES != 0) return false;
    if (width > MOST_PITCH_WIDTH || height > MOST_PITCH_HEIGHT || pitch > MOST_PITCH_BYTES) return false;
    image->levels = image->planes = 1;
    image->axes = 2;
    image->level[0] = (struct texture_level){.at = (uint8_t *)(uintptr_t)from->res.pitch2D.devPtr,
                                             .size = {(uint32_t)width, (uint32_t)height, 1},
                                             .pitch = pitch};
    return true;
}

static bool image_of(const struct CUDA_RESOURCE_DESC_st *from, struct texture_image *image)
{
    memset(image, 0, sizeof *image);
    switch (from->resType) {
    case RESOURCE_ARRAY:
        if (!object_is(from->res.array, OBJECT_ARRAY)) return false;
        *image = from->res.array->image;
        return true;
    case RESOURCE_MIPMAP:
        if (!object_is(from->res.mipmap, OBJECT_MIPMAP)) return false;
        *image = from->res.mipmap->image;
        return true;
    case RESOURCE_LINEAR:
        return image_of_linear(from, image);
    default:
        return from->resType == RESOURCE_PITCH && image_of_pitch(from, image);
    }
}

static bool is_sampler(const struct CUDA_TEXTURE_DESC_st *from, const struct texture_image *image)
{
    for (int i = 0; i < 3; i++)
        if (from->addressMode[i] > TEXTURE_BORDER) return false;
    for (int i = 0; i < 12; i++)
        if (from->reserved[i] != 0) return false;
    if (from->filterMode > 1 || from->mipmapFilterMode > 1) return false;
    return (from->flags & ~(uint32_t)(KNOWN_FLAGS | (image->is_cube ? SEAMLESS : 0))) == 0;
}

static struct texture_sampler sampler_of(const struct CUDA_TEXTURE_DESC_st *from, bool is_linear_memory)
{
    struct texture_sampler sampler = {.is_linear = from->filterMode == 1 && !is_linear_memory,
                                      .is_linear_mip = from->mipmapFilterMode == 1,
                                      .is_normalized = (from->flags & NORMALIZED) != 0,
                                      .is_raw = (from->flags & READ_AS_INTEGER) != 0,
                                      .is_srgb = (from->flags & SRGB) != 0,
                                      .is_seamless = (from->flags & SEAMLESS) != 0,
                                      .bias = from->mipmapLevelBias,
                                      .least = from->minMipmapLevelClamp,
                                      .most = from->maxMipmapLevelClamp};
    for (int i = 0; i < 3; i++)
        sampler.address[i] = is_linear_memory ? TEXTURE_BORDER : (enum texture_address)from->addressMode[i];
    if (!is_linear_memory) memcpy(sampler.border, from->borderColor, sizeof sampler.border);
    return sampler;
}

static enum cuda_result make(struct driver *driver, unsigned long long *handle, const struct texture_object *from)
{
    struct texture_object *made = object_new(&driver->objects, OBJECT_TEXTURE, sizeof *made);
    if (made == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    const struct object head = made->object;
    *made = *from;
    made->object = head;
    made->object.owner = driver_context();
    *handle = (unsigned long long)(uintptr_t)made;
    return CUDA_SUCCESS;
}

// --- Textures --------------------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuTexObjectCreate(unsigned long long *handle,
                                                  const struct CUDA_RESOURCE_DESC_st *resource,
                                                  const struct CUDA_TEXTURE_DESC_st *sampler,
                                                  const struct CUDA_RESOURCE_VIEW_DESC_st *view)
{
    if (handle == NULL || resource == NULL || sampler == NULL) return CUDA_ERROR_INVALID_VALUE;
    DRIVER_USE_OR_RETURN(driver);
    struct texture_object object = {.resource = *resource, .sampler = *sampler};
    if (view != NULL)
        return driver_refuse(driver, CUDA_ERROR_NOT_SUPPORTED, "cuTexObjectCreate",
                             "tmaref has no resource views: pass NULL");
    if (resource->flags != 0 || !image_of(resource, &object.texture.image))
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuTexObjectCreate",
                             "the resource is not an array, nor memory at a multiple of 512 bytes with a pitch that is "
                             "a multiple of 32, of a format of 1, 2 or 4 channels");
    if (!is_sampler(sampler, &object.texture.image))
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuTexObjectCreate",
                             "an address mode, a filter mode or a flag (%#x) is not one of this resource",
                             sampler->flags);
    object.texture.sampler = sampler_of(sampler, resource->resType == RESOURCE_LINEAR);
    return make(driver, handle, &object);
}

static enum cuda_result destroy(unsigned long long handle, bool is_surface)
{
    DRIVER_USE_OR_RETURN(driver);
    struct texture_object *object = object_of(handle, is_surface);
    turns_wait(driver, NULL);
    if (object != NULL) object_destroy(&driver->objects, object);
    return CUDA_SUCCESS; // as an H200's driver says of any handle
}

DRIVER_CALL(cuTexObjectDestroy, (unsigned long long handle), destroy(handle, 0))

static enum cuda_result resource_of(struct CUDA_RESOURCE_DESC_st *to, unsigned long long handle, bool is_surface)
{
    DRIVER_USE_OR_RETURN(driver);
    const struct texture_object *object = object_of(handle, is_surface);
    if (to == NULL || object == NULL) return CUDA_ERROR_INVALID_VALUE;
    *to = object->resource;
    return CUDA_SUCCESS;
}

DRIVER_CALL(cuTexObjectGetResourceDesc, (struct CUDA_RESOURCE_DESC_st * to, unsigned long long handle),
            resource_of(to, handle, 0))

DRIVER_VISIBLE enum cuda_result cuTexObjectGetTextureDesc(struct CUDA_TEXTURE_DESC_st *to, unsigned long long handle)
{
    DRIVER_USE_OR_RETURN(driver);
    const struct texture_object *object = object_of(handle, false);
    if (to == NULL || object == NULL) return CUDA_ERROR_INVALID_VALUE;
    *to = object->sampler;
    return CUDA_SUCCESS;
}

// --- Surfaces --------------------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuSurfObjectCreate(unsigned long long *handle,
                                                   const struct CUDA_RESOURCE_DESC_st *resource)
{
    if (handle == NULL || resource == NULL) return CUDA_ERROR_INVALID_VALUE;
    DRIVER_USE_OR_RETURN(driver);
    struct texture_object object = {.resource = *resource, .is_surface = true};
    object.texture.sampler.is_raw = true;
    if (resource->flags != 0 || resource->resType != RESOURCE_ARRAY || !image_of(resource, &object.texture.image))
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuSurfObjectCreate",
                             "a surface is one of a CUDA array, not of memory or of a mipmapped array");
    return make(driver, handle, &object);
}

DRIVER_CALL(cuSurfObjectDestroy, (unsigned long long handle), destroy(handle, 1))
DRIVER_CALL(cuSurfObjectGetResourceDesc, (struct CUDA_RESOURCE_DESC_st * to, unsigned long long handle),
            resource_of(to, handle, 1))
