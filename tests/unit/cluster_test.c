// SPDX-License-Identifier: MIT
// The suite `cluster`: addresses and ranks, the checks of a launch in the driver's order, and the cluster's barrier.
// Expected numbers are written by hand; each table names wrong formulas that it must notice.
#include <string.h>

#include "cluster.h"
#include "cluster_barrier.h"
#include "rules/cluster.h"
#include "rules/launch.h"

// --- addresses -------------------------------------------------------------------------------------------------------

static const struct {
    const char *why;
    uint32_t address, rank, mapa, address_rank;
} addresses[] = {
    {"first barrier of CTA 0", 0x400, 1, 0x01000400, 0},
    {"the own rank is replaced, not added to", 0x05000400, 2, 0x02000400, 5},
    {"back to CTA 0", 0x0f000400, 0, 0x00000400, 15},
    {"the offset has 24 bits", 0x00ffffff, 3, 0x03ffffff, 0},
    {"an offset beyond any shared memory is kept", 0x07040000, 7, 0x07040000, 7},
    {"rank 16 is not looked at", 0x400, 16, 0x10000400, 0},
    {"of the rank 8 bits count", 0x400, 0x105, 0x05000400, 0},
    {"all bits", UINT32_MAX, UINT32_MAX, UINT32_MAX, 255},
};

static uint32_t adds_rank(uint32_t address, uint32_t rank)
{
    return address + (rank << 24);
}

static uint32_t ors_rank(uint32_t address, uint32_t rank)
{
    return address | rank << 24;
}

static uint32_t four_bits(uint32_t address, uint32_t rank)
{
    return (address & 0xffffff) | (rank & 15) << 24;
}

static uint32_t small_offset(uint32_t address, uint32_t rank)
{
    return (address & 0x3ffff) | rank << 24;
}

static uint32_t (*const mapa_mutants[])(uint32_t, uint32_t) = {adds_rank, ors_rank, four_bits, small_offset};

LOOP_TEST(cluster_mapa__replaces_the_rank_in_bits_31_to_24, 0, ROWS_OF(addresses))
{
    const uint64_t window = UINT64_C(0x7f07) << 32;
    uint32_t address = addresses[_i].address, rank = addresses[_i].rank;
    ck_assert_msg(cluster_mapa(address, rank) == addresses[_i].mapa, "%s", addresses[_i].why);
    ck_assert_uint_eq(cluster_address_rank(address), addresses[_i].address_rank);
    ck_assert_uint_eq(cluster_mapa_generic(window | address, rank), window | addresses[_i].mapa);
    ck_assert_uint_eq(cluster_generic_rank(window | address), addresses[_i].address_rank);
}

LOOP_TEST(cluster_mapa__vectors_notice_wrong_formulas, 0, ROWS_OF(mapa_mutants))
{
    int noticed = 0;
    for (int i = 0; i < ROWS_OF(addresses); i++)
        noticed += mapa_mutants[_i](addresses[i].address, addresses[i].rank) != addresses[i].mapa;
    ck_assert_int_gt(noticed, 0);
}

TEST(cluster_window__has_2_to_the_32_bytes)
{
    ck_assert(cluster_is_shared_cta(0, 0) && cluster_is_shared_cta(0xffffff, 0) && cluster_is_shared_cta(0x1000000, 1));
    ck_assert(!cluster_is_shared_cta(0x1000000, 0) && !cluster_is_shared_cta(0, 1) &&
              !cluster_is_shared_cta(0x2000000, 1));
    ck_assert(!cluster_is_shared_cta(UINT64_C(0x101000000), 1) && !cluster_is_shared_cta(UINT64_MAX, 255));
    ck_assert(cluster_is_shared_cluster(0) && cluster_is_shared_cluster(UINT32_MAX));
    ck_assert(!cluster_is_shared_cluster(UINT64_C(1) << 32) && !cluster_is_shared_cluster(UINT64_MAX));
}

static const struct {
    uint32_t cluster[3], ctaid[3], rank;
} ranks[] = {
    {{2, 1, 1}, {1, 0, 0}, 1},  {{1, 2, 1}, {0, 1, 0}, 1},    {{1, 1, 2}, {0, 0, 1}, 1},  {{2, 3, 1}, {1, 0, 0}, 1},
    {{2, 3, 1}, {0, 1, 0}, 2},  {{2, 3, 1}, {1, 2, 0}, 5},    {{2, 2, 4}, {1, 0, 3}, 13}, {{2, 2, 4}, {1, 1, 2}, 11},
    {{2, 2, 4}, {0, 1, 3}, 14}, {{16, 1, 1}, {15, 0, 0}, 15},
};

TEST(cluster_rank__counts_x_first)
{
    int noticed = 0;
    for (int i = 0; i < ROWS_OF(ranks); i++) {
        const uint32_t *of = ranks[i].cluster, *at = ranks[i].ctaid;
        ck_assert_uint_eq(cluster_rank(of, at), ranks[i].rank);
        noticed += at[2] + of[2] * (at[1] + of[1] * at[0]) != ranks[i].rank; // z first
    }
    ck_assert_int_gt(noticed, 0);
}

static struct cluster_launch plain(void)
{
    return (struct cluster_launch){.grid = {4, 6, 8}, .block = {32, 1, 1}, .compiled_threads = LAUNCH_MAX_THREADS};
}

static struct cluster_launch clustered(uint32_t x, uint32_t y, uint32_t z)
{
    struct cluster_launch launch = plain();
    launch.has_cluster = 1;
    launch.cluster[0] = x, launch.cluster[1] = y, launch.cluster[2] = z;
    return launch;
}

TEST(cluster_rank__follows_from_ctaid)
{
    const uint32_t ctaid[3] = {3, 4, 5};
    struct cluster_launch launch = clustered(2, 3, 1);
    struct cluster_registers registers = cluster_registers(&launch, ctaid);
    ck_assert_mem_eq(registers.clusterid, ((uint32_t[]){1, 1, 5}), 12);
    ck_assert_mem_eq(registers.nclusterid, ((uint32_t[]){2, 2, 8}), 12);
    ck_assert_mem_eq(registers.cluster_ctaid, ((uint32_t[]){1, 1, 0}), 12);
    ck_assert_mem_eq(registers.cluster_nctaid, ((uint32_t[]){2, 3, 1}), 12);
    ck_assert_uint_eq(registers.cluster_ctarank, 3);
    ck_assert_uint_eq(registers.cluster_nctarank, 6);
    ck_assert_uint_eq(registers.is_explicit_cluster, 1);
}

TEST(cluster_rank__is_0_without_a_cluster)
{
    const uint32_t ctaid[3] = {3, 4, 5}, compiled[3] = {4, 2, 1};
    struct cluster_launch launch = plain();
    struct cluster_registers registers = cluster_registers(&launch, ctaid);
    ck_assert_mem_eq(registers.clusterid, ctaid, 12);
    ck_assert_mem_eq(registers.nclusterid, launch.grid, 12);
    ck_assert_uint_eq(registers.cluster_ctarank, 0);
    ck_assert_uint_eq(registers.cluster_nctarank, 1);
    ck_assert_uint_eq(registers.is_explicit_cluster, 0);
    memcpy(launch.compiled_cluster, compiled, sizeof compiled);
    registers = cluster_registers(&launch, ctaid);
    ck_assert_uint_eq(registers.cluster_ctarank, 3);
    ck_assert_uint_eq(registers.cluster_nctarank, 8);
    ck_assert_uint_eq(registers.is_explicit_cluster, 1);
}

// --- launches --------------------------------------------------------------------------------------------------------

static enum rule check(struct cluster_launch launch)
{
    struct findings findings = {0};
    enum rule rule = cluster_launch_check(&launch, &findings);
    ck_assert_int_eq(cluster_launch_check(&launch, NULL), rule);
    ck_assert_int_eq(findings.count > 0, rule != RULE_OK);
    if (rule != RULE_OK) ck_assert_int_eq(findings.item[0].rule, rule);
    return rule;
}

TEST(cluster_size__is_1_to_16)
{
    struct cluster_launch launch = clustered(4, 1, 4);
    launch.non_portable = 1;
    ck_assert_int_eq(check(launch), RULE_OK);
    launch.grid[0] = 17;
    launch.cluster[0] = 17, launch.cluster[2] = 1;
    ck_assert_int_eq(check(launch), RULE_CLUSTER_SIZE);
    for (int i = 0; i < 3; i++) {
        launch = clustered(1, 1, 1);
        launch.cluster[i] = 0;
        ck_assert_int_eq(check(launch), RULE_CLUSTER_SIZE);
    }
    ck_assert_int_eq(rule_cuda_error(RULE_CLUSTER_SIZE), 912);
    launch = clustered(UINT32_MAX, UINT32_MAX, UINT32_MAX); // the product does not wrap
    ck_assert_int_eq(check(launch), RULE_CLUSTER_SIZE_PORTABLE);
}

TEST(cluster_size_portable__is_8)
{
    struct cluster_launch launch = clustered(4, 1, 2);
    ck_assert_int_eq(check(launch), RULE_OK);
    launch = clustered(1, 3, 4);
    ck_assert_int_eq(check(launch), RULE_CLUSTER_SIZE_PORTABLE);
    launch.non_portable = 1;
    ck_assert_int_eq(check(launch), RULE_OK);
}

TEST(cluster_grid_divisible__in_each_dimension)
{
    for (int i = 0; i < 3; i++) {
        struct cluster_launch launch = clustered(2, 2, 2);
        ck_assert_int_eq(check(launch), RULE_OK);
        launch.grid[i]++;
        ck_assert_int_eq(check(launch), RULE_CLUSTER_GRID_DIVISIBLE);
        launch.has_cluster = 0;
        ck_assert_int_eq(check(launch), RULE_OK);
        memcpy(launch.compiled_cluster, ((uint32_t[]){2, 2, 2}), 12);
        ck_assert_int_eq(check(launch), RULE_CLUSTER_GRID_DIVISIBLE);
    }
}

// ptxas takes .reqnctapercluster 2, 0, 1.
TEST(cluster_size__rejects_a_kernel_compiled_for_0_ctas)
{
    struct cluster_launch launch = clustered(2, 1, 1);
    launch.has_cluster = 0;
    memcpy(launch.compiled_cluster, ((uint32_t[]){2, 0, 1}), 12);
    ck_assert_int_eq(check(launch), RULE_CLUSTER_SIZE);
    launch.compiled_cluster[1] = 1;
    ck_assert_int_eq(check(launch), RULE_OK);
}

TEST(cluster_compiled__must_be_repeated_exactly)
{
    struct cluster_launch launch = clustered(2, 1, 1);
    memcpy(launch.compiled_cluster, ((uint32_t[]){2, 1, 1}), 12);
    ck_assert_int_eq(check(launch), RULE_OK);
    launch.cluster[0] = 1, launch.cluster[1] = 2; // as many CTAs
    ck_assert_int_eq(check(launch), RULE_CLUSTER_COMPILED);
    launch = clustered(2, 1, 2);
    launch.compiled_max_cluster = 4;
    ck_assert_int_eq(check(launch), RULE_OK);
    launch.cluster[1] = 3;
    ck_assert_int_eq(check((struct cluster_launch)launch), RULE_CLUSTER_SIZE_PORTABLE);
    launch.non_portable = 1;
    ck_assert_int_eq(check(launch), RULE_CLUSTER_COMPILED);
}

static const struct {
    const char *why;
    uint32_t block[3], compiled;
    enum rule rule;
} blocks[] = {
    {"one thread", {1, 1, 1}, 1024, RULE_OK},
    {"x may be all", {1024, 1, 1}, 1024, RULE_OK},
    {"y may be all", {1, 1024, 1}, 1024, RULE_OK},
    {"z may be 64", {16, 1, 64}, 1024, RULE_OK},
    {"no x", {0, 1, 1}, 1024, RULE_LAUNCH_BLOCK},
    {"no y", {1, 0, 1}, 1024, RULE_LAUNCH_BLOCK},
    {"no z", {1, 1, 0}, 1024, RULE_LAUNCH_BLOCK},
    {"x 1025", {1025, 1, 1}, 1024, RULE_LAUNCH_BLOCK},
    {"z 65, though few threads", {1, 1, 65}, 1024, RULE_LAUNCH_BLOCK},
    {"the product", {32, 33, 1}, 1024, RULE_LAUNCH_BLOCK},
    {"the launch bounds", {129, 1, 1}, 128, RULE_LAUNCH_BLOCK},
    {"at the launch bounds", {2, 64, 1}, 128, RULE_OK},
};

LOOP_TEST(launch_block__is_bounded_in_each_dimension_and_in_all, 0, ROWS_OF(blocks))
{
    struct cluster_launch launch = plain();
    memcpy(launch.block, blocks[_i].block, sizeof launch.block);
    launch.compiled_threads = blocks[_i].compiled;
    ck_assert_msg(check(launch) == blocks[_i].rule, "%s", blocks[_i].why);
}

TEST(launch_grid__is_bounded_in_each_dimension)
{
    const uint32_t most[3] = {0x7fffffff, 65535, 65535};
    for (int i = 0; i < 3; i++) {
        struct cluster_launch launch = plain();
        launch.grid[i] = most[i];
        ck_assert_int_eq(check(launch), RULE_OK);
        launch.grid[i]++;
        ck_assert_int_eq(check(launch), RULE_LAUNCH_GRID);
        launch.grid[i] = 0;
        ck_assert_int_eq(check(launch), RULE_LAUNCH_GRID);
    }
}

TEST(launch_shared_bytes__need_the_attribute_past_48_kib)
{
    struct cluster_launch launch = plain();
    launch.shared_bytes = 49152;
    ck_assert_int_eq(check(launch), RULE_OK);
    launch.shared_bytes++;
    ck_assert_int_eq(check(launch), RULE_LAUNCH_SHARED_BYTES);
    launch.allows_shared = 1;
    launch.allowed_shared_bytes = 49153;
    ck_assert_int_eq(check(launch), RULE_OK);
    launch.allowed_shared_bytes = 1024; // set lower than what is free without it
    launch.shared_bytes = 1025;
    ck_assert_int_eq(check(launch), RULE_LAUNCH_SHARED_BYTES);
    launch = plain();
    launch.static_shared_bytes = 4096;
    launch.shared_bytes = 45056;
    ck_assert_int_eq(check(launch), RULE_OK);
    launch.shared_bytes++;
    ck_assert_int_eq(check(launch), RULE_LAUNCH_SHARED_BYTES);
}

TEST(launch_shared_allowed__is_227_kib_less_the_static)
{
    struct cluster_launch launch = plain();
    launch.allows_shared = 1;
    launch.allowed_shared_bytes = 232448;
    ck_assert_int_eq(check(launch), RULE_OK);
    launch.allowed_shared_bytes++;
    ck_assert_int_eq(check(launch), RULE_LAUNCH_SHARED_ALLOWED);
    launch.static_shared_bytes = 4096;
    launch.allowed_shared_bytes = 228352;
    ck_assert_int_eq(check(launch), RULE_OK);
    launch.allowed_shared_bytes = UINT32_MAX; // a negative int to the call
    ck_assert_int_eq(check(launch), RULE_LAUNCH_SHARED_ALLOWED);
}

// All rules broken at once, repaired one by one: the order in which the driver speaks.
TEST(launch_checks_come_in_the_order_of_the_driver)
{
    struct cluster_launch launch = clustered(0, 5, 4);
    launch.allows_shared = 1;
    launch.allowed_shared_bytes = 232449;
    launch.block[0] = 0;
    launch.grid[1] = 0;
    launch.compiled_cluster[0] = 5, launch.compiled_cluster[1] = 5, launch.compiled_cluster[2] = 4;
    launch.shared_bytes = 232450;
    ck_assert_int_eq(check(launch), RULE_LAUNCH_SHARED_ALLOWED);
    launch.allowed_shared_bytes = 0;
    ck_assert_int_eq(check(launch), RULE_LAUNCH_BLOCK);
    launch.block[0] = 1;
    ck_assert_int_eq(check(launch), RULE_CLUSTER_SIZE);
    launch.cluster[0] = 1;
    ck_assert_int_eq(check(launch), RULE_LAUNCH_GRID);
    launch.grid[1] = 6;
    ck_assert_int_eq(check(launch), RULE_CLUSTER_COMPILED);
    launch.cluster[0] = 5;
    ck_assert_int_eq(check(launch), RULE_CLUSTER_SIZE_PORTABLE);
    launch.non_portable = 1;
    ck_assert_int_eq(check(launch), RULE_CLUSTER_GRID_DIVISIBLE);
    launch.grid[0] = launch.grid[1] = 5;
    ck_assert_int_eq(check(launch), RULE_LAUNCH_SHARED_BYTES);
    launch.shared_bytes = 0;
    ck_assert_int_eq(check(launch), RULE_CLUSTER_SIZE);
}

// --- the barrier -----------------------------------------------------------------------------------------------------

// Programs of up to three members, one letter a turn: a arrives, w waits, e exits, . does nothing. Members take turns,
// in their order; a letter that blocks is tried again at the next turn. `done` is the turn of each letter, from 0, as
// the probe on an H200 ordered them.
static const struct {
    const char *why;
    int members;
    const char *program[3];
    const char *done[3];
} programs[] = {
    {"arrive and wait", 2, {"aw", "..aw"}, {"03", "0123"}},
    {"a second arrive is one for the next phase", 2, {"aaw", "..awaw"}, {"035", "012345"}},
    {"a wait without an arrive does not wait", 2, {"waw", "...aw"}, {"014", "01234"}},
    {"a second wait does not wait", 2, {"aww", "..aw"}, {"034", "0123"}},
    {"who exits is not waited for", 3, {"aw", "...e", "aw"}, {"04", "0123", "03"}},
    {"who exits after its arrive counts", 2, {"ae", "..aw"}, {"01", "0123"}},
    {"all but one gone", 3, {"e", "e", "awaw"}, {"0", "0", "0123"}},
};

static int step(struct cluster_barrier *barrier, int member, char letter)
{
    if (letter == 'a') return cluster_barrier_arrive(barrier, member, ORDER_RELEASE, NULL);
    if (letter == 'w') return cluster_barrier_wait(barrier, member, NULL);
    if (letter == 'e') cluster_barrier_exit(barrier, member, NULL);
    return 1;
}

static void check_program(int index)
{
    struct cluster_barrier barrier;
    size_t at[3] = {0};
    cluster_barrier_start(&barrier, programs[index].members);
    for (int turn = 0; turn < 10; turn++) {
        for (int i = 0; i < programs[index].members; i++) {
            const char *program = programs[index].program[i];
            if (at[i] >= strlen(program) || !step(&barrier, i, program[at[i]])) continue;
            ck_assert_msg(programs[index].done[i][at[i]] == '0' + turn, "%s: member %d, letter %zu, turn %d",
                          programs[index].why, i, at[i], turn);
            at[i]++;
        }
    }
    for (int i = 0; i < programs[index].members; i++) ck_assert_uint_eq(at[i], strlen(programs[index].program[i]));
}

TEST(cluster_barrier__completes_when_all_that_are_left_arrived)
{
    check_program(0);
    check_program(4);
    check_program(5);
    check_program(6);
}

TEST(cluster_barrier_twice__counts_for_the_next_phase)
{
    check_program(1);
}

TEST(cluster_barrier_unarrived__does_not_wait)
{
    check_program(2);
    check_program(3);
}

TEST(cluster_barrier_of_nobody_completes_nothing)
{
    struct cluster_barrier barrier;
    cluster_barrier_start(&barrier, CLUSTER_BARRIER_MEMBERS);
    for (int i = 0; i < CLUSTER_BARRIER_MEMBERS; i++) cluster_barrier_exit(&barrier, i, NULL);
    ck_assert_uint_eq(barrier.phases, 0);
}
