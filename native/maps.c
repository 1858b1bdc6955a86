// SPDX-License-Identifier: MIT
// Tensor maps.
#include <string.h>

#include "native_report.h"
#include "reduce.h"
#include "tensormap.h"

const char *native_dtype_name(uint32_t dtype)
{
    return dtype < DTYPE_COUNT ? dtype_row((enum dtype)dtype)->ptx : NULL;
}

uint32_t native_dtype_bytes(uint32_t dtype)
{
    return dtype < DTYPE_COUNT ? dtype_row((enum dtype)dtype)->size_bytes : 0;
}

int native_reduction(const char *name)
{
    enum reduce_op op = reduce_op_find(name);
    return op == REDUCE_OPS ? -1 : (int)op;
}

static enum rule encode(const struct native_fields *f, struct tensormap_image *image, struct findings *findings)
{
    uint32_t dtype = (uint32_t)f->dtype, rank = (uint32_t)f->rank, interleave = (uint32_t)f->interleave,
             swizzle = (uint32_t)f->swizzle, l2 = (uint32_t)f->l2_promotion, fill = (uint32_t)f->oob_fill;
    if (f->mode == TENSORMAP_IM2COL)
        return tensormap_encode_im2col(image, dtype, rank, f->address, f->dim, f->stride + 1, f->lower, f->upper,
                                       f->box[0], f->pixels, f->estride, interleave, swizzle, l2, fill, findings);
    return tensormap_encode_tiled(image, dtype, rank, f->address, f->dim, f->stride + 1, f->box, f->estride, interleave,
                                  swizzle, l2, fill, findings);
}

void native_encode(const struct native_fields *fields, uint8_t *image, struct native_report *report)
{
    struct tensormap_image made;
    struct findings findings;
    enum rule rule = encode(fields, &made, &findings);
    if (rule == RULE_OK) memcpy(image, &made, TENSORMAP_BYTES);
    native_tell(report, rule, &findings);
}

void native_decode(const uint8_t *image, struct native_fields *fields, struct native_report *report)
{
    struct tensormap_image bytes;
    struct tensormap map;
    struct findings findings;
    memcpy(&bytes, image, TENSORMAP_BYTES);
    enum rule rule = tensormap_decode(&bytes, &map, &findings);
    *fields = (struct native_fields){.mode = map.mode,
                                     .rank = map.rank,
                                     .dtype = (int32_t)map.dtype,
                                     .interleave = (int32_t)map.interleave,
                                     .swizzle = (int32_t)map.swizzle,
                                     .l2_promotion = (int32_t)map.l2_promotion,
                                     .oob_fill = (int32_t)map.oob_fill,
                                     .address = map.address,
                                     .pixels = map.pixels,
                                     .box_bytes = map.box_bytes,
                                     .pattern_bytes = map.pattern_bytes};
    memcpy(fields->dim, map.dim, sizeof fields->dim);
    memcpy(fields->stride, map.stride, sizeof fields->stride);
    memcpy(fields->box, map.box, sizeof fields->box);
    memcpy(fields->estride, map.estride, sizeof fields->estride);
    memcpy(fields->lower, map.lower, sizeof fields->lower);
    memcpy(fields->upper, map.upper, sizeof fields->upper);
    native_tell(report, rule, &findings);
}
