// SPDX-License-Identifier: MIT
// The benchmark's contest on a device made of a clock: the sides say how long they take, nothing is computed.
#include "bench.h"
#include "gemm_sides.h"
#include "graph.h"

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

// A graph is the time that its starts took: while they are captured the clock stands still.
struct CUgraph_st {
    double ms;
};
static struct CUgraph_st graphs[4];
static double captured_at;
static int made, freed;

static enum cuda_result synchronize_stream(struct CUstream_st *stream)
{
    (void)stream;
    return CUDA_SUCCESS;
}

static enum cuda_result begin_capture(struct CUstream_st *stream, uint32_t mode)
{
    (void)stream;
    (void)mode;
    captured_at = now;
    return CUDA_SUCCESS;
}

static enum cuda_result end_capture(struct CUstream_st *stream, struct CUgraph_st **graph)
{
    (void)stream;
    *graph = &graphs[made++ % 4];
    (*graph)->ms = now - captured_at;
    now = captured_at;
    return CUDA_SUCCESS;
}

static enum cuda_result instantiate(struct CUgraphExec_st **graph, struct CUgraph_st *captured,
                                    unsigned long long flags)
{
    (void)flags;
    *graph = (struct CUgraphExec_st *)captured;
    return CUDA_SUCCESS;
}

static enum cuda_result launch_graph(struct CUgraphExec_st *graph, struct CUstream_st *stream)
{
    (void)stream;
    now += ((struct CUgraph_st *)graph)->ms;
    return CUDA_SUCCESS;
}

static enum cuda_result destroy_exec(struct CUgraphExec_st *graph)
{
    (void)graph;
    freed++;
    return CUDA_SUCCESS;
}

static enum cuda_result destroy_graph(struct CUgraph_st *captured)
{
    (void)captured;
    return CUDA_SUCCESS;
}

static enum cuda_result query(struct CUevent_st *event)
{
    (void)event;
    return CUDA_SUCCESS;
}

static struct graph_driver graph_calls = {.cuStreamSynchronize = synchronize_stream,
                                          .cuStreamBeginCapture_v2 = begin_capture,
                                          .cuStreamEndCapture = end_capture,
                                          .cuGraphInstantiateWithFlags = instantiate,
                                          .cuGraphLaunch = launch_graph,
                                          .cuGraphExecDestroy = destroy_exec,
                                          .cuGraphDestroy = destroy_graph,
                                          .cuEventQuery = query};

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
    struct bench bench = {.rounds = rounds,
                          .sample_ms = 10,
                          .long_ms = 100,
                          .graphs = &graph_calls,
                          .report = json_array(),
                          .event = {&events[0], &events[1]}};
    made = freed = 0;
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

TEST(rates_and_ratio_are_those_of_the_sides)
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
    ck_assert_double_eq_tol(number(&bench, "long_ratio"), 1.5, 1e-6);
    ck_assert_double_eq_tol(number(&bench, "our_long_rate"), 1000, 1e-3);
    ck_assert_int_eq(bench.contests, 1);
    ck_assert_int_eq(sides.sets_seen, 7);
    ck_assert_int_eq(freed, made); // every graph
    json_decref(bench.report);
}

// Captured starts stand for work, not for calls: they are counted apart from those of a sample.
TEST(samples_are_as_long_as_wanted)
{
    struct sides sides = {.ms = {0.5, 1}};
    struct bench bench = bench_with(3);
    struct contest contest = fast_and_slow;
    contest.context = &sides;
    bench.long_ms = 0;
    now = 0;
    ck_assert_int_eq(contest_run(&bench, &contest), CUDA_SUCCESS);
    // The slower side takes 10 ms, in whole rounds of three sets: 9 starts a graph, two launches a sample, three
    // samples and a warm-up; before that a start, three launches of two, and 20 starts for the time of the host.
    ck_assert_double_eq_tol(now, (0.5 + 1) * (1 + 3 * 2 + 20 + (3 * 2 + 1) * 9), 1e-6);
    ck_assert_double_eq(number(&bench, "long_ratio"), 0);
    json_decref(bench.report);
}

TEST(a_candidate_that_is_too_slow_is_given_up)
{
    struct sides sides = {.ms = {4, 0.1}};
    struct bench bench = bench_with(3);
    struct contest contest = fast_and_slow;
    double ms;
    contest.context = &sides;
    ck_assert_int_eq(graph_time(&bench, &contest, &contest.ours, 2, &ms), CUDA_SUCCESS);
    ck_assert_int_eq(made, 0);
    ck_assert_double_eq_tol(ms, 4, 1e-6);
    ck_assert_int_eq(graph_time(&bench, &contest, &contest.theirs, 2, &ms), CUDA_SUCCESS);
    ck_assert_int_eq(made, 1);
    ck_assert_int_eq(freed, 1);
    ck_assert_double_eq_tol(ms, 0.1, 1e-6);
    json_decref(bench.report);
}

TEST(an_error_of_a_side_ends_the_contest)
{
    struct sides sides = {.ms = {1, 1}, .fails_at = 30};
    struct bench bench = bench_with(3);
    struct contest contest = fast_and_slow;
    contest.context = &sides;
    ck_assert_int_eq(contest_run(&bench, &contest), CUDA_ERROR_LAUNCH_FAILED);
    ck_assert_int_eq(bench.contests, 0);
    ck_assert_uint_eq(json_array_size(bench.report), 0);
    json_decref(bench.report);
}

TEST(the_filter_is_a_part_of_the_name)
{
    struct bench bench = {.filter = "8192"};
    ck_assert(contest_wanted(&bench, "gemm bf16 8192x8192x8192"));
    ck_assert(!contest_wanted(&bench, "gemm bf16 4096x4096x4096"));
    bench.filter = NULL;
    ck_assert(contest_wanted(&bench, "anything"));
}

// Every side is in its range and a multiple of what its type asks for; both types have the same shapes, but for that;
// half the sides are below the middle of the logarithms.
TEST(random_shapes_are_log_uniform)
{
    const struct bench bench = {.random_shapes = 3000, .seed = 7};
    struct gemm_row bf16, e4m3;
    int below = 0, shapes = 0;
    for (; gemm_row_of(&bench, GEMM_BF16, shapes, &bf16); shapes++) {
        const uint32_t sides[] = {bf16.m, bf16.n, bf16.k};
        ck_assert(gemm_row_of(&bench, GEMM_E4M3, shapes, &e4m3));
        ck_assert_uint_eq(e4m3.m, (bf16.m + 15) / 16 * 16);
        ck_assert_uint_eq(e4m3.k, (bf16.k + 15) / 16 * 16);
        for (int i = 0; i < 3; i++) {
            ck_assert_uint_eq(sides[i] % 8, 0);
            ck_assert_uint_ge(sides[i], 16);
            ck_assert_uint_le(sides[i], 16384);
            below += sides[i] < 512;
        }
    }
    ck_assert_int_eq(shapes, 3000);
    ck_assert_int_gt(below, 4300); // of 9000
    ck_assert_int_lt(below, 4700);
}

TEST(shapes_that_are_asked_for_take_the_place_of_the_list)
{
    const struct bench bench = {.shape = {{1000, 3000, 5000}}, .shapes = 1};
    struct gemm_row row;
    ck_assert(gemm_row_of(&bench, GEMM_E4M3, 0, &row));
    ck_assert_uint_eq(row.m, 1008);
    ck_assert_uint_eq(row.n, 3008);
    ck_assert_uint_eq(row.k, 5008);
    ck_assert(!gemm_row_of(&bench, GEMM_E4M3, 1, &row));
}
