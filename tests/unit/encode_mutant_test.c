// SPDX-License-Identifier: MIT
// Do the vectors of encode_vectors.tsv notice a wrong encoder? Wrong formulas, rule by rule: checks that accept the
// wrong calls, and proposals that are not the nearest legal value.
#include <stdlib.h>

#include "encode_call.h"
#include "rules/all.h"

TEST_FILE(.suite = "tensormap");

static uint64_t row_bytes(const struct encode_call *c)
{
    bool is_tiled = c->base != IM2COL && c->base != WIDE;
    return (uint64_t)(is_tiled ? c->box[0] : c->channels) * dtype_row((enum dtype)c->data_type)->size_bytes;
}

static int corner_lies_in(const struct encode_call *c, int bits)
{
    int limit = 1 << (bits - 1);
    bool is_in = 1;
    for (int i = 0; i < 3; i++)
        is_in &= c->lower[i] >= -limit && c->lower[i] < limit && c->upper[i] >= -limit && c->upper[i] < limit;
    return is_in;
}

// `first` is the dimension of corner 0; with `wide` sums have 64 bits.
static int corner_leaves_pixels(const struct encode_call *c, int first, bool wide)
{
    int64_t w = (int64_t)c->dim[first] + c->upper[0], h = (int64_t)c->dim[first + 1] + c->upper[1];
    if (!wide) w = (int32_t)w, h = (int32_t)h;
    return w > c->lower[0] && h > c->lower[1];
}

#define MUTANT(name, formula)                                                                                          \
    static int name(const struct encode_call *c)                                                                       \
    {                                                                                                                  \
        return formula;                                                                                                \
    }
MUTANT(rank_up_to_8, c->rank >= 1 && c->rank <= 8)
MUTANT(rank_modulo_8, (c->rank - 1) % 8 < 5)
MUTANT(rank_0_is_1, c->rank <= 5)
MUTANT(rank_at_least_2, c->rank >= 2)
MUTANT(rank_at_least_4, c->rank >= 4)
MUTANT(any, c != NULL)
MUTANT(type_below_12, c->data_type < 12)
MUTANT(interleave_0_1, c->interleave < 2)
MUTANT(fill_any_bit, c->oob_fill != 0)
MUTANT(nan_of_f32_only, c->oob_fill == 0 || c->data_type == DTYPE_FLOAT32)
MUTANT(address_not_null, c->address != 0 && c->address % 16 == 0)
MUTANT(address_multiple_of_8, c->address % 8 == 0)
MUTANT(address_multiple_of_16, c->address % 16 == 0)
MUTANT(address_multiple_of_32, c->address % 32 == 0)
MUTANT(address_at_most_2_57, c->address <= (uint64_t)1 << 57)
MUTANT(address_below_2_56, c->address >> 56 == 0)
MUTANT(dim_below_2_32, c->dim[0] >> 32 == 0 && c->dim[2] >> 32 == 0)
MUTANT(dim_in_32_bits, (uint32_t)c->dim[0] > 0 && (uint32_t)c->dim[1] > 0 && (uint32_t)c->dim[2] > 0)
MUTANT(dim_covers_box, c->dim[0] >= c->box[0] && c->dim[1] >= c->box[1])
MUTANT(dim_past_the_rank, c->dim[3] > 0)
MUTANT(stride_positive, c->strides[0] > 0)
MUTANT(stride_past_the_rank, c->strides[0] % 16 == 0 && c->strides[1] % 16 == 0 && c->strides[2] % 16 == 0)
MUTANT(stride_multiple_of_32, c->strides[0] % 32 == 0)
MUTANT(stride_below_2_39, c->strides[1] >> 39 == 0)
MUTANT(estride_0_ignored, c->estride[1] - 1 < 8 && c->estride[2] - 1 < 8)
MUTANT(estride_below_8, c->estride[2] < 8)
MUTANT(box_below_256, c->box[1] < 256 && c->box[2] < 256)
MUTANT(box_0_is_1, c->box[0] <= 256 && c->box[1] <= 256 && c->box[2] <= 256)
MUTANT(channels_below_256, c->channels < 256)
MUTANT(pixels_below_1024, c->pixels < 1024)
MUTANT(pixels_free_in_w128, c->pixels <= 1024 || c->mode == 1)
MUTANT(row_multiple_of_8, row_bytes(c) % 8 == 0)
MUTANT(row_in_elements, c->box[0] % 16 == 0)
MUTANT(row_free_with_interleave, c->interleave > 0 || row_bytes(c) % 16 == 0)
MUTANT(span_of_128_always, row_bytes(c) <= 128)
MUTANT(span_exclusive, row_bytes(c) < 16u << c->swizzle)
MUTANT(span_of_pixels, c->swizzle == 0 || row_bytes(c) <= 16u << c->swizzle)
MUTANT(corner_16_bits, corner_lies_in(c, 16))
MUTANT(corner_8_bits, corner_lies_in(c, 8))
MUTANT(corner_5_bits, corner_lies_in(c, 5))
MUTANT(corner_of_dim_0, corner_leaves_pixels(c, 0, 0))
MUTANT(corner_of_dim_1, corner_leaves_pixels(c, 1, 0))
MUTANT(corner_empty_is_fine, c->upper[0] + (int)c->dim[1] >= c->lower[0])

static const struct {
    enum rule rule;
    const char *name;
    int (*accepts)(const struct encode_call *call);
} mutants[] = {
#define ROW(rule, name)                                                                                                \
    {                                                                                                                  \
        RULE_##rule, #name, name                                                                                       \
    }
    ROW(MAP_RANK, rank_up_to_8),
    ROW(MAP_RANK, rank_modulo_8),
    ROW(MAP_RANK, rank_0_is_1),
    ROW(MAP_RANK_INTERLEAVE, rank_at_least_2),
    ROW(MAP_RANK_INTERLEAVE, rank_at_least_4),
    ROW(MAP_RANK_IM2COL, rank_at_least_2),
    ROW(MAP_RANK_IM2COL, rank_at_least_4),
    ROW(MAP_DATA_TYPE, type_below_12),
    ROW(MAP_DATA_TYPE, any),
    ROW(MAP_DATA_TYPE_PACKED, any),
    ROW(MAP_INTERLEAVE, interleave_0_1),
    ROW(MAP_INTERLEAVE, any),
    ROW(MAP_SWIZZLE, any),
    ROW(MAP_SWIZZLE_ATOM, any),
    ROW(MAP_L2_PROMOTION, any),
    ROW(MAP_OOB_FILL, fill_any_bit),
    ROW(MAP_OOB_FILL_INTEGER, nan_of_f32_only),
    ROW(MAP_OOB_FILL_INTEGER, any),
    ROW(MAP_ADDRESS_ALIGN, address_not_null),
    ROW(MAP_ADDRESS_ALIGN, address_multiple_of_8),
    ROW(MAP_ADDRESS_ALIGN, address_multiple_of_32),
    ROW(MAP_ADDRESS_ALIGN_32, address_multiple_of_16),
    ROW(MAP_ADDRESS_ALIGN_32, address_multiple_of_32),
    ROW(MAP_ADDRESS_LIMIT, address_at_most_2_57),
    ROW(MAP_ADDRESS_LIMIT, address_below_2_56),
    ROW(MAP_DIM, dim_below_2_32),
    ROW(MAP_DIM, dim_in_32_bits),
    ROW(MAP_DIM, dim_covers_box),
    ROW(MAP_DIM, dim_past_the_rank),
    ROW(MAP_STRIDE_ALIGN, stride_positive),
    ROW(MAP_STRIDE_ALIGN, stride_past_the_rank),
    ROW(MAP_STRIDE_ALIGN_32, stride_multiple_of_32),
    ROW(MAP_STRIDE_LIMIT, stride_below_2_39),
    ROW(MAP_ELEMENT_STRIDE, estride_0_ignored),
    ROW(MAP_ELEMENT_STRIDE, estride_below_8),
    ROW(MAP_BOX_DIM, box_below_256),
    ROW(MAP_BOX_DIM, box_0_is_1),
    ROW(MAP_CHANNELS, channels_below_256),
    ROW(MAP_PIXELS, pixels_below_1024),
    ROW(MAP_PIXELS, pixels_free_in_w128),
    ROW(MAP_INNER_BYTES, row_multiple_of_8),
    ROW(MAP_INNER_BYTES, row_in_elements),
    ROW(MAP_INNER_BYTES, row_free_with_interleave),
    ROW(MAP_SWIZZLE_SPAN, span_of_128_always),
    ROW(MAP_SWIZZLE_SPAN, span_exclusive),
    ROW(MAP_SWIZZLE_SPAN, span_of_pixels),
    ROW(MAP_CORNER_RANGE, corner_16_bits),
    ROW(MAP_CORNER_RANGE, corner_8_bits),
    ROW(MAP_CORNER_RANGE, corner_5_bits),
    ROW(MAP_CORNER_EMPTY, corner_of_dim_0),
    ROW(MAP_CORNER_EMPTY, corner_of_dim_1),
    ROW(MAP_CORNER_EMPTY, corner_empty_is_fine),
    ROW(MAP_WIDE_MODE, any)
#undef ROW
};

LOOP_TEST(encode_vectors_notice_each_wrong_check, 0, ROWS_OF(mutants))
{
    const struct encode_vector *vector;
    for (int i = 0; (vector = encode_vector(i)) != NULL; i++) {
        if (vector->about != mutants[_i].rule || vector->outcome == ELSEWHERE) continue;
        const struct encode_call call = encode_vector_call(vector);
        if (!mutants[_i].accepts(&call) == (vector->outcome == ACCEPTED)) return;
    }
    ck_abort_msg("%s passes for %s", mutants[_i].name, rule_row(mutants[_i].rule)->id);
}

// Proposals that are wrong for the rules that ask for a multiple, or for a limit that is not legal itself.
LOOP_TEST(encode_vectors_notice_each_wrong_proposal, 0, 5)
{
    static const enum rule multiples[] = {RULE_MAP_ADDRESS_ALIGN, RULE_MAP_ADDRESS_ALIGN_32, RULE_MAP_STRIDE_ALIGN,
                                          RULE_MAP_STRIDE_ALIGN_32, RULE_MAP_INNER_BYTES};
    bool is_not_rounded_down = false, is_not_rounded_up = false, is_not_limit = false;
    const struct encode_vector *vector;
    for (int i = 0; (vector = encode_vector(i)) != NULL; i++) {
        uint64_t value = vector->edit[0].value, down = vector->limit == 0 ? 0 : value / vector->limit * vector->limit;
        if (vector->about != multiples[_i] || vector->outcome != REFUSED) continue;
        is_not_rounded_down |= vector->nearest != down;
        is_not_limit |= vector->nearest != vector->limit;
        is_not_rounded_up |= vector->nearest == down;
    }
    ck_assert_msg(is_not_rounded_down && is_not_rounded_up && is_not_limit, "%s", rule_row(multiples[_i])->id);
}
