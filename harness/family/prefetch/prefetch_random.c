// SPDX-License-Identifier: MIT
// Random pipelines: every number of stages and of stores in flight; arrays from one short batch to many turns of the
// ring, with a last batch of any length, fewer batches than CTAs among them, and now and then one that is not aligned.
#include "prefetch_case.h"

#include "draw.h"

enum { MOST_BYTES = 64 << 10, MOST_DUMP_BYTES = 128 << 10 };

static uint32_t pick_batch(struct random *random)
{
    return 16 * (uint32_t)DRAW(random, {60, BETWEEN(1, 32)}, {30, BETWEEN(1, 128)}, {10, BETWEEN(1, 1024)});
}

// Of all CTAs: from less than one batch each to several turns of the ring.
static uint32_t pick_bytes(struct random *random, const struct prefetch_case *c)
{
    uint32_t most = MOST_BYTES / c->batch_bytes;
    uint32_t turns = c->ctas * (3 * c->stages + 2);
    if (most > turns) most = turns;
    if (most < 2) most = 2;
    uint32_t whole = c->batch_bytes * (uint32_t)random_range(random, 1, most);
    uint64_t kind = random_below(random, 100);
    if (kind < 20) return whole;
    uint32_t words = c->batch_bytes / PREFETCH_WORD_BYTES;
    if (kind < 30) return whole - c->batch_bytes + PREFETCH_WORD_BYTES;
    return whole - PREFETCH_WORD_BYTES * (uint32_t)random_below(random, words);
}

void prefetch_generate(struct random *random, void *test_case)
{
    static const uint32_t threads[] = {32, 64, 128, 128, 256, 512};
    struct prefetch_case *c = test_case;
    *c = (struct prefetch_case){.stages = (uint32_t)random_range(random, 1, PREFETCH_MAX_STAGES)};
    uint32_t most_stores = c->stages - 1 < PREFETCH_MAX_STORES ? c->stages - 1 : PREFETCH_MAX_STORES;
    c->stores = (uint32_t)random_range(random, 0, most_stores);
    c->threads = random_pick(random, threads);
    do c->batch_bytes = pick_batch(random);
    while (prefetch_shared_bytes(c->batch_bytes, c->stages) > MOST_DUMP_BYTES);
    uint32_t most_ctas = MOST_DUMP_BYTES / prefetch_shared_bytes(c->batch_bytes, c->stages);
    if (most_ctas > 12) most_ctas = 12;
    c->ctas = (uint32_t)random_range(random, 1, most_ctas);
    c->count_bytes = pick_bytes(random, c);
    c->offset = 16 * (uint32_t)random_below(random, 8);
    c->in_place = (uint32_t)random_below(random, 2);
    c->seed = (uint32_t)random_u64(random);
    int faults = random_chance(random, 1);
    if (!faults) return;
    if (c->count_bytes < 16) c->count_bytes = 16;
    c->offset += PREFETCH_WORD_BYTES * (uint32_t)random_range(random, 1, 3);
}
