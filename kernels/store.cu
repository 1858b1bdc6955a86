// SPDX-License-Identifier: MIT
// Tiled and im2col stores and reductions: each CTA takes jobs in turn; fills the job's window of global memory and its source in
// shared memory, issues one instruction and waits for its bulk group. The host reads the windows back.
#include "../model/tma/reduce.h"
#include "store_job.h"
#include "tensor_copy.cuh"

template <int dims>
static __device__ void issue(const store_job &job, const int32_t (&coord)[dims], const void *source)
{
    const auto reduce = [&](auto op) {
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, op, job.map, coord, source);
    };
    switch (job.operation) {
    case 0:
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, job.map, coord, source);
        break;
    case 1 + REDUCE_ADD:
        reduce(ptx::op_add);
        break;
    case 1 + REDUCE_MIN:
        reduce(ptx::op_min);
        break;
    case 1 + REDUCE_MAX:
        reduce(ptx::op_max);
        break;
    case 1 + REDUCE_INC:
        reduce(ptx::op_inc);
        break;
    case 1 + REDUCE_DEC:
        reduce(ptx::op_dec);
        break;
    case 1 + REDUCE_AND:
        reduce(ptx::op_and_op);
        break;
    case 1 + REDUCE_OR:
        reduce(ptx::op_or_op);
        break;
    case 1 + REDUCE_XOR:
        reduce(ptx::op_xor_op);
        break;
    }
}

// cuda::ptx has no im2col stores: `name` is one, or a reduction, for each rank.
#define IM2COL_FORM(name, instruction, operation)                                                                      \
    static __device__ void name(const store_job &job, uint32_t source)                                                 \
    {                                                                                                                  \
        const int32_t *c = job.coord;                                                                                  \
        if (job.dims == 3)                                                                                             \
            asm volatile(instruction ".tensor.3d.global.shared::cta" operation ".im2col_no_offs.bulk_group "           \
                                     "[%0, {%1, %2, %3}], [%4];" ::"l"(job.map),                                       \
                         "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(source)                                                  \
                         : "memory");                                                                                  \
        if (job.dims == 4)                                                                                             \
            asm volatile(instruction ".tensor.4d.global.shared::cta" operation ".im2col_no_offs.bulk_group "           \
                                     "[%0, {%1, %2, %3, %4}], [%5];" ::"l"(job.map),                                   \
                         "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(source)                                       \
                         : "memory");                                                                                  \
        if (job.dims == 5)                                                                                             \
            asm volatile(instruction ".tensor.5d.global.shared::cta" operation ".im2col_no_offs.bulk_group "           \
                                     "[%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(job.map),                               \
                         "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(source)                            \
                         : "memory");                                                                                  \
    }
IM2COL_FORM(im2col_store, "cp.async.bulk", "")
IM2COL_FORM(im2col_add, "cp.reduce.async.bulk", ".add")
IM2COL_FORM(im2col_min, "cp.reduce.async.bulk", ".min")
IM2COL_FORM(im2col_max, "cp.reduce.async.bulk", ".max")
IM2COL_FORM(im2col_inc, "cp.reduce.async.bulk", ".inc")
IM2COL_FORM(im2col_dec, "cp.reduce.async.bulk", ".dec")
IM2COL_FORM(im2col_and, "cp.reduce.async.bulk", ".and")
IM2COL_FORM(im2col_or, "cp.reduce.async.bulk", ".or")
IM2COL_FORM(im2col_xor, "cp.reduce.async.bulk", ".xor")

static __device__ void issue_im2col(const store_job &job, const void *shared)
{
    uint32_t source = (uint32_t)__cvta_generic_to_shared(shared);
    switch (job.operation) {
    case 0: im2col_store(job, source); break;
    case 1 + REDUCE_ADD: im2col_add(job, source); break;
    case 1 + REDUCE_MIN: im2col_min(job, source); break;
    case 1 + REDUCE_MAX: im2col_max(job, source); break;
    case 1 + REDUCE_INC: im2col_inc(job, source); break;
    case 1 + REDUCE_DEC: im2col_dec(job, source); break;
    case 1 + REDUCE_AND: im2col_and(job, source); break;
    case 1 + REDUCE_OR: im2col_or(job, source); break;
    case 1 + REDUCE_XOR: im2col_xor(job, source); break;
    }
}

static __device__ void fill_both(const store_job &job, char *shared, char *window)
{
    fill(shared, job.filled, job.filled_end,
         [&](uint32_t at) { return store_pattern(job.shared_seed, job.data_type, at / 8); });
    fill(window, 0, job.window_bytes,
         [&](uint32_t at) { return store_pattern(job.window_seed, job.data_type, job.window_first + at / 8); });
    __threadfence();
    ptx::fence_proxy_async(); // both memories: the copy engine is another proxy
}

extern "C" __global__ void __launch_bounds__(STORE_THREADS) store_jobs(const store_job *jobs, int count, char *windows)
{
    extern __shared__ __align__(1024) char dynamic[];
    char *shared = shared_from_0(dynamic, STORE_SHARED_START);

    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        const store_job &job = jobs[i];
        fill_both(job, shared, windows + job.window);
        __syncthreads(); // all have filled
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async();
            ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, job.map, ptx::n32_t<128>());
            if (job.mode == STORE_IM2COL)
                issue_im2col(job, shared + job.shared);
            else
                with_coordinates(job.dims, job.coord, [&](auto &c) { issue(job, c, shared + job.shared); });
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
        }
        __syncthreads(); // the source may be filled again
    }
}
