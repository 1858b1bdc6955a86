// SPDX-License-Identifier: MIT
// mbarriers, named barriers and the cluster's barrier, as the GEMM kernels use them: by their shared addresses, which
// have room in one register. What is weaker than PTX asks, and why: docs/kernels/synchronisation.md.
#ifndef TMAREF_GEMM_BARRIER_CUH
#define TMAREF_GEMM_BARRIER_CUH

#include "../device.cuh"

// How often a thread still tries while it waits: nothing here takes that long. A wait that is given up ends, and so do
// at once all later ones of the thread; what it computes is worth nothing, and fail() says so when its work is over.
static constexpr uint32_t WAIT_TRIES = 1 << 20;

// The launch fails (CUDA_ERROR_LAUNCH_FAILED). A function of its own, and not called in a loop: with the trap inlined,
// ptxas 13.0 leaves the consumers only the registers that the kernel starts with, not those of their setmaxnreg; with a
// call in the loops that wait, it takes their addresses out of the uniform registers.
static __device__ __noinline__ void fail()
{
    asm volatile("trap;");
}

static __device__ __forceinline__ void mbarrier_init(uint32_t barrier, uint32_t arrivals)
{
    ptx::mbarrier_init(at_shared(barrier), arrivals);
}

// Makes the initialised barriers visible to the cluster (with the cluster's barrier behind it) and to TMA.
static __device__ __forceinline__ void mbarrier_init_fence()
{
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::fence_proxy_async(ptx::space_shared);
}

// Releases nothing: the loads that it announces are issued behind it.
static __device__ __forceinline__ void mbarrier_arrive_expect_tx(uint32_t barrier, uint32_t bytes)
{
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, at_shared(barrier), bytes);
}

// On a barrier of this CTA: releases what the thread did before to who waits for the phase here.
static __device__ __forceinline__ void mbarrier_arrive(uint32_t barrier)
{
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, at_shared(barrier));
}

// Until a try succeeds, or `patience` of them have not; then it is 0.
template <class Try>
static __device__ __forceinline__ void wait_for(uint32_t &patience, Try try_once)
{
    uint32_t tries = 0;
    bool done = try_once();
    while (!done && tries < patience) {
        done = try_once();
        tries++;
    }
    if (!done) patience = 0;
}

// Acquires what this CTA's threads released, and what the copies of the phase wrote.
static __device__ __forceinline__ void mbarrier_wait(uint32_t barrier, uint32_t parity, uint32_t &patience)
{
    wait_for(patience, [&] {
        return ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, at_shared(barrier), parity);
    });
}

// The same for what other CTAs of the cluster released.
static __device__ __forceinline__ void mbarrier_wait_cluster(uint32_t barrier, uint32_t parity, uint32_t &patience)
{
    wait_for(patience, [&] {
        return ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, at_shared(barrier), parity);
    });
}

// Named barriers order the memory of the threads that take part, in the CTA.
static __device__ __forceinline__ void named_barrier_sync(uint32_t barrier, uint32_t threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

static __device__ __forceinline__ void named_barrier_arrive(uint32_t barrier, uint32_t threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// True in all of them if `mine` is in one. By the vote ptxas knows that warps do not part here, and keeps what follows in
// uniform registers.
static __device__ __forceinline__ bool named_barrier_any(uint32_t barrier, uint32_t threads, bool mine)
{
    uint32_t any;
    asm volatile("{.reg .pred p, q;\n"
                 "setp.ne.u32 p, %3, 0;\n"
                 "bar.red.or.pred q, %1, %2, p;\n"
                 "selp.b32 %0, 1, 0, q;}"
                 : "=r"(any)
                 : "r"(barrier), "r"(threads), "r"((uint32_t)mine)
                 : "memory");
    return __any_sync(0xffffffff, any);
}

// All threads of the cluster; of the CTA in a launch without one. What each did before is over for all the others.
static __device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

// The same, but it releases only what a fence in front of it does: with .release there is a MEMBAR of the whole GPU.
static __device__ __forceinline__ void cluster_sync_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

// In a launch with programmatic stream serialization the kernel may start before the one in front of it is done: this
// waits until that one is. In other launches it does nothing.
static __device__ __forceinline__ void wait_for_launch_before()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

// Lets the next such launch start where SMs get free, as soon as all CTAs of this one have called it: it sets itself up
// while this one works, or waits for the one before.
static __device__ __forceinline__ void let_next_launch_begin()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

#endif
