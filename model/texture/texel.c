// SPDX-License-Identifier: MIT
#include "texel.h"

#include <math.h>
#include <string.h>

#include "float_add.h"

static uint32_t channel_bits(const struct texture_image *image, const uint8_t *at, uint32_t channel)
{
    uint32_t word;
    uint16_t half;
    switch (image->channel_bytes) {
    case 1:
        return at[channel];
    case 2:
        memcpy(&half, at + sizeof half * channel, sizeof half);
        return half;
    default:
        memcpy(&word, at + sizeof word * channel, sizeof word);
        return word;
    }
}

static int32_t extended(uint32_t bits, uint32_t bytes)
{
    const uint32_t shift = 32 - 8 * bytes;
    return (int32_t)(bits << shift) >> shift;
}

// An integer as a fraction of the greatest of its type; the least of a signed type is -1 too.
static float fraction_of(const struct texture_image *image, uint32_t bits)
{
    const uint32_t whole = image->channel_bytes == 1 ? UINT8_MAX : UINT16_MAX;
    if (image->number == TEXTURE_UNSIGNED) return (float)bits / (float)whole;
    const float signed_one = (float)extended(bits, image->channel_bytes) / (float)(whole / 2);
    return signed_one < -1 ? -1 : signed_one;
}

static float number_of(const struct texture *texture, const uint8_t *at, uint32_t channel)
{
    const struct texture_image *image = &texture->image;
    const uint32_t bits = channel_bits(image, at, channel);
    if (image->number == TEXTURE_FLOAT) return image->channel_bytes == 2 ? float_of_f16(bits) : f32_of(bits);
    if (texture->sampler.is_srgb && channel < (image->channels == 4 ? 3u : 1u)) return texel_of_srgb(bits);
    return fraction_of(image, bits);
}

void texel_floats(const struct texture *texture, const uint8_t *at, float to[TEXTURE_MOST_CHANNELS])
{
    memset(to, 0, TEXTURE_MOST_CHANNELS * sizeof *to);
    for (uint32_t i = 0; i < texture->image.channels; i++) to[i] = number_of(texture, at, i);
}

// Are integers returned as they are? Those of 32 bits always.
static bool is_raw(const struct texture *texture)
{
    return texture->image.number != TEXTURE_FLOAT && (texture->sampler.is_raw || texture->image.channel_bytes == 4);
}

void texel_words(const struct texture *texture, const uint8_t *at, uint32_t to[TEXTURE_MOST_CHANNELS])
{
    const struct texture_image *image = &texture->image;
    float floats[TEXTURE_MOST_CHANNELS];
    if (!is_raw(texture)) {
        texel_floats(texture, at, floats);
        memcpy(to, floats, sizeof floats);
        return;
    }
    for (uint32_t i = 0; i < TEXTURE_MOST_CHANNELS; i++) {
        const uint32_t bits = i < image->channels ? channel_bits(image, at, i) : 0;
        to[i] = image->number == TEXTURE_SIGNED ? (uint32_t)extended(bits, image->channel_bytes) : bits;
    }
}

// Of a border: a half is cut, a fraction has the bits of a texel.
static float border_of(const struct texture *texture, uint32_t channel)
{
    const struct texture_image *image = &texture->image;
    const float color = texture->sampler.border[channel],
                whole = (float)(image->channel_bytes == 1 ? UINT8_MAX : UINT16_MAX);
    const bool is_unsigned = image->number == TEXTURE_UNSIGNED;
    const float most = is_unsigned ? whole : (whole - 1) / 2, least = is_unsigned ? 0 : -1;
    if (image->number == TEXTURE_FLOAT && image->channel_bytes == 2) return f32_of(bits_of_f32(color) & 0xffffe000);
    if (image->number == TEXTURE_FLOAT || image->channel_bytes == 4) return color;
    return rintf(fminf(fmaxf(color, least), 1) * most) / most;
}

void texel_border_floats(const struct texture *texture, float to[TEXTURE_MOST_CHANNELS])
{
    for (uint32_t i = 0; i < TEXTURE_MOST_CHANNELS; i++)
        to[i] = i < texture->image.channels ? border_of(texture, i) : 0;
}

void texel_border(const struct texture *texture, uint32_t to[TEXTURE_MOST_CHANNELS])
{
    const struct texture_image *image = &texture->image;
    float floats[TEXTURE_MOST_CHANNELS];
    texel_border_floats(texture, floats);
    memcpy(to, floats, sizeof floats);
    for (uint32_t i = 0; is_raw(texture) && i < image->channels; i++) { // the low bits of the color
        const uint32_t bits = bits_of_f32(texture->sampler.border[i]) << (32 - 8 * image->channel_bytes);
        to[i] = bits >> (32 - 8 * image->channel_bytes);
        if (image->number == TEXTURE_SIGNED) to[i] = (uint32_t)extended(to[i], image->channel_bytes);
    }
}
