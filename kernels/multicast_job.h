// SPDX-License-Identifier: MIT
// What the multicast kernel and the harness agree on: one job is the work of one cluster, up to 16 loads issued by its
// CTAs. Plain C, included by both.
#ifndef TMAREF_MULTICAST_JOB_H
#define TMAREF_MULTICAST_JOB_H

#include "load_job.h"

enum {
    MULTICAST_CTAS = 16,             // the largest cluster
    MULTICAST_ISSUES = 16,           // loads of one job
    MULTICAST_SHARED_BYTES = 203776, // dynamic shared memory of a CTA: less than the most, to see both of its ends
    MULTICAST_SHARED_END = LOAD_SHARED_START + MULTICAST_SHARED_BYTES,
    MULTICAST_THREADS = 128,
};

enum { MULTICAST_BULK = LOAD_IM2COL + 1 }; // the `mode` of a job beside LOAD_TILE and LOAD_IM2COL

// One load. CTA `issuer` issues it; `mask` is its ctaMask where `is_multicast`. `shared` and `barrier` are offsets in a
// CTA, `to_rank` and `barrier_rank` the CTAs that the two addresses name. Tensor loads take `coord` and `offset`, bulk
// copies `from` and `size_bytes`.
struct multicast_issue {
    uint32_t issuer, is_multicast, mask;
    uint32_t to_rank, barrier_rank;
    uint32_t shared;
    int32_t coord[5];
    uint16_t offset[4];
    uint32_t size_bytes;
    uint64_t from;
};

// Every CTA fills `window` .. `window_end` before and dumps it after; its barrier, at `barrier`, expects `expect[rank]`
// bytes. The output of a job begins at `output`: a barrier word for each CTA (an even number of words), then the
// windows in the order of the ranks. `settle`: the barriers will not tell when the bytes are there; wait for a fixed
// time. The size is a multiple of 64, as the maps want it.
struct multicast_job {
    uint64_t map[16];
    uint64_t output;
    uint32_t mode, dims;
    uint32_t window, window_end;
    uint32_t barrier, settle;
    uint32_t issues, unused[7];
    uint32_t expect[MULTICAST_CTAS];
    struct multicast_issue issue[MULTICAST_ISSUES];
};

#endif
