// SPDX-License-Identifier: MIT
// Textures and surfaces: which texels a fetch reads, and what it makes of them. An image lies in plain rows: texels
// side by side, rows at `pitch`, planes (of a 3D image, layers, faces of cubes) at `slice`. Source: the CUDA
// programming guide, "Texture Fetching"; what it leaves open is as an H200 does it (docs/textures.md).
#ifndef TMAREF_TEXTURE_H
#define TMAREF_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { TEXTURE_MOST_LEVELS = 16, TEXTURE_MOST_CHANNELS = 4, TEXTURE_FACES = 6, TEXTURE_AXES = 3 };

// What a channel is: an integer without or with a sign, or a float.
enum texture_number { TEXTURE_UNSIGNED, TEXTURE_SIGNED, TEXTURE_FLOAT };

enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

//   size  in texels: width, height, depth; 1 of an axis that there is not. Layers and faces are no depth
struct texture_level {
    uint8_t *at;
    uint32_t size[TEXTURE_AXES];
    uint64_t pitch, slice;
};

//   planes         layers; faces count one by one: 6 for each layer of cubes. 1 of others
//   axes           how many of width, height, depth it was made with
//   channel_bytes  1, 2 or 4; channels: 1, 2 or 4
//   is_linear_memory  it was made of an address and bytes
struct texture_image {
    uint32_t levels, planes, axes, channel_bytes, channels;
    enum texture_number number;
    bool is_layered, is_cube, is_linear_memory;
    struct texture_level level[TEXTURE_MOST_LEVELS];
};

//   is_raw      integers come as they are, not as fractions of their greatest
//   is_linear   filtered, between the texels of a level; is_linear_mip: between levels
struct texture_sampler {
    enum texture_address address[TEXTURE_AXES];
    bool is_linear, is_linear_mip, is_normalized, is_raw, is_srgb, is_seamless;
    float bias, least, most, border[TEXTURE_MOST_CHANNELS];
};

// What the handle of a texture object stands for.
struct texture {
    struct texture_image image;
    struct texture_sampler sampler;
};

// How a fetch names its texel: `axes` coordinates, a layer, a direction for cubes.
struct texture_fetch {
    uint32_t axes;
    bool is_layered, is_cube, is_integer;
    float at[TEXTURE_AXES];
    int32_t whole[TEXTURE_AXES]; // with is_integer
    int32_t layer;
};

// The four channels of a fetch, each the bits of a float, or of an integer with is_raw. `level` of detail as the
// instruction says it, without the sampler's bias and clamps.
void texture_read(const struct texture *texture, const struct texture_fetch *fetch, float level,
                  uint32_t to[TEXTURE_MOST_CHANNELS]);

// The level of detail of gradients of the coordinates along x and y.
float texture_level_of(const struct texture *texture, const struct texture_fetch *fetch, const float dx[TEXTURE_AXES],
                       const float dy[TEXTURE_AXES]);

// tld4: channel `component` of the four texels that a linear fetch would read, against the clock from below left.
void texture_gather(const struct texture *texture, const struct texture_fetch *fetch, uint32_t component,
                    uint32_t to[TEXTURE_MOST_CHANNELS]);

// Where byte `x` of row `y`, plane `z` of a surface is; NULL if it is outside, or if the image has other axes. Clamped
// into it with `clamps`; then a layer below 0 is the last.
//   axes, plane  as the instruction names them; bytes: of the access
uint8_t *texture_surface_at(const struct texture_image *image, const int32_t at[TEXTURE_AXES], uint32_t axes,
                            int32_t layer, uint32_t bytes, bool clamps);

#pragma GCC visibility pop

#endif
