// SPDX-License-Identifier: MIT
// The benchmark's contest on a device made of a clock: the sides say how long they take, nothing is computed.
#include <check.h>

#include "bench.h"

struct CUevent_st {
    double at;
};

static double now; // milliseconds
static struct CUevent_st events[2];

static enum cuda_result record(struct CUevent_st *event, struct CUstream_st *stream)
{
    (void)stream;
    event->at = now;
    return CUDA_SUCCESS;
}

static enum cuda_result elapsed(float *milliseconds, struct CUevent_st *start, struct CUevent_st *end)
{
    *milliseconds = (float)(end->at - start->at);
    return CUDA_SUCCESS;
}

static enum cuda_result synchronize(void)
{
    return CUDA_SUCCESS;
}

// What the sides are told and what they did.
struct sides {
    double ms[2];
    int starts[2], fails_at, sets_seen;
};

static int start(struct sides *sides, int side, int set)
{
    now += sides->ms[side];
    sides->starts[side]++;
    sides->sets_seen |= 1 << set;
    return sides->starts[side] == sides->fails_at ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
}

static int start_ours(struct bench *bench, void *context, int set)
{
    (void)bench;
    return start(context, 0, set);
}

static int start_theirs(struct bench *bench, void *context, int set)
{
    (void)bench;
    return start(context, 1, set);
}

static struct bench bench_with(int rounds)
{
    struct bench bench = {.rounds = rounds, .sample_ms = 10, .report = json_array(), .event = {&events[0], &events[1]}};
    bench.gpu.driver.cuEventRecord = record;
    bench.gpu.driver.cuEventElapsedTime_v2 = elapsed;
    bench.gpu.driver.cuCtxSynchronize = synchronize;
    return bench;
}

static const struct contest fast_and_slow = {.name = "fast and slow",
                                             .unit = "GB",
                                             .ours = {"ours", start_ours},
                                             .theirs = {"theirs", start_theirs},
                                             .sets = 3,
                                             .work = 2,
                                             .bar = 0.9};

static double number(const struct bench *bench, const char *key)
{
    return json_real_value(json_object_get(json_array_get(bench->report, 0), key));
}

START_TEST(rates_and_ratio_are_those_of_the_sides)
{
    struct sides sides = {.ms = {2, 3}};
    struct bench bench = bench_with(5);
    struct contest contest = fast_and_slow;
    contest.context = &sides;
    ck_assert_int_eq(contest_run(&bench, &contest), CUDA_SUCCESS);
    ck_assert_double_eq_tol(number(&bench, "our_rate"), 1000, 1e-3);         // 2 GB in 2 ms
    ck_assert_double_eq_tol(number(&bench, "their_rate"), 2000.0 / 3, 1e-3); // and in 3
    ck_assert_double_eq_tol(number(&bench, "ratio"), 1.5, 1e-6);             // above 1: ours is faster
    ck_assert_double_eq_tol(number(&bench, "ratio_least"), 1.5, 1e-6);
    ck_assert_int_eq(bench.contests, 1);
    ck_assert_int_eq(sides.sets_seen, 7);
    json_decref(bench.report);
}
END_TEST

START_TEST(samples_are_as_long_as_wanted)
{
    struct sides sides = {.ms = {0.5, 1}};
    struct bench bench = bench_with(3);
    struct contest contest = fast_and_slow;
    contest.context = &sides;
    ck_assert_int_eq(contest_run(&bench, &contest), CUDA_SUCCESS);
    ck_assert_int_eq(sides.starts[1], 2 * 3 + 3 * 11); // the slower side takes 10 ms: 11 starts a sample, after 6
    ck_assert_int_eq(sides.starts[0], sides.starts[1]);
    json_decref(bench.report);
}
END_TEST

START_TEST(an_error_of_a_side_ends_the_contest)
{
    struct sides sides = {.ms = {1, 1}, .fails_at = 8};
    struct bench bench = bench_with(3);
    struct contest contest = fast_and_slow;
    contest.context = &sides;
    ck_assert_int_eq(contest_run(&bench, &contest), CUDA_ERROR_LAUNCH_FAILED);
    ck_assert_int_eq(bench.contests, 0);
    ck_assert_uint_eq(json_array_size(bench.report), 0);
    json_decref(bench.report);
}
END_TEST

START_TEST(the_filter_is_a_part_of_the_name)
{
    struct bench bench = {.filter = "8192"};
    ck_assert(contest_wanted(&bench, "gemm bf16 8192x8192x8192"));
    ck_assert(!contest_wanted(&bench, "gemm bf16 4096x4096x4096"));
    bench.filter = NULL;
    ck_assert(contest_wanted(&bench, "anything"));
}
END_TEST

Suite *contest_suite(void);

Suite *contest_suite(void)
{
    Suite *suite = suite_create("contest");
    TCase *tcase = tcase_create("contest");
    tcase_add_test(tcase, rates_and_ratio_are_those_of_the_sides);
    tcase_add_test(tcase, samples_are_as_long_as_wanted);
    tcase_add_test(tcase, an_error_of_a_side_ends_the_contest);
    tcase_add_test(tcase, the_filter_is_a_part_of_the_name);
    suite_add_tcase(suite, tcase);
    return suite;
}
