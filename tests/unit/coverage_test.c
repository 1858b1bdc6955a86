// SPDX-License-Identifier: MIT
// The suite `coverage`: which point of the space a case is, how many points there are, and what closes a hole.
#include <stdlib.h>
#include <string.h>

#include "cross.h"
#include "im2col.h"
#include "rules/load.h"
#include "slow_vectors.h"
#include "tile.h"

// --- Classes, against every element looked at ------------------------------------------------------------------------

static struct tensormap random_map(struct slow_random *random, int rank)
{
    struct tensormap map = {.rank = rank, .dtype = DTYPE_UINT8};
    for (int i = 0; i < rank; i++) {
        map.dim[i] = (uint64_t)slow_between(random, 1, i == 0 ? 24 : 6);
        map.box[i] = (uint32_t)(i == 0 ? 16 : slow_between(random, 1, 5));
        map.estride[i] = (uint32_t)slow_between(random, 1, 3);
        map.stride[i] = i == 0 ? 1 : 16;
    }
    return map;
}

// Element by element: some before, some past, some in bounds?
static enum feature_bounds bounds_of_elements(const struct tensormap *map, const int32_t *coord)
{
    int low = 0, high = 0;
    bool in = 0;
    uint32_t step[3] = {0};
    do {
        bool inside = true;
        for (int i = 0; i < map->rank; i++) {
            int64_t at = coord[i] + (int64_t)(i == 0 ? 1 : map->estride[i]) * step[i];
            low |= at < 0;
            high |= at >= (int64_t)map->dim[i];
            inside &= at >= 0 && at < (int64_t)map->dim[i];
        }
        in |= inside;
        for (int i = 0; i < 3; i++) {
            uint32_t by = i == 0 ? 1 : map->estride[i];
            if (i == map->rank) return in ? (enum feature_bounds)(low + 2 * high) : BOUNDS_OUTSIDE;
            step[i]++;
            if (step[i] * by < map->box[i]) break;
            step[i] = 0;
            if (i == map->rank - 1) return in ? (enum feature_bounds)(low + 2 * high) : BOUNDS_OUTSIDE;
        }
    } while (1);
}

TEST(bounds_are_those_of_the_elements)
{
    struct slow_random random = {11};
    int seen[BOUNDS_CLASSES] = {0}, wrong = 0;
    for (int i = 0; i < 20000; i++) {
        struct tensormap map = random_map(&random, (int)slow_between(&random, 1, 3));
        int32_t coord[3];
        for (int k = 0; k < 3; k++) coord[k] = (int32_t)slow_between(&random, -20, 8);
        struct feature feature = feature_of(FEATURE_LOAD, &map, coord, NULL);
        enum feature_bounds expected = bounds_of_elements(&map, coord);
        seen[expected]++;
        wrong += feature.bounds != expected;
    }
    ck_assert_int_eq(wrong, 0);
    for (int class = 0; class < BOUNDS_CLASSES; class ++) ck_assert_int_gt(seen[class], 100);
}

TEST(element_strides_are_told_apart)
{
    static const struct {
        uint32_t estride[2];
        enum feature_estride class;
    } vectors[] = {{{1, 1}, ESTRIDE_ONE}, {{2, 1}, ESTRIDE_INNER}, {{1, 2}, ESTRIDE_OUTER}, {{3, 8}, ESTRIDE_BOTH}};
    const int32_t coord[] = {0, 0};
    for (int i = 0; i < ROWS_OF(vectors); i++) {
        struct tensormap map = {.rank = 2, .dim = {64, 64}, .box = {16, 16}, .stride = {1, 64}};
        memcpy(map.estride, vectors[i].estride, sizeof vectors[i].estride);
        ck_assert_int_eq(feature_of(FEATURE_STORE, &map, coord, NULL).estride, vectors[i].class);
    }
}

// A 1 x 4 image of 16 channels; the window is the image, lower and upper corner move it.
static enum feature_bounds im2col_class(int lower, int upper, int c, int w, int n, uint16_t offset, uint32_t pixels)
{
    struct tensormap map = {.mode = TENSORMAP_IM2COL,
                            .rank = 3,
                            .dtype = DTYPE_UINT8,
                            .dim = {16, 4, 2},
                            .stride = {1, 16, 64},
                            .box = {16},
                            .estride = {1, 1, 1},
                            .lower = {lower},
                            .upper = {upper},
                            .pixels = pixels};
    const int32_t coord[] = {c, w, n};
    return feature_of(FEATURE_LOAD, &map, coord, &offset).bounds;
}

TEST(im2col_bounds_are_those_of_the_pixels)
{
    ck_assert_int_eq(im2col_class(0, 0, 0, 0, 0, 0, 8), BOUNDS_INSIDE);
    ck_assert_int_eq(im2col_class(-1, -1, 0, -1, 0, 0, 4), BOUNDS_LOW);
    ck_assert_int_eq(im2col_class(-1, -1, 0, -1, 0, 1, 4), BOUNDS_INSIDE); // the offset brings it back
    ck_assert_int_eq(im2col_class(0, 0, 0, 0, 0, 0, 9), BOUNDS_HIGH);      // past the last image
    ck_assert_int_eq(im2col_class(-1, 1, 0, -1, 0, 0, 6), BOUNDS_BOTH);
    ck_assert_int_eq(im2col_class(0, 0, 16, 0, 0, 0, 4), BOUNDS_OUTSIDE);
    ck_assert_int_eq(im2col_class(0, 0, -8, 0, 0, 0, 4), BOUNDS_LOW);
    ck_assert_int_eq(im2col_class(0, 0, 8, 0, 0, 0, 4), BOUNDS_HIGH);
    ck_assert_int_eq(im2col_class(0, 0, 0, 0, 2, 0, 4), BOUNDS_OUTSIDE);
}

// --- The cross -------------------------------------------------------------------------------------------------------

TEST(the_cross_has_as_many_points_as_the_formats_allow)
{
    static struct cross cross;
    const uint32_t tiled = 2 * 4 + 3 * 12, im2col = 3 * 12; // formats of a type: ranks 1, 2; 3 to 5 with interleave
    const uint32_t types[FEATURE_OPERATIONS] = {13, 13, 13, 10, 6, 6, 1, 1, 3, 3, 3};
    uint32_t all = 0;
    for (int operation = 0; operation < FEATURE_OPERATIONS; operation++) {
        ck_assert_uint_eq(cross_cells(&cross, (enum feature_operation)operation, TENSORMAP_TILED).possible,
                          types[operation] * tiled);
        ck_assert_uint_eq(cross_cells(&cross, (enum feature_operation)operation, TENSORMAP_IM2COL).possible,
                          types[operation] * im2col);
        all += types[operation] * (tiled + im2col);
    }
    ck_assert_uint_eq(cross_cells(&cross, FEATURE_OPERATIONS, TENSORMAP_TILED).possible, all);
}

TEST(cells_and_features_are_inverse)
{
    int wrong = 0;
    for (int cell = 0; cell < CROSS_CELLS; cell++) {
        struct feature f = cross_feature(cell);
        int back = ((int)f.operation * FEATURE_MODES + (int)f.mode) * DTYPE_COUNT + (int)f.dtype;
        back = (back * FEATURE_RANKS + f.rank - 1) * FEATURE_SWIZZLES + (int)f.swizzle;
        wrong += back * FEATURE_INTERLEAVES + (int)f.interleave != cell;
    }
    ck_assert_int_eq(wrong, 0);
}

static int fixed_feature(const void *test_case, struct feature *feature)
{
    *feature = *(const struct feature *)test_case;
    return 1;
}

static const struct family fixed_family = {.name = "fixed", .feature = fixed_feature};

TEST(a_case_closes_a_hole_until_three_are_recorded)
{
    static struct cross cross;
    struct feature feature = {.rank = 2, .dtype = DTYPE_FLOAT16, .swizzle = SWIZZLE_128B};
    memset(&cross, 0, sizeof cross);
    ck_assert_int_eq(cross_closes_hole(&cross, &fixed_family, &feature, RULE_OK), 1);
    cross_count(&cross, CROSS_GENERATED, &fixed_family, &feature, RULE_OK);
    ck_assert_int_eq(cross_closes_hole(&cross, &fixed_family, &feature, RULE_OK), 1);
    for (uint32_t i = 0; i < CROSS_ENOUGH; i++) {
        ck_assert_int_eq(cross_closes_hole(&cross, &fixed_family, &feature, RULE_OK), 1);
        ck_assert_uint_eq(cross_cells(&cross, FEATURE_LOAD, TENSORMAP_TILED).enough, 0);
        cross_count(&cross, CROSS_RECORDED, &fixed_family, &feature, RULE_OK);
    }
    ck_assert_int_eq(cross_closes_hole(&cross, &fixed_family, &feature, RULE_OK), 0);
    ck_assert_uint_eq(cross_cells(&cross, FEATURE_LOAD, TENSORMAP_TILED).hit[CROSS_RECORDED], 1);
    ck_assert_uint_eq(cross_cells(&cross, FEATURE_LOAD, TENSORMAP_TILED).enough, 1);
    feature.bounds = BOUNDS_OUTSIDE;
    ck_assert_int_eq(cross_closes_hole(&cross, &fixed_family, &feature, RULE_OK), 1);
    ck_assert_int_eq(cross_closes_hole(&cross, &fixed_family, &feature, RULE_LOAD_RANK), 1);
    for (uint32_t i = 0; i < CROSS_ENOUGH; i++)
        cross_count(&cross, CROSS_RECORDED, &fixed_family, &feature, RULE_LOAD_RANK);
    ck_assert_int_eq(cross_closes_hole(&cross, &fixed_family, &feature, RULE_LOAD_RANK), 0);
    ck_assert_int_eq(cross_closes_hole(&cross, &fixed_family, &feature, RULE_OK), 1); // a case that faults is no point
    ck_assert_uint_eq(cross_rules(&cross).hit[CROSS_RECORDED], 1);
}

TEST(pairs_that_cannot_be_do_not_count)
{
    ck_assert_int_eq(cross_pair_is_possible(0, BOUNDS_LOW, AXIS_OPERATION, FEATURE_LOAD), 1);
    ck_assert_int_eq(cross_pair_is_possible(0, BOUNDS_LOW, AXIS_OPERATION, FEATURE_STORE), 0);
    ck_assert_int_eq(cross_pair_is_possible(0, BOUNDS_HIGH, AXIS_OPERATION, FEATURE_REDUCE + 3), 1);
    ck_assert_int_eq(cross_pair_is_possible(1, ESTRIDE_OUTER, AXIS_RANK, 0), 0);
    ck_assert_int_eq(cross_pair_is_possible(1, ESTRIDE_INNER, AXIS_RANK, 0), 1);
    ck_assert_int_eq(cross_pair_is_possible(1, ESTRIDE_BOTH, AXIS_INTERLEAVE, 2), 1);
}

TEST(both_reports_name_totals_and_holes)
{
    static struct cross cross;
    char *text = NULL;
    size_t size_bytes;
    memset(&cross, 0, sizeof cross);
    cross.cases[CROSS_RECORDED] = 1;
    FILE *out = open_memstream(&text, &size_bytes);
    cross_write_text(&cross, 1, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "load tiled, UINT8, rank 1, swizzle none, interleave none"));
    ck_assert_ptr_nonnull(strstr(text, "and 5759 more"));
    ck_assert_ptr_nonnull(strstr(text, "rule MAP_NULL_POINTER"));
    free(text);
    out = open_memstream(&text, &size_bytes);
    cross_write_html(&cross, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "<td>the whole cross<td>5760"));
    ck_assert_ptr_nonnull(strstr(text, "<td>MAP_NULL_POINTER<td>INVALID<td class=hole>0"));
    free(text);
}

TEST(a_report_without_holes_says_so)
{
    static struct cross cross;
    char *text = NULL;
    size_t size_bytes;
    memset(&cross, 0, sizeof cross);
    for (int cell = 0; cell < CROSS_CELLS; cell++) cross.cell[CROSS_RECORDED][cell] = CROSS_ENOUGH;
    for (int rule = 0; rule < rule_count(); rule++) cross.rule[CROSS_RECORDED][rule] = CROSS_ENOUGH;
    cross.cases[CROSS_RECORDED] = 1;
    FILE *out = open_memstream(&text, &size_bytes);
    cross_write_text(&cross, 1, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "recorded fewer than 3 times:\n    none\n"));
    free(text);
}
