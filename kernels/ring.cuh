// SPDX-License-Identifier: MIT
// A ring of stages in shared memory, each with a barrier that says by its phase who may use it.
#ifndef TMAREF_RING_CUH
#define TMAREF_RING_CUH

#include <stdint.h>

// A place in a ring of stages, and the parity of how often it went round: that of the phase which a reader of the stage
// waits for. Who fills the stage waits for the other parity, which counts as complete at a new barrier.
struct ring_place {
    uint32_t stage = 0, phase = 0;

    __device__ __forceinline__ void advance(uint32_t stages)
    {
        if (++stage == stages) {
            stage = 0;
            phase ^= 1;
        }
    }

    __device__ __forceinline__ void skip(uint32_t count, uint32_t stages)
    {
        uint32_t next = stage + count;
        phase ^= next / stages & 1;
        stage = next % stages;
    }
};

#endif
