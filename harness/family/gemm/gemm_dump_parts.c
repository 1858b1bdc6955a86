// SPDX-License-Identifier: MIT
// What lies over the stages of CTA 0 where parts of k meet in distributed shared memory: it owns the first boxes of its
// warpgroups' parts of D, and every other part sends its sums of them, four registers of a thread at a time.
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "fragments.h"
#include "gemm_case.h"

// `count` rows of A or columns of B, taken apart; those that are not there are zeros.
struct rows {
    struct number_terms *vectors;
    size_t steps;
};

static struct rows read_rows(const struct gemm_case *c, const struct memory operand[2], enum gemm_operand of,
                             uint32_t first, uint32_t count)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    enum wgmma_types types = gemm_wgmma_types(i);
    struct rows rows = {NULL, wgmma_chain_steps(types, c->k)};
    uint8_t *row = calloc(c->k, gemm_bytes(i->in));
    rows.vectors = malloc(count * rows.steps * sizeof *rows.vectors);
    for (uint32_t r = 0; r < count && row != NULL && rows.vectors != NULL; r++) {
        size_t row_bytes = gemm_row_bytes(c, of);
        if (first + r < gemm_rows(c, of))
            memcpy(row, operand[of].bytes + (size_t)(first + r) * c->pitch_bytes[of], row_bytes);
        else
            memset(row, 0, row_bytes);
        wgmma_chain_read(types, of, c->k, row, rows.vectors + r * rows.steps);
    }
    free(row);
    return rows;
}

// A warpgroup's part of a tile as boxes, down its columns of boxes last, as its instructions see it: their rows are
// those of operand `down`.
struct boxes {
    uint32_t start[2]; // of the part in the tile, along m and n
    enum gemm_operand down;
    uint32_t columns, across, count, owned;
};

static struct boxes boxes_of(const struct gemm_case *c, uint32_t consumer)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    uint32_t part_m = i->tile_m / i->rows, part_n = i->tile_n / i->columns;
    struct boxes b = {.start = {consumer / i->columns * part_m, consumer % i->columns * part_n},
                      .down = gemm_is_turned(i->kernel) ? GEMM_B : GEMM_A,
                      .columns = gemm_box_columns(i)};
    b.across = gemm_width(i) / b.columns;
    b.count = part_m * part_n / (GEMM_BOX_ROWS * b.columns);
    b.owned = b.count / c->splits;
    return b;
}

// Box `box` of part `part` to where its sender writes it.
static void lay_box(const struct gemm_case *c, const struct boxes *b, uint32_t box, uint32_t part,
                    const struct rows rows[2], uint8_t *to)
{
    enum wgmma_types types = gemm_wgmma_types(gemm_instance_row(c->instance));
    size_t start = gemm_part_start(c, part), steps = gemm_part_start(c, part + 1) - start;
    for (uint32_t i = 0; i < WGMMA_THREADS * b->columns / 2; i++) {
        uint32_t thread = i % WGMMA_THREADS, index = i / WGMMA_THREADS;
        struct number_place at = wgmma_place_d(types, (int)thread, (int)(box % b->across * b->columns / 2 + index), 0);
        uint32_t place[2];
        place[b->down] = b->start[b->down] + box / b->across * GEMM_BOX_ROWS + (uint32_t)at.row;
        place[!b->down] = b->start[!b->down] + (uint32_t)at.column;
        uint32_t sum = wgmma_chain_dot(types, steps, rows[0].vectors + place[0] * rows[0].steps + start,
                                       rows[1].vectors + place[1] * rows[1].steps + start, NULL);
        memcpy(to + (index / 4 * WGMMA_THREADS + thread) * 16 + index % 4 * 4, &sum, sizeof sum);
    }
}

static void lay_parts(const struct gemm_case *c, const struct rows rows[2], uint8_t *stages)
{
    for (uint32_t consumer = 0; consumer < GEMM_CONSUMERS; consumer++) {
        const struct boxes b = boxes_of(c, consumer);
        uint32_t box_bytes = b.columns * GEMM_BOX_ROWS * 4, most = (b.count - 1) / c->splits + 1;
        for (uint32_t part = 1; part < c->splits; part++)
            for (uint32_t box = 0; box < b.owned; box++)
                lay_box(c, &b, box, part, rows,
                        stages + (((part - 1) * GEMM_CONSUMERS + consumer) * most + box) * box_bytes);
    }
}

bool gemm_model_parts(const struct gemm_case *c, const struct memory operand[2], uint32_t m, uint32_t n,
                      uint8_t *stages)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    const struct rows rows[] = {read_rows(c, operand, GEMM_A, m, i->tile_m),
                                read_rows(c, operand, GEMM_B, n, i->tile_n)};
    bool ok = rows[0].vectors != NULL && rows[1].vectors != NULL;
    if (ok) lay_parts(c, rows, stages);
    free(rows[0].vectors);
    free(rows[1].vectors);
    return ok;
}
