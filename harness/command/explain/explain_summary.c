// SPDX-License-Identifier: MIT
// The first part of an answer about a box or column: sizes, positions, bytes that move, and whether the copy works.
#include <inttypes.h>

#include "copy.h"
#include "cute_box.h"
#include "explain_box.h"
#include "map_text.h"
#include "swizzle_names.h"

enum { LINE_BYTES = 128 }; // a swizzle moves bytes inside of a line

static const char *const axes[] = {"W", "H", "D"};

#define AXIS "{@=0?W}{@=1?H}{@=2?D} {}"
const char box_summary_text[] =
    "tensor               {dim*{}| x } {dtype} at {address}\n"
    "coordinates          ({coord*{}|, }), innermost first\n"
    "{steps?box                  {steps*{}| x } {slicedBytes?pixels of {slicedBytes} bytes}{slicedBytes!elements}\n"
    "rows                 {rows} rows of {rowBytes} bytes, pitch {pitchBytes} bytes\n}"
    "{lower?bounding box         {lower*" AXIS " to {^upper.@} by {^strides.@}, }then N by {stepN}\n"
    "{operation!offsets              {offsets*" AXIS "|, }, added to every position\n}"
    "column               {pixels} pixels of {pixelBytes} bytes, pitch {pitchBytes} bytes\n"
    "pixels               {firstPixel*{@} {}| } to {lastPixel*{@} {}| }\n}"
    "shared memory        0x{shared:x} to 0x{last:x}, {extentBytes} bytes\n"
    "{operation!expect_tx            {expectTx} bytes, in and out of bounds\n"
    "in bounds            {inBoundsBytes} bytes; {filledBytes} bytes are filled{filledBytes?"
    "{fillPattern? with 0x{fillPattern:04x} in every 16 bits}{fillPattern! with zeros}}\n}"
    "{operation?{operation=store?written}{operation=store!reduced}"
    "              {writtenBytes} bytes; {skippedBytes} bytes are out of bounds and skipped\n"
    "{pastDimension0Bytes?past dimension 0     {pastDimension0Bytes} bytes of these: 16-byte pieces go whole to global "
    "memory\n}{lastRead=*?reads                to 0x{lastRead:x}, the rest is not read\n}}"
    "swizzle              {swizzle}{repeatBytes?: the pattern repeats every {repeatBytes} bytes, the {steps?box}"
    "{steps!column} begins {repeatOffset?{repeatOffset} bytes into it}{repeatOffset!where it begins}}\n"
    "{layout?layout               {layout} in CuTe\n}"
    "{operation!load     }{operation?{operation=store?store    }{operation=store!reduction}}            "
    "{error?faults with {error} ({result}):}{error!works, if what {operation?it writes}{operation!is in bounds} is "
    "mapped}\n";

// Where the walk stands after all pixels but the last.
static struct im2col_walk last_pixel(const struct copy *copy)
{
    const struct im2col *column = &copy->box.column;
    struct im2col_walk walk;
    struct tile_run run;
    provenance_pixel(column, (column->pixels - 1) * column->pitch_bytes, &walk, &run);
    return walk;
}

// "W": -1, "H": 0, "N": 3
static json_t *position(const struct im2col_walk *walk)
{
    const struct im2col *column = walk->column;
    json_t *json = json_object();
    for (int k = 0; k < column->spatials; k++)
        json_object_set_new(json, axes[k], json_integer(walk->at[k] + column->offset[k]));
    json_object_set_new(json, "N", json_integer(walk->n));
    return json;
}

// The box as CuTe writes it: mode i is dimension i.
static bool layout_text(const struct copy *copy, char *text)
{
    struct cute_layout layout;
    if (!cute_of_box(&copy->question->map, &layout)) return false;
    cute_write(&layout, text);
    return true;
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
    const uint32_t *estride = column->map->estride;
    const struct im2col_walk first = im2col_walk(column), last = last_pixel(copy);
    json_object_update_new(json,
                           json_pack("{s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:o}", "lower",
                                     json_numbers(NUMBERS(column->lower, column->spatials)), "upper",
                                     json_numbers(NUMBERS(column->upper, column->spatials)), "strides",
                                     json_numbers(NUMBERS(estride + column->spatial, column->spatials)), "offsets",
                                     json_numbers(NUMBERS(column->offset, column->spatials)), "stepN",
                                     (int)estride[column->map->rank - 1], "pixels", (int)column->pixels, "pixelBytes",
                                     (int)column->pixel_bytes, "pitchBytes", (int)column->pitch_bytes, "firstPixel",
                                     position(&first), "lastPixel", position(&last)));
}

static void add_load(const struct copy *copy, json_t *json)
{
    const enum tensormap_oob_fill fill = copy->question->map.oob_fill;
    json_object_set_new(json, "expectTx", json_u64(copy->all_bytes));
    json_object_set_new(json, "inBoundsBytes", json_u64(copy->data_bytes));
    json_object_set_new(json, "filledBytes", json_u64(copy->all_bytes - copy->data_bytes));
    if (fill != OOB_FILL_ZERO) json_object_set_new(json, "fillPattern", json_integer(oob_fill_pattern(fill)));
}

static void add_store(const struct copy *copy, json_t *json)
{
    const struct explain *question = copy->question;
    uint64_t reach = copy->reach_bytes;
    json_object_set_new(json, "operation",
                        json_string(question->operation == EXPLAIN_STORE ? "store" : reduce_op_name(question->op)));
    json_object_set_new(json, "writtenBytes", json_u64(copy->data_bytes));
    json_object_set_new(json, "skippedBytes", json_u64(copy->all_bytes - copy->data_bytes));
    json_object_set_new(json, "pastDimension0Bytes", json_u64(copy->past_bytes));
    json_object_set_new(json, "readBytes", json_u64(reach));
    if (question->map.swizzle != SWIZZLE_NONE) reach = (reach + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    if (reach != 0 && reach < copy->extent_bytes)
        json_object_set_new(json, "lastRead", json_u64(question->shared + reach - 1));
}

json_t *box_summary(const struct copy *copy)
{
    const struct explain *question = copy->question;
    const struct tensormap *map = &question->map;
    const uint32_t repeat = swizzle_repeat_bytes(map->swizzle);
    const int error = rule_cuda_error(copy->rule);
    char text[CUTE_TEXT_BYTES];
    json_t *json =
        json_pack("{s:o, s:s, s:o, s:o, s:I, s:I, s:I, s:s, s:I}", "dim", json_numbers(NUMBERS(map->dim, map->rank)),
                  "dtype", dtype_row(map->dtype)->name, "address", json_sprintf("0x%" PRIx64, map->address), "coord",
                  json_numbers(NUMBERS(question->coord, map->rank)), "shared", (json_int_t)question->shared, "last",
                  (json_int_t)(question->shared + copy->extent_bytes - 1), "extentBytes",
                  (json_int_t)copy->extent_bytes, "swizzle", copy->swizzle, "repeatBytes", (json_int_t)repeat);
    if (repeat != 0) json_object_set_new(json, "repeatOffset", json_integer(question->shared % repeat));
    if (map->interleave != INTERLEAVE_NONE)
        json_object_set_new(json, "slicedBytes", json_integer(tensormap_step_bytes(map)));
    copy->is_im2col ? add_column(copy, json) : add_tile(copy, json);
    question->operation == EXPLAIN_LOAD ? add_load(copy, json) : add_store(copy, json);
    if (layout_text(copy, text)) json_object_set_new(json, "layout", json_string(text));
    if (copy->rule != RULE_OK) json_object_set_new(json, "error", json_string(cuda_error_name(error)));
    json_object_set_new(json, "result", json_integer(error));
    json_object_set_new(json, "findings", findings_array(&copy->findings));
    return json;
}
