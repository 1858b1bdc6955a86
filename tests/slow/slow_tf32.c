// SPDX-License-Identifier: MIT
// The rounding of TF32 loads by arithmetic, not by bits: the float as an exact double, divided by the distance of
// TF32 numbers there, rounded to an integer with ties to even, and multiplied back.
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "slow.h"

// The nearest integer to x >= 0; a tie goes to the even one.
static double nearest(double x, enum slow_mutant mutant)
{
    double below = floor(x);
    double rest = x - below;
    bool is_odd = fmod(below, 2) != 0;
    if (mutant == SLOW_TF32_TRUNCATE) return below;
    if (rest == 0.5 && mutant == SLOW_TF32_HALF_AWAY) return below + 1;
    return rest > 0.5 || (rest == 0.5 && is_odd) ? below + 1 : below;
}

// TF32 has 11 significant bits, fewer below 2^-126, where its numbers are 2^-136 apart.
static float rounded(float number, enum slow_mutant mutant)
{
    int exponent;
    double magnitude = fabs((double)number);
    frexp(magnitude, &exponent); // magnitude < 2^exponent
    int distance = exponent - 11 < -136 ? -136 : exponent - 11;
    if (magnitude < ldexp(1, -126) && mutant == SLOW_TF32_FLUSH) return copysignf(0, number);
    double result = ldexp(nearest(ldexp(magnitude, -distance), mutant), distance);
    if (result >= ldexp(1, 128)) result = mutant == SLOW_TF32_SATURATE ? ldexp(2047, 117) : (double)INFINITY;
    return copysignf((float)result, number);
}

static uint32_t tf32(uint32_t bits, enum slow_mutant mutant)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    if (mutant == SLOW_TF32_NONE) return bits;
    if (isnan(number)) return mutant == SLOW_TF32_NAN_PAYLOAD ? bits - bits % 8192 : 0x7fffe000;
    if (isinf(number)) return bits;
    number = rounded(number, mutant);
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

uint32_t slow_tf32(uint32_t bits, enum slow_mutant mutant)
{
    fenv_t caller;
    fegetenv(&caller);
    fesetenv(FE_DFL_ENV);
    bits = tf32(bits, mutant);
    fesetenv(&caller);
    return bits;
}
