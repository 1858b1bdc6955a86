// SPDX-License-Identifier: MIT
// One texel as four channels.
#ifndef TMAREF_TEXEL_H
#define TMAREF_TEXEL_H

#include "texture.h"

#pragma GCC visibility push(hidden)

// The channels as numbers: floats, and integers as fractions; those that the image has not are 0.
void texel_floats(const struct texture *texture, const uint8_t *at, float to[TEXTURE_MOST_CHANNELS]);

// The same as what a fetch without a filter returns: bits of floats, or integers as they are.
void texel_words(const struct texture *texture, const uint8_t *at, uint32_t to[TEXTURE_MOST_CHANNELS]);

// What a fetch outside of an image with a border returns; the same as floats.
void texel_border_floats(const struct texture *texture, float to[TEXTURE_MOST_CHANNELS]);
void texel_border(const struct texture *texture, uint32_t to[TEXTURE_MOST_CHANNELS]);

// An sRGB byte as a linear fraction.
float texel_of_srgb(uint32_t byte);

#pragma GCC visibility pop

#endif
