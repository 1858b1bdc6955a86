// SPDX-License-Identifier: MIT
// The suite `map_edit`: tensormap.replace bit for bit, where a map may lie, and what of its bits a load looks at.
#include <string.h>

#include "copy.h"
#include "location.h"
#include "replace.h"
#include "rules/load.h"
#include "rules/map.h"
#include "rules/replace.h"
enum { WORDS = TENSORMAP_BYTES / 8, GMEM_BYTES = 8192, SMEM_BYTES = 4096, SMEM_BASE = 0x800 };
#define GMEM_BASE ((uint64_t)1 << 40)
#define KEPT      (~(uint64_t)0)

// --- tensormap.replace: the bits -------------------------------------------------------------------------------------

// An edit writes `bits` under `mask` into one or two words (`word` -1: no second), and changes nothing else.
static const struct vector {
    const char *why;
    enum replace_field field;
    uint32_t ordinal;
    uint64_t value;
    struct {
        int word;
        uint64_t mask, bits;
    } change[2];
    uint64_t becomes;
    enum rule rule;
    uint64_t limit, nearest;
} vectors[] = {
// clang-format off
#define NONE {-1, 0, 0}
#define F(name) REPLACE_##name
    {"all 64 bits of an address", F(GLOBAL_ADDRESS), 0, 0xfedcba9876543210, {{0, KEPT, 0xfedcba9876543210}, NONE},
     0xfedcba9876543210, RULE_REPLACE_VALUE, ((uint64_t)1 << 57) - 16, ((uint64_t)1 << 57) - 16},
    {"an address", F(GLOBAL_ADDRESS), 0, 0x7f0000001230, {{0, KEPT, 0x7f0000001230}, NONE}, 0x7f0000001230, RULE_OK, 0, 0},
    {"an odd address", F(GLOBAL_ADDRESS), 0, 0x1238, {{0, KEPT, 0x1238}, NONE}, 0x1238, RULE_REPLACE_VALUE, 16, 0x1230},
    {"rank 3, given as 2", F(RANK), 0, 2, {{1, 0x70, 0x20}, NONE}, 2, RULE_OK, 0, 0},
    {"the low three bits of a rank", F(RANK), 0, 13, {{1, 0x70, 0x50}, NONE}, 5, RULE_REPLACE_VALUE, 4, 4},
    {"box 32", F(BOX_DIM), 0, 32, {{6, 0xff00000000000000, 0x1f00000000000000}, NONE}, 32, RULE_OK, 0, 0},
    {"box 256 of dimension 4", F(BOX_DIM), 4, 256, {{7, 0xff000000, 0xff000000}, NONE}, 256, RULE_OK, 0, 0},
    {"box 0 is 256", F(BOX_DIM), 1, 0, {{7, 0xff, 0xff}, NONE}, 256, RULE_REPLACE_VALUE, 1, 1},
    {"box 257 is 1", F(BOX_DIM), 2, 257, {{7, 0xff00, 0}, NONE}, 1, RULE_REPLACE_VALUE, 256, 256},
    {"dimension 100", F(GLOBAL_DIM), 0, 100, {{4, 0xffffffff, 99}, NONE}, 100, RULE_OK, 0, 0},
    {"dimension 3 in the high half", F(GLOBAL_DIM), 3, 100, {{5, 0xffffffff00000000, (uint64_t)99 << 32}, NONE}, 100,
     RULE_OK, 0, 0},
    {"dimension 4", F(GLOBAL_DIM), 4, UINT32_MAX, {{6, 0xffffffff, 0xfffffffe}, NONE}, UINT32_MAX, RULE_OK, 0, 0},
    {"dimension 0 is 2^32", F(GLOBAL_DIM), 1, 0, {{4, 0xffffffff00000000, 0xffffffff00000000}, NONE},
     (uint64_t)1 << 32, RULE_REPLACE_VALUE, 1, 1},
    {"a stride in bytes", F(GLOBAL_STRIDE), 0, 0xa123456780, {{1, 0xffffffff00000000, 0x1234567800000000},
     {3, 0xf00000000, 0xa00000000}}, 0xa123456780, RULE_OK, 0, 0},
    {"stride 3", F(GLOBAL_STRIDE), 3, 0xa123456780, {{3, 0xf000ffffffff, 0xa00012345678}, NONE}, 0xa123456780, RULE_OK, 0, 0},
    {"a stride of 33 is 32", F(GLOBAL_STRIDE), 1, 33, {{2, 0xffffffff, 2}, {3, 0xf000000000, 0}}, 32,
     RULE_REPLACE_VALUE, 16, 32},
    {"stride 2^40 is 0", F(GLOBAL_STRIDE), 2, (uint64_t)1 << 40, {{2, 0xffffffff00000000, 0}, {3, 0xf0000000000, 0}}, 0,
     RULE_REPLACE_VALUE, ((uint64_t)1 << 40) - 16, ((uint64_t)1 << 40) - 16},
    {"stride 4 lands on the high bits", F(GLOBAL_STRIDE), 4, 0xa123456780,
     {{3, 0xffffffff00000000, 0x123a567800000000}, NONE}, 0xa123456780, RULE_REPLACE_STRIDE_ORDINAL, 3, 3},
    {"element stride 8", F(ELEMENT_STRIDE), 0, 8, {{6, (uint64_t)7 << 32, (uint64_t)7 << 32}, NONE}, 8, RULE_OK, 0, 0},
    {"element stride 2 of dimension 4", F(ELEMENT_STRIDE), 4, 2, {{6, (uint64_t)7 << 44, (uint64_t)1 << 44}, NONE}, 2,
     RULE_OK, 0, 0},
    {"element stride 0 is 8", F(ELEMENT_STRIDE), 1, 0, {{6, (uint64_t)7 << 35, (uint64_t)7 << 35}, NONE}, 8,
     RULE_REPLACE_VALUE, 1, 1},
    {"element stride 9 is 1", F(ELEMENT_STRIDE), 2, 9, {{6, (uint64_t)7 << 38, 0}, NONE}, 1, RULE_REPLACE_VALUE, 8, 8},
    {"f64 is 9", F(ELEMTYPE), 0, 9, {{1, 0x780, 0x480}, NONE}, 9, RULE_OK, 0, 0},
    {"bf16 is 10", F(ELEMTYPE), 0, 10, {{1, 0x780, 0x500}, NONE}, 10, RULE_OK, 0, 0},
    {"tf32 is f32 and a bit", F(ELEMTYPE), 0, 11, {{1, 0x10780, 0x10380}, NONE}, 11, RULE_OK, 0, 0},
    {"tf32.ftz is f32.ftz and a bit", F(ELEMTYPE), 0, 12, {{1, 0x10780, 0x10400}, NONE}, 12, RULE_OK, 0, 0},
    {"interleave 32B", F(INTERLEAVE_LAYOUT), 0, 2, {{1, 0x1800, 0x1000}, NONE}, 2, RULE_OK, 0, 0},
    {"a swizzle, and bit 86", F(SWIZZLE_MODE), 0, 3, {{1, 0x406000, 0x6000}, NONE}, 3, RULE_OK, 0, 0},
    {"the NaN fill", F(FILL_MODE), 0, 1, {{1, 0x8000, 0x8000}, NONE}, 1, RULE_OK, 0, 0},
#undef NONE
#undef F
    // clang-format on
};

static struct replace_op op_of(const struct vector *vector)
{
    return (struct replace_op){vector->field, vector->ordinal, vector->value};
}

// What `image` should hold after the edit.
static struct tensormap_image expected_of(const struct vector *vector, const struct tensormap_image *before)
{
    struct tensormap_image image = *before;
    for (int i = 0; i < 2; i++)
        if (vector->change[i].word >= 0)
            image.word[vector->change[i].word] =
                (image.word[vector->change[i].word] & ~vector->change[i].mask) | vector->change[i].bits;
    return image;
}

static const uint64_t befores[] = {0, KEPT, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa};

static struct tensormap_image all_words(uint64_t word)
{
    struct tensormap_image image;
    for (int i = 0; i < WORDS; i++) image.word[i] = word;
    return image;
}

static void check_vectors(int (*is_about)(const struct vector *vector))
{
    int checked = 0;
    for (int i = 0; i < ROWS_OF(vectors); i++) {
        const struct vector *vector = &vectors[i];
        struct replace_op op = op_of(vector);
        if (!is_about(vector)) continue;
        checked++;
        ck_assert(replace_is_legal(&op));
        ck_assert_msg(replace_becomes(&op) == vector->becomes, "%s", vector->why);
        for (int k = 0; k < ROWS_OF(befores); k++) {
            struct tensormap_image image = all_words(befores[k]), want = expected_of(vector, &image);
            tensormap_replace(&image, &op, NULL);
            ck_assert_msg(memcmp(&image, &want, sizeof image) == 0, "%s", vector->why);
        }
    }
    ck_assert_int_gt(checked, 0);
}

static int is_plain(const struct vector *vector)
{
    return vector->rule == RULE_OK;
}

TEST(replace_field__writes_its_bits_and_no_others)
{
    check_vectors(is_plain);
}

static int is_of_value(const struct vector *vector)
{
    return vector->rule == RULE_REPLACE_VALUE;
}

TEST(replace_value__is_cut_and_named)
{
    check_vectors(is_of_value);
    for (int i = 0; i < ROWS_OF(vectors); i++) {
        struct findings findings = {0};
        struct tensormap_image image = {{0}};
        struct replace_op op = op_of(&vectors[i]);
        ck_assert_int_eq(tensormap_replace(&image, &op, &findings), vectors[i].rule);
        ck_assert_int_eq(findings.count, vectors[i].rule != RULE_OK);
        if (findings.count == 0) continue;
        const struct finding *finding = &findings.item[0];
        ck_assert_uint_eq(finding->limit, vectors[i].limit);
        ck_assert_uint_eq(finding->nearest, vectors[i].nearest);
        if (vectors[i].rule != RULE_REPLACE_VALUE) continue;
        ck_assert_uint_eq(finding->value, vectors[i].value);
        op.value = finding->nearest;
        ck_assert_int_eq(tensormap_replace(&image, &op, NULL), RULE_OK);
        ck_assert_uint_eq(replace_becomes(&op), op.value);
    }
}

// Formulas that a careless reader of the layout would write, for the bits that a value leaves in its field.
static uint64_t count_as_it_is(const struct replace_op *op)
{
    return op->value;
}
static uint64_t saturated_at_256(const struct replace_op *op)
{
    return op->value == 0 ? 0 : op->value > 256 ? 255 : op->value - 1;
}
static uint64_t stride_in_bytes(const struct replace_op *op)
{
    return op->value & UINT32_MAX;
}
static uint64_t driver_enum(const struct replace_op *op)
{
    static const uint64_t formats[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8};
    return op->value <= 10 ? formats[op->value] : 7;
}

static const struct {
    enum replace_field field;
    int shift; // of ordinal 0, in the first word of the change
    uint64_t (*stored)(const struct replace_op *op);
} mutants[] = {
    {REPLACE_BOX_DIM, 56, count_as_it_is},   {REPLACE_BOX_DIM, 0, saturated_at_256},
    {REPLACE_GLOBAL_DIM, 0, count_as_it_is}, {REPLACE_GLOBAL_STRIDE, 32, stride_in_bytes},
    {REPLACE_ELEMTYPE, 7, driver_enum},      {REPLACE_ELEMENT_STRIDE, 32, count_as_it_is},
};

TEST(vectors_tell_wrong_formulas)
{
    for (int m = 0; m < ROWS_OF(mutants); m++) {
        int caught = 0;
        for (int i = 0; i < ROWS_OF(vectors); i++) {
            struct replace_op op = op_of(&vectors[i]);
            uint64_t bits = vectors[i].change[0].bits, mask = vectors[i].change[0].mask;
            if (vectors[i].field == mutants[m].field)
                caught += (mutants[m].stored(&op) << mutants[m].shift & mask) != bits;
        }
        ck_assert_msg(caught > 0, "mutant %d", m);
    }
}

static int is_of_stride_ordinal(const struct vector *vector)
{
    return vector->rule == RULE_REPLACE_STRIDE_ORDINAL;
}

TEST(replace_stride_ordinal__four_destroys_high_bits)
{
    struct tensormap_image image = {{0}};
    struct tensormap map;
    for (uint32_t i = 0; i < 4; i++)
        tensormap_replace(&image, &(struct replace_op){REPLACE_GLOBAL_STRIDE, i, 0x1000000010}, NULL);
    tensormap_replace(&image, &(struct replace_op){REPLACE_RANK, 0, 4}, NULL);
    tensormap_replace(&image, &(struct replace_op){REPLACE_GLOBAL_STRIDE, 4, 0x20}, NULL);
    tensormap_decode(&image, &map, NULL);
    ck_assert_uint_eq(map.stride[1], 0x2000000010);
    for (int i = 2; i < 5; i++) ck_assert_uint_eq(map.stride[i], 0x10);
    check_vectors(is_of_stride_ordinal);
}

TEST(replace_tf32__is_a_bit_that_stays)
{
    for (uint32_t first = 0; first < REPLACE_ELEMTYPES; first++)
        for (uint32_t then = 0; then < REPLACE_ELEMTYPES; then++) {
            struct tensormap_image image = {{0}};
            struct tensormap map;
            int is_stuck = first >= 11 && then < 11;
            tensormap_replace(&image, &(struct replace_op){REPLACE_ELEMTYPE, 0, first}, NULL);
            enum rule rule = tensormap_replace(&image, &(struct replace_op){REPLACE_ELEMTYPE, 0, then}, NULL);
            ck_assert_int_eq(rule, is_stuck ? RULE_REPLACE_TF32 : RULE_OK);
            tensormap_decode(&image, &map, NULL);
            if (!is_stuck)
                ck_assert_uint_eq(replace_elemtype(map.dtype), then);
            else if (then == 7 || then == 8)
                ck_assert_uint_eq(replace_elemtype(map.dtype), then + 4);
            else
                ck_assert_int_eq(map.dtype, DTYPE_COUNT);
        }
}

TEST(replace_keeps__mode_promotion_and_what_repeats)
{
    struct tensormap_image zeros = all_words(0), ones = all_words(KEPT);
    for (uint32_t field = 0; field < REPLACE_FIELDS; field++)
        for (uint32_t ordinal = 0; ordinal < REPLACE_ORDINALS; ordinal++)
            for (uint64_t value = 0; value < 14; value++) {
                struct replace_op op = {field, ordinal, value};
                if (!replace_is_legal(&op)) continue;
                tensormap_replace(&zeros, &op, NULL);
                tensormap_replace(&ones, &op, NULL);
            }
    const uint64_t header = 0x1 | 0xe | 0xffbe0000; // mode, reserved bits but 86, L2 promotion
    ck_assert_uint_eq(zeros.word[1] & header, 0);
    ck_assert_uint_eq(ones.word[1] & header, header);
    for (int i = 8; i < WORDS; i++) {
        ck_assert_uint_eq(zeros.word[i], 0);
        ck_assert_uint_eq(ones.word[i], KEPT);
    }
    ck_assert_uint_eq(ones.word[7] >> 32, UINT32_MAX);
}

TEST(an_assembler_refuses_some)
{
    static const struct replace_op refused[] = {
        {REPLACE_FIELDS, 0, 0},
        {REPLACE_RANK, 1, 2},
        {REPLACE_BOX_DIM, 5, 1},
        {REPLACE_ELEMTYPE, 0, 13},
        {REPLACE_FILL_MODE, 0, 2},
        {REPLACE_SWIZZLE_MODE, 0, 4},
        {REPLACE_INTERLEAVE_LAYOUT, 0, 3},
        {REPLACE_GLOBAL_DIM, 0, (uint64_t)1 << 32},
    };
    for (int i = 0; i < ROWS_OF(refused); i++) ck_assert(!replace_is_legal(&refused[i]));
    for (int i = 0; i < REPLACE_FIELDS; i++)
        ck_assert_int_eq(replace_field_find(replace_field_name((enum replace_field)i)), i);
    ck_assert_int_eq(replace_field_find("swizzle_atomicity"), REPLACE_FIELDS);
}

// --- Loads through what comes out ------------------------------------------------------------------------------------

static uint8_t gmem[GMEM_BYTES], smem[SMEM_BYTES];

static enum rule load(const struct tensormap_image *image, int dims, uint8_t *to, uint32_t *bytes)
{
    static const int32_t coord[TENSORMAP_MAX_RANK] = {0};
    const struct memory global_memory = {gmem, GMEM_BASE, sizeof gmem}, shared_memory = {smem, SMEM_BASE, sizeof smem};
    struct tensormap map;
    for (uint32_t i = 0; i < sizeof gmem; i++) gmem[i] = (uint8_t)(i * 37 + (i >> 8));
    memset(smem, 0xa5, sizeof smem);
    tensormap_decode(image, &map, NULL);
    enum rule rule = tile_load(&map, dims, coord, &global_memory, &shared_memory, SMEM_BASE, bytes, NULL);
    if (to != NULL) memcpy(to, smem, sizeof smem);
    return rule;
}

// 2 dimensions of 64 x 32 floats, a box of 16 x 4.
static struct tensormap_image encoded(enum dtype dtype, enum tensormap_swizzle swizzle, uint32_t fill)
{
    static const uint64_t dim[] = {64, 32}, stride[] = {256};
    static const uint32_t box[] = {16, 4}, estride[] = {1, 2};
    struct tensormap_image image;
    ck_assert_int_eq(
        tensormap_encode_tiled(&image, dtype, 2, GMEM_BASE, dim, stride, box, estride, 0, swizzle, 0, fill, NULL),
        RULE_OK);
    return image;
}

TEST(replace_zeroed__loads_like_the_drivers_map)
{
    static const struct replace_op edits[] = {
        {REPLACE_GLOBAL_ADDRESS, 0, GMEM_BASE},
        {REPLACE_RANK, 0, 1},
        {REPLACE_GLOBAL_DIM, 0, 64},
        {REPLACE_GLOBAL_DIM, 1, 32},
        {REPLACE_GLOBAL_STRIDE, 0, 256},
        {REPLACE_BOX_DIM, 0, 16},
        {REPLACE_BOX_DIM, 1, 4},
        {REPLACE_ELEMENT_STRIDE, 1, 2},
        {REPLACE_ELEMTYPE, 0, 7},
        {REPLACE_SWIZZLE_MODE, 0, 2},
        {REPLACE_FILL_MODE, 0, 1},
    };
    struct tensormap_image image = {{0}}, host = encoded(DTYPE_FLOAT32, SWIZZLE_64B, 1);
    uint8_t ours[SMEM_BYTES], theirs[SMEM_BYTES];
    uint32_t bytes = 0, host_bytes = 0;
    for (int i = 0; i < ROWS_OF(edits); i++) ck_assert_int_eq(tensormap_replace(&image, &edits[i], NULL), RULE_OK);
    for (int i = 0; i < WORDS; i++) ck_assert(image.word[i] == (i == 8 || i == 9 ? 0 : host.word[i]));
    ck_assert_int_eq(load(&image, 2, ours, &bytes), RULE_OK);
    ck_assert_int_eq(load(&host, 2, theirs, &host_bytes), RULE_OK);
    ck_assert_mem_eq(ours, theirs, sizeof ours);
    ck_assert_uint_eq(bytes, host_bytes);
}

TEST(load_map_ignored__reserved_bits)
{
    static const struct {
        int first, last;
    } ignored[] = {{57, 63},   {65, 67},   {81, 95},   {128, 191}, {192, 223}, {228, 255},
                   {320, 415}, {422, 439}, {456, 511}, {512, 1023}}; // reserved, or of dimensions past the rank
    struct tensormap_image image = encoded(DTYPE_FLOAT32, SWIZZLE_64B, 0);
    uint8_t want[SMEM_BYTES], got[SMEM_BYTES];
    uint32_t bytes = 0;
    ck_assert_int_eq(load(&image, 2, want, &bytes), RULE_OK);
    for (int i = 0; i < ROWS_OF(ignored); i++)
        for (int bit = ignored[i].first; bit <= ignored[i].last; bit++) {
            struct tensormap_image flipped = image;
            flipped.word[bit / 64] ^= (uint64_t)1 << bit % 64;
            ck_assert_msg(load(&flipped, 2, got, &bytes) == RULE_OK, "bit %d", bit);
            ck_assert_mem_eq(got, want, sizeof got);
        }
}

static enum rule after(const struct tensormap_image *before, enum replace_field field, uint32_t ordinal, uint64_t value)
{
    struct tensormap_image image = *before;
    struct tensormap map;
    tensormap_replace(&image, &(struct replace_op){field, ordinal, value}, NULL);
    tensormap_decode(&image, &map, NULL);
    uint32_t bytes;
    enum rule rule = tile_map_check(&map, NULL);
    if (rule != RULE_OK) ck_assert_int_eq(load(&image, map.rank, NULL, &bytes), rule);
    return rule;
}

TEST(load_map_format__is_about_what_a_load_reads)
{
    struct tensormap_image image = encoded(DTYPE_FLOAT32, SWIZZLE_64B, 1);
    ck_assert_int_eq(after(&image, REPLACE_BOX_DIM, 0, 16), RULE_OK);
    ck_assert_int_eq(after(&image, REPLACE_BOX_DIM, 0, 20), RULE_LOAD_MAP_FORMAT); // past the span
    ck_assert_int_eq(after(&image, REPLACE_BOX_DIM, 0, 15), RULE_LOAD_MAP_FORMAT); // no whole 16 bytes
    ck_assert_int_eq(after(&image, REPLACE_SWIZZLE_MODE, 0, 1), RULE_LOAD_MAP_FORMAT);
    ck_assert_int_eq(after(&image, REPLACE_SWIZZLE_MODE, 0, 0), RULE_OK);
    ck_assert_int_eq(after(&image, REPLACE_ELEMTYPE, 0, 2), RULE_LOAD_MAP_FORMAT); // the NaN fill of integers
    ck_assert_int_eq(after(&image, REPLACE_ELEMTYPE, 0, 9), RULE_LOAD_MAP_FORMAT); // twice the bytes
    ck_assert_int_eq(after(&image, REPLACE_ELEMTYPE, 0, 10), RULE_OK);
    ck_assert_int_eq(after(&image, REPLACE_RANK, 0, 5), RULE_LOAD_MAP_FORMAT);
    ck_assert_int_eq(after(&image, REPLACE_INTERLEAVE_LAYOUT, 0, 1), RULE_LOAD_MAP_FORMAT); // in rank 2
    ck_assert_int_eq(after(&image, REPLACE_GLOBAL_DIM, 1, 0), RULE_LOAD_DIM_LIMIT);
    tensormap_replace(&image, &(struct replace_op){REPLACE_RANK, 0, 2}, NULL);
    tensormap_replace(&image, &(struct replace_op){REPLACE_INTERLEAVE_LAYOUT, 0, 1}, NULL);
    ck_assert_int_eq(after(&image, REPLACE_BOX_DIM, 0, 15), RULE_OK); // pixels are 16 bytes whatever the type
    ck_assert_int_eq(after(&image, REPLACE_GLOBAL_STRIDE, 1, 272), RULE_OK);
    tensormap_replace(&image, &(struct replace_op){REPLACE_INTERLEAVE_LAYOUT, 0, 2}, NULL);
    ck_assert_int_eq(after(&image, REPLACE_GLOBAL_STRIDE, 1, 272), RULE_LOAD_MAP_FORMAT);
    ck_assert_int_eq(after(&image, REPLACE_GLOBAL_STRIDE, 1, 288), RULE_OK);
    ck_assert_int_eq(after(&image, REPLACE_GLOBAL_STRIDE, 2, 272), RULE_OK); // past the rank
}

TEST(load_map_address__is_aligned)
{
    struct tensormap_image image = encoded(DTYPE_FLOAT32, SWIZZLE_NONE, 0);
    ck_assert_int_eq(after(&image, REPLACE_GLOBAL_ADDRESS, 0, GMEM_BASE + 16), RULE_OK);
    ck_assert_int_eq(after(&image, REPLACE_GLOBAL_ADDRESS, 0, GMEM_BASE + 8), RULE_LOAD_MAP_ADDRESS);
    ck_assert_int_eq(after(&image, REPLACE_GLOBAL_ADDRESS, 0, 1), RULE_LOAD_MAP_ADDRESS); // 716 before 700
    tensormap_replace(&image, &(struct replace_op){REPLACE_RANK, 0, 2}, NULL);
    tensormap_replace(&image, &(struct replace_op){REPLACE_INTERLEAVE_LAYOUT, 0, 2}, NULL);
    ck_assert_int_eq(after(&image, REPLACE_GLOBAL_ADDRESS, 0, GMEM_BASE + 16), RULE_LOAD_MAP_ADDRESS);
    ck_assert_int_eq(after(&image, REPLACE_GLOBAL_ADDRESS, 0, GMEM_BASE + 32), RULE_OK);
    tensormap_replace(&image, &(struct replace_op){REPLACE_GLOBAL_DIM, 0, 0}, NULL);
    ck_assert_int_eq(after(&image, REPLACE_GLOBAL_ADDRESS, 0, 1), RULE_LOAD_DIM_LIMIT); // 715 before 716
}

// --- Where a map lies ------------------------------------------------------------------------------------------------

TEST(map_location_ways__are_three)
{
    static const enum map_location fine[] = {MAP_IN_GLOBAL, MAP_IN_PARAM, MAP_IN_CONSTANT};
    for (int i = 0; i < 3; i++) ck_assert_int_eq(map_location_check(fine[i], 0x7f0000000040, NULL, NULL), RULE_OK);
}

TEST(map_location_align__is_64)
{
    for (uint64_t address = 0; address < 256; address++)
        ck_assert_int_eq(map_location_check(MAP_IN_GLOBAL, address, NULL, NULL),
                         address % 64 == 0 ? RULE_OK : RULE_MAP_LOCATION_ALIGN);
    const struct global_memory nothing = {NULL, 0};
    struct findings findings = {0};
    ck_assert_int_eq(map_location_check(MAP_IN_GLOBAL, 96, &nothing, &findings), RULE_MAP_LOCATION_ALIGN);
    ck_assert_int_eq(findings.count, 2);
    ck_assert_uint_eq(findings.item[0].nearest, 64);
}

TEST(map_location_space__is_not_shared_or_local)
{
    ck_assert_int_eq(map_location_check(MAP_IN_SHARED, 0x400, NULL, NULL), RULE_MAP_LOCATION_SPACE);
    ck_assert_int_eq(map_location_check(MAP_IN_LOCAL, 0x400, NULL, NULL), RULE_MAP_LOCATION_SPACE);
}

TEST(map_location_unmapped__faults)
{
    static uint8_t bytes[256];
    const struct region regions[] = {{.memory = {bytes, 0x400, sizeof bytes}}};
    const struct global_memory global = {regions, 1};
    for (uint64_t address = 0; address < 0x800; address += 64) // all 128 bytes are looked for
        ck_assert_int_eq(map_location_check(MAP_IN_GLOBAL, address, &global, NULL),
                         address >= 0x400 && address <= 0x480 ? RULE_OK : RULE_MAP_LOCATION_UNMAPPED);
    ck_assert_int_eq(map_location_check(MAP_IN_PARAM, 0x40, &global, NULL), RULE_OK);
    ck_assert_int_eq(rule_cuda_error(RULE_MAP_LOCATION_UNMAPPED), 700);
}
