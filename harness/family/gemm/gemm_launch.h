// SPDX-License-Identifier: MIT
// A launch of a GEMM kernel on device memory: its three tensor maps and its job, ready for gpu_launch(). For whoever
// has operands: the family's cases, `tmaref run`, the benchmark.
#ifndef TMAREF_GEMM_LAUNCH_H
#define TMAREF_GEMM_LAUNCH_H

#include "gemm/cp_async_job.h"
#include "gpu.h"
#include "tensormap.h"

// `address` and `pitch_bytes` of A, B and D (row-major, multiples of 16); `job` as gemm_job.h has it.
struct gemm_call {
    const struct gemm_instance *instance;
    struct gemm_job job;
    unsigned long long address[3];
    uint32_t pitch_bytes[3];
};

// What the launch points into: it must stay where it is until the launch.
struct gemm_launch {
    struct tensormap_image map[3];
    struct gemm_job job;
    struct cp_async_job cp_async; // of that kernel, in place of maps and job
    void *arguments[4];
    struct gpu_launch launch;
};

// Makes the maps of A, B and D; that of cp.async does without, and the model loads its blocks by them all the same.
//   returns  as gemm_launch_make()
enum rule gemm_maps_make(const struct gemm_call *call, struct tensormap_image map[3]);

// Makes the maps and the launch of `call` for a grid of at most `sms` CTAs.
//   returns  RULE_OK, or the first rule of the tensor maps that address, pitch or size breaks
enum rule gemm_launch_make(const struct gemm_call *call, uint32_t sms, struct gemm_launch *launch);

#endif
