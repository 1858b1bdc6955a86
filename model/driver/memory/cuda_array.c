// SPDX-License-Identifier: MIT
// cuArray* and cuMipmappedArray*.
#include "cuda_array.h"

#include <string.h>

#include "cuda_api.h"
#include "turns.h"

// --- Shapes ----------------------------------------------------------------------------------------------------------

// The greatest sizes of an H200, of arrays of one level and of mipmapped ones.
enum {
    MOST_WIDTH = 131072,
    MOST_HEIGHT = 65536,
    MOST_OF_3D = 16384,
    MOST_OF_OTHERS = 32768,
    MOST_LAYERS = 2048,
    PITCH_ALIGN = 32
};

bool array_format(uint32_t format, uint32_t channels, struct texture_image *image)
{
    static const struct {
        uint32_t format, bytes;
        enum texture_number number;
    } rows[] = {{0x01, 1, TEXTURE_UNSIGNED}, {0x02, 2, TEXTURE_UNSIGNED}, {0x03, 4, TEXTURE_UNSIGNED},
                {0x08, 1, TEXTURE_SIGNED},   {0x09, 2, TEXTURE_SIGNED},   {0x0a, 4, TEXTURE_SIGNED},
                {0x10, 2, TEXTURE_FLOAT},    {0x20, 4, TEXTURE_FLOAT}};
    if (channels != 1 && channels != 2 && channels != 4) return false;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].format != format) continue;
        image->channel_bytes = rows[i].bytes;
        image->number = rows[i].number;
        image->channels = channels;
        return true;
    }
    return false;
}

static bool is_plain(const struct CUDA_ARRAY3D_DESCRIPTOR_st *from)
{
    return (from->Flags & (ARRAY_LAYERED | ARRAY_CUBE)) == 0;
}

static bool sizes_fit(const struct CUDA_ARRAY3D_DESCRIPTOR_st *from, uint32_t levels)
{
    const bool is_3d = is_plain(from) && from->Depth > 0;
    const size_t narrow = is_3d ? MOST_OF_3D : MOST_OF_OTHERS;
    const bool is_wide = is_plain(from) && !is_3d && levels == 1 && (from->Flags & ARRAY_GATHER) == 0;
    if (is_wide) return from->Width <= MOST_WIDTH && from->Height <= MOST_HEIGHT;
    if (is_3d) return from->Width <= narrow && from->Height <= narrow && from->Depth <= MOST_OF_OTHERS;
    return from->Width <= narrow && from->Height <= narrow && from->Depth <= MOST_LAYERS;
}

static bool is_shape(const struct CUDA_ARRAY3D_DESCRIPTOR_st *from, uint32_t levels)
{
    const uint32_t known = ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_CUBE | ARRAY_GATHER;
    const bool is_layered = from->Flags & ARRAY_LAYERED, is_cube = (from->Flags & ARRAY_CUBE) != 0;
    if ((from->Flags & ~known) != 0 || from->Width == 0 || !sizes_fit(from, levels)) return false;
    if (is_cube && (from->Width != from->Height || from->Depth == 0 || from->Depth % TEXTURE_FACES != 0)) return false;
    if (is_cube && !is_layered) return from->Depth == TEXTURE_FACES;
    if (is_layered) return from->Depth > 0;
    return from->Depth == 0 || from->Height > 0;
}

static uint32_t extent_at(size_t size, uint32_t level)
{
    const size_t smaller = size >> level;
    return smaller > 0 ? (uint32_t)smaller : 1;
}

// Lays levels out one behind the other, from 0 on; returns all their bytes.
static uint64_t lay_out(const struct CUDA_ARRAY3D_DESCRIPTOR_st *from, uint32_t levels, struct texture_image *image)
{
    uint64_t bytes = 0;
    image->levels = levels;
    image->is_layered = (from->Flags & ARRAY_LAYERED) != 0;
    image->is_cube = (from->Flags & ARRAY_CUBE) != 0;
    image->planes = is_plain(from) ? 1 : (uint32_t)from->Depth;
    image->axes = from->Height == 0 ? 1 : is_plain(from) && from->Depth > 0 ? 3 : 2;
    for (uint32_t i = 0; i < levels; i++) {
        struct texture_level *level = &image->level[i];
        level->size[0] = extent_at(from->Width, i);
        level->size[1] = extent_at(from->Height, i);
        level->size[2] = image->axes == 3 ? extent_at(from->Depth, i) : 1;
        const uint64_t row = (uint64_t)level->size[0] * image->channels * image->channel_bytes;
        level->pitch = (row + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
        level->slice = level->pitch * level->size[1];
        level->at = (uint8_t *)(uintptr_t)bytes;
        bytes += level->slice * level->size[2] * image->planes;
    }
    return bytes;
}

static void move_to(struct texture_image *image, uint64_t memory)
{
    for (uint32_t i = 0; i < image->levels; i++)
        image->level[i].at = (uint8_t *)(uintptr_t)(memory + (uintptr_t)image->level[i].at);
}

static enum cuda_result make_image(struct driver *driver, const char *call,
                                   const struct CUDA_ARRAY3D_DESCRIPTOR_st *from, uint32_t levels,
                                   struct texture_image *image, uint64_t *memory)
{
    memset(image, 0, sizeof *image);
    if (!array_format(from->Format, from->NumChannels, image))
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call,
                             "format %#x with %u channels: tmaref has integers of 8, 16 and 32 bits, half and float "
                             "with 1, 2 or 4 channels",
                             from->Format, from->NumChannels);
    if (!is_shape(from, levels))
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call,
                             "there is no array of width %zu, height %zu, depth %zu with flags %#x and %u levels",
                             from->Width, from->Height, from->Depth, from->Flags, levels);
    const uint64_t bytes = lay_out(from, levels, image);
    if (bytes > allocations_left(&driver->allocations, driver->device->memory_bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
    *memory = allocations_make(&driver->allocations, bytes, ALLOCATION_DEVICE, 0, driver_context());
    if (*memory == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    move_to(image, *memory);
    return CUDA_SUCCESS;
}

static void give_back(struct driver *driver, uint64_t memory)
{
    struct allocation *found = memory != 0 ? allocations_find(&driver->allocations, memory) : NULL;
    if (found != NULL) allocations_remove(&driver->allocations, found);
}

// --- Arrays ----------------------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuArray3DCreate_v2(struct CUarray_st **array,
                                                   const struct CUDA_ARRAY3D_DESCRIPTOR_st *from)
{
    struct texture_image image;
    uint64_t memory;
    if (array == NULL || from == NULL) return CUDA_ERROR_INVALID_VALUE;
    DRIVER_USE_OR_RETURN(driver);
    const enum cuda_result error = make_image(driver, "cuArray3DCreate", from, 1, &image, &memory);
    if (error != CUDA_SUCCESS) return error;
    struct CUarray_st *made = object_new(&driver->objects, OBJECT_ARRAY, sizeof *made);
    if (made == NULL) give_back(driver, memory);
    if (made == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    made->object.owner = driver_context();
    made->descriptor = *from;
    made->image = image;
    made->memory = memory;
    *array = made;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuArrayCreate_v2(struct CUarray_st **array, const struct CUDA_ARRAY_DESCRIPTOR_st *from)
{
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct CUDA_ARRAY3D_DESCRIPTOR_st whole = {
        .Width = from->Width, .Height = from->Height, .Format = from->Format, .NumChannels = from->NumChannels};
    return cuArray3DCreate_v2(array, &whole);
}

DRIVER_VISIBLE enum cuda_result cuArray3DGetDescriptor_v2(struct CUDA_ARRAY3D_DESCRIPTOR_st *to,
                                                          struct CUarray_st *array)
{
    DRIVER_USE_OR_RETURN(driver);
    if (to == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(array, OBJECT_ARRAY)) return CUDA_ERROR_INVALID_HANDLE;
    *to = array->descriptor;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuArrayGetDescriptor_v2(struct CUDA_ARRAY_DESCRIPTOR_st *to, struct CUarray_st *array)
{
    DRIVER_USE_OR_RETURN(driver);
    if (to == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(array, OBJECT_ARRAY)) return CUDA_ERROR_INVALID_HANDLE;
    const struct CUDA_ARRAY3D_DESCRIPTOR_st *from = &array->descriptor;
    *to = (struct CUDA_ARRAY_DESCRIPTOR_st){from->Width, from->Height, from->Format, from->NumChannels};
    return CUDA_SUCCESS;
}

static void destroy(struct driver *driver, struct CUarray_st *array)
{
    give_back(driver, array->memory);
    object_destroy(&driver->objects, array);
}

DRIVER_VISIBLE enum cuda_result cuArrayDestroy(struct CUarray_st *array)
{
    DRIVER_USE_OR_RETURN(driver);
    if (!object_is(array, OBJECT_ARRAY)) return CUDA_ERROR_INVALID_HANDLE;
    if (array->memory == 0) return CUDA_ERROR_INVALID_VALUE; // a level goes with its mipmapped array
    turns_wait(driver, NULL);
    destroy(driver, array);
    return CUDA_SUCCESS;
}

// --- Mipmapped arrays ------------------------------------------------------------------------------------------------

static struct CUarray_st *level_of(struct driver *driver, const struct CUmipmappedArray_st *mipmap,
                                   const struct CUDA_ARRAY3D_DESCRIPTOR_st *from, uint32_t number)
{
    struct CUarray_st *made = object_new(&driver->objects, OBJECT_ARRAY, sizeof *made);
    if (made == NULL) return NULL;
    const struct texture_level *level = &mipmap->image.level[number];
    made->object.owner = driver_context();
    made->image = mipmap->image;
    made->image.levels = 1;
    made->image.level[0] = *level;
    made->descriptor = *from;
    made->descriptor.Width = level->size[0];
    if (from->Height > 0) made->descriptor.Height = level->size[1];
    if (mipmap->image.axes == 3) made->descriptor.Depth = level->size[2];
    return made;
}

static void destroy_mipmap(struct driver *driver, struct CUmipmappedArray_st *mipmap)
{
    for (uint32_t i = 0; i < TEXTURE_MOST_LEVELS; i++)
        if (object_is(mipmap->level[i], OBJECT_ARRAY)) destroy(driver, mipmap->level[i]);
    give_back(driver, mipmap->memory);
    object_destroy(&driver->objects, mipmap);
}

// As many as there can be, of those asked for.
static uint32_t levels_of(const struct CUDA_ARRAY3D_DESCRIPTOR_st *from, uint32_t wanted)
{
    size_t most = from->Width > from->Height ? from->Width : from->Height;
    uint32_t levels = 1;
    if (is_plain(from) && from->Depth > most) most = from->Depth;
    while (most > 1 && levels < TEXTURE_MOST_LEVELS) {
        most /= 2;
        levels++;
    }
    return wanted == 0 ? 1 : wanted < levels ? wanted : levels;
}

DRIVER_VISIBLE enum cuda_result cuMipmappedArrayCreate(struct CUmipmappedArray_st **mipmap,
                                                       const struct CUDA_ARRAY3D_DESCRIPTOR_st *from, unsigned levels)
{
    struct texture_image image;
    uint64_t memory;
    if (mipmap == NULL || from == NULL) return CUDA_ERROR_INVALID_VALUE;
    DRIVER_USE_OR_RETURN(driver);
    levels = levels_of(from, levels);
    const enum cuda_result error = make_image(driver, "cuMipmappedArrayCreate", from, levels, &image, &memory);
    if (error != CUDA_SUCCESS) return error;
    struct CUmipmappedArray_st *made = object_new(&driver->objects, OBJECT_MIPMAP, sizeof *made);
    if (made == NULL) give_back(driver, memory);
    if (made == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    made->object.owner = driver_context();
    made->image = image;
    made->memory = memory;
    for (uint32_t i = 0; i < levels; i++) {
        made->level[i] = level_of(driver, made, from, i);
        if (made->level[i] != NULL) continue;
        destroy_mipmap(driver, made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *mipmap = made;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMipmappedArrayGetLevel(struct CUarray_st **array, struct CUmipmappedArray_st *mipmap,
                                                         unsigned level)
{
    DRIVER_USE_OR_RETURN(driver);
    if (array == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(mipmap, OBJECT_MIPMAP)) return CUDA_ERROR_INVALID_HANDLE;
    if (level >= mipmap->image.levels) return CUDA_ERROR_INVALID_VALUE;
    *array = mipmap->level[level];
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMipmappedArrayDestroy(struct CUmipmappedArray_st *mipmap)
{
    DRIVER_USE_OR_RETURN(driver);
    if (!object_is(mipmap, OBJECT_MIPMAP)) return CUDA_ERROR_INVALID_HANDLE;
    turns_wait(driver, NULL);
    destroy_mipmap(driver, mipmap);
    return CUDA_SUCCESS;
}

void arrays_remove_owned(struct driver *driver, const struct CUctx_st *context)
{
    static const enum object_kind kinds[] = {OBJECT_TEXTURE, OBJECT_ARRAY, OBJECT_MIPMAP};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (struct object *object = driver->objects.live[kinds[i]], *next; object != NULL; object = next) {
            next = object->next;
            if (object->owner == context) object_destroy(&driver->objects, object);
        }
}

// --- Copies ----------------------------------------------------------------------------------------------------------

bool array_side_of(const struct CUarray_st *array, const size_t at[3], const size_t extent[3], struct array_side *side)
{
    const struct texture_level *level = &array->image.level[0];
    const size_t row = (size_t)level->size[0] * array->image.channels * array->image.channel_bytes;
    const size_t size[3] = {row, level->size[1], (size_t)level->size[2] * array->image.planes};
    *side = (struct array_side){(uint64_t)(uintptr_t)level->at, level->pitch, level->slice};
    if (extent[0] == 0 || extent[1] == 0 || extent[2] == 0) return true;
    for (int axis = 0; axis < 3; axis++)
        if (at[axis] > size[axis] || extent[axis] > size[axis] - at[axis]) return false;
    side->address += at[0] + at[1] * level->pitch + at[2] * level->slice;
    return true;
}

// `bytes` of the first row, from `offset` on.
static enum cuda_result copy_row(struct CUDA_MEMCPY3D_st box, size_t bytes, struct CUstream_st *stream)
{
    box.WidthInBytes = bytes;
    box.Height = 1;
    box.Depth = 1;
    return cuMemcpy3DAsync_v2(&box, stream);
}

static enum cuda_result copy_row_at_once(struct CUDA_MEMCPY3D_st box, size_t bytes)
{
    box.WidthInBytes = bytes;
    box.Height = 1;
    box.Depth = 1;
    return cuMemcpy3D_v2(&box);
}

#define TO_ARRAY .dstMemoryType = MEMORY_OF_ARRAY, .dstArray = to, .dstXInBytes = to_offset
#define OF_ARRAY .srcMemoryType = MEMORY_OF_ARRAY, .srcArray = from, .srcXInBytes = from_offset

DRIVER_VISIBLE enum cuda_result cuMemcpyHtoA_v2(struct CUarray_st *to, size_t to_offset, const void *from, size_t bytes)
{
    const struct CUDA_MEMCPY3D_st box = {TO_ARRAY, .srcMemoryType = MEMORY_OF_HOST, .srcHost = from};
    return copy_row_at_once(box, bytes);
}

DRIVER_CALL(cuMemcpyHtoAAsync_v2,
            (struct CUarray_st * to, size_t to_offset, const void *from, size_t bytes, struct CUstream_st *stream),
            copy_row((struct CUDA_MEMCPY3D_st){TO_ARRAY, .srcMemoryType = MEMORY_OF_HOST, .srcHost = from}, bytes,
                     stream))

DRIVER_VISIBLE enum cuda_result cuMemcpyAtoH_v2(void *to, struct CUarray_st *from, size_t from_offset, size_t bytes)
{
    const struct CUDA_MEMCPY3D_st box = {OF_ARRAY, .dstMemoryType = MEMORY_OF_HOST, .dstHost = to};
    return copy_row_at_once(box, bytes);
}

DRIVER_CALL(cuMemcpyAtoHAsync_v2,
            (void *to, struct CUarray_st *from, size_t from_offset, size_t bytes, struct CUstream_st *stream),
            copy_row((struct CUDA_MEMCPY3D_st){OF_ARRAY, .dstMemoryType = MEMORY_OF_HOST, .dstHost = to}, bytes,
                     stream))

DRIVER_VISIBLE enum cuda_result cuMemcpyDtoA_v2(struct CUarray_st *to, size_t to_offset, unsigned long long from,
                                                size_t bytes)
{
    const struct CUDA_MEMCPY3D_st box = {TO_ARRAY, .srcMemoryType = MEMORY_OF_DEVICE, .srcDevice = from};
    return copy_row_at_once(box, bytes);
}

DRIVER_VISIBLE enum cuda_result cuMemcpyAtoD_v2(unsigned long long to, struct CUarray_st *from, size_t from_offset,
                                                size_t bytes)
{
    const struct CUDA_MEMCPY3D_st box = {OF_ARRAY, .dstMemoryType = MEMORY_OF_DEVICE, .dstDevice = to};
    return copy_row_at_once(box, bytes);
}

DRIVER_CALL(cuMemcpyAtoA_v2,
            (struct CUarray_st * to, size_t to_offset, struct CUarray_st *from, size_t from_offset, size_t bytes),
            copy_row_at_once((struct CUDA_MEMCPY3D_st){TO_ARRAY, OF_ARRAY}, bytes))
