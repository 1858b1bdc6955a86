// SPDX-License-Identifier: MIT
// The tables of approximate.c: of each segment C0, C1, C2.
#ifndef TMAREF_ALU_APPROXIMATE_TABLE_H
#define TMAREF_ALU_APPROXIMATE_TABLE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)
extern const uint32_t approximate_rcp[128][3], approximate_rsq[128][3], approximate_sqrt[128][3];
extern const uint32_t approximate_ex2[64][3], approximate_lg2[64][3], approximate_sin[64][3], approximate_tanh[51][3];
#pragma GCC visibility pop

#endif
