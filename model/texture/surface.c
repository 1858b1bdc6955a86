// SPDX-License-Identifier: MIT
#include "texture.h"

#include <stddef.h>

// Of a value that is outside 0 .. size - bytes: the nearest that is inside, or -1.
static int64_t kept(int32_t at, uint64_t size, uint64_t bytes, bool clamps)
{
    if (at >= 0 && (uint64_t)at + bytes <= size) return at;
    if (!clamps || size < bytes) return -1;
    return at < 0 ? 0 : (int64_t)(size - bytes);
}

// An image that was made with other axes than the instruction has: only one of three is also one of two.
static bool has_axes(const struct texture_image *image, uint32_t axes)
{
    return axes == image->axes || (axes == 2 && image->axes == 3);
}

uint8_t *texture_surface_at(const struct texture_image *image, const int32_t at[TEXTURE_AXES], uint32_t axes,
                            int32_t layer, uint32_t bytes, bool clamps)
{
    const struct texture_level *level = &image->level[0];
    const int32_t plane = layer < 0 && clamps ? (int32_t)image->planes - 1 : layer; // as an unsigned number
    if (!has_axes(image, axes)) return NULL;
    const uint64_t row_bytes = (uint64_t)level->size[0] * image->channels * image->channel_bytes;
    const int64_t x = kept(at[0], row_bytes, bytes, clamps), y = axes > 1 ? kept(at[1], level->size[1], 1, clamps) : 0;
    const int64_t z = axes > 2 ? kept(at[2], level->size[2], 1, clamps) : kept(plane, image->planes, 1, clamps);
    if (x < 0 || y < 0 || z < 0) return NULL;
    return level->at + x + (uint64_t)y * level->pitch + (uint64_t)z * level->slice;
}
