// SPDX-License-Identifier: MIT
// wgmma.mma_async of the GEMM kernels: both operands in shared memory, K-major, swizzle 128B; f32 accumulators.
#ifndef TMAREF_GEMM_WGMMA_CUH
#define TMAREF_GEMM_WGMMA_CUH

#include "../device.cuh"
#include "gemm_job.h"
#include "registers.cuh"

// The types of operands.
#define OPERAND(name)                                                                                                  \
    struct name {                                                                                                      \
        static constexpr gemm_type TYPE = GEMM_TYPE_##name;                                                            \
    };
OPERAND(bf16)
OPERAND(f16)
OPERAND(e4m3)
OPERAND(e5m2)
OPERAND(f32)

// The descriptor of a block: rows of 128 bytes in groups of 8 (SBO 1024 bytes), swizzle 128B. Its low word is the start
// address in units of 16 bytes, to which offsets can be added.
static __device__ __forceinline__ uint64_t wgmma_descriptor(uint32_t address)
{
    return (uint64_t)1 << 62 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)(1 << 16) | (address & 0x3ffff) >> 4;
}

// multiply(d, a, b): d += a * b, a of 64 rows, b of N, 32 bytes of K.
template <class In, int N>
struct wgmma;

// clang-format off
#define TEXT_(a) #a
#define TEXT(a)  TEXT_(a)
#define WGMMA_OF(in, k, tail, n, c, a, b)                                                                              \
    template <>                                                                                                        \
    struct wgmma<in, n> {                                                                                              \
        static __device__ __forceinline__ void multiply(float (&d)[c], uint64_t desc_a, uint64_t desc_b)               \
        {                                                                                                              \
            asm volatile("{.reg .pred add;\n setp.eq.b32 add, 0, 0;\n"                                                 \
                         "wgmma.mma_async.sync.aligned.m64n" TEXT(n) "k" TEXT(k) ".f32." TEXT(in) "." TEXT(in)         \
                         " {" LIST_##c "}, %" TEXT(a) ", %" TEXT(b) ", add" tail ";}"                                  \
                         : REGISTERS_##c                                                                               \
                         : "l"(desc_a), "l"(desc_b)                                                                    \
                         : "memory");                                                                                  \
        }                                                                                                              \
    };
// clang-format on
#define WGMMA(n, c, a, b)                                                                                              \
    WGMMA_OF(bf16, 16, ", 1, 1, 0, 0", n, c, a, b)                                                                     \
    WGMMA_OF(f16, 16, ", 1, 1, 0, 0", n, c, a, b)                                                                      \
    WGMMA_OF(e4m3, 32, ", 1, 1", n, c, a, b)                                                                           \
    WGMMA_OF(e5m2, 32, ", 1, 1", n, c, a, b)
WGMMA(16, 8, 8, 9)
WGMMA(32, 16, 16, 17)
WGMMA(48, 24, 24, 25)
WGMMA(64, 32, 32, 33)
WGMMA(80, 40, 40, 41)
WGMMA(96, 48, 48, 49)
WGMMA(112, 56, 56, 57)
WGMMA(128, 64, 64, 65)
WGMMA(144, 72, 72, 73)
WGMMA(160, 80, 80, 81)
WGMMA(176, 88, 88, 89)
WGMMA(192, 96, 96, 97)
WGMMA(224, 112, 112, 113)
WGMMA(256, 128, 128, 129)

#endif
