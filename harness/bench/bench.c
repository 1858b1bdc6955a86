// SPDX-License-Identifier: MIT
// The list of benchmarks.
#include "bench.h"

const struct bench_subject bench_subjects[] = {
    {"cluster", "distributed shared memory: histograms, attention", bench_cluster, 0},
    {"copy", "TMA copies and pipelines, multicast", bench_copy, 0},
    {"gemm", "GEMM against cuBLASLt and Triton", bench_gemm, 0},
    {"latency", "clocks of single copies by size, loads and cluster barriers", bench_latency, 0},
    {"model", "the model's wgmma against a plain matrix product in C; needs no GPU", bench_model, 1},
    {"transpose", "transposed matrices, and tiles turned without bank conflicts", bench_transpose, 0},
    {0},
};
