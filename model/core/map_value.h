// SPDX-License-Identifier: MIT
// What the values of a tensor map's enums are called: the driver's names, and the short ones people type (f16, 128B).
#ifndef TMAREF_CORE_MAP_VALUE_H
#define TMAREF_CORE_MAP_VALUE_H

#include <stdint.h>

#define CUDA_TENSOR_MAP_DATA_TYPE_ROWS(X)                                                                              \
    X(CU_TENSOR_MAP_DATA_TYPE_UINT8, 0)                                                                                \
    X(CU_TENSOR_MAP_DATA_TYPE_UINT16, 1)                                                                               \
    X(CU_TENSOR_MAP_DATA_TYPE_UINT32, 2)                                                                               \
    X(CU_TENSOR_MAP_DATA_TYPE_INT32, 3)                                                                                \
    X(CU_TENSOR_MAP_DATA_TYPE_UINT64, 4)                                                                               \
    X(CU_TENSOR_MAP_DATA_TYPE_INT64, 5)                                                                                \
    X(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 6)                                                                              \
    X(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 7)                                                                              \
    X(CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8)                                                                              \
    X(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 9)                                                                             \
    X(CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 10)                                                                         \
    X(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 11)                                                                            \
    X(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, 12)                                                                        \
    X(CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, 13)                                                                        \
    X(CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B, 14)                                                                       \
    X(CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B, 15)

#define CUDA_TENSOR_MAP_INTERLEAVE_ROWS(X)                                                                             \
    X(CU_TENSOR_MAP_INTERLEAVE_NONE, 0) X(CU_TENSOR_MAP_INTERLEAVE_16B, 1) X(CU_TENSOR_MAP_INTERLEAVE_32B, 2)

#define CUDA_TENSOR_MAP_SWIZZLE_ROWS(X)                                                                                \
    X(CU_TENSOR_MAP_SWIZZLE_NONE, 0)                                                                                   \
    X(CU_TENSOR_MAP_SWIZZLE_32B, 1)                                                                                    \
    X(CU_TENSOR_MAP_SWIZZLE_64B, 2)                                                                                    \
    X(CU_TENSOR_MAP_SWIZZLE_128B, 3)                                                                                   \
    X(CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, 4)                                                                          \
    X(CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, 5)                                                                  \
    X(CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B, 6)

#define CUDA_TENSOR_MAP_L2_PROMOTION_ROWS(X)                                                                           \
    X(CU_TENSOR_MAP_L2_PROMOTION_NONE, 0)                                                                              \
    X(CU_TENSOR_MAP_L2_PROMOTION_L2_64B, 1)                                                                            \
    X(CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 2)                                                                           \
    X(CU_TENSOR_MAP_L2_PROMOTION_L2_256B, 3)

#define CUDA_TENSOR_MAP_OOB_FILL_ROWS(X)                                                                               \
    X(CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, 0) X(CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA, 1)

#define CUDA_TENSOR_MAP_WIDE_MODE_ROWS(X)                                                                              \
    X(CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, 0) X(CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128, 1)

enum map_enum { MAP_DATA_TYPE, MAP_INTERLEAVE, MAP_SWIZZLE, MAP_L2_PROMOTION, MAP_OOB_FILL, MAP_WIDE_MODE, MAP_ENUMS };

// The short words for the values of each, up to the first NULL.
enum { MAP_MOST_WORDS = 16 };
extern const char *const map_words[MAP_ENUMS][MAP_MOST_WORDS];

// The driver's name of a value, CU_TENSOR_MAP_SWIZZLE_128B; NULL if the driver has no such value.
const char *map_value_name(enum map_enum which, uint32_t value);

// The value that `text` names: the driver's name, the part of it that differs (128B, L2_64B, NONE), or a short form
// (f16, nan, 64). Case does not matter. Returns 1, or 0 if it names none.
int map_value_named(enum map_enum which, const char *text, uint32_t *value);

#endif
