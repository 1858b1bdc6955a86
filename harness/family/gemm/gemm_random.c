// SPDX-License-Identifier: MIT
// Random GEMMs: every compiled instance; sizes from 1 to a few hundred, most of them with remainders, at the edges of
// tiles and blocks; padded rows; few CTAs, so that each has many tiles; clusters, splits and all styles of numbers.
// Every other case is a strip one tile wide and many tiles long: few products, and all of the schedule.
#include "draw.h"
#include "gemm_case.h"

#define MOST_PRODUCTS ((uint64_t)1 << 21)

// A size along a side whose tile has `tile` elements.
static uint32_t pick_side(struct random *random, uint32_t tile)
{
    const uint32_t edge = tile * (uint32_t)random_range(random, 1, 3);
    return (uint32_t)DRAW(random, {1, BETWEEN(1, 16)}, {1, BETWEEN(edge - 1, edge + 1)},
                          {1, BETWEEN(8, 512), .unit = 8}, {1, BETWEEN(1, 900)}, {4, BETWEEN(1, 2 * tile)});
}

static void pick_sizes(struct random *random, const struct gemm_instance *i, struct gemm_case *c)
{
    c->m = pick_side(random, i->tile_m);
    c->n = pick_side(random, i->tile_n);
    c->k = pick_side(random, gemm_block_k(i->in));
    if (random_chance(random, 20)) c->k *= (uint32_t)random_range(random, 2, 8);
    while ((uint64_t)c->m * c->n * c->k > MOST_PRODUCTS) {
        uint32_t *most = c->m > c->n ? &c->m : &c->n;
        if (c->k > *most) most = &c->k;
        *most -= *most / 3;
    }
}

static void pick_pitch(struct random *random, struct gemm_case *c)
{
    gemm_least_pitch(c);
    for (int operand = GEMM_A; operand <= GEMM_D; operand++)
        if (random_chance(random, 40))
            c->pitch_bytes[operand] += GEMM_PITCH_UNIT * (uint32_t)random_range(random, 1, 9);
}

static void pick_splits(struct random *random, const struct gemm_instance *i, struct gemm_case *c)
{
    c->splits = 1;
    if (!gemm_cuts_k(i->kernel)) return;
    c->reduce = i->out == GEMM_F32 && random_chance(random, 50);
    c->workspace = !c->reduce && random_chance(random, 50);
    c->splits = (uint32_t)random_range(random, 1, c->reduce ? 9 : GEMM_MAX_CLUSTER);
    if (c->reduce && !c->exact && c->splits > 2) c->splits = 2;
    if (c->workspace && random_chance(random, 20))
        c->splits = (uint32_t)random_range(random, GEMM_MAX_CLUSTER + 1, GEMM_MAX_SPLITS_IN_MEMORY);
    if (i->kernel == GEMM_GATHER && !c->workspace && !c->reduce) c->splits = 1;
}

static void pick_cluster(struct random *random, struct gemm_case *c)
{
    static const uint32_t shapes[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}};
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    uint32_t in_cluster = c->reduce || c->workspace ? 1 : c->splits, shape = 0;
    c->cluster_m = c->cluster_n = 1;
    if (i->kernel >= GEMM_GATHER || random_chance(random, 40)) return;
    shape = (uint32_t)random_below(random, sizeof shapes / sizeof shapes[0]);
    if (shapes[shape][0] * shapes[shape][1] * in_cluster > GEMM_MAX_CLUSTER) return;
    if (i->tile_m / shapes[shape][1] % 8 != 0 || i->tile_n / shapes[shape][0] % 8 != 0) return; // see check_side()
    c->cluster_m = shapes[shape][0];
    c->cluster_n = shapes[shape][1];
}

// Stages for what splits send each other, fewer splits where there are none so many. Few CTAs, through a workspace also
// fewer than the parts of a tile: none of them waits for another.
static void pick_stages(struct random *random, const struct gemm_instance *i, struct gemm_case *c)
{
    struct gemm_job job = gemm_case_job(c);
    while (gemm_min_stages(i, &job) > gemm_max_stages(i)) job.splits--;
    c->splits = job.splits;
    c->stages = (uint32_t)random_range(random, gemm_min_stages(i, &job), (int64_t)gemm_max_stages(i));
    c->ctas = random_chance(random, 30) ? 0 : (uint32_t)random_range(random, 1, 12);
}

// A strip along m or n for some clusters of CTAs, each of which takes so many tiles, and blocks of k enough that its
// loads go round the stages more than `rounds` times.
struct strip {
    bool is_along_m;
    uint32_t clusters, tiles, rounds, longer;
};

static void lay_strip(struct random *random, const struct gemm_instance *i, const struct strip *s, struct gemm_case *c)
{
    uint32_t tile = s->is_along_m ? i->tile_m * c->cluster_m : i->tile_n * c->cluster_n;
    uint32_t block_k = gemm_block_k(i->in), parts = c->reduce || c->workspace ? c->splits : 1;
    uint32_t blocks = (c->stages * s->rounds / s->tiles + 1) * c->splits / parts * s->longer;
    uint32_t length = (s->clusters * s->tiles - 1) * tile + 1 + (uint32_t)random_below(random, tile);
    c->m = s->is_along_m ? length : 1;
    c->n = s->is_along_m ? 1 : length;
    c->k = (blocks - 1) * block_k + 1 + (uint32_t)random_below(random, block_k);
    c->ctas = s->clusters * c->cluster_m * c->cluster_n * c->splits / parts;
}

// As wide as the products allow; the least strip where others are too dear.
static void pick_strip(struct random *random, const struct gemm_instance *i, struct gemm_case *c)
{
    struct strip s = {random_chance(random, 50), 1, 3, 2, 1};
    for (int tries = 0; tries < 8; tries++) {
        const struct strip other = {s.is_along_m, (uint32_t)random_range(random, 1, 2),
                                    (uint32_t)random_range(random, 3, 6), (uint32_t)random_range(random, 2, 5),
                                    random_chance(random, 60) ? (uint32_t)random_range(random, 2, 24) : 1};
        lay_strip(random, i, &other, c);
        if ((uint64_t)c->m * c->n * c->k <= MOST_PRODUCTS && c->k <= GEMM_MAX_SIDE) break;
        lay_strip(random, i, &s, c);
    }
    uint64_t most = MOST_PRODUCTS / ((uint64_t)c->m * c->n * c->k);
    *(s.is_along_m ? &c->n : &c->m) = (uint32_t)random_range(random, 1, most < 1 ? 1 : most > 40 ? 40 : (int64_t)most);
}

// Styles that round more often than not (see wgmma_float()); any bits at all now and then.
static uint32_t pick_seed(struct random *random)
{
    uint32_t seed = (uint32_t)random_u64(random);
    uint32_t style_a = (uint32_t)random_below(random, 3), style_b = (uint32_t)random_below(random, 3);
    return random_chance(random, 40) ? seed : (seed & ~63u) | style_b << 3 | style_a;
}

// A kernel, then one of its instances, which lie side by side.
static uint32_t pick_instance(struct random *random)
{
    enum gemm_kernel kernel = (enum gemm_kernel)random_below(random, GEMM_CP_ASYNC + 1);
    uint32_t first = 0, end;
    while (gemm_instance_row(first)->kernel != kernel) first++;
    for (end = first; end < gemm_instance_count() && gemm_instance_row(end)->kernel == kernel;) end++;
    return first + (uint32_t)random_below(random, end - first);
}

void gemm_generate(struct random *random, void *test_case)
{
    struct gemm_case *c = test_case;
    *c = (struct gemm_case){.instance = pick_instance(random)};
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    c->exact = (uint32_t)random_chance(random, 20);
    pick_sizes(random, i, c);
    pick_splits(random, i, c);
    pick_cluster(random, c);
    pick_stages(random, i, c);
    if (random_chance(random, 50)) pick_strip(random, i, c);
    pick_pitch(random, c);
    c->group = (uint32_t)random_range(random, 1, 5);
    c->dump = (uint32_t)random_chance(random, 20);
    if (c->dump && c->ctas == 0)
        c->ctas = (uint32_t)random_range(random, 1, 12); // else CTA 0's tiles depend on the GPU
    c->seed = pick_seed(random);
    if (i->kernel == GEMM_CP_ASYNC) c->ctas = 0;
}
