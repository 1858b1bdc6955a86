// SPDX-License-Identifier: MIT
// What an access to shared memory costs: each CTA takes jobs in turn; all its warps do the same access again and again,
// so many of them that the data path of shared memory is always busy, once for a few rounds and once for many. The
// difference in clocks, divided by the accesses, is the number of wavefronts.
#include <cuda_runtime.h>

#include "bank_job.h"

// One access, in PTX that the compiler neither drops nor joins. Each of a round has a register of its own: no load
// waits for the one before.
template <int bytes>
static __device__ void load(uint32_t at, uint4 &value)
{
    if constexpr (bytes == 1) asm volatile("ld.volatile.shared.u8 %0, [%1];" : "=r"(value.x) : "r"(at));
    if constexpr (bytes == 2)
        asm volatile("{.reg .u16 h; ld.volatile.shared.u16 h, [%1]; cvt.u32.u16 %0, h;}" : "=r"(value.x) : "r"(at));
    if constexpr (bytes == 4) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value.x) : "r"(at));
    if constexpr (bytes == 8)
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(value.x), "=r"(value.y) : "r"(at));
    if constexpr (bytes == 16)
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                     : "r"(at));
}

template <int bytes>
static __device__ void store(uint32_t at, const uint4 &value)
{
    if constexpr (bytes == 1) asm volatile("st.volatile.shared.u8 [%0], %1;" ::"r"(at), "r"(value.x) : "memory");
    if constexpr (bytes == 2)
        asm volatile("st.volatile.shared.u16 [%0], %1;" ::"r"(at), "h"((uint16_t)value.x) : "memory");
    if constexpr (bytes == 4) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(value.x) : "memory");
    if constexpr (bytes == 8)
        asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(at), "r"(value.x), "r"(value.y) : "memory");
    if constexpr (bytes == 16)
        asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(value.x), "r"(value.y),
                     "r"(value.z), "r"(value.w)
                     : "memory");
}

// `rounds` rounds of one lane.
template <int bytes, bool is_store>
static __device__ uint32_t access(uint32_t at, int rounds)
{
    uint4 value[BANK_UNROLLED] = {};
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < BANK_UNROLLED; i++) {
            if constexpr (is_store)
                store<bytes>(at, value[i]);
            else
                load<bytes>(at, value[i]);
        }
    }
    return value[BANK_UNROLLED - 1].x;
}

// Clocks from one block barrier to the next, with `rounds` rounds between them.
template <int bytes, bool is_store>
static __device__ uint32_t measure(const bank_job &job, uint32_t shared, int rounds)
{
    uint32_t lane = threadIdx.x % 32, at = shared + job.address[lane], value = 0;
    bool is_active = job.active >> lane & 1;
    __syncthreads();
    long long start = clock64();
    if (is_active) value = access<bytes, is_store>(at, rounds);
    __syncthreads();
    uint32_t clocks = (uint32_t)(clock64() - start);
    asm volatile("" ::"r"(value)); // the loaded values are wanted
    return clocks;
}

// The median of some tries: clocks vary by a hundredth or two to both sides, and now and then a try is interrupted.
template <int bytes, bool is_store>
static __device__ uint32_t median(const bank_job &job, uint32_t shared, int rounds)
{
    uint32_t sorted[BANK_TRIES];
    for (int count = 0; count < BANK_TRIES; count++) {
        uint32_t clocks = measure<bytes, is_store>(job, shared, rounds);
        int at = count;
        for (; at > 0 && sorted[at - 1] > clocks; at--) sorted[at] = sorted[at - 1];
        sorted[at] = clocks;
    }
    return sorted[BANK_TRIES / 2];
}

template <int bytes, bool is_store>
static __device__ void run(bank_job &job, uint32_t shared)
{
    uint32_t few = median<bytes, is_store>(job, shared, BANK_ROUNDS_A);
    uint32_t many = median<bytes, is_store>(job, shared, BANK_ROUNDS_B);
    if (threadIdx.x == 0) job.clocks = many - few;
}

template <bool is_store>
static __device__ void run_of_size(bank_job &job, uint32_t shared)
{
    switch (job.bytes) {
    case 1:
        run<1, is_store>(job, shared);
        break;
    case 2:
        run<2, is_store>(job, shared);
        break;
    case 4:
        run<4, is_store>(job, shared);
        break;
    case 8:
        run<8, is_store>(job, shared);
        break;
    case 16:
        run<16, is_store>(job, shared);
        break;
    }
}

extern "C" __global__ void __launch_bounds__(BANK_THREADS) bank_jobs(bank_job *jobs, int count)
{
    extern __shared__ __align__(1024) char dynamic[];
    uint32_t shared = (uint32_t)__cvta_generic_to_shared(dynamic);
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        if (jobs[i].is_store)
            run_of_size<true>(jobs[i], shared);
        else
            run_of_size<false>(jobs[i], shared);
        __syncthreads();
    }
}
