// SPDX-License-Identifier: MIT
// Family "gemm": D = A * B^T by the fast kernels. The result is D with what lies around it, and where the case asks for
// it the shared memory of CTA 0: its stages and its barriers.
#include <stdlib.h>

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
