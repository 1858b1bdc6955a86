// SPDX-License-Identifier: MIT
#include "chain.h"

#include <assert.h>
#include <string.h>

size_t wgmma_chain_steps(enum wgmma_types types, uint64_t k)
{
    uint64_t step = (uint64_t)wgmma_types_row(types)->k;
    return (size_t)((k + step - 1) / step);
}

void wgmma_chain_read(enum wgmma_types types, int operand, uint64_t k, const uint8_t *bytes,
                      struct wgmma_vector *vectors)
{
    const struct wgmma_types_row *row = wgmma_types_row(types);
    enum wgmma_format format = operand == 0 ? row->a : row->b;
    size_t element_bytes = (size_t)wgmma_unit_bytes(types);
    assert(row->a != WGMMA_B1);
    for (uint64_t first = 0; first < k; first += (uint64_t)row->k) {
        uint32_t units[WGMMA_MAX_UNITS] = {0};
        for (uint64_t i = 0; i < (uint64_t)row->k && first + i < k; i++)
            memcpy(&units[i], bytes + (first + i) * element_bytes, element_bytes);
        wgmma_vector_read(format, row->k, units, 0, vectors++);
    }
}

uint32_t wgmma_chain_dot(enum wgmma_types types, size_t steps, const struct wgmma_vector *a,
                         const struct wgmma_vector *b, const uint32_t *c)
{
    uint32_t sum = c != NULL ? *c : 0;
    for (size_t i = 0; i < steps; i++) sum = wgmma_dot(types, &a[i], &b[i], i > 0 || c != NULL ? &sum : NULL, 0);
    return sum;
}

// The upper 16 bits; what is cut off decides the rounding. A carry may reach infinity, as it should.
static uint32_t round_bf16(uint32_t bits)
{
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static uint32_t round_f16(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000, body = bits & 0x7fffffff;
    if (body >= 0x47800000) return sign | 0x7c00; // 2^16 and more
    int exponent = (int)(body >> 23) - 127, cut = exponent < -14 ? -1 - exponent : 13;
    if (cut > 25) return sign; // less than half of the least subnormal
    uint32_t magnitude = (body & 0x7fffff) | 0x800000, half = (uint32_t)1 << (cut - 1);
    uint32_t kept = magnitude >> cut, rest = magnitude & ((half << 1) - 1);
    kept += rest > half || (rest == half && (kept & 1));
    if (exponent >= -14) kept += (uint32_t)(exponent + 14) << 10; // the hidden bit makes it one more
    return sign | kept;
}

uint32_t wgmma_round(enum wgmma_format format, uint32_t f32)
{
    if (format == WGMMA_F32) return f32;
    if ((f32 & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return format == WGMMA_F16 ? round_f16(f32) : round_bf16(f32);
}
