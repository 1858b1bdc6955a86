// SPDX-License-Identifier: MIT
// GEMM kernels against cuBLASLt, and for fp8 a split-K kernel of Triton where there is one.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cublas.h"
#include "data.h"
#include "gemm/gemm_choose.h"
#include "gemm_case.h"
#include "gemm_launch.h"
#include "subjects.h"
#include "triton.h"

// Together the sets are at least so large: the L2 cache has 60 MB.
#define ROTATED_BYTES   ((size_t)256 << 20)
#define WORKSPACE_BYTES ((size_t)64 << 20)
enum { MAX_SETS = 8, NAME_BYTES = 80 };

// The shapes; `bar` of bf16 and of e4m3. Kernel: GEMM_PINGPONG, or ANY for what gemm_choose() takes.
enum { ANY = -1 };
static const struct shape {
    int kernel;
    uint32_t m, n, k;
    double bar;
} shapes[] = {
    {GEMM_PINGPONG, 4096, 4096, 4096, 1.0},
    {GEMM_PINGPONG, 8192, 8192, 8192, 1.0},
    {ANY, 4096, 4096, 4096, 0.95},
    {ANY, 8192, 8192, 8192, 0.95},
    {ANY, 4096, 8192, 8192, 0.95},
    {ANY, 4096, 1280, 8192, 0.95},
    {ANY, 4096, 7168, 8192, 0.95},
    {ANY, 4096, 8192, 3584, 0.95},
    {ANY, 512, 8192, 8192, 0.95},
    {ANY, 512, 1280, 8192, 0.95},
    {ANY, 512, 7168, 8192, 0.95},
    {ANY, 512, 8192, 3584, 0.95},
    {ANY, 64, 8192, 8192, 0},
    {ANY, 64, 1280, 8192, 0},
    {ANY, 64, 7168, 8192, 0},
    {ANY, 64, 8192, 3584, 0},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

// What the sides of a contest work on; d: of ours and of theirs.
struct gemm_contest {
    const struct shape *shape;
    enum gemm_type type;
    struct gemm_call call;
    struct cublas *cublas;
    struct cublas_gemm plan;
    const struct triton_kernel *triton;
    unsigned long long workspace; // of ours: WORKSPACE_BYTES, zeros between launches
    int sets;
    unsigned long long a[MAX_SETS], b[MAX_SETS], d[2];
};

static int start_ours(struct bench *bench, void *context, int set)
{
    struct gemm_contest *of = context;
    struct gemm_launch launch;
    of->call.address[0] = of->a[set];
    of->call.address[1] = of->b[set];
    of->call.address[2] = of->d[0];
    if (gemm_launch_make(&of->call, (uint32_t)bench->gpu.processors, &launch) != RULE_OK)
        return CUDA_ERROR_INVALID_VALUE;
    return gpu_start(&bench->gpu, &launch.launch);
}

static int start_cublas(struct bench *bench, void *context, int set)
{
    struct gemm_contest *of = context;
    (void)bench;
    int status = cublas_start(of->cublas, &of->plan, of->a[set], of->b[set], of->d[1]);
    return status == 0 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

static int start_triton(struct bench *bench, void *context, int set)
{
    struct gemm_contest *of = context;
    const struct shape *s = of->shape;
    return triton_start(&bench->gpu, of->triton, of->a[set], of->b[set], of->d[1], s->m, s->n, s->k);
}

// --- Buffers ---------------------------------------------------------------------------------------------------------

static void free_buffers(struct gpu *gpu, struct gemm_contest *of)
{
    for (int i = 0; i < of->sets; i++) {
        data_free(gpu, of->a[i]);
        data_free(gpu, of->b[i]);
    }
    data_free(gpu, of->d[0]);
    data_free(gpu, of->d[1]);
}

static int make_buffers(struct gpu *gpu, struct gemm_contest *of)
{
    const struct shape *s = of->shape;
    enum data_kind kind = of->type == GEMM_BF16 ? DATA_BF16 : DATA_E4M3;
    size_t a_bytes = (size_t)s->m * s->k * gemm_bytes(of->type), b_bytes = (size_t)s->n * s->k * gemm_bytes(of->type);
    int ok = 1;
    of->sets = (int)(ROTATED_BYTES / (a_bytes + b_bytes)) + 1;
    if (of->sets > MAX_SETS) of->sets = MAX_SETS;
    if (of->sets < 2) of->sets = 2;
    for (int i = 0; i < of->sets; i++) {
        of->a[i] = data_new(gpu, kind, a_bytes, 2 * (uint64_t)i);
        of->b[i] = data_new(gpu, kind, b_bytes, 2 * (uint64_t)i + 1);
        ok = ok && of->a[i] != 0 && of->b[i] != 0;
    }
    for (int i = 0; i < 2; i++) {
        of->d[i] = data_new(gpu, DATA_BYTES, (size_t)s->m * s->n * 2, 1000);
        ok = ok && of->d[i] != 0;
    }
    return ok;
}

// --- Do both sides compute the same? ---------------------------------------------------------------------------------

static double bf16_value(const uint16_t *at)
{
    uint32_t bits = (uint32_t)*at << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

// Norm of the difference of two D over the norm of one; huge if there is no memory to tell.
static double difference(struct gpu *gpu, const struct gemm_contest *of)
{
    size_t count = (size_t)of->shape->m * of->shape->n;
    double apart = 0, norm = 0;
    uint16_t *d = malloc(4 * count);
    if (d == NULL || gpu->driver.cuMemcpyDtoH_v2(d, of->d[0], 2 * count) != CUDA_SUCCESS ||
        gpu->driver.cuMemcpyDtoH_v2(d + count, of->d[1], 2 * count) != CUDA_SUCCESS) {
        free(d);
        return INFINITY;
    }
    for (size_t i = 0; i < count; i++) {
        double x = bf16_value(&d[i]), y = bf16_value(&d[count + i]);
        apart += (x - y) * (x - y);
        norm += y * y;
    }
    free(d);
    return sqrt(apart / norm);
}

// The sums of cuBLAS may be rounded elsewhere: bf16 results of normal numbers differ by less than this, fp8 ones too.
static const double TOLERANCE = 0.01;

static int check(struct bench *bench, struct gemm_contest *of, const char *name, struct text *why)
{
    int error = start_ours(bench, of, 0);
    if (error == CUDA_SUCCESS) error = start_cublas(bench, of, 0);
    if (error == CUDA_SUCCESS) error = (int)bench->gpu.driver.cuCtxSynchronize();
    if (error != CUDA_SUCCESS) return error;
    double apart = difference(&bench->gpu, of);
    if (apart < TOLERANCE) return CUDA_SUCCESS;
    text_set(why, "%s: our D and cuBLASLt's differ by %.3g of its norm (%.3g allowed)", name, apart, TOLERANCE);
    return -1;
}

// --- The contests ----------------------------------------------------------------------------------------------------

// Fills in the call: the best of the ping-pong instances, or of all.
static int choose_ours(const struct bench *bench, struct gemm_contest *of)
{
    const struct shape *s = of->shape;
    uint32_t first = 0, end = gemm_instance_count();
    while (s->kernel != ANY && (int)gemm_instance_row(first)->kernel != s->kernel) first++;
    while (s->kernel != ANY && (int)gemm_instance_row(end - 1)->kernel != s->kernel) end--; // a kernel's are together
    of->call.job = (struct gemm_job){.m = s->m, .n = s->n, .k = s->k, .workspace = of->workspace};
    of->call.instance = gemm_choose(gemm_instance_row(first), end - first, of->type, GEMM_BF16,
                                    (uint32_t)bench->gpu.processors, &of->call.job);
    return of->call.instance != NULL && gemm_workspace_bytes(of->call.instance, &of->call.job) <= WORKSPACE_BYTES;
}

// The Triton kernel that takes least time for this shape, tried twice each.
static int choose_triton(struct bench *bench, struct gemm_contest *of, const struct triton *triton)
{
    float ms, least = INFINITY;
    int best = 0;
    for (int i = 0; i < 2 * triton->kernels; i++) {
        of->triton = &triton->kernel[i % triton->kernels];
        int error = (int)bench->gpu.driver.cuEventRecord(bench->event[0], NULL);
        if (error == CUDA_SUCCESS) error = start_triton(bench, of, 0);
        if (error == CUDA_SUCCESS) error = (int)bench->gpu.driver.cuEventRecord(bench->event[1], NULL);
        if (error == CUDA_SUCCESS) error = (int)bench->gpu.driver.cuCtxSynchronize();
        if (error == CUDA_SUCCESS)
            error = (int)bench->gpu.driver.cuEventElapsedTime_v2(&ms, bench->event[0], bench->event[1]);
        if (error != CUDA_SUCCESS) return error;
        if (i < triton->kernels || ms >= least) continue; // the first time it warms up
        least = ms;
        best = i % triton->kernels;
    }
    of->triton = &triton->kernel[best];
    return CUDA_SUCCESS;
}

static int run_sides(struct bench *bench, struct gemm_contest *of, const struct triton *triton, const char *name)
{
    const struct shape *s = of->shape;
    struct contest contest = {.name = name,
                              .unit = "TFLOP",
                              .ours = {of->call.instance->name, start_ours},
                              .theirs = {"cuBLASLt", start_cublas},
                              .context = of,
                              .sets = of->sets,
                              .work = 2e-12 * s->m * s->n * s->k,
                              .bar = s->bar};
    int error = contest_run(bench, &contest);
    if (error != CUDA_SUCCESS || of->type != GEMM_E4M3 || triton->kernels == 0 || s->kernel != ANY) return error;
    error = choose_triton(bench, of, triton);
    if (error != CUDA_SUCCESS) return error;
    contest.theirs = (struct bench_side){"Triton split-K", start_triton};
    contest.bar = 0;
    return contest_run(bench, &contest);
}

// Names a contest, and says whether it is wanted.
static int is_wanted(const struct bench *bench, const struct shape *shape, enum gemm_type type, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "gemm %s %ux%ux%u%s", type == GEMM_BF16 ? "bf16" : "e4m3", shape->m, shape->n, shape->k,
             shape->kernel == ANY ? "" : " ping-pong");
    return contest_wanted(bench, name);
}

// `of` has the opponents and the workspace.
static int run_shape(struct bench *bench, struct gemm_contest of, const struct triton *triton,
                     const struct shape *shape, enum gemm_type type, struct text *why)
{
    char name[NAME_BYTES];
    of.shape = shape;
    of.type = type;
    snprintf(name, sizeof name, "gemm %s %ux%ux%u%s", type == GEMM_BF16 ? "bf16" : "e4m3", shape->m, shape->n, shape->k,
             shape->kernel == ANY ? "" : " ping-pong");
    if (!contest_wanted(bench, name)) return CUDA_SUCCESS;
    if (!choose_ours(bench, &of)) {
        text_set(why, "%s: there is no instance for it", name);
        return -1;
    }
    of.call.pitch_bytes[0] = of.call.pitch_bytes[1] = shape->k * gemm_bytes(type);
    of.call.pitch_bytes[2] = shape->n * 2;
    int input = type == GEMM_BF16 ? CUDA_R_16BF : CUDA_R_8F_E4M3, error = CUDA_SUCCESS;
    if (cublas_plan(of.cublas, input, CUDA_R_16BF, shape->m, shape->n, shape->k, &of.plan) != 0) {
        text_set(why, "%s: cuBLASLt has no algorithm for it", name);
        return -1;
    }
    if (!make_buffers(&bench->gpu, &of)) error = CUDA_ERROR_OUT_OF_MEMORY;
    if (error == CUDA_SUCCESS) error = check(bench, &of, name, why);
    if (error == CUDA_SUCCESS) error = run_sides(bench, &of, triton, name);
    free_buffers(&bench->gpu, &of);
    return error;
}

static int run_shapes(struct bench *bench, const struct triton *triton, struct text *why)
{
    struct cublas cublas;
    struct gemm_contest of = {.cublas = &cublas};
    unsigned long long workspace = gpu_buffer(&bench->gpu, 0, CUBLAS_WORKSPACE_BYTES);
    of.workspace = gpu_buffer(&bench->gpu, 1, WORKSPACE_BYTES);
    if (workspace == 0 || of.workspace == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    if (!cublas_open(&cublas, workspace, why)) return -1;
    int error = (int)bench->gpu.driver.cuMemsetD8Async(of.workspace, 0, WORKSPACE_BYTES, NULL);
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < SHAPES && error == CUDA_SUCCESS; i++)
            error = run_shape(bench, of, triton, &shapes[i], t == 0 ? GEMM_BF16 : GEMM_E4M3, why);
    return error;
}

int bench_gemm(struct bench *bench, struct text *why)
{
    struct triton triton = {.kernels = 0};
    char name[NAME_BYTES];
    int wanted = 0;
    if (bench->triton != NULL && !triton_open(&triton, &bench->gpu, bench->triton, why)) return -1;
    for (size_t i = 0; i < SHAPES; i++)
        wanted += is_wanted(bench, &shapes[i], GEMM_BF16, name) + is_wanted(bench, &shapes[i], GEMM_E4M3, name);
    return wanted == 0 ? CUDA_SUCCESS : run_shapes(bench, &triton, why);
}
