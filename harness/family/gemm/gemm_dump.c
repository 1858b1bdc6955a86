// SPDX-License-Identifier: MIT
// What CTA 0 of a GEMM leaves in shared memory: in each stage the last blocks of A and B that were loaded there, and
// the words of its barriers. The loads are those of the model of TMA, swizzle and fill and all; the kernel of cp.async
// lays its blocks out in the same way, by hand.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "gemm_case.h"
#include "gemm_launch.h"
#include "mbarrier.h"

enum { ANY_SMS = 132, BARRIER_BYTES = 8, WARPS_OF_CONSUMER = 4 };
#define OPERAND_BASE ((uint64_t)1 << 32)

// One block of k of one tile of CTA 0; they go round the stages in this order.
struct block {
    uint32_t m, n, k; // where it begins (elements)
};

// How CTA 0 goes through its tiles: `index` counts the tiles of the whole cluster.
struct walk {
    const struct gemm_case *c;
    const struct gemm_instance *instance;
    uint32_t rows, columns, parts; // tiles of the whole cluster; parts of k that are tiles of their own
    uint32_t step, blocks;
};

static struct walk walk_of(const struct gemm_case *c)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    const struct gemm_job job = gemm_case_job(c);
    struct walk w = {.c = c,
                     .instance = i,
                     .rows = (c->m - 1) / (i->tile_m * c->cluster_m) + 1,
                     .columns = (c->n - 1) / (i->tile_n * c->cluster_n) + 1,
                     .parts = c->splits / gemm_splits_in_cluster(&job),
                     .step = gemm_grid(i, &job, c->ctas != 0 ? c->ctas : ANY_SMS) / gemm_cluster_size(&job),
                     .blocks = (c->k - 1) / gemm_block_k(i->in) + 1};
    if (i->kernel == GEMM_CP_ASYNC) w.step = w.rows * w.columns; // a CTA for each tile
    return w;
}

// Tile `index`: groups of `group` rows, down the columns of a group, the parts of k of a tile one after the other. Of
// CTA 0 the first block, and how many there are.
static uint32_t blocks_of(const struct walk *w, uint32_t index, struct block *first)
{
    uint32_t part = index % w->parts, tile = index / w->parts, splits = w->c->splits;
    uint32_t in_group = w->c->group * w->columns, top = tile / in_group * w->c->group;
    uint32_t height = w->rows - top < w->c->group ? w->rows - top : w->c->group;
    uint32_t block = w->blocks * part / splits, end = w->blocks * (part + 1) / splits;
    *first = (struct block){(top + tile % in_group % height) * w->instance->tile_m * w->c->cluster_m,
                            tile % in_group / height * w->instance->tile_n * w->c->cluster_n,
                            block * gemm_block_k(w->instance->in)};
    return end - block;
}

void gemm_model_work(const struct gemm_case *c, uint32_t *tiles, uint32_t *loads)
{
    const struct walk w = walk_of(c);
    struct block block;
    *tiles = *loads = 0;
    for (uint32_t index = 0; index < w.rows * w.columns * w.parts; index += w.step, ++*tiles)
        *loads += blocks_of(&w, index, &block);
}

static void load(const struct tensormap_image *image, const struct memory *global_memory, const struct memory *stage,
                 uint32_t shared, uint32_t k, uint32_t row)
{
    struct tensormap map;
    uint32_t transaction_bytes;
    const int32_t coord[] = {(int32_t)k, (int32_t)row};
    tensormap_decode(image, &map, NULL);
    for (uint32_t at = 0; at < stage->size_bytes; at += map.box_bytes) {
        const int32_t here[] = {coord[0], coord[1] + (int32_t)(at / GEMM_BLOCK_BYTES)};
        enum rule rule = tile_load(&map, 2, here, global_memory, stage, shared + at, &transaction_bytes, NULL);
        assert(rule == RULE_OK);
        (void)rule;
    }
}

// Both blocks into `stage`: a whole tile of each, made of the shares that the CTAs of the cluster load for each other.
static void load_blocks(const struct walk *w, const struct tensormap_image map[3], const struct memory operand[2],
                        const struct block *block, uint32_t stage, uint8_t *bytes)
{
    uint32_t stage_bytes = gemm_stage_bytes(w->instance->tile_m, w->instance->tile_n);
    uint32_t a_bytes = w->instance->tile_m * GEMM_BLOCK_BYTES, shared = GEMM_SHARED_START + stage * stage_bytes;
    const struct memory a = {bytes, shared, a_bytes}, b = {bytes + a_bytes, shared + a_bytes, stage_bytes - a_bytes};
    load(&map[GEMM_A], &operand[GEMM_A], &a, shared, block->k, block->m);
    load(&map[GEMM_B], &operand[GEMM_B], &b, shared + a_bytes, block->k, block->n);
}

// `phases` of a barrier with so many arrivals have completed.
static void write_word(uint8_t *to, uint32_t arrivals, uint32_t phases)
{
    const struct mbarrier_fields fields = {.phase = phases & 1, .pending = arrivals, .expected = arrivals};
    put_u64(to, mbarrier_pack(&fields));
}

// full[] has the producer's arrival, one of each of its threads where they gather, empty[] one of each warp of the
// tile's consumers in all CTAs that share a block.
static void write_words(const struct walk *w, const uint32_t loads[GEMM_MAX_STAGES], uint8_t *words)
{
    uint32_t consumers = gemm_is_pingpong(w->instance->kernel) ? 1 : GEMM_CONSUMERS;
    uint32_t peers = w->c->cluster_m + w->c->cluster_n - 1;
    uint32_t producers = w->instance->kernel == GEMM_GATHER ? GEMM_GATHERERS : 1;
    for (uint32_t stage = 0; stage < w->c->stages; stage++) {
        write_word(words + stage * BARRIER_BYTES, producers, loads[stage]);
        write_word(words + (w->c->stages + stage) * BARRIER_BYTES, consumers * WARPS_OF_CONSUMER * peers, loads[stage]);
    }
}

// All tiles of CTA 0, one after the other: of the blocks of a tile the last ones stay in the stages, and where parts of
// k meet in distributed shared memory those of the others come to lie over them. loads[] counts for each stage.
static bool run_tiles(const struct walk *w, const struct tensormap_image map[3], const struct memory operand[2],
                      uint32_t loads[GEMM_MAX_STAGES], uint8_t *dump)
{
    uint32_t stage_bytes = gemm_stage_bytes(w->instance->tile_m, w->instance->tile_n), stage = 0;
    bool ok = true;
    for (uint32_t index = 0; index < w->rows * w->columns * w->parts; index += w->step) {
        struct block first, block;
        uint32_t count = blocks_of(w, index, &first);
        block = first;
        for (uint32_t left = count; left > 0; left--, block.k += gemm_block_k(w->instance->in)) {
            if (left <= w->c->stages) load_blocks(w, map, operand, &block, stage, dump + stage * stage_bytes);
            loads[stage]++;
            stage = (stage + 1) % w->c->stages;
        }
        if (w->parts < w->c->splits) ok = ok && gemm_model_parts(w->c, operand, first.m, first.n, dump);
    }
    return ok;
}

bool gemm_model_dump(const struct gemm_case *c, uint8_t *dump)
{
    const struct walk w = walk_of(c);
    uint32_t loads[GEMM_MAX_STAGES] = {0};
    struct memory operand[2];
    struct tensormap_image map[3];
    struct gemm_call call = {.instance = w.instance, .job = gemm_case_job(c)};
    for (int i = 0; i < 3; i++) {
        call.address[i] = OPERAND_BASE * (uint64_t)(i + 1);
        call.pitch_bytes[i] = c->pitch_bytes[i];
    }
    for (int i = 0; i < 2; i++) {
        size_t bytes = gemm_operand_bytes(c, (enum gemm_operand)i);
        operand[i] = (struct memory){malloc(bytes), call.address[i], bytes};
        if (operand[i].bytes != NULL) gemm_fill(c, (enum gemm_operand)i, operand[i].bytes);
    }
    bool ok = operand[0].bytes != NULL && operand[1].bytes != NULL && gemm_maps_make(&call, map) == RULE_OK;
    uint32_t stage_bytes = gemm_stage_bytes(w.instance->tile_m, w.instance->tile_n);
    memset(dump, 0, gemm_dump_bytes(w.instance, c->stages));
    ok = ok && run_tiles(&w, map, operand, loads, dump);
    if (w.instance->kernel != GEMM_CP_ASYNC) write_words(&w, loads, dump + c->stages * stage_bytes);
    free(operand[0].bytes);
    free(operand[1].bytes);
    return ok;
}
