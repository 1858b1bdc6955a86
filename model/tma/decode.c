// SPDX-License-Identifier: MIT
// 128 bytes back to fields. Total: any bytes decode to something, and what no encoder would have set is a finding.
#include <stddef.h>

#include "bits.h"

// A field that is not what it should be.
static void odd(struct findings *findings, enum rule rule, const char *argument, int index, uint64_t value,
                uint64_t nearest)
{
    finding_add(findings, (struct finding){rule, argument, index, 0, value, nearest, nearest});
}

static void corners_unpack(uint64_t packed, int rank, int32_t *corner)
{
    int width = bits_corner(rank);
    for (int i = 0; i < rank - 2; i++) {
        uint32_t field = (uint32_t)(packed >> (i * width)) << (32 - width);
        corner[i] = (int32_t)field >> (32 - width);
    }
}

static void decode_header(const struct tensormap_image *image, struct tensormap *map)
{
    map->mode = (enum tensormap_mode)bits_get(image, BITS_MODE);
    map->rank = (int)bits_get(image, BITS_RANK) + 1;
    map->dtype = dtype_from_format((uint32_t)bits_get(image, BITS_FORMAT), (int)bits_get(image, BITS_TF32));
    map->interleave = (enum tensormap_interleave)bits_get(image, BITS_INTERLEAVE);
    map->swizzle = (enum tensormap_swizzle)bits_get(image, BITS_SWIZZLE);
    map->l2_promotion = (enum tensormap_l2_promotion)bits_get(image, BITS_L2_PROMOTION);
    map->oob_fill = (enum tensormap_oob_fill)bits_get(image, BITS_OOB_FILL);
    map->address = bits_get(image, BITS_ADDRESS);
    map->box_bytes = (uint32_t)bits_get(image, BITS_BOX_BYTES);
    map->pattern_bytes = (uint32_t)bits_get(image, BITS_PATTERN_BYTES);
}

static void decode_dimensions(const struct tensormap_image *image, struct tensormap *map)
{
    for (int i = 0; i < map->rank && i < TENSORMAP_MAX_RANK; i++) {
        map->dim[i] = bits_get(image, BITS_DIM(i)) + 1;
        map->estride[i] = (uint32_t)bits_get(image, BITS_ESTRIDE(i)) + 1;
        if (map->mode == TENSORMAP_TILED || i == 0) map->box[i] = (uint32_t)bits_get(image, BITS_BOX(i)) + 1;
        if (i > 0)
            map->stride[i] = bits_get(image, BITS_STRIDE_HIGH(i - 1)) << 36 | bits_get(image, BITS_STRIDE_LOW(i - 1))
                                                                                  << 4;
        else if (map->dtype != DTYPE_COUNT)
            map->stride[0] = tensormap_step_bytes(map);
    }
    if (map->mode == TENSORMAP_TILED) return;
    map->pixels = (uint32_t)bits_get(image, BITS_PIXELS) + 1;
    if (map->rank < 3 || map->rank > TENSORMAP_MAX_RANK) return;
    corners_unpack(bits_get(image, BITS_LOWER), map->rank, map->lower);
    corners_unpack(bits_get(image, BITS_UPPER), map->rank, map->upper);
}

// Fields with a value that no encoder writes.
static void check_fields(const struct tensormap_image *image, const struct tensormap *map, struct findings *findings)
{
    int lowest = map->mode == TENSORMAP_IM2COL || map->interleave != INTERLEAVE_NONE ? 3 : 1;
    if (map->rank > TENSORMAP_MAX_RANK || map->rank < lowest)
        odd(findings, RULE_MAP_BITS_FIELD, "rank", -1, (uint64_t)map->rank,
            (uint64_t)(map->rank < lowest ? lowest : TENSORMAP_MAX_RANK));
    if (map->dtype == DTYPE_COUNT)
        odd(findings, RULE_MAP_BITS_FIELD, "element format and tf32 bit", -1,
            bits_get(image, BITS_TF32) << 4 | bits_get(image, BITS_FORMAT), 0);
    else if (map->oob_fill != OOB_FILL_ZERO && !dtype_row(map->dtype)->is_float)
        odd(findings, RULE_MAP_BITS_FIELD, "oobFill", -1, map->oob_fill, OOB_FILL_ZERO);
    if (map->interleave > INTERLEAVE_32B)
        odd(findings, RULE_MAP_BITS_FIELD, "interleave", -1, map->interleave, INTERLEAVE_32B);
    if (map->address % 16 != 0)
        odd(findings, RULE_MAP_BITS_FIELD, "globalAddress", -1, map->address, map->address / 16 * 16);
    if (map->dtype == DTYPE_COUNT || map->interleave > INTERLEAVE_32B) return;
    uint32_t inner = map->box[0] * dtype_row(map->dtype)->size_bytes, span = tensormap_span_bytes(map->swizzle);
    if (inner % 16 != 0) odd(findings, RULE_MAP_BITS_FIELD, "boxDim", 0, inner, (inner + 15) / 16 * 16);
    if (map->interleave == INTERLEAVE_NONE && span != 0 && inner > span)
        odd(findings, RULE_MAP_BITS_FIELD, "boxDim", 0, inner, span);
}

// The two fields that repeat others. `map` has a legal rank and type.
static void check_redundant(const struct tensormap *map, struct findings *findings)
{
    uint64_t bytes = dtype_row(map->dtype)->size_bytes;
    if (map->mode == TENSORMAP_IM2COL) bytes *= (uint64_t)map->box[0] * map->pixels;
    for (int i = 0; i < map->rank && map->mode == TENSORMAP_TILED; i++) bytes *= map->box[i] / map->estride[i];
    if (map->box_bytes != bytes) odd(findings, RULE_MAP_BITS_REDUNDANT, "bytes of the box", -1, map->box_bytes, bytes);
    uint32_t pattern = tensormap_pattern_bytes(map->swizzle);
    if (map->pattern_bytes != pattern)
        odd(findings, RULE_MAP_BITS_REDUNDANT, "alignment of the swizzle pattern", -1, map->pattern_bytes, pattern);
}

// Bits that packing the decoded fields does not give back. `map` has a legal rank and type.
static void check_reserved(const struct tensormap_image *image, const struct tensormap *map, struct findings *findings)
{
    struct tensormap_image again;
    tensormap_pack(map, &again);
    for (int i = 0; i < TENSORMAP_BYTES / 8; i++)
        if (image->word[i] != again.word[i])
            odd(findings, RULE_MAP_BITS_RESERVED, "64-bit word", i, image->word[i], again.word[i]);
}

enum rule tensormap_decode(const struct tensormap_image *image, struct tensormap *map, struct findings *findings)
{
    struct findings found;
    found.count = 0; // its items are not read before they are written, and clearing them would cost
    *map = (struct tensormap){0};
    decode_header(image, map);
    decode_dimensions(image, map);
    check_fields(image, map, &found);
    int readable = map->rank <= TENSORMAP_MAX_RANK && map->dtype != DTYPE_COUNT &&
                   !(map->mode == TENSORMAP_IM2COL && map->rank < 3);
    if (readable) {
        check_redundant(map, &found);
        check_reserved(image, map, &found);
    }
    for (int i = 0; i < found.count && i < FINDINGS_MAX; i++) finding_add(findings, found.item[i]);
    return found.count > 0 ? found.item[0].rule : RULE_OK;
}
