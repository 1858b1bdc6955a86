// SPDX-License-Identifier: MIT
#include "map_options.h"

#include <stddef.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "map_bytes.h"
#include "map_names.h"
#include "parse_number.h"

enum { MAX_ENTRIES = 16 };

#define TO struct map_options
#define MAP_TEXT(long_form, what, member, ...)                                                                         \
    OPTION_TEXT(0, long_form, what, member, __VA_ARGS__, .counted_at = offsetof(TO, given))
static const struct command_option rows_of_options[] = {
    OPTION_TITLE(1, "The tensor map:"),
    MAP_TEXT("dtype", "TYPE", data_type, "f16, u8, FLOAT32, ... or the driver's number",
             .words = map_words[MAP_DATA_TYPE]),
    OPTION_ALIAS_OF_IT("tensor-data-type"),
    MAP_TEXT("rank", "N", rank, "dimensions (default: as many as --dim has)"),
    OPTION_ALIAS_OF_IT("tensor-rank"),
    MAP_TEXT("address", "ADDRESS", address, "global address of the tensor (default 0)"),
    OPTION_ALIAS_OF_IT("global-address"),
    MAP_TEXT("dim", "LIST", dim, "elements of each dimension, innermost first: 4096,4096"),
    OPTION_ALIAS_OF_IT("global-dim"),
    MAP_TEXT("strides", "LIST", strides, "bytes per step of dimensions 1 and up (default: packed)"),
    OPTION_ALIAS_OF_IT("global-strides"),
    MAP_TEXT("box", "LIST", box, "elements of the box along each dimension"),
    OPTION_ALIAS_OF_IT("box-dim"),
    MAP_TEXT("element-strides", "LIST", estride, "traversal strides (default 1 everywhere)"),
    MAP_TEXT("interleave", "MODE", interleave, "none (default), 16B or 32B", .words = map_words[MAP_INTERLEAVE]),
    MAP_TEXT("swizzle", "MODE", swizzle, "none (default), 32B, 64B or 128B", .words = map_words[MAP_SWIZZLE]),
    MAP_TEXT("l2-promotion", "SIZE", l2_promotion, "none (default), 64B, 128B or 256B",
             .words = map_words[MAP_L2_PROMOTION]),
    MAP_TEXT("oob-fill", "FILL", oob_fill, "none (default: zeros) or nan", .words = map_words[MAP_OOB_FILL]),
    OPTION_TITLE(2, "An im2col map has these in place of --box:"),
    MAP_TEXT("lower-corner", "LIST", lower, "rank - 2 corners, W first (--wide: one number)"),
    OPTION_ALIAS_OF_IT("pixel-box-lower-corner"),
    MAP_TEXT("upper-corner", "LIST", upper, "rank - 2 corners, W first (--wide: one number)"),
    OPTION_ALIAS_OF_IT("pixel-box-upper-corner"),
    MAP_TEXT("channels", "N", channels, "channels of each pixel"),
    OPTION_ALIAS_OF_IT("channels-per-pixel"),
    MAP_TEXT("pixels", "N", pixels, "pixels of the box"),
    OPTION_ALIAS_OF_IT("pixels-per-column"),
    MAP_TEXT("wide", "MODE", wide, "cuTensorMapEncodeIm2colWide, W or W128", .words = map_words[MAP_WIDE_MODE]),
    OPTION_TITLE(3, "cuTensorMapReplaceAddress has this and --address:"),
    MAP_TEXT("replace", "MAP", replace, "the old map: 256 hex digits, or a file"),
    OPTION_END,
};

const struct command_line map_line = {.options = rows_of_options};

// Reading goes on until the first complaint: `ok` is then 0 and `why` holds a sentence.
struct reading {
    struct map_args *args;
    struct text *why;
    int ok;
};

static void complain(struct reading *reading, const char *option, const char *sentence)
{
    if (reading->ok) text_set(reading->why, "--%s: %s", option, sentence);
    reading->ok = 0;
}

static uint64_t read_number(struct reading *reading, const char *option, const char *text, uint64_t max,
                            uint64_t absent)
{
    struct text why;
    uint64_t value = absent;
    if (text == NULL || parse_u64(text, max, &value)) return value;
    text_set(&why, "'%.64s' is not a whole number from 0 to %s, decimal or 0x...", text,
             max == UINT32_MAX ? "2^32 - 1" : "2^64 - 1");
    complain(reading, option, why.at);
    return absent;
}

static uint32_t read_enum(struct reading *reading, const char *option, enum map_enum which, const char *text)
{
    struct text why;
    uint32_t value = 0;
    if (text != NULL && !map_value_find(which, text, &value, &why)) complain(reading, option, why.at);
    return value;
}

// A list with as many numbers as `wanted`; any number when the rank is none the map has room for.
static void check_count(struct reading *reading, const char *option, int count, int wanted, const char *rule)
{
    struct text why;
    if (count == wanted || reading->args->rank < 1 || reading->args->rank > TENSORMAP_MAX_RANK) return;
    text_set(&why, "has %d number%s, where %s is %d", count, count == 1 ? "" : "s", rule, wanted);
    complain(reading, option, why.at);
}

static int read_u64s(struct reading *reading, const char *option, const char *text, uint64_t max,
                     uint64_t values[MAX_ENTRIES])
{
    struct text why;
    int count = parse_u64_list(text, max, MAX_ENTRIES, values, &why);
    if (count == 0) complain(reading, option, why.at);
    return count;
}

// A list of `rank` numbers into the map's five places; `absent` is the value of all when it is not given.
static void read_u32s(struct reading *reading, const char *option, const char *text, uint32_t absent,
                      uint32_t to[TENSORMAP_MAX_RANK])
{
    uint64_t values[MAX_ENTRIES] = {0};
    int rank = (int)reading->args->rank;
    if (text != NULL && reading->ok)
        check_count(reading, option, read_u64s(reading, option, text, UINT32_MAX, values), rank, "the rank");
    for (int i = 0; i < TENSORMAP_MAX_RANK && (uint32_t)i < reading->args->rank; i++)
        to[i] = text == NULL ? absent : (uint32_t)values[i];
}

static void read_corner(struct reading *reading, const char *option, const char *text, int32_t to[3])
{
    struct text why;
    int64_t values[MAX_ENTRIES] = {0};
    if (text == NULL || !reading->ok) return;
    int count = parse_i64_list(text, INT32_MIN, INT32_MAX, MAX_ENTRIES, values, &why);
    if (count == 0) complain(reading, option, why.at);
    if (reading->args->function == MAP_IM2COL_WIDE)
        check_count(reading, option, count, 1, "the count with --wide");
    else if (reading->args->rank >= 3)
        check_count(reading, option, count, (int)reading->args->rank - 2, "rank - 2");
    for (int i = 0; i < 3; i++) to[i] = (int32_t)values[i];
}

// Rows that follow each other without more of a gap than their alignment asks for; the greatest stride a map cannot
// hold where that is too much.
static void pack_strides(struct map_args *args)
{
    uint32_t align = args->interleave == INTERLEAVE_32B ? 32 : 16;
    unsigned __int128 step = args->data_type < DTYPE_COUNT ? dtype_row((enum dtype)args->data_type)->size_bytes : 1;
    if (args->interleave == INTERLEAVE_16B || args->interleave == INTERLEAVE_32B) step = 16u * args->interleave;
    for (int i = 0; i + 1 < TENSORMAP_MAX_RANK && (uint32_t)i + 1 < args->rank; i++) {
        step = (step * args->dim[i] + align - 1) / align * align;
        if (step > (uint64_t)1 << 63) step = (uint64_t)1 << 63;
        args->strides[i] = (uint64_t)step;
    }
}

static void read_strides(struct reading *reading, const char *text)
{
    uint64_t values[MAX_ENTRIES] = {0};
    struct map_args *args = reading->args;
    if (text == NULL || !reading->ok) {
        pack_strides(args);
        return;
    }
    if (args->rank == 1) complain(reading, "strides", "a map of rank 1 has none");
    if (!reading->ok) return;
    check_count(reading, "strides", read_u64s(reading, "strides", text, UINT64_MAX, values), (int)args->rank - 1,
                "rank - 1");
    memcpy(args->strides, values, sizeof args->strides);
}

static void read_dims(struct reading *reading, const struct map_options *options)
{
    uint64_t values[MAX_ENTRIES] = {0};
    int count = read_u64s(reading, "dim", options->dim, UINT64_MAX, values);
    reading->args->rank = (uint32_t)read_number(reading, "rank", options->rank, UINT32_MAX, (uint64_t)count);
    if (reading->ok) check_count(reading, "dim", count, (int)reading->args->rank, "the rank");
    for (int i = 0; i < TENSORMAP_MAX_RANK && (uint32_t)i < reading->args->rank; i++) reading->args->dim[i] = values[i];
}

static bool is_im2col(const struct map_options *options)
{
    return options->lower != NULL || options->upper != NULL || options->channels != NULL || options->pixels != NULL ||
           options->wide != NULL;
}

static const char *missing(const struct map_options *options)
{
    if (options->data_type == NULL) return "dtype";
    if (options->dim == NULL) return "dim";
    if (!is_im2col(options)) return options->box == NULL ? "box" : NULL;
    if (options->lower == NULL) return "lower-corner";
    if (options->upper == NULL) return "upper-corner";
    if (options->channels == NULL) return "channels";
    return options->pixels == NULL ? "pixels" : NULL;
}

static int read_replace(const struct map_options *options, struct map_args *args, struct text *why)
{
    struct reading reading = {args, why, 1};
    struct tensormap_image image;
    args->function = MAP_REPLACE_ADDRESS;
    if (options->given != 2 || options->address == NULL)
        complain(&reading, "replace", "takes --address and nothing else");
    args->address = read_number(&reading, "address", options->address, UINT64_MAX, 0);
    if (!reading.ok || !map_bytes_read(options->replace, &image, why)) return 0;
    memcpy(args->replaced, image.word, sizeof args->replaced);
    return 1;
}

static void read_box(struct reading *reading, const struct map_options *options)
{
    struct map_args *args = reading->args;
    if (args->function == MAP_TILED) {
        read_u32s(reading, "box", options->box, 1, args->box);
        return;
    }
    if (options->box != NULL) complain(reading, "box", "an im2col map has --channels and --pixels instead");
    args->mode = read_enum(reading, "wide", MAP_WIDE_MODE, options->wide);
    read_corner(reading, "lower-corner", options->lower, args->lower);
    read_corner(reading, "upper-corner", options->upper, args->upper);
    args->channels = (uint32_t)read_number(reading, "channels", options->channels, UINT32_MAX, 0);
    args->pixels = (uint32_t)read_number(reading, "pixels", options->pixels, UINT32_MAX, 0);
}

int map_options_read(const struct map_options *options, struct map_args *args, struct text *why)
{
    struct reading reading = {args, why, 1};
    *args = (struct map_args){0};
    if (options->replace != NULL) return read_replace(options, args, why);
    if (missing(options) != NULL) return text_fail(why, "--%s is needed", missing(options));
    args->function = options->wide != NULL ? MAP_IM2COL_WIDE : is_im2col(options) ? MAP_IM2COL : MAP_TILED;
    args->data_type = read_enum(&reading, "dtype", MAP_DATA_TYPE, options->data_type);
    args->address = read_number(&reading, "address", options->address, UINT64_MAX, 0);
    args->interleave = read_enum(&reading, "interleave", MAP_INTERLEAVE, options->interleave);
    args->swizzle = read_enum(&reading, "swizzle", MAP_SWIZZLE, options->swizzle);
    args->l2_promotion = read_enum(&reading, "l2-promotion", MAP_L2_PROMOTION, options->l2_promotion);
    args->oob_fill = read_enum(&reading, "oob-fill", MAP_OOB_FILL, options->oob_fill);
    read_dims(&reading, options);
    read_strides(&reading, options->strides);
    read_u32s(&reading, "element-strides", options->estride, 1, args->estride);
    read_box(&reading, options);
    return reading.ok;
}

int map_json_read(const char *text, const char *where, struct map_args *args, struct text *why)
{
    json_error_t error;
    json_t *json = json_parse(text, strlen(text), &error);
    if (json == NULL)
        return text_fail(why, "%s:%d:%d: not a JSON object: %.200s", where, error.line, error.column, error.text);
    int ok = fields_read_as(&map_fields, where, json, args, why);
    json_decref(json);
    return ok;
}
