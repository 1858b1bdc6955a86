// SPDX-License-Identifier: MIT
#include "map_text.h"

#include <inttypes.h>
#include <string.h>

#include "finding_text.h"
#include "json.h"
#include "map_names.h"

void map_print_hex(const struct tensormap_image *image, FILE *out)
{
    const unsigned char *bytes = (const unsigned char *)image->word;
    for (int i = 0; i < TENSORMAP_BYTES; i++) fprintf(out, "%02x", bytes[i]);
    fprintf(out, "\n");
}

void map_print_words(const struct tensormap_image *image, FILE *out)
{
    for (int i = 0; i < TENSORMAP_BYTES / 8; i++) fprintf(out, "bit %4d: 0x%016" PRIx64 "\n", 64 * i, image->word[i]);
}

static void print_enum(const char *field, enum map_enum which, uint32_t value, FILE *out)
{
    const char *name = map_value_name(which, value);
    fprintf(out, "%-20s %s (%" PRIu32 ")\n", field, name == NULL ? "no value of a driver" : name, value);
}

static void print_numbers(const char *field, struct numbers numbers, FILE *out)
{
    fprintf(out, "%-20s %s\n", field, text_numbers(numbers, ", ").at);
}

static int entries(const struct tensormap *map)
{
    return map->rank < TENSORMAP_MAX_RANK ? map->rank : TENSORMAP_MAX_RANK;
}

static void print_im2col(const struct tensormap *map, FILE *out)
{
    int corners = entries(map) > 2 ? entries(map) - 2 : 0;
    print_numbers("pixelBoxLowerCorner", NUMBERS(map->lower, corners), out);
    print_numbers("pixelBoxUpperCorner", NUMBERS(map->upper, corners), out);
    fprintf(out, "%-20s %" PRIu32 "\n", "channelsPerPixel", map->box[0]);
    fprintf(out, "%-20s %" PRIu32 "\n", "pixelsPerColumn", map->pixels);
}

static void print_dimensions(const struct tensormap *map, FILE *out)
{
    print_numbers("globalDim", NUMBERS(map->dim, entries(map)), out);
    fprintf(out, "%-20s %s\n", "globalStrides",
            map->rank == 1 ? "none" : text_numbers(NUMBERS(map->stride + 1, entries(map) - 1), ", ").at);
    if (map->mode == TENSORMAP_TILED)
        print_numbers("boxDim", NUMBERS(map->box, entries(map)), out);
    else
        print_im2col(map, out);
    print_numbers("elementStrides", NUMBERS(map->estride, entries(map)), out);
}

void map_print_fields(const struct tensormap *map, FILE *out)
{
    fprintf(out, "%-20s %s\n", "mode", map->mode == TENSORMAP_TILED ? "tiled" : "im2col");
    if (map->dtype == DTYPE_COUNT)
        fprintf(out, "%-20s a format that no data type has\n", "tensorDataType");
    else
        print_enum("tensorDataType", MAP_DATA_TYPE, (uint32_t)map->dtype, out);
    fprintf(out, "%-20s %d\n", "tensorRank", map->rank);
    fprintf(out, "%-20s 0x%" PRIx64 "\n", "globalAddress", map->address);
    print_dimensions(map, out);
    print_enum("interleave", MAP_INTERLEAVE, (uint32_t)map->interleave, out);
    print_enum("swizzle", MAP_SWIZZLE, (uint32_t)map->swizzle, out);
    print_enum("l2Promotion", MAP_L2_PROMOTION, (uint32_t)map->l2_promotion, out);
    print_enum("oobFill", MAP_OOB_FILL, (uint32_t)map->oob_fill, out);
    fprintf(out, "%-20s %" PRIu32 "\n", "(bytes of the box)", map->box_bytes);
    fprintf(out, "%-20s %" PRIu32 "\n", "(pattern alignment)", map->pattern_bytes);
}

bool map_args_of(const struct tensormap *map, struct map_args *args)
{
    *args = (struct map_args){.function = map->mode == TENSORMAP_TILED ? MAP_TILED : MAP_IM2COL,
                              .data_type = (uint32_t)map->dtype,
                              .rank = (uint32_t)map->rank,
                              .address = map->address,
                              .interleave = (uint32_t)map->interleave,
                              .swizzle = (uint32_t)map->swizzle,
                              .l2_promotion = (uint32_t)map->l2_promotion,
                              .oob_fill = (uint32_t)map->oob_fill,
                              .channels = map->mode == TENSORMAP_TILED ? 0 : map->box[0],
                              .pixels = map->pixels};
    memcpy(args->dim, map->dim, sizeof args->dim);
    memcpy(args->strides, map->stride + 1, sizeof args->strides);
    memcpy(args->estride, map->estride, sizeof args->estride);
    if (map->mode == TENSORMAP_TILED) memcpy(args->box, map->box, sizeof args->box);
    memcpy(args->lower, map->lower, sizeof args->lower);
    memcpy(args->upper, map->upper, sizeof args->upper);
    return map->rank <= TENSORMAP_MAX_RANK && map->dtype != DTYPE_COUNT && map->interleave <= INTERLEAVE_32B &&
           (map->mode == TENSORMAP_TILED || map->rank >= 3);
}

static void print_call_box(const struct map_args *args, FILE *out)
{
    const int rank = (int)args->rank;
    if (args->function == MAP_TILED)
        fprintf(out, "    (cuuint32_t[]){%s}, ", text_numbers(NUMBERS(args->box, rank), ", ").at);
    else
        fprintf(out, "    (int[]){%s}, (int[]){%s}, %" PRIu32 ", %" PRIu32 ", ",
                text_numbers(NUMBERS(args->lower, rank - 2), ", ").at,
                text_numbers(NUMBERS(args->upper, rank - 2), ", ").at, args->channels, args->pixels);
}

void map_print_call(const struct map_args *args, FILE *out)
{
    int rank = (int)args->rank;
    fprintf(out, "%s(&map, %s, %d, (void *)0x%" PRIx64 ",\n    (cuuint64_t[]){%s}, (cuuint64_t[]){%s},\n",
            map_function_name(args->function), map_value_name(MAP_DATA_TYPE, args->data_type), rank, args->address,
            text_numbers(NUMBERS(args->dim, rank), ", ").at,
            text_numbers(NUMBERS(args->strides, rank > 1 ? rank - 1 : 1), ", ").at); // rank 1 too wants an array
    print_call_box(args, out);
    fprintf(out, "(cuuint32_t[]){%s},\n    %s, %s,\n    %s, %s);\n",
            text_numbers(NUMBERS(args->estride, rank), ", ").at, map_value_name(MAP_INTERLEAVE, args->interleave),
            map_value_name(MAP_SWIZZLE, args->swizzle), map_value_name(MAP_L2_PROMOTION, args->l2_promotion),
            map_value_name(MAP_OOB_FILL, args->oob_fill));
}

static json_t *names_json(const struct map_args *args)
{
    return json_pack("{s:s*, s:s*, s:s*, s:s*, s:s*}", "tensorDataType", map_value_name(MAP_DATA_TYPE, args->data_type),
                     "interleave", map_value_name(MAP_INTERLEAVE, args->interleave), "swizzle",
                     map_value_name(MAP_SWIZZLE, args->swizzle), "l2Promotion",
                     map_value_name(MAP_L2_PROMOTION, args->l2_promotion), "oobFill",
                     map_value_name(MAP_OOB_FILL, args->oob_fill));
}

json_t *map_json(const struct tensormap_image *image, const struct tensormap *map)
{
    struct map_args args;
    bool has_call = map_args_of(map, &args);
    json_t *json = json_object();
    json_object_set_new(json, "map", json_hex((const uint8_t *)image->word, TENSORMAP_BYTES));
    json_object_set_new(json, "call", has_call ? fields_write(&map_fields, &args) : json_null());
    json_object_set_new(json, "names", has_call ? names_json(&args) : json_null());
    json_object_set_new(json, "boxBytes", json_integer(map->box_bytes));
    json_object_set_new(json, "patternBytes", json_integer(map->pattern_bytes));
    return json;
}

void findings_print(const struct findings *findings, FILE *out)
{
    static struct line line;
    line_start(&line);
    findings_text(findings, &line);
    fputs(line.bytes, out);
}

json_t *findings_array(const struct findings *findings)
{
    static struct line line;
    line_start(&line);
    findings_json(findings, &line);
    return json_loads(line.bytes, 0, NULL);
}
