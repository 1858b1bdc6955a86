// SPDX-License-Identifier: MIT
// Tensor maps on the device as data, shared with the kernels: where a map lies, and the instruction tensormap.replace.
// What an instruction does to the 128 bytes is in replace.h, which places are fine for a copy in location.h.
#ifndef TMAREF_REPLACE_OP_H
#define TMAREF_REPLACE_OP_H

#include <stdint.h>

// Where the map of a copy lies: global memory, a __grid_constant__ parameter, a __constant__ variable; shared or local
// memory; an address that is not mapped. Only a map in global or shared memory can be edited.
enum map_location {
    MAP_IN_GLOBAL,
    MAP_IN_PARAM,
    MAP_IN_CONSTANT,
    MAP_IN_SHARED,
    MAP_IN_LOCAL,
    MAP_UNMAPPED,
    MAP_LOCATIONS
};

// The fields, named as PTX names them (in small letters).
enum replace_field {
    REPLACE_GLOBAL_ADDRESS,
    REPLACE_RANK,
    REPLACE_BOX_DIM,
    REPLACE_GLOBAL_DIM,
    REPLACE_GLOBAL_STRIDE,
    REPLACE_ELEMENT_STRIDE,
    REPLACE_ELEMTYPE,
    REPLACE_INTERLEAVE_LAYOUT,
    REPLACE_SWIZZLE_MODE,
    REPLACE_FILL_MODE,
    REPLACE_FIELDS
};

enum { REPLACE_ORDINALS = 5, REPLACE_ELEMTYPES = 13, REPLACE_INTERLEAVES = 3, REPLACE_SWIZZLES = 4, REPLACE_FILLS = 2 };

// One instruction. `ordinal` is 0 for the fields that have none; `value` is a register of 64 bits (global_address,
// global_stride) or 32, or an immediate (elemtype, interleave_layout, swizzle_mode, fill_mode).
struct replace_op {
    uint32_t field, ordinal;
    uint64_t value;
};

#endif
