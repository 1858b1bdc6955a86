// SPDX-License-Identifier: MIT
// A mismatch of the family "gemm" in words: the element of D, its tile, and which block of K would explain what was
// found if it had not been added, or had been the last.
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "gemm_case.h"
#include "rules/mbarrier.h"
#include "rules/store.h"
#include "rules/swizzle.h"
#include "rules/wgmma.h"

// The row of A and the row of B of an element, taken apart.
struct rows {
    struct number_terms *a, *b;
    size_t steps;
};

static struct number_terms *read_row(const struct gemm_case *c, enum gemm_operand operand, uint32_t row)
{
    enum wgmma_types types = gemm_wgmma_types(gemm_instance_row(c->instance));
    uint8_t *bytes = malloc(gemm_operand_bytes(c, operand));
    struct number_terms *vectors = malloc(wgmma_chain_steps(types, c->k) * sizeof *vectors);
    if (bytes != NULL && vectors != NULL) {
        gemm_fill(c, operand, bytes);
        wgmma_chain_read(types, operand, c->k, bytes + (size_t)row * c->pitch_bytes[operand], vectors);
    }
    free(bytes);
    return vectors;
}

// The element as it would be without the instructions first .. end - 1.
static uint32_t without(const struct gemm_case *c, const struct rows *r, size_t first, size_t end)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    enum wgmma_types types = gemm_wgmma_types(i);
    uint32_t sum = wgmma_chain_dot(types, first, r->a, r->b, NULL);
    if (end < r->steps) sum = wgmma_chain_dot(types, r->steps - end, r->a + end, r->b + end, first > 0 ? &sum : NULL);
    return number_round(gemm_format(i->out), sum);
}

static void explain_blocks(const struct gemm_case *c, const struct rows *r, uint32_t found, FILE *out)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    uint32_t block_k = gemm_block_k(i->in), blocks = (c->k - 1) / block_k + 1;
    size_t of_block = block_k / (size_t)wgmma_types_row(gemm_wgmma_types(i))->k;
    for (uint32_t block = 0; block < blocks; block++) {
        size_t first = block * of_block, end = first + of_block;
        if (end > r->steps) end = r->steps;
        if (without(c, r, first, end) == found)
            fprintf(out, "    as if block %u of K (k = %u on) had not been added\n", block, block * block_k);
        if (block > 0 && without(c, r, first, r->steps) == found)
            fprintf(out, "    as if K had ended before block %u (k = %u)\n", block, block * block_k);
    }
}

static enum rule explain_element(const struct gemm_case *c, uint32_t m, uint32_t n, const struct difference *difference,
                                 FILE *out)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    uint32_t bytes = gemm_bytes(i->out);
    struct difference_units element = difference_units(difference, bytes);
    fprintf(out, "    %s: D[%u][%u], tile %u, %u (row %u, column %u of it): 0x%0*x expected, 0x%0*x found\n", i->name,
            m, n, m / i->tile_m, n / i->tile_n, m % i->tile_m, n % i->tile_n, (int)bytes * 2,
            (uint32_t)element.expected, (int)bytes * 2, (uint32_t)element.found);
    if (n >= c->n) {
        fprintf(out, "    past the end of the row: a store writes whole pieces of 16 bytes\n");
        return RULE_STORE_GRANULE;
    }
    if (c->splits > 1) return RULE_WGMMA_SUM;
    struct rows rows = {read_row(c, GEMM_A, m), read_row(c, GEMM_B, n), wgmma_chain_steps(gemm_wgmma_types(i), c->k)};
    if (rows.a != NULL && rows.b != NULL) explain_blocks(c, &rows, (uint32_t)element.found, out);
    free(rows.a);
    free(rows.b);
    return RULE_WGMMA_SUM;
}

static enum rule explain_d(const struct gemm_case *c, const struct difference *difference, FILE *out)
{
    uint32_t at = difference->at;
    uint32_t pitch = c->pitch_bytes[GEMM_D], bytes = gemm_bytes(gemm_instance_row(c->instance)->out);
    if (at < GEMM_GUARD_BYTES || at >= GEMM_GUARD_BYTES + c->m * pitch) {
        fprintf(out, "    D: %s it, at byte %d from its start, memory has changed\n",
                at < GEMM_GUARD_BYTES ? "before" : "behind", (int)at - GEMM_GUARD_BYTES);
        return RULE_STORE_BOUNDS;
    }
    at -= GEMM_GUARD_BYTES;
    return explain_element(c, at / pitch, at % pitch / bytes, difference, out);
}

static enum rule explain_shared(const struct gemm_case *c, uint32_t at, FILE *out)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    uint32_t stage_bytes = gemm_stage_bytes(i->tile_m, i->tile_n), barriers = c->stages * stage_bytes;
    if (at >= barriers) {
        uint32_t index = (at - barriers) / 8;
        fprintf(out, "    shared memory of CTA 0: the word of %s[%u]\n", index < c->stages ? "full" : "empty",
                index % c->stages);
        return RULE_MBARRIER_PHASE;
    }
    uint32_t in_stage = at % stage_bytes, of_a = i->tile_m * GEMM_BLOCK_BYTES;
    uint32_t in_block = in_stage < of_a ? in_stage : in_stage - of_a;
    fprintf(out, "    shared memory of CTA 0: stage %u, block of %c, line %u, byte %u (as swizzled)\n",
            at / stage_bytes, in_stage < of_a ? 'A' : 'B', in_block / GEMM_BLOCK_BYTES, in_block % GEMM_BLOCK_BYTES);
    return RULE_SWIZZLE_128B;
}

enum rule gemm_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    return difference->window == 0 ? explain_d(test_case, difference, out)
                                   : explain_shared(test_case, difference->at, out);
}
