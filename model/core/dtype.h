// SPDX-License-Identifier: MIT
// The element types of a tensor map: one row each, numbered as CUtensorMapDataType numbers them.
#ifndef TMAREF_DTYPE_H
#define TMAREF_DTYPE_H

#include <stdint.h>

// The thirteen types an sm_90a accepts (CUtensorMapDataType values 0..12).
enum dtype {
    DTYPE_UINT8,
    DTYPE_UINT16,
    DTYPE_UINT32,
    DTYPE_INT32,
    DTYPE_UINT64,
    DTYPE_INT64,
    DTYPE_FLOAT16,
    DTYPE_FLOAT32,
    DTYPE_FLOAT64,
    DTYPE_BFLOAT16,
    DTYPE_FLOAT32_FTZ,
    DTYPE_TFLOAT32,
    DTYPE_TFLOAT32_FTZ,
    DTYPE_COUNT
};

// `name` as in CU_TENSOR_MAP_DATA_TYPE_<name>; `ptx` as tensormap.replace spells it; `size_bytes` of one element;
// `format` is the element format field of the 128 bytes, `is_tf32` the bit beside it.
struct dtype_row {
    const char *name, *ptx;
    uint32_t size_bytes;
    uint32_t format;
    int is_float, is_tf32;
};

// The row of a type; `dtype` < DTYPE_COUNT.
const struct dtype_row *dtype_row(enum dtype dtype);

// The type with this driver name, PTX name or number (case does not matter), or DTYPE_COUNT.
enum dtype dtype_find(const char *text);

// The type whose map fields are `format` and `is_tf32`, or DTYPE_COUNT if no type has them.
enum dtype dtype_from_format(uint32_t format, int is_tf32);

#endif
