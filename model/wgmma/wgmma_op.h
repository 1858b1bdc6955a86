// SPDX-License-Identifier: MIT
// The only list of what a dense wgmma multiplies on sm_90a. Plain C, shared with the kernel: data rows, nothing else.
#ifndef TMAREF_WGMMA_OP_H
#define TMAREF_WGMMA_OP_H

// ROW(X, D, A, B, d, a, b, k): X is handed through; the formats of D, A, B as names in C and as PTX spells them, and
// the depth of one product. PTX ISA 9.1 "wgmma.mma_async"
// (#asynchronous-warpgroup-level-matrix-instructions-wgmma-mma): Data-types
#define WGMMA_ROWS_HALF(ROW, X)                                                                                        \
    ROW(X, F16, F16, F16, f16, f16, f16, 16)                                                                           \
    ROW(X, F32, F16, F16, f32, f16, f16, 16)                                                                           \
    ROW(X, F32, BF16, BF16, f32, bf16, bf16, 16)
#define WGMMA_ROWS_TF32(ROW, X) ROW(X, F32, TF32, TF32, f32, tf32, tf32, 8)
#define WGMMA_ROWS_FP8(ROW, X)                                                                                         \
    ROW(X, F16, E4M3, E4M3, f16, e4m3, e4m3, 32)                                                                       \
    ROW(X, F16, E4M3, E5M2, f16, e4m3, e5m2, 32)                                                                       \
    ROW(X, F16, E5M2, E4M3, f16, e5m2, e4m3, 32)                                                                       \
    ROW(X, F16, E5M2, E5M2, f16, e5m2, e5m2, 32)                                                                       \
    ROW(X, F32, E4M3, E4M3, f32, e4m3, e4m3, 32)                                                                       \
    ROW(X, F32, E4M3, E5M2, f32, e4m3, e5m2, 32)                                                                       \
    ROW(X, F32, E5M2, E4M3, f32, e5m2, e4m3, 32)                                                                       \
    ROW(X, F32, E5M2, E5M2, f32, e5m2, e5m2, 32)
#define WGMMA_ROWS_INTEGER(ROW, X)                                                                                     \
    ROW(X, S32, S8, S8, s32, s8, s8, 32)                                                                               \
    ROW(X, S32, S8, U8, s32, s8, u8, 32)                                                                               \
    ROW(X, S32, U8, S8, s32, u8, s8, 32)                                                                               \
    ROW(X, S32, U8, U8, s32, u8, u8, 32)
#define WGMMA_ROWS_NARROW(ROW, X) WGMMA_ROWS_TF32(ROW, X) WGMMA_ROWS_FP8(ROW, X)
#define WGMMA_ROWS_BIT(ROW, X)    ROW(X, S32, B1, B1, s32, b1, b1, 256)
#define WGMMA_ROWS(ROW, X)                                                                                             \
    WGMMA_ROWS_HALF(ROW, X) WGMMA_ROWS_NARROW(ROW, X) WGMMA_ROWS_INTEGER(ROW, X) WGMMA_ROWS_BIT(ROW, X)

enum wgmma_types {
#define ROW(X, D, A, B, d, a, b, k) WGMMA_##D##_##A##_##B,
    WGMMA_ROWS(ROW, )
#undef ROW
        WGMMA_TYPES_COUNT
};

enum { WGMMA_M = 64, WGMMA_MAX_N = 256, WGMMA_THREADS = 128, WGMMA_PARTS = 4, WGMMA_MAX_D = 128 };

#endif
