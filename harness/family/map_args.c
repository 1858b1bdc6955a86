// SPDX-License-Identifier: MIT
// Arguments of the tensor-map calls: JSON, the model, the driver. The random ones are in map_random.c.
#include "map_args.h"

#include <string.h>

#include "cuda.h"

static const char *const function_names[] = {"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col",
                                             "cuTensorMapEncodeIm2colWide", "cuTensorMapReplaceAddress", NULL};

const char *map_function_name(uint32_t function)
{
    return function < MAP_FUNCTIONS ? function_names[function] : "?";
}

// How many array entries a case holds: the rank, or five where the rank is not one.
static uint32_t entries(const void *args)
{
    uint32_t rank = ((const struct map_args *)args)->rank;
    return rank <= TENSORMAP_MAX_RANK ? rank : TENSORMAP_MAX_RANK;
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static uint32_t strides_of(const void *args)
{
    return entries(args) > 0 ? entries(args) - 1 : 0;
}

static uint32_t corners_of(const void *args)
{
    return entries(args) > 2 ? entries(args) - 2 : 0;
}

static int function_of(const void *args)
{
    return 1 << ((const struct map_args *)args)->function;
}

// A data type by name: "FLOAT16", "f16".
static int find_data_type(const char *name, uint64_t *number)
{
    *number = dtype_find(name);
    return *number != DTYPE_COUNT;
}

#define CASE                       struct map_args
#define OF(bits, w)                .is_there = function_of, .only = bits, .where = w
#define ENCODE                     OF(~(1 << MAP_REPLACE_ADDRESS), "the encode calls")
#define IM2COL                     OF(1 << MAP_IM2COL, "cuTensorMapEncodeIm2col")
#define WIDE                       OF(1 << MAP_IM2COL_WIDE, "cuTensorMapEncodeIm2colWide")
#define PIXELS                     OF(1 << MAP_IM2COL | 1 << MAP_IM2COL_WIDE, "the im2col calls")
#define MODE(key, member, meaning) FIELD_NUMBER(key, member, 0, UINT32_MAX, meaning, ENCODE, .missing = FIELD_SUPPLIED)
static const struct field field[] = {
    FIELD_ONE_OF("function", function, function_names, "the call"),
    FIELD_NUMBER("null", null, 0, 2 * MAP_NULL_UPPER - 1, "a bit for each pointer that is NULL",
                 .missing = FIELD_LEFT_OUT),
    FIELD_NUMBER("misalign", misalign, 0, 63, "bytes of the map past a 64-byte boundary", .missing = FIELD_LEFT_OUT),
    FIELD_NUMBER("globalAddress", address, 0, UINT64_MAX, "address of the tensor"),
    FIELD_BYTES("tensorMap", replaced, "the map whose address is replaced",
                OF(1 << MAP_REPLACE_ADDRESS, "cuTensorMapReplaceAddress")),
    FIELD_NUMBER("tensorDataType", data_type, 0, UINT32_MAX, "the driver's number, or a name", ENCODE,
                 .find = find_data_type),
    FIELD_NUMBER("tensorRank", rank, 0, UINT32_MAX, "dimensions", ENCODE),
    FIELD_NUMBERS_OF("globalDim", dim, entries, 0, UINT64_MAX, "elements of each dimension", ENCODE),
    FIELD_NUMBERS_OF("globalStrides", strides, strides_of, 0, UINT64_MAX, "bytes from step to step, but the first",
                     ENCODE),
    FIELD_NUMBERS_OF("elementStrides", estride, entries, 0, UINT32_MAX, "every how many elements", ENCODE),
    FIELD_NUMBERS_OF("boxDim", box, entries, 0, UINT32_MAX, "the box", OF(1 << MAP_TILED, "cuTensorMapEncodeTiled")),
    FIELD_COORDINATES("pixelBoxLowerCorner", lower, corners_of, "where pixels begin", IM2COL),
    FIELD_COORDINATES("pixelBoxUpperCorner", upper, corners_of, "where pixels end", IM2COL),
    FIELD_COORDINATES("pixelBoxLowerCornerWidth", lower, NULL, "where pixels begin along the width", WIDE),
    FIELD_COORDINATES("pixelBoxUpperCornerWidth", upper, NULL, "where pixels end along the width", WIDE),
    FIELD_NUMBER("mode", mode, 0, UINT32_MAX, "the mode of the wide call", WIDE),
    FIELD_NUMBER("channelsPerPixel", channels, 0, UINT32_MAX, "channels of a column", PIXELS),
    FIELD_NUMBER("pixelsPerColumn", pixels, 0, UINT32_MAX, "pixels of a column", PIXELS),
    MODE("interleave", interleave, "the driver's number"),
    MODE("swizzle", swizzle, "the driver's number"),
    MODE("l2Promotion", l2_promotion, "the driver's number"),
    MODE("oobFill", oob_fill, "the driver's number"),
    FIELD_END,
};
#undef CASE

const struct fields map_fields = {.name = "encode case", .field = field, .bytes = sizeof(struct map_args)};

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

enum rule map_args_make(const struct map_args *args, struct tensormap *map)
{
    struct tensormap_image image;
    enum rule rule = map_args_encode(args, &image, NULL);
    if (rule == RULE_OK) tensormap_decode(&image, map, NULL);
    return rule;
}

bool map_args_made(const struct map_args *args, struct tensormap *map)
{
    return map_args_make(args, map) == RULE_OK;
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
    memcpy(arrays->dim, args->dim, sizeof(uint64_t) * entries(args));
    memcpy(arrays->strides, args->strides, sizeof(uint64_t) * strides_of(args));
    memcpy(arrays->box, args->box, sizeof(uint32_t) * entries(args));
    memcpy(arrays->estride, args->estride, sizeof(uint32_t) * entries(args));
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
