// SPDX-License-Identifier: MIT
#include "gemm_launch.h"

#include "dtype.h"

static const char *const modules[] = {
    "gemm_pingpong", "gemm_pingpong_turned", "gemm_cooperative", "gemm_cooperative_turned",
    "gemm_split_k",  "gemm_turned",          "gemm_gather",      "gemm_cp_async"};

static enum dtype dtype_of(enum gemm_type type)
{
    static const enum dtype types[] = {DTYPE_BFLOAT16, DTYPE_FLOAT16, DTYPE_UINT8, DTYPE_UINT8, DTYPE_FLOAT32};
    return types[type];
}

// Rows that are no multiple of a line apart: of 256 bytes that are fetched for one of 128, much would be another row's.
static enum tensormap_l2_promotion promotion_of(uint64_t pitch_bytes)
{
    return pitch_bytes % GEMM_BLOCK_BYTES == 0 ? L2_PROMOTION_L2_256B : L2_PROMOTION_L2_128B;
}

// A matrix of `rows` rows of `columns` elements, in boxes of `box` (columns, rows).
static enum rule make_map(struct tensormap_image *map, enum gemm_type type, unsigned long long address,
                          const uint64_t dim[2], uint64_t pitch_bytes, const uint32_t box[2],
                          enum tensormap_swizzle swizzle)
{
    static const uint32_t estride[] = {1, 1};
    return tensormap_encode_tiled(map, dtype_of(type), 2, address, dim, &pitch_bytes, box, estride, INTERLEAVE_NONE,
                                  swizzle, promotion_of(pitch_bytes), OOB_FILL_ZERO, NULL);
}

enum rule gemm_maps_make(const struct gemm_call *call, struct tensormap_image map[3])
{
    const struct gemm_instance *i = call->instance;
    const struct gemm_job *job = &call->job;
    const uint64_t dim[3][2] = {{job->k, job->m}, {job->k, job->n}, {job->n, job->m}};
    const uint32_t columns_d = gemm_is_turned(i->kernel) ? GEMM_BOX_ROWS : gemm_box_columns(i);
    const uint32_t rows_d = gemm_is_turned(i->kernel) ? gemm_box_columns(i) : GEMM_BOX_ROWS;
    const uint32_t box[3][2] = {{gemm_block_k(i->in), gemm_box_a_rows(i->tile_m, job->cluster_n)},
                                {gemm_block_k(i->in), gemm_box_b_rows(i->tile_n, job->cluster_m)},
                                {columns_d, rows_d}};
    const uint32_t row_bytes = columns_d * gemm_bytes(i->out);
    const enum tensormap_swizzle of_d = row_bytes == 128 ? SWIZZLE_128B : row_bytes == 64 ? SWIZZLE_64B : SWIZZLE_32B;
    enum rule rule = RULE_OK;
    for (int m = 0; m < 3 && rule == RULE_OK; m++)
        rule = make_map(&map[m], m == 2 ? i->out : i->in, call->address[m], dim[m], call->pitch_bytes[m], box[m],
                        m == 2 ? of_d : SWIZZLE_128B);
    return rule;
}

// The kernel that takes pointers.
static void make_cp_async(const struct gemm_call *call, struct gemm_launch *launch)
{
    const struct gemm_job *job = &call->job;
    uint32_t rows = (job->m - 1) / call->instance->tile_m + 1, columns = (job->n - 1) / call->instance->tile_n + 1;
    launch->cp_async = (struct cp_async_job){.a = call->address[0],
                                             .b = call->address[1],
                                             .d = call->address[2],
                                             .dump = job->dump,
                                             .m = job->m,
                                             .n = job->n,
                                             .k = job->k,
                                             .stages = job->stages,
                                             .group = job->group};
    for (int i = 0; i < 3; i++) launch->cp_async.pitch_bytes[i] = call->pitch_bytes[i];
    launch->arguments[0] = &launch->cp_async;
    launch->launch = (struct gpu_launch){.module = modules[GEMM_CP_ASYNC],
                                         .kernel = call->instance->name,
                                         .grid = rows * columns,
                                         .block = CP_ASYNC_THREADS,
                                         .shared_bytes = cp_async_shared_bytes(job->stages),
                                         .arguments = launch->arguments};
}

enum rule gemm_launch_make(const struct gemm_call *call, uint32_t sms, struct gemm_launch *launch)
{
    if (call->instance->kernel == GEMM_CP_ASYNC) {
        make_cp_async(call, launch);
        return RULE_OK;
    }
    enum rule rule = gemm_maps_make(call, launch->map);
    uint32_t size = gemm_cluster_size(&call->job);
    launch->job = call->job;
    launch->job.a = call->address[0];
    launch->job.b = call->address[1];
    launch->job.pitch_a = call->pitch_bytes[0];
    launch->job.pitch_b = call->pitch_bytes[1];
    for (int i = 0; i < 3; i++) launch->arguments[i] = &launch->map[i];
    launch->arguments[3] = &launch->job;
    launch->launch = (struct gpu_launch){.module = modules[call->instance->kernel],
                                         .kernel = call->instance->name,
                                         .grid = gemm_grid(call->instance, &call->job, sms),
                                         .block = GEMM_THREADS,
                                         .cluster = size > 1 ? size : 0,
                                         .shared_bytes = gemm_shared_bytes(call->instance, call->job.stages),
                                         .is_programmatic = true,
                                         .arguments = launch->arguments};
    return rule;
}
