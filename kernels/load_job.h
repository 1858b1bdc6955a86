// SPDX-License-Identifier: MIT
// What the load kernel and the harness agree on: one job is one tensor load. Plain C, included by both.
#ifndef TMAREF_LOAD_JOB_H
#define TMAREF_LOAD_JOB_H

#include <stdint.h>

enum {
    LOAD_SHARED_START = 1024,   // first shared address of a CTA's own memory: the system keeps 1 KiB on sm_90
    LOAD_SHARED_BYTES = 232448, // dynamic shared memory of the launch, the most a block can have
    LOAD_SHARED_END = LOAD_SHARED_START + LOAD_SHARED_BYTES,
    LOAD_BARRIER = LOAD_SHARED_START,             // shared address of the mbarrier
    LOAD_WINDOW_START = LOAD_SHARED_START + 1024, // first address that a window may hold
    LOAD_THREADS = 128,
};

enum { LOAD_TILE, LOAD_IM2COL }; // values of `mode`

// `map` is a CUtensorMap, at a 64-byte boundary. `dims` is the .Nd of the instruction, `mode` LOAD_TILE or
// LOAD_IM2COL (3 to 5 dims), which alone takes `offset` (W, H, D). `shared` is the destination, `window` ..
// `window_end` the shared addresses that are filled before and dumped after (multiples of 16). `expect_bytes` goes to
// arrive.expect_tx. `settle`: the barrier will not tell when the bytes are there; wait for a fixed time instead.
// `output` is where the window goes in the output buffer, the barrier word 8 bytes before it.
struct load_job {
    uint64_t map[16];
    int32_t coord[5];
    int32_t dims;
    uint32_t shared, window, window_end;
    uint32_t expect_bytes, settle;
    uint32_t mode;
    uint64_t output;
    uint16_t offset[4];
};

// The 32-bit word at each shared address before the load, so that untouched bytes are seen.
#ifdef __CUDACC__
__device__
#endif
    static inline uint32_t
    load_canary(uint32_t address)
{
    uint32_t x = (address / 4 + 1) * 0x9e3779b1u;
    return x ^ x >> 15;
}

#endif
