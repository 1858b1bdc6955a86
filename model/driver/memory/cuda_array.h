// SPDX-License-Identifier: MIT
// CUDA arrays: what is behind their handles. Their texels lie in plain rows in memory of the device that has no address
// for the program.
#ifndef TMAREF_CUDA_ARRAY_H
#define TMAREF_CUDA_ARRAY_H

#include "driver.h"
#include "texture.h"

enum { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_CUBE = 4, ARRAY_GATHER = 8 };

// `memory`: what it has to free; 0 of a level of a mipmapped array.
struct CUarray_st {
    struct object object;
    struct CUDA_ARRAY3D_DESCRIPTOR_st descriptor;
    struct texture_image image; // of one level
    uint64_t memory;
};

struct CUmipmappedArray_st {
    struct object object;
    struct texture_image image;
    struct CUarray_st *level[TEXTURE_MOST_LEVELS];
    uint64_t memory;
};

// Of a format CU_AD_FORMAT_* and channels; 0 if there is none such.
bool array_format(uint32_t format, uint32_t channels, struct texture_image *image);

// The box `at`, `extent` (bytes, rows, planes) of an array as memory: 0 if it is not in it.
struct array_side {
    uint64_t address;
    size_t pitch, slice;
};
bool array_side_of(const struct CUarray_st *array, const size_t at[3], const size_t extent[3], struct array_side *side);

// What is behind the handle of a texture or surface object, for machine_launch.
const struct texture *texture_find(void *driver, uint64_t handle);

// Those of a context that goes.
void arrays_remove_owned(struct driver *driver, const struct CUctx_st *context);

#endif
