// SPDX-License-Identifier: MIT
// Matrix descriptors of wgmma.
#include "descriptor.h"

#include "native.h"

void native_descriptor_unpack(uint64_t bits, uint32_t *fields)
{
    struct wgmma_descriptor descriptor = wgmma_descriptor_unpack(bits);
    fields[0] = descriptor.start_bytes;
    fields[1] = descriptor.leading_bytes;
    fields[2] = descriptor.stride_bytes;
    fields[3] = descriptor.base_offset;
    fields[4] = descriptor.swizzle;
}

uint64_t native_descriptor_pack(const uint32_t *fields)
{
    const struct wgmma_descriptor descriptor = {.start_bytes = fields[0],
                                                .leading_bytes = fields[1],
                                                .stride_bytes = fields[2],
                                                .base_offset = fields[3],
                                                .swizzle = (enum wgmma_swizzle)(fields[4] & 3)};
    return wgmma_descriptor_pack(&descriptor);
}

uint32_t native_descriptor_address(uint64_t bits, int row, int k_bytes)
{
    struct wgmma_descriptor descriptor = wgmma_descriptor_unpack(bits);
    return wgmma_address_k_major(&descriptor, row, k_bytes);
}
