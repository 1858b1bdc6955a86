// SPDX-License-Identifier: MIT
// Random attention: one to sixteen parts, fewer keys than parts, parts and groups of lanes without a key, counts that
// nothing divides, scores that make weights of 0, and keys that all weigh the same.
#include "softmax_case.h"

#include "draw.h"

void softmax_generate(struct random *random, void *test_case)
{
    struct softmax_case *c = test_case;
    *c = (struct softmax_case){.variant = (uint32_t)random_below(random, SOFTMAX_VARIANT_COUNT)};
    c->parts = (uint32_t)random_range(random, 1, SOFTMAX_MAX_PARTS);
    c->dims = random_chance(random, 50) ? 64 : SOFTMAX_MAX_DIMS;
    c->count = (uint32_t)DRAW(random, {20, BETWEEN(1, 20)}, {65, BETWEEN(1, 100)}, {13, BETWEEN(1, 500)},
                              {2, BETWEEN(1, 3000)});
    c->rows = c->count < 60 ? (uint32_t)random_range(random, 1, 4) : 1;
    c->threads = 32 * (uint32_t)random_range(random, SOFTMAX_MIN_THREADS / 32, SOFTMAX_MAX_THREADS / 32);
    c->inputs = random_chance(random, 50) ? SOFTMAX_PLAIN : SOFTMAX_STEEP;
    if (random_chance(random, 5)) c->inputs = SOFTMAX_FLAT;
    c->seed = (uint32_t)random_u64(random);
}
