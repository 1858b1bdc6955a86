// SPDX-License-Identifier: MIT
// What a mismatch of a load is said to mean: a result of the model is spoilt on purpose, and the words must name the
// element, the place the bytes came from and the rule.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "family.h"
#include "load_case.h"

enum { SHARED = 2048, BYTES = 1 << 16 };

static const struct load_case plain = {.map =
                                           {
                                               .function = MAP_TILED,
                                               .data_type = DTYPE_FLOAT16,
                                               .rank = 2,
                                               .address = ARENA_BASE + 4096,
                                               .dim = {64, 10},
                                               .strides = {128},
                                               .box = {64, 8},
                                               .estride = {1, 1},
                                               .swizzle = SWIZZLE_128B,
                                           },
                                       .dims = 2,
                                       .shared = SHARED,
                                       .expect = 1024};

static uint8_t expected_bytes[BYTES], found_bytes[BYTES];

// Runs `test_case` on the model as expected, and `other` as found; returns what is said of the difference.
static char *explain(const struct load_case *test_case, const struct load_case *other)
{
    const struct family *family = family_find("load");
    struct result expected = result_at(expected_bytes), found = result_at(found_bytes);
    char *text = NULL;
    size_t size_bytes;
    family_run_model(family, test_case, &expected);
    family_run_model(family, other, &found);
    ck_assert_int_eq(expected.windows, 2);
    ck_assert_int_eq(found.windows, 2);
    FILE *out = open_memstream(&text, &size_bytes);
    family_explain(family, test_case, &expected, &found, out);
    fclose(out);
    return text;
}

static void check_words(const struct load_case *test_case, const struct load_case *other, const char *const *words)
{
    char *text = explain(test_case, other);
    for (int i = 0; words[i] != NULL; i++)
        ck_assert_msg(strstr(text, words[i]) != NULL, "'%s' is not in:\n%s", words[i], text);
    free(text);
}

TEST(swizzle_128b__is_named_when_another_mode_gave_the_bytes)
{
    struct load_case other = plain;
    other.map.swizzle = SWIZZLE_NONE;
    const char *const words[] = {
        "window shared, 0x880",     "bank 0", "expected: element (8, 1) byte 0", "found:    element (0, 1)",
        "likely rule SWIZZLE_128B", NULL};
    check_words(&plain, &other, words);
}

TEST(tile_bounds__is_named_when_the_edge_was_not_clipped)
{
    struct load_case edge = plain, other = plain;
    edge.coord[1] = other.coord[1] = 5;
    other.map.dim[1] = 64;
    const char *const words[] = {"out of bounds: fill 0000", "bytes of the source outside the box",
                                 "likely rule TILE_BOUNDS", NULL};
    check_words(&edge, &other, words);
}

TEST(tile_fill_nan__is_named_when_zeros_were_filled)
{
    struct load_case edge = plain, other = plain;
    edge.coord[1] = other.coord[1] = 5;
    edge.map.oob_fill = OOB_FILL_NAN_REQUEST_ZERO_FMA;
    const char *const words[] = {"out of bounds: fill 7ff7", "likely rule TILE_FILL_NAN", NULL};
    check_words(&edge, &other, words);
}

TEST(tile_address__is_named_when_another_tile_came)
{
    struct load_case other = plain;
    other.map.address += 4096;
    const char *const words[] = {"expected: element (0, 0) byte 0, global address +0x1000",
                                 "bytes of the source outside the box", "likely rule TILE_ADDRESS", NULL};
    check_words(&plain, &other, words);
}

TEST(tile_tx_bytes__is_named_when_the_barrier_differs)
{
    struct load_case other = plain;
    other.expect += 16;
    const char *const words[] = {"phase 1, pending 1, tx 0, error 0 expected; phase 0, pending 0, tx 16",
                                 "rule TILE_TX_BYTES", NULL};
    check_words(&plain, &other, words);
}

TEST(tile_pitch__is_named_when_a_gap_was_written)
{
    struct load_case gaps = plain, other = plain;
    gaps.map.box[0] = 32;
    gaps.expect = 512;
    const char *const words[] = {"no change, the byte is outside the box", "likely rule TILE_PITCH", NULL};
    check_words(&gaps, &other, words);
}
