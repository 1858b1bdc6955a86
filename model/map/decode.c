// SPDX-License-Identifier: MIT
// 128 bytes back to fields. Total: any bytes decode to something, and what no encoder would have set is a finding;
// which values those are is encode_check.c's.
#include <stddef.h>

#include "bits.h"
#include "broken.h"
#include "encode_mend.h"
#include "rules/map.h"

// Bits that are not what they should be.
static void odd(struct findings *findings, enum rule rule, const char *argument, int index, uint64_t value,
                uint64_t nearest)
{
    finding_add(findings, FINDING_AT(rule, argument, index, .value = value, .limit = nearest, .nearest = nearest));
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

// Fields with a value that no encoder writes: what the encode call that has them for arguments is refused for;
// `proposes`: with proposals that are legal together. Returns the bytes of the box.
static uint64_t check_fields(const struct tensormap_image *image, const struct tensormap *map, bool proposes,
                             struct findings *findings)
{
    static const struct tensormap_image any;
    struct check check = {findings, RULE_OK};
    const struct request request = tensormap_request(map);
    uint64_t bytes = tensormap_check(&check, &any, &request);
    if (proposes && check.first != RULE_OK) tensormap_mend(findings, &request);
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++) {
        struct finding *finding = &findings->item[i];
        if (finding->rule == RULE_MAP_DATA_TYPE_PACKED) // that no type has these bits is all that is known
            *finding = (struct finding){.argument = "element format and tf32 bit",
                                        .index = -1,
                                        .value = bits_get(image, BITS_TF32) << 4 | bits_get(image, BITS_FORMAT)};
        finding->rule = RULE_MAP_BITS_FIELD;
    }
    return bytes;
}

// The two fields that repeat others. `bytes` are those of the box.
static void check_redundant(const struct tensormap *map, uint64_t bytes, struct findings *findings)
{
    uint32_t pattern = tensormap_pattern_bytes(map->swizzle);
    if (map->box_bytes != bytes) odd(findings, RULE_MAP_BITS_REDUNDANT, "bytes of the box", -1, map->box_bytes, bytes);
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
    struct findings found; // its items are not read before they are written, and clearing them would cost
    findings_clear(&found);
    findings_clear(findings);
    *map = (struct tensormap){0};
    decode_header(image, map);
    decode_dimensions(image, map);
    uint64_t bytes = check_fields(image, map, findings != NULL, &found);
    bool readable = map->rank <= TENSORMAP_MAX_RANK && map->dtype != DTYPE_COUNT &&
                    !(map->mode == TENSORMAP_IM2COL && map->rank < 3);
    if (readable) {
        check_redundant(map, bytes, &found);
        check_reserved(image, map, &found);
    }
    for (int i = 0; i < found.count && i < FINDINGS_MAX; i++) finding_add(findings, found.item[i]);
    return found.count > 0 ? found.item[0].rule : RULE_OK;
}
