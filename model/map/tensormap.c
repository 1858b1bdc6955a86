// SPDX-License-Identifier: MIT
// Fields to 128 bytes, and the small facts every reader of a map needs. The checks are in encode.c, the way back in
// decode.c.
#include "tensormap.h"

#include "bits.h"

uint32_t tensormap_step_bytes(const struct tensormap *map)
{
    return map->interleave == INTERLEAVE_NONE ? dtype_row(map->dtype)->size_bytes : 16u * map->interleave;
}

uint32_t tensormap_span_bytes(enum tensormap_swizzle swizzle)
{
    return swizzle == SWIZZLE_NONE ? 0 : 16u << swizzle;
}

uint32_t tensormap_pattern_bytes(enum tensormap_swizzle swizzle)
{
    return swizzle == SWIZZLE_NONE ? 16 : 128u << swizzle;
}

static uint64_t corners_pack(const int32_t *corner, int rank)
{
    uint64_t packed = 0;
    int width = bits_corner(rank);
    for (int i = 0; i < rank - 2; i++) packed |= ((uint64_t)(uint32_t)corner[i] & ((1u << width) - 1)) << (i * width);
    return packed;
}

static void pack_box(const struct tensormap *map, int entries, struct tensormap_image *image)
{
    bits_put(image, BITS_BOX(0), map->box[0] - 1);
    if (map->mode == TENSORMAP_TILED) {
        for (int i = 1; i < entries; i++) bits_put(image, BITS_BOX(i), map->box[i] - 1);
        return;
    }
    bits_put(image, BITS_PIXELS, map->pixels - 1);
    if (map->rank < 3 || map->rank > TENSORMAP_MAX_RANK) return; // no corners
    bits_put(image, BITS_LOWER, corners_pack(map->lower, map->rank));
    bits_put(image, BITS_UPPER, corners_pack(map->upper, map->rank));
}

void tensormap_pack(const struct tensormap *map, struct tensormap_image *image)
{
    static const struct dtype_row no_type = {.format = 15, .is_tf32 = 1}; // decodes to no type
    const struct dtype_row *dtype = (unsigned)map->dtype < DTYPE_COUNT ? dtype_row(map->dtype) : &no_type;
    int entries = map->rank < TENSORMAP_MAX_RANK ? map->rank : TENSORMAP_MAX_RANK;
    static const struct tensormap_image zero;
    *image = zero;
    bits_put(image, BITS_ADDRESS, map->address);
    bits_put(image, BITS_MODE, map->mode);
    bits_put(image, BITS_RANK, (uint64_t)map->rank - 1);
    bits_put(image, BITS_FORMAT, dtype->format);
    bits_put(image, BITS_INTERLEAVE, map->interleave);
    bits_put(image, BITS_SWIZZLE, map->swizzle);
    bits_put(image, BITS_OOB_FILL, map->oob_fill);
    bits_put(image, BITS_TF32, (uint64_t)dtype->is_tf32);
    bits_put(image, BITS_L2_PROMOTION, map->l2_promotion);
    for (int i = 0; i < entries; i++) {
        bits_put(image, BITS_DIM(i), map->dim[i] - 1);
        bits_put(image, BITS_ESTRIDE(i), map->estride[i] - 1);
    }
    for (int i = 1; i < entries; i++) {
        bits_put(image, BITS_STRIDE_LOW(i - 1), map->stride[i] >> 4);
        bits_put(image, BITS_STRIDE_HIGH(i - 1), map->stride[i] >> 36);
    }
    pack_box(map, entries, image);
    bits_put(image, BITS_BOX_BYTES, map->box_bytes);
    bits_put(image, BITS_PATTERN_BYTES, map->pattern_bytes);
}
