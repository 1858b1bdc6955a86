// SPDX-License-Identifier: MIT
// The arguments of one tensor-map call, as data: generated, written and read as JSON, handed to the model or to the
// real driver. JSON keys are the driver's parameter names.
#ifndef TMAREF_MAP_ARGS_H
#define TMAREF_MAP_ARGS_H

#include "field.h"
#include "random.h"
#include "result.h"
#include "tensormap.h"

struct cuda_driver;

enum map_function { MAP_TILED, MAP_IM2COL, MAP_IM2COL_WIDE, MAP_REPLACE_ADDRESS, MAP_FUNCTIONS };

// Pointers that may be passed as NULL: bits of `null`.
enum map_pointer {
    MAP_NULL_MAP = 1,
    MAP_NULL_DIM = 2,
    MAP_NULL_STRIDES = 4,
    MAP_NULL_BOX = 8,
    MAP_NULL_ESTRIDES = 16,
    MAP_NULL_LOWER = 32,
    MAP_NULL_UPPER = 64,
};

// All arguments of all four functions; those a function does not take are 0. Array entries past the rank are 0 (for
// the driver: 1, and MAP_ARGS_ENTRIES of them, since it reads as many as the rank says). `replaced` is the map that
// MAP_REPLACE_ADDRESS changes; `misalign` bytes past a 64-byte boundary is where the map lies.
struct map_args {
    uint32_t function;
    uint32_t data_type, rank;
    uint64_t address;
    uint64_t dim[TENSORMAP_MAX_RANK], strides[TENSORMAP_MAX_RANK - 1];
    uint32_t box[TENSORMAP_MAX_RANK], estride[TENSORMAP_MAX_RANK];
    int32_t lower[3], upper[3];
    uint32_t channels, pixels;
    uint32_t interleave, mode, swizzle, l2_promotion, oob_fill;
    uint32_t null, misalign;
    uint64_t replaced[TENSORMAP_BYTES / 8];
};

enum { MAP_ARGS_ENTRIES = 16 };

// A case of the family encode, and the key "map" of others.
extern const struct fields map_fields;

// The call on the model: RULE_OK and the bytes, or the first rule broken. `findings` may be NULL.
enum rule map_args_encode(const struct map_args *args, struct tensormap_image *image, struct findings *findings);

// The map that the call makes on the model: as map_args_encode(); and 0 if it is refused.
enum rule map_args_make(const struct map_args *args, struct tensormap *map);
bool map_args_made(const struct map_args *args, struct tensormap *map);

// The call on the real driver; returns its CUresult. May crash, as the driver does.
int map_args_call(const struct cuda_driver *driver, const struct map_args *args, struct tensormap_image *image);

// Random arguments: mostly legal ones with up to three fields moved to a limit.
void map_args_generate(struct random *random, struct map_args *args);

// Legal arguments of a tiled map whose box has at most `max_box_bytes` bytes; the address is 0.
void map_args_generate_tiled(struct random *random, uint32_t max_box_bytes, struct map_args *args);

// Legal type, modes, channels, pixels and element strides of an im2col map whose column has at most about
// `max_column_bytes` bytes of shared memory; address, sizes, strides and corners are 0.
void map_args_generate_im2col(struct random *random, uint32_t max_column_bytes, struct map_args *args);

// Of the map that the arguments make: the bytes of an element; of what a step along the innermost stride skips (an
// element, or the 16 or 32 bytes of a slice); what addresses and strides are multiples of; the first dimension with
// corners.
static inline uint32_t map_element_bytes(const struct map_args *args)
{
    return dtype_row((enum dtype)args->data_type)->size_bytes;
}

static inline uint64_t map_unit_bytes(const struct map_args *args)
{
    return args->interleave == INTERLEAVE_NONE ? map_element_bytes(args) : 16u * args->interleave;
}

static inline uint64_t map_align_bytes(const struct map_args *args)
{
    return args->interleave == INTERLEAVE_32B ? 32 : 16;
}

static inline uint32_t map_first_corner(const struct map_args *args)
{
    return args->interleave == INTERLEAVE_NONE;
}

// The bytes of dimension `i` whose steps are `step_bytes` apart: packed, or in `percent` of cases longer by `least` to
// `most` times the alignment.
uint64_t map_pick_pitch(struct random *random, const struct map_args *args, uint32_t i, uint64_t step_bytes,
                        unsigned percent, uint32_t least, uint32_t most);

// The strides of a tensor of which every dimension has such a pitch.
void map_pick_strides(struct random *random, const struct map_args *args, unsigned percent, uint32_t least,
                      uint32_t most, uint64_t *strides);

// A size of a dimension, and a stride, at a limit.
uint64_t map_pick_limit_dim(struct random *random);
uint64_t map_pick_limit_stride(struct random *random);

// The multiple of 16 bytes at or below coordinate 0, of maps without interleave.
int32_t map_align_coord(const struct map_args *args, int32_t coord);

// "cuTensorMapEncodeTiled", ...
const char *map_function_name(uint32_t function);

#endif
