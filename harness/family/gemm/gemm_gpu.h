// SPDX-License-Identifier: MIT
// A case of the family "gemm" on a GPU: its operands in device memory, how long the kernel takes, what happens in it.
// All return 0 or the CUDA error.
#ifndef TMAREF_GEMM_GPU_H
#define TMAREF_GEMM_GPU_H

#include "gemm_case.h"
#include "gemm_launch.h"
#include "timeline.h"

enum { GEMM_EXTRA_BUFFER = 3, GEMM_WORKSPACE_BUFFER }; // the slots of gpu_buffer() behind those of A, B and D

// Fills A, B and D on the device and makes the call for them; `dump` and `timeline` of its job are 0.
int gemm_upload(struct gpu *gpu, const struct gemm_case *c, struct gemm_call *call);

// The most CTAs of the grid.
uint32_t gemm_sms(const struct gpu *gpu, const struct gemm_case *c);

// How long each of `rounds` launches takes, after some that do not count.
int gemm_time(struct gpu *gpu, const void *test_case, int rounds, float *milliseconds);

// What a launch has to do: two operations for each product.
double gemm_work(const void *test_case);

// Runs the timeline variant of the case's kernel and reads what CTA 0 did when, in clocks of its SM. `why` names the
// instances that have one if this has not (CUDA_ERROR_NOT_FOUND).
int gemm_timeline(struct gpu *gpu, const void *test_case, struct timeline *timeline, struct text *why);

#endif
