// SPDX-License-Identifier: MIT
// Floating-point arithmetic of the host in one of four rounding modes, with subnormals or without: the mode is set
// around a loop over memory, if it is not the one of alu_environment_enter(), and put back. x86-64 has all that a GPU
// does: it finds a result tiny after rounding, too. Elsewhere the C library sets the mode, and loops flush.
#ifndef TMAREF_ALU_ENVIRONMENT_H
#define TMAREF_ALU_ENVIRONMENT_H

#include "float_bits.h"
#include "lanes_loop.h"

#if defined __x86_64__
#include <stdbool.h>
#include <xmmintrin.h>

enum { MXCSR_PLAIN = 0x1f80, MXCSR_DOWN = 0x2000, MXCSR_UP = 0x4000, MXCSR_FLUSH = 0x8040 };

struct environment {
    unsigned inside;
};

LANE_INLINE unsigned mxcsr_of(enum ptx_word round, int flush)
{
    unsigned mode = round == PTX_RM ? MXCSR_DOWN : round == PTX_RP ? MXCSR_UP : 0;
    if (round == PTX_RZ) mode = MXCSR_DOWN | MXCSR_UP;
    return MXCSR_PLAIN | mode | (flush ? MXCSR_FLUSH : 0);
}

// `lanes` is where results go: nothing is written to it before, nor read of it after, in the other environment.
LANE_INLINE struct environment environment_enter(enum ptx_word round, int flush, void *lanes)
{
    struct environment environment = {mxcsr_of(round, flush)};
    if (environment.inside != MXCSR_PLAIN) _mm_setcsr(environment.inside);
    __asm__ volatile("" : : "r"(lanes) : "memory");
    return environment;
}

LANE_INLINE void environment_leave(struct environment environment, void *lanes)
{
    __asm__ volatile("" : : "r"(lanes) : "memory");
    if (environment.inside != MXCSR_PLAIN) _mm_setcsr(MXCSR_PLAIN);
}

#define HOST_FLUSHES 1

#else
struct environment {
    int inside;
};

LANE_INLINE struct environment environment_enter(enum ptx_word round, int flush, void *lanes)
{
    struct environment environment = {round == PTX_RM   ? FE_DOWNWARD
                                      : round == PTX_RP ? FE_UPWARD
                                      : round == PTX_RZ ? FE_TOWARDZERO
                                                        : FE_TONEAREST};
    (void)flush;
    if (environment.inside != FE_TONEAREST) fesetround(environment.inside);
    __asm__ volatile("" : : "r"(lanes) : "memory");
    return environment;
}

LANE_INLINE void environment_leave(struct environment environment, void *lanes)
{
    __asm__ volatile("" : : "r"(lanes) : "memory");
    if (environment.inside != FE_TONEAREST) fesetround(FE_TONEAREST);
}

#define HOST_FLUSHES 0
#endif

// --- Bits of floats --------------------------------------------------------------------------------------------------

// What the hardware makes of every NaN of f32.
#define F32_NAN     0x7fffffffu
#define F32_ONE     0x3f800000u
#define F64_INF     0x7ff0000000000000u
#define F64_SIGN    0x8000000000000000u
#define F64_INVALID 0xfff8000000000000u
#define F64_QUIET   0x0008000000000000u

LANE_INLINE bool f32_is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

LANE_INLINE bool f64_is_nan(uint64_t bits)
{
    return (bits & ~F64_SIGN) > F64_INF;
}

LANE_INLINE uint32_t f32_result(float f)
{
    return f != f ? F32_NAN : bits_of_f32(f);
}

// 0 to 1; a NaN and -0 become +0.
LANE_INLINE uint32_t f32_saturated(float f)
{
    return f > 0 ? f < 1 ? bits_of_f32(f) : F32_ONE : 0;
}

// Without its value if it is subnormal.
LANE_INLINE uint32_t f32_flushed(uint32_t bits)
{
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

LANE_INLINE int says_ftz(const struct ptx_choice *choice)
{
    return word_is(choice, PTX_CLASS_FTZ, PTX_FTZ);
}

LANE_INLINE int says_sat(const struct ptx_choice *choice)
{
    return word_is(choice, PTX_CLASS_SAT, PTX_SAT);
}

LANE_INLINE enum ptx_word rounding(const struct ptx_choice *choice)
{
    return (enum ptx_word)choice->word[PTX_CLASS_ROUND];
}

#endif
