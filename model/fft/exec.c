// SPDX-License-Identifier: MIT
// The calls that transform: each becomes a job of its plan's stream.
#include "fft_grid.h"
#include "queue.h"

enum { FORWARD = -1, INVERSE = 1 };

static enum cufft_result check_memory(const char *call, const char *what, const void *at, size_t bytes)
{
    const char *fault = queue_memory_fault(at, bytes);
    if (fault == NULL) return CUFFT_SUCCESS;
    return fft_refuse(call, CUFFT_EXEC_FAILED, "%s: the %zu bytes from %p on %s", what, bytes, at, fault);
}

static enum cufft_result submit(const char *call, const struct grid_job *job)
{
    const struct fft_plan *plan = &job->plan;
    enum cufft_result error = CUFFT_SUCCESS;
    if (!queue_is_captured(plan->stream)) {
        error = check_memory(call, "the input", job->from, grid_bytes(plan, &plan->from));
        if (error == CUFFT_SUCCESS) error = check_memory(call, "the output", job->to, grid_bytes(plan, &plan->to));
    }
    if (error != CUFFT_SUCCESS) return error;
    const enum cuda_result refused = queue_run(plan->stream, grid_run, job, sizeof *job);
    if (refused == CUDA_SUCCESS) return CUFFT_SUCCESS;
    return fft_refuse(call, CUFFT_EXEC_FAILED, "the stream refuses work: CUDA error %d", (int)refused);
}

// A plan that is made; its direction counts only if both sides are complex.
static enum cufft_result execute(const char *call, struct grid_job *job)
{
    struct fft_plan *plan = &job->plan;
    if (job->from == NULL || job->to == NULL)
        return fft_refuse(call, CUFFT_INVALID_VALUE, "the %s is NULL", job->from == NULL ? "input" : "output");
    if (plan->from.is_complex != plan->to.is_complex)
        job->sign = plan->from.is_complex ? INVERSE : FORWARD;
    else if (job->sign != FORWARD && job->sign != INVERSE)
        return fft_refuse(call, CUFFT_INVALID_VALUE, "the direction is %d, neither CUFFT_FORWARD (-1) nor 1",
                          job->sign);
    if (plan->is_packed) grid_pack(plan, job->from == job->to);
    return submit(call, job);
}

static enum cufft_result execute_typed(const char *call, int handle, struct grid_job *job, enum number_type real,
                                       bool from_complex, bool to_complex)
{
    const enum cufft_result error = fft_plan_of(handle, call, &job->plan);
    const struct fft_side *from = &job->plan.from, *to = &job->plan.to;
    if (error != CUFFT_SUCCESS) return error;
    if (from->real != real || to->real != real || from->is_complex != from_complex || to->is_complex != to_complex)
        return fft_refuse(call, CUFFT_INVALID_TYPE, "the plan was made for another type of transform");
    return execute(call, job);
}

#define EXECUTE(name, real, from_complex, to_complex)                                                                  \
    FFT_VISIBLE enum cufft_result name(int handle, const void *from, void *to)                                         \
    {                                                                                                                  \
        struct grid_job job = {.from = from, .to = to};                                                                \
        return execute_typed(__func__, handle, &job, real, from_complex, to_complex);                                  \
    }
#define EXECUTE_BOTH_WAYS(name, real)                                                                                  \
    FFT_VISIBLE enum cufft_result name(int handle, const void *from, void *to, int direction)                          \
    {                                                                                                                  \
        struct grid_job job = {.from = from, .to = to, .sign = direction};                                             \
        return execute_typed(__func__, handle, &job, real, 1, 1);                                                      \
    }
EXECUTE_BOTH_WAYS(cufftExecC2C, CUDA_R_32F)
EXECUTE_BOTH_WAYS(cufftExecZ2Z, CUDA_R_64F)
EXECUTE(cufftExecR2C, CUDA_R_32F, 0, 1)
EXECUTE(cufftExecD2Z, CUDA_R_64F, 0, 1)
EXECUTE(cufftExecC2R, CUDA_R_32F, 1, 0)
EXECUTE(cufftExecZ2D, CUDA_R_64F, 1, 0)

FFT_VISIBLE enum cufft_result cufftXtExec(int handle, const void *from, void *to, int direction)
{
    struct grid_job job = {.from = from, .to = to, .sign = direction};
    const enum cufft_result error = fft_plan_of(handle, __func__, &job.plan);
    return error != CUFFT_SUCCESS ? error : execute(__func__, &job);
}
