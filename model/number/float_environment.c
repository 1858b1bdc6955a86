// SPDX-License-Identifier: MIT
// On x86-64 by hand: fegetenv() and fesetenv() also move the old FPU's environment, which takes twenty times as long.
#include "float_environment.h"

#if defined __x86_64__
#include <xmmintrin.h>

// All exceptions masked, no flag, to nearest, neither flush to zero nor denormals are zeros.
enum { MXCSR_DEFAULT = 0x1f80 };

struct float_environment float_environment_set(enum number_rounding rounding)
{
    static const unsigned modes[] = {
        [NUMBER_NEAREST] = 0, [NUMBER_TOWARD_ZERO] = 0x6000, [NUMBER_DOWN] = 0x2000, [NUMBER_UP] = 0x4000};
    struct float_environment caller = {_mm_getcsr()};
    _mm_setcsr(MXCSR_DEFAULT | modes[rounding]);
    return caller;
}

void float_environment_put_back(const struct float_environment *caller)
{
    _mm_setcsr(caller->mxcsr);
}

#else

struct float_environment float_environment_set(enum number_rounding rounding)
{
    static const int modes[] = {[NUMBER_NEAREST] = FE_TONEAREST,
                                [NUMBER_TOWARD_ZERO] = FE_TOWARDZERO,
                                [NUMBER_DOWN] = FE_DOWNWARD,
                                [NUMBER_UP] = FE_UPWARD};
    struct float_environment caller;
    fegetenv(&caller.all);
    fesetenv(FE_DFL_ENV);
    fesetround(modes[rounding]);
    return caller;
}

void float_environment_put_back(const struct float_environment *caller)
{
    fesetenv(&caller->all);
}

#endif

struct float_environment float_environment_set_default(void)
{
    return float_environment_set(NUMBER_NEAREST);
}
