// SPDX-License-Identifier: MIT
// Arguments of the tensor-map calls: JSON, the model, the driver. The random ones are in map_random.c.
#include "map_args.h"

#include <string.h>

#include "cuda.h"
#include "json.h"

static const char *const function_names[] = {"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col",
                                             "cuTensorMapEncodeIm2colWide", "cuTensorMapReplaceAddress", NULL};

const char *map_function_name(uint32_t function)
{
    return function < MAP_FUNCTIONS ? function_names[function] : "?";
}

// How many array entries a case holds: the rank, or five where the rank is not one.
static int entries(const struct map_args *args)
{
    return args->rank <= TENSORMAP_MAX_RANK ? (int)args->rank : TENSORMAP_MAX_RANK;
}

static int corners(const struct map_args *args)
{
    return entries(args) > 2 ? entries(args) - 2 : 0;
}

static void write_box(const struct map_args *args, json_t *json)
{
    if (args->function == MAP_TILED) {
        json_object_set_new(json, "boxDim", json_u32s(args->box, entries(args)));
        return;
    }
    if (args->function == MAP_IM2COL) {
        json_object_set_new(json, "pixelBoxLowerCorner", json_i32s(args->lower, corners(args)));
        json_object_set_new(json, "pixelBoxUpperCorner", json_i32s(args->upper, corners(args)));
    } else {
        json_object_set_new(json, "pixelBoxLowerCornerWidth", json_integer(args->lower[0]));
        json_object_set_new(json, "pixelBoxUpperCornerWidth", json_integer(args->upper[0]));
        json_object_set_new(json, "mode", json_u64(args->mode));
    }
    json_object_set_new(json, "channelsPerPixel", json_u64(args->channels));
    json_object_set_new(json, "pixelsPerColumn", json_u64(args->pixels));
}

json_t *map_args_write(const struct map_args *args)
{
    json_t *json = json_object();
    json_object_set_new(json, "function", json_string(map_function_name(args->function)));
    if (args->null != 0) json_object_set_new(json, "null", json_u64(args->null));
    if (args->misalign != 0) json_object_set_new(json, "misalign", json_u64(args->misalign));
    json_object_set_new(json, "globalAddress", json_u64(args->address));
    if (args->function == MAP_REPLACE_ADDRESS) {
        json_object_set_new(json, "tensorMap", json_hex((const uint8_t *)args->replaced, TENSORMAP_BYTES));
        return json;
    }
    json_object_set_new(json, "tensorDataType", json_u64(args->data_type));
    json_object_set_new(json, "tensorRank", json_u64(args->rank));
    json_object_set_new(json, "globalDim", json_u64s(args->dim, entries(args)));
    json_object_set_new(json, "globalStrides", json_u64s(args->strides, entries(args) > 0 ? entries(args) - 1 : 0));
    json_object_set_new(json, "elementStrides", json_u32s(args->estride, entries(args)));
    write_box(args, json);
    json_object_set_new(json, "interleave", json_u64(args->interleave));
    json_object_set_new(json, "swizzle", json_u64(args->swizzle));
    json_object_set_new(json, "l2Promotion", json_u64(args->l2_promotion));
    json_object_set_new(json, "oobFill", json_u64(args->oob_fill));
    return json;
}

static void read_box(struct json_reader *reader, struct map_args *args)
{
    if (args->function == MAP_TILED) {
        json_read_u32s(reader, "boxDim", entries(args), args->box);
        return;
    }
    if (args->function == MAP_IM2COL) {
        json_read_i32s(reader, "pixelBoxLowerCorner", corners(args), args->lower);
        json_read_i32s(reader, "pixelBoxUpperCorner", corners(args), args->upper);
    } else {
        args->lower[0] = (int32_t)json_read_i64(reader, "pixelBoxLowerCornerWidth", INT32_MIN, INT32_MAX);
        args->upper[0] = (int32_t)json_read_i64(reader, "pixelBoxUpperCornerWidth", INT32_MIN, INT32_MAX);
        args->mode = (uint32_t)json_read_u64(reader, "mode", UINT32_MAX);
    }
    args->channels = (uint32_t)json_read_u64(reader, "channelsPerPixel", UINT32_MAX);
    args->pixels = (uint32_t)json_read_u64(reader, "pixelsPerColumn", UINT32_MAX);
}

// A data type by number or by name ("FLOAT16", "f16").
static uint32_t read_data_type(struct json_reader *reader)
{
    const char *name = json_string_value(json_object_get(reader->object, "tensorDataType"));
    if (name == NULL || dtype_find(name) == DTYPE_COUNT)
        return (uint32_t)json_read_u64(reader, "tensorDataType", UINT32_MAX);
    json_read_any(reader, "tensorDataType");
    return (uint32_t)dtype_find(name);
}

int map_args_read(const json_t *json, const char *where, struct map_args *args, struct text *why)
{
    struct json_reader reader = json_reader_open(json, where, why);
    *args = (struct map_args){0};
    args->function = (uint32_t)json_read_name(&reader, "function", function_names);
    args->null = (uint32_t)json_read_u64_or(&reader, "null", 2 * MAP_NULL_UPPER - 1, 0);
    args->misalign = (uint32_t)json_read_u64_or(&reader, "misalign", 63, 0);
    args->address = json_read_u64(&reader, "globalAddress", UINT64_MAX);
    if (args->function == MAP_REPLACE_ADDRESS) {
        json_read_hex(&reader, "tensorMap", (uint8_t *)args->replaced, TENSORMAP_BYTES);
        return json_reader_close(&reader);
    }
    args->data_type = read_data_type(&reader);
    args->rank = (uint32_t)json_read_u64(&reader, "tensorRank", UINT32_MAX);
    json_read_u64s(&reader, "globalDim", entries(args), UINT64_MAX, args->dim);
    json_read_u64s(&reader, "globalStrides", entries(args) > 0 ? entries(args) - 1 : 0, UINT64_MAX, args->strides);
    json_read_u32s(&reader, "elementStrides", entries(args), args->estride);
    read_box(&reader, args);
    args->interleave = (uint32_t)json_read_u64_or(&reader, "interleave", UINT32_MAX, 0);
    args->swizzle = (uint32_t)json_read_u64_or(&reader, "swizzle", UINT32_MAX, 0);
    args->l2_promotion = (uint32_t)json_read_u64_or(&reader, "l2Promotion", UINT32_MAX, 0);
    args->oob_fill = (uint32_t)json_read_u64_or(&reader, "oobFill", UINT32_MAX, 0);
    return json_reader_close(&reader);
}

// NULL where the case says so.
#define POINTER(args, bit, pointer) (((args)->null & (bit)) != 0 ? NULL : (pointer))

enum rule map_args_encode(const struct map_args *args, struct tensormap_image *image, struct findings *findings)
{
    const struct map_args *a = args;
    const uint64_t *dim = POINTER(a, MAP_NULL_DIM, a->dim), *strides = POINTER(a, MAP_NULL_STRIDES, a->strides);
    const uint32_t *box = POINTER(a, MAP_NULL_BOX, a->box), *estride = POINTER(a, MAP_NULL_ESTRIDES, a->estride);
    const int *lower = POINTER(a, MAP_NULL_LOWER, a->lower), *upper = POINTER(a, MAP_NULL_UPPER, a->upper);
    image = POINTER(a, MAP_NULL_MAP, image);
    switch (a->function) {
    case MAP_TILED:
        return tensormap_encode_tiled(image, a->data_type, a->rank, a->address, dim, strides, box, estride,
                                      a->interleave, a->swizzle, a->l2_promotion, a->oob_fill, findings);
    case MAP_IM2COL:
        return tensormap_encode_im2col(image, a->data_type, a->rank, a->address, dim, strides, lower, upper,
                                       a->channels, a->pixels, estride, a->interleave, a->swizzle, a->l2_promotion,
                                       a->oob_fill, findings);
    case MAP_IM2COL_WIDE:
        return tensormap_encode_im2col_wide(image, a->data_type, a->rank, a->address, dim, strides, a->lower[0],
                                            a->upper[0], a->channels, a->pixels, estride, a->interleave, a->mode,
                                            a->swizzle, a->l2_promotion, a->oob_fill, findings);
    default:
        if (image != NULL) memcpy(image->word, a->replaced, TENSORMAP_BYTES);
        return tensormap_replace_address(image, a->address, findings);
    }
}

// The arrays as the driver reads them: long enough for any rank that does not crash it.
struct driver_arrays {
    uint64_t dim[MAP_ARGS_ENTRIES], strides[MAP_ARGS_ENTRIES];
    uint32_t box[MAP_ARGS_ENTRIES], estride[MAP_ARGS_ENTRIES];
    int lower[MAP_ARGS_ENTRIES], upper[MAP_ARGS_ENTRIES];
    _Alignas(64) unsigned char map[TENSORMAP_BYTES + 64];
};

static void fill_arrays(const struct map_args *args, struct driver_arrays *arrays)
{
    for (int i = 0; i < MAP_ARGS_ENTRIES; i++) {
        arrays->dim[i] = arrays->box[i] = arrays->estride[i] = 1;
        arrays->strides[i] = 16;
        arrays->lower[i] = arrays->upper[i] = 0;
    }
    memcpy(arrays->dim, args->dim, sizeof(uint64_t) * (size_t)entries(args));
    if (entries(args) > 1) memcpy(arrays->strides, args->strides, sizeof(uint64_t) * (size_t)(entries(args) - 1));
    memcpy(arrays->box, args->box, sizeof(uint32_t) * (size_t)entries(args));
    memcpy(arrays->estride, args->estride, sizeof(uint32_t) * (size_t)entries(args));
    memcpy(arrays->lower, args->lower, sizeof args->lower);
    memcpy(arrays->upper, args->upper, sizeof args->upper);
    memcpy(arrays->map + args->misalign, args->replaced, TENSORMAP_BYTES);
}

int map_args_call(const struct cuda_driver *driver, const struct map_args *args, struct tensormap_image *image)
{
    const struct map_args *a = args;
    struct driver_arrays arrays;
    fill_arrays(a, &arrays);
    void *place = arrays.map + a->misalign; // the driver takes any alignment; the type does not
    struct tensormap_image *map = POINTER(a, MAP_NULL_MAP, place);
    const uint64_t *dim = POINTER(a, MAP_NULL_DIM, arrays.dim), *strides = POINTER(a, MAP_NULL_STRIDES, arrays.strides);
    const uint32_t *box = POINTER(a, MAP_NULL_BOX, arrays.box);
    const uint32_t *estride = POINTER(a, MAP_NULL_ESTRIDES, arrays.estride);
    const int *lower = POINTER(a, MAP_NULL_LOWER, arrays.lower), *upper = POINTER(a, MAP_NULL_UPPER, arrays.upper);
    void *address = (void *)(uintptr_t)a->address;
    int error;
    switch (a->function) {
    case MAP_TILED:
        error = (int)driver->cuTensorMapEncodeTiled(map, a->data_type, a->rank, address, dim, strides, box, estride,
                                                    a->interleave, a->swizzle, a->l2_promotion, a->oob_fill);
        break;
    case MAP_IM2COL:
        error = (int)driver->cuTensorMapEncodeIm2col(map, a->data_type, a->rank, address, dim, strides, lower, upper,
                                                     a->channels, a->pixels, estride, a->interleave, a->swizzle,
                                                     a->l2_promotion, a->oob_fill);
        break;
    case MAP_IM2COL_WIDE:
        error = (int)driver->cuTensorMapEncodeIm2colWide(map, a->data_type, a->rank, address, dim, strides, a->lower[0],
                                                         a->upper[0], a->channels, a->pixels, estride, a->interleave,
                                                         a->mode, a->swizzle, a->l2_promotion, a->oob_fill);
        break;
    default:
        error = (int)driver->cuTensorMapReplaceAddress(map, address);
        break;
    }
    memcpy(image->word, place, TENSORMAP_BYTES);
    return error;
}
