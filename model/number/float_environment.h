// SPDX-License-Identifier: MIT
// The floating-point environment of the CPU: rounding to nearest even, subnormals kept, no traps. What adds floats sets
// it and puts back what its caller had, flags included, so that no number depends on the caller and no caller sees a
// difference. Between the two calls work on memory: a compiler may move arithmetic on plain variables across them.
#ifndef TMAREF_FLOAT_ENVIRONMENT_H
#define TMAREF_FLOAT_ENVIRONMENT_H

#if !defined __x86_64__
#include <fenv.h>
#endif

#include "format.h"

// On x86-64 the register MXCSR, for floats and doubles use no other; elsewhere what the C library keeps.
struct float_environment {
#if defined __x86_64__
    unsigned mxcsr;
#else
    fenv_t all;
#endif
};

// Sets the default one, and returns what the caller had.
struct float_environment float_environment_set_default(void);
struct float_environment float_environment_set(enum number_rounding rounding); // with another rounding
void float_environment_put_back(const struct float_environment *caller);

#endif
