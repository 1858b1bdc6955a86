// SPDX-License-Identifier: MIT
// CuTe layouts against what CuTe itself prints of them (cute_facts.tsv), and texts that are none.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cute.h"
#include "rows.h"

#define FACTS "cute_facts.tsv"

static struct cute_layout layout_of(const char *text)
{
    struct cute_layout layout;
    struct cute_error error;
    ck_assert_msg(cute_read(text, &layout, &error), "%s: column %d: %s", text, error.column, error.why);
    return layout;
}

// What CuTe prints, without the underscores of numbers that it knows when it compiles.
static void expect_text(const char *what, const struct cute_layout *layout, const char *want)
{
    char got[CUTE_TEXT_BYTES], plain[CUTE_TEXT_BYTES];
    char *to = plain;
    for (const char *from = want; *from != '\0'; from++)
        if (*from != '_' || from[1] == 'p') *to++ = *from; // smem_ptr
    *to = '\0';
    cute_write(layout, got);
    ck_assert_msg(strcmp(got, plain) == 0, "%s: CuTe prints %s, not %s", what, plain, got);
}

LOOP_TEST(layouts_are_what_cute_prints, 0, rows_count(FACTS, "LAYOUT"))
{
    const struct row *row = rows_at(FACTS, "LAYOUT", _i);
    const char *text = row->field[1];
    const uint64_t size = row_number(row, 2), rank = row_number(row, 4);
    struct cute_layout layout = layout_of(text), coalesced;
    uint64_t product = 1;
    uint32_t sum = 0;
    for (int mode = 0; mode < (int)rank; mode++) product *= cute_mode_size(&layout, mode);
    ck_assert_msg(product == size, "%s: the modes have %llu elements", row->where, (unsigned long long)product);
    expect_text(row->where, &layout, text);
    ck_assert_msg(cute_size(&layout) == size, "%s: size", row->where);
    ck_assert_msg(cute_cosize(&layout) - layout.offset == row_number(row, 3), "%s: cosize", row->where);
    ck_assert_msg(cute_rank(&layout) == (int)rank, "%s: rank %d", row->where, cute_rank(&layout));
    ck_assert_msg(cute_depth(&layout) == (int)row_number(row, 5), "%s: depth %d", row->where, cute_depth(&layout));
    for (uint64_t i = 0; i < size; i++) sum += (uint32_t)(i + 1) * (uint32_t)cute_index(&layout, i);
    ck_assert_msg(sum == row_number(row, 6), "%s: the indices are not CuTe's", row->where);
    cute_coalesce(&layout, &coalesced);
    expect_text(row->where, &coalesced, row->field[7]);
}

LOOP_TEST(a_shape_alone_is_compact, 0, rows_count(FACTS, "COMPACT"))
{
    const struct row *row = rows_at(FACTS, "COMPACT", _i);
    const struct cute_layout layout = layout_of(row->field[1]);
    expect_text(row->where, &layout, row->field[2]);
}

LOOP_TEST(compositions_are_those_of_cute, 0, rows_count(FACTS, "COMPOSE"))
{
    const struct row *row = rows_at(FACTS, "COMPOSE", _i);
    const struct cute_layout first = layout_of(row->field[1]), second = layout_of(row->field[2]);
    struct cute_layout result;
    struct cute_error error;
    ck_assert_msg(cute_compose(&first, &second, &result, &error), "%s: %s", row->where, error.why);
    expect_text(row->where, &result, row->field[3]);
}

LOOP_TEST(divisions_are_those_of_cute, 0, rows_count(FACTS, "DIVIDE"))
{
    const struct row *row = rows_at(FACTS, "DIVIDE", _i);
    struct cute_layout layout = layout_of(row->field[1]), tile = layout_of(row->field[2]), zipped, tiled;
    struct cute_error error;
    uint64_t sizes[CUTE_MAX_LEAVES];
    for (int i = 0; i < tile.leaves; i++) sizes[i] = tile.leaf[i].shape;
    ck_assert_msg(cute_zipped_divide(&layout, sizes, tile.leaves, &zipped, &error), "%s: %s", row->where, error.why);
    ck_assert_msg(cute_tiled_divide(&layout, sizes, tile.leaves, &tiled, &error), "%s: %s", row->where, error.why);
    expect_text(row->where, &zipped, row->field[3]);
    expect_text(row->where, &tiled, row->field[4]);
}

// Texts that are no layouts: where the caret stands, and what the sentence names.
#define REFUSED "cute_refused.tsv"

LOOP_TEST(a_text_that_is_no_layout_is_refused_with_its_place, 0, rows_count(REFUSED, "TEXT"))
{
    const struct row *row = rows_at(REFUSED, "TEXT", _i);
    const char *why = row->field[3];
    struct cute_layout layout;
    struct cute_error error;
    ck_assert_msg(!cute_read(row->field[1], &layout, &error), "%s: %s is taken", row->where, row->field[1]);
    ck_assert_msg(error.column == (int)row_number(row, 2) && why[0] != '\0' && strstr(error.why, why) != NULL,
                  "%s: %s: column %d: %s; wanted column %s: %s", row->where, row->field[1], error.column, error.why,
                  row->field[2], why);
}

// Count times `word`, with commas between.
static char *repeat(char *to, int count, const char *word)
{
    for (int i = 0; i < count; i++) to += sprintf(to, "%s%s", i == 0 ? "" : ",", word);
    return to;
}

// Few parentheses at each number are many in all; and many in one another close at one number.
static const struct {
    const char *before, *word;
    int count, closes, column;
} deep[] = {
    {"(", "(((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))", 32, 1, 16},
    {"(", "(((1)))", 32, 1, 169}, // parenthesis 65 is the first of number 22, each of 8 columns
    {"", "((((((((((((((((((((((((((((((((1", 32, 1024, 16},
};

LOOP_TEST(a_layout_that_is_nested_too_deeply_is_refused, 0, ROWS_OF(deep))
{
    char text[4096], *end = text + sprintf(text, "%s", deep[_i].before);
    struct cute_layout layout;
    struct cute_error error;
    end = repeat(end, deep[_i].count, deep[_i].word);
    memset(end, ')', (size_t)deep[_i].closes);
    end[deep[_i].closes] = '\0';
    ck_assert_int_eq(cute_read(text, &layout, &error), 0);
    ck_assert_int_eq(error.column, deep[_i].column);
    ck_assert_str_eq(error.why, "nested too deeply: at most 16 parentheses in one another, and 64 in all");
}

// The text of the largest layout: all numbers, all parentheses and the longest that stands before them.
TEST(the_longest_text_fits)
{
    struct cute_layout layout = {.leaves = CUTE_MAX_LEAVES,
                                 .is_swizzled = 1,
                                 .pointer_bits = 256,
                                 .swizzle = {16, 16, -16}},
                       again;
    struct cute_error error;
    char text[CUTE_TEXT_BYTES + 1], written[CUTE_TEXT_BYTES];
    for (int i = 0; i < CUTE_MAX_LEAVES; i++) layout.leaf[i] = (struct cute_leaf){1, (uint64_t)1 << 48, 2, 2};
    layout.leaf[0].opens = layout.leaf[31].closes = 3;
    layout.leaf[1].opens = layout.leaf[1].closes = 1;
    text[CUTE_TEXT_BYTES] = '?';
    cute_write(&layout, text);
    ck_assert_int_eq(text[CUTE_TEXT_BYTES], '?');
    ck_assert_msg(cute_read(text, &again, &error), "%s: column %d: %s", text, error.column, error.why);
    cute_write(&again, written);
    ck_assert_str_eq(text, written);
}

// Spellings that CuTe has in other places, and what they are written as.
static const struct spelling {
    const char *text, *want;
} spellings[] = {
    {"S<3,4,3> o 0 o (8,64):(64,1)", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
    {"Swizzle<3,4,3>o smem_ptr[16b](unset)o( 8 , 64 ):(64,1)", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
    {"Sw<3,4,3>_smem_ptr[16b](0x563fecedfc00) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))",
     "Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,1)):((64,512),(1,0))"},
    {"smem_ptr[16b](0x400) o (8,64):(64,1)", "smem_ptr[16b](unset) o (8,64):(64,1)"},
    {"(8,64)", "(8,64):(1,8)"},
    {"(8)", "(8):(1)"},
};

LOOP_TEST(other_spellings_are_the_same_layouts, 0, ROWS_OF(spellings))
{
    const struct cute_layout layout = layout_of(spellings[_i].text);
    expect_text(spellings[_i].text, &layout, spellings[_i].want);
}

// The caret stands under the stride.
TEST(the_column_of_a_stride_is_found)
{
    const struct cute_layout layout = layout_of("Sw<3,4,3> o 0 o ((8,16),64):((64,512),1)");
    char text[CUTE_TEXT_BYTES];
    cute_write(&layout, text);
    ck_assert_str_eq(text + cute_stride_column(&layout, 1), "512),1)");
    ck_assert_str_eq(text + cute_stride_column(&layout, 2), "1)");
}

LOOP_TEST(a_composition_that_does_not_divide_is_refused, 0, rows_count(REFUSED, "COMPOSE"))
{
    const struct row *row = rows_at(REFUSED, "COMPOSE", _i);
    const struct cute_layout a = layout_of(row->field[1]), b = layout_of(row->field[2]);
    struct cute_layout to;
    struct cute_error error;
    ck_assert_msg(!cute_compose(&a, &b, &to, &error), "%s is taken", row->where);
    ck_assert_msg(row->field[3][0] != '\0' && strstr(error.why, row->field[3]) != NULL, "%s: %s", row->where,
                  error.why);
}

// Each number of `b` becomes two, in parentheses of their own.
TEST(a_result_that_is_nested_too_deeply_is_refused)
{
    const struct cute_layout a = layout_of("(2,2):(1,4)"), b = layout_of("((((((((((((((((4))))))))))))))))");
    const uint64_t tile[] = {2};
    struct cute_layout to;
    struct cute_error error;
    ck_assert_int_eq(cute_compose(&a, &b, &to, &error), 0);
    ck_assert_str_eq(error.why, "nested too deeply: at most 16 parentheses in one another, and 64 in all");
    const struct cute_layout deepest = layout_of("(2,(((((((((((((((2,2),2),2),2),2),2),2),2),2),2),2),2),2),2),2))");
    ck_assert_int_eq(cute_zipped_divide(&deepest, tile, 1, &to, &error), 0);
    ck_assert_ptr_nonnull(strstr(error.why, "nested too deeply"));
}

// 22 numbers, though 21 and the 12 of the first layout are more than 32.
TEST(only_the_numbers_of_the_result_are_counted)
{
    const struct cute_layout a = layout_of("(2,2,2,2,2,2,2,2,2,2,2,2):(1,4,16,64,256,1024,4096,16384,65536,262144,"
                                           "1048576,4194304)");
    const struct cute_layout b = layout_of("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)");
    struct cute_layout to;
    struct cute_error error;
    ck_assert_msg(cute_compose(&a, &b, &to, &error), "%s", error.why);
    expect_text("22 numbers", &to,
                "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2):(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1)");
}

TEST(a_tile_is_of_the_layout)
{
    const struct cute_layout layout = layout_of("(100,64)");
    const uint64_t tile[] = {64, 0, 1};
    struct cute_layout to;
    struct cute_error error;
    ck_assert_int_eq(cute_zipped_divide(&layout, tile, 0, &to, &error), 0);
    ck_assert_int_eq(cute_zipped_divide(&layout, tile, 3, &to, &error), 0);
    ck_assert_int_eq(cute_tiled_divide(&layout, tile, 2, &to, &error), 0);
    ck_assert_str_eq(error.why, "a tile of no elements");
    ck_assert_int_eq(cute_tiled_divide(&layout, tile, 1, &to, &error), 1);
}
