// SPDX-License-Identifier: MIT
// The 128 bytes: their layout, the way back to fields, and what is said of bytes that no encoder makes. Words are
// spelt out from the measured layout, not made by the code under test.
#include <stddef.h>
#include <string.h>

#include "encode_call.h"
#include "slow_vectors.h"
#include "tensormap_test.h"

#define TWO(n) ((uint64_t)1 << (n))
static const uint64_t SEED = 0xdec0de;

static struct tensormap_image image_of(const struct encode_call *call)
{
    struct tensormap_image image;
    ck_assert_int_eq(encode_call_run(call, &image, NULL), RULE_OK);
    return image;
}

static struct tensormap decoded(const struct tensormap_image *image, struct findings *findings)
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
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

static struct encode_call layout_call(int i)
{
    struct encode_call call = encode_call_base(layouts[i].base);
    encode_call_edits(&call, layouts[i].edit);
    return call;
}

START_TEST(map_bits_layout__is_the_measured_one)
{
    const struct encode_call call = layout_call(_i);
    const struct tensormap_image image = image_of(&call);
    for (int i = 0; i < 16; i++)
        ck_assert_msg(image.word[i] == layouts[_i].word[i], "%s: word %d: %llx", layouts[_i].why, i,
                      (unsigned long long)image.word[i]);
}
END_TEST

START_TEST(map_bits_layout__decodes_to_the_arguments)
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
END_TEST

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

START_TEST(map_bits_layout__encode_decode_pack_round_trip)
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
END_TEST

START_TEST(decode_takes_any_bytes)
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
END_TEST

// --- One bit changed -------------------------------------------------------------------------------------------------

enum owner { RESERVED, HEADER, VALUE, COUNTED };

struct field {
    enum owner owner;
    size_t offset, bytes; // VALUE, COUNTED: the one field of struct tensormap that changes
};

#define OWNED(kind, member, index)                                                                                     \
    (struct field)                                                                                                     \
    {                                                                                                                  \
        kind, offsetof(struct tensormap, member) + (size_t)(index) * sizeof(uint32_t), sizeof(uint32_t)                \
    }
#define OWNED_64(member, index)                                                                                        \
    (struct field)                                                                                                     \
    {                                                                                                                  \
        VALUE, offsetof(struct tensormap, member) + (size_t)(index) * sizeof(uint64_t), sizeof(uint64_t)               \
    }

static int is_in(int bit, int first, int count)
{
    return bit >= first && bit < first + count;
}

static struct field owner_of_box(const struct tensormap *map, int bit)
{
    int width = map->rank == 3 ? 16 : map->rank == 4 ? 8 : 5;
    if (map->mode == TENSORMAP_TILED) {
        int i = (bit - 440) / 8;
        return i < map->rank ? OWNED(VALUE, box, i) : (struct field){0};
    }
    if (is_in(bit, 448, width * (map->rank - 2))) return OWNED(VALUE, lower, (bit - 448) / width);
    if (is_in(bit, 464, width * (map->rank - 2))) return OWNED(VALUE, upper, (bit - 464) / width);
    return is_in(bit, 480, 10) ? OWNED(VALUE, pixels, 0) : (struct field){0};
}

// What bit `bit` of the image of `map` belongs to.
static struct field owner_of(const struct tensormap *map, int bit)
{
    if (bit < 57) return OWNED_64(address, 0);
    if (bit == 64 || is_in(bit, 68, 9) || bit == 80) return (struct field){HEADER, 0, 0};
    if (is_in(bit, 77, 2)) return OWNED(VALUE, swizzle, 0);
    if (bit == 79) return OWNED(VALUE, oob_fill, 0);
    if (is_in(bit, 81, 2)) return OWNED(VALUE, l2_promotion, 0);
    if (is_in(bit, 96, 32 * (map->rank - 1))) return OWNED_64(stride, 1 + (bit - 96) / 32);
    if (is_in(bit, 224, 4 * (map->rank - 1))) return OWNED_64(stride, 1 + (bit - 224) / 4);
    if (is_in(bit, 256, 32 * map->rank)) return OWNED_64(dim, (bit - 256) / 32);
    if (is_in(bit, 416, 3 * map->rank)) return OWNED(VALUE, estride, (bit - 416) / 3);
    if (is_in(bit, 440, 8)) return OWNED(VALUE, box, 0);
    if (is_in(bit, 448, 64)) return owner_of_box(map, bit);
    if (is_in(bit, 512, 18)) return OWNED(COUNTED, box_bytes, 0);
    if (is_in(bit, 576, 11)) return OWNED(COUNTED, pattern_bytes, 0);
    return (struct field){0};
}

// Exactly one finding, of `rule`, that names `argument`.
static void require_one(const struct findings *findings, int bit, enum rule rule, const char *argument, int index)
{
    ck_assert_msg(findings->count == 1, "bit %d: %d findings", bit, findings->count);
    ck_assert_msg(findings->item[0].rule == rule, "bit %d: %s", bit, rule_row(findings->item[0].rule)->id);
    ck_assert_msg(strcmp(findings->item[0].argument, argument) == 0, "bit %d: %s", bit, findings->item[0].argument);
    ck_assert_int_eq(findings->item[0].index, index);
}

// Bit `bit` of `image`, which decodes to `before`, was flipped.
static void check_flip(const struct tensormap_image *image, const struct tensormap *before, int bit)
{
    struct findings findings = {0};
    const struct tensormap map = decoded(image, &findings);
    const struct field field = owner_of(before, bit);
    if (field.owner == HEADER) return; // what the other bits mean has changed
    if (field.owner == RESERVED) {
        require_one(&findings, bit, RULE_MAP_BITS_RESERVED, "64-bit word", bit / 64);
        ck_assert_uint_eq(findings.item[0].value ^ findings.item[0].nearest, TWO(bit % 64));
        ck_assert_mem_eq(&map, before, sizeof map);
        return;
    }
    struct tensormap same = map;
    ck_assert_msg(memcmp((char *)&same + field.offset, (const char *)before + field.offset, field.bytes) != 0,
                  "bit %d changes nothing", bit);
    memcpy((char *)&same + field.offset, (const char *)before + field.offset, field.bytes);
    ck_assert_msg(memcmp(&same, before, sizeof same) == 0, "bit %d changes another field", bit);
    ck_assert_msg(findings_of(&findings, RULE_MAP_BITS_RESERVED) == NULL, "bit %d is taken for reserved", bit);
    if (field.owner == COUNTED)
        require_one(&findings, bit, RULE_MAP_BITS_REDUNDANT,
                    bit < 576 ? "bytes of the box" : "alignment of the swizzle pattern", -1);
    if (bit < 4) require_one(&findings, bit, RULE_MAP_BITS_FIELD, "globalAddress", -1);
}

START_TEST(map_bits_reserved__each_flipped_bit_is_named)
{
    const struct encode_call call = layout_call(_i);
    const struct tensormap_image image = image_of(&call);
    struct findings findings = {0};
    const struct tensormap before = decoded(&image, &findings);
    for (int bit = 0; bit < 8 * TENSORMAP_BYTES; bit++) {
        struct tensormap_image flipped = image;
        flipped.word[bit / 64] ^= TWO(bit % 64);
        check_flip(&flipped, &before, bit);
    }
}
END_TEST

START_TEST(map_bits_redundant__names_field_and_value)
{
    const struct encode_call call = encode_call_base((enum base)_i);
    struct tensormap_image image = image_of(&call);
    struct findings findings = {0};
    const struct tensormap map = decoded(&image, &findings);
    image.word[8] += 16, image.word[9] = 0;
    decoded(&image, &findings);
    ck_assert_int_eq(findings.count, 2);
    ck_assert_uint_eq(findings.item[0].value, map.box_bytes + 16);
    ck_assert_uint_eq(findings.item[0].nearest, map.box_bytes);
    ck_assert_uint_eq(findings.item[1].value, 0);
    ck_assert_uint_eq(findings.item[1].nearest, call.swizzle == 0 ? 16 : 128u << call.swizzle);
}
END_TEST

// --- Values that no encoder writes -----------------------------------------------------------------------------------

// The bits that `set` names are set to its values. The finding is the first one, and that of the encode call.
static const struct {
    const char *why;
    enum base base;
    struct {
        int first, count;
        uint64_t value;
    } set[4];
    const char *argument;
    int index;
    uint64_t found, limit, nearest;
} odd[] = {
    // clang-format off
    {"rank 6", TILED, {{68, 3, 5}}, "tensorRank", -1, 6, 5, 5},
    {"rank 8 of im2col", IM2COL, {{68, 3, 7}}, "tensorRank", -1, 8, 5, 5},
    {"rank 2 of im2col", IM2COL, {{68, 3, 1}}, "tensorRank", -1, 2, 3, 3},
    {"rank 1 of pixels", PIXELS_16B, {{68, 3, 0}}, "interleave", -1, 1, 0, 0},
    {"format 11", TILED, {{71, 4, 11}}, "element format and tf32 bit", -1, 11, 0, 0},
    {"f64 as tf32", TILED, {{71, 10, 0x209 | 2 << 6}}, "element format and tf32 bit", -1, 25, 0, 0},
    {"NaN of u32", TILED, {{71, 4, 2}}, "oobFill", -1, 1, 0, 0},
    {"interleave 3", TILED, {{75, 2, 3}}, "interleave", -1, 3, 2, 2},
    {"address 24", TILED, {{0, 57, 24}}, "globalAddress", -1, 24, 16, 32},
    {"address 80 of pixels of 32 bytes", PIXELS_32B, {{0, 57, 80}}, "globalAddress", -1, 80, 32, 96},
    {"stride 4112 of pixels of 32 bytes", PIXELS_32B, {{96, 32, 257}}, "globalStrides", 0, 4112, 32, 4128},
    {"rows of 60 bytes", TILED, {{440, 8, 14}}, "boxDim", 0, 15, 4, 16},
    {"rows of 80 bytes in spans of 64", TILED, {{440, 8, 19}}, "boxDim", 0, 20, 16, 16},
    {"1 channel", IM2COL, {{440, 8, 0}}, "channelsPerPixel", -1, 1, 8, 8},
    {"40 channels in a span of 64 bytes", IM2COL, {{440, 8, 39}}, "channelsPerPixel", -1, 40, 32, 32},
    {"240 KiB, and the count says so", TILED, {{440, 8, 3}, {448, 8, 239}, {456, 8, 63}, {512, 18, 245760}},
     "boxDim", 1, 240, 228, 228},
    {"im2col: ends before it begins", IM2COL, {{288, 32, 0}, {448, 8, 9}}, "pixelBoxUpperCorner", 0, ~TWO(1), 9, 9},
    // clang-format on
};
enum { ODD = sizeof odd / sizeof odd[0] };

START_TEST(map_bits_field__is_the_finding_of_the_call)
{
    const struct encode_call call = encode_call_base(odd[_i].base);
    struct tensormap_image image = image_of(&call);
    struct findings findings = {0};
    for (int i = 0; i < 4; i++) {
        int first = odd[_i].set[i].first;
        uint64_t mask = (TWO(odd[_i].set[i].count) - 1) << first % 64;
        image.word[first / 64] = (image.word[first / 64] & ~mask) | odd[_i].set[i].value << first % 64;
    }
    decoded(&image, &findings);
    const struct finding *finding = findings_of(&findings, RULE_MAP_BITS_FIELD);
    ck_assert_msg(finding != NULL, "%s: no finding", odd[_i].why);
    ck_assert_ptr_eq(finding, &findings.item[0]);
    ck_assert_msg(strcmp(finding->argument, odd[_i].argument) == 0, "%s: %s", odd[_i].why, finding->argument);
    ck_assert_int_eq(finding->index, odd[_i].index);
    ck_assert_msg(finding->value == odd[_i].found, "%s: %lld", odd[_i].why, (long long)finding->value);
    ck_assert_msg(finding->limit == odd[_i].limit, "%s: %lld", odd[_i].why, (long long)finding->limit);
    ck_assert_msg(finding->nearest == odd[_i].nearest, "%s: %lld", odd[_i].why, (long long)finding->nearest);
}
END_TEST

// The driver replaces the address of any map by a multiple of 16, which no encoder writes with pixels of 32 bytes.
START_TEST(map_bits_field__names_a_replaced_address)
{
    const struct encode_call call = encode_call_base(PIXELS_32B);
    struct tensormap_image image = image_of(&call);
    struct findings findings = {0};
    ck_assert_int_eq(tensormap_replace_address(&image, 0x2010, NULL), RULE_OK);
    ck_assert_uint_eq(decoded(&image, &findings).address, 0x2010);
    require_one(&findings, 0, RULE_MAP_BITS_FIELD, "globalAddress", -1);
}
END_TEST

START_TEST(map_bits_field__all_zero_and_all_one_are_no_maps)
{
    struct tensormap_image image;
    struct findings findings = {0};
    memset(&image, 0, sizeof image);
    decoded(&image, &findings); // u8, rank 1, a row of 1 byte
    ck_assert_ptr_nonnull(findings_of(&findings, RULE_MAP_BITS_FIELD));
    ck_assert_ptr_nonnull(findings_of(&findings, RULE_MAP_BITS_REDUNDANT));
    memset(&image, 0xff, sizeof image);
    findings.count = 0;
    decoded(&image, &findings);
    ck_assert_ptr_nonnull(findings_of(&findings, RULE_MAP_BITS_FIELD));
}
END_TEST

START_TEST(decode_findings_start_empty)
{
    struct tensormap_image image;
    struct tensormap map;
    struct findings findings = {0};
    memset(&image, 0, sizeof image);
    tensormap_decode(&image, &map, &findings);
    int once = findings.count;
    tensormap_decode(&image, &map, &findings);
    ck_assert_int_gt(once, 1);
    ck_assert_int_eq(findings.count, once);
}
END_TEST

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
enum { MUTANTS = sizeof mutants / sizeof mutants[0] };

START_TEST(layouts_notice_each_wrong_field)
{
    for (int i = 0; i < LAYOUTS; i++) {
        const struct encode_call call = layout_call(i);
        const struct tensormap_image image = image_of(&call);
        struct findings findings = {0};
        const struct tensormap map = decoded(&image, &findings);
        if (mutants[_i].differs(&image, &map)) return;
    }
    ck_abort_msg("%s passes", mutants[_i].name);
}
END_TEST

void decode_add_tests(Suite *suite)
{
    TCase *tests = tcase_create("decode");
    tcase_add_loop_test(tests, map_bits_layout__is_the_measured_one, 0, LAYOUTS);
    tcase_add_loop_test(tests, map_bits_layout__decodes_to_the_arguments, 0, LAYOUTS);
    tcase_add_loop_test(tests, map_bits_layout__encode_decode_pack_round_trip, 0, 4);
    tcase_add_test(tests, decode_takes_any_bytes);
    tcase_add_loop_test(tests, map_bits_reserved__each_flipped_bit_is_named, 0, LAYOUTS);
    tcase_add_loop_test(tests, map_bits_redundant__names_field_and_value, 0, BASES);
    tcase_add_loop_test(tests, map_bits_field__is_the_finding_of_the_call, 0, ODD);
    tcase_add_test(tests, map_bits_field__names_a_replaced_address);
    tcase_add_test(tests, map_bits_field__all_zero_and_all_one_are_no_maps);
    tcase_add_test(tests, decode_findings_start_empty);
    tcase_add_loop_test(tests, layouts_notice_each_wrong_field, 0, MUTANTS);
    suite_add_tcase(suite, tests);
}
