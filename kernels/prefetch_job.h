// SPDX-License-Identifier: MIT
// What the prefetch kernel and the harness agree on: one pipeline, and where a CTA keeps its stages. Plain C, included
// by both.
#ifndef TMAREF_PREFETCH_JOB_H
#define TMAREF_PREFETCH_JOB_H

#include <stdint.h>

enum {
    PREFETCH_MAX_STAGES = 16,
    PREFETCH_MAX_STORES = 7,        // stores in flight: an immediate of cp.async.bulk.wait_group
    PREFETCH_WORD_BYTES = 4,        // of an element, a u32
    PREFETCH_PITCH_BYTES = 128,     // stages start at multiples of it
    PREFETCH_GUARD_BYTES = 128,     // in front of the first stage, and behind the last
    PREFETCH_SHARED_START = 1024,   // first shared address of a CTA's own memory: the system keeps 1 KiB on sm_90
    PREFETCH_BARRIERS_BYTES = 128,  // the mbarriers, one a stage, lie in front of the first guard
    PREFETCH_SHARED_BYTES = 232448, // the most dynamic shared memory that a CTA may have
};

// Adds 1 to each u32 of `count_bytes` bytes at `source` and writes them to `destination`, which is `source` itself or
// elsewhere. CTA c takes batches c, c + CTAs, ... of `batch_bytes` bytes; the last batch may be shorter. `stages`
// batches are in shared memory; the stage of a batch is loaded again when `stores` (less than `stages`) later ones have
// been stored. `barriers` and `shared` are 0, or where each CTA's barrier words (8 bytes a stage, then to a multiple of
// 16) and its stages with their guards go in the end; then shared memory is filled before.
struct prefetch_job {
    uint64_t source, destination, count_bytes;
    uint64_t barriers, shared;
    uint32_t batch_bytes, stages, stores;
};

#ifdef __CUDACC__
#define PREFETCH_HOST_DEVICE __host__ __device__
#else
#define PREFETCH_HOST_DEVICE
#endif

// From one stage to the next.
PREFETCH_HOST_DEVICE static inline uint32_t prefetch_pitch(uint32_t batch_bytes)
{
    return (batch_bytes + PREFETCH_PITCH_BYTES - 1) / PREFETCH_PITCH_BYTES * PREFETCH_PITCH_BYTES;
}

// The stages of a CTA and their guards, and its barrier words, in the dump.
PREFETCH_HOST_DEVICE static inline uint32_t prefetch_stages_bytes(uint32_t batch_bytes, uint32_t stages)
{
    return 2 * PREFETCH_GUARD_BYTES + stages * prefetch_pitch(batch_bytes);
}

PREFETCH_HOST_DEVICE static inline uint32_t prefetch_words_bytes(uint32_t stages)
{
    return (stages + 1) / 2 * 16;
}

// Dynamic shared memory of the launch.
PREFETCH_HOST_DEVICE static inline uint32_t prefetch_shared_bytes(uint32_t batch_bytes, uint32_t stages)
{
    return PREFETCH_BARRIERS_BYTES + prefetch_stages_bytes(batch_bytes, stages);
}

// What the 4 bytes at `offset` of the guarded stages hold before the first load.
PREFETCH_HOST_DEVICE static inline uint32_t prefetch_canary(uint32_t offset)
{
    return 0xc0de0000u ^ offset;
}

#endif
