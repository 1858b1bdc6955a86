// SPDX-License-Identifier: MIT
// The lanes of a warp, the CTAs of a mask: a walk over the bits that are set, the lowest first.
#ifndef TMAREF_EACH_H
#define TMAREF_EACH_H

// for (EACH_BIT(lane, lanes)) ...: `of`, of 32 bits, is computed once, and `bit` is the number of each bit in turn.
#define EACH_BIT(bit, of)                                                                                              \
    uint32_t bit##_left = (of), bit = 0;                                                                               \
    bit##_left != 0 && (bit = (uint32_t)__builtin_ctz(bit##_left), 1);                                                 \
    bit##_left &= bit##_left - 1

#endif
