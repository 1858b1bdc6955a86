// SPDX-License-Identifier: MIT
// The fields of the matrix descriptor and the layouts that they stand for.
#include "descriptor.h"

#include "swizzle.h"

enum { UNIT_BYTES = 16, FIELD_MASK = 0x3fff, ROWS = 8 };

uint64_t wgmma_descriptor_pack(const struct wgmma_descriptor *d)
{
    return (uint64_t)(d->start_bytes / UNIT_BYTES & FIELD_MASK) |
           (uint64_t)(d->leading_bytes / UNIT_BYTES & FIELD_MASK) << 16 |
           (uint64_t)(d->stride_bytes / UNIT_BYTES & FIELD_MASK) << 32 | (uint64_t)(d->base_offset & 7) << 49 |
           (uint64_t)(d->swizzle & 3) << 62;
}

struct wgmma_descriptor wgmma_descriptor_unpack(uint64_t bits)
{
    return (struct wgmma_descriptor){
        .start_bytes = (uint32_t)(bits & FIELD_MASK) * UNIT_BYTES,
        .leading_bytes = (uint32_t)(bits >> 16 & FIELD_MASK) * UNIT_BYTES,
        .stride_bytes = (uint32_t)(bits >> 32 & FIELD_MASK) * UNIT_BYTES,
        .base_offset = (uint32_t)(bits >> 49 & 7),
        .swizzle = (enum wgmma_swizzle)(bits >> 62),
    };
}

// The same pattern as a tensor map's, whose modes are numbered the other way round.
static uint32_t swizzled(const struct wgmma_descriptor *d, uint32_t address)
{
    if (d->swizzle == WGMMA_SWIZZLE_NONE) return address;
    return address ^ swizzle_xor((enum tensormap_swizzle)(4 - (int)d->swizzle), address - (d->base_offset << 7));
}

uint32_t wgmma_unswizzled(const struct wgmma_descriptor *d, uint32_t address)
{
    return swizzled(d, address); // the XOR depends on bits that it does not change
}

uint32_t wgmma_span_bytes(const struct wgmma_descriptor *d)
{
    return d->swizzle == WGMMA_SWIZZLE_NONE ? UNIT_BYTES : 256u >> d->swizzle;
}

uint32_t wgmma_address_k_major(const struct wgmma_descriptor *d, int row, int k_bytes)
{
    uint32_t r = (uint32_t)row, k = (uint32_t)k_bytes, at = d->start_bytes + r / ROWS * d->stride_bytes;
    if (d->swizzle == WGMMA_SWIZZLE_NONE)
        return at + r % ROWS * UNIT_BYTES + k / UNIT_BYTES * d->leading_bytes + k % UNIT_BYTES;
    return swizzled(d, at + r % ROWS * wgmma_span_bytes(d) + k / wgmma_span_bytes(d) * d->leading_bytes +
                           k % wgmma_span_bytes(d));
}

uint32_t wgmma_address_mn_major(const struct wgmma_descriptor *d, int row, int k)
{
    uint32_t r = (uint32_t)row, depth = (uint32_t)k, in_unit = r % ROWS * 2;
    if (d->swizzle == WGMMA_SWIZZLE_NONE)
        return d->start_bytes + r / ROWS * d->stride_bytes + depth / ROWS * d->leading_bytes +
               depth % ROWS * UNIT_BYTES + in_unit;
    uint32_t units = wgmma_span_bytes(d) / UNIT_BYTES; // of 8 elements, side by side
    return swizzled(d, d->start_bytes + r / (ROWS * units) * d->leading_bytes + r / ROWS % units * UNIT_BYTES +
                           in_unit + depth / ROWS * d->stride_bytes + depth % ROWS * wgmma_span_bytes(d));
}
