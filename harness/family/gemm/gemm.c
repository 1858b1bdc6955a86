// SPDX-License-Identifier: MIT
// Family "gemm": D = A * B^T by the fast kernels. The result is D with what lies around it, and where the case asks for
// it the shared memory of CTA 0: its stages and its barriers.
#include <stdlib.h>
#include <string.h>

#include "cuda_abi.h"
#include "family.h"
#include "gemm_case.h"
#include "gemm_gpu.h"

static uint32_t dump_bytes(const struct gemm_case *c)
{
    return c->dump ? gemm_dump_bytes(gemm_instance_row(c->instance), c->stages) : 0;
}

static void gemm_windows(const void *test_case, struct result *result)
{
    const struct gemm_case *c = test_case;
    result_window(result, "d", 0, (uint32_t)gemm_operand_bytes(c, GEMM_D));
    if (c->dump) result_window(result, "shared", GEMM_SHARED_START, dump_bytes(c));
}

// --- The model -------------------------------------------------------------------------------------------------------

static enum rule gemm_run_model(const void *test_case, struct result *result)
{
    const struct gemm_case *c = test_case;
    gemm_fill(c, GEMM_D, result->window[0].bytes);
    if (!gemm_model(c, result->window[0].bytes) || (c->dump && !gemm_model_dump(c, result->window[1].bytes)))
        result->status = CUDA_ERROR_OUT_OF_MEMORY;
    return RULE_OK;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

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

static int run_case(struct gpu *gpu, const struct gemm_case *c, struct result *result)
{
    struct gemm_launch launch;
    struct gemm_call call;
    uint32_t d_bytes = (uint32_t)gemm_operand_bytes(c, GEMM_D), shared_bytes = dump_bytes(c);
    uint8_t *d = result->window[0].bytes, *dump = shared_bytes > 0 ? result->window[1].bytes : NULL;
    int error = gemm_upload(gpu, c, &call);
    if (error != CUDA_SUCCESS) return error;
    if (dump != NULL && (call.job.dump = gpu_buffer(gpu, GEMM_EXTRA_BUFFER, shared_bytes)) == 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    result->rule = gemm_launch_make(&call, gemm_sms(gpu, c), &launch);
    result->status = rule_cuda_error(result->rule);
    if (result->rule == RULE_OK) error = gpu_launch(gpu, &launch.launch);
    if (error == CUDA_SUCCESS)
        error = (int)gpu->driver.cuMemcpyDtoH_v2(d, call.address[GEMM_D] - GEMM_GUARD_BYTES, d_bytes);
    if (error == CUDA_SUCCESS && dump != NULL)
        error = (int)gpu->driver.cuMemcpyDtoH_v2(dump, call.job.dump, shared_bytes);
    return error;
}

static int gemm_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    const struct gemm_case *c = cases;
    int error = CUDA_SUCCESS;
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++) error = run_case(gpu, &c[i], &results[i]);
    return error;
}

const struct family family_gemm = {
    .name = "gemm",
    .summary =
        "GEMM kernels: ping-pong, cooperative, split-K, gathering, cp.async; D bit for bit, and the stages of CTA 0",
    .case_bytes = sizeof(struct gemm_case),
    .cost = 100,
    .generate = gemm_generate,
    .fields = &gemm_fields,
    .windows = gemm_windows,
    .run_model = gemm_run_model,
    .run_gpu = gemm_run_gpu,
    .kernels = "gemm_pingpong gemm_pingpong_turned gemm_cooperative gemm_cooperative_turned gemm_split_k gemm_turned "
               "gemm_gather gemm_cp_async",
    .explain = gemm_explain,
};
