// SPDX-License-Identifier: MIT
// The suite `cluster_access`: accesses by shared::cluster addresses: what faults in which order, and what is told. What
// they do to the bytes is held against the recordings by way of the family's programs (cluster_step_test.c).
#include "cluster_access.h"

#include <string.h>

#include "rules/cluster.h"
#include "rules/instruction.h"
#include "rules/mbarrier.h"

enum { CTAS = 3, BASE = 1024, BYTES = 256, END = BASE + BYTES };
#define RANK(rank, offset) ((uint32_t)(rank) << 24 | (uint32_t)(offset))

static uint8_t bytes[CTAS][BYTES];
static const struct memory memory[CTAS] = {{bytes[0], BASE, BYTES}, {bytes[1], BASE, BYTES}, {bytes[2], BASE, BYTES}};
static struct access heard[4];
static struct event_origin heard_origin;
static int events;

static void hear(void *context, const struct event *event)
{
    (void)context;
    ck_assert_int_lt(events, 4);
    ck_assert_int_eq(event->kind, EVENT_ACCESS);
    heard_origin = *event->origin;
    heard[events++] = event->access;
}

static const struct observer observer = {NULL, hear};
static const struct teller teller = {&observer, {.rank = 1, .warp = 3, .file = "user.cu", .line = 7}};

// Accesses of CTA 1 of a cluster of three, of which CTA 2 has exited.
static const struct {
    enum cluster_use use;
    int is_cluster;
    uint32_t address, bytes;
    enum rule rule;
    int error;
    const char *why;
} vectors[] = {
    {CLUSTER_PLAIN, 1, RANK(0, BASE), 16, RULE_OK, 0, "another CTA"},
    {CLUSTER_PLAIN, 1, RANK(1, END - 4), 4, RULE_OK, 0, "the own one, by its rank"},
    {CLUSTER_PLAIN, 0, RANK(1, BASE), 4, RULE_CLUSTER_NONE, 715, "no cluster"},
    {CLUSTER_PLAIN, 0, RANK(0, BASE), 4, RULE_OK, 0, "no cluster, rank 0"},
    {CLUSTER_PLAIN, 1, RANK(32, BASE + 1), 4, RULE_CLUSTER_RANK_LIMIT, 715, "715 before 716"},
    {CLUSTER_PLAIN, 1, RANK(3, BASE + 2), 4, RULE_CLUSTER_ALIGN, 716, "716 before 719"},
    {CLUSTER_BARRIER_OPERATION, 1, RANK(0, BASE + 4), 8, RULE_MBARRIER_ADDRESS_ALIGN, 716, "a barrier to 8"},
    {CLUSTER_PLAIN, 1, RANK(3, 233472), 4, RULE_CLUSTER_LIMIT, 700, "past an SM: 700 before 719"},
    {CLUSTER_PLAIN, 1, RANK(3, BASE), 4, RULE_CLUSTER_RANK_MISSING, 719, "no such CTA"},
    {CLUSTER_PLAIN, 1, RANK(2, BASE), 4, RULE_CLUSTER_EXITED, 719, "one that has exited"},
    {CLUSTER_PLAIN, 1, RANK(0, END), 4, RULE_CLUSTER_BOUNDS, 719, "another's end"},
    {CLUSTER_PLAIN, 1, RANK(1, END), 4, RULE_CLUSTER_LIMIT, 700, "the own end"},
};

static struct cluster_memory cluster(int is_cluster)
{
    return (struct cluster_memory){memory, is_cluster ? CTAS : 1, is_cluster, is_cluster ? 4 : 0};
}

LOOP_TEST(cluster_access__faults_in_the_order_of_the_hardware, 0, ROWS_OF(vectors))
{
    const struct cluster_memory of = cluster(vectors[_i].is_cluster);
    struct findings findings;
    enum rule rule = cluster_access_check(&of, vectors[_i].use, (uint32_t)vectors[_i].is_cluster, vectors[_i].address,
                                          vectors[_i].bytes, &findings);
    ck_assert_msg(rule == vectors[_i].rule, "%s: %s", vectors[_i].why, rule_row(rule)->id);
    ck_assert_int_eq(rule_cuda_error(rule), vectors[_i].error);
    ck_assert_int_eq(findings_first_broken(&findings), rule);
}

TEST(cluster_access__tells_whose_bytes)
{
    const struct cluster_memory of = cluster(1);
    const struct cluster_access access = {&of, 1, RANK(0, BASE + 16), 8};
    uint64_t value = 5, old;
    events = 0;
    ck_assert_int_eq(cluster_store(&access, &value, &teller, NULL), RULE_OK);
    ck_assert_int_eq(cluster_atomic(&access, ATOMIC_ADD_U32, 3, 0, &old, &teller, NULL), RULE_OK);
    ck_assert_uint_eq(old, 5);
    ck_assert_int_eq(cluster_load(&access, &value, &teller, NULL), RULE_OK);
    ck_assert_uint_eq(value, 8);
    const enum access_kind kinds[] = {ACCESS_WRITE, ACCESS_REDUCE, ACCESS_READ};
    ck_assert_int_eq(events, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(heard[i].kind, kinds[i]);
        ck_assert_int_eq(heard[i].order, i == 1 ? ORDER_RELAXED : ORDER_WEAK);
        ck_assert_int_eq(heard[i].scope, i == 1 ? SCOPE_GPU : SCOPE_NONE);
        ck_assert_int_eq(heard[i].space, SPACE_SHARED);
        ck_assert_uint_eq(heard[i].rank, 0);
        ck_assert_uint_eq(heard[i].address, BASE + 16);
        ck_assert_uint_eq(heard[i].bytes, i == 1 ? 4 : 8);
    }
    ck_assert_str_eq(heard_origin.file, "user.cu");
}

TEST(cluster_bounds__refused_accesses_do_and_tell_nothing)
{
    const struct cluster_memory of = cluster(1);
    const struct cluster_access access = {&of, 1, RANK(0, END), 4};
    uint64_t value = 5, old = 6;
    uint8_t before[sizeof bytes];
    memcpy(before, bytes, sizeof bytes);
    events = 0;
    ck_assert_int_eq(cluster_store(&access, &value, &teller, NULL), RULE_CLUSTER_BOUNDS);
    ck_assert_int_eq(cluster_load(&access, &value, &teller, NULL), RULE_CLUSTER_BOUNDS);
    ck_assert_int_eq(cluster_atomic(&access, ATOMIC_ADD_U32, 1, 0, &old, &teller, NULL), RULE_CLUSTER_BOUNDS);
    ck_assert_int_eq(cluster_atomic(&access, 99, 1, 0, &old, &teller, NULL), RULE_INSTRUCTION_FORM);
    ck_assert_int_eq(events, 0);
    ck_assert_uint_eq(value, 5);
    ck_assert_uint_eq(old, 6);
    ck_assert_mem_eq(before, bytes, sizeof bytes);
}
