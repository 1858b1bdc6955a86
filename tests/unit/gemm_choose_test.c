// SPDX-License-Identifier: MIT
// The suite `gemm_choose`: which kernel the rule takes for a problem, and that it always takes one that can run.
#include "gemm/gemm_choose.h"
#include "gemm_case.h"
#include "random.h"

enum { SMS = 132 };

static const struct gemm_instance *choose(enum gemm_type in, struct gemm_job *job)
{
    return gemm_choose(gemm_instance_row(0), gemm_instance_count(), in, GEMM_BF16, SMS, (uint64_t)32 << 20, job);
}

static const struct {
    uint32_t m, n, k;
    enum gemm_type in;
    uint64_t workspace;
    enum gemm_kernel kernel;
    uint32_t tile_m, tile_n, splits;
    const char *why;
} choices[] = {
    {4096, 4096, 4096, GEMM_BF16, 1, GEMM_COOPERATIVE, 128, 256, 1, "4 rounds of 128 x 256 lose least at the end"},
    {8192, 8192, 8192, GEMM_E4M3, 1, GEMM_COOPERATIVE, 128, 192, 1,
     "21 rounds of 128 x 192 lose less than 32 of 128 x 128"},
    {512, 7168, 8192, GEMM_BF16, 1, GEMM_COOPERATIVE, 128, 224, 1, "128 tiles of 128 x 224 are one round"},
    {512, 1280, 8192, GEMM_BF16, 1, GEMM_SPLIT_K, 128, 128, 3, "40 tiles on 120 SMs, through memory"},
    {1000, 3000, 5000, GEMM_BF16, 1, GEMM_COOPERATIVE, 128, 192, 1, "128 tiles of 128 x 192 are one round"},
    {128, 128, 16384, GEMM_BF16, 1, GEMM_SPLIT_K, 64, 32, 16, "eight tiles, and k for 128 SMs"},
    {64, 64, 64, GEMM_BF16, 1, GEMM_COOPERATIVE, 128, 64, 1, "one tile, one block: the kernel that is shortest"},
    {208, 8192, 4096, GEMM_BF16, 1, GEMM_COOPERATIVE_TURNED, 112, 128, 1, "two tiles as high as m"},
};

LOOP_TEST(gemm_choice_is_the_cheapest, 0, ROWS_OF(choices))
{
    struct gemm_job job = {
        .m = choices[_i].m, .n = choices[_i].n, .k = choices[_i].k, .workspace = choices[_i].workspace};
    const struct gemm_instance *i = choose(choices[_i].in, &job);
    ck_assert_ptr_nonnull(i);
    ck_assert_msg(i->kernel == choices[_i].kernel && i->tile_m == choices[_i].tile_m &&
                      i->tile_n == choices[_i].tile_n && job.splits == choices[_i].splits,
                  "%s, not %s in %u splits", choices[_i].why, i->name, job.splits);
    ck_assert_uint_eq(job.workspace, job.splits > 1 ? choices[_i].workspace : 0);
}

TEST(gemm_choice_can_run)
{
    for (uint64_t n = 0; n < 3000; n++) {
        struct random random = random_for(9, n);
        enum gemm_type in = (enum gemm_type)random_below(&random, GEMM_F32);
        uint32_t m = (uint32_t)random_range(&random, 1, 5000);
        uint32_t columns = (uint32_t)random_range(&random, 1, 5000);
        uint32_t k = (uint32_t)random_range(&random, 1, 20000);
        struct gemm_job job = {.m = m, .n = columns, .k = k, .workspace = random_below(&random, 2)};
        const struct gemm_instance *i =
            gemm_choose(gemm_instance_row(0), gemm_instance_count(), in, GEMM_F32, SMS, (uint64_t)32 << 20, &job);
        ck_assert_ptr_nonnull(i);
        ck_assert_uint_le(gemm_cluster_size(&job), GEMM_MAX_CLUSTER);
        ck_assert_uint_ge(job.stages, gemm_min_stages(i, &job));
        ck_assert_uint_le(gemm_shared_bytes(i, job.stages), GEMM_SHARED_MAX);
        uint32_t grid = gemm_grid(i, &job, SMS);
        ck_assert_uint_gt(grid, 0);
        ck_assert_uint_le(grid, SMS);
        if (job.workspace != 0) ck_assert(gemm_fits_counters(i, &job));
    }
}

// A random problem of any type, with a workspace or without.
static struct gemm_ranking rank(uint64_t number)
{
    struct random random = random_for(10, number);
    enum gemm_type in = (enum gemm_type)random_below(&random, GEMM_F32);
    uint32_t m = (uint32_t)random_range(&random, 1, 2000);
    uint32_t columns = (uint32_t)random_range(&random, 1, 2000);
    uint32_t k = (uint32_t)random_range(&random, 1, 20000);
    const struct gemm_job job = {.m = m, .n = columns, .k = k, .workspace = random_below(&random, 2)};
    return gemm_rank(gemm_instance_row(0), gemm_instance_count(), in, in == GEMM_F16 ? GEMM_F16 : GEMM_BF16, SMS,
                     (uint64_t)32 << 20, &job);
}

// How many of the choices are of the instance of the one at `of`, and of these how many have parts that meet as its.
static void count_cuts(const struct gemm_ranking *ranking, uint32_t of, int *cuts, int *alike)
{
    const struct gemm_choice *one = &ranking->choice[of];
    *cuts = *alike = 0;
    for (uint32_t i = 0; i < ranking->count; i++) {
        const struct gemm_choice *other = &ranking->choice[i];
        if (other->instance != one->instance) continue;
        *cuts += 1;
        *alike +=
            one->job.splits > 1 && other->job.splits > 1 && (one->job.workspace != 0) == (other->job.workspace != 0);
    }
}

TEST(gemm_ranking_has_two_cuts_of_an_instance_that_meet_differently)
{
    int two = 0;
    for (uint64_t n = 0; n < 1000; n++) {
        const struct gemm_ranking ranking = rank(n);
        ck_assert_uint_eq(ranking.count, GEMM_RANKED);
        for (uint32_t i = 0; i < ranking.count; i++) {
            int cuts, alike;
            count_cuts(&ranking, i, &cuts, &alike);
            ck_assert_int_le(cuts, GEMM_RANKED_CUTS);
            ck_assert_int_le(alike, 1);
            two += cuts == 2 && alike == 1;
            if (i > 0) ck_assert(ranking.choice[i - 1].clocks <= ranking.choice[i].clocks);
        }
    }
    ck_assert_int_gt(two, 100); // it does happen
}

TEST(gemm_choice_of_a_type_without_kernels_is_none)
{
    struct gemm_job job = {.m = 1, .n = 1, .k = 1};
    ck_assert_ptr_null(gemm_choose(gemm_instance_row(0), gemm_instance_count(), GEMM_F16, GEMM_BF16, SMS, 0, &job));
}
