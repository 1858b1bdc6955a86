// SPDX-License-Identifier: MIT
#include "swizzle_names.h"

#include <assert.h>

#include "rules/swizzle.h"

enum { MODES = SWIZZLE_128B + 1, CHUNK_BITS = 4 };

static const struct swizzle_name rows[MODES] = {
    [SWIZZLE_NONE] = {"none", "CU_TENSOR_MAP_SWIZZLE_NONE", 0, RULE_SWIZZLE_NONE},
    [SWIZZLE_32B] = {"32B", "CU_TENSOR_MAP_SWIZZLE_32B", 3, RULE_SWIZZLE_32B},
    [SWIZZLE_64B] = {"64B", "CU_TENSOR_MAP_SWIZZLE_64B", 2, RULE_SWIZZLE_64B},
    [SWIZZLE_128B] = {"128B", "CU_TENSOR_MAP_SWIZZLE_128B", 1, RULE_SWIZZLE_128B},
};

const struct swizzle_name *swizzle_name(enum tensormap_swizzle mode)
{
    assert((unsigned)mode < MODES);
    return &rows[mode];
}

const char *swizzle_plain_name(uint32_t mode)
{
    return swizzle_name((enum tensormap_swizzle)mode)->name;
}

enum tensormap_swizzle swizzle_of_wgmma(uint32_t wgmma)
{
    uint32_t mode = SWIZZLE_NONE;
    while (mode < MODES - 1 && rows[mode].wgmma != wgmma) mode++;
    return (enum tensormap_swizzle)mode;
}

static uint32_t log2_of(uint32_t power)
{
    uint32_t bits = 0;
    while (power >> bits > 1) bits++;
    return bits;
}

struct swizzle_cute swizzle_cute(enum tensormap_swizzle mode, uint32_t element_bytes)
{
    return (struct swizzle_cute){(uint32_t)mode, CHUNK_BITS - log2_of(element_bytes), 3};
}

uint32_t swizzle_repeat_bytes(enum tensormap_swizzle mode)
{
    return mode == SWIZZLE_NONE ? 0 : 128u << mode;
}

uint32_t swizzle_align_bytes(enum tensormap_swizzle mode)
{
    return 128u << mode;
}
