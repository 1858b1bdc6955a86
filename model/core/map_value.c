// SPDX-License-Identifier: MIT
#include "map_value.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "dtype.h"

struct value_row {
    const char *name;
    uint32_t value;
};

#define VALUE_ROW(name, value) {#name, value},
static const struct value_row data_types[] = {CUDA_TENSOR_MAP_DATA_TYPE_ROWS(VALUE_ROW){NULL, 0}};
static const struct value_row interleaves[] = {CUDA_TENSOR_MAP_INTERLEAVE_ROWS(VALUE_ROW){NULL, 0}};
static const struct value_row swizzles[] = {CUDA_TENSOR_MAP_SWIZZLE_ROWS(VALUE_ROW){NULL, 0}};
static const struct value_row l2_promotions[] = {CUDA_TENSOR_MAP_L2_PROMOTION_ROWS(VALUE_ROW){NULL, 0}};
static const struct value_row oob_fills[] = {CUDA_TENSOR_MAP_OOB_FILL_ROWS(VALUE_ROW){NULL, 0}};
static const struct value_row wide_modes[] = {CUDA_TENSOR_MAP_WIDE_MODE_ROWS(VALUE_ROW){NULL, 0}};

const char *const map_words[MAP_ENUMS][MAP_MOST_WORDS] = {
    [MAP_DATA_TYPE] = {"u8", "u16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64", "f32.ftz", "tf32",
                       "tf32.ftz"},
    [MAP_INTERLEAVE] = {"none", "16B", "32B"},
    [MAP_SWIZZLE] = {"none", "32B", "64B", "128B"},
    [MAP_L2_PROMOTION] = {"none", "64B", "128B", "256B"},
    [MAP_OOB_FILL] = {"none", "nan"},
    [MAP_WIDE_MODE] = {"W", "W128"},
};

// `prefix` is what all names begin with.
static const struct {
    const struct value_row *rows;
    const char *prefix;
} enums[MAP_ENUMS] = {
    [MAP_DATA_TYPE] = {data_types, "CU_TENSOR_MAP_DATA_TYPE_"},
    [MAP_INTERLEAVE] = {interleaves, "CU_TENSOR_MAP_INTERLEAVE_"},
    [MAP_SWIZZLE] = {swizzles, "CU_TENSOR_MAP_SWIZZLE_"},
    [MAP_L2_PROMOTION] = {l2_promotions, "CU_TENSOR_MAP_L2_PROMOTION_"},
    [MAP_OOB_FILL] = {oob_fills, "CU_TENSOR_MAP_FLOAT_OOB_FILL_"},
    [MAP_WIDE_MODE] = {wide_modes, "CU_TENSOR_MAP_IM2COL_WIDE_MODE_"},
};

const char *map_value_name(enum map_enum which, uint32_t value)
{
    for (const struct value_row *row = enums[which].rows; row->name != NULL; row++)
        if (row->value == value) return row->name;
    return NULL;
}

// The rest of a driver name, without what all names of the enum share; "L2_" too may be left out.
static bool is_name(enum map_enum which, const char *name, const char *text)
{
    const char *rest = name + strlen(enums[which].prefix);
    if (strcasecmp(name, text) == 0 || strcasecmp(rest, text) == 0) return true;
    return which == MAP_L2_PROMOTION && strncmp(rest, "L2_", 3) == 0 && strcasecmp(rest + 3, text) == 0;
}

static int find_short(enum map_enum which, const char *text, uint32_t *value)
{
    if (which == MAP_OOB_FILL && strcasecmp(text, "nan") == 0) {
        *value = 1;
        return 1;
    }
    if (which == MAP_OOB_FILL && strcasecmp(text, "zero") == 0) {
        *value = 0;
        return 1;
    }
    enum dtype dtype = which == MAP_DATA_TYPE ? dtype_find(text) : DTYPE_COUNT;
    *value = (uint32_t)dtype;
    return dtype != DTYPE_COUNT;
}

// Sizes may be written without their B: no number of the driver's is so large.
static bool find_size(enum map_enum which, const char *text, uint32_t *value)
{
    char name[16];
    snprintf(name, sizeof name, "%.8sB", text);
    for (const struct value_row *row = enums[which].rows; row->name != NULL; row++) {
        if (!is_name(which, row->name, name)) continue;
        *value = row->value;
        return true;
    }
    return false;
}

int map_value_named(enum map_enum which, const char *text, uint32_t *value)
{
    if (find_size(which, text, value)) return 1;
    for (const struct value_row *row = enums[which].rows; row->name != NULL; row++)
        if (is_name(which, row->name, text)) {
            *value = row->value;
            return 1;
        }
    return find_short(which, text, value);
}
