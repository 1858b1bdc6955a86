// SPDX-License-Identifier: MIT
// The cases of textures: a number gives a texture, its texels and the coordinates of its fetches, the same in C11 and
// in CUDA. The suite `texture` reads them by the model, tests/texture/probe.cu by a GPU; recorded.txt has what an H200
// gave.
#ifndef TMAREF_TEXTURE_CASE_H
#define TMAREF_TEXTURE_CASE_H
#include <stdint.h>
#include <string.h>

enum case_shape {
    SHAPE_1D,
    SHAPE_2D,
    SHAPE_3D,
    SHAPE_A1D,
    SHAPE_A2D,
    SHAPE_CUBE,
    SHAPE_ACUBE,
    SHAPE_LINEAR,
    SHAPE_PITCH
};
enum case_op {
    OP_TEX,
    OP_LEVEL,
    OP_GRAD,
    OP_GATHER // shape says the geometry
};
enum case_texels { TEXELS_BITS, TEXELS_UNIT, TEXELS_WIDE, TEXELS_SPECIAL, TEXELS_STEP };
enum case_coords { COORDS_MIXED, COORDS_EXACT, COORDS_SWEEP };

struct texture_case {
    uint32_t number, fetches;
    uint32_t shape, op, texels, coords;
    uint32_t format, channels; // CU_AD_FORMAT_*
    uint32_t width, height, depth, levels;
    uint32_t address[3], filter, flags; // CU_TR_ADDRESS_MODE_*, CU_TR_FILTER_MODE_*, CU_TRSF_*
    uint32_t mip_filter, aniso;
    float bias, least, most, border[4];
    uint32_t integer_result, integer_coords; // u32 instead of f32; s32 coordinates
    uint32_t component;                      // of a gather
    float start, step;                       // COORDS_SWEEP
};

static inline uint32_t case_hash(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t x = ((uint64_t)a << 32 | b) + 0x9e3779b97f4a7c15u * ((uint64_t)c + 1);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((x ^ x >> 31) >> 16);
}

static inline float case_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static inline uint32_t case_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static inline uint32_t case_channel_bytes(uint32_t format)
{
    return format == 1 || format == 8 ? 1 : format == 2 || format == 9 || format == 0x10 ? 2 : 4;
}

// Channel value i of a level: the bits of it
static inline uint32_t case_texel(const struct texture_case *c, uint32_t level, uint32_t i)
{
    uint32_t h = case_hash(c->number, i, 77 + level);
    if (c->texels == TEXELS_STEP) {
        uint32_t odd = i / c->channels & 1;
        return c->format == 0x20   ? (odd ? 0x3f800000u : 0)
               : c->format == 0x10 ? (odd ? 0x3c00u : 0)
               : odd               ? 0xffffffffu
                                   : 0;
    }
    if (c->format == 0x20) {
        if (c->texels == TEXELS_UNIT) return case_bits((float)(int32_t)h * 4.656612873077393e-10f);
        if (c->texels == TEXELS_WIDE) // exponents within 2^-20 .. 2^20
            return (h & 0x807fffffu) | (107u + (h >> 23 & 0xff) % 40) << 23;
        if (c->texels == TEXELS_SPECIAL && h % 8 == 0) {
            static const uint32_t special[8] = {0x7fc00000u, 0x7f800000u, 0xff800000u, 1u,
                                                0x80000000u, 0x7f7fffffu, 0xff7fffffu, 0x807fffffu};
            return special[h / 8 % 8];
        }
        return h;
    }
    if (c->format == 0x10) {
        if (c->texels == TEXELS_UNIT) return (h & 0x83ffu) | (8u + (h >> 16) % 7) << 10;
        if (c->texels == TEXELS_WIDE) return (h & 0x83ffu) | (h >> 16) % 31 << 10;
    }
    return h;
}

// Coordinate axis (0 x, 1 y, 2 z) of fetch i, in texels for COORDS_EXACT: floats whose fraction is a multiple of 1/256
static inline float case_coord(const struct texture_case *c, uint32_t i, uint32_t axis)
{
    uint32_t size = axis == 0 ? c->width : axis == 1 ? c->height : c->depth;
    uint32_t h = case_hash(c->number, i, 1000 + axis), g = case_hash(c->number, i, 2000 + axis);
    float scale = c->flags & 2 ? 1.0f / (float)(size ? size : 1) : 1.0f;
    if (!size) size = 1;
    if (c->coords == COORDS_SWEEP) return axis ? 0.5f * scale : c->start + (float)i * c->step;
    if (c->coords == COORDS_EXACT) {
        float at = (float)(h % size) + 0.5f + (float)(g % 256) / 256.0f;
        return at * scale;
    }
    switch (h % 16) {
    case 0: {
        static const uint32_t special[16] = {
            0x7fc00000u, 0x7f800000u, 0xff800000u, 0x00000001u, 0x80000000u, 0x7f7fffffu, 0xff7fffffu, 0x80000001u,
            0x4b000001u, 0xcb000001u, 0x4f000000u, 0xcf000000u, 0x4e7fffffu, 0xffc00001u, 0x5f000000u, 0x00000000u};
        return case_float(special[h / 16 % 16]);
    }
    case 1:
        return case_float(g); // any bits
    case 2:
    case 3: // a texel's border or centre, or beside it
        return case_float(case_bits((float)((int32_t)(g % (2 * size + 1)) - (int32_t)(size / 2)) * 0.5f * scale) +
                          h / 16 % 3 - 1);
    case 4:
        return ((float)(int32_t)g * 4.656612873077393e-10f) * 40.0f * (float)size * scale;
    case 5:
    case 6:
        return ((float)(int32_t)g * 4.656612873077393e-10f) * 3.0f * (float)size * scale;
    case 7: // near a step of 1/512 of a texel
        return case_float(case_bits((float)(g % (size * 512 + 1)) / 512.0f * scale) + h / 16 % 3 - 1);
    default:
        return (float)(g >> 8) / 16777216.0f * (float)size * scale;
    }
}

// A direction of a cube map
static inline float case_direction(const struct texture_case *c, uint32_t i, uint32_t axis)
{
    uint32_t h = case_hash(c->number, i, 3000 + axis), kind = case_hash(c->number, i, 3003);
    float at = (float)(int32_t)h * 4.656612873077393e-10f;
    if (kind % 16 == 0) {
        static const uint32_t special[8] = {0x7fc00000u, 0x7f800000u, 0xff800000u, 0,
                                            0x80000000u, 0x3f800000u, 0xbf800000u, 1u};
        return case_float(special[h % 8]);
    }
    if (kind % 16 == 1) return case_float(h);
    if (kind % 16 < 5) return (float)((int32_t)(h % 17) - 8) * 0.125f;
    return at;
}

static inline int32_t case_layer(const struct texture_case *c, uint32_t i)
{
    uint32_t h = case_hash(c->number, i, 4000);
    return h % 8 == 0 ? (int32_t)(h / 8 % 40) - 10 : (int32_t)(h / 8 % (c->depth ? c->depth : 1));
}

static inline int32_t case_integer(const struct texture_case *c, uint32_t i, uint32_t axis)
{
    uint32_t size = axis == 0 ? c->width : axis == 1 ? c->height : c->depth, h = case_hash(c->number, i, 5000 + axis);
    if (h % 16 == 0) return (int32_t)case_hash(c->number, i, 5100 + axis);
    if (h % 16 < 4) return (int32_t)(h / 16 % (3 * size + 1)) - (int32_t)size;
    return (int32_t)(h / 16 % (size ? size : 1));
}

// The level of a fetch, or an element (0..8) of its gradients
static inline float case_level(const struct texture_case *c, uint32_t i, uint32_t which)
{
    uint32_t h = case_hash(c->number, i, 6000 + which);
    if (c->op == OP_GRAD) {
        uint32_t size = which % 3 == 0 ? c->width : which % 3 == 1 ? c->height : c->depth;
        float unit = c->flags & 2 ? 1.0f / (float)(size ? size : 1) : 1.0f;
        float at = (float)(int32_t)h * 4.656612873077393e-10f;
        return at * at * at * 8.0f * unit;
    }
    if (h % 32 == 0) return case_float(case_hash(c->number, i, 6100));
    if (h % 4 == 1) return (float)(h / 4 % 4096) / 512.0f - 1.0f;
    return (float)(h >> 8) / 16777216.0f * 6.0f - 0.5f;
}

static inline void case_filters(struct texture_case *c, uint32_t n)
{ // each filterable format, 1D 2D 3D; floats with two kinds of texels
    static const struct {
        uint8_t format, texels;
    } rows[12] = {{0x20, TEXELS_UNIT},
                  {0x20, TEXELS_WIDE},
                  {0x20, TEXELS_BITS},
                  {0x10, TEXELS_UNIT},
                  {0x10, TEXELS_WIDE},
                  {1, 0},
                  {8, 0},
                  {2, 0},
                  {9, 0},
                  {0x20, TEXELS_SPECIAL},
                  {0x10, TEXELS_BITS},
                  {0x20, TEXELS_STEP}};
    c->format = rows[n / 3].format;
    c->texels = rows[n / 3].texels;
    c->shape = n % 3;
    c->width = c->shape == 0 ? 8192 : c->shape == 1 ? 128 : 32;
    c->height = c->shape == 0 ? 0 : c->shape == 1 ? 64 : 16;
    c->depth = c->shape == 2 ? 16 : 0;
}

static inline void case_sweeps(struct texture_case *c, uint32_t n)
{ // sweeps: where the weight steps
    static const struct {
        float start, step;
        uint32_t width, normal;
    } rows[12] = {{0.5f, 1.0f / 2048, 2, 0},          {0.5f, 1.0f / 8192, 2, 0},
                  {1000.5f, 1.0f / 2048, 2048, 0},    {30000.5f, 1.0f / 1024, 32768, 0},
                  {-0.75f, 1.0f / 1024, 2, 0},        {0.25f, 1.0f / 4096, 2, 1},
                  {0.5f / 7, 1.0f / 7 / 1024, 7, 1},  {0.3f, 1.0f / 100 / 1024, 100, 1},
                  {0.9f, 1.0f / 1000 / 512, 1000, 1}, {0.7f, 1.0f / 32768 / 256, 32768, 1},
                  {-3.1f, 1.0f / 256 / 3, 3, 1},      {10.2f, 1.0f / 1024 / 5, 5, 1}};
    c->shape = SHAPE_1D;
    c->format = 0x20;
    c->texels = TEXELS_STEP;
    c->coords = COORDS_SWEEP;
    c->start = rows[n].start;
    c->step = rows[n].step;
    c->width = rows[n].width;
    c->flags = rows[n].normal ? 2 : 0;
    c->address[0] = rows[n].normal ? n % 2 ? 2 : 0 : 1;
}

static inline void case_points(struct texture_case *c, uint32_t n)
{ // sRGB point and linear; point reads of u8..s16 as floats, all values
    static const uint8_t formats[8] = {0x20, 0x10, 1, 8, 2, 9, 3, 10};
    c->shape = SHAPE_1D;
    c->width = 8192;
    c->format = n < 2 ? 1 : formats[n % 4 + 2];
    c->channels = n < 2 ? 4 : 1;
    c->flags = n < 2 ? 0x10 : 0;
    c->filter = n & 1;
    if (n >= 2) c->filter = 0, c->channels = n < 6 ? 1 : 2;
}

static inline void case_addresses(struct texture_case *c, uint32_t n)
{ // sweeps of point sampling, each address mode, normalised and not
    c->shape = SHAPE_1D;
    c->filter = n / 8;
    c->format = 0x20;
    c->texels = TEXELS_UNIT;
    c->width = 5;
    c->coords = COORDS_SWEEP;
    c->flags = n & 4 ? 2 : 0;
    c->address[0] = n % 4;
    c->start = n & 4 ? -3.0f : -12.0f;
    c->step = n & 4 ? 7.0f / 2048 : 30.0f / 2048;
    for (int i = 0; i < 4; i++) c->border[i] = 0.25f * (float)(i + 1);
}

static inline void case_mipmaps(struct texture_case *c, uint32_t n)
{ // levels and gradients
    c->levels = 4;
    c->shape = n % 3;
    c->op = n < 12 ? OP_LEVEL : OP_GRAD;
    c->filter = n / 3 % 2;
    c->mip_filter = n / 6 % 2;
    c->format = 0x20;
    c->texels = n % 2 ? TEXELS_STEP : TEXELS_UNIT;
    c->width = 64;
    c->height = c->shape ? 32 : 0;
    c->depth = c->shape == 2 ? 16 : 0;
    c->flags = 2;
    c->coords = n % 2 ? COORDS_MIXED : COORDS_EXACT;
    c->most = 100;
}

static inline void case_designed(struct texture_case *c, uint32_t n)
{
    c->fetches = 2048;
    c->filter = 1;
    c->address[0] = c->address[1] = c->address[2] = 1;
    c->channels = 1;
    c->coords = COORDS_EXACT;
    c->texels = TEXELS_BITS;
    if (n < 36)
        case_filters(c, n);
    else if (n < 48)
        case_sweeps(c, n - 36);
    else if (n < 56)
        case_points(c, n - 48);
    else if (n < 72)
        case_addresses(c, n - 56);
    else
        case_mipmaps(c, n - 72);
}
#define CASES_DESIGNED (36 + 12 + 8 + 16 + 24)
#define CASES_RANDOM   2200

#define DRAW(n) (case_hash(s, k++, 9999) % (n))

// What the shape of a random case leaves of the rest; k: how many draws were made.
static inline void case_shape(struct texture_case *c, uint32_t k)
{
    const uint32_t s = c->number, draw = DRAW(6);
    if (c->shape == SHAPE_1D || c->shape == SHAPE_A1D || c->shape == SHAPE_LINEAR) c->height = 0;
    if (c->shape == SHAPE_1D || c->shape == SHAPE_2D || c->shape == SHAPE_LINEAR || c->shape == SHAPE_PITCH)
        c->depth = 0;
    if (c->shape == SHAPE_CUBE || c->shape == SHAPE_ACUBE)
        c->height = c->width, c->depth = c->shape == SHAPE_CUBE ? 6 : 12;
    if ((c->shape == SHAPE_CUBE || c->shape == SHAPE_ACUBE) && DRAW(2)) c->flags |= 0x40, c->flags |= 2;
    if (c->shape == SHAPE_CUBE || c->shape == SHAPE_ACUBE) c->flags |= 2;
    if (c->shape == SHAPE_LINEAR) c->filter = 0, c->flags &= ~0x12u, c->integer_coords = 1, c->width += 500;
    if ((c->shape == SHAPE_2D || c->shape == SHAPE_PITCH) && draw == 0) c->op = OP_GATHER, c->component = DRAW(4);
    if ((c->shape == SHAPE_1D || c->shape == SHAPE_2D || c->shape == SHAPE_3D || c->shape == SHAPE_A2D) && draw == 1 &&
        !(c->flags & 2))
        c->integer_coords = c->filter == 0;
    if (c->shape <= SHAPE_CUBE && (draw == 2 || draw == 3)) {
        c->flags |= 2;
        c->levels = 1 + DRAW(3);
        uint32_t least = c->width;
        if (c->height && c->height < least) least = c->height;
        if (c->shape == SHAPE_3D && c->depth < least) least = c->depth;
        while (c->levels > 1 && least >> (c->levels - 1) == 0) c->levels--;
        c->op = draw == 2 || c->shape >= SHAPE_A1D ? OP_LEVEL : OP_GRAD;
        c->mip_filter = c->filter ? DRAW(2) : 0;
        c->bias = DRAW(3) ? 0 : (float)DRAW(9) * 0.25f - 1;
        c->least = DRAW(3) ? 0 : (float)DRAW(9) * 0.25f;
        c->most = DRAW(3) ? 10 : c->least + (float)DRAW(9) * 0.3f;
    }
}

static inline void case_random(struct texture_case *c)
{
    static const uint8_t formats[8] = {0x20, 0x10, 1, 8, 2, 9, 3, 10};
    uint32_t s = c->number, k = 0;
    c->fetches = 128;
    c->shape = DRAW(9);
    c->format = formats[DRAW(4) ? DRAW(6) : DRAW(8)];
    c->channels = DRAW(3) == 0 ? 1 : DRAW(2) ? 2 : 4;
    c->texels = DRAW(5) == 4 ? TEXELS_SPECIAL : DRAW(3);
    c->width = DRAW(4) ? 1 + DRAW(20) : 1 + DRAW(200);
    c->height = DRAW(4) ? 1 + DRAW(20) : 1 + DRAW(100);
    c->depth = 1 + DRAW(8);
    uint32_t isfloat = c->format >= 0x10, wide = c->format == 3 || c->format == 10;
    uint32_t as_integer = wide || (!isfloat && DRAW(3) == 0);
    c->filter = as_integer ? 0 : DRAW(3) != 0;
    c->flags = (as_integer && !isfloat ? 1 : 0) | (DRAW(2) ? 2 : 0);
    c->integer_result = as_integer && !isfloat;
    for (int i = 0; i < 3; i++) c->address[i] = DRAW(4);
    for (int i = 0; i < 4; i++)
        c->border[i] =
            DRAW(3) ? (float)(int32_t)case_hash(s, k++, 9999) * 4.656612873077393e-10f : (float)DRAW(300) - 20.0f;
    if (c->format == 1 && !as_integer && DRAW(6) == 0) c->flags |= 0x10;
    case_shape(c, k);
#undef DRAW
}

static inline struct texture_case texture_case_make(uint32_t number)
{
    struct texture_case c;
    memset(&c, 0, sizeof c);
    c.number = number;
    if (number < CASES_DESIGNED)
        case_designed(&c, number);
    else
        case_random(&c);
    return c;
}
#endif
