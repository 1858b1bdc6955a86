// SPDX-License-Identifier: MIT
// The suite `tensormap`: here what the rules of the encode calls have to do with each other (which comes first, which
// are reported together, what may be touched), NULL and warnings. Single rules are in encode_test.c, the way back in
// decode_test.c, the replaced address in replace_test.c.
#include <string.h>

#include "encode_call.h"
#include "rule_most.h"
#include "rules/map.h"

#define TWO(n) ((uint64_t)1 << (n))

static enum rule first_rule(const struct encode_call *call)
{
    struct tensormap_image image;
    return encode_call_run(call, &image, NULL);
}

// --- What the driver looks at first: NULL, then the whole arrays, then all but the corners, then the corners ---------

// Breaks one rule each; `bases` is a bit for each base. LATE ones are looked at after the corners were read.
enum { ALL = 31, TILES = 1 << TILED, WINDOWS = 1 << IM2COL };
static const struct {
    int bases;
    struct edit edit[2];
} early[] = {
    {ALL, {{"tensorRank", -1, 0}}},
    {ALL, {{"tensorRank", -1, 6}}},
    {ALL, {{"tensorDataType", -1, 13}}},
    {ALL, {{"tensorDataType", -1, 99}}},
    {ALL, {{"interleave", -1, 3}}},
    {ALL, {{"swizzle", -1, 4}}},
    {ALL, {{"swizzle", -1, 7}}},
    {ALL, {{"l2Promotion", -1, 4}}},
    {ALL, {{"oobFill", -1, 2}}},
    {ALL, {{"globalAddress", -1, 8}}},
    {ALL, {{"globalAddress", -1, TWO(57)}}},
    {ALL, {{"globalDim", 1, 0}}},
    {ALL, {{"globalStrides", 0, 8}}},
    {ALL, {{"globalStrides", 1, TWO(40)}}},
    {ALL, {{"elementStrides", 0, 0}}},
    {ALL, {{"elementStrides", 1, 9}}},
    {TILES, {{"boxDim", 0, 0}}},
    {TILES, {{"boxDim", 1, 257}}},
    {WINDOWS, {{"tensorRank", -1, 2}}},
    {WINDOWS, {{"channelsPerPixel", -1, 0}}},
    {WINDOWS, {{"pixelsPerColumn", -1, 0}}},
    {1 << PIXELS_16B, {{"tensorRank", -1, 2}}},
    {1 << WIDE, {{"mode", -1, 2}}},
};

static const struct edit late[] = {
    {"channelsPerPixel", -1, 257}, {"pixelsPerColumn", -1, 1025}, {"channelsPerPixel", -1, 31},
    {"channelsPerPixel", -1, 40},  {"channelsPerPixel", -1, 256}, {"pixelsPerColumn", -1, UINT32_MAX},
};
enum { LATE = ROWS_OF(late) };

LOOP_TEST(map_rank_huge__comes_before_every_check_of_a_value, 0, ROWS_OF(early))
{
    for (enum base base = 0; base < BASES; base++) {
        if (!(early[_i].bases & 1 << base) || strcmp(early[_i].edit[0].argument, "tensorRank") == 0) continue;
        struct encode_call call = encode_call_base(base);
        encode_call_edits(&call, early[_i].edit);
        ck_assert_int_ne(first_rule(&call), RULE_OK);
        call.rank = UINT32_MAX;
        ck_assert_int_eq(first_rule(&call), RULE_MAP_RANK_HUGE);
        call.nulls = NULL_LOWER | NULL_UPPER;
        ck_assert_int_eq(first_rule(&call), RULE_MAP_RANK_HUGE);
    }
}

LOOP_TEST(map_null_pointer__comes_before_everything, 0, ROWS_OF(early))
{
    for (enum base base = 0; base < BASES; base++) {
        if (!(early[_i].bases & 1 << base)) continue;
        struct encode_call call = encode_call_base(base);
        encode_call_edits(&call, early[_i].edit);
        call.nulls = NULL_ESTRIDES;
        ck_assert_int_eq(first_rule(&call), RULE_MAP_NULL_POINTER);
        call.rank = UINT32_MAX;
        call.nulls = NULL_DIM | NULL_LOWER;
        ck_assert_int_eq(first_rule(&call), RULE_MAP_NULL_POINTER);
    }
}

// boxDim is the one array that the driver looks at after it has walked the others.
TEST(map_rank_huge__comes_before_a_null_box_dim)
{
    struct encode_call call = encode_call_base(TILED);
    call.nulls = NULL_BOX;
    call.rank = 6;
    ck_assert_int_eq(first_rule(&call), RULE_MAP_NULL_POINTER);
    call.rank = UINT32_MAX;
    ck_assert_int_eq(first_rule(&call), RULE_MAP_RANK_HUGE);
    call.nulls = NULL_BOX | NULL_STRIDES;
    ck_assert_int_eq(first_rule(&call), RULE_MAP_NULL_POINTER);
}

LOOP_TEST(map_null_corner__comes_after_what_all_maps_have, 0, ROWS_OF(early))
{
    struct encode_call call = encode_call_base(IM2COL);
    if (!(early[_i].bases & WINDOWS)) return;
    encode_call_edits(&call, early[_i].edit);
    enum rule rule = first_rule(&call);
    ck_assert_int_ne(rule, RULE_OK);
    call.nulls = NULL_LOWER;
    ck_assert_int_eq(first_rule(&call), rule);
    call.nulls = NULL_UPPER;
    ck_assert_int_eq(first_rule(&call), rule);
}

LOOP_TEST(map_null_corner__comes_before_limits_of_pixels_and_bytes, 0, LATE)
{
    struct encode_call call = encode_call_base(IM2COL);
    encode_call_edit(&call, &late[_i]);
    ck_assert_int_ne(first_rule(&call), RULE_OK);
    call.nulls = NULL_UPPER;
    ck_assert_int_eq(first_rule(&call), RULE_MAP_NULL_CORNER);
    call.nulls = 0;
    call.lower[0] = -1000;
    ck_assert_int_eq(rule_cuda_error(first_rule(&call)), 1);
}

// --- NULL, and arrays that may not be read ---------------------------------------------------------------------------

static const struct {
    int null;
    enum rule rule;
    const char *argument;
} pointers[] = {
    {NULL_MAP, RULE_MAP_NULL_POINTER, "tensorMap"},
    {NULL_DIM, RULE_MAP_NULL_POINTER, "globalDim"},
    {NULL_STRIDES, RULE_MAP_NULL_POINTER, "globalStrides"},
    {NULL_BOX, RULE_MAP_NULL_POINTER, "boxDim"},
    {NULL_ESTRIDES, RULE_MAP_NULL_POINTER, "elementStrides"},
    {NULL_LOWER, RULE_MAP_NULL_CORNER, "pixelBoxLowerCorner"},
    {NULL_UPPER, RULE_MAP_NULL_CORNER, "pixelBoxUpperCorner"},
};

// Which of the pointers a call has.
static bool has_pointer(enum base base, int null)
{
    if (null == NULL_BOX) return base != IM2COL && base != WIDE;
    if (null == NULL_LOWER || null == NULL_UPPER) return base == IM2COL;
    return true;
}

LOOP_TEST(map_null_pointer__is_named, 0, ROWS_OF(pointers))
{
    for (enum base base = 0; base < BASES; base++) {
        struct encode_call call = encode_call_base(base);
        struct tensormap_image image;
        struct findings findings = {0};
        call.nulls = pointers[_i].null;
        if (base == TILED) call.rank = 1; // globalStrides all the same
        enum rule rule = encode_call_run(&call, &image, &findings);
        if (!has_pointer(base, call.nulls)) {
            ck_assert_int_eq(rule, RULE_OK);
            continue;
        }
        ck_assert_int_eq(rule, pointers[_i].rule);
        ck_assert_int_eq(findings_refusals(&findings), 1);
        const struct finding *finding = findings_of(&findings, rule);
        ck_assert_str_eq(finding->argument, pointers[_i].argument);
        ck_assert_int_eq(finding->index, -1);
    }
}

LOOP_TEST(map_null_pointer__every_mixture_is_survived, 0, BASES)
{
    struct tensormap_image image;
    struct encode_call call = encode_call_base((enum base)_i);
    for (call.nulls = 1; call.nulls < 128; call.nulls++) {
        struct findings findings = {0};
        int expected = 0;
        for (int i = 0; i < ROWS_OF(pointers); i++)
            expected += (call.nulls & pointers[i].null) && has_pointer(call.base, pointers[i].null);
        enum rule rule = encode_call_run(&call, &image, &findings);
        ck_assert_int_eq(findings_refusals(&findings), expected);
        ck_assert_int_eq(rule == RULE_OK, expected == 0);
        ck_assert_int_eq(encode_call_run(&call, &image, NULL), rule);
    }
}

// Of a rank that is too large the findings alone want the first entries.
LOOP_TEST(map_rank__arrays_of_no_rank_are_not_read, 0, 8)
{
    static const uint32_t ranks[] = {0, 6, 7, 8, 65536, 65537, TWO(31), UINT32_MAX};
    for (enum base base = 0; base < BASES; base++) {
        struct encode_call call = encode_call_base(base);
        struct findings findings = {0};
        struct tensormap_image image;
        call.rank = ranks[_i];
        call.unreadable = -1;
        enum rule expected = ranks[_i] > 65536 ? RULE_MAP_RANK_HUGE : RULE_MAP_RANK;
        ck_assert_int_eq(encode_call_run(&call, &image, NULL), expected);
        if (ranks[_i] > 0) call.unreadable = 0;
        ck_assert_int_eq(encode_call_run(&call, &image, &findings), expected);
        ck_assert_int_eq(findings_refusals(&findings), 1);
    }
}

TEST(map_rank__arrays_are_not_read_past_it)
{
    struct encode_call call = encode_call_base(TILED);
    call.rank = 1;
    call.unreadable = NULL_STRIDES;
    ck_assert_int_eq(first_rule(&call), RULE_OK);
    call = encode_call_base(IM2COL);
    call.rank = 2;
    call.unreadable = NULL_LOWER | NULL_UPPER;
    ck_assert_int_eq(first_rule(&call), RULE_MAP_RANK_IM2COL);
}

// --- Everything broken at once ---------------------------------------------------------------------------------------

static const struct {
    const char *why;
    enum base base;
    int nulls;
    struct edit edit[20];
    enum rule rules[16];
} wrecks[] = {
    {"every value of a tiled map",
     TILED,
     0,
     {{"tensorRank", -1, 5},
      {"tensorDataType", -1, 14},
      {"interleave", -1, 3},
      {"swizzle", -1, 9},
      {"l2Promotion", -1, 7},
      {"oobFill", -1, 5},
      {"globalAddress", -1, TWO(57) + 8},
      {"globalDim", 0, 0},
      {"globalDim", 4, TWO(33)},
      {"globalStrides", 0, 8},
      {"globalStrides", 3, TWO(40)},
      {"elementStrides", 0, 0},
      {"elementStrides", 4, 9},
      {"boxDim", 1, 0},
      {"boxDim", 4, 257}},
     {RULE_MAP_DATA_TYPE_PACKED, RULE_MAP_INTERLEAVE, RULE_MAP_SWIZZLE, RULE_MAP_L2_PROMOTION, RULE_MAP_OOB_FILL,
      RULE_MAP_ADDRESS_ALIGN, RULE_MAP_ADDRESS_LIMIT, RULE_MAP_DIM, RULE_MAP_STRIDE_ALIGN, RULE_MAP_STRIDE_LIMIT,
      RULE_MAP_ELEMENT_STRIDE, RULE_MAP_BOX_DIM}},
    {"values that are wrong together",
     TILED,
     0,
     {{"tensorDataType", -1, 0},
      {"oobFill", -1, 1},
      {"interleave", -1, 2},
      {"globalAddress", -1, 16},
      {"globalStrides", 1, 16},
      {"swizzle", -1, 5},
      {"boxDim", 0, 255},
      {"boxDim", 1, 256},
      {"boxDim", 2, 256}},
     {RULE_MAP_OOB_FILL_INTEGER, RULE_MAP_ADDRESS_ALIGN_32, RULE_MAP_STRIDE_ALIGN_32, RULE_MAP_SWIZZLE_ATOM,
      RULE_MAP_INNER_BYTES, RULE_MAP_BOX_BYTES}},
    {"what is left to say of no rank",
     TILED,
     0,
     {{"tensorRank", -1, 6}, {"tensorDataType", -1, 16}, {"globalAddress", -1, 1}},
     {RULE_MAP_RANK, RULE_MAP_DATA_TYPE, RULE_MAP_ADDRESS_ALIGN}},
    {"no rank of im2col",
     IM2COL,
     0,
     {{"tensorRank", -1, 2}, {"interleave", -1, 1}, {"channelsPerPixel", -1, 0}, {"pixelsPerColumn", -1, 0}},
     {RULE_MAP_RANK_IM2COL, RULE_MAP_RANK_INTERLEAVE, RULE_MAP_CHANNELS, RULE_MAP_PIXELS}},
    {"sizes and corners of im2col",
     IM2COL,
     0,
     {{"channelsPerPixel", -1, 261},
      {"pixelsPerColumn", -1, 1025},
      {"pixelBoxLowerCorner", 0, -(uint64_t)200},
      {"pixelBoxUpperCorner", 1, -(uint64_t)100}},
     {RULE_MAP_CHANNELS, RULE_MAP_PIXELS, RULE_MAP_INNER_BYTES, RULE_MAP_SWIZZLE_SPAN, RULE_MAP_CORNER_RANGE,
      RULE_MAP_CORNER_EMPTY}},
    {"a type and a step that the bytes are counted from",
     TILED,
     0,
     {{"tensorDataType", -1, 14},
      {"oobFill", -1, 0},
      {"swizzle", -1, 0},
      {"elementStrides", 1, 0},
      {"boxDim", 0, 15},
      {"boxDim", 1, 256},
      {"boxDim", 2, 256}},
     {RULE_MAP_DATA_TYPE_PACKED, RULE_MAP_ELEMENT_STRIDE, RULE_MAP_INNER_BYTES, RULE_MAP_BOX_BYTES}},
    {"no pointer at all",
     IM2COL,
     127,
     {{"tensorRank", -1, UINT32_MAX}, {"l2Promotion", -1, 4}, {"pixelsPerColumn", -1, 1025}},
     {RULE_MAP_NULL_POINTER, RULE_MAP_NULL_CORNER, RULE_MAP_RANK_HUGE, RULE_MAP_L2_PROMOTION, RULE_MAP_PIXELS}},
    {"wide",
     WIDE,
     0,
     {{"mode", -1, 9}, {"pixelsPerColumn", -1, 0}, {"pixelBoxLowerCorner", 0, 128}},
     {RULE_MAP_WIDE_MODE, RULE_MAP_PIXELS, RULE_MAP_CORNER_RANGE, RULE_MAP_CORNER_EMPTY}},
};

static void require_rules(const char *why, const struct findings *findings, const enum rule *rules, int count)
{
    for (enum rule rule = RULE_OK + 1; rule < rule_end(); rule++) {
        bool is_expected = false;
        for (int i = 0; i < count; i++) is_expected |= rules[i] == rule;
        if (rule_is_warning(rule)) continue;
        ck_assert_msg((findings_of(findings, rule) != NULL) == is_expected, "%s: %s is %sfound", why,
                      rule_row(rule)->id, is_expected ? "not " : "");
    }
}

LOOP_TEST(encode_reports_every_rule_broken, 0, ROWS_OF(wrecks))
{
    struct encode_call call = encode_call_base(wrecks[_i].base);
    struct tensormap_image image;
    struct findings findings = {0};
    call.nulls = wrecks[_i].nulls;
    encode_call_edits(&call, wrecks[_i].edit);
    enum rule rule = encode_call_run(&call, &image, &findings);
    ck_assert_int_eq(rule, findings_first_broken(&findings));
    ck_assert_int_eq(first_rule(&call), rule);
    require_rules(wrecks[_i].why, &findings, wrecks[_i].rules, 16);
}

// Twice the same call: as many findings, each in its place, whatever the struct held before.
TEST(encode_findings_start_empty)
{
    struct encode_call call = encode_call_base(TILED);
    struct tensormap_image image;
    struct findings once = {0}, again;
    encode_call_edits(&call, wrecks[0].edit);
    memset(&again, 0xff, sizeof again);
    encode_call_run(&call, &image, &once);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(encode_call_run(&call, &image, &again), RULE_MAP_DATA_TYPE_PACKED);
        ck_assert_int_eq(again.count, once.count);
    }
    ck_assert_int_gt(once.count, 12);
    for (int i = 0; i < once.count; i++) ck_assert_int_eq(once.item[i].rule, again.item[i].rule);
}

TEST(encode_findings_past_the_end_are_counted_only)
{
    struct {
        struct findings findings;
        uint64_t guard[64];
    } kept;
    struct encode_call call = encode_call_base(IM2COL);
    struct tensormap_image image;
    memset(kept.guard, 0x5a, sizeof kept.guard);
    call.rank = 5;
    call.data_type = call.interleave = call.swizzle = call.l2_promotion = call.oob_fill = 99;
    call.address = UINT64_MAX;
    call.channels = call.pixels = 0;
    for (int i = 0; i < 5; i++) call.dim[i] = call.estride[i] = 0;
    for (int i = 0; i < 4; i++) call.strides[i] = UINT64_MAX;
    for (int i = 0; i < 3; i++) call.lower[i] = call.upper[i] = INT32_MAX;
    ck_assert_int_eq(encode_call_run(&call, &image, &kept.findings), RULE_MAP_DATA_TYPE);
    ck_assert_int_gt(kept.findings.count, FINDINGS_MAX);
    for (int i = 0; i < 64; i++) ck_assert_uint_eq(kept.guard[i], 0x5a5a5a5a5a5a5a5a);
}

// --- The map, and warnings -------------------------------------------------------------------------------------------

static bool is_warned(const struct findings *findings)
{
    return findings->count > findings_refusals(findings);
}

static int count_vectors(void)
{
    int vectors = 0;
    while (encode_vector(vectors) != NULL) vectors++;
    return vectors;
}

LOOP_TEST(encode_refusal_leaves_the_map_alone, 0, count_vectors())
{
    const struct encode_vector *vector = encode_vector(_i);
    unsigned char bytes[TENSORMAP_BYTES + 1];
    struct findings findings = {0};
    if (vector == NULL || (vector->outcome != REFUSED && vector->outcome != ELSEWHERE)) return;
    const struct encode_call call = encode_vector_call(vector);
    memset(bytes, 0xa5, sizeof bytes);
    encode_call_run(&call, (struct tensormap_image *)(void *)(bytes + (uintptr_t)(bytes) % 2), &findings);
    for (size_t i = 0; i < sizeof bytes; i++) ck_assert_uint_eq(bytes[i], 0xa5);
    ck_assert_msg(call.base == WIDE || !is_warned(&findings), "%s: a warning", vector->why);
}

LOOP_TEST(map_object_align__warns_and_writes, 0, BASES)
{
    _Alignas(64) unsigned char bytes[2 * TENSORMAP_BYTES];
    struct encode_call call = encode_call_base((enum base)_i);
    struct tensormap_image right;
    struct findings none = {0};
    ck_assert_int_eq(encode_call_run(&call, &right, &none), RULE_OK);
    ck_assert_ptr_null(findings_of(&none, RULE_MAP_OBJECT_ALIGN));
    ck_assert(call.base == WIDE || none.count == 0);
    for (uintptr_t off = 0; off < 128; off++) {
        struct findings findings = {0};
        void *at = bytes + off;
        memset(bytes, 0xa5, sizeof bytes);
        ck_assert_int_eq(encode_call_run(&call, at, &findings), RULE_OK);
        ck_assert_mem_eq(at, &right, TENSORMAP_BYTES);
        for (uintptr_t i = 0; i < off; i++) ck_assert_uint_eq(bytes[i], 0xa5);
        for (uintptr_t i = off + TENSORMAP_BYTES; i < sizeof bytes; i++) ck_assert_uint_eq(bytes[i], 0xa5);
        const struct finding *finding = findings_of(&findings, RULE_MAP_OBJECT_ALIGN);
        ck_assert_int_eq(finding != NULL, off % 64 != 0);
        if (finding == NULL) continue;
        ck_assert_str_eq(finding->argument, "tensorMap");
        ck_assert_uint_eq(finding->value, (uintptr_t)at);
        ck_assert_uint_eq(finding->limit, 64);
        ck_assert_uint_eq(finding->nearest, (uintptr_t)bytes + (off + 32) / 64 * 64);
    }
}

LOOP_TEST(map_wide_sm90__warns_and_makes_im2col, 3, 6)
{
    struct encode_call wide = encode_call_base(WIDE), plain = wide;
    struct tensormap_image wide_image, plain_image;
    struct findings findings = {0};
    wide.rank = plain.rank = (uint32_t)_i;
    wide.mode = 1;
    wide.lower[1] = wide.upper[2] = 7; // not passed on
    plain.base = IM2COL;
    ck_assert_int_eq(encode_call_run(&wide, &wide_image, &findings), RULE_OK);
    ck_assert_int_eq(encode_call_run(&plain, &plain_image, NULL), RULE_OK);
    ck_assert_mem_eq(&wide_image, &plain_image, sizeof wide_image);
    const struct finding *finding = findings_of(&findings, RULE_MAP_WIDE_SM90);
    ck_assert_str_eq(finding->argument, "compute capability");
    ck_assert_uint_eq(finding->value, 90);
    ck_assert_uint_eq(finding->nearest, 100);
    ck_assert_int_eq(findings.count, 1);
}
