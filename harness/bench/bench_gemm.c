// SPDX-License-Identifier: MIT
// GEMM kernels against cuBLASLt, the best of all algorithms that it offers, and for fp8 against Triton's kernels where
// there are some: on listed shapes, or on random ones that nobody has tuned for.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gemm/gemm_choose.h"
#include "gemm_instance.h"
#include "gemm_sides.h"
#include "graph.h"
#include "opponents.h"

// What is the same for all contests of a run. `candidates`: the file of --candidates.
struct gemm_bench {
    struct cublas cublas;
    struct triton triton;
    struct gemm_memory memory;
    FILE *candidates;
    double before_ms;                         // of the kernel of another kind that runs before each start
    double log_ratio, log_first_ratio, worst; // of random shapes
    char worst_name[GEMM_SIDE_NAME_BYTES];
    int ratios, below_bar;
};

static const char *type_name(enum gemm_type type)
{
    return gemm_type_names[type];
}

// --- The choice of each side -----------------------------------------------------------------------------------------

static void write_candidate(const struct gemm_bench *of, const struct gemm_shape *s, const char *name, const char *how,
                            double ms, double apart, double clocks)
{
    if (of->candidates == NULL) return;
    fprintf(of->candidates, "%s,%u,%u,%u,%s,%s,%.6f,%.4f,%.0f\n", type_name(s->type), s->m, s->n, s->k, name, how, ms,
            apart, clocks);
    fflush(of->candidates);
}

// Ours is the one that takes least time of those that gemm_rank() puts first, as many as cuBLASLt's heuristic was seen
// to return: of all instances, or of the ping-pong ones. *first_ms: of the first of them.
static int choose_ours(struct bench *bench, struct gemm_sides *sides, int kernel, double *first_ms)
{
    const struct gemm_shape *s = &sides->shape;
    const struct gemm_job job = {.m = s->m, .n = s->n, .k = s->k, .workspace = sides->memory->workspace[0]};
    uint32_t first = 0, end = gemm_instance_count();
    double least = INFINITY, ms;
    while (kernel != GEMM_ANY && (int)gemm_instance_row(first)->kernel != kernel) first++;
    while (kernel != GEMM_ANY && (int)gemm_instance_row(end - 1)->kernel != kernel) end--; // a kernel's are together
    const struct gemm_ranking ranking = gemm_rank(gemm_instance_row(first), end - first, s->type, GEMM_BF16,
                                                  (uint32_t)bench->gpu.processors, CUBLAS_WORKSPACE_BYTES, &job);
    const struct gemm_choice *best = &ranking.choice[0];
    if (ranking.count == 0) return CUDA_ERROR_NOT_FOUND;
    int error = CUDA_SUCCESS;
    for (uint32_t i = 0; i < ranking.count && error == CUDA_SUCCESS; i++) {
        sides->call.instance = ranking.choice[i].instance;
        sides->call.job = ranking.choice[i].job;
        const struct contest contest = gemm_sides_contest(sides, "");
        error = graph_time(bench, &contest, &contest.ours, 1.5 * least, &ms);
        if (i == 0) *first_ms = ms;
        if (ms >= least) continue;
        least = ms;
        best = &ranking.choice[i];
    }
    sides->call.instance = best->instance;
    sides->call.job = best->job;
    return error;
}

// Theirs is the algorithm that takes least time of all that the heuristic returned; one that fails is left out.
// *first_ms: of the first.
static int choose_cublas(struct bench *bench, const struct gemm_bench *of, struct gemm_sides *sides, double *first_ms)
{
    const struct contest contest = gemm_sides_contest(sides, "");
    double least = INFINITY, ms;
    int best = -1, error = CUDA_SUCCESS;
    for (int i = 0; i < sides->plan.found && error == CUDA_SUCCESS; i++) {
        char how[16];
        sides->plan.algo = i;
        if (gemm_start_cublas(bench, sides, 0) != CUDA_SUCCESS) continue;
        error = graph_time(bench, &contest, &contest.theirs, 1.5 * least, &ms);
        snprintf(how, sizeof how, "%d", i);
        write_candidate(of, &sides->shape, "cuBLASLt", how, ms, 0, 0);
        if (best < 0) *first_ms = ms;
        if (ms >= least) continue;
        least = ms;
        best = i;
    }
    sides->plan.algo = best;
    return error != CUDA_SUCCESS ? error : best < 0 ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

// The Triton kernel that takes least time for this shape.
static int choose_triton(struct bench *bench, struct gemm_sides *sides, const struct triton *triton)
{
    const struct contest contest = gemm_sides_contest(sides, "");
    const struct bench_side side = {"Triton", gemm_start_triton};
    double least = INFINITY, ms;
    int best = 0, error = CUDA_SUCCESS;
    sides->triton = triton;
    for (int i = 0; i < triton->kernels && error == CUDA_SUCCESS; i++) {
        sides->triton_kernel = &triton->kernel[i];
        error = graph_time(bench, &contest, &side, 2 * least, &ms);
        if (ms >= least) continue;
        least = ms;
        best = i;
    }
    sides->triton_kernel = &triton->kernel[best];
    return error;
}

// --- All that could be chosen ----------------------------------------------------------------------------------------

enum { CANDIDATE_ROWS = 4 }; // that are compared with cuBLASLt's, of each candidate

struct survey {
    struct bench *bench;
    const struct gemm_bench *of;
    struct gemm_sides *sides;
    double least;
    int error;
};

static void time_candidate(const struct gemm_instance *instance, const struct gemm_job *job, void *context)
{
    struct survey *survey = context;
    struct gemm_sides *sides = survey->sides;
    char how[64];
    double ms, apart = 0;
    if (survey->error != CUDA_SUCCESS) return;
    sides->call.instance = instance;
    sides->call.job = *job;
    const struct contest contest = gemm_sides_contest(sides, "");
    survey->error = graph_time(survey->bench, &contest, &contest.ours, 3 * survey->least, &ms);
    if (ms < survey->least) survey->least = ms;
    if (survey->error == CUDA_SUCCESS) survey->error = gemm_start_ours(survey->bench, sides, 0);
    if (survey->error == CUDA_SUCCESS) survey->error = (int)survey->bench->gpu.driver.cuCtxSynchronize();
    if (survey->error == CUDA_SUCCESS) survey->error = gemm_sides_compare(survey->bench, sides, CANDIDATE_ROWS, &apart);
    snprintf(how, sizeof how, "%ux%u:%u:%d", job->cluster_m, job->cluster_n, job->splits, job->workspace != 0);
    write_candidate(survey->of, &sides->shape, instance->name, how, ms, apart,
                    (double)gemm_clocks(instance, job, (uint32_t)survey->bench->gpu.processors));
}

// Times every candidate of gemm_choose() into the file.
static int time_candidates(struct bench *bench, const struct gemm_bench *of, struct gemm_sides *sides)
{
    const struct gemm_shape *s = &sides->shape;
    struct survey survey = {bench, of, sides, INFINITY, CUDA_SUCCESS};
    const struct gemm_job job = {.m = s->m, .n = s->n, .k = s->k, .workspace = sides->memory->workspace[0]};
    if (of->candidates == NULL) return CUDA_SUCCESS;
    sides->plan.algo = 0;
    survey.error = gemm_start_cublas(bench, sides, 0);
    gemm_each_candidate(gemm_instance_row(0), gemm_instance_count(), s->type, GEMM_BF16,
                        (uint32_t)bench->gpu.processors, CUBLAS_WORKSPACE_BYTES, &job, time_candidate, &survey);
    return survey.error;
}

// --- A kernel of another kind ----------------------------------------------------------------------------------------

enum { ANOTHER_SIDE = 512, ANOTHER_SLOT = 2, ANOTHER_BYTES = 4 * ANOTHER_SIDE * ANOTHER_SIDE };

// Turns a small matrix. It knows nothing of programmatic launches.
static int start_another(struct bench *bench)
{
    const unsigned long long at = gpu_buffer(&bench->gpu, ANOTHER_SLOT, (size_t)2 * ANOTHER_BYTES);
    const struct opponent_transposition job = {at, at + ANOTHER_BYTES, ANOTHER_SIDE, ANOTHER_SIDE};
    return at == 0 ? CUDA_ERROR_OUT_OF_MEMORY : opponent_transpose(&bench->gpu, 4, 32, &job);
}

static int start_another_side(struct bench *bench, void *context, int set)
{
    (void)context, (void)set;
    return start_another(bench);
}

// How long it takes where nothing else runs, back to back.
static int time_another(struct bench *bench, struct gemm_bench *of)
{
    const struct bench_side side = {"another kernel", start_another_side};
    const struct contest contest = {.ours = side, .theirs = side, .sets = 1};
    return bench->is_behind ? graph_time(bench, &contest, &side, INFINITY, &of->before_ms) : CUDA_SUCCESS;
}

// --- A contest -------------------------------------------------------------------------------------------------------

static void count_ratio(struct gemm_bench *of, const char *name, double ratio, double first_ratio)
{
    if (of->ratios++ == 0 || ratio < of->worst) {
        of->worst = ratio;
        snprintf(of->worst_name, sizeof of->worst_name, "%s", name);
    }
    of->log_ratio += log(ratio);
    of->log_first_ratio += log(first_ratio);
    of->below_bar += ratio < GEMM_WORST_BAR;
}

static int run_triton(struct bench *bench, struct gemm_sides *sides, const struct triton *triton, const char *name,
                      struct text *why)
{
    struct score score;
    struct contest contest = gemm_sides_contest(sides, name);
    int error = choose_triton(bench, sides, triton);
    contest.theirs = (struct bench_side){sides->triton_kernel->name, gemm_start_triton};
    if (error == CUDA_SUCCESS) error = gemm_sides_clear(bench, sides);
    if (error == CUDA_SUCCESS) error = contest_measure(bench, &contest, &score);
    if (error == CUDA_SUCCESS) error = gemm_sides_check(bench, sides, name, why);
    if (error == CUDA_SUCCESS) contest_report(bench, &contest, &score);
    return error;
}

static int run_sides(struct bench *bench, struct gemm_bench *of, struct gemm_sides *sides, const struct gemm_row *row,
                     const char *name, double first_ratio, struct text *why)
{
    struct score score;
    struct contest contest = gemm_sides_contest(sides, name);
    char theirs[48];
    snprintf(theirs, sizeof theirs, "cuBLASLt (algorithm %d of %d)", sides->plan.algo + 1, sides->plan.found);
    contest.theirs.name = theirs;
    contest.bar = row->bar;
    int error = gemm_sides_clear(bench, sides);
    if (error == CUDA_SUCCESS) error = contest_measure(bench, &contest, &score);
    if (error == CUDA_SUCCESS) error = gemm_sides_check(bench, sides, name, why);
    if (error != CUDA_SUCCESS) return error;
    score.first_ratio = first_ratio;
    contest_report(bench, &contest, &score);
    count_ratio(of, name, score.ratio, first_ratio);
    if (sides->shape.type != GEMM_E4M3 || of->triton.kernels == 0 || row->kernel != GEMM_ANY) return CUDA_SUCCESS;
    return run_triton(bench, sides, &of->triton, name, why);
}

static void name_of(const struct bench *bench, const struct gemm_row *row, enum gemm_type type,
                    char name[GEMM_SIDE_NAME_BYTES])
{
    snprintf(name, GEMM_SIDE_NAME_BYTES, "gemm %s %ux%ux%u%s%s%s", type_name(type), row->m, row->n, row->k,
             row->kernel == GEMM_ANY ? "" : " ping-pong", bench->is_behind ? ", behind another kernel" : "",
             bench->is_warm ? ", operands in L2" : "");
}

static int run_row(struct bench *bench, struct gemm_bench *of, const struct gemm_row *row, enum gemm_type type,
                   struct text *why)
{
    static struct gemm_sides sides;
    const struct gemm_shape shape = {type, row->m, row->n, row->k};
    char name[GEMM_SIDE_NAME_BYTES];
    sides = (struct gemm_sides){.cublas = &of->cublas, .is_warm = bench->is_warm, .before_ms = of->before_ms};
    if (bench->is_behind) sides.before = start_another;
    name_of(bench, row, type, name);
    if (!contest_wanted(bench, name)) return CUDA_SUCCESS;
    int status = gemm_sides_open(&sides, &of->memory, &shape), error = CUDA_SUCCESS;
    if (status != 0) text_set(why, "%s: cuBLASLt has no algorithm for it (status %d)", name, status);
    if (status != 0) return -1;
    double first_ms[2] = {1, 1};
    error = time_candidates(bench, of, &sides);
    if (error == CUDA_SUCCESS) error = choose_cublas(bench, of, &sides, &first_ms[1]);
    if (error == CUDA_SUCCESS) error = choose_ours(bench, &sides, row->kernel, &first_ms[0]);
    if (error == CUDA_SUCCESS) error = run_sides(bench, of, &sides, row, name, first_ms[1] / first_ms[0], why);
    gemm_sides_close(&sides);
    return error;
}

// --- All contests of a type ------------------------------------------------------------------------------------------

static void say_mean(struct bench *bench, const struct gemm_bench *of, enum gemm_type type)
{
    double mean = exp(of->log_ratio / of->ratios), first_mean = exp(of->log_first_ratio / of->ratios);
    if (bench->report == NULL) {
        printf("%d random shapes of %s%s%s, seed %llu: geometric mean %.3fx, worst %.3fx (%s), %d below %.2fx; "
               "first choice against first algorithm %.3fx\n",
               of->ratios, type_name(type), bench->is_behind ? ", behind another kernel" : "",
               bench->is_warm ? ", operands in L2" : "", (unsigned long long)bench->seed, mean, of->worst,
               of->worst_name, of->below_bar, GEMM_WORST_BAR, first_mean);
        return;
    }
    json_array_append_new(bench->report,
                          json_pack("{s:s, s:b, s:b, s:s, s:i, s:I, s:f, s:f, s:f, s:s, s:i, s:f, s:f}", "summary",
                                    "gemm random", "behind", bench->is_behind, "warm", bench->is_warm, "type",
                                    type_name(type), "shapes", of->ratios, "seed", (json_int_t)bench->seed,
                                    "geometric_mean", mean, "first_mean", first_mean, "worst", of->worst,
                                    "worst_contest", of->worst_name, "below_worst_bar", of->below_bar, "mean_bar",
                                    GEMM_MEAN_BAR, "worst_bar", GEMM_WORST_BAR));
}

static int run_type(struct bench *bench, struct gemm_bench *of, enum gemm_type type, struct text *why)
{
    size_t most_ab = 0, most_d = 0;
    char name[GEMM_SIDE_NAME_BYTES];
    struct gemm_row row;
    int wanted = 0;
    for (int i = 0; gemm_row_of(bench, type, i, &row); i++) {
        size_t ab = ((size_t)row.m + row.n) * row.k * gemm_bytes(type), d = (size_t)row.m * row.n * 2;
        name_of(bench, &row, type, name);
        if (!contest_wanted(bench, name)) continue;
        wanted++;
        if (ab > most_ab) most_ab = ab;
        if (d > most_d) most_d = d;
    }
    if (wanted == 0) return CUDA_SUCCESS;
    of->log_ratio = of->log_first_ratio = of->worst = 0;
    of->ratios = of->below_bar = 0;
    int error = gemm_memory_new(&bench->gpu, type, most_ab, most_d, &of->memory);
    of->cublas.workspace = of->memory.workspace[1];
    for (int i = 0; error == CUDA_SUCCESS && gemm_row_of(bench, type, i, &row); i++)
        error = run_row(bench, of, &row, type, why);
    gemm_memory_free(&bench->gpu, &of->memory);
    if (error == CUDA_SUCCESS && bench->random_shapes > 0) say_mean(bench, of, type);
    return error;
}

int bench_gemm(struct bench *bench, struct text *why)
{
    static struct gemm_bench of;
    of = (struct gemm_bench){.triton = {.kernels = 0}};
    if (bench->triton != NULL && !triton_open(&of.triton, &bench->gpu, bench->triton, why)) return -1;
    if (!cublas_open(&of.cublas, 0, why)) return -1;
    if (bench->candidates != NULL && (of.candidates = fopen(bench->candidates, "w")) == NULL) {
        text_set(why, "%s cannot be written", bench->candidates);
        return -1;
    }
    if (of.candidates != NULL) fprintf(of.candidates, "type,m,n,k,kernel,how,ms,apart,clocks\n");
    int error = time_another(bench, &of);
    if (error == CUDA_SUCCESS) error = run_type(bench, &of, GEMM_BF16, why);
    if (error == CUDA_SUCCESS) error = run_type(bench, &of, GEMM_E4M3, why);
    if (of.candidates != NULL) fclose(of.candidates);
    return error;
}
