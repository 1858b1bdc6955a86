// SPDX-License-Identifier: MIT
#include "gemm_gpu.h"

#include <stdlib.h>
#include <string.h>

static int upload(struct gpu *gpu, const struct gemm_case *c, enum gemm_operand operand, uint8_t *bytes,
                  unsigned long long *address)
{
    size_t size_bytes = gemm_operand_bytes(c, operand);
    *address = gpu_buffer(gpu, (int)operand, size_bytes);
    if (*address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    gemm_fill(c, operand, bytes);
    return (int)gpu->driver.cuMemcpyHtoD_v2(*address, bytes, size_bytes);
}

// The workspace of a split; its counters begin as zeros.
static int make_workspace(struct gpu *gpu, struct gemm_call *call)
{
    static const uint32_t zeros[GEMM_COUNTERS];
    call->job.workspace = gpu_buffer(gpu, GEMM_WORKSPACE_BUFFER, gemm_workspace_bytes(call->instance, &call->job));
    if (call->job.workspace == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    return (int)gpu->driver.cuMemcpyHtoD_v2(call->job.workspace, zeros, sizeof zeros);
}

int gemm_upload(struct gpu *gpu, const struct gemm_case *c, struct gemm_call *call)
{
    size_t most = 0;
    *call = (struct gemm_call){.instance = gemm_instance_row(c->instance), .job = gemm_case_job(c)};
    for (int i = GEMM_A; i <= GEMM_D; i++) {
        size_t bytes = gemm_operand_bytes(c, (enum gemm_operand)i);
        if (bytes > most) most = bytes;
        call->pitch_bytes[i] = c->pitch_bytes[i];
    }
    uint8_t *bytes = malloc(most);
    int error = bytes == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
    for (int i = GEMM_A; i <= GEMM_D && error == CUDA_SUCCESS; i++)
        error = upload(gpu, c, (enum gemm_operand)i, bytes, &call->address[i]);
    call->address[GEMM_D] += GEMM_GUARD_BYTES;
    free(bytes);
    if (error == CUDA_SUCCESS && c->workspace) error = make_workspace(gpu, call);
    return error;
}

uint32_t gemm_sms(const struct gpu *gpu, const struct gemm_case *c)
{
    return c->ctas != 0 ? c->ctas : (uint32_t)gpu->processors;
}

double gemm_work(const void *test_case)
{
    const struct gemm_case *c = test_case;
    return 2.0 * c->m * c->n * c->k;
}

int gemm_time(struct gpu *gpu, const void *test_case, int rounds, float *milliseconds)
{
    struct gemm_launch launch;
    struct gemm_call call;
    int error = gemm_upload(gpu, test_case, &call);
    if (error != CUDA_SUCCESS) return error;
    if (gemm_launch_make(&call, gemm_sms(gpu, test_case), &launch) != RULE_OK) return CUDA_ERROR_INVALID_VALUE;
    return gpu_time(gpu, &launch.launch, rounds, milliseconds);
}
