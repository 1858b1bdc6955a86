// SPDX-License-Identifier: MIT
// The only list of the mma.sync that sm_90a has and this model knows. Plain C, shared with the kernel: data rows.
#ifndef TMAREF_MMA_OP_H
#define TMAREF_MMA_OP_H

// ROW(X, m, n, k, D, A, B, d, a, b, tail, d_registers, a_registers, b_registers): X is handed through; the shape; the
// formats of D (and C), A, B as names in C and as PTX spells them; a name of enum mma_tail; how many registers each
// lane has of D, A and B (of 64 bits for f64, else of 32).
// source  PTX ISA 9.1 "mma" (#warp-level-matrix-instructions-mma): Supported shapes, data-types
// clang-format off
#define MMA_ROWS_HALF(ROW, X)                                                                                          \
    ROW(X, 16, 8, 8, F16, F16, F16, f16, f16, f16, PLAIN, 2, 2, 1)                                                     \
    ROW(X, 16, 8, 16, F16, F16, F16, f16, f16, f16, PLAIN, 2, 4, 2)                                                    \
    ROW(X, 16, 8, 8, F32, F16, F16, f32, f16, f16, PLAIN, 4, 2, 1)                                                     \
    ROW(X, 16, 8, 16, F32, F16, F16, f32, f16, f16, PLAIN, 4, 4, 2)                                                    \
    ROW(X, 16, 8, 8, F32, BF16, BF16, f32, bf16, bf16, PLAIN, 4, 2, 1)                                                 \
    ROW(X, 16, 8, 16, F32, BF16, BF16, f32, bf16, bf16, PLAIN, 4, 4, 2)                                                \
    ROW(X, 16, 8, 4, F32, TF32, TF32, f32, tf32, tf32, PLAIN, 4, 2, 1)                                                 \
    ROW(X, 16, 8, 8, F32, TF32, TF32, f32, tf32, tf32, PLAIN, 4, 4, 2)
#define MMA_FP8_PAIRS(ROW, X, k, D, d, nd, na, nb)                                                                     \
    ROW(X, 16, 8, k, D, E4M3, E4M3, d, e4m3, e4m3, PLAIN, nd, na, nb)                                                  \
    ROW(X, 16, 8, k, D, E4M3, E5M2, d, e4m3, e5m2, PLAIN, nd, na, nb)                                                  \
    ROW(X, 16, 8, k, D, E5M2, E4M3, d, e5m2, e4m3, PLAIN, nd, na, nb)                                                  \
    ROW(X, 16, 8, k, D, E5M2, E5M2, d, e5m2, e5m2, PLAIN, nd, na, nb)
#define MMA_ROWS_FP8(ROW, X)                                                                                           \
    MMA_FP8_PAIRS(ROW, X, 16, F16, f16, 2, 2, 1) MMA_FP8_PAIRS(ROW, X, 32, F16, f16, 2, 4, 2)                          \
    MMA_FP8_PAIRS(ROW, X, 16, F32, f32, 4, 2, 1) MMA_FP8_PAIRS(ROW, X, 32, F32, f32, 4, 4, 2)
#define MMA_PAIRS(ROW, X, S, U, s, u, m, k, tail, nd, na, nb)                                                          \
    ROW(X, m, 8, k, S32, S, S, s32, s, s, tail, nd, na, nb) ROW(X, m, 8, k, S32, S, U, s32, s, u, tail, nd, na, nb)    \
    ROW(X, m, 8, k, S32, U, S, s32, u, s, tail, nd, na, nb) ROW(X, m, 8, k, S32, U, U, s32, u, u, tail, nd, na, nb)
#define MMA_CLAMPS(ROW, X, S, U, s, u, m, k, nd, na, nb)                                                               \
    MMA_PAIRS(ROW, X, S, U, s, u, m, k, PLAIN, nd, na, nb) MMA_PAIRS(ROW, X, S, U, s, u, m, k, SATFINITE, nd, na, nb)
#define MMA_ROWS_INTEGER(ROW, X)                                                                                       \
    MMA_CLAMPS(ROW, X, S8, U8, s8, u8, 8, 16, 2, 1, 1) MMA_CLAMPS(ROW, X, S8, U8, s8, u8, 16, 16, 4, 2, 1)             \
    MMA_CLAMPS(ROW, X, S8, U8, s8, u8, 16, 32, 4, 4, 2) MMA_CLAMPS(ROW, X, S4, U4, s4, u4, 8, 32, 2, 1, 1)             \
    MMA_CLAMPS(ROW, X, S4, U4, s4, u4, 16, 32, 4, 2, 1) MMA_CLAMPS(ROW, X, S4, U4, s4, u4, 16, 64, 4, 4, 2)
#define MMA_POPC(ROW, X, m, k, nd, na, nb)                                                                             \
    ROW(X, m, 8, k, S32, B1, B1, s32, b1, b1, AND, nd, na, nb) ROW(X, m, 8, k, S32, B1, B1, s32, b1, b1, XOR, nd, na, nb)
#define MMA_ROWS_BIT(ROW, X)                                                                                           \
    MMA_POPC(ROW, X, 8, 128, 2, 1, 1) MMA_POPC(ROW, X, 16, 128, 4, 2, 1) MMA_POPC(ROW, X, 16, 256, 4, 4, 2)
#define MMA_ROWS_DOUBLE(ROW, X)                                                                                        \
    ROW(X, 8, 8, 4, F64, F64, F64, f64, f64, f64, PLAIN, 2, 1, 1)                                                      \
    ROW(X, 16, 8, 4, F64, F64, F64, f64, f64, f64, PLAIN, 4, 2, 1)                                                     \
    ROW(X, 16, 8, 8, F64, F64, F64, f64, f64, f64, PLAIN, 4, 4, 2)                                                     \
    ROW(X, 16, 8, 16, F64, F64, F64, f64, f64, f64, PLAIN, 4, 8, 4)
// mma.sp: the same columns; k is that of B, of A half as many elements are stored.
#define MMA_ROWS_SPARSE_FLOAT(ROW, X)                                                                                  \
    ROW(X, 16, 8, 16, F16, F16, F16, f16, f16, f16, PLAIN, 2, 2, 2)                                                    \
    ROW(X, 16, 8, 32, F16, F16, F16, f16, f16, f16, PLAIN, 2, 4, 4)                                                    \
    ROW(X, 16, 8, 16, F32, F16, F16, f32, f16, f16, PLAIN, 4, 2, 2)                                                    \
    ROW(X, 16, 8, 32, F32, F16, F16, f32, f16, f16, PLAIN, 4, 4, 4)                                                    \
    ROW(X, 16, 8, 16, F32, BF16, BF16, f32, bf16, bf16, PLAIN, 4, 2, 2)                                                \
    ROW(X, 16, 8, 32, F32, BF16, BF16, f32, bf16, bf16, PLAIN, 4, 4, 4)                                                \
    ROW(X, 16, 8, 8, F32, TF32, TF32, f32, tf32, tf32, PLAIN, 4, 2, 2)                                                 \
    ROW(X, 16, 8, 16, F32, TF32, TF32, f32, tf32, tf32, PLAIN, 4, 4, 4)                                                \
    MMA_FP8_PAIRS(ROW, X, 64, F32, f32, 4, 4, 4)
#define MMA_ROWS_SPARSE_INTEGER(ROW, X)                                                                                \
    MMA_CLAMPS(ROW, X, S8, U8, s8, u8, 16, 32, 4, 2, 2) MMA_CLAMPS(ROW, X, S8, U8, s8, u8, 16, 64, 4, 4, 4)            \
    MMA_CLAMPS(ROW, X, S4, U4, s4, u4, 16, 64, 4, 2, 2) MMA_CLAMPS(ROW, X, S4, U4, s4, u4, 16, 128, 4, 4, 4)
#define MMA_ROWS_SPARSE(ROW, X) MMA_ROWS_SPARSE_FLOAT(ROW, X) MMA_ROWS_SPARSE_INTEGER(ROW, X)
// clang-format on
#define MMA_ROWS_32(ROW, X) MMA_ROWS_HALF(ROW, X) MMA_ROWS_FP8(ROW, X) MMA_ROWS_INTEGER(ROW, X) MMA_ROWS_BIT(ROW, X)
#define MMA_ROWS(ROW, X)    MMA_ROWS_32(ROW, X) MMA_ROWS_DOUBLE(ROW, X)

// What stands in the instruction besides shape and formats, and in its name here behind them.
enum mma_tail { MMA_PLAIN, MMA_SATFINITE, MMA_AND, MMA_XOR };
#define MMA_NAME_PLAIN     ""
#define MMA_NAME_SATFINITE ".satfinite"
#define MMA_NAME_AND       ".and.popc"
#define MMA_NAME_XOR       ".xor.popc"

enum mma_form {
#define ROW(X, m, n, k, D, A, B, d, a, b, tail, nd, na, nb) MMA_M##m##K##k##_##D##_##A##_##B##_##tail,
    MMA_ROWS(ROW, )
#undef ROW
#define ROW(X, m, n, k, D, A, B, d, a, b, tail, nd, na, nb) MMA_SP_M##m##K##k##_##D##_##A##_##B##_##tail,
        MMA_ROWS_SPARSE(ROW, )
#undef ROW
            MMA_FORMS
};

enum { MMA_LANES = 32, MMA_MAX_REGISTERS = 8, MMA_MAX_M = 16, MMA_N = 8, MMA_MAX_SELECTORS = 4 };

#endif
