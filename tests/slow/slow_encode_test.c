// SPDX-License-Identifier: MIT
// Compares the encode calls of model/tma with the slow encoder: accepted or refused, and the 128 bytes, on random
// arguments and on the vectors; and shows that the vectors notice every misread rule.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slow_test.h"
#include "slow_vectors.h"

TEST_FILE(.suite = "slow", .seconds = 120);

enum { TEXT_BYTES = 1024, CASES = 60000 };
static const uint64_t SEED = 0xe2c0de;

// Addresses that a map is given by replace: all the limits.
static const uint64_t replacements[] = {
    0, 8, 16, 48, 64, ((uint64_t)1 << 57) - 32, ((uint64_t)1 << 57) - 16, (uint64_t)1 << 57, UINT64_MAX - 15};

static enum rule call_model(const struct slow_encode *a, struct tensormap_image *image)
{
    switch (a->call) {
    case SLOW_TILED:
        return tensormap_encode_tiled(image, a->dtype, a->rank, a->address, a->dim, a->stride, a->box, a->estride,
                                      a->interleave, a->swizzle, a->l2_promotion, a->oob_fill, NULL);
    case SLOW_IM2COL:
        return tensormap_encode_im2col(image, a->dtype, a->rank, a->address, a->dim, a->stride, a->lower, a->upper,
                                       a->box[0], a->pixels, a->estride, a->interleave, a->swizzle, a->l2_promotion,
                                       a->oob_fill, NULL);
    default:
        return tensormap_encode_im2col_wide(image, a->dtype, a->rank, a->address, a->dim, a->stride, a->lower[0],
                                            a->upper[0], a->box[0], a->pixels, a->estride, a->interleave, a->mode,
                                            a->swizzle, a->l2_promotion, a->oob_fill, NULL);
    }
}

// Fails at the first of 128 bytes that differs.
static void require_bytes(const struct tensormap_image *image, const uint8_t *slow, const char *what, const char *text)
{
    const uint8_t *model = (const uint8_t *)image->word;
    for (int i = 0; i < TENSORMAP_BYTES; i++) {
        if (model[i] != slow[i])
            ck_abort_msg("%s: word %d byte %d: model %02x, slow %02x\n%s", what, i / 8, i % 8, model[i], slow[i], text);
    }
}

// Both on one set of arguments, starting from the same bytes; returns 1 if it was accepted.
static int compare(const struct slow_encode *arguments, const char *what)
{
    struct tensormap_image image;
    uint8_t slow[TENSORMAP_BYTES];
    char text[TEXT_BYTES];
    slow_encode_text(arguments, text, sizeof text);
    memset(&image, 0xa5, sizeof image);
    memset(slow, 0xa5, sizeof slow);
    enum rule rule = call_model(arguments, &image);
    bool is_accepted = slow_encode(arguments, slow, SLOW_NONE);
    if ((rule == RULE_OK) != is_accepted)
        ck_abort_msg("%s: model %s, slow %s\n%s", what, rule_row(rule)->id, is_accepted ? "accepts" : "refuses", text);
    require_bytes(&image, slow, what, text);
    return is_accepted;
}

TEST(map_bits_layout__slow_encoder_agrees)
{
    struct slow_random random = {SEED};
    int accepted = 0;
    for (int i = 0; i < CASES; i++) {
        struct slow_encode arguments;
        char what[TEXT_BYTES];
        snprintf(what, sizeof what, "seed 0x%" PRIx64 " case %d", SEED, i);
        slow_generate_encode(&random, &arguments);
        accepted += compare(&arguments, what);
    }
    printf("slow encoder: seed 0x%" PRIx64 ": %d calls, %d accepted\n", SEED, CASES, accepted);
    ck_assert_msg(accepted > CASES / 4 && accepted < CASES * 3 / 4, "%d of %d accepted", accepted, CASES);
}

TEST(map_bits_layout__vectors_agree)
{
    struct slow_encode arguments;
    const char *why;
    for (int i = 0; (why = slow_encode_vector(i, &arguments)) != NULL; i++) compare(&arguments, why);
}

// The map is 128 bytes of `fill`, which need be no map at all; `address` may be anything.
static void compare_replace(uint8_t fill, uint64_t address)
{
    struct tensormap_image image;
    uint8_t slow[TENSORMAP_BYTES];
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "replace address 0x%" PRIx64 " in bytes %02x", address, fill);
    memset(&image, fill, sizeof image);
    memset(slow, fill, sizeof slow);
    enum rule rule = tensormap_replace_address(&image, address, NULL);
    bool is_accepted = slow_replace(slow, address, SLOW_NONE);
    if ((rule == RULE_OK) != is_accepted)
        ck_abort_msg("model %s, slow %s\n%s", rule_row(rule)->id, is_accepted ? "accepts" : "refuses", text);
    require_bytes(&image, slow, "replace", text);
}

TEST(replace_address_limit__slow_encoder_agrees)
{
    struct slow_random random = {SEED};
    for (int i = 0; i < 10000; i++) {
        uint64_t address = slow_random(&random) >> slow_between(&random, 0, 63);
        if (slow_chance(&random, 70)) address -= address % 16;
        if (i < ROWS_OF(replacements)) address = replacements[i];
        compare_replace((uint8_t)slow_random(&random), address);
    }
}

static bool replace_notices(enum slow_mutant mutant)
{
    for (int i = 0; i < ROWS_OF(replacements); i++) {
        uint8_t right[TENSORMAP_BYTES], wrong[TENSORMAP_BYTES];
        memset(right, 0x90, sizeof right); // interleave 32B, and bits above the address
        memset(wrong, 0x90, sizeof wrong);
        bool is_right = slow_replace(right, replacements[i], SLOW_NONE);
        if (is_right != slow_replace(wrong, replacements[i], mutant)) return true;
        if (memcmp(right, wrong, sizeof right) != 0) return true;
    }
    return false;
}

static int is_noticed(enum slow_mutant mutant)
{
    struct slow_encode arguments;
    for (int i = 0; slow_encode_vector(i, &arguments) != NULL; i++) {
        uint8_t right[TENSORMAP_BYTES] = {0}, wrong[TENSORMAP_BYTES] = {0};
        bool is_right = slow_encode(&arguments, right, SLOW_NONE);
        if (is_right != slow_encode(&arguments, wrong, mutant)) return 1;
        if (memcmp(right, wrong, sizeof right) != 0) return 1;
    }
    return replace_notices(mutant);
}

TEST(map_box_bytes__vectors_notice_each_misread_rule)
{
    slow_require_noticed(1u << SLOW_OF_ENCODE, is_noticed);
}
