// SPDX-License-Identifier: MIT
// Additions of floats bit for bit as an H200 makes them outside of its tensor cores, by the host's FPU in its default
// environment (see float_environment.h). Inline, so that loops over them become vector instructions: a float operation
// behind a condition would keep them from it, so numbers are put together by masks. For model/ alone.
#ifndef TMAREF_FLOAT_ADD_H
#define TMAREF_FLOAT_ADD_H

#include "float_bits.h"
#include "hopper.h"

// --- float32, float64 ------------------------------------------------------------------------------------------------

// Every NaN result is the one that NVIDIA calls canonical.
static inline uint32_t sum_f32(uint32_t a, uint32_t b)
{
    float sum = f32_of(a) + f32_of(b);
    return sum != sum ? HOPPER_F32_NAN : bits_of_f32(sum);
}

// Subnormals to the zero of their sign.
static inline uint32_t flush(uint32_t bits)
{
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

// Here NaNs pass as they are, signalling ones too; the source's wins. Only inf - inf makes a new one, a negative one.
static inline uint64_t sum_f64(uint64_t a, uint64_t b)
{
    const double x = f64_of(a), y = f64_of(b), sum = x + y;
    uint64_t bits = sum != sum ? HOPPER_F64_NAN : bits_of_f64(sum);
    bits = x != x ? a : bits;
    return y != y ? b : bits;
}

// --- float16, bfloat16 -----------------------------------------------------------------------------------------------
// A float32 has at least 2p + 2 bits of mantissa for both, and it holds their subnormal sums exactly, so that rounding
// the float32 sum once more gives what rounding the exact sum once gives.

enum {
    F32_INFINITY = 255 << 23,
    F16_REBIAS = 112 << 23, // from the exponents of float16 to those of float32
    F32_HALF = 126 << 23    // 0.5, whose last bit is 2^-24, the least of all float16
};

static inline uint32_t mask_if(int condition)
{
    return 0 - (uint32_t)condition;
}

static inline float float_of_f16(uint32_t half)
{
    uint32_t magnitude = half & 0x7fff, infinity = mask_if((int32_t)magnitude >= 0x7c00) & F32_INFINITY;
    return f32_of((half & 0x8000) << 16 | bits_of_f32(f32_of(magnitude << 13) * 0x1p112f) | infinity);
}

static inline uint32_t f16_of_float(float value)
{
    uint32_t bits = bits_of_f32(value), sign = bits >> 16 & 0x8000;
    int32_t magnitude = (int32_t)(bits & 0x7fffffff);
    uint32_t subnormal = bits_of_f32(f32_of((uint32_t)magnitude) + 0.5f) - F32_HALF;
    int32_t normal = (magnitude - F16_REBIAS + 0xfff + (magnitude >> 13 & 1)) >> 13;
    uint32_t is_subnormal = mask_if(magnitude < F16_REBIAS + (1 << 23)), is_nan = mask_if(magnitude > F32_INFINITY);
    uint32_t half = (uint32_t)(normal < 0x7c00 ? normal : 0x7c00);
    half = (subnormal & is_subnormal) | (half & ~is_subnormal);
    return half | (sign & ~is_nan) | (HOPPER_F16_NAN & is_nan);
}

static inline uint32_t sum_f16(uint32_t a, uint32_t b)
{
    return f16_of_float(float_of_f16(a) + float_of_f16(b));
}

// Bfloat16s as the high halves of float32s; of the result only the high half counts.
static inline uint32_t sum_bf16(uint32_t a, uint32_t b)
{
    float sum = f32_of(a) + f32_of(b);
    uint32_t bits = bits_of_f32(sum);
    return sum != sum ? (uint32_t)HOPPER_F16_NAN << 16 : bits + 0x7fff + (bits >> 16 & 1);
}

#endif
