// SPDX-License-Identifier: MIT
// What A, B and D hold before a GEMM: numbers of every style of wgmma_job.h, or such whose sums are exact in any order.
#include <string.h>

#include "gemm_case.h"
#include "load_job.h"
#include "wgmma_job.h"

static struct wgmma_layout layout_of(enum gemm_type type)
{
    static const struct wgmma_layout layouts[] = {WGMMA_LAYOUT_BF16, WGMMA_LAYOUT_F16, WGMMA_LAYOUT_E4M3,
                                                  WGMMA_LAYOUT_E5M2, WGMMA_LAYOUT_F32};
    return layouts[type];
}

// Elements that are -1, 0 or 1, in 8 bytes.
static uint64_t exact_word(struct wgmma_layout layout, uint32_t seed, uint32_t salt, uint32_t index)
{
    uint64_t bits = bulk_mix(((uint64_t)seed << 32 | index) * 4 + salt), word = 0;
    uint64_t one = (uint64_t)((1u << (layout.exponent - 1)) - 1) << layout.fraction, sign = 1;
    for (uint32_t at = 0; at < 64; at += layout.width, bits >>= 2) {
        if ((bits & 3) < 2) word |= one << at;
        if ((bits & 3) == 1) word |= sign << (at + layout.width - 1);
    }
    return word;
}

void gemm_fill_numbers(enum gemm_type type, int exact, uint32_t seed, enum gemm_operand operand, uint8_t *bytes,
                       size_t size_bytes)
{
    const struct wgmma_layout layout = layout_of(type);
    for (size_t i = 0; i < size_bytes / 8; i++) {
        uint64_t word =
            exact ? exact_word(layout, seed, operand, (uint32_t)i) : wgmma_word(layout, seed, operand, (uint32_t)i);
        memcpy(bytes + 8 * i, &word, sizeof word);
    }
}

void gemm_fill_canaries(uint8_t *bytes, size_t size_bytes)
{
    for (size_t at = 0; at < size_bytes; at += 4) put_u32(bytes + at, load_canary((uint32_t)at));
}

// D has canaries; with `reduce` zeros where elements are, for the reductions to add to.
void gemm_fill(const struct gemm_case *c, enum gemm_operand operand, uint8_t *bytes)
{
    size_t size_bytes = gemm_operand_bytes(c, operand);
    if (operand != GEMM_D) {
        gemm_fill_numbers(gemm_instance_row(c->instance)->in, (int)c->exact, c->seed, operand, bytes, size_bytes);
        return;
    }
    gemm_fill_canaries(bytes, size_bytes);
    for (uint32_t row = 0; c->reduce && row < c->m; row++)
        memset(bytes + GEMM_GUARD_BYTES + (size_t)row * c->pitch_bytes[GEMM_D], 0, gemm_row_bytes(c, GEMM_D));
}
