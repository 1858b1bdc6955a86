// SPDX-License-Identifier: MIT
// The suite `histogram_case`: the family "histogram" on the model against plain counting, what the missing barrier
// costs, and what random cases lean to.
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "family.h"
#include "histogram_case.h"
#include "rules/cluster.h"

enum { CASES = 20000 };

static struct result run(const struct histogram_case *c)
{
    struct result result = result_at(malloc(family_result_bytes(&family_histogram, c)));
    family_run_model(&family_histogram, c, &result);
    return result;
}

static uint32_t word_at(const struct result *result, int window, size_t index)
{
    uint32_t word;
    memcpy(&word, result->window[window].bytes + 4 * index, sizeof word);
    return word;
}

// What was counted in bin `i`.
static uint32_t counted(const struct histogram_case *c, const struct result *result, uint32_t i)
{
    return word_at(result, 0, HISTOGRAM_GUARD_WORDS + c->bins_skew + i) - histogram_before(c, i);
}

// --- Counting --------------------------------------------------------------------------------------------------------

// However the bins are spread, a bin holds what it held and one for each value that falls in it, clamped.
TEST(histogram_counts_as_a_loop_does)
{
    static uint32_t want[16 * 4096];
    for (uint64_t i = 0, done = 0; done < 400; i++) {
        struct random random = random_for(21, i);
        struct histogram_case c;
        family_generate(family_find("histogram"), &random, &c);
        if (c.variant == HISTOGRAM_MISSING || c.nbins > 16 * 4096) continue;
        struct result result = run(&c);
        memset(want, 0, sizeof want);
        for (uint32_t j = 0; j < c.count; j++) {
            int64_t value = histogram_value(&c, j), last = (int64_t)c.nbins - 1;
            want[value < 0 ? 0 : value > last ? last : value]++;
        }
        for (uint32_t j = 0; j < c.nbins; j++) ck_assert_uint_eq(counted(&c, &result, j), want[j]);
        for (uint32_t j = 0; j < HISTOGRAM_GUARD_WORDS + c.bins_skew; j++)
            ck_assert_uint_eq(word_at(&result, 0, j),
                              histogram_before(&c, (int64_t)j - HISTOGRAM_GUARD_WORDS - c.bins_skew));
        free(result.first_bytes);
        done++;
    }
}

// A bin's owner by multiplication is its owner by division, at every multiple and beside it.
TEST(histogram_division_is_exact)
{
    struct random random = random_for(5, 0);
    for (int i = 0; i < 20000; i++) {
        uint32_t ctas = (uint32_t)random_range(&random, 1, CLUSTER_MAX);
        uint32_t most = i % 4 == 0 ? HISTOGRAM_MAX_CTA_BINS : 300;
        struct histogram_job job = {.nbins = (uint32_t)random_range(&random, 1, ctas * most)};
        histogram_divide(&job, ctas);
        ck_assert_uint_eq(job.cta_bins % HISTOGRAM_VECTOR, 0);
        ck_assert_uint_ge(job.cta_bins * ctas, job.nbins);
        for (uint32_t rank = 0; rank < ctas; rank++)
            for (int side = -1; side < 2; side++) {
                uint32_t bin = rank * job.cta_bins + (uint32_t)side;
                if (bin < job.nbins) ck_assert_uint_eq(histogram_rank(&job, bin), bin / job.cta_bins);
            }
    }
}

// --- Without the last barrier ----------------------------------------------------------------------------------------

// Two CTAs of 8 bins, 32 values each; rank 1 is late.
static const struct histogram_case race = {.variant = HISTOGRAM_MISSING,
                                           .cluster = 2,
                                           .clusters = 1,
                                           .threads = 8,
                                           .nbins = 16,
                                           .count = 64,
                                           .late = 1,
                                           .linger = 1,
                                           .seed = 4};

// Lingering CTAs lose what the late one counts for them after they added their bins, and nothing else.
TEST(cluster_exited__missing_barrier_loses_what_comes_late)
{
    struct histogram_case c = race;
    struct result result = run(&c);
    uint32_t lost[16] = {0}, own[16] = {0};
    for (uint32_t i = 0; i < c.count; i++) {
        uint32_t bin = (uint32_t)histogram_value(&c, i);
        if (i >= 32 && bin < 8)
            lost[bin]++;
        else
            own[bin]++;
    }
    int sum = 0;
    ck_assert_int_eq(result.status, 0);
    for (uint32_t bin = 0; bin < 16; bin++) {
        ck_assert_uint_eq(counted(&c, &result, bin), own[bin]);
        ck_assert_uint_eq(word_at(&result, 1, bin), own[bin]);
        sum += (int)lost[bin];
    }
    ck_assert_int_gt(sum, 8);
    free(result.first_bytes);
}

// If they exit instead, the late CTA's first reduction in their memory ends the kernel; if it has none, all is well.
TEST(cluster_exited__missing_barrier_faults)
{
    struct histogram_case c = race;
    c.linger = 0;
    struct result result = run(&c);
    ck_assert_int_eq(result.status, 719);
    ck_assert_int_eq(result.rule, RULE_CLUSTER_EXITED);
    free(result.first_bytes);
    c.count = 32; // all of rank 0
    result = run(&c);
    ck_assert_int_eq(result.status, 0);
    free(result.first_bytes);
    c.count = 64, c.late = 2; // nobody is late
    result = run(&c);
    ck_assert_int_eq(result.status, 0);
    free(result.first_bytes);
}

// --- Random cases and words ------------------------------------------------------------------------------------------

// Every size of cluster in every variant, remainders everywhere, and each outcome of the race.
TEST(histogram_cases_reach_everything)
{
    int sizes[HISTOGRAM_VARIANT_COUNT][CLUSTER_MAX + 1] = {{0}}, values[HISTOGRAM_VALUES_COUNT] = {0};
    int rest = 0, few = 0, skews = 0, large = 0, empty = 0, faults = 0, races = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(9, i);
        struct histogram_case c;
        family_generate(family_find("histogram"), &random, &c);
        sizes[c.variant][c.cluster]++;
        values[c.values]++;
        rest += c.cluster > 1 && c.nbins % c.cluster != 0;
        few += c.nbins < c.cluster;
        skews += c.skew != 0 && c.bins_skew != 0;
        large += histogram_job_of(&c).cta_bins > 48 * 1024 / 4;
        empty += c.count == 0;
        if (c.variant != HISTOGRAM_MISSING) continue;
        struct result result = run(&c);
        faults += result.status != 0;
        races += result.status == 0 && c.linger && c.late < c.cluster;
        free(result.first_bytes);
    }
    ck_assert_int_gt(sizes[HISTOGRAM_GLOBAL][0], CASES / 10);
    for (int size = 1; size <= CLUSTER_MAX; size++)
        for (int variant = HISTOGRAM_SYNC; variant < HISTOGRAM_VARIANT_COUNT; variant++)
            ck_assert_int_gt(sizes[variant][size], 20);
    for (int i = 0; i < HISTOGRAM_VALUES_COUNT; i++) ck_assert_int_gt(values[i], CASES / 10);
    ck_assert_int_gt(rest, CASES / 4);
    ck_assert_int_gt(few, CASES / 100);
    ck_assert_int_gt(skews, CASES / 20);
    ck_assert_int_gt(large, CASES / 200);
    ck_assert_int_gt(empty, CASES / 500);
    ck_assert_int_gt(faults, CASES / 1000);
    ck_assert_int_gt(races, CASES / 100);
}
