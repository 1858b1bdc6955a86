// SPDX-License-Identifier: MIT
// Cases of the families store and im2col_store: maps that no encoder makes, and what a mismatch is said to mean: a
// result of the model is spoilt on purpose, and the words must name place and rule.
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "family.h"
#include "store.h"
#include "store_case.h"

enum { BYTES = 1 << 17 };

static uint8_t expected_bytes[BYTES], found_bytes[BYTES];

// 2 images of 3 x 4 pixels of 6 floats, 32 bytes a pixel; the column has the inner 2 x 3 of both, and skips two.
static const struct store_case column = {.map = {.function = MAP_IM2COL,
                                                 .data_type = DTYPE_FLOAT32,
                                                 .rank = 4,
                                                 .address = STORE_GLOBAL_BASE + 4096,
                                                 .dim = {6, 3, 4, 2},
                                                 .strides = {32, 96, 384},
                                                 .channels = 16,
                                                 .pixels = 14,
                                                 .estride = {1, 1, 1, 1},
                                                 .lower = {1, 1},
                                                 .swizzle = SWIZZLE_64B},
                                         .coord = {0, 1, 1, 0},
                                         .dims = 4,
                                         .mode = STORE_IM2COL,
                                         .shared = 2048,
                                         .seed = 7};

// The bytes of a map with any rank, type and interleave that the fields can hold, as cuTensorMapReplaceAddress takes
// them.
static struct store_case case_of_bytes(enum tensormap_mode mode, int rank, int format, int interleave)
{
    struct store_case c = {.map = {.function = MAP_REPLACE_ADDRESS, .address = STORE_GLOBAL_BASE},
                           .dims = 5,
                           .shared = STORE_SHARED_START};
    const struct tensormap map = {.mode = mode,
                                  .rank = TENSORMAP_MAX_RANK,
                                  .interleave = (enum tensormap_interleave)interleave,
                                  .dim = {4, 4, 4, 4, 4},
                                  .box = {16, 1, 1, 1, 1},
                                  .pixels = TENSORMAP_MAX_PIXELS,
                                  .estride = {1, 1, 1, 1, 1}};
    struct tensormap_image image;
    tensormap_pack(&map, &image);
    image.word[1] &= ~(bits_mask(BITS_RANK) | bits_mask(BITS_FORMAT));
    bits_put(&image, BITS_RANK, (uint64_t)rank - 1);
    bits_put(&image, BITS_FORMAT, (uint64_t)format);
    memcpy(c.map.replaced, image.word, sizeof c.map.replaced);
    return c;
}

LOOP_TEST(store_map_format__cases_of_any_bytes_run, STORE_TILE, STORE_IM2COL + 1)
{
    const struct family *family = family_find(_i == STORE_IM2COL ? "im2col_store" : "store");
    int works = 0;
    for (int i = 0; i < 2 * 8 * 16 * 4; i++) {
        int rank = 1 + i / 2 % 8;
        struct store_case c = case_of_bytes((enum tensormap_mode)(i % 2), rank, i / 16 % 16, i / 256);
        struct result result = result_at(found_bytes);
        c.mode = (uint32_t)_i;
        ck_assert_uint_le(family_result_bytes(family, &c), sizeof found_bytes);
        family_run_model(family, &c, &result);
        ck_assert(result.status != 0 || rank == 5);
        works += result.status == 0;
    }
    ck_assert_int_gt(works, 10);
}

// Runs the column on the model as expected and `other` as found; `word` must be in what is said of the difference.
static void check_word(const struct store_case *other, uint32_t spoilt, const char *word)
{
    const struct family *family = family_find("im2col_store");
    struct result expected = result_at(expected_bytes), found = result_at(found_bytes);
    char *text = NULL;
    size_t size_bytes;
    family_run_model(family, &column, &expected);
    family_run_model(family, other, &found);
    ck_assert_int_eq(expected.windows, 1);
    ck_assert_int_eq(found.windows, 1);
    if (spoilt != 0) found.window[0].bytes[STORE_GLOBAL_BASE + spoilt - found.window[0].base] ^= 0xff;
    FILE *out = open_memstream(&text, &size_bytes);
    family_explain(family, &column, &expected, &found, out);
    fclose(out);
    ck_assert_msg(strstr(text, word) != NULL, "'%s' is not in:\n%s", word, text);
    free(text);
}

// Pixel 1 is W 2, H 1 of image 0: 4096 + 64 + 96, read from 2048 + 64, where bits 9..7 change nothing.
TEST(im2col_store_walk__is_named_when_a_pixel_differs)
{
    check_word(&column, 4096 + 64 + 96, "global +0x10a0, element of FLOAT32:");
    check_word(&column, 4096 + 64 + 96, "from shared 0x840 by store");
    check_word(&column, 4096 + 64 + 96, "likely rule IM2COL_STORE_WALK");
}

TEST(store_granule__is_named_when_padding_differs)
{
    struct store_case other = column;
    other.coord[0] = 0;
    check_word(&other, 4096, "the box does not write it"); // W 0 is left of the box
    check_word(&other, 4096, "likely rule STORE_GRANULE");
}

TEST(reduce_float_add__is_named_when_a_sum_differs)
{
    struct store_case other = column;
    other.operation = 1 + REDUCE_ADD;
    check_word(&other, 0, "global +0x"); // the store was expected
    check_word(&other, 0, "likely rule IM2COL_STORE_WALK");
}
