// SPDX-License-Identifier: MIT
// The Triton opponent: kernels that triton_gemm.py compiled, loaded from the folder it wrote.
#ifndef TMAREF_TRITON_H
#define TMAREF_TRITON_H

#include "gpu.h"

enum { TRITON_MAX_KERNELS = 128, TRITON_SCRATCH = 2 }; // the latter a slot of gpu_buffer()

struct triton_kernel {
    struct CUfunc_st *function;
    char name[64];
    uint32_t tile_m, tile_n, splits, threads, shared_bytes;
    uint32_t is_persistent; // a CTA for each SM, not for each tile
};

struct triton {
    char version[32];
    struct triton_kernel kernel[TRITON_MAX_KERNELS];
    int kernels;
    unsigned long long scratch; // device memory in which CTAs make tensor maps
};

// Loads FOLDER/kernels.json and the cubins it names. Returns 0 with a sentence in `why` if one cannot be used.
int triton_open(struct triton *triton, struct gpu *gpu, const char *folder, struct text *why);

// Starts D[m, n] = A[m, k] * B[n, k]^T of e4m3 with D of bf16 (zeroed first where the kernel adds to it). Device
// addresses; returns 0 or the CUDA error.
struct triton_product {
    unsigned long long a, b, d;
    uint32_t m, n, k;
};
int triton_start(struct gpu *gpu, const struct triton *triton, const struct triton_kernel *kernel,
                 struct triton_product product);

#endif
