// SPDX-License-Identifier: MIT
// The fast GEMM kernels (kernels/gemm/) as one C function on device memory: the shared library libtmaref_gemm.so, which
// tmaref_gemm.py makes an operator of PyTorch.
#ifndef TMAREF_GEMM_H
#define TMAREF_GEMM_H

#include <stdint.h>

// Starts D[m][n] = A[m][k] * B[n][k]^T on a stream: by the kernel, tile, cluster and splits that gemm_choose() takes
// without a workspace.
//   device    ordinal; its primary context, which the CUDA runtime uses too, becomes the thread's current one
//   type      of A and B: "bf16", "f16", "e4m3" or "e5m2"; type_d: "f32", or "f16" for f16 and "bf16" for the others
//   a, b, d   row-major device memory, at multiples of 16 bytes; pitch_*: from row to row (bytes, multiples of 16, at
//             least a row). What lies between the rows of D up to the next multiple of 16 bytes is written too.
//   stream    a CUstream (cudaStream_t) of that context, NULL the default one
//   returns   0; the CUDA error; or -1 for what is wrong with the arguments. tmaref_gemm_error() says it in words.
// May be called by several threads. The first call of a kernel on a device loads its module.
int tmaref_gemm(int device, const char *type, const char *type_d, uint64_t m, uint64_t n, uint64_t k, uint64_t a,
                uint64_t pitch_a, uint64_t b, uint64_t pitch_b, uint64_t d, uint64_t pitch_d, void *stream);

// A sentence on this thread's last call that did not return 0.
const char *tmaref_gemm_error(void);

#endif
