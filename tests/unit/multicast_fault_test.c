// SPDX-License-Identifier: MIT
// The faults of loads in clusters: all rules that are broken, in the order of the hardware, and what the findings say.
#include <string.h>

#include "multicast_test.h"
#include "rules/all.h"

TEST_FILE(.suite = "multicast");

enum kind { TILE, BULK, IM2COL };

// `cluster` is the attribute of the launch, 0 for none; `mask` is 16 bits, or -1 for a load without multicast. The
// rules are all that is broken, in order; the numbers are those of the finding of the first.
static const struct fault {
    enum rule about;
    const char *why;
    enum kind kind;
    uint32_t cluster, issuer;
    int32_t mask;
    uint32_t to_rank, shared;
    int32_t coord;
    uint64_t address;
    enum rule rules[4];
    uint64_t value, limit, nearest;
} faults[] = {
#define R(id) RULE_##id
#define FAR   (GMEM_BASE + 65536)
    // clang-format off
    {R(MULTICAST_NO_CLUSTER), "two bits", TILE, 0, 0, 3, 0, TO, 0, GMEM_BASE, {R(MULTICAST_NO_CLUSTER)}, 3, 1, 1},
    {R(MULTICAST_NO_CLUSTER), "not bit 0", BULK, 0, 0, 2, 0, TO, 0, GMEM_BASE, {R(MULTICAST_NO_CLUSTER)}, 2, 1, 1},
    {R(MULTICAST_NO_CLUSTER), "before 716", BULK, 0, 0, 3, 0, TO + 8, 0, GMEM_BASE,
     {R(MULTICAST_NO_CLUSTER), R(BULK_ALIGN)}, 3, 1, 1},
    {R(MULTICAST_NO_CLUSTER), "bit 0 is fine", TILE, 0, 0, 1, 0, TO, 0, GMEM_BASE, {RULE_OK}, 0, 0, 0},
    {R(MULTICAST_NO_CLUSTER), "a cluster of one has ranks", TILE, 1, 0, 3, 0, TO, 0, GMEM_BASE, {R(MULTICAST_MASK)}, 3,
     1, 1},
    {R(LOAD_OTHER_NO_CLUSTER), "rank 1", TILE, 0, 0, -1, 1, TO, 0, GMEM_BASE, {R(LOAD_OTHER_NO_CLUSTER)}, 1, 0, 0},
    {R(LOAD_OTHER_NO_CLUSTER), "before 716", TILE, 0, 0, -1, 1, TO + 16, 0, GMEM_BASE,
     {R(LOAD_OTHER_NO_CLUSTER), R(LOAD_SMEM_ALIGN)}, 1, 0, 0},
    {R(LOAD_OTHER_NO_CLUSTER), "rank 0 is fine", BULK, 0, 0, -1, 0, TO, 0, GMEM_BASE, {RULE_OK}, 0, 0, 0},
    {R(MULTICAST_MASK), "one bit too many", TILE, 2, 0, 5, 0, TO, 0, GMEM_BASE, {R(MULTICAST_MASK)}, 5, 3, 1},
    {R(MULTICAST_MASK), "bit 15", BULK, 8, 3, 0x8000, 3, TO, 0, GMEM_BASE, {R(MULTICAST_MASK)}, 0x8000, 0xff, 0},
    {R(MULTICAST_MASK), "after 715", TILE, 2, 0, 5, 0, TO, 1, GMEM_BASE, {R(LOAD_COORD_ALIGN), R(MULTICAST_MASK)}, 1, 4,
     0},
    {R(MULTICAST_MASK), "after 716", TILE, 2, 0, 5, 0, TO + 16, 0, GMEM_BASE, {R(LOAD_SMEM_ALIGN), R(MULTICAST_MASK)},
     TO + 16, 128, TO + 128},
    {R(MULTICAST_MASK), "before the source", BULK, 2, 0, 5, 0, TO, 0, FAR, {R(MULTICAST_MASK), R(BULK_UNMAPPED)}, 5, 3,
     1},
    {R(MULTICAST_MASK), "all of sixteen is fine", TILE, 16, 9, 0xffff, 9, TO, 0, GMEM_BASE, {RULE_OK}, 0, 0, 0},
    {R(MULTICAST_MASK), "im2col, after 715", IM2COL, 2, 0, 5, 0, TO, 0, GMEM_BASE, {R(LOAD_MODE), R(MULTICAST_MASK)}, 0,
     1, 1},
    {R(LOAD_OTHER_RANK), "rank 2 of 2", TILE, 2, 0, -1, 2, TO, 0, GMEM_BASE, {R(LOAD_OTHER_RANK)}, 2, 1, 1},
    {R(LOAD_OTHER_RANK), "rank 1 of 1", BULK, 1, 0, -1, 1, TO, 0, GMEM_BASE, {R(LOAD_OTHER_RANK)}, 1, 0, 0},
    {R(LOAD_OTHER_RANK), "after 716", BULK, 2, 0, -1, 2, TO, 0, GMEM_BASE + 8, {R(BULK_ALIGN), R(LOAD_OTHER_RANK)},
     GMEM_BASE + 8, 16, GMEM_BASE},
    {R(LOAD_OTHER_RANK), "before the source", TILE, 2, 0, -1, 2, TO, 0, FAR, {R(LOAD_OTHER_RANK), R(LOAD_UNMAPPED)}, 2,
     1, 1},
    {R(LOAD_OTHER_RANK_LIMIT), "rank 32", BULK, 2, 0, -1, 32, TO, 0, GMEM_BASE,
     {R(LOAD_OTHER_RANK_LIMIT), R(LOAD_OTHER_RANK)}, 32, 31, 1},
    {R(LOAD_OTHER_RANK_LIMIT), "rank 255, before 716", TILE, 16, 0, -1, 255, TO + 16, 0, GMEM_BASE,
     {R(LOAD_OTHER_RANK_LIMIT), R(LOAD_SMEM_ALIGN), R(LOAD_OTHER_RANK)}, 255, 31, 15},
    {R(LOAD_OTHER_RANK_LIMIT), "rank 31 is 719", TILE, 16, 0, -1, 31, TO, 0, GMEM_BASE, {R(LOAD_OTHER_RANK)}, 31, 15, 15},
    {R(LOAD_REMOTE_BOUNDS), "multicast to another", TILE, 2, 0, 2, 0, SMEM_END - 128, 0, GMEM_BASE,
     {R(LOAD_REMOTE_BOUNDS)}, SMEM_END - 128, SMEM_END - 512, SMEM_END - 512},
    {R(LOAD_REMOTE_BOUNDS), "multicast to itself", TILE, 1, 0, 1, 0, SMEM_END - 128, 0, GMEM_BASE,
     {R(LOAD_REMOTE_BOUNDS)}, SMEM_END - 128, SMEM_END - 512, SMEM_END - 512},
    {R(LOAD_REMOTE_BOUNDS), "to another", TILE, 2, 0, -1, 1, SMEM_END - 128, 0, GMEM_BASE, {R(LOAD_REMOTE_BOUNDS)},
     SMEM_END - 128, SMEM_END - 512, SMEM_END - 512},
    {R(LOAD_REMOTE_BOUNDS), "after the source", TILE, 2, 0, 2, 0, SMEM_END - 128, 0, FAR,
     {R(LOAD_UNMAPPED), R(LOAD_REMOTE_BOUNDS)}, FAR, GMEM_BASE + 1024, GMEM_BASE},
    {R(LOAD_REMOTE_BOUNDS), "its own, without multicast, is 700", TILE, 2, 1, -1, 1, SMEM_END - 128, 0, GMEM_BASE,
     {R(LOAD_SMEM_BOUNDS)}, SMEM_END - 128, SMEM_END - 512, SMEM_END - 512},
    {R(LOAD_REMOTE_BOUNDS), "without a cluster 700 too", TILE, 0, 0, 1, 0, SMEM_END - 128, 0, GMEM_BASE,
     {R(LOAD_SMEM_BOUNDS)}, SMEM_END - 128, SMEM_END - 512, SMEM_END - 512},
    {R(LOAD_REMOTE_BOUNDS), "the last place", TILE, 2, 0, 3, 0, SMEM_END - 512, 0, GMEM_BASE, {RULE_OK}, 0, 0, 0},
    {R(LOAD_REMOTE_LIMIT), "a bulk copy over the end", BULK, 2, 0, 3, 0, SM_SHARED_BYTES - 128, 0, GMEM_BASE,
     {R(BULK_REMOTE_LIMIT)}, SM_SHARED_BYTES - 128, SMEM_END, SMEM_END - 512},
    {R(LOAD_REMOTE_LIMIT), "a bulk copy before the end", BULK, 2, 0, 3, 0, SMEM_END - 128, 0, GMEM_BASE,
     {R(BULK_REMOTE_BOUNDS)}, SMEM_END - 128, SMEM_END, SMEM_END - 512},
    {R(LOAD_REMOTE_LIMIT), "past the SM", TILE, 2, 0, 3, 0, SM_SHARED_BYTES, 0, GMEM_BASE, {R(LOAD_REMOTE_LIMIT)},
     SM_SHARED_BYTES, SMEM_END - 512, SMEM_END - 512},
    {R(LOAD_REMOTE_LIMIT), "a start past the SM, before a missing CTA", TILE, 2, 0, 5, 0, SM_SHARED_BYTES, 0, GMEM_BASE,
     {R(LOAD_REMOTE_LIMIT), R(MULTICAST_MASK)}, SM_SHARED_BYTES, SMEM_END - 512, SMEM_END - 512},
    {R(LOAD_REMOTE_LIMIT), "only an end past the SM, after a missing CTA", TILE, 2, 0, -1, 2, SM_SHARED_BYTES - 128, 0,
     GMEM_BASE, {R(LOAD_OTHER_RANK), R(LOAD_REMOTE_LIMIT)}, 2, 1, 1},
    {R(LOAD_REMOTE_LIMIT), "over its end", TILE, 2, 0, -1, 1, SM_SHARED_BYTES - 384, 0, GMEM_BASE,
     {R(LOAD_REMOTE_LIMIT)}, SM_SHARED_BYTES - 384, SMEM_END - 512, SMEM_END - 512},
    {R(LOAD_REMOTE_LIMIT), "up to its end", TILE, 2, 0, -1, 1, SM_SHARED_BYTES - 512, 0, GMEM_BASE,
     {R(LOAD_REMOTE_BOUNDS)}, SM_SHARED_BYTES - 512, SMEM_END - 512, SMEM_END - 512},
// clang-format on
#undef R
};

static enum rule run_fault(const struct fault *fault, struct bench *bench, struct findings *findings)
{
    const int32_t coord[TENSORMAP_MAX_RANK] = {fault->coord};
    const uint16_t offset[3] = {0};
    uint32_t bytes, ctas = fault->cluster > 0 ? fault->cluster : 1;
    bench_set_up(bench);
    bench->map.address = fault->address;
    struct cluster_load load = bench_load(bench, ctas, fault->issuer, (uint32_t)fault->mask & UINT16_MAX);
    load.cluster.is_cluster = fault->cluster > 0;
    load.is_multicast = fault->mask >= 0;
    load.shared = fault->shared;
    load.to_rank = load.barrier_rank = fault->to_rank;
    if (fault->kind == BULK) return multicast_bulk_load(fault->address, 512, &bench->global, &load, &bytes, findings);
    if (fault->kind == IM2COL)
        return multicast_im2col_load(&bench->map, 2, coord, offset, &bench->global, &load, &bytes, findings);
    return multicast_tile_load(&bench->map, 2, coord, &bench->global, &load, &bytes, findings);
}

static void check_fault(const struct fault *fault)
{
    static struct bench bench;
    struct findings findings = {0};
    enum rule rule = run_fault(fault, &bench, &findings);
    ck_assert_msg(rule == fault->rules[0], "%s: %s", fault->why, rule_row(rule)->id);
    for (int i = 0; i < 4 && fault->rules[i] != RULE_OK; i++)
        ck_assert_msg(i < findings.count && findings.item[i].rule == fault->rules[i], "%s: finding %d is %s",
                      fault->why, i, i < findings.count ? rule_row(findings.item[i].rule)->id : "missing");
    if (rule == RULE_OK) return;
    ck_assert_msg(findings.item[0].value == fault->value && findings.item[0].limit == fault->limit &&
                      findings.item[0].nearest == fault->nearest,
                  "%s: value 0x%llx limit 0x%llx nearest 0x%llx", fault->why,
                  (unsigned long long)findings.item[0].value, (unsigned long long)findings.item[0].limit,
                  (unsigned long long)findings.item[0].nearest);
    ck_assert_msg(bench_written(&bench) == 0, "%s: a fault has written", fault->why);
}

static void check_faults(enum rule about, int error)
{
    ck_assert_int_eq(rule_cuda_error(about), error);
    for (int i = 0; i < ROWS_OF(faults); i++)
        if (faults[i].about == about) check_fault(&faults[i]);
}

// A swizzle moves bytes within whole lines: a row of 64 bytes in the last line of the SM takes all of that line. What
// is no map has no box that could end anywhere.
TEST(load_remote_limit__counts_lines_of_a_swizzle)
{
    static struct bench bench;
    struct findings findings = {0};
    const int32_t coord[] = {0, 0};
    uint32_t bytes;
    bench_set_up(&bench);
    bench.map.swizzle = SWIZZLE_64B, bench.map.box[1] = 1;
    struct cluster_load load = bench_load(&bench, 2, 0, 3);
    load.shared = SM_SHARED_BYTES - 128;
    ck_assert_int_eq(multicast_tile_load(&bench.map, 2, coord, &bench.global, &load, &bytes, &findings),
                     RULE_LOAD_REMOTE_BOUNDS);
    bench.map.box[1] = 3;
    ck_assert_int_eq(multicast_tile_load(&bench.map, 2, coord, &bench.global, &load, &bytes, NULL),
                     RULE_LOAD_REMOTE_LIMIT);
    bench.map.dtype = DTYPE_COUNT;
    findings.count = 0;
    ck_assert_int_eq(multicast_tile_load(&bench.map, 2, coord, &bench.global, &load, &bytes, &findings),
                     RULE_LOAD_MAP_FORMAT);
    ck_assert_int_eq(findings.count, 1);
}

// A CTA that has ended is not there any more, for a multicast and for a load that names it.
TEST(cluster_exited__load_does_not_reach_it)
{
    static struct bench bench;
    struct findings findings = {0};
    const int32_t coord[] = {0, 0};
    uint32_t bytes;
    bench_set_up(&bench);
    struct cluster_load load = bench_load(&bench, 3, 0, 7);
    load.cluster.exited = 4;
    ck_assert_int_eq(multicast_tile_load(&bench.map, 2, coord, &bench.global, &load, &bytes, &findings),
                     RULE_CLUSTER_EXITED);
    ck_assert_uint_eq(findings.item[0].nearest, 3);
    load.is_multicast = 0, load.to_rank = load.barrier_rank = 2;
    ck_assert_int_eq(multicast_tile_load(&bench.map, 2, coord, &bench.global, &load, &bytes, NULL),
                     RULE_CLUSTER_EXITED);
    load.cluster.exited = 3;
    ck_assert_int_eq(multicast_tile_load(&bench.map, 2, coord, &bench.global, &load, &bytes, NULL), RULE_OK);
}

TEST_CALL(multicast_no_cluster__is_715_before_all_others, check_faults(RULE_MULTICAST_NO_CLUSTER, 715))
TEST_CALL(load_other_no_cluster__is_715_before_all_others, check_faults(RULE_LOAD_OTHER_NO_CLUSTER, 715))
TEST_CALL(load_other_rank_limit__is_31, check_faults(RULE_LOAD_OTHER_RANK_LIMIT, 715))
TEST_CALL(multicast_mask__has_a_cta_for_each_bit, check_faults(RULE_MULTICAST_MASK, 719))
TEST_CALL(load_other_rank__is_in_the_cluster, check_faults(RULE_LOAD_OTHER_RANK, 719))
TEST_CALL(load_remote_bounds__are_719_even_for_the_issuer, check_faults(RULE_LOAD_REMOTE_BOUNDS, 719))
TEST_CALL(load_remote_limit__is_700, check_faults(RULE_LOAD_REMOTE_LIMIT, 700))
