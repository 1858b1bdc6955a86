// SPDX-License-Identifier: MIT
// The asynchronous pipeline of the GEMM kernels: a ring of stages in shared memory, for each a barrier `full`, which
// the loads complete, and a barrier `empty`, which the consumers complete. The producer acquires a stage (waits for
// `empty`) and commits to it (the loads signal `full`); a consumer waits for it (`full`) and releases it (`empty`).
#ifndef TMAREF_GEMM_PIPELINE_CUH
#define TMAREF_GEMM_PIPELINE_CUH

#include "../ring.cuh"
#include "barrier.cuh"

// A thread's place in the ring, and its patience: see wait_for().
struct pipeline_state : ring_place {
    uint32_t patience = WAIT_TRIES;
};

// `full` and `empty` are the shared addresses of the barriers of stage 0. `peer` is what `empty` is in the CTA that
// this lane tells of a release; lanes without one have is_peer false, and that of this CTA has is_own. `shares`: there
// are others than this CTA.
struct pipeline {
    uint32_t full, empty;
    uint32_t stages;
    uint32_t peer;
    bool is_peer, is_own, shares;

    // All that read the stage, here and in the CTAs that its loads go to, are done: TMA may write there again.
    __device__ __forceinline__ void acquire(pipeline_state &at) const
    {
        if (shares)
            mbarrier_wait_cluster(empty + 8 * at.stage, at.phase ^ 1, at.patience);
        else
            mbarrier_wait(empty + 8 * at.stage, at.phase ^ 1, at.patience);
    }

    // Announces the bytes of the loads that will signal the barrier returned.
    __device__ __forceinline__ uint32_t commit(const pipeline_state &at, uint32_t bytes) const
    {
        mbarrier_arrive_expect_tx(full + 8 * at.stage, bytes);
        return full + 8 * at.stage;
    }

    // The loads of the stage are there, for wgmma too: the same proxy wrote them.
    __device__ __forceinline__ void wait(pipeline_state &at) const
    {
        mbarrier_wait(full + 8 * at.stage, at.phase, at.patience);
    }

    // By all lanes of a warp whose wgmma have read the stage and are complete.
    __device__ __forceinline__ void release(uint32_t stage) const
    {
        if (is_own) mbarrier_arrive(empty + 8 * stage);
        if (is_peer && !is_own) arrive_remote(peer + 8 * stage);
    }

    // By a producer's warp that has every `step`-th stage from `first` on, at the end: all releases that peers send to
    // them have come. Nobody touches barriers of a CTA that has ended.
    __device__ __forceinline__ void drain(pipeline_state &at, uint32_t first, uint32_t step) const
    {
        for (uint32_t i = 0; i < stages; i++, at.advance(stages))
            if (at.stage % step == first) acquire(at);
        if (at.patience == 0) fail();
    }
};

#endif
