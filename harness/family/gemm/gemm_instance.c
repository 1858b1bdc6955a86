// SPDX-License-Identifier: MIT
#include "gemm_instance.h"

#include <stddef.h>

#include "gemm/cp_async_job.h"

static const struct gemm_instance instances[] = {
#define ROW(kernel, in, out, m, n, rows, columns, boxes, pace)                                                         \
    {"gemm_" #kernel "_" #in "_" #out "_" #m "x" #n,                                                                   \
     GEMM_KERNEL_##kernel,                                                                                             \
     GEMM_TYPE_##in,                                                                                                   \
     GEMM_TYPE_##out,                                                                                                  \
     m,                                                                                                                \
     n,                                                                                                                \
     rows,                                                                                                             \
     columns,                                                                                                          \
     boxes,                                                                                                            \
     pace},
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
