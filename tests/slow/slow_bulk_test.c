// SPDX-License-Identifier: MIT
// Compares bulk copies and reductions of model/tma with the slow second model: error, bytes signalled and all of the
// four memories, on random operations and on the vectors; and shows that the vectors notice every misread rule.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bulk.h"
#include "rules/bulk.h"
#include "slow_store.h"
#include "slow_test.h"

TEST_FILE(.suite = "slow", .seconds = 120);

enum { OPERATIONS = 40000, REFILL = 500 };
static const uint64_t SEED = 0xb01c;

// The memories of a run; `tx_bytes` stays what it was where nothing is signalled.
struct world {
    uint8_t global[SLOW_GMEM_BYTES], own[SLOW_SMEM_BYTES], other[SLOW_SMEM_BYTES], registers[16];
    uint32_t tx_bytes;
    int error;
};

static void fill(struct world *world, uint64_t seed)
{
    struct slow_random random = {seed};
    memset(world, 0, sizeof *world);
    slow_fill_numbers(&random, world->global, sizeof world->global);
    slow_fill_numbers(&random, world->own, sizeof world->own);
    slow_fill_numbers(&random, world->other, sizeof world->other);
    slow_fill_numbers(&random, world->registers, sizeof world->registers);
}

static uint8_t *source_of(struct world *world, enum bulk_form form)
{
    if (form == BULK_REGISTERS_TO_OTHER) return world->registers;
    return form == BULK_GLOBAL_TO_SHARED || form == BULK_GLOBAL_TO_OTHER ? world->global : world->own;
}

static uint8_t *destination_of(struct world *world, enum bulk_form form)
{
    if (form == BULK_SHARED_TO_GLOBAL) return world->global;
    return form == BULK_GLOBAL_TO_SHARED || form == BULK_SHARED_TO_OWN ? world->own : world->other;
}

static void run_slow(const struct slow_bulk *bulk, enum slow_mutant mutant, struct world *world)
{
    world->tx_bytes = 0xdeadbeef;
    world->error =
        slow_bulk(bulk, source_of(world, bulk->form), destination_of(world, bulk->form), &world->tx_bytes, mutant);
}

static void run_model(const struct slow_bulk *from, struct world *world)
{
    const struct memory source = {source_of(world, from->form), from->source_base, from->source_bytes};
    const struct memory destination = {destination_of(world, from->form), from->destination_base,
                                       from->destination_bytes};
    const struct bulk bulk = {from->form, &source, &destination, from->from, from->to, from->size_bytes};
    world->tx_bytes = 0xdeadbeef;
    enum rule rule = from->is_reduction ? bulk_reduce(&bulk, from->op, from->dtype, &world->tx_bytes, NULL)
                                        : bulk_copy(&bulk, &world->tx_bytes, NULL);
    world->error = rule == RULE_BULK_REDUCE_TYPE ? SLOW_REFUSED : rule_cuda_error(rule);
}

static bool is_same(const struct world *a, const struct world *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void require_same(const struct slow_bulk *bulk, const struct world *model, const struct world *slow,
                         const char *what)
{
    if (is_same(model, slow)) return;
    const uint8_t *a = (const uint8_t *)model, *b = (const uint8_t *)slow;
    size_t at = 0;
    while (a[at] == b[at]) at++;
    ck_abort_msg("%s: model error %d tx %u, slow error %d tx %u; byte %zu of the memories: %02x, %02x\nform %d "
                 "reduction %d op %d dtype %d from 0x%" PRIx64 " to 0x%" PRIx64 " size %u; source 0x%" PRIx64
                 "+%" PRIu64 ", destination 0x%" PRIx64 "+%" PRIu64,
                 what, model->error, model->tx_bytes, slow->error, slow->tx_bytes, at, a[at], b[at], (int)bulk->form,
                 bulk->is_reduction, (int)bulk->op, (int)bulk->dtype, bulk->from, bulk->to, bulk->size_bytes,
                 bulk->source_base, bulk->source_bytes, bulk->destination_base, bulk->destination_bytes);
}

static void count_error(int error, int counts[5])
{
    static const int errors[] = {0, SLOW_REFUSED, 716, 700, 719};
    for (int e = 0; e < 5; e++) counts[e] += error == errors[e];
}

TEST(bulk_size__slow_model_agrees)
{
    static struct world model, slow;
    struct slow_random random = {SEED};
    int counts[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < OPERATIONS; i++) {
        struct slow_bulk bulk;
        char what[80];
        snprintf(what, sizeof what, "seed 0x%" PRIx64 " operation %d", SEED, i);
        if (i % REFILL == 0) {
            fill(&model, SEED + (uint64_t)i);
            slow = model;
        }
        slow_generate_bulk(&random, &bulk);
        run_slow(&bulk, SLOW_NONE, &slow);
        run_model(&bulk, &model);
        require_same(&bulk, &model, &slow, what);
        count_error(slow.error, counts);
    }
    printf("slow bulk: seed 0x%" PRIx64 ": %d operations done, %d refused, %d x 716, %d x 700, %d x 719\n", SEED,
           counts[0], counts[1], counts[2], counts[3], counts[4]);
    ck_assert_int_gt(counts[0], OPERATIONS / 2);
    for (int e = 1; e < 5; e++) ck_assert_msg(counts[e] > OPERATIONS / 200, "fault %d: %d operations", e, counts[e]);
}

static int expected_error(const char *why)
{
    long number = strtol(why, NULL, 10);
    if (strncmp(why, "refused", 7) == 0) return SLOW_REFUSED;
    return number >= 700 && number < 720 ? (int)number : 0;
}

TEST(bulk_tx_bytes__vectors_agree_and_fault_as_they_say)
{
    static struct world model, slow;
    struct slow_bulk bulk;
    const char *why;
    for (int i = 0; (why = slow_bulk_vector(i, &bulk)) != NULL; i++) {
        fill(&model, SEED);
        slow = model;
        run_slow(&bulk, SLOW_NONE, &slow);
        run_model(&bulk, &model);
        require_same(&bulk, &model, &slow, why);
        ck_assert_msg(slow.error == expected_error(why), "%s: error %d", why, slow.error);
    }
}

static int is_noticed(enum slow_mutant mutant)
{
    static struct world start, right, wrong;
    struct slow_bulk bulk;
    fill(&start, SEED);
    for (int i = 0; slow_bulk_vector(i, &bulk) != NULL; i++) {
        right = wrong = start;
        run_slow(&bulk, SLOW_NONE, &right);
        run_slow(&bulk, mutant, &wrong);
        if (!is_same(&right, &wrong)) return 1;
    }
    return 0;
}

TEST(bulk_align__vectors_notice_each_misread_rule)
{
    slow_require_noticed(1u << SLOW_OF_BULK, is_noticed);
}
