// SPDX-License-Identifier: MIT
#include "dtype.h"

#include <assert.h>
#include <stdlib.h>
#include <strings.h>

static const struct dtype_row rows[DTYPE_COUNT] = {
    [DTYPE_UINT8] = {"UINT8", "u8", 1, 0, 0, 0},
    [DTYPE_UINT16] = {"UINT16", "u16", 2, 1, 0, 0},
    [DTYPE_UINT32] = {"UINT32", "u32", 4, 2, 0, 0},
    [DTYPE_INT32] = {"INT32", "s32", 4, 3, 0, 0},
    [DTYPE_UINT64] = {"UINT64", "u64", 8, 4, 0, 0},
    [DTYPE_INT64] = {"INT64", "s64", 8, 5, 0, 0},
    [DTYPE_FLOAT16] = {"FLOAT16", "f16", 2, 6, 1, 0},
    [DTYPE_FLOAT32] = {"FLOAT32", "f32", 4, 7, 1, 0},
    [DTYPE_FLOAT64] = {"FLOAT64", "f64", 8, 9, 1, 0},
    [DTYPE_BFLOAT16] = {"BFLOAT16", "bf16", 2, 10, 1, 0},
    [DTYPE_FLOAT32_FTZ] = {"FLOAT32_FTZ", "f32.ftz", 4, 8, 1, 0},
    [DTYPE_TFLOAT32] = {"TFLOAT32", "tf32", 4, 7, 1, 1},
    [DTYPE_TFLOAT32_FTZ] = {"TFLOAT32_FTZ", "tf32.ftz", 4, 8, 1, 1},
};

const struct dtype_row *dtype_row(enum dtype dtype)
{
    assert((unsigned)dtype < DTYPE_COUNT);
    return &rows[dtype];
}

enum dtype dtype_find(const char *text)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (*text != '\0' && *end == '\0') return number < DTYPE_COUNT ? (enum dtype)number : DTYPE_COUNT;
    for (int i = 0; i < DTYPE_COUNT; i++)
        if (strcasecmp(rows[i].name, text) == 0 || strcasecmp(rows[i].ptx, text) == 0) return (enum dtype)i;
    return DTYPE_COUNT;
}

enum dtype dtype_from_format(uint32_t format, int is_tf32)
{
    for (int i = 0; i < DTYPE_COUNT; i++)
        if (rows[i].format == format && rows[i].is_tf32 == is_tf32) return (enum dtype)i;
    return DTYPE_COUNT;
}
