// SPDX-License-Identifier: MIT
// The bits of floats, and the floats of bits. Inline in every build, so that loops over them become vector
// instructions.
#ifndef TMAREF_FLOAT_BITS_H
#define TMAREF_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

#if defined __GNUC__
#define FLOAT_BITS static inline __attribute__((always_inline, unused))
#else
#define FLOAT_BITS static inline
#endif

#define FLOAT_BITS_BOTH_WAYS(of, bits_of, type, bits_type)                                                             \
    FLOAT_BITS type of(bits_type bits)                                                                                 \
    {                                                                                                                  \
        type value;                                                                                                    \
        memcpy(&value, &bits, sizeof value);                                                                           \
        return value;                                                                                                  \
    }                                                                                                                  \
    FLOAT_BITS bits_type bits_of(type value)                                                                           \
    {                                                                                                                  \
        bits_type bits;                                                                                                \
        memcpy(&bits, &value, sizeof bits);                                                                            \
        return bits;                                                                                                   \
    }

FLOAT_BITS_BOTH_WAYS(f32_of, bits_of_f32, float, uint32_t)
FLOAT_BITS_BOTH_WAYS(f64_of, bits_of_f64, double, uint64_t)

#endif
