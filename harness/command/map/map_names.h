// SPDX-License-Identifier: MIT
// What the values of a tensor map's enums are called: the driver's names, and the short ones people type (f16, 128B).
// The names themselves are rows of model/driver/cuda_abi.h.
#ifndef TMAREF_MAP_NAMES_H
#define TMAREF_MAP_NAMES_H

#include <stdint.h>

#include "result.h"

enum map_enum { MAP_DATA_TYPE, MAP_INTERLEAVE, MAP_SWIZZLE, MAP_L2_PROMOTION, MAP_OOB_FILL, MAP_WIDE_MODE, MAP_ENUMS };

// The short words for the values of each, up to the first NULL.
enum { MAP_MOST_WORDS = 16 };
extern const char *const map_words[MAP_ENUMS][MAP_MOST_WORDS];

// The driver's name of a value, CU_TENSOR_MAP_SWIZZLE_128B; NULL if the driver has no such value.
const char *map_value_name(enum map_enum which, uint32_t value);

// The value that `text` means: the driver's name, the part of it that differs (128B, L2_64B, NONE), a short form (f16,
// nan, 64B), or any number, legal or not. Case does not matter.
//   returns  1, or 0 with what would have been understood in `why`
int map_value_find(enum map_enum which, const char *text, uint32_t *value, struct text *why);

#endif
