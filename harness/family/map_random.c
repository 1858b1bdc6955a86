// SPDX-License-Identifier: MIT
// Random arguments of the tensor-map calls, biased to where the rules change: start legal, then move a few fields to a
// limit or one step past it.
#include "map_args.h"

#include <string.h>

static const uint32_t powers[] = {4, 5, 15, 16, 31, 32, 33, 36, 39, 40, 41, 56, 57, 58, 63};

// A 64-bit value at, just below or just above a power of two, or a small one.
static uint64_t limit_u64(struct random *random)
{
    static const int64_t near[] = {0, 0, -1, 1, -16, 16, -32, 32};
    if (random_chance(random, 25)) return random_below(random, 40);
    uint64_t power = (uint64_t)1 << random_pick(random, powers);
    return power + (uint64_t)random_pick(random, near);
}

static uint32_t limit_count(struct random *random, uint32_t max)
{
    const uint32_t values[] = {0, 1, 2, max - 1, max, max + 1, 2 * max, 1u << 31, UINT32_MAX};
    return random_pick(random, values);
}

static uint32_t limit_enum(struct random *random, uint32_t past)
{
    const uint32_t values[] = {past, past + 1, past + 2, past + 3, 255, 1u << 31, UINT32_MAX};
    return random_chance(random, 50) ? (uint32_t)random_below(random, past) : random_pick(random, values);
}

static int32_t limit_corner(struct random *random, uint32_t rank)
{
    int32_t limit = rank <= 3 ? 32768 : rank == 4 ? 128 : 16;
    const int32_t values[] = {-limit, -limit - 1, limit - 1, limit, 0, 1, -1, INT32_MIN, INT32_MAX};
    return random_pick(random, values);
}

// Inner box elements: whole 16-byte pieces, within the swizzle's span if there is one.
static uint32_t inner_box(struct random *random, const struct map_args *args, uint32_t max_bytes)
{
    uint32_t element = map_element_bytes(args), most = 256 * element;
    uint32_t span = args->swizzle == SWIZZLE_NONE ? most : 16u << args->swizzle;
    if (args->interleave == INTERLEAVE_NONE && span < most) most = span;
    if (most > max_bytes) most = max_bytes;
    uint32_t pieces = most / 16;
    return (random_chance(random, 40) ? pieces : 1 + (uint32_t)random_below(random, pieces)) * 16 / element;
}

static uint32_t pick_estride(struct random *random)
{
    return random_chance(random, 70) ? 1 : 1 + (uint32_t)random_below(random, TENSORMAP_MAX_ESTRIDE);
}

// Type, rank and modes: legal together.
static void generate_kind(struct random *random, struct map_args *args, uint32_t least_rank)
{
    args->data_type = (uint32_t)random_below(random, DTYPE_COUNT);
    args->rank = least_rank + (uint32_t)random_below(random, TENSORMAP_MAX_RANK + 1 - least_rank);
    args->interleave = args->rank >= 3 && random_chance(random, 30) ? 1 + (uint32_t)random_below(random, 2) : 0;
    args->swizzle = (uint32_t)random_below(random, 4);
    args->l2_promotion = (uint32_t)random_below(random, 4);
    args->oob_fill = dtype_row((enum dtype)args->data_type)->is_float && random_chance(random, 35);
}

uint64_t map_pick_pitch(struct random *random, const struct map_args *args, uint32_t i, uint64_t step_bytes,
                        unsigned percent, uint32_t least, uint32_t most)
{
    uint64_t align = map_align_bytes(args), packed = (step_bytes * args->dim[i] + align - 1) / align * align;
    if (!random_chance(random, percent)) return packed;
    return packed + align * (uint64_t)random_range(random, least, most);
}

void map_pick_strides(struct random *random, const struct map_args *args, unsigned percent, uint32_t least,
                      uint32_t most, uint64_t *strides)
{
    uint64_t extent = map_unit_bytes(args);
    for (uint32_t i = 0; i + 1 < args->rank; i++) {
        extent = map_pick_pitch(random, args, i, extent, percent, least, most);
        if (extent >= (uint64_t)1 << 32) extent = map_align_bytes(args);
        strides[i] = extent;
    }
}

uint64_t map_pick_limit_dim(struct random *random)
{
    static const uint64_t dims[] = {(uint64_t)1 << 31, ((uint64_t)1 << 31) - 1, (uint64_t)1 << 30, 65536, 1};
    return random_pick(random, dims);
}

uint64_t map_pick_limit_stride(struct random *random)
{
    static const uint64_t strides[] = {0, 32, 64, 4096, (uint64_t)1 << 20, (uint64_t)1 << 36, ((uint64_t)1 << 40) - 32};
    return random_pick(random, strides);
}

int32_t map_align_coord(const struct map_args *args, int32_t coord)
{
    int32_t piece = 16 / (int32_t)map_element_bytes(args);
    return coord - (coord % piece + piece) % piece;
}

// Sizes and strides of a packed tensor, padded rows, now and then in another order, equal or zero.
static void generate_tensor(struct random *random, struct map_args *args)
{
    uint64_t extent = map_unit_bytes(args);
    for (uint32_t i = 0; i < args->rank; i++) {
        args->dim[i] = 1 + random_below(random, random_chance(random, 80) ? 64 : 1 << 12);
        if (i + 1 == args->rank) break;
        extent = map_pick_pitch(random, args, i, extent, 50, 0, 7);
        if (extent >= (uint64_t)1 << 40) extent = map_align_bytes(args);
        args->strides[i] = extent;
    }
    for (uint32_t i = 0; i + 2 < args->rank && random_chance(random, 20); i++) {
        uint32_t other = (uint32_t)random_below(random, args->rank - 1);
        uint64_t stride = args->strides[i];
        args->strides[i] = args->strides[other];
        args->strides[other] = random_chance(random, 20) ? 0 : stride;
    }
}

void map_args_generate_tiled(struct random *random, uint32_t max_box_bytes, struct map_args *args)
{
    *args = (struct map_args){.function = MAP_TILED};
    generate_kind(random, args, 1);
    generate_tensor(random, args);
    args->box[0] = inner_box(random, args, max_box_bytes);
    args->estride[0] = pick_estride(random);
    uint32_t bytes = args->box[0] * (uint32_t)map_unit_bytes(args);
    for (uint32_t i = 1; i < args->rank; i++) {
        uint32_t most = max_box_bytes / (bytes > 0 ? bytes : 1);
        args->estride[i] = pick_estride(random);
        most = most > 256 ? 256 : most < 1 ? 1 : most;
        uint32_t steps = 1 + (uint32_t)random_below(random, random_chance(random, 50) && most > 8 ? 8 : most);
        args->box[i] = steps * args->estride[i] - (uint32_t)random_below(random, args->estride[i]);
        if (args->box[i] > TENSORMAP_MAX_BOX) args->box[i] = TENSORMAP_MAX_BOX;
        bytes *= (args->box[i] + args->estride[i] - 1) / args->estride[i];
    }
}

void map_args_generate_im2col(struct random *random, uint32_t max_column_bytes, struct map_args *args)
{
    *args = (struct map_args){.function = MAP_IM2COL};
    generate_kind(random, args, 3);
    args->channels = inner_box(random, args, max_column_bytes);
    uint32_t pixel = args->channels * map_element_bytes(args);
    if (args->swizzle != SWIZZLE_NONE && pixel < 16u << args->swizzle) pixel = 16u << args->swizzle;
    if (pixel < 16 * args->interleave) pixel = 16 * args->interleave;
    uint32_t most = max_column_bytes / pixel;
    most = most > TENSORMAP_MAX_PIXELS ? TENSORMAP_MAX_PIXELS : most < 1 ? 1 : most;
    args->pixels = random_chance(random, 30) ? most : 1 + (uint32_t)random_below(random, most);
    for (uint32_t i = 0; i < args->rank; i++) args->estride[i] = pick_estride(random);
}

static void generate_im2col(struct random *random, struct map_args *args)
{
    generate_kind(random, args, 3);
    generate_tensor(random, args);
    args->channels = inner_box(random, args, 1024);
    args->pixels = 1 + (uint32_t)random_below(random, random_chance(random, 70) ? 64 : TENSORMAP_MAX_PIXELS);
    for (uint32_t i = 0; i < args->rank; i++) args->estride[i] = pick_estride(random);
    int32_t limit = args->rank == 3 ? 32767 : args->rank == 4 ? 127 : 15;
    int32_t reach = random_chance(random, 70) && limit > 4 ? 4 : limit;
    uint32_t corners = args->function == MAP_IM2COL ? args->rank - 2 : 1;
    for (uint32_t i = 0; i < corners; i++) {
        args->lower[i] = (int32_t)random_range(random, -reach, reach);
        args->upper[i] = (int32_t)random_range(random, -reach, reach);
    }
    if (args->function == MAP_IM2COL_WIDE) args->mode = (uint32_t)random_below(random, 2);
}

static void generate_replace(struct random *random, struct map_args *args)
{
    struct map_args inner;
    struct tensormap_image image = {{0}};
    map_args_generate_tiled(random, 4096, &inner);
    if (random_chance(random, 60)) map_args_encode(&inner, &image, NULL);
    for (int i = 0; i < TENSORMAP_BYTES / 8; i++)
        args->replaced[i] = random_chance(random, 60) || image.word[1] != 0 ? image.word[i] : random_u64(random);
    args->address = random_chance(random, 50) ? random_u64(random) >> 7 & ~(uint64_t)15 : limit_u64(random);
    if (random_chance(random, 1) && random_chance(random, 20)) args->null = MAP_NULL_MAP; // the driver dies
}

// What a member counts: bytes or elements, boxes and strides up to `most`, the names of an enumeration, the dimensions
// of a rank, offsets of a corner, one bit for each pointer.
enum limit { LIMIT_U64, LIMIT_COUNT, LIMIT_ENUM, LIMIT_RANK, LIMIT_CORNER, LIMIT_BITS };

struct limited {
    size_t at, bytes;
    uint32_t entries, most;
    enum limit limit;
};

#define ARRAY(member, is, limit_most)                                                                                  \
    {                                                                                                                  \
        offsetof(struct map_args, member), sizeof(((struct map_args *)0)->member[0]),                                  \
            sizeof(((struct map_args *)0)->member) / sizeof(((struct map_args *)0)->member[0]), limit_most, is         \
    }
#define SCALAR(member, is, limit_most)                                                                                 \
    {                                                                                                                  \
        offsetof(struct map_args, member), sizeof(((struct map_args *)0)->member), 1, limit_most, is                   \
    }
static const struct limited arrays[] = {
    ARRAY(dim, LIMIT_U64, 0),
    ARRAY(strides, LIMIT_U64, 0),
    ARRAY(box, LIMIT_COUNT, TENSORMAP_MAX_BOX),
    ARRAY(estride, LIMIT_COUNT, TENSORMAP_MAX_ESTRIDE),
    ARRAY(lower, LIMIT_CORNER, 0),
    ARRAY(upper, LIMIT_CORNER, 0),
};
static const struct limited scalars[] = {
    SCALAR(data_type, LIMIT_ENUM, 13),
    SCALAR(rank, LIMIT_RANK, 0),
    SCALAR(address, LIMIT_U64, 0),
    SCALAR(interleave, LIMIT_ENUM, 3),
    SCALAR(swizzle, LIMIT_ENUM, 4),
    SCALAR(l2_promotion, LIMIT_ENUM, 4),
    SCALAR(oob_fill, LIMIT_ENUM, 2),
    SCALAR(channels, LIMIT_COUNT, TENSORMAP_MAX_BOX),
    SCALAR(pixels, LIMIT_COUNT, TENSORMAP_MAX_PIXELS),
    SCALAR(mode, LIMIT_ENUM, 2),
    SCALAR(null, LIMIT_BITS, 7),
};

static uint64_t limit_of(struct random *random, const struct limited *limited, uint32_t rank)
{
    static const uint32_t ranks[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 16, UINT32_MAX};
    switch (limited->limit) {
    case LIMIT_COUNT:
        return limit_count(random, limited->most);
    case LIMIT_ENUM:
        return limit_enum(random, limited->most);
    case LIMIT_RANK:
        return random_pick(random, ranks);
    case LIMIT_CORNER:
        return (uint64_t)limit_corner(random, rank);
    case LIMIT_BITS:
        return (uint64_t)1 << random_below(random, limited->most);
    default:
        return limit_u64(random);
    }
}

static void mutate(struct random *random, struct map_args *args)
{
    const bool is_array = random_chance(random, 60);
    const uint64_t i = is_array ? random_below(random, TENSORMAP_MAX_RANK) : 0;
    const struct limited *limited = is_array ? &random_pick(random, arrays) : &random_pick(random, scalars);
    const uint64_t value = limit_of(random, limited, args->rank);
    memcpy((char *)args + limited->at + i % limited->entries * limited->bytes, &value, limited->bytes);
}

// A larger box: the byte limit of the driver lies within reach.
static void mutate_box(struct random *random, struct map_args *args)
{
    static const uint32_t sides[] = {8, 16, 32, 57, 64, 114, 128, 228, 255, 256};
    for (uint32_t i = 0; i < TENSORMAP_MAX_RANK; i++) args->box[i] = random_pick(random, sides);
    args->channels = random_pick(random, sides);
    args->pixels = 4 * random_pick(random, sides);
}

// Fields that the function or the rank does not have are 0, so that equal calls are equal cases.
static void normalise(struct map_args *args)
{
    uint32_t rank = args->rank <= TENSORMAP_MAX_RANK ? args->rank : TENSORMAP_MAX_RANK;
    for (uint32_t i = rank; i < TENSORMAP_MAX_RANK; i++) args->dim[i] = args->box[i] = args->estride[i] = 0;
    for (uint32_t i = rank > 0 ? rank - 1 : 0; i < TENSORMAP_MAX_RANK - 1; i++) args->strides[i] = 0;
    uint32_t corners = args->function == MAP_IM2COL ? (rank > 2 ? rank - 2 : 0) : args->function == MAP_IM2COL_WIDE;
    for (uint32_t i = corners; i < 3; i++) args->lower[i] = args->upper[i] = 0;
    if (args->function == MAP_TILED) args->channels = args->pixels = 0;
    if (args->function != MAP_TILED)
        for (int i = 0; i < TENSORMAP_MAX_RANK; i++) args->box[i] = 0;
    if (args->function != MAP_IM2COL_WIDE) args->mode = 0;
    if (args->function != MAP_IM2COL) args->null &= ~(uint32_t)(MAP_NULL_LOWER | MAP_NULL_UPPER);
    if (args->function != MAP_TILED) args->null &= ~(uint32_t)MAP_NULL_BOX;
}

void map_args_generate(struct random *random, struct map_args *args)
{
    static const uint32_t functions[] = {MAP_TILED,  MAP_TILED,       MAP_TILED,          MAP_IM2COL,
                                         MAP_IM2COL, MAP_IM2COL_WIDE, MAP_REPLACE_ADDRESS};
    *args = (struct map_args){.function = random_pick(random, functions)};
    if (random_chance(random, 5)) args->misalign = (uint32_t)random_below(random, 64);
    uint32_t misalign = args->misalign;
    if (args->function == MAP_REPLACE_ADDRESS) {
        generate_replace(random, args);
        return;
    }
    if (args->function == MAP_TILED)
        map_args_generate_tiled(random, random_chance(random, 80) ? 1 << 14 : TENSORMAP_MAX_BOX_BYTES, args);
    else
        generate_im2col(random, args);
    args->misalign = misalign;
    args->address = random_u64(random) >> 7 & ~(map_align_bytes(args) - 1);
    if (random_chance(random, 10)) mutate_box(random, args);
    for (uint64_t moves = random_chance(random, 55) ? 0 : 1 + random_below(random, 3); moves > 0; moves--)
        mutate(random, args);
    normalise(args);
}
