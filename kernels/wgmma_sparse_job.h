// SPDX-License-Identifier: MIT
// The sparse instructions that are compiled; jobs are those of wgmma_job.h. Plain C, shared by kernel and harness.
#ifndef TMAREF_WGMMA_SPARSE_JOB_H
#define TMAREF_WGMMA_SPARSE_JOB_H

#include "wgmma_job.h"

// X(D, A, B, d, a, b, k, n, variant, selector): k is that of the dense instruction, half of this one's; variants are
// those of wgmma_job.h, `selector` is sp-sel. The nine N of the dense list over the variants, and of two types all N.
// clang-format off
#define WGMMA_SPARSE_SMALL_N(X, variant, selector, ...)                                                                \
    X(__VA_ARGS__, 8, variant, selector) X(__VA_ARGS__, 96, variant, selector)
#define WGMMA_SPARSE_LARGE_N(X, variant, selector, ...)                                                                \
    X(__VA_ARGS__, 24, variant, selector) X(__VA_ARGS__, 256, variant, selector)
#define WGMMA_SPARSE_ODD_N(X, variant, selector, ...)                                                                  \
    WGMMA_SPARSE_LARGE_N(X, variant, selector, __VA_ARGS__)                                                            \
    X(__VA_ARGS__, 8, variant, selector) X(__VA_ARGS__, 64, variant, selector) X(__VA_ARGS__, 128, variant, selector)
#define WGMMA_SPARSE_EVEN_N(X, variant, selector, ...)                                                                 \
    X(__VA_ARGS__, 16, variant, selector) X(__VA_ARGS__, 32, variant, selector)                                        \
    X(__VA_ARGS__, 96, variant, selector) X(__VA_ARGS__, 192, variant, selector)
#define WGMMA_SPARSE_PLAIN(X, ...) WGMMA_SPARSE_ODD_N(X, SS, 0, __VA_ARGS__) WGMMA_SPARSE_EVEN_N(X, RS, 0, __VA_ARGS__)
#define WGMMA_SPARSE_OTHER(X, ...) WGMMA_SPARSE_EVEN_N(X, SS, 1, __VA_ARGS__) WGMMA_SPARSE_SMALL_N(X, RS, 1, __VA_ARGS__)
#define WGMMA_SPARSE_SIGNS(X, ...)                                                                                     \
    X(__VA_ARGS__, 16, NA, 0) X(__VA_ARGS__, 16, NB, 0) X(__VA_ARGS__, 16, NN, 0)
#define WGMMA_SPARSE_MAJORS(X, ...)                                                                                    \
    WGMMA_SPARSE_SMALL_N(X, TA, 0, __VA_ARGS__) WGMMA_SPARSE_LARGE_N(X, TB, 1, __VA_ARGS__)                            \
    WGMMA_SPARSE_EVEN_N(X, TT, 0, __VA_ARGS__) WGMMA_SPARSE_LARGE_N(X, RT, 1, __VA_ARGS__)
#define WGMMA_SPARSE_CLAMPS(X, ...) WGMMA_SPARSE_EVEN_N(X, SF, 0, __VA_ARGS__) WGMMA_SPARSE_SMALL_N(X, RF, 0, __VA_ARGS__)

// All other N, of one float type and one integer type: those in steps of 16, which integers have too, and the rest.
#define WGMMA_SPARSE_REST_16(X, variant, selector, ...)                                                                \
    X(__VA_ARGS__, 48, variant, selector) X(__VA_ARGS__, 80, variant, selector) X(__VA_ARGS__, 112, variant, selector) \
    X(__VA_ARGS__, 144, variant, selector) X(__VA_ARGS__, 160, variant, selector)                                      \
    X(__VA_ARGS__, 176, variant, selector) X(__VA_ARGS__, 208, variant, selector)                                      \
    X(__VA_ARGS__, 224, variant, selector) X(__VA_ARGS__, 240, variant, selector)
#define WGMMA_SPARSE_REST_8(X, variant, selector, ...)                                                                 \
    X(__VA_ARGS__, 40, variant, selector) X(__VA_ARGS__, 56, variant, selector) X(__VA_ARGS__, 72, variant, selector)  \
    X(__VA_ARGS__, 88, variant, selector) X(__VA_ARGS__, 104, variant, selector) X(__VA_ARGS__, 120, variant, selector) \
    X(__VA_ARGS__, 136, variant, selector) X(__VA_ARGS__, 152, variant, selector)                                      \
    X(__VA_ARGS__, 168, variant, selector) X(__VA_ARGS__, 184, variant, selector)                                      \
    X(__VA_ARGS__, 200, variant, selector) X(__VA_ARGS__, 216, variant, selector)                                      \
    X(__VA_ARGS__, 232, variant, selector) X(__VA_ARGS__, 248, variant, selector)
#define WGMMA_SPARSE_REST(HALF, INTEGER)                                                                               \
    WGMMA_SPARSE_REST_16(HALF, SS, 1, F32, BF16, BF16, f32, bf16, bf16, 16)                                            \
    WGMMA_SPARSE_REST_8(HALF, SS, 1, F32, BF16, BF16, f32, bf16, bf16, 16)                                             \
    WGMMA_SPARSE_REST_16(INTEGER, SS, 0, S32, U8, S8, s32, u8, s8, 32)

#define WGMMA_SPARSE_INSTANCES(HALF, NARROW, INTEGER)                                                                  \
    WGMMA_ROWS_HALF(WGMMA_SPARSE_OF_HALF, HALF) WGMMA_ROWS_TF32(WGMMA_SPARSE_OF_TF32, NARROW)                          \
    WGMMA_ROWS_FP8(WGMMA_SPARSE_OF_FP8, NARROW) WGMMA_ROWS_INTEGER(WGMMA_SPARSE_OF_INTEGER, INTEGER)                   \
    WGMMA_SPARSE_REST(HALF, INTEGER)
#define WGMMA_SPARSE_OF_HALF(X, ...)                                                                                   \
    WGMMA_SPARSE_PLAIN(X, __VA_ARGS__) WGMMA_SPARSE_OTHER(X, __VA_ARGS__) WGMMA_SPARSE_SIGNS(X, __VA_ARGS__)           \
    WGMMA_SPARSE_MAJORS(X, __VA_ARGS__)
#define WGMMA_SPARSE_OF_TF32(X, ...)                                                                                   \
    WGMMA_SPARSE_PLAIN(X, __VA_ARGS__) WGMMA_SPARSE_OTHER(X, __VA_ARGS__) WGMMA_SPARSE_SIGNS(X, __VA_ARGS__)
#define WGMMA_SPARSE_OF_FP8(X, ...) WGMMA_SPARSE_PLAIN(X, __VA_ARGS__) WGMMA_SPARSE_SIGNS(X, __VA_ARGS__)
#define WGMMA_SPARSE_OF_INTEGER(X, ...) WGMMA_SPARSE_PLAIN(X, __VA_ARGS__) WGMMA_SPARSE_CLAMPS(X, __VA_ARGS__)
// clang-format on

// They are counted on from the dense ones.
enum wgmma_sparse_instance {
    WGMMA_SPARSE_INSTANCE_BEFORE = WGMMA_INSTANCE_COUNT - 1,
#define X(D, A, B, d, a, b, k, n, variant, selector)                                                                   \
    WGMMA_SPARSE_INSTANCE_##D##_##A##_##B##_##n##_##variant##_##selector,
    WGMMA_SPARSE_INSTANCES(X, X, X)
#undef X
        WGMMA_SPARSE_INSTANCE_END
};

#endif
