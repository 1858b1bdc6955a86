// SPDX-License-Identifier: MIT
// The 128 bytes: their layout, and the way back to fields. Words are spelt out from the measured layout, not made by
// the code under test. decode_odd_test.c has what is said of bytes that no encoder makes.
#include "decode_test.h"

#include <string.h>

#include "slow_vectors.h"

TEST_FILE(.suite = "tensormap");

static const uint64_t SEED = 0xdec0de;

struct tensormap_image encoded(const struct encode_call *call)
{
    struct tensormap_image image;
    ck_assert_int_eq(encode_call_run(call, &image, NULL), RULE_OK);
    return image;
}

struct tensormap decoded(const struct tensormap_image *image, struct findings *findings)
{
    struct tensormap map;
    memset(&map, 0, sizeof map);
    enum rule rule = tensormap_decode(image, &map, findings);
    ck_assert_int_eq(rule, findings->count == 0 ? RULE_OK : findings->item[0].rule);
    return map;
}

// --- Layout ----------------------------------------------------------------------------------------------------------

// clang-format off
static const struct {
    const char *why;
    enum base base;
    struct edit edit[5];
    uint64_t word[16];
} layouts[] = {
    {"tiled, rank 3", TILED, {{NULL, 0, 0}},
     {0x7f0000001000, 0x1a0004c3a0, 0x514, 0, 0x3100000067, 0x13, 0x0f00000000000000, 0x307, 0x800, 0x200}},
    {"tiled, rank 5, high bits of a stride, dimension 2^32, 0 bytes counted", TILED,
     {{"tensorRank", -1, 5}, {"globalStrides", 3, 0x9a00000010}, {"globalDim", 4, TWO(32)}, {"elementStrides", 4, 8}},
     {0x7f0000001000, 0x1a0004c3c0, 0x659000000514, 0x9000a0000001, 0x3100000067, 0x900000013, 0xf007000ffffffff,
      0x1010307, 0, 0x200}},
    {"im2col, rank 4: corners of 8 bits", IM2COL, {{NULL, 0, 0}},
     {0x7f0000002000, 0x80000c331, 0x100000000100, 0, 0x1f0000003f, 0x70000000f, 0x1f00000000000000, 0x3f01fdfeff,
      0x1000, 0x200}},
    {"im2col, rank 5: corners of 5 bits", IM2COL, {{"tensorRank", -1, 5}},
     {0x7f0000002000, 0x80000c341, 0x100000000100, 0x8000, 0x1f0000003f, 0x70000000f, 0x1f00000000000003, 0x3f083d03df,
      0x1000, 0x200}},
    {"tf32, pixels of 32 bytes, every third", PIXELS_32B, {{"tensorDataType", -1, 11}, {"elementStrides", 0, 3}},
     {0x1020, 0x32000133a0, 0x3e8, 0, 0x1300000018, 9, 0x700000200000000, 0x103, 0x40, 0x100}},
};
// clang-format on
const int layout_count = ROWS_OF(layouts);

struct encode_call layout_call(int i)
{
    struct encode_call call = encode_call_base(layouts[i].base);
    encode_call_edits(&call, layouts[i].edit);
    return call;
}

LOOP_TEST(map_bits_layout__is_the_measured_one, 0, layout_count)
{
    const struct encode_call call = layout_call(_i);
    const struct tensormap_image image = encoded(&call);
    for (int i = 0; i < 16; i++)
        ck_assert_msg(image.word[i] == layouts[_i].word[i], "%s: word %d: %llx", layouts[_i].why, i,
                      (unsigned long long)image.word[i]);
}

LOOP_TEST(map_bits_layout__decodes_to_the_arguments, 0, layout_count)
{
    const struct encode_call call = layout_call(_i);
    struct tensormap_image image;
    struct findings findings = {0};
    memcpy(image.word, layouts[_i].word, sizeof image.word);
    const struct tensormap map = decoded(&image, &findings);
    ck_assert_int_eq(findings.count, 0);
    ck_assert_uint_eq(map.address, call.address);
    ck_assert_int_eq(map.mode, call.base == IM2COL ? TENSORMAP_IM2COL : TENSORMAP_TILED);
    ck_assert_uint_eq((uint32_t)map.rank, call.rank);
    ck_assert_uint_eq(map.dtype, call.data_type);
    ck_assert_uint_eq(map.pixels, call.pixels);
    ck_assert_uint_eq(map.box[0], call.base == IM2COL ? call.channels : call.box[0]);
    for (int i = 0; i < map.rank; i++) {
        ck_assert_uint_eq(map.dim[i], call.dim[i]);
        ck_assert_uint_eq(map.estride[i], call.estride[i]);
        if (i > 0) ck_assert_uint_eq(map.stride[i], call.strides[i - 1]);
        if (call.base != IM2COL) ck_assert_uint_eq(map.box[i], call.box[i]);
    }
    for (int i = 0; call.base == IM2COL && i < map.rank - 2; i++) {
        ck_assert_int_eq(map.lower[i], call.lower[i]);
        ck_assert_int_eq(map.upper[i], call.upper[i]);
    }
}

// --- Round trip ------------------------------------------------------------------------------------------------------

static uint64_t between(struct slow_random *random, int64_t low, int64_t high)
{
    return (uint64_t)slow_between(random, low, high);
}

static void random_corners(struct slow_random *random, struct encode_call *call)
{
    int limit = call->rank == 3 ? 32768 : call->rank == 4 ? 128 : 16;
    int first = call->interleave == INTERLEAVE_NONE;
    for (int i = 0; i < (int)call->rank - 2; i++) {
        int64_t dim = (int64_t)between(random, 1, slow_chance(random, 50) ? 40 : 0x7fff0000);
        call->lower[i] = (int)slow_between(random, -limit, limit - 1);
        call->upper[i] = (int)slow_between(random, -limit, limit - 1);
        if (dim + call->upper[i] <= call->lower[i]) dim = call->lower[i] - call->upper[i] + 1;
        call->dim[i + first] = (uint64_t)dim;
    }
}

// A call that must be accepted: every field is drawn from all its legal values.
static struct encode_call random_call(struct slow_random *random)
{
    struct encode_call call = {.base = slow_chance(random, 50) ? TILED : IM2COL};
    call.data_type = (uint32_t)between(random, 0, DTYPE_COUNT - 1);
    call.rank = (uint32_t)between(random, call.base == IM2COL ? 3 : 1, 5);
    call.interleave = call.rank < 3 ? 0 : (uint32_t)between(random, 0, 2);
    call.swizzle = (uint32_t)between(random, 0, 3);
    call.l2_promotion = (uint32_t)between(random, 0, 3);
    call.oob_fill = dtype_row((enum dtype)call.data_type)->is_float ? (uint32_t)between(random, 0, 1) : 0;
    call.address = between(random, 0, (int64_t)TWO(52) - 1) * 32;
    uint32_t element = dtype_row((enum dtype)call.data_type)->size_bytes, most = 256 * element / 16;
    if (call.interleave == 0 && call.swizzle > 0 && most > 1u << call.swizzle) most = 1u << call.swizzle;
    call.channels = call.box[0] = (uint32_t)between(random, 1, most) * 16 / element;
    uint64_t room = TENSORMAP_MAX_BOX_BYTES / (element * call.box[0]);
    call.pixels = (uint32_t)between(random, 1, room < 1024 ? (int64_t)room : 1024);
    for (int i = 0; i < (int)call.rank; i++) {
        call.dim[i] = slow_chance(random, 10) ? TWO(32) : between(random, 1, (int64_t)TWO(between(random, 1, 32)));
        call.estride[i] = (uint32_t)between(random, 1, 8);
        if (i > 0) call.strides[i - 1] = between(random, 0, (int64_t)TWO(35) - 1) * 32;
        if (i > 0) call.box[i] = (uint32_t)between(random, 1, room < 256 ? (int64_t)room : 256);
        if (i > 0) room /= call.box[i];
    }
    if (call.base == IM2COL) random_corners(random, &call);
    return call;
}

LOOP_TEST(map_bits_layout__encode_decode_pack_round_trip, 0, 4)
{
    enum { CASES = 5000 };
    struct slow_random random = {SEED + (uint64_t)_i};
    for (int i = 0; i < CASES; i++) {
        const struct encode_call call = random_call(&random);
        struct findings findings = {0};
        struct tensormap_image image, again;
        enum rule rule = encode_call_run(&call, &image, NULL);
        ck_assert_msg(rule == RULE_OK, "seed %llx chunk %d case %d: %s", (unsigned long long)SEED, _i, i,
                      rule_row(rule)->id);
        const struct tensormap map = decoded(&image, &findings);
        ck_assert_msg(findings.count == 0, "chunk %d case %d: %s", _i, i, rule_row(findings.item[0].rule)->id);
        tensormap_pack(&map, &again);
        ck_assert_mem_eq(&image, &again, sizeof image);
        for (int d = 0; d < (int)call.rank; d++) ck_assert_uint_eq(map.dim[d], call.dim[d]);
        for (int d = 1; d < (int)call.rank; d++) ck_assert_uint_eq(map.stride[d], call.strides[d - 1]);
        uint64_t step = call.interleave > 0 ? 16 * call.interleave : dtype_row(map.dtype)->size_bytes;
        ck_assert_uint_eq(map.stride[0], step);
    }
}

TEST(decode_takes_any_bytes)
{
    struct slow_random random = {SEED};
    struct tensormap_image image, again;
    struct tensormap map;
    for (int i = 0; i < 20000; i++) {
        for (int w = 0; w < 16; w++) image.word[w] = slow_random(&random) & slow_random(&random);
        if (slow_chance(&random, 50)) image.word[1] &= ~(uint64_t)0x18cf; // interleave and low bits
        struct findings findings = {0};
        map = decoded(&image, &findings);
        ck_assert_int_gt(findings.count, 0); // so many bits are reserved
        ck_assert_int_eq(tensormap_decode(&image, &map, NULL), findings.item[0].rule);
        if (map.dtype == DTYPE_COUNT || map.rank > TENSORMAP_MAX_RANK) continue;
        if (map.mode == TENSORMAP_IM2COL && map.rank < 3) continue;
        struct tensormap twice;
        tensormap_pack(&map, &again);
        tensormap_decode(&again, &twice, NULL);
        ck_assert_mem_eq(twice.dim, map.dim, sizeof map.dim);
        ck_assert_mem_eq(twice.lower, map.lower, sizeof map.lower);
        ck_assert_mem_eq(twice.stride, map.stride, sizeof map.stride);
    }
}

// --- Wrong layouts: at least one of the maps above must show the difference ------------------------------------------

#define WORD(image, i)     ((image)->word[i])
#define BITS(image, at, n) (WORD(image, (at) / 64) >> (at) % 64 & (TWO(n) - 1))
#define MUTANT(name, right, wrong)                                                                                     \
    static int name(const struct tensormap_image *image, const struct tensormap *map)                                  \
    {                                                                                                                  \
        (void)image;                                                                                                   \
        return (uint64_t)(right) != (uint64_t)(wrong);                                                                 \
    }
MUTANT(rank_as_it_is, map->rank, BITS(image, 68, 3))
MUTANT(rank_in_two_bits, map->rank, BITS(image, 68, 2) + 1)
MUTANT(tf32_bit_ignored, map->dtype, dtype_from_format((uint32_t)BITS(image, 71, 4), 0))
MUTANT(stride_in_bytes, map->stride[1], BITS(image, 96, 32))
MUTANT(stride_of_32_bits, map->stride[4], BITS(image, 192, 32) << 4)
MUTANT(stride_high_bits_of_a_byte, map->stride[4], BITS(image, 192, 32) << 4 | BITS(image, 224 + 8 * 3, 8) << 36)
MUTANT(dim_as_it_is, map->dim[0], BITS(image, 256, 32))
MUTANT(dim_of_32_bits, map->dim[4], (uint32_t)(BITS(image, 384, 32) + 1))
MUTANT(estride_as_it_is, map->estride[0], BITS(image, 416, 3))
MUTANT(estride_in_four_bits, map->estride[4], BITS(image, 416 + 4 * 4, 4) + 1)
MUTANT(box_as_it_is, map->box[0], BITS(image, 440, 8))
MUTANT(corner_unsigned, map->lower[0], BITS(image, 448, 5))
MUTANT(corner_of_8_bits, (int8_t)map->lower[1], (int8_t)BITS(image, 456, 8))
MUTANT(corner_of_16_bits, (int16_t)map->upper[0], (int16_t)BITS(image, 464, 16))
MUTANT(corners_swapped, map->lower[0], map->upper[0])
MUTANT(pixels_as_they_are, map->pixels, BITS(image, 480, 10))
MUTANT(interleave_implies_no_stride, map->stride[0], dtype_row(map->dtype)->size_bytes)

static const struct {
    const char *name;
    int (*differs)(const struct tensormap_image *image, const struct tensormap *map);
} mutants[] = {
#define ROW(name)                                                                                                      \
    {                                                                                                                  \
#name, name                                                                                                    \
    }
    ROW(rank_as_it_is),
    ROW(rank_in_two_bits),
    ROW(tf32_bit_ignored),
    ROW(stride_in_bytes),
    ROW(stride_of_32_bits),
    ROW(stride_high_bits_of_a_byte),
    ROW(dim_as_it_is),
    ROW(dim_of_32_bits),
    ROW(estride_as_it_is),
    ROW(estride_in_four_bits),
    ROW(box_as_it_is),
    ROW(corner_unsigned),
    ROW(corner_of_8_bits),
    ROW(corner_of_16_bits),
    ROW(corners_swapped),
    ROW(pixels_as_they_are),
    ROW(interleave_implies_no_stride)
#undef ROW
};

LOOP_TEST(layouts_notice_each_wrong_field, 0, ROWS_OF(mutants))
{
    for (int i = 0; i < layout_count; i++) {
        const struct encode_call call = layout_call(i);
        const struct tensormap_image image = encoded(&call);
        struct findings findings = {0};
        const struct tensormap map = decoded(&image, &findings);
        if (mutants[_i].differs(&image, &map)) return;
    }
    ck_abort_msg("%s passes", mutants[_i].name);
}
