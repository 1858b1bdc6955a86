// SPDX-License-Identifier: MIT
// The family "gemm_layout" on the model, as the kernel does it: every box is loaded by the model of TMA, every
// descriptor is packed, every instruction reads shared memory through it.
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "descriptor.h"
#include "fragments.h"
#include "layout_case.h"
#include "load_job.h"
#include "mbarrier.h"
#include "swizzle_names.h"
#include "wgmma.h"

enum { REGISTERS = LAYOUT_TILE / 2, WARPGROUPS = LAYOUT_TILE / WGMMA_M, MN_MAJOR_K = 64, LOADS_PER_BARRIER = 1 };

// A CTA at work. operand[]: the matrices in global memory; start[]: where their block 0 lies in shared memory.
struct cta {
    const struct layout_case *c;
    struct memory operand[2], shared;
    struct tensormap map[2];
    uint32_t start[2];
    uint32_t tile[2]; // along m, along n
};

static uint32_t box_bytes(const struct cta *cta, int operand)
{
    bool is_mn_major = layout_instance_row(cta->c->instance)->is_mn_major[operand];
    return (is_mn_major ? MN_MAJOR_K : LAYOUT_TILE) * layout_span_bytes(cta->c->swizzle[operand]);
}

// The boxes of one block of an operand, side by side along the span.
static enum rule load_block(const struct cta *cta, int operand, uint32_t block)
{
    const struct layout_instance *i = layout_instance_row(cta->c->instance);
    uint32_t bytes = box_bytes(cta, operand), width = layout_span_bytes(cta->c->swizzle[operand]) / gemm_bytes(i->type);
    uint32_t k = block * gemm_block_k(i->type), mn = cta->tile[operand] * LAYOUT_TILE, transaction_bytes;
    enum rule rule = RULE_OK;
    for (uint32_t box = 0; box * bytes < LAYOUT_BLOCK_BYTES && rule == RULE_OK; box++) {
        uint32_t x = (i->is_mn_major[operand] ? mn : k) + box * width, y = i->is_mn_major[operand] ? k : mn;
        const int32_t coord[] = {(int32_t)x, (int32_t)y};
        rule = tile_load(&cta->map[operand], 2, coord, &cta->operand[operand], &cta->shared,
                         cta->start[operand] + block * LAYOUT_BLOCK_BYTES + box * bytes, &transaction_bytes, NULL);
    }
    return rule;
}

// The descriptor of 32 bytes of K: `step` of a block, from row `row` (a multiple of 64) on.
static uint64_t descriptor_of(const struct cta *cta, int operand, uint32_t block, uint32_t step, uint32_t row)
{
    const uint32_t mode = swizzle_name((enum tensormap_swizzle)cta->c->swizzle[operand])->wgmma;
    uint32_t span = layout_span_bytes(cta->c->swizzle[operand]), box = box_bytes(cta, operand), atom = 8 * span;
    bool is_mn_major = layout_instance_row(cta->c->instance)->is_mn_major[operand];
    uint32_t start = cta->start[operand] + block * LAYOUT_BLOCK_BYTES;
    struct wgmma_descriptor d = {.leading_bytes = box, .stride_bytes = atom, .swizzle = (enum wgmma_swizzle)mode};
    if (is_mn_major) {
        d.start_bytes = start + 2 * step * atom + row * 2 / span * box;
        if (d.swizzle == WGMMA_SWIZZLE_NONE) d.leading_bytes = atom, d.stride_bytes = box;
    } else {
        d.start_bytes = start + 32 * step / span * box + 32 * step % span + row / 8 * atom;
    }
    return wgmma_descriptor_pack(&d);
}

// All instructions of a warpgroup, into its registers.
static enum rule multiply(const struct cta *cta, uint32_t warpgroup, uint32_t d[REGISTERS * WGMMA_THREADS])
{
    static const enum wgmma_types types[] = {WGMMA_F32_BF16_BF16, WGMMA_F32_F16_F16, WGMMA_F32_E4M3_E4M3,
                                             WGMMA_F32_E5M2_E5M2};
    const struct layout_instance *i = layout_instance_row(cta->c->instance);
    const struct wgmma w = {
        .types = types[i->type], .n = LAYOUT_TILE, .is_transposed = {i->is_mn_major[0], i->is_mn_major[1]}};
    struct wgmma_operands o = {.shared = &cta->shared};
    enum rule rule = RULE_OK;
    for (uint32_t block = 0; block < layout_blocks(cta->c); block++) {
        for (uint32_t step = 0; step < GEMM_BLOCK_BYTES / 32 && rule == RULE_OK; step++) {
            o.descriptor[0] = descriptor_of(cta, 0, block, step, warpgroup * WGMMA_M);
            o.descriptor[1] = descriptor_of(cta, 1, block, step, 0);
            rule = wgmma_execute(&w, &o, d, NULL);
            o.scale_d = 1;
        }
    }
    return rule;
}

// The registers to D, as far as it goes.
static void store(const struct cta *cta, uint32_t warpgroup, const uint32_t *registers, uint8_t *d)
{
    const struct layout_case *c = cta->c;
    for (int i = 0; i < REGISTERS * WGMMA_THREADS; i++) {
        struct number_place place = wgmma_place_d(WGMMA_F32_BF16_BF16, i % WGMMA_THREADS, i / WGMMA_THREADS, 0);
        uint32_t row = cta->tile[0] * LAYOUT_TILE + warpgroup * WGMMA_M + (uint32_t)place.row;
        uint32_t column = cta->tile[1] * LAYOUT_TILE + (uint32_t)place.column;
        if (row < c->m && column < c->n)
            memcpy(d + GEMM_GUARD_BYTES + (size_t)row * c->pitch_bytes[GEMM_D] + column * 4, &registers[i], 4);
    }
}

static enum rule run_cta(const struct cta *cta, uint8_t *d)
{
    uint32_t registers[REGISTERS * WGMMA_THREADS];
    enum rule rule = RULE_OK;
    for (uint32_t block = 0; block < layout_blocks(cta->c); block++)
        for (int operand = 0; operand < 2 && rule == RULE_OK; operand++) rule = load_block(cta, operand, block);
    for (uint32_t warpgroup = 0; warpgroup < WARPGROUPS && rule == RULE_OK; warpgroup++) {
        rule = multiply(cta, warpgroup, registers);
        if (rule == RULE_OK) store(cta, warpgroup, registers, d);
    }
    return rule;
}

// Stages and barriers, each of which has completed one phase of one arrival.
static void dump_cta(const struct cta *cta, uint8_t *dump)
{
    uint32_t blocks = layout_blocks(cta->c), barriers = 2 * layout_operand_bytes(blocks);
    const struct mbarrier_fields fields = {.phase = 1, .pending = LOADS_PER_BARRIER, .expected = LOADS_PER_BARRIER};
    uint64_t word = mbarrier_pack(&fields);
    memcpy(dump, cta->shared.bytes, barriers);
    for (uint32_t block = 0; block < blocks; block++) memcpy(dump + barriers + 8 * block, &word, sizeof word);
}

static enum rule run_tiles(struct cta *cta, uint8_t *d, uint8_t *dump)
{
    enum rule rule = RULE_OK;
    for (uint32_t x = 0; x * LAYOUT_TILE < cta->c->m && rule == RULE_OK; x++) {
        for (uint32_t y = 0; y * LAYOUT_TILE < cta->c->n && rule == RULE_OK; y++) {
            cta->tile[0] = x;
            cta->tile[1] = y;
            for (uint32_t at = 0; at < cta->shared.size_bytes; at += 4)
                put_u32(cta->shared.bytes + at, load_canary(GEMM_SHARED_START + at));
            rule = run_cta(cta, d);
            if (x == 0 && y == 0 && dump != NULL) dump_cta(cta, dump);
        }
    }
    return rule;
}

enum rule layout_model(const struct layout_case *c, uint8_t *d, uint8_t *dump)
{
    uint8_t shared[SM_SHARED_BYTES];
    struct cta cta = {.c = c, .shared = {shared, GEMM_SHARED_START, layout_shared_bytes(layout_blocks(c))}};
    uint32_t half = layout_operand_bytes(layout_blocks(c));
    enum rule rule = RULE_OK;
    for (int i = 0; i < 2; i++) {
        struct tensormap_image image;
        size_t bytes = layout_operand_size(c, (enum gemm_operand)i);
        cta.operand[i] = (struct memory){malloc(bytes), (uint64_t)(i + 1) << 32, bytes};
        if (cta.operand[i].bytes == NULL) abort();
        layout_fill(c, (enum gemm_operand)i, cta.operand[i].bytes);
        cta.start[i] = GEMM_SHARED_START + (uint32_t)i * half + c->shift_bytes[i];
        if (rule == RULE_OK) rule = layout_map(c, (enum gemm_operand)i, cta.operand[i].base, &image);
        if (rule == RULE_OK) tensormap_decode(&image, &cta.map[i], NULL);
    }
    if (rule == RULE_OK) rule = run_tiles(&cta, d, dump);
    for (int i = 0; i < 2; i++) free(cta.operand[i].bytes);
    return rule;
}
