// SPDX-License-Identifier: MIT
// The first part of an answer about a box or column: sizes, positions, bytes that move, and whether the copy works.
#include <inttypes.h>
#include <stdio.h>

#include "copy.h"
#include "cute_box.h"
#include "explain_box.h"
#include "map_text.h"
#include "swizzle_names.h"

enum { LINE_BYTES = 128 }; // a swizzle moves bytes inside of a line

static const char spatial_names[] = "WHD";

static void print_tensor(const struct copy *copy)
{
    const struct tensormap *map = &copy->question->map;
    printf("%-20s %s %s at 0x%" PRIx64 "\n", "tensor", text_numbers(NUMBERS(map->dim, map->rank), " x ").at,
           dtype_row(map->dtype)->name, map->address);
    printf("%-20s (%s), innermost first\n", "coordinates",
           text_numbers(NUMBERS(copy->question->coord, map->rank), ", ").at);
}

static void print_tile(const struct copy *copy)
{
    const struct tile *tile = &copy->box.tile;
    const struct tensormap *map = tile->map;
    printf("%-20s %s", "box", text_numbers(NUMBERS(tile->steps, map->rank), " x ").at);
    if (map->interleave == INTERLEAVE_NONE)
        printf(" elements\n");
    else
        printf(" pixels of %" PRIu32 " bytes\n", tensormap_step_bytes(map));
    printf("%-20s %" PRIu64 " rows of %" PRIu32 " bytes, pitch %" PRIu32 " bytes\n", "rows", tile->rows,
           tile->row_bytes, tile->pitch_bytes);
}

// Where the walk stands after all pixels but the last.
static struct im2col_walk last_pixel(const struct copy *copy)
{
    const struct im2col *column = &copy->box.column;
    struct im2col_walk walk;
    struct tile_run run;
    provenance_pixel(column, (column->pixels - 1) * column->pitch_bytes, &walk, &run);
    return walk;
}

static void print_position(const struct im2col_walk *walk)
{
    const struct im2col *column = walk->column;
    for (int k = 0; k < column->spatials; k++)
        printf("%c %" PRId64 " ", spatial_names[k], walk->at[k] + column->offset[k]);
    printf("N %" PRId64, walk->n);
}

static void print_column(const struct copy *copy)
{
    const struct im2col *column = &copy->box.column;
    const struct tensormap *map = column->map;
    struct im2col_walk first = im2col_walk(column), last = last_pixel(copy);
    printf("%-20s ", "bounding box");
    for (int k = 0; k < column->spatials; k++)
        printf("%c %" PRId64 " to %" PRId64 " by %" PRIu32 ", ", spatial_names[k], column->lower[k], column->upper[k],
               map->estride[column->spatial + k]);
    printf("then N by %" PRIu32 "\n", map->estride[map->rank - 1]);
    if (copy->question->operation == EXPLAIN_LOAD) {
        printf("%-20s ", "offsets");
        for (int k = 0; k < column->spatials; k++)
            printf("%s%c %" PRIu32, k == 0 ? "" : ", ", spatial_names[k], column->offset[k]);
        printf(", added to every position\n");
    }
    printf("%-20s %" PRIu32 " pixels of %" PRIu32 " bytes, pitch %" PRIu32 " bytes\n%-20s ", "column", column->pixels,
           column->pixel_bytes, column->pitch_bytes, "pixels");
    print_position(&first);
    printf(" to ");
    print_position(&last);
    printf("\n");
}

static void print_load_bytes(const struct copy *copy)
{
    enum tensormap_oob_fill fill = copy->question->map.oob_fill;
    uint64_t filled = copy->all_bytes - copy->data_bytes;
    printf("%-20s %" PRIu64 " bytes, in and out of bounds\n", "expect_tx", copy->all_bytes);
    printf("%-20s %" PRIu64 " bytes; %" PRIu64 " bytes are filled", "in bounds", copy->data_bytes, filled);
    if (filled != 0 && fill == OOB_FILL_ZERO)
        printf(" with zeros");
    else if (filled != 0)
        printf(" with 0x%04x in every 16 bits", oob_fill_pattern(fill));
    printf("\n");
}

static void print_store_bytes(const struct copy *copy)
{
    const char *written = copy->question->operation == EXPLAIN_STORE ? "written" : "reduced";
    printf("%-20s %" PRIu64 " bytes; %" PRIu64 " bytes are out of bounds and skipped\n", written, copy->data_bytes,
           copy->all_bytes - copy->data_bytes);
    if (copy->past_bytes != 0)
        printf("%-20s %" PRIu64 " bytes of these: 16-byte pieces go whole to global memory\n", "past dimension 0",
               copy->past_bytes);
    uint64_t reach = copy->reach_bytes;
    if (copy->question->map.swizzle != SWIZZLE_NONE) reach = (reach + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    if (reach != 0 && reach < copy->extent_bytes)
        printf("%-20s to 0x%" PRIx64 ", the rest is not read\n", "reads", copy->question->shared + reach - 1);
}

static void print_swizzle(const struct copy *copy)
{
    uint32_t repeat = swizzle_repeat_bytes(copy->question->map.swizzle), into;
    const char *what = copy->is_im2col ? "column" : "box";
    printf("%-20s %s", "swizzle", copy->swizzle);
    into = repeat == 0 ? 0 : copy->question->shared % repeat;
    if (repeat != 0 && into == 0)
        printf(": the pattern repeats every %" PRIu32 " bytes, the %s begins where it begins", repeat, what);
    else if (repeat != 0)
        printf(": the pattern repeats every %" PRIu32 " bytes, the %s begins %" PRIu32 " bytes into it", repeat, what,
               into);
    printf("\n");
}

// The box as CuTe writes it: mode i is dimension i.
static int layout_text(const struct copy *copy, char *text)
{
    struct cute_layout layout;
    if (!cute_of_box(&copy->question->map, &layout)) return 0;
    cute_write(&layout, text);
    return 1;
}

static void print_layout(const struct copy *copy)
{
    char text[CUTE_TEXT_BYTES];
    if (layout_text(copy, text)) printf("%-20s %s in CuTe\n", "layout", text);
}

static void print_verdict(const struct copy *copy)
{
    static const char *const names[] = {"load", "store", "reduction"};
    int error = rule_cuda_error(copy->rule);
    printf("%-20s ", names[copy->question->operation]);
    if (copy->rule != RULE_OK)
        printf("faults with %s (%d):\n", cuda_error_name(error), error);
    else if (copy->question->operation == EXPLAIN_LOAD)
        printf("works, if what is in bounds is mapped\n");
    else
        printf("works, if what it writes is mapped\n");
    findings_print(&copy->findings, stdout);
}

void box_print_summary(const struct copy *copy)
{
    uint32_t shared = copy->question->shared;
    print_tensor(copy);
    if (copy->is_im2col)
        print_column(copy);
    else
        print_tile(copy);
    printf("%-20s 0x%" PRIx32 " to 0x%" PRIx64 ", %" PRIu64 " bytes\n", "shared memory", shared,
           (uint64_t)shared + copy->extent_bytes - 1, copy->extent_bytes);
    if (copy->question->operation == EXPLAIN_LOAD)
        print_load_bytes(copy);
    else
        print_store_bytes(copy);
    print_swizzle(copy);
    print_layout(copy);
    print_verdict(copy);
}

static void add_tile(const struct copy *copy, json_t *json)
{
    const struct tile *tile = &copy->box.tile;
    json_object_update_new(json, json_pack("{s:o, s:I, s:i, s:i}", "steps",
                                           json_numbers(NUMBERS(tile->steps, tile->map->rank)), "rows",
                                           (json_int_t)tile->rows, "rowBytes", (int)tile->row_bytes, "pitchBytes",
                                           (int)tile->pitch_bytes));
}

static void add_column(const struct copy *copy, json_t *json)
{
    const struct im2col *column = &copy->box.column;
    json_object_update_new(json, json_pack("{s:o, s:o, s:o, s:i, s:i, s:i}", "lower",
                                           json_numbers(NUMBERS(column->lower, column->spatials)), "upper",
                                           json_numbers(NUMBERS(column->upper, column->spatials)), "offsets",
                                           json_numbers(NUMBERS(column->offset, column->spatials)), "pixels",
                                           (int)column->pixels, "pixelBytes", (int)column->pixel_bytes, "pitchBytes",
                                           (int)column->pitch_bytes));
}

json_t *box_summary_json(const struct copy *copy)
{
    const struct explain *question = copy->question;
    json_t *json = json_pack(
        "{s:o, s:I, s:I, s:s}", "coord", json_numbers(NUMBERS(question->coord, question->map.rank)), "shared",
        (json_int_t)question->shared, "extentBytes", (json_int_t)copy->extent_bytes, "swizzle", copy->swizzle);
    if (copy->is_im2col)
        add_column(copy, json);
    else
        add_tile(copy, json);
    if (question->operation == EXPLAIN_LOAD) {
        json_object_set_new(json, "expectTx", json_integer((json_int_t)copy->all_bytes));
        json_object_set_new(json, "inBoundsBytes", json_integer((json_int_t)copy->data_bytes));
    } else {
        json_object_set_new(json, "operation",
                            json_string(question->operation == EXPLAIN_STORE ? "store" : reduce_op_name(question->op)));
        json_object_set_new(json, "writtenBytes", json_integer((json_int_t)copy->data_bytes));
        json_object_set_new(json, "pastDimension0Bytes", json_integer((json_int_t)copy->past_bytes));
        json_object_set_new(json, "readBytes", json_integer((json_int_t)copy->reach_bytes));
    }
    char text[CUTE_TEXT_BYTES];
    if (layout_text(copy, text)) json_object_set_new(json, "layout", json_string(text));
    json_object_set_new(json, "result", json_integer(rule_cuda_error(copy->rule)));
    json_object_set_new(json, "findings", findings_array(&copy->findings));
    return json;
}
