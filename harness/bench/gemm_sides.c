// SPDX-License-Identifier: MIT
#include "gemm_sides.h"

#include "data.h"
#include "gemm_instance.h"

// Together the sets are at least so large, if MOST_SETS are: the L2 cache has 60 MB.
#define ROTATED_BYTES ((size_t)256 << 20)
enum { MOST_SETS = 64, PIECE = 256 };

static size_t round_up(size_t bytes)
{
    return (bytes + PIECE - 1) / PIECE * PIECE;
}

static size_t a_bytes(const struct gemm_shape *s)
{
    return round_up((size_t)s->m * s->k * gemm_bytes(s->type));
}

static size_t b_bytes(const struct gemm_shape *s)
{
    return round_up((size_t)s->n * s->k * gemm_bytes(s->type));
}

// --- Memory ----------------------------------------------------------------------------------------------------------

int gemm_memory_new(struct gpu *gpu, enum gemm_type type, size_t most_ab, size_t most_d, struct gemm_memory *memory)
{
    *memory = (struct gemm_memory){.numbers_bytes = 2 * (most_ab + 2 * PIECE), .d_bytes = most_d};
    if (memory->numbers_bytes < ROTATED_BYTES) memory->numbers_bytes = ROTATED_BYTES;
    memory->numbers =
        data_new(gpu, type == GEMM_BF16 ? DATA_BF16 : DATA_E4M3, round_up(memory->numbers_bytes), (uint64_t)type);
    for (int i = 0; i < 2; i++) {
        memory->d[i] = data_new(gpu, DATA_BYTES, most_d, 1000);
        memory->workspace[i] = gpu_buffer(gpu, i, CUBLAS_WORKSPACE_BYTES);
        if (memory->numbers == 0 || memory->d[i] == 0 || memory->workspace[i] == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return (int)gpu->driver.cuMemsetD8Async(memory->workspace[0], 0, CUBLAS_WORKSPACE_BYTES, gpu->stream);
}

void gemm_memory_free(struct gpu *gpu, struct gemm_memory *memory)
{
    data_free(gpu, memory->numbers);
    data_free(gpu, memory->d[0]);
    data_free(gpu, memory->d[1]);
}

int gemm_sides_open(struct gemm_sides *sides, const struct gemm_memory *memory, const struct gemm_shape *shape)
{
    size_t pair = a_bytes(shape) + b_bytes(shape), sets = ROTATED_BYTES / pair + 1;
    sides->shape = *shape;
    sides->memory = memory;
    if (sets > MOST_SETS) sets = MOST_SETS;
    if (sets < 2) sets = 2;
    if (sides->is_warm) sets = 1;
    if (sets * pair > memory->numbers_bytes) sets = memory->numbers_bytes / pair;
    sides->sets = (int)sets;
    sides->call.pitch_bytes[0] = sides->call.pitch_bytes[1] = shape->k * gemm_bytes(shape->type);
    sides->call.pitch_bytes[2] = shape->n * 2;
    return cublas_plan(sides->cublas, shape->type == GEMM_BF16 ? CUDA_R_16BF : CUDA_R_8F_E4M3, CUDA_R_16BF, shape->m,
                       shape->n, shape->k, &sides->plan);
}

void gemm_sides_close(struct gemm_sides *sides)
{
    cublas_plan_free(sides->cublas, &sides->plan);
}

struct contest gemm_sides_contest(struct gemm_sides *sides, const char *name)
{
    const struct gemm_shape *s = &sides->shape;
    return (struct contest){.name = name,
                            .unit = "TFLOP",
                            .ours = {sides->call.instance != NULL ? sides->call.instance->name : "?", gemm_start_ours},
                            .theirs = {"cuBLASLt", gemm_start_cublas},
                            .context = sides,
                            .sets = sides->sets,
                            .before = sides->before,
                            .before_ms = sides->before_ms,
                            .work = 2e-12 * s->m * s->n * s->k};
}

// --- The sides -------------------------------------------------------------------------------------------------------

static unsigned long long a_of(const struct gemm_sides *sides, int set)
{
    return sides->memory->numbers + (size_t)set * (a_bytes(&sides->shape) + b_bytes(&sides->shape));
}

static unsigned long long b_of(const struct gemm_sides *sides, int set)
{
    return a_of(sides, set) + a_bytes(&sides->shape);
}

int gemm_start_ours(struct bench *bench, void *context, int set)
{
    struct gemm_sides *sides = context;
    struct gemm_launch launch;
    sides->last_set[0] = set;
    sides->call.address[0] = a_of(sides, set);
    sides->call.address[1] = b_of(sides, set);
    sides->call.address[2] = sides->memory->d[0];
    if (gemm_launch_make(&sides->call, (uint32_t)bench->gpu.processors, &launch) != RULE_OK)
        return CUDA_ERROR_INVALID_VALUE;
    return gpu_start(&bench->gpu, &launch.launch);
}

int gemm_start_cublas(struct bench *bench, void *context, int set)
{
    struct gemm_sides *sides = context;
    sides->last_set[1] = set;
    int status = cublas_start(sides->cublas, &sides->plan, a_of(sides, set), b_of(sides, set), sides->memory->d[1],
                              bench->gpu.stream);
    return status == 0 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

int gemm_start_triton(struct bench *bench, void *context, int set)
{
    struct gemm_sides *sides = context;
    const struct gemm_shape *s = &sides->shape;
    sides->last_set[1] = set;
    const struct triton_product product = {a_of(sides, set), b_of(sides, set), sides->memory->d[1], s->m, s->n, s->k};
    return triton_start(&bench->gpu, sides->triton, sides->triton_kernel, product);
}
