// SPDX-License-Identifier: MIT
// What the kernels of maps.cu and the harness agree on: a batch of tensors, each with a map that reaches the kernel in
// one of the article's ways. Plain C, included by both.
#ifndef TMAREF_MAPS_JOB_H
#define TMAREF_MAPS_JOB_H

#include <stdint.h>

enum {
    MAPS_BATCH = 4,           // tensors of a batch: one CTA each
    MAPS_SHARED_START = 1024, // first shared address of a CTA's own memory: the system keeps 1 KiB on sm_90
    MAPS_SHARED_BYTES = 101376,
    MAPS_SHARED_END = MAPS_SHARED_START + MAPS_SHARED_BYTES, // the barrier lies here, behind what boxes may have
    MAPS_BARRIER = MAPS_SHARED_END,
    MAPS_LAUNCH_BYTES = MAPS_SHARED_BYTES + 128, // dynamic shared memory of the launch
    MAPS_THREADS = 128,
    MAPS_RANK = 5,
};

// What a kernel needs to make a map; the fields of tensormap.replace, in its units: `rank` is less one, `elemtype` has
// the instruction's numbers. Entries past the rank are not read.
struct maps_fields {
    uint64_t address, stride[MAPS_RANK - 1];
    uint32_t rank, elemtype, interleave, swizzle, fill;
    uint32_t dim[MAPS_RANK], box[MAPS_RANK], estride[MAPS_RANK];
};

// What is done with a tensor: the box at `coord` is loaded to `shared`, 1 is added to each 32-bit word of the shared
// addresses `first` .. `end` - 1, and the box is stored where it was. Shared addresses `window` .. `window_end` - 1
// hold canaries before, and go to `dump` in the end; the map's 128 bytes as the CTA sees them go to `map`.
struct maps_task {
    int32_t coord[MAPS_RANK];
    int32_t dims;
    uint32_t shared, expect_bytes, first, end, window, window_end;
    uint64_t dump, map;
};

struct maps_tasks {
    struct maps_task task[MAPS_BATCH];
};

#ifdef __CUDACC__
#define MAPS_ALIGN alignas(64)
#else
#define MAPS_ALIGN _Alignas(64)
#endif

// The maps of a batch, in whatever memory; the alignment is that of a map.
struct maps_batch {
    MAPS_ALIGN uint64_t map[MAPS_BATCH][16];
};

// The 32-bit word at each shared address before the load, so that untouched bytes are seen.
#ifdef __CUDACC__
__device__
#endif
    static inline uint32_t
    maps_canary(uint32_t address)
{
    uint32_t x = (address / 4 + 1) * 0x9e3779b1u;
    return x ^ x >> 15;
}

#endif
