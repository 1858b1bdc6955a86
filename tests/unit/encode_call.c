// SPDX-License-Identifier: MIT
#include "encode_call.h"

#include <check.h>
#include <stddef.h>
#include <string.h>

static const struct encode_call bases[BASES] = {
    [TILED] = {.data_type = DTYPE_FLOAT32,
               .rank = 3,
               .address = 0x7f0000001000,
               .dim = {104, 50, 20, 10, 6},
               .strides = {416, 20800, 416000, 4160000},
               .box = {16, 8, 4, 2, 2},
               .swizzle = SWIZZLE_64B,
               .l2_promotion = L2_PROMOTION_L2_128B,
               .oob_fill = OOB_FILL_NAN_REQUEST_ZERO_FMA},
    [IM2COL] = {.data_type = DTYPE_FLOAT16,
                .rank = 4,
                .address = 0x7f0000002000,
                .dim = {64, 32, 16, 8, 4},
                .strides = {128, 4096, 65536, 524288},
                .lower = {-1, -2, 0},
                .upper = {-3, 1, 2},
                .channels = 32,
                .pixels = 64,
                .swizzle = SWIZZLE_64B,
                .oob_fill = OOB_FILL_NAN_REQUEST_ZERO_FMA},
    [WIDE] = {.data_type = DTYPE_FLOAT16,
              .rank = 4,
              .address = 0x7f0000002000,
              .dim = {64, 32, 16, 8, 4},
              .strides = {128, 4096, 65536, 524288},
              .lower = {-1, 0, 0},
              .upper = {-3, 0, 0},
              .channels = 32,
              .pixels = 64,
              .swizzle = SWIZZLE_128B},
    [PIXELS_16B] = {.data_type = DTYPE_FLOAT16,
                    .rank = 4,
                    .address = 0x1010,
                    .dim = {25, 20, 10, 6, 4},
                    .strides = {400, 8000, 80000, 480000},
                    .box = {8, 4, 1, 2, 1},
                    .interleave = INTERLEAVE_16B,
                    .swizzle = SWIZZLE_128B},
    [PIXELS_32B] = {.data_type = DTYPE_FLOAT32,
                    .rank = 3,
                    .address = 0x1020,
                    .dim = {25, 20, 10, 6, 4},
                    .strides = {800, 16000, 160000, 960000},
                    .box = {8, 4, 2, 2, 1},
                    .interleave = INTERLEAVE_32B,
                    .swizzle = SWIZZLE_32B},
};

struct encode_call encode_call_base(enum base base)
{
    struct encode_call call = bases[base];
    call.base = base;
    for (int i = 0; i < 5; i++) call.estride[i] = 1;
    return call;
}

#define FIELD(name, member) {name, offsetof(struct encode_call, member), sizeof bases[0].member},
static const struct {
    const char *argument;
    size_t offset, bytes;
} fields[] = {ENCODE_FIELD_ROWS(FIELD)};

bool encode_call_edit(struct encode_call *call, const struct edit *edit)
{
    for (int i = 0; i < ROWS_OF(fields); i++) {
        if (strcmp(fields[i].argument, edit->argument) != 0) continue;
        size_t index = edit->index < 0 ? 0 : (size_t)edit->index;
        memcpy((char *)call + fields[i].offset + index * fields[i].bytes, &edit->value, fields[i].bytes);
        return true;
    }
    return false;
}

void encode_call_edits(struct encode_call *call, const struct edit *edits)
{
    for (; edits->argument != NULL; edits++)
        ck_assert_msg(encode_call_edit(call, edits), "no argument %s", edits->argument);
}

// The pointer to pass for `array`.
static const void *pointer(const struct encode_call *call, int null, const void *array)
{
    return call->nulls & null ? NULL : call->unreadable & null ? (const void *)(uintptr_t)64 : array;
}

enum rule encode_call_run(const struct encode_call *call, struct tensormap_image *image, struct findings *findings)
{
    const uint64_t *dim = pointer(call, NULL_DIM, call->dim), *strides = pointer(call, NULL_STRIDES, call->strides);
    const uint32_t *box = pointer(call, NULL_BOX, call->box), *estride = pointer(call, NULL_ESTRIDES, call->estride);
    const int *lower = pointer(call, NULL_LOWER, call->lower), *upper = pointer(call, NULL_UPPER, call->upper);
    if (call->nulls & NULL_MAP) image = NULL;
    if (call->base == IM2COL)
        return tensormap_encode_im2col(image, call->data_type, call->rank, call->address, dim, strides, lower, upper,
                                       call->channels, call->pixels, estride, call->interleave, call->swizzle,
                                       call->l2_promotion, call->oob_fill, findings);
    if (call->base == WIDE)
        return tensormap_encode_im2col_wide(image, call->data_type, call->rank, call->address, dim, strides,
                                            call->lower[0], call->upper[0], call->channels, call->pixels, estride,
                                            call->interleave, call->mode, call->swizzle, call->l2_promotion,
                                            call->oob_fill, findings);
    return tensormap_encode_tiled(image, call->data_type, call->rank, call->address, dim, strides, box, estride,
                                  call->interleave, call->swizzle, call->l2_promotion, call->oob_fill, findings);
}

int findings_refusals(const struct findings *findings)
{
    int refusals = 0;
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++) refusals += !rule_is_warning(findings->item[i].rule);
    return refusals;
}

const struct finding *findings_of(const struct findings *findings, enum rule rule)
{
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++)
        if (findings->item[i].rule == rule) return &findings->item[i];
    return NULL;
}
