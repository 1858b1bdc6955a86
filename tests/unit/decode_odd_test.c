// SPDX-License-Identifier: MIT
// What is said of 128 bytes that no encoder makes: one bit changed, a value that no call has.
#include <stddef.h>
#include <string.h>

#include "decode_test.h"
#include "rules/map.h"

TEST_FILE(.suite = "tensormap");

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

static bool is_in(int bit, int first, int count)
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

LOOP_TEST(map_bits_reserved__each_flipped_bit_is_named, 0, layout_count)
{
    const struct encode_call call = layout_call(_i);
    const struct tensormap_image image = encoded(&call);
    struct findings findings = {0};
    const struct tensormap before = decoded(&image, &findings);
    for (int bit = 0; bit < 8 * TENSORMAP_BYTES; bit++) {
        struct tensormap_image flipped = image;
        flipped.word[bit / 64] ^= TWO(bit % 64);
        check_flip(&flipped, &before, bit);
    }
}

LOOP_TEST(map_bits_redundant__names_field_and_value, 0, BASES)
{
    const struct encode_call call = encode_call_base((enum base)_i);
    struct tensormap_image image = encoded(&call);
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

LOOP_TEST(map_bits_field__is_the_finding_of_the_call, 0, ROWS_OF(odd))
{
    const struct encode_call call = encode_call_base(odd[_i].base);
    struct tensormap_image image = encoded(&call);
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

// The driver replaces the address of any map by a multiple of 16, which no encoder writes with pixels of 32 bytes.
TEST(map_bits_field__names_a_replaced_address)
{
    const struct encode_call call = encode_call_base(PIXELS_32B);
    struct tensormap_image image = encoded(&call);
    struct findings findings = {0};
    ck_assert_int_eq(tensormap_replace_address(&image, 0x2010, NULL), RULE_OK);
    ck_assert_uint_eq(decoded(&image, &findings).address, 0x2010);
    require_one(&findings, 0, RULE_MAP_BITS_FIELD, "globalAddress", -1);
}

TEST(map_bits_field__all_zero_and_all_one_are_no_maps)
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

TEST(decode_findings_start_empty)
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
