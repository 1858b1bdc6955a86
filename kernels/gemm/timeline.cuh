// SPDX-License-Identifier: MIT
// Events of the timeline instances; without a timeline all of this compiles to nothing.
#ifndef TMAREF_GEMM_TIMELINE_CUH
#define TMAREF_GEMM_TIMELINE_CUH

#include "gemm_job.h"

// One recorder for each warpgroup; one thread of it records (`is_recorder`).
template <bool ON>
struct timeline {
    gemm_event *next, *end;

    __device__ __forceinline__ timeline(const gemm_job &job, uint32_t warpgroup, bool is_recorder)
    {
        if (!ON) return;
        uint32_t row = blockIdx.x * (1 + GEMM_CONSUMERS) + warpgroup;
        next = end = nullptr;
        if (!is_recorder || !job.timeline || blockIdx.x >= job.timeline_ctas) return;
        next = (gemm_event *)job.timeline + row * GEMM_EVENTS;
        end = next + GEMM_EVENTS;
        uint64_t nanoseconds;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
        *next++ = gemm_event{GEMM_EVENT_CLOCK, 0, 0, 0, (uint64_t)clock64(), nanoseconds};
    }

    __device__ __forceinline__ uint64_t now() const
    {
        return ON ? (uint64_t)clock64() : 0;
    }

    // The event `kind` that began at `start` ends now.
    __device__ __forceinline__ void record(gemm_event_kind kind, uint32_t tile, uint32_t stage, uint32_t phase,
                                           uint64_t start)
    {
        if (!ON || next == end) return;
        *next++ = gemm_event{(uint32_t)kind, tile, stage, phase, start, (uint64_t)clock64()};
    }
};

#endif
