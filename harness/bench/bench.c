// SPDX-License-Identifier: MIT
// The list of benchmarks.
#include "bench.h"

#include "subjects.h"

const struct bench_subject bench_subjects[] = {
    {"cluster", "distributed shared memory: histograms, attention", bench_cluster},
    {"copy", "TMA copies and pipelines, multicast", bench_copy},
    {"gemm", "GEMM against cuBLASLt and Triton", bench_gemm},
    {"latency", "clocks of single copies by size, loads and cluster barriers", bench_latency},
    {"transpose", "transposed matrices, and tiles turned without bank conflicts", bench_transpose},
    {0},
};
