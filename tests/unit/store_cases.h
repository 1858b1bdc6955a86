// SPDX-License-Identifier: MIT
// What the suites of tiled and of im2col stores share: a store or reduction at random, global memory afterwards against
// an oracle, and oracles with one rule misread.
#ifndef TMAREF_TESTS_STORE_CASES_H
#define TMAREF_TESTS_STORE_CASES_H

#include <check.h>
#include <stdbool.h>
#include <string.h>

#include "memory.h"
#include "reduce.h"
#include "rule.h"
#include "tensormap.h"

enum { GMEM_BYTES = 16384, SMEM_BYTES = 65536, SMEM_BASE = 1024, CASES = 800, MISREAD_NOTHING = 0 };
#define GMEM_BASE ((uint64_t)1 << 32)

struct test_store {
    struct tensormap map;
    int32_t coord[5];
    uint32_t shared;
    int op; // -1: a store
    uint8_t before[GMEM_BYTES], source[SMEM_BYTES];
};

static const uint32_t spans[] = {0, 32, 64, 128}; // of the swizzles

// What a suite defines: the case of a seed, the model, and its oracle, which misreads one rule or none.
static struct test_store *store_of(uint64_t seed);
static enum rule run_model(const struct test_store *t, uint8_t *memory);
static void oracle(const struct test_store *t, int misread, uint8_t *memory);

static inline uint64_t next(uint64_t *state, uint64_t bound)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % bound;
}

static inline void pick_operation(struct test_store *t, uint64_t *state)
{
    t->shared = SMEM_BASE + 128 * (uint32_t)next(state, 16);
    do t->op = (int)next(state, REDUCE_OPS + 3) - 3;
    while (t->op >= 0 && !reduce_is_legal((enum reduce_op)t->op, t->map.dtype));
    if (t->op < 0) t->op = -1;
}

static inline void fill_memory(struct test_store *t, uint64_t *state)
{
    for (int i = 0; i < GMEM_BYTES; i++) t->before[i] = (uint8_t)next(state, 256);
    for (int i = 0; i < SMEM_BYTES; i++) t->source[i] = (uint8_t)(((uint32_t)i + (uint32_t)*state) * 0x9e3779b1u >> 24);
}

// Runs all cases that `wanted` picks on the model and on the right oracle.
static inline void compare(int (*wanted)(const struct test_store *))
{
    static uint8_t found[GMEM_BYTES], expected[GMEM_BYTES];
    int compared = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        const struct test_store *t = store_of(seed);
        if (!wanted(t)) continue;
        memcpy(found, t->before, GMEM_BYTES);
        memcpy(expected, t->before, GMEM_BYTES);
        enum rule rule = run_model(t, found);
        ck_assert_msg(rule == RULE_OK, "case %d: %s", (int)seed, rule_row(rule)->id);
        oracle(t, MISREAD_NOTHING, expected);
        int at = 0;
        while (at < GMEM_BYTES && found[at] == expected[at]) at++;
        ck_assert_msg(at == GMEM_BYTES, "case %d: byte %d is %02x, not %02x", (int)seed, at, found[at % GMEM_BYTES],
                      expected[at % GMEM_BYTES]);
        compared++;
    }
    ck_assert_int_gt(compared, 50);
}

static inline int is_store(const struct test_store *t)
{
    return t->op < 0;
}

static inline int is_reduction(const struct test_store *t)
{
    return t->op >= 0;
}

// Does a case come out otherwise if the rule is misread?
static inline void check_notices(int misread)
{
    static uint8_t right[GMEM_BYTES], wrong[GMEM_BYTES];
    bool noticed = false;
    for (uint64_t seed = 0; seed < CASES && !noticed; seed++) {
        const struct test_store *t = store_of(seed);
        memcpy(right, t->before, GMEM_BYTES);
        memcpy(wrong, t->before, GMEM_BYTES);
        oracle(t, MISREAD_NOTHING, right);
        oracle(t, misread, wrong);
        noticed = memcmp(right, wrong, GMEM_BYTES) != 0;
    }
    ck_assert_msg(noticed, "no case notices misread %d", misread);
}

#endif
