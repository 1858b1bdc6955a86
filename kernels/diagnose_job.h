// SPDX-License-Identifier: MIT
// What the kernel of wrong tiles and the harness agree on: one job is a few loads, and when the dump is taken. Plain C,
// included by both. The places in shared memory are those of load_job.h.
#ifndef TMAREF_DIAGNOSE_JOB_H
#define TMAREF_DIAGNOSE_JOB_H

#include "load_job.h"

enum { DIAGNOSE_MAX_LOADS = 4, DIAGNOSE_EARLIER_BARRIER = LOAD_BARRIER + 8 };

// One tensor load; `mode` as in load_job.h.
struct diagnose_job_load {
    uint64_t map[16];
    int32_t coord[5];
    int32_t dims;
    uint32_t shared, bytes;
    uint32_t mode;
    uint16_t offset[4];
    uint32_t unused[5]; // a map lies at a multiple of 64 bytes, in the next load and the next job too
};

// The first `earlier` of the `loads` loads are waited for, on a barrier of their own, before the others are issued.
// These signal the barrier that was told of `expect_bytes`. `clocks`: so long after the issue the dump is taken;
// negative: when the barrier's phase is complete, or, with `settle`, after a fixed time. Window, output and word as in
// load_job.h.
struct diagnose_job {
    struct diagnose_job_load load[DIAGNOSE_MAX_LOADS];
    uint32_t loads, earlier;
    uint32_t expect_bytes, settle;
    uint32_t window, window_end;
    int32_t clocks;
    uint32_t announce;
    uint64_t output;
    uint64_t unused[3];
};

#endif
