// SPDX-License-Identifier: MIT
#include "gemm_instance.h"

#include <stddef.h>

#include "gemm/cp_async_job.h"

static const struct gemm_instance instances[] = {
#define ROW(kernel, in, out, m, n, rows, columns, boxes)                                                               \
    {"gemm_" #kernel "_" #in "_" #out "_" #m "x" #n,                                                                   \
     KERNEL_##kernel,                                                                                                  \
     TYPE_##in,                                                                                                        \
     TYPE_##out,                                                                                                       \
     m,                                                                                                                \
     n,                                                                                                                \
     rows,                                                                                                             \
     columns,                                                                                                          \
     boxes},
#define KERNEL_pingpong           GEMM_PINGPONG
#define KERNEL_cooperative        GEMM_COOPERATIVE
#define KERNEL_split_k            GEMM_SPLIT_K
#define KERNEL_pingpong_turned    GEMM_PINGPONG_TURNED
#define KERNEL_cooperative_turned GEMM_COOPERATIVE_TURNED
#define KERNEL_turned             GEMM_TURNED
#define KERNEL_gather             GEMM_GATHER
#define KERNEL_cp_async           GEMM_CP_ASYNC
#define TYPE_bf16                 GEMM_BF16
#define TYPE_f16                  GEMM_F16
#define TYPE_e4m3                 GEMM_E4M3
#define TYPE_e5m2                 GEMM_E5M2
#define TYPE_f32                  GEMM_F32
    GEMM_INSTANCES(ROW) CP_ASYNC_INSTANCES(ROW)
#undef ROW
};

const char *const gemm_type_names[] = {"bf16", "f16", "e4m3", "e5m2", "f32", NULL};

const struct gemm_instance *gemm_instance_row(uint32_t instance)
{
    return &instances[instance];
}

uint32_t gemm_instance_count(void)
{
    return sizeof instances / sizeof instances[0];
}
