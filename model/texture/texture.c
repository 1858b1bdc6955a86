// SPDX-License-Identifier: MIT
#include "texture.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "float_add.h"
#include "texel.h"

// Where a fetch reads along one axis: two texels, and how much of the second, in 256ths. -1: the border.
enum { WHOLE = 256, HALF = WHOLE / 2, BORDER = -1 };
struct span {
    int32_t at[2];
    uint32_t weight;
};

// --- Coordinates -----------------------------------------------------------------------------------------------------

// A normalised coordinate in texels: it is cut to a multiple of 2^-21, and for the widest images of 2^-22.
// Wrapped and mirrored ones then come into the image once, or twice; what is not finite is 0 of these.
static double unfolded(float coordinate, enum texture_address address, uint32_t size)
{
    const double parts = size > 16384 ? 0x1p22 : 0x1p21, at = floor((double)coordinate * parts) * (1 / parts);
    if (address != TEXTURE_WRAP && address != TEXTURE_MIRROR) return at * size;
    return isfinite(at) ? (at - 2 * floor(at / 2)) * size : 0;
}

// Those too large are far outside; NaN is 0.
static double limited(double texels)
{
    const double most = 0x1p30;
    if (texels > most) return most;
    return texels >= -most ? texels : texels < 0 ? -most : 0;
}

// The greatest integer that is not above.
static int64_t whole_below(double value)
{
    const int64_t cut = (int64_t)value;
    return cut - ((double)cut > value);
}

// A number of 256ths of texels, the nearest, of two the greater.
static int64_t steps_of(double texels)
{
    return whole_below(limited(texels) * WHOLE + 0.5);
}

static int32_t placed(int64_t at, uint32_t size, enum texture_address address)
{
    const int64_t last = (int64_t)size - 1;
    if (at >= 0 && at <= last) return (int32_t)at;
    if (address == TEXTURE_BORDER) return BORDER;
    const int64_t period = address == TEXTURE_MIRROR ? 2 * (int64_t)size : size;
    const int64_t within = (at % period + period) % period;
    if (address == TEXTURE_WRAP) return (int32_t)within;
    if (address == TEXTURE_MIRROR) return (int32_t)(within <= last ? within : period - 1 - within);
    return at < 0 ? 0 : (int32_t)last;
}

// Wrap and mirror are of normalised coordinates; of others they clamp.
static enum texture_address address_of(const struct texture_sampler *sampler, uint32_t axis)
{
    const enum texture_address address = sampler->address[axis];
    if (sampler->is_normalized || address == TEXTURE_BORDER) return address;
    return TEXTURE_CLAMP;
}

// Fields are set one by one here: a struct that is written in pieces and copied whole makes the processor wait.
static void set_span(struct span *span, int32_t first, int32_t second, uint32_t weight)
{
    span->at[0] = first;
    span->at[1] = second;
    span->weight = weight;
}

static void set_span_of(struct span *span, const struct texture_sampler *sampler, float at, uint32_t axis,
                        uint32_t size)
{
    const enum texture_address address = address_of(sampler, axis);
    if (fabsf(at) < FLT_MIN) at = 0;
    const double texels = sampler->is_normalized ? unfolded(at, address, size) : (double)at;
    if (!sampler->is_linear) {
        const int32_t one = placed(whole_below(limited(texels)), size, address);
        set_span(span, one, one, 0);
        return;
    }
    const int64_t steps = steps_of(texels) - HALF, first = steps >> 8;
    set_span(span, placed(first, size, address), placed(first + 1, size, address), (uint32_t)(steps & 255));
}

// An integer that is outside names no texel, whatever the address mode says.
static void set_span_of_whole(struct span *span, int32_t at, uint32_t size)
{
    const int32_t one = placed(at, size, TEXTURE_BORDER);
    set_span(span, one, one, 0);
}

// --- One level -------------------------------------------------------------------------------------------------------

// What a fetch reads of one level.
struct reads {
    const struct texture *texture;
    const struct texture_level *level;
    struct span span[TEXTURE_AXES];
    uint32_t plane;
};

static const uint8_t *texel_at(const struct reads *reads, uint32_t corner)
{
    uint64_t at = 0;
    const uint32_t texel = reads->texture->image.channels * reads->texture->image.channel_bytes;
    const uint64_t step[TEXTURE_AXES] = {texel, reads->level->pitch, reads->level->slice};
    for (uint32_t axis = 0; axis < TEXTURE_AXES; axis++) {
        const int32_t place = reads->span[axis].at[corner >> axis & 1];
        if (place == BORDER) return NULL;
        at += (uint64_t)place * step[axis];
    }
    return reads->level->at + at + reads->plane * reads->level->slice;
}

static void corner_floats(const struct reads *reads, uint32_t corner, float to[TEXTURE_MOST_CHANNELS])
{
    const uint8_t *at = texel_at(reads, corner);
    if (at != NULL)
        texel_floats(reads->texture, at, to);
    else
        texel_border_floats(reads->texture, to);
}

static void point(const struct reads *reads, uint32_t to[TEXTURE_MOST_CHANNELS])
{
    const uint8_t *at = texel_at(reads, 0);
    if (at != NULL)
        texel_words(reads->texture, at, to);
    else
        texel_border(reads->texture, to);
}

// --- Filters ---------------------------------------------------------------------------------------------------------

enum { MOST_CORNERS = 8, TEXEL_BITS = 28, HALF_TEXEL_BITS = 15, HALF_BITS = 11 };

static int32_t part_of(int32_t weight, uint32_t of)
{
    return (weight * (int32_t)of + HALF) >> 8;
}

// Weights of the four corners in 256ths: that of both second texels is rounded, the others make up the sums.
static void weigh_two(uint32_t x, uint32_t y, int32_t weight[4])
{
    weight[3] = part_of((int32_t)x, y);
    weight[1] = (int32_t)x - weight[3];
    weight[2] = (int32_t)y - weight[3];
    weight[0] = WHOLE - (int32_t)x - (int32_t)y + weight[3];
}

// Of eight: x and z first, then each is parted by y.
static void weigh_three(const struct span span[TEXTURE_AXES], int32_t weight[MOST_CORNERS])
{
    int32_t pair[4];
    weigh_two(span[0].weight, span[2].weight, pair);
    for (int i = 0; i < 4; i++) {
        const int x = i & 1, z = i >> 1 & 1;
        const int32_t below = part_of(pair[i], WHOLE - span[1].weight), above = part_of(pair[i], span[1].weight);
        weight[x | z << 2] = x ? pair[i] - above : below;
        weight[x | 2 | z << 2] = x ? above : pair[i] - below;
    }
}

static void weigh(const struct reads *reads, uint32_t axes, int32_t weight[MOST_CORNERS])
{
    if (axes == 3) {
        weigh_three(reads->span, weight);
        return;
    }
    weigh_two(reads->span[0].weight, axes == 2 ? reads->span[1].weight : 0, weight);
}

// The bits of a double's fraction that are not among the first `bits` of its significand, 1 to 52.
static uint64_t below(int bits)
{
    return (UINT64_C(1) << (DBL_MANT_DIG - bits)) - 1;
}

// To so many bits of significand, of two nearest the one farther from zero.
static double kept(double value, int bits)
{
    if (!isfinite(value)) return value;
    return f64_of((bits_of_f64(value) + below(bits) / 2 + 1) & ~below(bits));
}

// The power of two that a number is below, as frexp() has it. A float, as a double, is never subnormal.
static int exponent_of(double value)
{
    return (int)(bits_of_f64(value) >> (DBL_MANT_DIG - 1) & 0x7ff) - 1022;
}

// Without what lies below 2^least, towards 0.
static double cut(double value, int least)
{
    const int bits = exponent_of(value) - least;
    if (!isfinite(value) || bits >= DBL_MANT_DIG) return value;
    return bits <= 0 ? 0 : f64_of(bits_of_f64(value) & ~below(bits));
}

// Fractions come as 16 bits, however many bits their texels have; halves come as halves.
static float rounded(const struct texture *texture, double sum)
{
    const enum texture_number number = texture->image.number;
    const double whole = number == TEXTURE_UNSIGNED ? UINT16_MAX : INT16_MAX;
    if (number == TEXTURE_FLOAT && texture->image.channel_bytes == 2)
        return float_of_f16(f16_of_float((float)kept(sum, HALF_BITS)));
    if (number == TEXTURE_FLOAT || texture->sampler.is_srgb) return (float)kept(sum, FLT_MANT_DIG);
    return (float)(copysign(floor(fabs(sum) * whole + 0.5), sum) / whole);
}

// The texels that count, and their weights.
struct counted {
    uint32_t count;
    int32_t weight[MOST_CORNERS];
    float corner[MOST_CORNERS][TEXTURE_MOST_CHANNELS];
};

static void count_corners(const struct reads *reads, uint32_t axes, struct counted *counted)
{
    int32_t weight[MOST_CORNERS];
    uint32_t count = 0;
    weigh(reads, axes, weight);
    for (uint32_t i = 0; i < 1u << axes; i++) {
        if (weight[i] == 0) continue;
        corner_floats(reads, i, counted->corner[count]);
        counted->weight[count++] = weight[i];
    }
    counted->count = count;
}

// Texels are cut to 28 bits below the greatest of those that count, halves to 15; the sum of their products is exact.
static double sum_of(const struct counted *counted, uint32_t channel, int bits)
{
    double sum = 0;
    int most = -200;
    for (uint32_t i = 0; i < counted->count; i++) {
        const float value = counted->corner[i][channel];
        const int exponent = exponent_of((double)value);
        if (value != 0 && isfinite(value) && exponent > most) most = exponent;
    }
    for (uint32_t i = 0; i < counted->count; i++)
        sum += cut((double)counted->corner[i][channel], most - bits) * counted->weight[i];
    return sum * (1.0 / WHOLE);
}

static void filtered(const struct reads *reads, uint32_t axes, uint32_t to[TEXTURE_MOST_CHANNELS])
{
    const struct texture_image *image = &reads->texture->image;
    const bool is_float = image->number == TEXTURE_FLOAT, is_half = is_float && image->channel_bytes == 2;
    struct counted counted;
    count_corners(reads, axes, &counted);
    memset(to, 0, TEXTURE_MOST_CHANNELS * sizeof *to);
    for (uint32_t channel = 0; channel < image->channels; channel++) {
        if (is_float && counted.count == 1 && isfinite(counted.corner[0][channel])) { // with the whole weight
            to[channel] = bits_of_f32(counted.corner[0][channel] + 0.0f);
            continue;
        }
        to[channel] =
            bits_of_f32(rounded(reads->texture, sum_of(&counted, channel, is_half ? HALF_TEXEL_BITS : TEXEL_BITS)));
    }
}

static uint32_t plane_of(const struct texture_image *image, const struct texture_fetch *fetch, uint32_t face)
{
    const uint32_t faces = image->is_cube ? TEXTURE_FACES : 1, layers = image->planes / faces;
    uint32_t layer = fetch->is_layered ? (uint32_t)fetch->layer : 0; // a negative one is beyond the last
    if (layer >= layers) layer = layers - 1;
    return layer * faces + face;
}

// --- Cubes -----------------------------------------------------------------------------------------------------------

// The face that a direction points at, and where in it, from 0 to 1.
static uint32_t face_of(const float at[TEXTURE_AXES], float in[2])
{
    const float ax = fabsf(at[0]), ay = fabsf(at[1]), az = fabsf(at[2]);
    const uint32_t axis = az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
    const bool is_negative = signbit(at[axis]) != 0;
    const float major = fabsf(at[axis]);
    const float s[3] = {is_negative ? at[2] : -at[2], at[0], is_negative ? -at[0] : at[0]};
    const float t[3] = {-at[1], is_negative ? -at[2] : at[2], -at[1]};
    in[0] = (s[axis] / major + 1) / 2;
    in[1] = (t[axis] / major + 1) / 2;
    return 2 * axis + (uint32_t)is_negative;
}

// --- A fetch ---------------------------------------------------------------------------------------------------------

static void set_reads(struct reads *reads, const struct texture *texture, const struct texture_fetch *fetch,
                      uint32_t level)
{
    const float *at = fetch->at;
    float in[2];
    uint32_t face = 0, axes = fetch->axes;
    reads->texture = texture;
    reads->level = &texture->image.level[level];
    if (fetch->is_cube) {
        face = face_of(fetch->at, in);
        at = in;
        axes = 2;
    }
    for (uint32_t axis = 0; axis < axes; axis++)
        if (fetch->is_integer)
            set_span_of_whole(&reads->span[axis], fetch->whole[axis], reads->level->size[axis]);
        else
            set_span_of(&reads->span[axis], &texture->sampler, at[axis], axis, reads->level->size[axis]);
    for (uint32_t axis = axes; axis < TEXTURE_AXES; axis++) set_span(&reads->span[axis], 0, 0, 0);
    reads->plane = plane_of(&texture->image, fetch, face);
}

static void read_level(const struct texture *texture, const struct texture_fetch *fetch, uint32_t level,
                       uint32_t to[TEXTURE_MOST_CHANNELS])
{
    struct reads reads;
    set_reads(&reads, texture, fetch, level);
    const uint32_t layers = texture->image.planes / (texture->image.is_cube ? TEXTURE_FACES : 1);
    const bool is_outside = fetch->is_layered && (uint32_t)fetch->layer >= layers;
    if (fetch->is_integer && (is_outside || texel_at(&reads, 0) == NULL))
        memset(to, 0, TEXTURE_MOST_CHANNELS * sizeof *to);
    else if (texture->sampler.is_linear && !fetch->is_integer)
        filtered(&reads, fetch->is_cube ? 2 : fetch->axes, to);
    else
        point(&reads, to);
}

// A level as the sampler limits it, in 256ths.
static uint32_t level_steps(const struct texture *texture, float level)
{
    const struct texture_sampler *sampler = &texture->sampler;
    float at = fminf(fmaxf(level + sampler->bias, sampler->least), sampler->most);
    const float last = (float)(texture->image.levels - 1);
    at = at > 0 ? fminf(at, last) : 0;
    return (uint32_t)rintf(at * WHOLE);
}

void texture_read(const struct texture *texture, const struct texture_fetch *fetch, float level,
                  uint32_t to[TEXTURE_MOST_CHANNELS])
{
    // tex.1d by integers is for linear memory: of an array an H200 returns 0.
    if (fetch->is_integer && fetch->axes == 1 && !fetch->is_layered && !texture->image.is_linear_memory) {
        memset(to, 0, TEXTURE_MOST_CHANNELS * sizeof *to);
        return;
    }
    const uint32_t steps = texture->image.levels > 1 ? level_steps(texture, level) : 0;
    if (!texture->sampler.is_linear_mip) {
        read_level(texture, fetch, (steps + HALF) / WHOLE, to);
        return;
    }
    const uint32_t weight = steps % WHOLE;
    uint32_t second[TEXTURE_MOST_CHANNELS];
    read_level(texture, fetch, steps / WHOLE, to);
    if (weight == 0) return;
    read_level(texture, fetch, steps / WHOLE + 1, second);
    for (int i = 0; i < TEXTURE_MOST_CHANNELS; i++) {
        float a, b;
        memcpy(&a, &to[i], sizeof a);
        memcpy(&b, &second[i], sizeof b);
        const float value = (float)(((double)a * (WHOLE - weight) + (double)b * weight) / WHOLE);
        memcpy(&to[i], &value, sizeof value);
    }
}

float texture_level_of(const struct texture *texture, const struct texture_fetch *fetch, const float dx[TEXTURE_AXES],
                       const float dy[TEXTURE_AXES])
{
    const struct texture_level *level = &texture->image.level[0];
    float x = 0, y = 0;
    for (uint32_t axis = 0; axis < fetch->axes; axis++) {
        const float scale = texture->sampler.is_normalized ? (float)level->size[axis] : 1;
        x += dx[axis] * scale * dx[axis] * scale;
        y += dy[axis] * scale * dy[axis] * scale;
    }
    return log2f(fmaxf(x, y)) / 2;
}

void texture_gather(const struct texture *texture, const struct texture_fetch *fetch, uint32_t component,
                    uint32_t to[TEXTURE_MOST_CHANNELS])
{
    static const uint8_t corner[TEXTURE_MOST_CHANNELS] = {2, 3, 1, 0};
    struct texture linear = *texture;
    linear.sampler.is_linear = true;
    struct reads reads;
    set_reads(&reads, &linear, fetch, 0);
    for (int i = 0; i < TEXTURE_MOST_CHANNELS; i++) {
        const uint8_t *at = texel_at(&reads, corner[i]);
        uint32_t words[TEXTURE_MOST_CHANNELS];
        if (at != NULL)
            texel_words(texture, at, words);
        else
            texel_border(texture, words);
        to[i] = words[component];
    }
}
