// SPDX-License-Identifier: MIT
// The rules of the encode calls one by one, on the vectors of encode_vectors.tsv: what is refused and by what, what the
// finding proposes and that it is accepted when put back. The wrong formulas that the vectors must notice are in
// encode_mutant_test.c; what several rules have to do with each other is in tensormap_test.c.
#include <stdlib.h>
#include <string.h>

#include "encode_call.h"
#include "rules/map.h"
#include "vectors.h"

TEST_FILE(.suite = "tensormap");

// Puts all proposals back and calls again: that must be accepted.
static void put_back(struct encode_call call, const char *rule, const char *why)
{
    struct tensormap_image image;
    struct findings findings;
    encode_call_run(&call, &image, &findings);
    for (int i = 0; i < findings.count; i++) {
        const struct finding *f = &findings.item[i];
        const struct edit edit = {f->argument, f->index, f->nearest};
        ck_assert_msg(encode_call_edit(&call, &edit), "%s, %s: no argument %s", rule, why, f->argument);
    }
    ck_assert_msg(encode_call_run(&call, &image, NULL) == RULE_OK, "%s, %s: refused with all proposals", rule, why);
}

static void check_finding(const struct encode_vector *vector, const struct finding *finding)
{
    const char *id = rule_row(vector->about)->id, *why = vector->why;
    const struct edit *edit = &vector->edit[0];
    ck_assert_msg(finding != NULL, "%s, %s: no finding", id, why);
    ck_assert_msg(strcmp(finding->argument, edit->argument) == 0, "%s, %s: argument %s", id, why, finding->argument);
    ck_assert_msg(finding->index == edit->index, "%s, %s: index %d", id, why, finding->index);
    ck_assert_msg(finding->value == edit->value, "%s, %s: value %llx", id, why, (unsigned long long)finding->value);
    ck_assert_msg(finding->limit == vector->limit, "%s, %s: limit %llx", id, why, (unsigned long long)finding->limit);
    ck_assert_msg(finding->nearest == vector->nearest, "%s, %s: nearest %llx", id, why,
                  (unsigned long long)finding->nearest);
    bool is_signed = strncmp(edit->argument, "pixelBox", 8) == 0;
    ck_assert_msg(finding->is_signed == is_signed, "%s, %s: signed %d", id, why, finding->is_signed);
}

static void check_vector(const struct encode_vector *vector)
{
    const char *id = rule_row(vector->about)->id, *why = vector->why;
    const struct encode_call call = encode_vector_call(vector);
    struct tensormap_image image, before;
    struct findings findings = {0};
    memset(&image, 0xa5, sizeof image);
    before = image;
    enum rule rule = encode_call_run(&call, &image, &findings);
    bool refused = vector->outcome == REFUSED || vector->outcome == ELSEWHERE;
    ck_assert_msg((rule != RULE_OK) == refused, "%s, %s: %s", id, why, rule_row(rule)->id);
    ck_assert_msg((rule == vector->about) == (vector->outcome == REFUSED), "%s, %s: %s", id, why, rule_row(rule)->id);
    ck_assert_int_eq(rule, findings_first_broken(&findings));
    ck_assert_int_eq(encode_call_run(&call, &before, NULL), rule);
    ck_assert_msg(memcmp(&image, &before, sizeof image) == 0, "%s, %s: findings change the map", id, why);
    const struct finding *finding = findings_of(&findings, vector->about);
    if (vector->outcome == ACCEPTED || vector->outcome == ELSEWHERE) {
        ck_assert_msg(finding == NULL, "%s, %s: a finding", id, why);
        return;
    }
    check_finding(vector, finding);
    if (vector->outcome == WARNED) return;
    ck_assert_msg(findings_refusals(&findings) == 1, "%s, %s: %d refusals", id, why, findings_refusals(&findings));
    put_back(call, id, why);
}

// All vectors about `rule`; some break it and some do not.
static void check_vectors(enum rule rule)
{
    int broken = 0, kept = 0;
    const struct encode_vector *vector;
    for (int i = 0; (vector = encode_vector(i)) != NULL; i++) {
        if (vector->about != rule) continue;
        check_vector(vector);
        bool is_broken = vector->outcome == REFUSED || vector->outcome == WARNED;
        broken += is_broken, kept += !is_broken;
    }
    vectors_are_of_both_sides(rule, "tests/unit/encode_vectors.tsv", broken, kept);
}

TEST_CALL(map_rank__is_1_to_5, check_vectors(RULE_MAP_RANK))
TEST_CALL(map_rank_huge__is_refused_before_the_rank, check_vectors(RULE_MAP_RANK_HUGE))
TEST_CALL(map_rank_interleave__is_at_least_3, check_vectors(RULE_MAP_RANK_INTERLEAVE))
TEST_CALL(map_rank_im2col__is_at_least_3, check_vectors(RULE_MAP_RANK_IM2COL))
TEST_CALL(map_data_type__is_at_most_12, check_vectors(RULE_MAP_DATA_TYPE))
TEST_CALL(map_data_type_packed__is_13_to_15, check_vectors(RULE_MAP_DATA_TYPE_PACKED))
TEST_CALL(map_interleave__is_at_most_2, check_vectors(RULE_MAP_INTERLEAVE))
TEST_CALL(map_swizzle__is_at_most_3, check_vectors(RULE_MAP_SWIZZLE))
TEST_CALL(map_swizzle_atom__is_4_to_6, check_vectors(RULE_MAP_SWIZZLE_ATOM))
TEST_CALL(map_l2_promotion__is_at_most_3, check_vectors(RULE_MAP_L2_PROMOTION))
TEST_CALL(map_oob_fill__is_at_most_1, check_vectors(RULE_MAP_OOB_FILL))
TEST_CALL(map_oob_fill_integer__refuses_nan, check_vectors(RULE_MAP_OOB_FILL_INTEGER))
TEST_CALL(map_address_align__is_16, check_vectors(RULE_MAP_ADDRESS_ALIGN))
TEST_CALL(map_address_align_32__is_32_with_pixels_of_32, check_vectors(RULE_MAP_ADDRESS_ALIGN_32))
TEST_CALL(map_address_limit__is_below_2_57, check_vectors(RULE_MAP_ADDRESS_LIMIT))
TEST_CALL(map_dim__is_1_to_2_32, check_vectors(RULE_MAP_DIM))
TEST_CALL(map_stride_align__is_16, check_vectors(RULE_MAP_STRIDE_ALIGN))
TEST_CALL(map_stride_align_32__is_32_with_pixels_of_32, check_vectors(RULE_MAP_STRIDE_ALIGN_32))
TEST_CALL(map_stride_limit__is_below_2_40, check_vectors(RULE_MAP_STRIDE_LIMIT))
TEST_CALL(map_element_stride__is_1_to_8, check_vectors(RULE_MAP_ELEMENT_STRIDE))
TEST_CALL(map_box_dim__is_1_to_256, check_vectors(RULE_MAP_BOX_DIM))
TEST_CALL(map_channels__is_1_to_256, check_vectors(RULE_MAP_CHANNELS))
TEST_CALL(map_pixels__is_1_to_1024, check_vectors(RULE_MAP_PIXELS))
TEST_CALL(map_inner_bytes__is_a_multiple_of_16, check_vectors(RULE_MAP_INNER_BYTES))
TEST_CALL(map_swizzle_span__limits_the_inner_box, check_vectors(RULE_MAP_SWIZZLE_SPAN))
TEST_CALL(map_corner_range__is_16_8_or_5_bits, check_vectors(RULE_MAP_CORNER_RANGE))
TEST_CALL(map_corner_empty__is_refused, check_vectors(RULE_MAP_CORNER_EMPTY))
TEST_CALL(map_wide_mode__is_0_or_1, check_vectors(RULE_MAP_WIDE_MODE))
TEST_CALL(map_interleave_32b_swizzle__warns, check_vectors(RULE_MAP_INTERLEAVE_32B_SWIZZLE))
TEST_CALL(map_stride_order__warns, check_vectors(RULE_MAP_STRIDE_ORDER))
TEST_CALL(map_inner_stride__warns, check_vectors(RULE_MAP_INNER_STRIDE))
TEST_CALL(map_wide_swizzle__warns, check_vectors(RULE_MAP_WIDE_SWIZZLE))

// What is named is the side that can stay longest; of huge boxes all that must shrink.
LOOP_TEST(map_box_bytes__is_counted_with_floor_in_64_bits, 0, 10)
{
    static const struct {
        const char *why;
        enum base base;
        struct edit edit[5];
        struct edit proposed; // {NULL}: accepted
    } vectors[] = {
        {"228 KiB", TILED, {{"boxDim", 0, 4}, {"boxDim", 1, 228}, {"boxDim", 2, 64}}, {NULL, 0, 0}},
        {"a row more", TILED, {{"boxDim", 0, 4}, {"boxDim", 1, 229}, {"boxDim", 2, 64}}, {"boxDim", 1, 228}},
        {"229 by steps of 2 are 114",
         TILED,
         {{"boxDim", 0, 8}, {"boxDim", 1, 229}, {"boxDim", 2, 64}, {"elementStrides", 1, 2}},
         {NULL, 0, 0}},
        {"230 by steps of 2 are 115",
         TILED,
         {{"boxDim", 0, 8}, {"boxDim", 1, 230}, {"boxDim", 2, 64}, {"elementStrides", 1, 2}},
         {"boxDim", 1, 229}},
        {"half of each row",
         TILED,
         {{"boxDim", 0, 16}, {"boxDim", 1, 228}, {"boxDim", 2, 32}, {"elementStrides", 0, 2}},
         {NULL, 0, 0}},
        {"a third of it is not enough",
         TILED,
         {{"boxDim", 0, 16}, {"boxDim", 1, 250}, {"boxDim", 2, 250}, {"elementStrides", 1, 3}},
         {"boxDim", 2, 43}},
        {"whole pieces of 16 bytes",
         TILED,
         {{"tensorRank", -1, 2}, {"swizzle", -1, 0}, {"boxDim", 0, 256}, {"boxDim", 1, 229}},
         {"boxDim", 1, 228}},
        {"228 KiB of pixels",
         IM2COL,
         {{"swizzle", -1, 0}, {"channelsPerPixel", -1, 128}, {"pixelsPerColumn", -1, 912}},
         {NULL, 0, 0}},
        {"a pixel more",
         IM2COL,
         {{"swizzle", -1, 0}, {"channelsPerPixel", -1, 128}, {"pixelsPerColumn", -1, 913}},
         {"pixelsPerColumn", -1, 912}},
        {"element strides do not count",
         IM2COL,
         {{"swizzle", -1, 0}, {"channelsPerPixel", -1, 128}, {"pixelsPerColumn", -1, 913}, {"elementStrides", 1, 8}},
         {"pixelsPerColumn", -1, 912}},
    };
    struct encode_call call = encode_call_base(vectors[_i].base);
    struct tensormap_image image;
    struct findings findings;
    const struct edit *proposed = &vectors[_i].proposed;
    encode_call_edits(&call, vectors[_i].edit);
    enum rule rule = encode_call_run(&call, &image, &findings);
    ck_assert_msg(rule == (proposed->argument != NULL ? RULE_MAP_BOX_BYTES : RULE_OK), "%s: %s", vectors[_i].why,
                  rule_row(rule)->id);
    if (proposed->argument == NULL) return;
    const struct finding *finding = findings_of(&findings, RULE_MAP_BOX_BYTES);
    ck_assert_msg(strcmp(finding->argument, proposed->argument) == 0 && finding->index == proposed->index, "%s: %s[%d]",
                  vectors[_i].why, finding->argument, finding->index);
    ck_assert_msg(finding->nearest == proposed->value && finding->limit == proposed->value, "%s: %llu", vectors[_i].why,
                  (unsigned long long)finding->nearest);
    ck_assert_int_eq(findings_refusals(&findings), 1);
    put_back(call, "MAP_BOX_BYTES", vectors[_i].why);
}

// 2^43 bytes: more than 64 bits would hold of a careless product in 32, and no side alone is enough.
TEST(map_box_bytes__names_every_side_that_must_shrink)
{
    struct encode_call call = encode_call_base(TILED);
    struct tensormap_image image;
    struct findings findings;
    call.data_type = DTYPE_FLOAT64;
    call.rank = 5;
    call.swizzle = SWIZZLE_NONE;
    for (int i = 0; i < 5; i++) call.box[i] = 256;
    ck_assert_int_eq(encode_call_run(&call, &image, &findings), RULE_MAP_BOX_BYTES);
    ck_assert_int_eq(findings.count, 4);
    const uint64_t nearest[] = {256, 114, 1, 1, 1};
    for (int i = 0; i < findings.count; i++) {
        ck_assert_str_eq(findings.item[i].argument, "boxDim");
        ck_assert_uint_eq(findings.item[i].nearest, nearest[findings.item[i].index]);
    }
    put_back(call, "MAP_BOX_BYTES", "2^43");
}

// Rows of f16 in spans of 64 bytes: what is proposed for one rule does not break the other.
TEST(map_swizzle_span__limits_every_proposal)
{
    static const uint32_t rows[] = {33, 71, 255, 257, 1000};
    for (size_t i = 0; i < 2 * ROWS_OF(rows); i++) {
        struct encode_call call = encode_call_base(i % 2 == 0 ? TILED : IM2COL);
        struct tensormap_image image;
        struct findings findings = {0};
        call.data_type = DTYPE_FLOAT16;
        call.box[0] = call.channels = rows[i / 2];
        ck_assert_int_ne(encode_call_run(&call, &image, &findings), RULE_OK);
        ck_assert_int_ge(findings.count, 2);
        for (int f = 0; f < findings.count; f++) ck_assert_uint_eq(findings.item[f].nearest, 32);
    }
}
