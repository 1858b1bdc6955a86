// SPDX-License-Identifier: MIT
// Family "ladder": one GEMM, five kernels, each one idea beyond the one before. What they compute is the same, and what
// every GEMM computes: the model is that of the family gemm. The result is D with its guards.
#include "field.h"
#include "gemm_gpu.h"
#include "ladder_case.h"
#include "rules/store.h"
#include "rules/wgmma.h"

static const struct ladder_row {
    const char *module, *kernel;
    uint32_t rows, boxes, stages, threads;
} steps[] = {
#define ROW(step, rows, boxes, stages, threads) {"ladder_" #step, "ladder_" #step, rows, boxes, stages, threads},
    LADDER_STEPS(ROW)
#undef ROW
};

#define NAME(step, rows, boxes, stages, threads) #step,
static const char *const step_names[] = {LADDER_STEPS(NAME) NULL};
#undef NAME

// --- The same GEMM as a case of the family gemm ----------------------------------------------------------------------

// A kernel of bf16 operands and f32 results that stores elements, not pieces of 16 bytes.
static uint32_t plain_instance(void)
{
    uint32_t i = 0;
    while (gemm_instance_row(i)->kernel != GEMM_CP_ASYNC || gemm_instance_row(i)->in != GEMM_BF16 ||
           gemm_instance_row(i)->out != GEMM_F32)
        i++;
    return i;
}

static struct gemm_case as_gemm(const struct ladder_case *c)
{
    struct gemm_case gemm = {
        .instance = plain_instance(), .m = c->m, .n = c->n, .k = c->k, .splits = 1, .seed = c->seed};
    gemm_least_pitch(&gemm);
    return gemm;
}

static uint32_t d_bytes(const struct ladder_case *c)
{
    const struct gemm_case gemm = as_gemm(c);
    return (uint32_t)gemm_operand_bytes(&gemm, GEMM_D);
}

static void ladder_windows(const void *test_case, struct result *result)
{
    result_window(result, "d", 0, d_bytes(test_case));
}

static void ladder_fill(const void *test_case, const struct result *result)
{
    const struct gemm_case gemm = as_gemm(test_case);
    gemm_fill(&gemm, GEMM_D, result->window[0].bytes);
}

static enum rule ladder_run_model(const void *test_case, struct result *result)
{
    const struct gemm_case gemm = as_gemm(test_case);
    if (!gemm_model(&gemm, result->window[0].bytes)) result->status = CUDA_ERROR_OUT_OF_MEMORY;
    return RULE_OK;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

// What a launch points to.
struct ladder_launch {
    struct tensormap_image map[2];
    struct ladder_job job;
    void *arguments[3];
    struct gpu_launch launch;
};

static enum rule make_map(const struct ladder_case *c, const struct gemm_call *call, int operand,
                          struct tensormap_image *map)
{
    static const uint32_t box[] = {LADDER_BLOCK, LADDER_TILE}, estride[] = {1, 1};
    const uint64_t dim[] = {c->k, operand == GEMM_A ? c->m : c->n}, pitch = call->pitch_bytes[operand];
    return tensormap_encode_tiled(map, DTYPE_BFLOAT16, 2, call->address[operand], dim, &pitch, box, estride,
                                  INTERLEAVE_NONE, SWIZZLE_128B, L2_PROMOTION_L2_128B, OOB_FILL_ZERO, NULL);
}

// At most `ctas` CTAs, which take one tile after the other.
static void make_persistent(struct gpu_launch *launch, uint32_t ctas)
{
    const uint32_t tiles = launch->grid * launch->grid_y;
    launch->grid = ctas < tiles ? ctas : tiles;
    launch->grid_y = 1;
}

// Uploads the operands and makes the launch. Returns 0 or the CUDA error.
static int prepare(struct gpu *gpu, const struct ladder_case *c, struct gemm_call *call, struct ladder_launch *l)
{
    const struct ladder_row *step = &steps[c->step];
    const struct gemm_case gemm = as_gemm(c);
    uint32_t rows = (c->m - 1) / step->rows + 1, columns = (c->n - 1) / LADDER_TILE + 1;
    int error = gemm_upload(gpu, &gemm, call);
    for (int i = 0; i < 2 && error == CUDA_SUCCESS; i++) error = rule_cuda_error(make_map(c, call, i, &l->map[i]));
    if (error != CUDA_SUCCESS) return error;
    l->job = (struct ladder_job){.d = call->address[GEMM_D],
                                 .m = c->m,
                                 .n = c->n,
                                 .k = c->k,
                                 .pitch = call->pitch_bytes[GEMM_D] / 4,
                                 .columns = columns};
    l->arguments[0] = &l->map[0];
    l->arguments[1] = &l->map[1];
    l->arguments[2] = &l->job;
    l->launch = (struct gpu_launch){.module = step->module,
                                    .kernel = step->kernel,
                                    .grid = columns,
                                    .grid_y = rows,
                                    .block = step->threads,
                                    .shared_bytes = step->stages * (step->boxes * LADDER_BOX_BYTES + 16),
                                    .arguments = l->arguments};
    if (c->step == LADDER_pingpong) make_persistent(&l->launch, c->ctas > 0 ? c->ctas : (uint32_t)gpu->processors);
    return CUDA_SUCCESS;
}

static int run_case(struct gpu *gpu, const struct ladder_case *c, struct result *result)
{
    struct ladder_launch launch;
    struct gemm_call call;
    int error = prepare(gpu, c, &call, &launch);
    if (error == CUDA_SUCCESS) error = gpu_launch(gpu, &launch.launch);
    if (error != CUDA_SUCCESS) return error;
    return (int)gpu->driver.cuMemcpyDtoH_v2(result->window[0].bytes, call.address[GEMM_D] - GEMM_GUARD_BYTES,
                                            d_bytes(c));
}

static int ladder_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    const struct ladder_case *c = cases;
    int error = CUDA_SUCCESS;
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++) error = run_case(gpu, &c[i], &results[i]);
    return error;
}

int ladder_time(struct gpu *gpu, const void *test_case, int rounds, float *milliseconds)
{
    struct ladder_launch launch;
    struct gemm_call call;
    int error = prepare(gpu, test_case, &call, &launch);
    return error == CUDA_SUCCESS ? gpu_time(gpu, &launch.launch, rounds, milliseconds) : error;
}

double ladder_work(const void *test_case)
{
    const struct ladder_case *c = test_case;
    return 2.0 * c->m * c->n * c->k;
}

// --- Cases -----------------------------------------------------------------------------------------------------------

static int is_pingpong(const void *test_case)
{
    return ((const struct ladder_case *)test_case)->step == LADDER_pingpong;
}

// Random cases have few tiles, so that the model is quick; sides around a tile's; k from less than a block to several
// rounds of every ring.
#define SIDE                                                                                                           \
    DRAWN({5, BETWEEN(1, 32)}, {3, BETWEEN(LADDER_TILE - 2, LADDER_TILE + 2)}, {2, BETWEEN(1, 4 * LADDER_TILE)})
#define CASE struct ladder_case
static const struct field field[] = {
    FIELD_ONE_OF("step", step, step_names, "the kernel"),
    FIELD_NUMBER("m", m, 1, LADDER_MAX_SIDE, "rows of A and D", SIDE),
    FIELD_NUMBER("n", n, 1, LADDER_MAX_SIDE, "rows of B, columns of D", SIDE),
    FIELD_NUMBER("k", k, 1, LADDER_MAX_SIDE, "columns of A and B",
                 DRAWN({80, BETWEEN(1, 3 * LADDER_BLOCK)}, {20, BETWEEN(1, 20 * LADDER_BLOCK)})),
    FIELD_NUMBER("ctas", ctas, 0, LADDER_MAX_CTAS, "how many CTAs share the tiles; 0: one for each multiprocessor",
                 .is_there = is_pingpong, .where = "step is pingpong", DRAWN({1, BETWEEN(1, 4)})),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE
#undef SIDE

enum rule ladder_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct ladder_case *c = test_case;
    const struct gemm_case gemm = as_gemm(c);
    uint32_t at = difference->at, pitch = gemm.pitch_bytes[GEMM_D];
    if (at < GEMM_GUARD_BYTES || at >= GEMM_GUARD_BYTES + c->m * pitch) {
        fprintf(out, "    D: %s it memory has changed\n", at < GEMM_GUARD_BYTES ? "before" : "behind");
        return RULE_STORE_BOUNDS;
    }
    uint32_t m = (at - GEMM_GUARD_BYTES) / pitch, n = (at - GEMM_GUARD_BYTES) % pitch / 4;
    fprintf(out, "    ladder_%s: D[%u][%u], row %u and column %u of its tile, the first element that differs\n",
            step_names[c->step], m, n, m % steps[c->step].rows, n % LADDER_TILE);
    return RULE_WGMMA_SUM;
}

const struct family family_ladder = {
    FAMILY_CASES("ladder", struct ladder_case, field),
    .summary = "a GEMM in five steps: load, double buffer, pipeline, cooperative, ping-pong; D bit for bit",
    .cost = 200,
    .windows = ladder_windows,
    .fill = ladder_fill,
    .run_model = ladder_run_model,
    .run_gpu = ladder_run_gpu,
    .kernels = "ladder_load ladder_double_buffer ladder_pipeline ladder_cooperative ladder_pingpong",
    .explain = ladder_explain,
};
