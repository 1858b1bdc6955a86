// SPDX-License-Identifier: MIT
// The list of benchmarks.
#include "bench.h"

const struct bench_subject bench_subjects[] = {
    {"cluster", "distributed shared memory: histograms, attention", bench_cluster, false},
    {"copy", "TMA copies and pipelines, multicast", bench_copy, false},
    {"gemm", "GEMM against cuBLASLt and Triton", bench_gemm, false},
    {"latency", "clocks of single copies by size, loads and cluster barriers", bench_latency, false},
    {"model", "the model's wgmma against a plain matrix product in C; needs no GPU", bench_model, true},
    {"transpose", "transposed matrices, and tiles turned without bank conflicts", bench_transpose, false},
    {0},
};
