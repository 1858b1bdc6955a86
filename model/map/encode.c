// SPDX-License-Identifier: MIT
// The driver's four tensor-map calls: their arguments become a request, encode_check.c says whether an H200's driver
// accepts it, and what it accepts becomes a map. The bit layout is in bits.h.
#include <stddef.h>
#include <string.h>

#include "encode_mend.h"

// The fields that packing reads; entries past the rank stay unset.
static void make_map(const struct request *request, uint64_t bytes, struct tensormap *map)
{
    map->mode = request->mode;
    map->rank = (int)request->rank;
    map->dtype = (enum dtype)request->data_type;
    map->interleave = (enum tensormap_interleave)request->interleave;
    map->swizzle = (enum tensormap_swizzle)request->swizzle;
    map->l2_promotion = (enum tensormap_l2_promotion)request->l2_promotion;
    map->oob_fill = (enum tensormap_oob_fill)request->oob_fill;
    map->address = request->address;
    map->pixels = request->pixels;
    map->box_bytes = (uint32_t)bytes;
    map->pattern_bytes = tensormap_pattern_bytes(map->swizzle);
    map->box[0] = request->channels;
    for (int i = 0; i < map->rank; i++) {
        map->dim[i] = request->dim[i];
        map->estride[i] = request->estride[i];
        if (i > 0) map->stride[i] = request->strides[i - 1];
        if (map->mode == TENSORMAP_TILED) map->box[i] = request->box[i];
    }
    for (int i = 0; map->mode == TENSORMAP_IM2COL && i < map->rank - 2; i++) {
        map->lower[i] = request->lower[i];
        map->upper[i] = request->upper[i];
    }
}

// All checks of one encode call, then the map.
static enum rule encode(struct tensormap_image *image, const struct request *request, struct findings *findings)
{
    struct check check = {findings, RULE_OK};
    findings_clear(findings);
    uint64_t bytes = tensormap_check(&check, image, request);
    if (check.first != RULE_OK) {
        if (findings != NULL) tensormap_mend(findings, request);
        return check.first;
    }

    if (findings != NULL) {
        tensormap_check_warn(&check, image, request);
        tensormap_mend_warnings(findings, request);
    }
    struct tensormap map;
    struct tensormap_image packed;
    make_map(request, bytes, &map);
    tensormap_pack(&map, &packed);
    memcpy((void *)image, &packed, sizeof packed); // the driver takes a map at any address
    return RULE_OK;
}

enum rule tensormap_encode_tiled(struct tensormap_image *image, uint32_t data_type, uint32_t rank, uint64_t address,
                                 const uint64_t *global_dim, const uint64_t *global_strides, const uint32_t *box_dim,
                                 const uint32_t *element_strides, uint32_t interleave, uint32_t swizzle,
                                 uint32_t l2_promotion, uint32_t oob_fill, struct findings *findings)
{
    return encode(image,
                  &(struct request){.mode = TENSORMAP_TILED,
                                    .data_type = data_type,
                                    .rank = rank,
                                    .address = address,
                                    .dim = global_dim,
                                    .strides = global_strides,
                                    .box = box_dim,
                                    .estride = element_strides,
                                    .interleave = interleave,
                                    .swizzle = swizzle,
                                    .l2_promotion = l2_promotion,
                                    .oob_fill = oob_fill},
                  findings);
}

enum rule tensormap_encode_im2col(struct tensormap_image *image, uint32_t data_type, uint32_t rank, uint64_t address,
                                  const uint64_t *global_dim, const uint64_t *global_strides,
                                  const int *pixel_box_lower_corner, const int *pixel_box_upper_corner,
                                  uint32_t channels_per_pixel, uint32_t pixels_per_column,
                                  const uint32_t *element_strides, uint32_t interleave, uint32_t swizzle,
                                  uint32_t l2_promotion, uint32_t oob_fill, struct findings *findings)
{
    return encode(image,
                  &(struct request){.mode = TENSORMAP_IM2COL,
                                    .data_type = data_type,
                                    .rank = rank,
                                    .address = address,
                                    .dim = global_dim,
                                    .strides = global_strides,
                                    .estride = element_strides,
                                    .lower = pixel_box_lower_corner,
                                    .upper = pixel_box_upper_corner,
                                    .channels = channels_per_pixel,
                                    .pixels = pixels_per_column,
                                    .interleave = interleave,
                                    .swizzle = swizzle,
                                    .l2_promotion = l2_promotion,
                                    .oob_fill = oob_fill},
                  findings);
}

enum rule tensormap_encode_im2col_wide(struct tensormap_image *image, uint32_t data_type, uint32_t rank,
                                       uint64_t address, const uint64_t *global_dim, const uint64_t *global_strides,
                                       int pixel_box_lower_corner_width, int pixel_box_upper_corner_width,
                                       uint32_t channels_per_pixel, uint32_t pixels_per_column,
                                       const uint32_t *element_strides, uint32_t interleave, uint32_t mode,
                                       uint32_t swizzle, uint32_t l2_promotion, uint32_t oob_fill,
                                       struct findings *findings)
{
    const int lower[3] = {pixel_box_lower_corner_width}, upper[3] = {pixel_box_upper_corner_width};
    return encode(image,
                  &(struct request){.mode = TENSORMAP_IM2COL,
                                    .is_wide = true,
                                    .data_type = data_type,
                                    .rank = rank,
                                    .address = address,
                                    .dim = global_dim,
                                    .strides = global_strides,
                                    .estride = element_strides,
                                    .lower = lower,
                                    .upper = upper,
                                    .channels = channels_per_pixel,
                                    .pixels = pixels_per_column,
                                    .interleave = interleave,
                                    .wide_mode = mode,
                                    .swizzle = swizzle,
                                    .l2_promotion = l2_promotion,
                                    .oob_fill = oob_fill},
                  findings);
}

enum rule tensormap_replace_address(struct tensormap_image *image, uint64_t address, struct findings *findings)
{
    struct check check = {findings, RULE_OK};
    findings_clear(findings);
    tensormap_check_replace(&check, image, address);
    if (check.first != RULE_OK) return check.first;

    struct tensormap_image packed;
    struct tensormap map;
    memcpy(&packed, (void *)image, sizeof packed);
    packed.word[0] &= ~(TENSORMAP_ADDRESS_LIMIT - 1); // the address that goes may be a multiple of 16 alone
    if (address % 32 != 0 && tensormap_decode(&packed, &map, NULL) == RULE_OK && map.interleave == INTERLEAVE_32B)
        tensormap_check_replace_32(&check, address);
    packed.word[0] |= address;
    memcpy((void *)image, &packed, sizeof packed);
    return RULE_OK;
}
