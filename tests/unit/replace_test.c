// SPDX-License-Identifier: MIT
// cuTensorMapReplaceAddress: which addresses it takes, in which order it looks at its arguments, and that it changes
// 57 bits of any 128 bytes and no others.
#include <string.h>

#include "encode_call.h"
#include "rules/replace.h"

TEST_FILE(.suite = "tensormap");

#define LIMIT ((uint64_t)1 << 57)

static const struct {
    const char *why;
    uint64_t address;
    enum rule rule;
    uint64_t limit, nearest;
} vectors[] = {
    {"NULL, which encode takes", 0, RULE_REPLACE_ADDRESS_NULL, 16, 16},
    {"the least", 16, RULE_OK, 0, 0},
    {"8", 8, RULE_REPLACE_ADDRESS_ALIGN, 16, 16},
    {"23", 23, RULE_REPLACE_ADDRESS_ALIGN, 16, 16},
    {"1: NULL is closer, and refused", 1, RULE_REPLACE_ADDRESS_ALIGN, 16, 16},
    {"the last byte", LIMIT - 1, RULE_REPLACE_ADDRESS_ALIGN, 16, LIMIT - 16},
    {"the greatest", LIMIT - 16, RULE_OK, 0, 0},
    {"2^57", LIMIT, RULE_REPLACE_ADDRESS_LIMIT, LIMIT - 1, LIMIT - 16},
    {"sign-extended", UINT64_MAX - 15, RULE_REPLACE_ADDRESS_LIMIT, LIMIT - 1, LIMIT - 16},
};
enum { VECTORS = ROWS_OF(vectors) };

static void check_vector(int i, enum rule about)
{
    struct tensormap_image image, before;
    struct findings findings = {0};
    if (vectors[i].rule != about && vectors[i].rule != RULE_OK) return;
    memset(&image, 0xff, sizeof image); // no map at all
    before = image;
    enum rule rule = tensormap_replace_address(&image, vectors[i].address, &findings);
    ck_assert_msg(rule == vectors[i].rule, "%s: %s", vectors[i].why, rule_row(rule)->id);
    ck_assert_int_eq(findings.count, rule != RULE_OK);
    if (rule == RULE_OK) before.word[0] = (before.word[0] & ~(LIMIT - 1)) | vectors[i].address;
    ck_assert_mem_eq(&image, &before, sizeof image);
    if (rule == RULE_OK) return;
    const struct finding *finding = &findings.item[0];
    ck_assert_str_eq(finding->argument, "globalAddress");
    ck_assert_int_eq(finding->index, -1);
    ck_assert_uint_eq(finding->value, vectors[i].address);
    ck_assert_uint_eq(finding->limit, vectors[i].limit);
    ck_assert_uint_eq(finding->nearest, vectors[i].nearest);
    ck_assert_int_eq(tensormap_replace_address(&image, finding->nearest, NULL), RULE_OK);
}

LOOP_TEST(replace_address_null__is_refused, 0, VECTORS)
{
    check_vector(_i, RULE_REPLACE_ADDRESS_NULL);
}

LOOP_TEST(replace_address_align__is_16, 0, VECTORS)
{
    check_vector(_i, RULE_REPLACE_ADDRESS_ALIGN);
}

LOOP_TEST(replace_address_limit__is_below_2_57, 0, VECTORS)
{
    check_vector(_i, RULE_REPLACE_ADDRESS_LIMIT);
}

TEST(replace_address_limit__is_reported_beside_alignment)
{
    struct tensormap_image image = {{0}};
    struct findings findings = {0};
    ck_assert_int_eq(tensormap_replace_address(&image, LIMIT + 8, &findings), RULE_REPLACE_ADDRESS_ALIGN);
    ck_assert_int_eq(findings.count, 2);
    ck_assert_ptr_nonnull(findings_of(&findings, RULE_REPLACE_ADDRESS_LIMIT));
    ck_assert_uint_eq(image.word[0], 0);
}

// The address is looked at first: only a good one makes the driver touch the map.
LOOP_TEST(replace_null_map__comes_after_the_address, 0, VECTORS)
{
    struct findings findings = {0};
    enum rule expected = vectors[_i].rule == RULE_OK ? RULE_REPLACE_NULL_MAP : vectors[_i].rule;
    ck_assert_int_eq(tensormap_replace_address(NULL, vectors[_i].address, &findings), expected);
    ck_assert_int_eq(tensormap_replace_address(NULL, vectors[_i].address, NULL), expected);
    const struct finding *finding = findings_of(&findings, RULE_REPLACE_NULL_MAP);
    ck_assert_ptr_nonnull(finding);
    ck_assert_str_eq(finding->argument, "tensorMap");
}

TEST(replace_address_align_32__warns_in_maps_of_32_byte_pixels)
{
    for (enum base base = 0; base < BASES; base++) {
        struct encode_call call = encode_call_base(base);
        struct tensormap_image image;
        struct findings findings = {0};
        encode_call_run(&call, &image, NULL);
        ck_assert_int_eq(tensormap_replace_address(&image, 0x2010, &findings), RULE_OK);
        ck_assert_uint_eq(image.word[0], 0x2010);
        ck_assert_int_eq(findings.count, base == PIXELS_32B);
        if (base != PIXELS_32B) continue;
        ck_assert_int_eq(findings.item[0].rule, RULE_REPLACE_ADDRESS_ALIGN_32);
        ck_assert_uint_eq(findings.item[0].nearest, 0x2020);
        ck_assert_int_eq(tensormap_replace_address(&image, 0x3010, &findings), RULE_OK); // in place of 0x2010
        ck_assert_int_eq(findings.count, 1);
        ck_assert_int_eq(tensormap_replace_address(&image, 0x2020, &findings), RULE_OK);
        ck_assert_int_eq(findings.count, 0);
        image.word[15] = 1; // no map: nothing is known of it
        ck_assert_int_eq(tensormap_replace_address(&image, 0x2010, &findings), RULE_OK);
        ck_assert_int_eq(findings.count, 0);
    }
}

TEST(replace_takes_a_map_at_any_address)
{
    unsigned char bytes[TENSORMAP_BYTES + 16], expected[TENSORMAP_BYTES + 16];
    const uint64_t address = 0x0123456789abcd0;
    for (int off = 0; off < 16; off++) {
        memset(bytes, 0xff, sizeof bytes);
        memset(expected, 0xff, sizeof expected);
        for (int i = 0; i < 8; i++) expected[off + i] = (unsigned char)((address | ~(LIMIT - 1)) >> 8 * i);
        void *at = bytes + off;
        ck_assert_int_eq(tensormap_replace_address(at, address, NULL), RULE_OK);
        ck_assert_mem_eq(bytes, expected, sizeof bytes);
    }
}

// Wrong checks of the address; the vectors must notice each.
static int takes_null(uint64_t address)
{
    return address % 16 == 0 && address < LIMIT;
}

static int takes_8(uint64_t address)
{
    return address > 0 && address % 8 == 0 && address < LIMIT;
}

static int asks_for_32(uint64_t address)
{
    return address > 0 && address % 32 == 0 && address < LIMIT;
}

static int takes_2_57(uint64_t address)
{
    return address > 0 && address % 16 == 0 && address <= LIMIT;
}

static int takes_64_bits(uint64_t address)
{
    return address > 0 && address % 16 == 0;
}

static int (*const mutants[])(uint64_t address) = {takes_null, takes_8, asks_for_32, takes_2_57, takes_64_bits};

LOOP_TEST(replace_vectors_notice_each_wrong_check, 0, 5)
{
    bool noticed = false;
    for (int i = 0; i < VECTORS; i++) noticed |= mutants[_i](vectors[i].address) != (vectors[i].rule == RULE_OK);
    ck_assert_msg(noticed, "mutant %d passes", _i);
}
