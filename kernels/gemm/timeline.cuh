// SPDX-License-Identifier: MIT
// Who watches a role of the kernel, warpgroup by warpgroup: it is given each step of the role to do. `is_speaker`: one
// thread of the warpgroup speaks for it.
#ifndef TMAREF_GEMM_TIMELINE_CUH
#define TMAREF_GEMM_TIMELINE_CUH

#include "../ring.cuh"
#include "gemm_job.h"

// Nobody: a step is only done.
struct unwatched {
    __device__ __forceinline__ unwatched(const gemm_job &, uint32_t /*warpgroup*/, bool /*is_speaker*/)
    {
    }

    template <class Step>
    __device__ __forceinline__ void step(gemm_event_kind, uint32_t /*tile*/, const ring_place &, Step step)
    {
        step();
    }
};

// The timeline: an event says when a step began and ended.
struct timeline {
    gemm_event *next = nullptr, *end = nullptr;

    __device__ __forceinline__ timeline(const gemm_job &job, uint32_t warpgroup, bool is_speaker)
    {
        uint32_t row = blockIdx.x * (1 + GEMM_CONSUMERS) + warpgroup;
        if (!is_speaker || !job.timeline || blockIdx.x >= job.timeline_ctas) return;
        next = (gemm_event *)job.timeline + row * GEMM_EVENTS;
        end = next + GEMM_EVENTS;
        uint64_t nanoseconds;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
        *next++ = gemm_event{GEMM_EVENT_CLOCK, 0, 0, 0, (uint64_t)clock64(), nanoseconds};
    }

    template <class Step>
    __device__ __forceinline__ void step(gemm_event_kind kind, uint32_t tile, const ring_place &at, Step step)
    {
        uint64_t start = (uint64_t)clock64();
        step();
        if (next != end)
            *next++ = gemm_event{(uint32_t)kind, tile, at.stage, at.phase, start, (uint64_t)clock64()};
    }
};

#endif
