// SPDX-License-Identifier: MIT
// Compares tiled stores and reductions of model/tma, and the arithmetic of every type, with the slow second model:
// error and all of global memory, on random cases and on the vectors; and shows that the vectors notice every misread
// rule.
#include "chunks.h"
#include "store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slow_store.h"
#include "slow_test.h"

TEST_FILE(.suite = "slow", .seconds = 120);

enum { TEXT_BYTES = 1024, CHUNKS = 5, STORES_PER_CHUNK = 10000, REFILL = 400, ELEMENTS = 200000 };
static const uint64_t SEED = 0x5704e;

// Both memories of a store and its error.
struct world {
    uint8_t gmem[SLOW_GMEM_BYTES], smem[SLOW_SMEM_BYTES];
    int error;
};

static void fill(struct world *world, uint64_t seed)
{
    struct slow_random random = {seed};
    world->error = 0;
    slow_fill_numbers(&random, world->gmem, sizeof world->gmem);
    slow_fill_numbers(&random, world->smem, sizeof world->smem);
}

static void run_slow(const struct slow_store *store, enum slow_mutant mutant, struct world *world)
{
    world->error = slow_store(store, world->gmem, world->smem, mutant);
}

static void run_model(const struct slow_store *store, struct world *world)
{
    const struct slow_tile *tile = &store->tile;
    const struct memory global_memory = {world->gmem, tile->gmem_base, tile->gmem_bytes};
    const struct memory shared_memory = {world->smem, tile->smem_base, tile->smem_bytes};
    enum rule rule = store->is_reduction ? tile_reduce(store->op, &tile->map, tile->dims, tile->coord, &global_memory,
                                                       &shared_memory, tile->shared, NULL)
                                         : tile_store(&tile->map, tile->dims, tile->coord, &global_memory,
                                                      &shared_memory, tile->shared, NULL);
    world->error = rule_cuda_error(rule);
}

static bool is_same(const struct world *a, const struct world *b)
{
    return a->error == b->error && memcmp(a->gmem, b->gmem, sizeof a->gmem) == 0;
}

static void require_same(const struct slow_store *store, const struct world *model, const struct world *slow,
                         const char *what)
{
    if (is_same(model, slow)) return;
    char text[TEXT_BYTES];
    size_t at = 0;
    slow_tile_text(&store->tile, text, sizeof text);
    while (at < SLOW_GMEM_BYTES - 1 && model->gmem[at] == slow->gmem[at]) at++;
    ck_abort_msg("%s: reduction %d op %d: model error %d, slow error %d; gmem 0x%zx: model %02x, slow %02x\n%s", what,
                 store->is_reduction, (int)store->op, model->error, slow->error, (size_t)store->tile.gmem_base + at,
                 model->gmem[at], slow->gmem[at], text);
}

// One chunk of random cases; `_i` is the chunk. Memory goes on from case to case, so that sums grow.
LOOP_TEST(store_granule__slow_model_agrees, 0, chunks_of(CHUNKS))
{
    static struct world model, slow;
    struct slow_random random = {SEED + (uint64_t)_i};
    int done = 0, reduced = 0, faults[3] = {0, 0, 0};
    for (int i = 0; i < STORES_PER_CHUNK; i++) {
        struct slow_store store;
        char what[TEXT_BYTES];
        snprintf(what, sizeof what, "seed 0x%" PRIx64 " chunk %d case %d", SEED, _i, i);
        if (i % REFILL == 0) {
            fill(&model, SEED + (uint64_t)(_i * STORES_PER_CHUNK + i));
            slow = model;
        }
        slow_generate_store(&random, &store);
        run_slow(&store, SLOW_NONE, &slow);
        run_model(&store, &model);
        require_same(&store, &model, &slow, what);
        done += slow.error == 0;
        reduced += slow.error == 0 && store.is_reduction;
        for (int f = 0; f < 3; f++) faults[f] += slow.error == (int[]){715, 716, 700}[f];
    }
    printf("slow store: seed 0x%" PRIx64 " chunk %d: %d done, %d of them reductions, %d x 715, %d x 716, %d x 700\n",
           SEED, _i, done, reduced, faults[0], faults[1], faults[2]);
    ck_assert_msg(done > STORES_PER_CHUNK / 3 && reduced > done / 3, "only %d done, %d reductions", done, reduced);
    for (int f = 0; f < 3; f++) ck_assert_msg(faults[f] > STORES_PER_CHUNK / 100, "fault %d: %d cases", f, faults[f]);
}

// A vector whose `why` begins with a number must give that fault, all others none.
TEST(store_layout__vectors_agree_and_fault_as_they_say)
{
    static struct world model, slow;
    struct slow_store store;
    const char *why;
    for (int i = 0; (why = slow_store_vector(i, &store)) != NULL; i++) {
        long expected = strtol(why, NULL, 10);
        fill(&model, SEED);
        slow = model;
        run_slow(&store, SLOW_NONE, &slow);
        run_model(&store, &model);
        require_same(&store, &model, &slow, why);
        ck_assert_msg(slow.error == (expected >= 700 ? expected : 0), "%s: error %d", why, slow.error);
    }
}

static int is_noticed(enum slow_mutant mutant)
{
    static struct world start, right, wrong;
    struct slow_store store;
    fill(&start, SEED);
    for (int i = 0; slow_store_vector(i, &store) != NULL; i++) {
        right = wrong = start;
        run_slow(&store, SLOW_NONE, &right);
        run_slow(&store, mutant, &wrong);
        if (!is_same(&right, &wrong)) return 1;
    }
    return 0;
}

TEST_CALL(store_bounds__vectors_notice_each_misread_rule,
          slow_require_noticed(1u << SLOW_OF_STORE | 1u << SLOW_OF_BOX, is_noticed))

// --- arithmetic ------------------------------------------------------------------------------------------------------

static uint64_t reduce_one(enum reduce_op op, enum dtype dtype, uint64_t memory, uint64_t source)
{
    ck_assert(reduce_apply(op, dtype, &memory, &source, 1));
    return memory;
}

TEST(reduce_type__slow_model_agrees)
{
    for (int op = 0; op < REDUCE_OPS; op++) {
        for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
            ck_assert_msg(reduce_is_legal((enum reduce_op)op, (enum dtype)dtype) ==
                              slow_reduce_is_legal((enum reduce_op)op, (enum dtype)dtype, SLOW_NONE),
                          "op %d dtype %d", op, dtype);
        }
    }
}

static void compare_elements(enum reduce_op op, enum dtype dtype, struct slow_random *random)
{
    static uint8_t memory[4096 + 1], before[4096], slow[4096], source[4096 + 3];
    uint32_t element = dtype_row(dtype)->size_bytes;
    for (uint32_t done = 0; done < ELEMENTS / 8;) {
        uint32_t count = (uint32_t)slow_between(random, 1, 4096 / element);
        slow_fill_numbers(random, before, sizeof before);
        slow_fill_numbers(random, source + 3, 4096);
        memcpy(slow, before, sizeof slow);
        memcpy(memory + 1, before, sizeof before);
        for (uint32_t i = 0; i < count; i++) {
            slow_reduce_bytes(op, dtype, slow + i * element, source + 3 + i * element, element, SLOW_NONE);
        }
        ck_assert(reduce_apply(op, dtype, memory + 1, source + 3, count));
        for (uint32_t at = 0; at < 4096; at++) {
            if (memory[1 + at] != slow[at]) {
                ck_abort_msg("op %d dtype %d, byte %u of %u elements: model %02x, slow %02x", (int)op, (int)dtype, at,
                             count, memory[1 + at], slow[at]);
            }
        }
        done += count;
    }
}

TEST(reduce_float_add__slow_arithmetic_agrees)
{
    struct slow_random random = {SEED};
    for (int op = 0; op < REDUCE_OPS; op++) {
        for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
            if (slow_reduce_is_legal((enum reduce_op)op, (enum dtype)dtype, SLOW_NONE)) {
                compare_elements((enum reduce_op)op, (enum dtype)dtype, &random);
            }
        }
    }
}

TEST(reduce_float_add__vectors_agree)
{
    enum reduce_op op;
    enum dtype dtype;
    uint64_t memory, source;
    const char *why;
    for (int i = 0; (why = slow_reduce_vector(i, &op, &dtype, &memory, &source)) != NULL; i++) {
        uint64_t model = reduce_one(op, dtype, memory, source);
        uint64_t slow = slow_reduce(op, dtype, memory, source, SLOW_NONE);
        ck_assert_msg(model == slow,
                      "op %d dtype %d 0x%" PRIx64 ", 0x%" PRIx64 ": model 0x%" PRIx64 ", slow 0x%" PRIx64 ": %s",
                      (int)op, (int)dtype, memory, source, model, slow, why);
    }
}

static int is_element_noticed(enum slow_mutant mutant)
{
    enum reduce_op op;
    enum dtype dtype;
    uint64_t memory, source;
    for (int i = 0; slow_reduce_vector(i, &op, &dtype, &memory, &source) != NULL; i++) {
        if (slow_reduce(op, dtype, memory, source, mutant) != slow_reduce(op, dtype, memory, source, SLOW_NONE))
            return 1;
    }
    for (int pair = 0; pair < (int)REDUCE_OPS * (int)DTYPE_COUNT; pair++) {
        op = (enum reduce_op)(pair % REDUCE_OPS);
        dtype = (enum dtype)(pair / REDUCE_OPS);
        if (slow_reduce_is_legal(op, dtype, mutant) != reduce_is_legal(op, dtype)) return 1;
    }
    return 0;
}

TEST_CALL(reduce_float_add__vectors_notice_each_misread_rule,
          slow_require_noticed(1u << SLOW_OF_REDUCE, is_element_noticed))
