// SPDX-License-Identifier: MIT
// The suite `memory`: the table of regions of global memory, and a cluster's shared memories by rank.
#include <string.h>

#include "cluster_memory.h"
#include "rules/cluster.h"

enum { PIECE = 64 };
#define BASE ((uint64_t)1 << 40)

// Two regions that touch, a hole, one that is read-only, and one at the end of the address space.
static uint8_t bytes[4][PIECE];
static const struct region regions[] = {
    {{bytes[0], BASE, PIECE}, 0},
    {{bytes[1], BASE + PIECE, PIECE}, 0},
    {{bytes[2], BASE + 4 * PIECE, PIECE}, 1},
    {{bytes[3], UINT64_MAX - PIECE + 1, PIECE}, 0},
};
static const struct global_memory global = {regions, 4}, nothing = {NULL, 0};

static const struct {
    uint64_t address;
    int region; // -1: none
    const char *why;
} looks[] = {
    {BASE - 1, -1, "before all of them"},
    {BASE, 0, "the first byte"},
    {BASE + PIECE - 1, 0, "the last byte"},
    {BASE + PIECE, 1, "the next region begins where the first ends"},
    {BASE + 2 * PIECE, -1, "the hole begins"},
    {BASE + 4 * PIECE - 1, -1, "the hole ends"},
    {BASE + 4 * PIECE, 2, "after the hole"},
    {UINT64_MAX, 3, "the last address of all"},
    {0, -1, "null"},
};

LOOP_TEST(global_access_unmapped__address_is_found_in_its_region, 0, ROWS_OF(looks))
{
    const struct region *want = looks[_i].region < 0 ? NULL : &regions[looks[_i].region];
    ck_assert_msg(region_search(&global, looks[_i].address) == want, "%s", looks[_i].why);
    for (int hit = 0; hit < 4; hit++)
        ck_assert_msg(region_find(&global, &regions[hit], looks[_i].address) == want, "%s, asked from region %d",
                      looks[_i].why, hit);
    ck_assert_ptr_null(region_search(&nothing, looks[_i].address));
}

TEST(global_access_unmapped__nearest_region_is_below)
{
    ck_assert_ptr_eq(region_nearest(&global, BASE - 1), &regions[0]);
    ck_assert_ptr_eq(region_nearest(&global, BASE + 3 * PIECE), &regions[1]);
    ck_assert_ptr_eq(region_nearest(&global, BASE + 9 * PIECE), &regions[2]);
    ck_assert_ptr_null(region_nearest(&nothing, BASE));
}

TEST(global_access_unmapped__bytes_count_up_to_the_hole)
{
    ck_assert_uint_eq(global_usable_bytes(&global, BASE + 8, 16, MEMORY_WRITES), 16);
    ck_assert_uint_eq(global_usable_bytes(&global, BASE + 8, 2 * PIECE - 8, MEMORY_WRITES), 2 * PIECE - 8);
    ck_assert_uint_eq(global_usable_bytes(&global, BASE + 8, 3 * PIECE, MEMORY_WRITES), 2 * PIECE - 8);
    ck_assert_uint_eq(global_usable_bytes(&global, BASE - 8, 16, MEMORY_READS), 0);
    ck_assert_uint_eq(global_usable_bytes(&global, UINT64_MAX - 7, 64, MEMORY_READS), 8);
    ck_assert_uint_eq(global_usable_bytes(&nothing, BASE, 1, MEMORY_READS), 0);
}

TEST(global_access_unmapped__read_only_is_not_there_for_writes)
{
    ck_assert_uint_eq(global_usable_bytes(&global, BASE + 4 * PIECE, PIECE, MEMORY_READS), PIECE);
    ck_assert_uint_eq(global_usable_bytes(&global, BASE + 4 * PIECE, PIECE, MEMORY_WRITES), 0);
}

TEST(global_access_unmapped__bytes_go_over_regions_that_touch)
{
    uint8_t written[2 * PIECE], read[2 * PIECE];
    for (int i = 0; i < 2 * PIECE; i++) written[i] = (uint8_t)(i + 1);
    global_write(&global, BASE, written, sizeof written);
    ck_assert_mem_eq(bytes[0], written, PIECE);
    ck_assert_mem_eq(bytes[1], written + PIECE, PIECE);
    global_read(&global, BASE + 3, read, 2 * PIECE - 3);
    ck_assert_mem_eq(read, written + 3, 2 * PIECE - 3);
}

// A CTA is reached by its rank while it is there and has not ended.
TEST(cluster_exited__rank_is_not_reached)
{
    const struct memory ctas[] = {{bytes[0], 1024, PIECE}, {bytes[1], 1024, PIECE}};
    struct cluster_memory cluster = {ctas, 2, 1, 0};
    ck_assert_ptr_eq(cluster_memory_at(&cluster, 1, 1024 + 8, 8), bytes[1] + 8);
    ck_assert_ptr_null(cluster_memory_at(&cluster, 1, 1024 + PIECE - 4, 8));
    ck_assert_int_eq(cluster_memory_check(&cluster, 2), RULE_CLUSTER_RANK_MISSING);
    ck_assert_ptr_null(cluster_memory_at(&cluster, 2, 1024, 8));
    cluster.exited = 2;
    ck_assert_int_eq(cluster_memory_check(&cluster, 1), RULE_CLUSTER_EXITED);
    ck_assert_ptr_null(cluster_memory_at(&cluster, 1, 1024, 8));
    ck_assert_int_eq(cluster_memory_check(&cluster, 0), RULE_OK);
    cluster = cluster_memory_alone(&ctas[1]);
    ck_assert_ptr_eq(cluster_memory_at(&cluster, 0, 1024, 8), bytes[1]);
    ck_assert_int_eq(cluster_memory_check(&cluster, 1), RULE_CLUSTER_RANK_MISSING);
}
