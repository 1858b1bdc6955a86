// SPDX-License-Identifier: MIT
// What a mismatch of an im2col load is said to mean: a result of the model is spoilt on purpose, and the words must
// name the pixel and the rule.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "family.h"
#include "load_case.h"
#include "load_job.h"

enum { BYTES = 1 << 16 };

static uint8_t expected_bytes[BYTES], found_bytes[BYTES];

static const struct load_case plain = {.map = {.function = MAP_IM2COL,
                                               .data_type = DTYPE_FLOAT16,
                                               .rank = 4,
                                               .address = ARENA_BASE + 4096,
                                               .dim = {64, 6, 5, 2},
                                               .strides = {128, 768, 3840},
                                               .channels = 32,
                                               .pixels = 16,
                                               .estride = {1, 1, 1, 1},
                                               .lower = {-1, -1},
                                               .upper = {-1, -1},
                                               .swizzle = SWIZZLE_64B},
                                       .coord = {0, 3, 2, 0},
                                       .dims = 4,
                                       .mode = LOAD_IM2COL,
                                       .shared = 2048,
                                       .expect = 1024};

// Runs plain on the model as expected and `other` as found; `word` must be in what is said of the difference.
static void check_word(const struct load_case *other, const char *word)
{
    const struct family *family = family_find("im2col");
    struct result expected = result_at(expected_bytes), found = result_at(found_bytes);
    char *text = NULL;
    size_t size_bytes;
    family_run_model(family, &plain, &expected);
    family_run_model(family, other, &found);
    ck_assert_int_eq(expected.windows, 2);
    ck_assert_int_eq(found.windows, 2);
    FILE *out = open_memstream(&text, &size_bytes);
    family_explain(family, &plain, &expected, &found, out);
    fclose(out);
    ck_assert_msg(strstr(text, word) != NULL, "'%s' is not in:\n%s", word, text);
    free(text);
}

TEST(im2col_offsets__pixel_is_named_when_another_came)
{
    struct load_case other = plain;
    other.offset[0] = 1;
    check_word(&other, "expected: pixel 0 W 3+0 H 2+0 N 0, byte 0 of 64, global address +0x1780");
}

TEST(im2col_bounds__is_named_when_the_halo_was_read)
{
    struct load_case other = plain;
    other.offset[0] = 3; // the first pixel leaves the image
    check_word(&other, "likely rule IM2COL_BOUNDS");
}

TEST(im2col_tx_bytes__is_named_when_the_barrier_differs)
{
    struct load_case other = plain;
    other.expect += 16;
    check_word(&other, "phase 1, pending 1, tx 0, error 0 expected; phase 0, pending 0, tx 16");
    check_word(&other, "rule IM2COL_TX_BYTES");
}
