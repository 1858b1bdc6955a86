// SPDX-License-Identifier: MIT
// The swizzle function against addresses worked out by hand, what its modes are called elsewhere, and the wavefronts of
// accesses to a swizzled box. Each vector says why it is here; every plausible wrong formula fails one of them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "picture.h"
#include "rows.h"
#include "swizzle.h"
#include "swizzle_find.h"
#include "warp_access.h"

#define ROWS "swizzles.tsv"

// Where the byte at `address` of a box that starts at `base` lands.
static const struct vector {
    enum tensormap_swizzle mode;
    uint32_t base, address, want;
    const char *why;
} vectors[] = {
    {SWIZZLE_NONE, 0, 0x3f0, 0x3f0, "none moves nothing, whatever the bits"},
    {SWIZZLE_32B, 0, 0x000, 0x000, "line 0 stays"},
    {SWIZZLE_32B, 0, 0x080, 0x090, "line 1, chunk 0 goes to chunk 1: bit 7 onto bit 4"},
    {SWIZZLE_32B, 0, 0x0f0, 0x0e0, "line 1, chunk 7 goes to chunk 6: bits 5 and 6 stay"},
    {SWIZZLE_32B, 0, 0x100, 0x100, "line 2 is line 0 again: bit 8 counts only for 64B"},
    {SWIZZLE_64B, 0, 0x080, 0x090, "line 1: bit 7 onto bit 4"},
    {SWIZZLE_64B, 0, 0x100, 0x120, "line 2: bit 8 onto bit 5"},
    {SWIZZLE_64B, 0, 0x1f4, 0x1c4, "line 3, chunk 7: both bits; byte 4 of the chunk stays byte 4"},
    {SWIZZLE_64B, 0, 0x200, 0x200, "line 4 is line 0 again: bit 9 counts only for 128B"},
    {SWIZZLE_128B, 0, 0x010, 0x010, "line 0, chunk 1 stays: bits 4..6 move nothing"},
    {SWIZZLE_128B, 0, 0x080, 0x090, "line 1: bit 7 onto bit 4"},
    {SWIZZLE_128B, 0, 0x200, 0x240, "line 4: bit 9 onto bit 6"},
    {SWIZZLE_128B, 0, 0x3ff, 0x38f, "line 7, chunk 7 goes to chunk 0; byte 15 stays byte 15"},
    {SWIZZLE_128B, 0, 0x400, 0x400, "line 8 is line 0 again: bit 10 counts for no mode"},
    {SWIZZLE_128B, 0x400, 0x480, 0x490, "a box on the repeat boundary starts the pattern at its beginning"},
    {SWIZZLE_128B, 0x080, 0x080, 0x090, "a box on line 1: its first row is XORed with 1, not with 0"},
    {SWIZZLE_64B, 0x180, 0x200, 0x200, "a box on line 3: its second row is line 0 of the pattern"},
    {SWIZZLE_32B, 0x380, 0x380, 0x390, "a box on line 7: odd lines swap"},
};

LOOP_TEST(swizzle_absolute__vectors, 0, ROWS_OF(vectors))
{
    const struct vector *v = &vectors[_i];
    ck_assert_msg(swizzle_apply(v->mode, v->address) == v->want, "%s: got %x, want %x", v->why,
                  swizzle_apply(v->mode, v->address), v->want);
    ck_assert_uint_eq(swizzle_apply(v->mode, v->want), v->address); // its own inverse
}

static uint32_t box_relative(enum tensormap_swizzle mode, uint32_t base, uint32_t address)
{
    return base + swizzle_apply(mode, address - base);
}

static uint32_t order_of_wgmma(enum tensormap_swizzle mode, uint32_t base, uint32_t address)
{
    (void)base;
    return swizzle_apply(mode == SWIZZLE_NONE ? mode : (enum tensormap_swizzle)(4 - mode), address);
}

static uint32_t from_bit_4(enum tensormap_swizzle mode, uint32_t base, uint32_t address)
{
    (void)base;
    return address ^ (address >> 4 & ((1u << mode) - 1)) << 4;
}

static uint32_t from_bit_8(enum tensormap_swizzle mode, uint32_t base, uint32_t address)
{
    (void)base;
    return address ^ (address >> 8 & ((1u << mode) - 1)) << 4;
}

static uint32_t onto_bit_5(enum tensormap_swizzle mode, uint32_t base, uint32_t address)
{
    (void)base;
    return address ^ (address >> 7 & ((1u << mode) - 1)) << 5;
}

static uint32_t onto_bit_3(enum tensormap_swizzle mode, uint32_t base, uint32_t address)
{
    (void)base;
    return address ^ (address >> 7 & ((1u << mode) - 1)) << 3;
}

static uint32_t one_bit_more(enum tensormap_swizzle mode, uint32_t base, uint32_t address)
{
    (void)base;
    return address ^ (address >> 7 & ((2u << mode) - 1)) << 4;
}

static uint32_t one_bit_less(enum tensormap_swizzle mode, uint32_t base, uint32_t address)
{
    (void)base;
    return address ^ (address >> 7 & ((1u << mode) - 1) >> 1) << 4;
}

static uint32_t always_128b(enum tensormap_swizzle mode, uint32_t base, uint32_t address)
{
    (void)base;
    return mode == SWIZZLE_NONE ? address : swizzle_apply(SWIZZLE_128B, address);
}

// 64B rows counted as rows of the span: line = address / span.
static uint32_t rows_of_span(enum tensormap_swizzle mode, uint32_t base, uint32_t address)
{
    (void)base;
    return address ^ (mode == SWIZZLE_NONE ? 0 : (address / (16u << mode) & ((1u << mode) - 1)) << 4);
}

static uint32_t added(enum tensormap_swizzle mode, uint32_t base, uint32_t address)
{
    (void)base;
    uint32_t mask = ((1u << mode) - 1) << 4;
    return (address & ~mask) | ((address + swizzle_xor(mode, address)) & mask);
}

static uint32_t unswizzled(enum tensormap_swizzle mode, uint32_t base, uint32_t address)
{
    (void)mode;
    (void)base;
    return address;
}

static const struct mutant {
    uint32_t (*apply)(enum tensormap_swizzle mode, uint32_t base, uint32_t address);
    const char *mistake;
} mutants[] = {
    {box_relative, "XOR with the offset in the box"},
    {order_of_wgmma, "the codes of a wgmma descriptor: 32B and 128B exchanged"},
    {from_bit_4, "XOR from bits 4.."},
    {from_bit_8, "XOR from bits 8.."},
    {onto_bit_5, "XOR onto bits 5.."},
    {onto_bit_3, "XOR onto bits 3..: CuTe's element form used on bytes"},
    {one_bit_more, "one bit too many"},
    {one_bit_less, "one bit too few"},
    {always_128b, "every mode as 128B"},
    {rows_of_span, "lines of the span instead of 128 bytes"},
    {added, "chunk index added, not XORed"},
    {unswizzled, "no swizzle"},
};

LOOP_TEST(swizzle_absolute__a_vector_catches_each_mutant, 0, ROWS_OF(mutants))
{
    int caught = 0;
    for (int i = 0; i < ROWS_OF(vectors); i++)
        caught += mutants[_i].apply(vectors[i].mode, vectors[i].base, vectors[i].address) != vectors[i].want;
    ck_assert_msg(caught > 0, "no vector tells the rule from: %s", mutants[_i].mistake);
}

// The worked figure of the guides: in row y of a 128B box, chunk x lies at place x ^ y.
TEST(swizzle_128b__chunk_x_of_row_y_lies_at_x_xor_y)
{
    struct layout layout = {SWIZZLE_128B, 0x400, 8, 128, 0};
    for (uint32_t row = 0; row < 8; row++)
        for (uint32_t place = 0; place < 8; place++) {
            struct cell cell = layout_cell(&layout, 0x400 + row * 128 + place * 16);
            ck_assert_int_eq(cell.kind, CELL_DATA);
            ck_assert_uint_eq(cell.row, row);
            ck_assert_uint_eq(cell.chunk, place ^ row);
        }
}

TEST(tile_pitch__a_short_row_leaves_a_gap_that_is_swizzled_too)
{
    struct layout layout = {SWIZZLE_64B, 0x80, 3, 48, 2};
    char label[LAYOUT_LABEL_BYTES];
    ck_assert_uint_eq(layout_pitch_bytes(&layout), 64);
    ck_assert_uint_eq(layout_lines(&layout), 2);
    ck_assert_uint_eq(layout_address(&layout, 0, 16), 0x80);
    ck_assert_int_eq(layout_cell(&layout, 0xa0).kind, CELL_GAP); // chunk 3 of row 0, line 1: 3 ^ 1 = 2
    ck_assert_int_eq(layout_cell(&layout, 0x140).kind, CELL_OUTSIDE);
    ck_assert_int_eq(layout_cell(&layout, 0x70).kind, CELL_OUTSIDE);
    layout_label(&layout, layout_cell(&layout, 0x120), label); // row 2, line 2: chunk 0 lies at 2
    ck_assert_str_eq(label, "r2 0-7");
}

TEST(swizzle_none__rows_follow_at_their_own_length)
{
    struct layout layout = {SWIZZLE_NONE, 0, 4, 48, 0};
    struct cell cell = layout_cell(&layout, 0x70);
    ck_assert_uint_eq(layout_pitch_bytes(&layout), 48);
    ck_assert_uint_eq(cell.row, 2);
    ck_assert_uint_eq(cell.chunk, 1);
}

LOOP_TEST(map_swizzle__finds_the_names_used_elsewhere, 0, rows_count(ROWS, "NAME"))
{
    const struct row *row = rows_at(ROWS, "NAME", _i);
    enum tensormap_swizzle mode = SWIZZLE_NONE;
    uint32_t element_bytes;
    struct text why;
    ck_assert_msg(swizzle_find(row->field[1], &mode, &element_bytes, &why), "%s: %s: %s", row->where, row->field[1],
                  why.at);
    ck_assert_msg(mode == row_number(row, 2) && element_bytes == row_number(row, 3), "%s: %s (%s): %d, %u", row->where,
                  row->field[1], row->field[4], (int)mode, element_bytes);
}

static const struct {
    const char *text, *says;
} no_names[] = {
    {"3", "ambiguous"},           {"", "no swizzle mode"},      {"256B", "no swizzle mode"},
    {"96B", "no swizzle mode"},   {"wgmma:4", "0, 1, 2 or 3"},  {"ptx:", "0, 1, 2 or 3"},
    {"Swizzle<4,4,3>", "B is"},   {"Swizzle<3,4,4>", "S is 3"}, {"Swizzle<3,5,3>", "M is"},
    {"Swizzle<3,4,3", "written"}, {"Swizzle<-1,4,3>", ""},      {"128B_ATOM_32B", "MAP_SWIZZLE_ATOM"},
};

LOOP_TEST(map_swizzle__refuses_other_names_with_a_sentence, 0, ROWS_OF(no_names))
{
    enum tensormap_swizzle mode = SWIZZLE_NONE;
    uint32_t element_bytes;
    struct text why = {""};
    ck_assert(!swizzle_find(no_names[_i].text, &mode, &element_bytes, &why));
    ck_assert_msg(strstr(why.at, no_names[_i].says) != NULL && why.at[0] != '\0', "'%s'", why.at);
}

TEST(map_swizzle__cute_base_counts_elements)
{
    static const uint32_t bases[][2] = {{1, 4}, {2, 3}, {4, 2}, {8, 1}, {16, 0}};
    for (int i = 0; i < 5; i++) {
        struct swizzle_cute cute = swizzle_cute(SWIZZLE_64B, bases[i][0]);
        ck_assert_uint_eq(cute.bits, 2);
        ck_assert_uint_eq(cute.base, bases[i][1]);
        ck_assert_uint_eq(cute.shift, 3);
        for (uint32_t byte = 0; byte < 2048; byte += bases[i][0]) { // CuTe's formula on indices is ours on bytes
            uint32_t index = byte / bases[i][0], mask = (1u << cute.bits) - 1;
            uint32_t placed = index ^ (index >> (cute.base + cute.shift) & mask) << cute.base;
            ck_assert_uint_eq(placed * bases[i][0], swizzle_apply(SWIZZLE_64B, byte));
        }
    }
}

LOOP_TEST(swizzle_128b__wavefronts, 0, rows_count(ROWS, "ACCESS"))
{
    const struct row *row = rows_at(ROWS, "ACCESS", _i);
    struct layout layout = {(enum tensormap_swizzle)row_number(row, 1), (uint32_t)row_number(row, 2), 32,
                            (uint32_t)row_number(row, 3), 0};
    struct access access;
    struct expression_error error;
    struct bank_report report;
    ck_assert_msg(access_parse(row->field[4], &layout, &access, &error), "%s: %s", row->where, error.why.at);
    access_count(&access, &layout, &report);
    ck_assert_msg(report.wavefronts == (int)row_number(row, 5) && report.ideal == (int)row_number(row, 6),
                  "%s: %s (%s): %d wavefronts, ideal %d, not %s and %s", row->where, row->field[4], row->field[7],
                  report.wavefronts, report.ideal, row->field[5], row->field[6]);
}

TEST(swizzle_none__collisions_name_bank_words_and_lanes)
{
    uint32_t address[4] = {0, 128, 4, 0};
    struct bank_report report;
    bank_count(BANK_LOAD, address, 0xf, 4, &report);
    ck_assert_int_eq(report.phases, 1);
    ck_assert_int_eq(report.phase[0].words[0], 2);
    ck_assert_uint_eq(report.phase[0].lanes[0], 0xb); // lanes 0 and 3 share a word, lane 1 has another
    ck_assert_int_eq(report.phase[0].words[1], 1);
    ck_assert_int_eq(report.wavefronts, 2);
}

LOOP_TEST(swizzle_none__a_bad_pattern_gets_a_sentence_and_a_caret, 0, rows_count(ROWS, "PATTERN"))
{
    const struct row *row = rows_at(ROWS, "PATTERN", _i);
    const int column = (int)row_number(row, 2);
    struct layout layout = {SWIZZLE_NONE, 0, 32, 128, 0};
    struct access access;
    struct expression_error error = {-2, {""}}; // stays as it is when the pattern is accepted
    int accepted = access_parse(row->field[1], &layout, &access, &error);
    ck_assert_msg(accepted == (column == -2), "%s: %s: %d", row->where, row->field[1], accepted);
    ck_assert_msg((accepted || row->field[3][0] != '\0') && strstr(error.why.at, row->field[3]) != NULL, "%s: %s",
                  row->where, error.why.at);
    ck_assert_msg(error.column == column, "%s: %s: %d", row->where, row->field[1], error.column);
}

TEST(swizzle_none__parentheses_nest_only_so_deep)
{
    char pattern[256] = "row=";
    struct layout layout = {SWIZZLE_NONE, 0, 32, 128, 0};
    struct access access;
    struct expression_error error;
    memset(pattern + 4, '(', 200);
    ck_assert(!access_parse(pattern, &layout, &access, &error));
    ck_assert_ptr_nonnull(strstr(error.why.at, "too many"));
}

TEST(swizzle_128b__svg_is_escaped_and_whole)
{
    struct picture picture = {.layout = {SWIZZLE_128B, 0x480, 8, 48, 2}};
    struct access access;
    struct expression_error error;
    char *text = NULL;
    size_t text_bytes;
    ck_assert(access_parse("row=l&7,chunk=0", &picture.layout, &access, &error));
    picture.access = &access;
    FILE *out = open_memstream(&text, &text_bytes);
    picture_svg(&picture, out);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_ptr_nonnull(strstr(text, "row=l&amp;7,chunk=0"));
    ck_assert_ptr_nonnull(strstr(text, "Swizzle&lt;3,3,3&gt;"));
    ck_assert_str_eq(text + text_bytes - 7, "</svg>\n");
    free(text);
}

TEST(swizzle_128b__json_says_what_lies_where)
{
    struct picture picture = {.layout = {SWIZZLE_128B, 0x80, 2, 128, 2}};
    json_t *object = picture_json(&picture), *cell = json_array_get(json_object_get(object, "cells"), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(object, "pattern_line")), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(cell, "address")), 0x90);
    ck_assert_int_eq(json_integer_value(json_object_get(cell, "bank")), 4);
    ck_assert_int_eq(json_integer_value(json_object_get(cell, "chunk")), 0);
    json_decref(object);
}

TEST(swizzle_none__save_replaces_files_and_refuses_the_rest)
{
    char folder[] = "/tmp/swizzle_test.XXXXXX", file[64];
    struct text why;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/x.svg", folder);
    ck_assert(save_file(file, "one", 3, &why));
    ck_assert(save_file(file, "two", 3, &why));
    ck_assert(!save_file(folder, "", 0, &why));
    ck_assert_ptr_nonnull(strstr(why.at, "directory"));
    ck_assert(save_file("/dev/null", "", 0, &why));
    ck_assert(!save_file("", "", 0, &why));
    ck_assert_int_eq(unlink(file), 0);
    ck_assert(!save_file(strcat(file, "/y"), "", 0, &why));
    ck_assert_int_eq(rmdir(folder), 0); // no temporary file stayed behind
}
