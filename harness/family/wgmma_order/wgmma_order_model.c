// SPDX-License-Identifier: MIT
// D of a wgmma_order job as a machine leaves it that does one instruction after the other.
#include "wgmma_order_model.h"

#include <string.h>

#include "descriptor.h"
#include "memory.h"
#include "wgmma.h"
#include "wgmma_order_job.h"

// D = A * B + D of one group.
static void multiply(const struct memory *shared, uint32_t group, uint32_t *d)
{
    static const struct wgmma instruction = {.types = WGMMA_F32_F16_F16, .n = 8};
    const struct wgmma_descriptor a = {.start_bytes = WGMMA_ORDER_SHARED_START + group * WGMMA_ORDER_A_BYTES,
                                       .leading_bytes = WGMMA_ORDER_CORE_BYTES,
                                       .stride_bytes = 2 * WGMMA_ORDER_CORE_BYTES};
    struct wgmma_descriptor b = a;
    b.start_bytes = WGMMA_ORDER_B_START + group * WGMMA_ORDER_B_BYTES;
    const struct wgmma_operands operands = {
        .descriptor = {wgmma_descriptor_pack(&a), wgmma_descriptor_pack(&b)}, .shared = shared, .scale_d = 1};
    wgmma_execute(&instruction, &operands, d, NULL);
}

static float small_of(uint32_t seed, uint32_t index)
{
    return (float)(seed >> 8 * index & 7);
}

// What a program without mistakes leaves: the assembler puts in what is left out.
static void omit(uint32_t seed, const struct memory *shared, uint32_t *d)
{
    float value[WGMMA_ORDER_REGISTERS];
    for (uint32_t i = 0; i < WGMMA_ORDER_REGISTERS * WGMMA_ORDER_THREADS; i++) {
        value[0] = small_of(seed, i / WGMMA_ORDER_THREADS);
        memcpy(&d[i], value, sizeof *d);
    }
    multiply(shared, 0, d);
    for (uint32_t i = 0; i < WGMMA_ORDER_REGISTERS * WGMMA_ORDER_THREADS; i++) {
        memcpy(value, &d[i], sizeof *d);
        value[0] += 1;
        memcpy(&d[i], value, sizeof *d);
    }
    multiply(shared, 0, d);
    multiply(shared, 1, d);
}

void wgmma_order_compute(uint32_t kind, uint32_t seed, uint32_t *d)
{
    uint8_t bytes[WGMMA_ORDER_SHARED_BYTES];
    const struct memory shared = {bytes, WGMMA_ORDER_SHARED_START, sizeof bytes};
    for (uint32_t at = 0; at < sizeof bytes; at += 8) {
        uint64_t word = wgmma_order_word(seed, WGMMA_ORDER_SHARED_START + at, 0);
        memcpy(bytes + at, &word, sizeof word);
    }
    memset(d, 0, WGMMA_ORDER_OUTPUT_WORDS * sizeof *d);
    if (kind == WGMMA_ORDER_OMIT) omit(seed, &shared, d);
    for (uint32_t group = 0; kind == WGMMA_ORDER_OVERWRITE && group < WGMMA_ORDER_GROUPS; group++)
        multiply(&shared, group, d + group * WGMMA_ORDER_REGISTERS * WGMMA_ORDER_THREADS);
}
